"""How much of what a question names its documents name too (audited-rollback, section 4)."""

from __future__ import annotations

from collections.abc import Sequence

from ragkit.components.text import entities, missing_entities
from ragkit.records import Document


def entity_coverage(question: str, documents: Sequence[Document]) -> float:
    """Return the share 0..1 of the question's entities that stand in any of the documents.

    A question that names nothing is covered by any document, and by none when there is none.
    """
    if not documents:
        return 0.0
    named = entities(question)
    if not named:
        return 1.0
    text = "\n".join(_readable(document) for document in documents)
    return 1 - len(missing_entities(question, text)) / len(named)


def _readable(document: Document) -> str:
    metadata = document.get("metadata", {})
    about = (metadata.get(key) for key in ("title", "heading_path", "product", "version"))
    return "\n".join([*(str(value) for value in about if value), document["content"]])
