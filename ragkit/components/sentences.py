"""Markdown to blocks and blocks to quotable sentences: prose, list items, table rows.

Source text stays verbatim but for line breaks inside a paragraph, which become spaces.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ragkit.components.stops import sentence_ends

_CODE = re.compile(r"`[^`\n]+`")
_MARKER = re.compile(r"\[\^?\d+\]")

Kind = Literal["prose", "item", "row", "code", "heading"]


@dataclass(frozen=True, slots=True)
class Block:
    """One block of Markdown, `text` verbatim, from `first_line` up to before `last_line`.

    A table row has its `cells` and the names of their `columns`.
    """

    kind: Kind
    text: str
    first_line: int
    last_line: int
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sentence:
    """One quotable piece of a document.

    `text` is what an answer may quote: the source's own words; a table row reads
    "column: cell; column: cell", every name and cell verbatim. `heading` is the last heading above
    it. The piece stands in the source within `[start, end)`.
    """

    text: str
    kind: Kind
    start: int
    end: int
    heading: str = ""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def sentences(markdown: str) -> tuple[Sentence, ...]:
    """Split Markdown or plain text into quotable sentences, in order, with code and headings."""
    starts = _line_starts(markdown)
    found: list[Sentence] = []
    heading = ""
    for block in blocks(markdown):
        start = starts[min(block.first_line, len(starts) - 1)]
        end = starts[min(block.last_line, len(starts) - 1)]
        if block.kind == "heading":
            heading = block.text
        if block.kind in ("prose", "item"):
            found += _located(block, markdown, start, end, heading)
        else:
            text = _row_text(block) if block.kind == "row" else block.text
            row = (block.columns, block.cells)
            found.append(Sentence(text, block.kind, start, end, heading, *row))
    return tuple(found)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer(r"\r\n?|\n", text)), len(text)]


def _located(block: Block, markdown: str, start: int, end: int, heading: str) -> Iterator[Sentence]:
    position = start
    for part in split_sentences(block.text):
        at = markdown.find(part, position, end)
        span = (at, at + len(part)) if at >= 0 else (position, end)
        position = span[1] if at >= 0 else position
        yield Sentence(part, block.kind, *span, heading)


def _row_text(block: Block) -> str:
    named = zip(block.columns, block.cells, strict=False)
    pairs = [f"{column}: {cell}" if column else cell for column, cell in named if cell]
    return "; ".join(pairs)


def split_sentences(text: str) -> list[str]:
    """Split one paragraph after its full stops; the joined parts are the text, spaces aside.

    The rules are those by which drafts are read (`ragkit.components.stops`), so that a quoted
    sentence is one claim.
    """
    masked = _CODE.sub(lambda match: "x" * len(match.group()), text)
    markers = {match.start(): match.end() for match in _MARKER.finditer(masked)}
    parts, start = [], 0
    for end in sentence_ends(masked, 0, len(masked), markers):
        parts.append(text[start:end].strip())
        start = end
    return [part for part in parts if part]


def blocks(markdown: str) -> list[Block]:
    """Parse Markdown into paragraphs, list items, table rows, code and headings, in order."""
    found = list(_walk(_parser().parse(markdown.replace("\x00", "\ufffd"))))
    if not found and (text := _one_line(markdown)):  # nested deeper than the parser follows
        return [Block("prose", text, 0, markdown.count("\n") + 1)]
    return found


@cache
def _parser() -> MarkdownIt:
    # pages from the web and from PDF indent and underline freely: that is prose, not code or titles
    off = ["code", "lheading", "html_block", "reference", "hr", "inline"]
    return MarkdownIt("commonmark").enable("table").disable(off)


def _walk(tokens: list[Token]) -> Iterator[Block]:
    columns: tuple[str, ...] = ()
    cells: list[str] = []
    depth, lines = 0, (0, 0)
    for position, token in enumerate(tokens):
        kind = token.type
        depth += {"list_item_open": 1, "list_item_close": -1}.get(kind, 0)
        if token.map:
            lines = (token.map[0], token.map[1])
        if kind == "tr_open":
            cells = []
        elif kind in ("th_close", "td_close"):
            cells.append(_one_line(tokens[position - 1].content))
        elif kind == "tr_close":
            if tokens[position - 1].type == "th_close":
                columns = tuple(cells)
            elif any(cells):
                text = " | ".join(cells)
                yield Block("row", text, *lines, columns=columns, cells=tuple(cells))
        elif kind == "fence" and token.content.strip():
            yield Block("code", token.content.strip("\n"), *lines)
        elif kind == "inline" and (text := _one_line(token.content)):
            opened = tokens[position - 1].type
            if opened == "heading_open":
                yield Block("heading", text, *lines)
            elif opened == "paragraph_open":
                yield Block("item" if depth else "prose", text, *lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())
