"""Parent sections: small chunks are matched, the section around them is shown.

Nothing is stored twice: a parent is its chunks put together again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby

from ragkit.records import Document

_SEPARATOR = " > "

Sized = tuple[tuple[str, ...], int]


def group_sections(pieces: Sequence[Sized], limit: int) -> list[list[int]]:
    """Group the pieces of a page, given as (heading path, tokens), by their parent section.

    A section of at most `limit` tokens is one parent. A longer one is taken apart by its inner
    headings, and neighbours are put together again as long as they fit. Returns positions.
    """
    return _grouped(list(range(len(pieces))), pieces, limit, depth=0)


def parent_sections(chunks: Iterable[Document]) -> dict[str, Document]:
    """Return the sections that chunks were cut from, by `parent_id`."""
    ordered = sorted(chunks, key=lambda chunk: (*_family(chunk), chunk["metadata"]["position"]))
    groups = (list(group) for _, group in groupby(ordered, key=_family))
    return {group[0]["metadata"]["parent_id"]: join_chunks(group) for group in groups}


def join_chunks(chunks: Sequence[Document]) -> Document:
    """Return one section from its chunks in reading order, each heading and table head once."""
    texts: list[str] = []
    heading = None
    for chunk in chunks:
        head, _, body = chunk["content"].partition("\n\n")
        repeated = chunk["metadata"].get("repeated_lines", 0) if texts else 0
        body = "\n".join(body.split("\n")[repeated:])
        if head != heading:
            texts.append(f"{head}\n\n{body}" if body else head)
        else:
            texts[-1] += ("\n" if repeated else "\n\n") + body
        heading = head
    first = chunks[0]["metadata"]
    own = ("repeated_lines", "oversize")
    metadata = {key: value for key, value in first.items() if key not in own}
    metadata["id"] = first["parent_id"]
    metadata["heading_path"] = _common_path(chunks)
    return Document(id=first["parent_id"], content="\n\n".join(texts), metadata=metadata)


def _grouped(rows: list[int], pieces: Sequence[Sized], limit: int, depth: int) -> list[list[int]]:
    if _tokens(rows, pieces) <= limit or len(rows) == 1:
        return [rows]
    if all(len(pieces[row][0]) <= depth for row in rows):
        return _merged([[row] for row in rows], pieces, limit)
    inner = groupby(rows, key=lambda row: pieces[row][0][: depth + 1])
    parts = [part for _, group in inner for part in _grouped(list(group), pieces, limit, depth + 1)]
    return _merged(parts, pieces, limit)


def _merged(parts: list[list[int]], pieces: Sequence[Sized], limit: int) -> list[list[int]]:
    merged: list[list[int]] = []
    for part in parts:
        if merged and _tokens(merged[-1] + part, pieces) <= limit:
            merged[-1] = merged[-1] + part
        else:
            merged.append(part)
    return merged


def _tokens(rows: list[int], pieces: Sequence[Sized]) -> int:
    return sum(pieces[row][1] for row in rows)


def _family(chunk: Document) -> tuple[str, str]:
    return chunk["metadata"].get("source", ""), chunk["metadata"]["parent_id"]


def _common_path(chunks: Sequence[Document]) -> str:
    paths = [chunk["metadata"].get("heading_path", "").split(_SEPARATOR) for chunk in chunks]
    shared = []
    for titles in zip(*paths, strict=False):
        if len(set(titles)) > 1:
            break
        shared.append(titles[0])
    return _SEPARATOR.join(shared)
