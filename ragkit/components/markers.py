"""Citation markers in a draft: every form that people and models write, and what is not one.

Counted as markers, one `Marker` a label: `[1]`, `[1, 2]`, `[1-3]`, `[1][2]`, `[^1]`, `[1†source]`,
`【1】`, `【1†source】`, full-width brackets and digits, inside emphasis, tables and bullets.
Left alone: fenced and inline code, `\\[1\\]`, `[text](url)`, reference links, `[x]`, `[TODO]`, and
`(1)`, which in prose numbers the points of a list.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from ragkit.config import CitationConfig

Status = Literal["ok", "out_of_range", "malformed", "ambiguous"]
Span = tuple[int, int]

_CONFIG = CitationConfig()
_FENCE = re.compile(r"[ \t>]*(?:[-*+]\s+)?(`{3,}|~{3,})")
_TICKS = re.compile(r"(?<!\\)`+")
_PARAGRAPH_END = re.compile(r"\n[ \t]*\n")
# every bracket that stands for a square one
_LEFT, _RIGHT = r"\[［【〔〖〚⟦❲﹝", r"\]］】〕〗〛⟧❳﹞"
_BRACKET = re.compile(rf"[{_LEFT}]([^{_LEFT}{_RIGHT}\n]*)[{_RIGHT}]")
_LINK_TAIL = re.compile(
    r"\((?:<[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)?)(?:\s+\"[^\"\n]*\")?\s*\)"
)
_DEFINITION = re.compile(r"^[ \t]{0,3}\[\^?(\d{1,9})\]:", re.MULTILINE)
_ITEM = r"\^?\s*([-−]?\d+)\s*\^?(?:\s*[†↑‡][^,;，、]*)?"
_LABEL = re.compile(rf"{_ITEM}\Z")
_RANGE = re.compile(rf"{_ITEM}\s*[-–—‑−~]\s*{_ITEM}\Z")
_SEPARATOR = re.compile(r"\s*(?:[,;，、；&]|\band\b(?=\s*\^?\d))\s*")
_NAME_LIKE = re.compile(r"[^\W\d]\w*\.[^\W\d]|_|\w\(")
_FAR = 64  # how far back a glued word is looked at, so that text without spaces stays linear


@dataclass(frozen=True)
class Marker:
    """One label of one marker; `[1, 2]` gives two with the same span.

    `label` is None where no whole number of at most nine digits can be read. `status` is "ok" when
    the label names a shown document, "out_of_range" when it names none, "malformed" for digits in
    brackets of another shape, "ambiguous" where `arr[0]` may be code (listed, never support).
    """

    label: int | None
    status: Status
    text: str
    start: int
    end: int


def parse_markers(
    text: str, documents: int | None = None, config: CitationConfig = _CONFIG
) -> list[Marker]:
    """Find the citation markers of a text in reading order.

    `documents` is how many documents were shown (labels 1..documents exist); None accepts any
    positive label. Never raises; takes time linear in the length of the text.
    """
    code = code_spans(text)
    defined = {int(match[1]): match.start(1) for match in _DEFINITION.finditer(text)}
    definitions = set(defined.values())
    markers: list[Marker] = []
    word, last_end, last_was_text = "", -1, False
    for match in _BRACKET.finditer(text):
        start, end = match.span()
        if inside(code, start) or _escaped(text, start):
            continue
        chained = start == last_end
        word = word if chained else _word_before(text, start)
        reference = chained and last_was_text and _plain_label(match[1]) in defined
        last_end, last_was_text = end, not any(char.isdigit() for char in match[1])
        if not (reference or _LINK_TAIL.match(text, end) or match.start(1) in definitions):
            markers.extend(_read(match, word, documents, config))
    return markers


def code_spans(text: str) -> list[Span]:
    """Return the spans of fenced and inline code, in order and without overlap.

    An open fence runs to the end. Four leading spaces are no code here: models indent lists so.
    """
    fences = _fences(text)
    spans = list(fences)
    start = 0
    for fence_start, fence_end in [*fences, (len(text), len(text))]:
        breaks = [match.end() for match in _PARAGRAPH_END.finditer(text, start, fence_start)]
        for left, right in pairwise([start, *breaks, fence_start]):
            spans.extend(_inline_code(text, left, right))
        start = fence_end
    return sorted(spans)


def inside(spans: list[Span], position: int) -> bool:
    """Tell whether a position lies in one of the sorted spans."""
    index = bisect_right(spans, position, key=lambda span: span[0]) - 1
    return index >= 0 and position < spans[index][1]


def _fences(text: str) -> list[Span]:
    spans: list[Span] = []
    opened: tuple[int, str] | None = None
    position = 0
    for line in text.splitlines(keepends=True):
        if match := _FENCE.match(line):
            ticks, rest = match[1], line[match.end() :].strip()
            if opened is None and ("`" not in rest or ticks[0] == "~"):
                opened = (position, ticks)
            elif opened and ticks.startswith(opened[1]) and not rest:
                spans.append((opened[0], position + len(line)))
                opened = None
        position += len(line)
    return [*spans, (opened[0], len(text))] if opened else spans


def _inline_code(text: str, start: int, end: int) -> list[Span]:
    """Pair runs of backticks of equal length within one paragraph, as CommonMark does."""
    runs = [match.span() for match in _TICKS.finditer(text, start, end)]
    following: dict[int, int] = {}
    partner = [0] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        partner[index] = following.get(length, 0)
        following[length] = index
    spans: list[Span] = []
    index = 0
    while index < len(runs):
        if partner[index]:
            spans.append((runs[index][0], runs[partner[index]][1]))
        index = max(partner[index], index) + 1
    return spans


def _escaped(text: str, position: int) -> bool:
    before = text[max(0, position - _FAR) : position]
    return (len(before) - len(before.rstrip("\\"))) % 2 == 1


def _word_before(text: str, position: int) -> str:
    before = text[max(0, position - _FAR) : position]
    return before.split()[-1] if before and not before[-1].isspace() else ""


def _plain_label(content: str) -> int | None:
    digits = content.strip().removeprefix("^")
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


def _read(
    match: re.Match[str], word: str, documents: int | None, config: CitationConfig
) -> list[Marker]:
    content = match[1].strip(" \t*_~")
    if not any(char.isdigit() for char in content) or len(content) > config.longest_marker:
        return []
    labels = _labels(unicodedata.normalize("NFKC", content), config.longest_range)
    glued, code_like = _glue(word)
    if labels is None:
        found: list[tuple[int | None, Status]] = [(None, "malformed")]
    else:
        found = [(label, _status(label, documents)) for label in labels]
    return [
        Marker(
            label=label,
            status="ambiguous" if code_like or (glued and status != "ok") else status,
            text=match[0],
            start=match.start(),
            end=match.end(),
        )
        for label, status in found
    ]


def _status(label: int | None, documents: int | None) -> Status:
    if label is None or label < 1 or (documents is not None and label > documents):
        return "out_of_range"
    return "ok"


def _glue(word: str) -> tuple[bool, bool]:
    """Tell whether the word before a bracket touches it, and whether it looks like code."""
    touches = word[-1:].isascii() and (word[-1:].isalnum() or word[-1:] == "_")
    inner = word.strip("*_~\"'“”‘’")
    code_like = bool(_NAME_LIKE.search(inner)) and (touches or "(" in inner)
    return touches, code_like


def _labels(content: str, longest_range: int) -> list[int | None] | None:
    """Return the labels in a bracket, None for one that cannot exist; None if it is no marker."""
    labels: list[int | None] = []
    for part in _SEPARATOR.split(content):
        if match := _LABEL.match(part):
            labels.append(_number(match[1]))
        elif match := _RANGE.match(part):
            first, last = _number(match[1]), _number(match[2])
            if first is None or last is None or not 0 <= last - first < longest_range:
                return None
            labels.extend(range(first, last + 1))
        else:
            return None
    return labels


def _number(digits: str) -> int | None:
    """Read a label; [01] and labels of ten digits or more name nothing."""
    plain = digits.replace("−", "-")
    if len(plain) > 9 or (len(plain.lstrip("-")) > 1 and plain.lstrip("-")[0] == "0"):
        return None
    return int(plain)
