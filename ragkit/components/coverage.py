"""How much of what a question names its documents name too (audited-rollback, section 4)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragkit.components.direct import general_terms
from ragkit.components.text import entities, entity_key, holds_entity
from ragkit.records import Document

_MARKUP = re.compile(r"</?[A-Za-z][^<>\n]{0,80}>|\[\^?\d+\]")
_POSSESSIVE = re.compile(r"['’]s?$")


def entity_coverage(question: str, documents: Sequence[Document]) -> float:
    """Return the share 0..1 of the question's entities that stand in any of the documents.

    A question that names nothing is covered by any document, and by none when there is none.
    Markup in the question is no name, and neither is a general term: a page about signing in need
    not say "SSO". A name of several words counts by the share of its words, so that "General
    Bradshaw" is half covered by a page about William Bradshaw.
    """
    if not documents:
        return 0.0
    asked = entities(_MARKUP.sub(" ", question))
    named = [name for name in asked if name.casefold() not in general_terms()]
    if not named:
        return 1.0
    key = entity_key("\n".join(_readable(document) for document in documents))
    return sum(_held(name, key) for name in named) / len(named)


def _held(name: str, key: str) -> float:
    """The share of a name that a text holds, given as its `entity_key`."""
    bare = _POSSESSIVE.sub("", name)
    if holds_entity(key, bare):
        return 1.0
    parts = bare.split()
    return sum(holds_entity(key, part) for part in parts) / len(parts) if len(parts) > 1 else 0.0


def _readable(document: Document) -> str:
    metadata = document.get("metadata", {})
    about = (metadata.get(key) for key in ("title", "heading_path", "product", "version"))
    return "\n".join([*(str(value) for value in about if value), document["content"]])
