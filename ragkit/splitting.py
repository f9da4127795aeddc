"""Markdown -> chunks that keep tables, code and headings whole and lose no text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

_UNIT = re.compile(r"[^\W\d_]+|\d+|[^\w\s]|_")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+")
_LETTERS_A_TOKEN = 6
_DIGITS_A_TOKEN = 3

Kind = Literal["heading", "text", "list", "table", "code"]


@dataclass(frozen=True)
class Block:
    """A paragraph, list, table, code block or heading, with its text as written.

    `level` is 1 to 6 for a heading. `head` is a table's head, repeated on top of every part.
    """

    kind: Kind
    text: str
    level: int = 0
    head: str = ""


@dataclass(frozen=True)
class Piece:
    """Blocks of one section that fit together.

    `path` holds the headings above it, outermost first; `repeated` counts the lines on top that
    repeat a table's head from the piece before.
    """

    path: tuple[str, ...]
    text: str
    repeated: int = 0


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text has, without a tokenizer.

    A local estimate: six letters, three digits or one mark a token. On English Markdown it is
    mostly 0 to 15 % above the word pieces of the small embedding model.
    """
    return sum(_unit_tokens(unit) for unit in _UNIT.findall(text))


def read_blocks(markdown: str) -> list[Block]:
    """Return the blocks of a Markdown text in order; they hold every line that is not blank."""
    lines = _lines(markdown)
    blocks: list[Block] = []
    end = 0
    for token in _markdown().parse(markdown):
        if token.level or not token.map or token.nesting < 0:
            continue
        start = token.map[0]
        blocks.extend(_text_block(lines[end:start]))  # e.g. link definitions, which give no token
        end = token.map[1]
        blocks.append(_block(token, lines[start:end]))
    blocks.extend(_text_block(lines[end:]))
    return [block for block in blocks if block.text.strip()]


def split_markdown(markdown: str, max_tokens: int) -> list[Piece]:
    """Split a Markdown text by headings, then pack its blocks into pieces of about `max_tokens`.

    A code block is never cut, so a piece that holds one may be longer. A heading with nothing under
    it makes a piece without text.
    """
    pieces: list[Piece] = []
    headings: list[tuple[int, str]] = []
    section: list[Block] = []

    def close(next_level: int) -> None:
        path = tuple(title for _, title in headings if title)
        if section:
            pieces.extend(_pack(path, section, max_tokens))
        elif headings and next_level <= headings[-1][0]:
            pieces.append(Piece(path, ""))
        section.clear()

    for block in read_blocks(markdown):
        if block.kind != "heading":
            section.append(block)
            continue
        close(block.level)
        headings = [heading for heading in headings if heading[0] < block.level]
        headings.append((block.level, block.text))
    close(0)
    return pieces


def split_text(text: str, max_tokens: int) -> list[Piece]:
    """Split plain text by blank lines into pieces of about `max_tokens`."""
    blocks = [Block("text", part) for part in re.split(r"\n\s*\n", text) if part.strip()]
    return list(_pack((), blocks, max_tokens))


def _pack(path: tuple[str, ...], blocks: Sequence[Block], max_tokens: int) -> Iterator[Piece]:
    limit = max(max_tokens - sum(estimate_tokens(title) for title in path), max_tokens // 2)
    packed: list[str] = []
    repeated = 0
    for block in blocks:
        for number, part in enumerate(_parts(block, limit)):
            if packed and estimate_tokens("\n\n".join([*packed, part])) > limit:
                yield Piece(path, "\n\n".join(packed), repeated)
                packed, repeated = [], 0
            if not packed and number and block.head:
                repeated = block.head.count("\n") + 1
            packed.append(part)
    if packed:
        yield Piece(path, "\n\n".join(packed), repeated)


def _parts(block: Block, limit: int) -> list[str]:
    """Cut a block that is too long where its kind allows it."""
    if block.kind == "code" or estimate_tokens(block.text) <= limit:
        return [block.text.strip("\n")]
    if block.kind == "table":
        rows = _lines(block.text.removeprefix(block.head).strip("\n"))
        room = limit - estimate_tokens(block.head)
        return [f"{block.head}\n{part}" for part in _fill(rows, room)]
    if block.kind == "list":
        items = _list_items(block.text)
        return _fill([part for item in items for part in _cut_text(item, limit)], limit)
    return _fill(_cut_text(block.text, limit), limit)


def _fill(parts: Sequence[str], limit: int) -> list[str]:
    """Join neighbours as long as they fit; the parts bring their own white space."""
    filled: list[str] = []
    for part in parts:
        if filled and estimate_tokens(filled[-1] + part) <= limit:
            filled[-1] += part
        else:
            filled.append(part)
    return [text.strip("\n").rstrip() for text in filled if text.strip()]


def _cut_text(text: str, limit: int) -> list[str]:
    """Cut at line ends, else sentence ends, else spaces; never inside a word or a fence."""
    if estimate_tokens(text) <= limit or "```" in text or "~~~" in text:
        return [text]
    for pattern in (re.compile(r"(?<=\n)"), _SENTENCE_END, re.compile(r"\s+")):
        parts = _split_keeping(pattern, text)
        if len(parts) > 1:
            return [piece for part in parts for piece in _cut_text(part, limit)]
    return [text]


def _split_keeping(pattern: re.Pattern[str], text: str) -> list[str]:
    ends = [match.end() for match in pattern.finditer(text) if 0 < match.end() < len(text)]
    return [text[start:end] for start, end in zip([0, *ends], [*ends, len(text)], strict=True)]


def _list_items(text: str) -> list[str]:
    lines = _lines(text)
    starts = [
        token.map[0]
        for token in _markdown().parse(text)
        if token.type == "list_item_open" and token.level == 1 and token.map
    ]
    edges = [0, *starts[1:], len(lines)]
    return ["".join(lines[start:end]) for start, end in pairwise(edges)]


def _block(token: Any, lines: list[str]) -> Block:
    text = "".join(lines)
    if token.type == "heading_open":
        return Block("heading", _heading_text(lines), level=int(token.tag[1]))
    if token.type == "table_open":
        return Block("table", text, head="".join(lines[:2]).rstrip("\n"))
    if token.type in ("fence", "code_block"):
        return Block("code", text)
    return Block("list" if token.type.endswith("list_open") else "text", text)


def _heading_text(lines: list[str]) -> str:
    first = lines[0].strip()
    if len(lines) > 1:  # underlined
        return " ".join(line.strip() for line in lines[:-1])
    return re.sub(r"^#{1,6}\s*|\s+#+$", "", first)


def _lines(text: str) -> list[str]:
    # splitlines would also end a line at marks that Markdown reads as spaces
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _text_block(lines: list[str]) -> list[Block]:
    return [Block("text", "".join(lines))] if "".join(lines).strip() else []


def _unit_tokens(unit: str) -> int:
    size = _LETTERS_A_TOKEN if unit.isalpha() else _DIGITS_A_TOKEN if unit.isdigit() else 1
    return -(-len(unit) // size)


@lru_cache(1)
def _markdown() -> Any:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark").enable("table")
