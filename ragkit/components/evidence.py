"""A document as the units a claim can be compared with: sentences, list items, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ragkit.components.checks import Unit
from ragkit.components.orders import gives_orders
from ragkit.components.sentences import Sentence, sentences
from ragkit.components.statements import parse_statement
from ragkit.components.text import STOP_WORDS
from ragkit.records import Document

_EMPHASIS = re.compile(r"\*{1,2}(?=\S)|(?<=\S)\*{1,2}|`")
_CAPITALISED = re.compile(r"(?<=[\w,;] )[A-Z][\w-]*")
_CELL_NAME = re.compile(r"[A-Z][\w-]*")
_SHORT_CELL = 4


def units(document: Document) -> tuple[Unit, ...]:
    """Return a document's units in reading order; code and headings are context, not units.

    A sentence that orders a machine to say something is no evidence that it is so.
    """
    meta = document.get("metadata") or {}
    around = (meta.get("title"), meta.get("product"), meta.get("heading_path"), meta.get("version"))
    date = meta.get("effective_date")
    title = " ".join(str(part) for part in (*around, date) if part)
    return _units(document["content"], title)


def text_units(text: str) -> tuple[Unit, ...]:
    """Return the units of bare text."""
    return _units(text, "")


@lru_cache(maxsize=1024)
def _units(content: str, title: str) -> tuple[Unit, ...]:
    found: list[Unit] = []
    before: list[str] = []
    heading, end = "", 0
    for piece in sentences(content):
        if piece.heading != heading or "\n\n" in content[end : piece.start]:
            before = []
        heading, end = piece.heading, piece.end
        if piece.kind == "heading" or gives_orders(piece.text, piece.columns, piece.cells):
            continue
        if piece.kind == "code":
            found.append(Unit(piece.text, context=f"{title} {piece.heading}"))
            continue
        found.append(_unit(piece, title, before))
        if piece.kind in ("prose", "item"):
            before.append(found[-1].text)
    return tuple(found)


def _unit(piece: Sentence, title: str, before: Sequence[str]) -> Unit:
    return Unit(
        text=_plain(piece.text),
        context=f"{title} {_plain(piece.heading)}".strip(),
        before=" ".join(before),
        columns=tuple(_plain(column) for column in piece.columns),
        cells=tuple(_plain(cell) for cell in piece.cells),
    )


def _plain(text: str) -> str:
    return _EMPHASIS.sub("", text).strip()


def known_names(documents: Iterable[Document]) -> frozenset[str]:
    """Return the words that the documents write with a capital inside a sentence, in lower case.

    So that "Growth costs $189" is seen to begin with a name, and "Passwords must …" is not.
    """
    found: set[str] = set()
    for document in documents:
        product = str((document.get("metadata") or {}).get("product") or "")
        found |= _names(document["content"]) | {word.lower() for word in product.split()}
    return frozenset(found)


@lru_cache(maxsize=1024)
def _names(content: str) -> frozenset[str]:
    found: set[str] = set()
    for unit in _units(content, ""):
        words = _CAPITALISED.findall(unit.text) if not unit.is_row else []
        for cell in unit.cells:
            if len(cell.split()) < _SHORT_CELL:
                words += _CELL_NAME.findall(cell)
        found |= {word.lower() for word in words}
        found |= set(parse_statement(unit.text).names) if not unit.is_row else set()
    return frozenset(found - STOP_WORDS)
