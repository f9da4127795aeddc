"""Take the query out of what a model wrote around it."""

from __future__ import annotations

import json
import re

from ragkit.components.replies import without_thoughts

_FENCED = re.compile(r"```[\w-]*\n?(.*?)(?:```|\Z)", re.DOTALL)
_BULLET = re.compile(r"^(?:[-*•>#]+|\d{1,2}[.)])\s+")
_PREFIX = re.compile(
    r"^(?:sure|okay|ok|certainly|of course|absolutely)\s*[!,.:]\s*"
    r"|^here(?:['’]s| is| are)\b[^:\n]{0,80}:\s*"
    r"|^(?:(?:the|my|a|your)\s+)?"
    r"(?:(?:new|better|best|final|improved|optimi[sz]ed|revised|refined|rewritten|reformulated"
    r"|rephrased|search|vector|user|original)\s+)*"
    r"(?:query|question|rewrite|output|answer)"
    r"(?:\s+(?:is|would be|could be|text|string|for (?:better|improved) (?:retrieval|search)))*"
    r"\s*:\s*",
    re.IGNORECASE,
)
_QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」"}
_FIELDS = ("query", "rewritten_query", "search_query", "question", "rewrite")


def clean_query(text: str, limit: int) -> str:
    """Return the first line that is a query, without prefix, quotes, fence or emphasis.

    At most `limit` characters, cut between words; "" when nothing is left.
    """
    text = without_thoughts(text).strip()
    if text.startswith("{"):
        return _shorten(_from_json(text), limit)
    if fence := _FENCED.search(text):
        text = fence.group(1)
    lines = (_bare(line) for line in text.splitlines())
    return _shorten(next((line for line in lines if line), ""), limit)


def _bare(line: str) -> str:
    previous = None
    while line != previous:
        previous = line
        line = _BULLET.sub("", line.strip())
        line = _unwrapped(_PREFIX.sub("", line, count=1).strip())
    return line if re.search(r"\w", line) else ""


def _unwrapped(line: str) -> str:
    for mark in ("**", "__"):
        if len(line) > 2 * len(mark) and line.startswith(mark) and line.endswith(mark):
            line = line[len(mark) : -len(mark)].strip()
    closing = _QUOTES.get(line[:1])
    if closing and len(line) > 1 and line.endswith(closing) and closing not in line[1:-1]:
        return line[1:-1].strip()
    return line


def _from_json(text: str) -> str:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return ""
    fields = (value.get(name) for name in _FIELDS) if isinstance(value, dict) else ()
    return next((_bare(field) for field in fields if isinstance(field, str)), "")


def _shorten(query: str, limit: int) -> str:
    query = " ".join(query.split())
    if len(query) <= limit:
        return query
    cut = query[: limit + 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut[:limit]).strip()
