"""Markdown as lines see it: which part of a draft is prose, a list item, a table row, code.

The blocks of a text are a partition of it: joined again they are the text, character by character.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from ragkit.components.markers import Span, code_spans, inside

Kind = Literal[
    "prose", "item", "row", "heading", "bold", "head", "rule", "code", "sources", "blank"
]  # fmt: skip

_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r"\s*(?:[-=*_]\s*){3,}$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•◦▪‣·–—]|\(?\d{1,3}[.)]|\(?[a-z][.)]|\(?[A-Z]\))\s+(?=\S)")
_QUOTE = re.compile(r"(?:\s{0,3}>\s?)+")
_SOURCES = re.compile(
    r"[\s#*_>]*(?:sources?|references?|citations?|footnotes?|bibliography|works cited"
    r"|further reading|quellen|literatur|参考文献|来源)\s*[:：]?[\s*_]*[:：]?\s*$",
    re.IGNORECASE,
)
_LABELLED = re.compile(
    r"\s*(?:[-*+•]\s+)?[\[［【]\^?\d{1,4}[^\[\]［］【】\n]*[\]］】]\s*[:：.\-–—]?\s*\S"
)
_DEFINITION = re.compile(r"\s{0,3}\[\^?[^\[\]\n]{1,40}\]:\s*\S")
_BOLD = re.compile(r"\s*(?:\*\*[^*]+\*\*|__[^_]+__)\s*:?\s*$")
_BAR = re.compile(r"(?<!\\)\|")
_ENDS_CITED = re.compile(r"[\[［【]\^?\d{1,4}[\]］】][\s.*_]*$")
_VERB = re.compile(
    r"\b(?:is|are|was|were|be|has|have|had|does|do|did|can|could|may|might|must|shall|should|will|would"
    r"|costs?|includes?|needs?|requires?|supports?|returns?|takes?|allows?|lasts?|applies)\b|[$€£]\s?\d",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"https?://|www\.|\w\.(?:md|html?|pdf|txt)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Block:
    """A run of whole lines of one kind; `start` and `end` are positions in the text.

    A table row carries the cells of its `header`, empty for a table without one.
    """

    kind: Kind
    start: int
    end: int
    header: tuple[str, ...] = ()


def split_blocks(text: str) -> list[Block]:
    """Split a text into blocks that cover it without gap or overlap, in reading order."""
    lines = list(_lines(text))
    first_source = _first_source_line(text, lines)
    blocks: list[Block] = []
    for block in _line_blocks(text, lines, code_spans(text)):
        if first_source is not None and block.start >= first_source and block.kind != "blank":
            block = replace(block, kind="sources")
        if blocks and _continues(blocks[-1], block):
            blocks[-1] = replace(blocks[-1], end=block.end)
        else:
            blocks.append(block)
    return blocks


def without_sources(text: str) -> tuple[str, str]:
    """Cut a trailing list of sources off: the text before it, and the list itself ("" if none)."""
    start = _first_source_line(text, list(_lines(text)))
    return (text, "") if start is None else (text[:start], text[start:])


def cells(line: str) -> list[str]:
    """Return the trimmed cells of a table line; `\\|` stays inside its cell."""
    return [line[left:right].strip() for left, right in cell_spans(line, 0, len(line))]


def cell_spans(text: str, start: int, end: int) -> list[Span]:
    """Return the spans of the cells of the table line text[start:end], at least one."""
    bars = [match.start() for match in _BAR.finditer(text, start, end)]
    edges = [start - 1, *bars, end]
    spans = [(left + 1, right) for left, right in pairwise(edges)]
    if len(spans) > 1 and not text[slice(*spans[0])].strip():
        spans = spans[1:]
    if len(spans) > 1 and not text[slice(*spans[-1])].strip():
        spans = spans[:-1]
    return spans


def _lines(text: str) -> Iterator[Span]:
    start = 0
    for match in re.finditer(r"\r\n?|\n", text):
        yield start, match.end()
        start = match.end()
    if start < len(text):
        yield start, len(text)


def _line_blocks(text: str, lines: list[Span], code: list[Span]) -> Iterator[Block]:
    header: tuple[str, ...] | None = None
    for index, (start, end) in enumerate(lines):
        line = text[start:end]
        plain = _QUOTE.sub("", line, count=1)
        following = text[slice(*lines[index + 1])] if index + 1 < len(lines) else ""
        following = _QUOTE.sub("", following, count=1)
        in_code = inside(code, start) and _is_fence(text, code, start)
        if in_code or not plain.strip():
            header = None
            yield Block("code" if in_code else "blank", start, end)
        elif header is None and "|" in plain and "|" in following and _TABLE_RULE.match(following):
            header = tuple(cells(plain))
            yield Block("head", start, end)
        elif header is not None and "|" in plain:
            kind: Kind = "rule" if _TABLE_RULE.match(plain) else "row"
            yield Block(kind, start, end, header)
        else:
            header = None
            yield Block(_line_kind(plain, following), start, end)


def _is_fence(text: str, code: list[Span], position: int) -> bool:
    """Tell a fence, which holds whole lines, from inline code that goes on over a line's end."""
    owner = next(span for span in code if span[0] <= position < span[1])
    return text[owner[0] : owner[0] + 80].lstrip(" \t>-*+").startswith(("```", "~~~"))


def _line_kind(line: str, following: str) -> Kind:
    if _HEADING.match(line):
        return "heading"
    if _RULE.match(line):
        return "rule"
    if _ITEM.match(line):
        return "item"
    if _BOLD.match(line):
        return "bold"
    underline = following.strip()
    if underline and (set(underline) == {"="} or (set(underline) == {"-"} and len(underline) > 2)):
        return "heading"
    return "prose"


def _continues(before: Block, block: Block) -> bool:
    """Tell whether a line goes on with the block before it: wrapped prose, code, blank lines."""
    if block.kind == "prose":
        return before.kind in ("prose", "item")
    return block.kind == before.kind and block.kind in ("code", "blank", "sources")


def _first_source_line(text: str, lines: list[Span]) -> int | None:
    """Find where a trailing source list begins, reading lines from the end.

    Under a heading ("Sources:") any labelled or bulleted line is one; without a heading a line must
    carry a label and must not state anything, so that a claim cannot hide as a source.
    """
    start, certain = None, True
    for left, right in reversed(lines):
        line = text[left:right]
        if not line.strip():
            continue
        if _SOURCES.match(line):
            return left
        label = _LABELLED.match(line) or _DEFINITION.match(line)
        listed = label or _ITEM.match(line) or _ADDRESS.search(line)
        if not listed or _is_cited(line, _ENDS_CITED.search(line)):
            return start
        certain = certain and bool(label) and not _states(line)
        start = left if certain else start
    return start


def _is_cited(line: str, marker: re.Match[str] | None) -> bool:
    """Tell whether a line ends with a marker and says something before it."""
    return bool(marker) and any(char.isalnum() for char in line[: marker.start()])


def _states(line: str) -> bool:
    return bool(_VERB.search(line)) and not _ADDRESS.search(line)
