"""Make a store hold exactly the documents given, touching only what differs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ragkit.metadata import to_metadata
from ragkit.records import Document
from ragkit.store import Store


@dataclass(frozen=True)
class Changes:
    """What happened to the rows: ids added, removed and changed (metadata only); the rest kept.

    `pages` says the same by source: new, changed, removed or unchanged.
    """

    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    kept: int = 0
    pages: dict[str, str] = field(default_factory=dict)


def prepare(documents: Iterable[Document]) -> dict[str, Document]:
    """Return the documents by id, with metadata that can be stored.

    Raises:
        ValueError: an id that is no text or stands for two documents, an empty text, bad metadata.
    """
    wanted: dict[str, Document] = {}
    for document in documents:
        plain = _plain(document)
        if wanted.setdefault(plain["id"], plain) != plain:
            raise ValueError(f"two different documents have the id {plain['id']!r}")
    return wanted


def synchronise(store: Store, wanted: Mapping[str, Document], embedder: Any) -> Changes:
    """Write what is new or different, remove what is not wanted, and check what the store holds.

    Only what is written is embedded.

    Raises:
        RuntimeError: the store gives back something else than was written.
    """
    there = _by_id(store)
    added = [name for name in wanted if name not in there]
    changed = [name for name in wanted if name in there and wanted[name] != there[name]]
    removed = [name for name in there if name not in wanted]
    fresh = [wanted[name] for name in (*added, *changed)]
    if fresh:
        vectors = _embed(embedder, [document["content"] for document in fresh])
        check_dimension(store.dimension(), vectors.shape[1])
        store.write(fresh, vectors)
    store.delete(removed)  # last, so that a changed page is never missing in between
    if (fresh or removed) and (wrong := _differing(wanted, _by_id(store))):
        raise RuntimeError(
            f"the index {store.place} does not hold what was written: {', '.join(wrong[:3])}"
        )
    return Changes(
        added=tuple(sorted(added)),
        removed=tuple(sorted(removed)),
        changed=tuple(sorted(changed)),
        kept=len(wanted) - len(fresh),
        pages=_pages(there, wanted, {*added, *changed, *removed}),
    )


def check_dimension(of_index: int | None, given: int) -> None:
    """Raise ValueError where vectors of another length than the index holds are given."""
    if of_index is not None and of_index != given:
        raise ValueError(
            f"index built with another embedding: its vectors have {of_index} numbers, "
            f"this embedder gives {given}"
        )


def unit_rows(vectors: np.ndarray) -> np.ndarray:
    """Return the rows at length 1. Raises ValueError for a row without direction."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ValueError("the embedder gave a vector without direction (zero or not finite)")
    return vectors / lengths


def _plain(document: Document) -> Document:
    name, content = document.get("id"), document.get("content")
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"a document needs an id that is text, not {name!r}")
    if not isinstance(content, str) or not content.strip():
        raise ValueError(f"document {name!r} has no text")
    try:
        f"{name}{content}".encode()
    except UnicodeEncodeError as problem:
        raise ValueError(f"document {name!r} cannot be stored: {problem.reason}") from None
    values = dict(document.get("metadata") or {})
    if values.setdefault("id", name) != name:
        raise ValueError(f"document {name!r} has another id, {values['id']!r}, in its metadata")
    return Document(id=name, content=content, metadata=to_metadata(values, name))


def _pages(
    there: Mapping[str, Document], wanted: Mapping[str, Document], touched: set[str]
) -> dict[str, str]:
    before = {_source(document) for document in there.values()}
    now = {_source(document) for document in wanted.values()}
    stirred = {
        _source(d) for side in (there, wanted) for name, d in side.items() if name in touched
    }
    pages = {}
    for source in sorted(before | now):
        if source not in before:
            pages[source] = "new"
        elif source not in now:
            pages[source] = "removed"
        else:
            pages[source] = "changed" if source in stirred else "unchanged"
    return pages


def _source(document: Document) -> str:
    return str(document["metadata"].get("source", document["id"]))


def _by_id(store: Store) -> dict[str, Document]:
    return {document["id"]: document for document in store.documents()}


def _differing(wanted: Mapping[str, Document], there: Mapping[str, Document]) -> list[str]:
    return sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))


def _embed(embedder: Any, texts: list[str]) -> np.ndarray:
    vectors = np.array(embedder.embed_documents(texts), dtype=np.float64)
    if vectors.ndim != 2 or len(vectors) != len(texts):
        raise ValueError(f"the embedder gave {vectors.shape} numbers for {len(texts)} texts")
    return unit_rows(vectors)
