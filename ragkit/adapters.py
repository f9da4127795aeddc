"""Other people's stores as retrievers."""

from __future__ import annotations

import hashlib
from typing import Any

from ragkit.config import Strategy
from ragkit.index import check_search
from ragkit.metadata import to_metadata
from ragkit.records import Document
from ragkit.verdicts import unique


class VectorStoreRetriever:
    """Any LangChain `VectorStore` as a `Retriever`.

    Such a store has one kind of search, by embedding; it answers every strategy.
    """

    def __init__(self, vectorstore: Any) -> None:
        self._vectorstore = vectorstore

    def __call__(self, query: str, k: int, strategy: Strategy = "hybrid") -> list[Document]:
        """Return up to `k` documents in the store's order, no text twice; a blank query finds none.

        Raises:
            TypeError, ValueError: a query that is no text, a `k` below 0, an unknown strategy,
                or metadata that cannot be kept in a graph's state.
        """
        check_search(query, k, strategy)
        if k == 0 or not query.strip():
            return []
        found = self._vectorstore.similarity_search(query, k=k)
        return unique(_document(each.id, each.page_content, each.metadata) for each in found)[:k]


def index_from_vectorstore(vectorstore: Any) -> VectorStoreRetriever:
    """Return a retriever over any LangChain `VectorStore`; it must hold its documents already.

    A document without an id gets one from its source and text.
    """
    if not hasattr(vectorstore, "similarity_search"):
        raise TypeError(f"{type(vectorstore).__name__} has no similarity_search: no vector store")
    return VectorStoreRetriever(vectorstore)


def _document(identity: str | None, content: str, metadata: dict[str, Any]) -> Document:
    if identity is None:
        text = f"{metadata.get('source', '')}\n{content}"
        identity = f"text-{hashlib.sha256(text.encode()).hexdigest()[:8]}"
    values = to_metadata({**metadata, "id": identity}, identity)
    return Document(id=identity, content=content, metadata=values)
