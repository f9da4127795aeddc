"""A document cut into knowledge strips that can be judged by themselves."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from ragkit.records import Document
from ragkit.splitting import Piece, estimate_tokens, split_markdown

TEXTS_IN_MEMORY = 1_024  # the grader, the strips and every retry cut the same documents


def split_strips(document: Document, max_tokens: int = 120) -> list[Document]:
    """Cut a document into strips of about `max_tokens`, in reading order.

    A strip is a document: its content starts with its heading path; its metadata are the
    document's, with `document_id`, `strip` (from 0), `heading_path` and, for a code block that is
    longer than allowed and stays whole, `oversize`. A table's parts keep its head, rows stay
    whole, no line of text is lost.
    """
    own = dict(document.get("metadata", {}))
    strips: list[Document] = []
    for number, piece in enumerate(_pieces(document["content"], max_tokens)):
        path = " > ".join(piece.path)
        head = f"# {path}\n\n" if path else ""
        metadata = {**own, "document_id": document["id"], "strip": number}
        if path or own.get("heading_path"):
            metadata["heading_path"] = path or own["heading_path"]
        if estimate_tokens(piece.text) > 2 * max_tokens:
            metadata["oversize"] = True
        content = f"{head}{piece.text}".strip()
        if content:
            identity = f"{document['id']}~{number}"
            metadata["id"] = identity
            strips.append(Document(id=identity, content=content, metadata=metadata))
    return strips


@lru_cache(TEXTS_IN_MEMORY)
def _pieces(text: str, max_tokens: int) -> tuple[Piece, ...]:
    return tuple(split_markdown(text, max_tokens))


def tokens_saved(documents: Sequence[Document], strips: Sequence[Document]) -> float:
    """Return the share of tokens that the strips leave out, 0..1; 0 when there are no documents."""
    before = sum(estimate_tokens(document["content"]) for document in documents)
    after = sum(estimate_tokens(strip["content"]) for strip in strips)
    return max(0.0, 1 - after / before) if before else 0.0
