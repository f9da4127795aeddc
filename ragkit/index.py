"""Chunks -> an index that finds them again: dense, keyword and hybrid search in a fixed order."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, get_args

import numpy as np

from ragkit.config import IndexConfig, Strategy
from ragkit.corpus import company_corpus
from ragkit.embedding import default_embedder, embedding_name
from ragkit.keywords import KeywordIndex, words
from ragkit.metadata import build_filter
from ragkit.parents import join_chunks
from ragkit.records import Document
from ragkit.rerank import LateInteraction, Rerank
from ragkit.store import Store, open_store
from ragkit.sync import Changes, check_dimension, prepare, synchronise, unit_rows

Scored = list[tuple[Document, float]]


class Index:
    """A snapshot of one store, searched three ways. It is a `Retriever`: call it.

    `rerank(query, documents)` returns one number a document, more is better; it orders the first
    `config.rerank_pool` documents of a hybrid search. Without one, an embedder that shows its
    `hidden` layer reranks by late interaction. The last searches are remembered: a snapshot finds
    the same each time, and graders, rewriters and retries ask the same again.
    """

    def __init__(
        self,
        store: Store,
        embedder: Any,
        config: IndexConfig | None = None,
        rerank: Rerank | None = None,
        changes: Changes | None = None,
    ) -> None:
        self.config = config or IndexConfig()
        self.changes = changes or Changes()
        self._store = store
        self._embedder = embedder
        self._documents, self._vectors = store.rows()
        self._row = {document["id"]: row for row, document in enumerate(self._documents)}
        self._families = _families(self._documents)
        texts = [document["content"] for document in self._documents]
        self._plain = [" ".join(text.split()) for text in texts]
        self._keywords = KeywordIndex(texts, self.config)
        if rerank is None and hasattr(embedder, "hidden"):
            rerank = LateInteraction(embedder, texts, self.config)
        self._rerank = rerank if self.config.rerank_pool else None
        self._found: dict[tuple[str, int, str], tuple[tuple[int, float], ...]] = {}

    def __len__(self) -> int:
        return len(self._documents)

    def __call__(self, query: str, k: int, strategy: Strategy = "hybrid") -> list[Document]:
        return self.search(query, k, strategy)

    def search(
        self,
        query: str,
        k: int,
        strategy: Strategy = "hybrid",
        where: Mapping[str, Any] | None = None,
    ) -> list[Document]:
        """Return up to `k` documents, best first, no text twice; ties are broken by id.

        A blank query finds nothing. `where` is described in `ragkit.metadata.build_filter`.

        Raises:
            TypeError, ValueError: a query that is no text, a `k` below 0, an unknown strategy, or
                an index built with another embedding.
        """
        return [document for document, _ in self.scored(query, k, strategy, where)]

    def scored(
        self,
        query: str,
        k: int,
        strategy: Strategy = "hybrid",
        where: Mapping[str, Any] | None = None,
    ) -> Scored:
        """Return what `search` returns, each with its score.

        The score is the cosine (dense), the BM25 score (keyword), the reranker's number (hybrid)
        or, without one, the sum of reciprocal ranks. Two strategies' scores cannot be compared.
        """
        check_search(query, k, strategy)
        if k == 0 or not query.strip() or not self._documents:
            return []
        found = self._found.get((query, k, strategy)) if where is None else None
        if found is None:
            found = self._find(query, k, strategy, build_filter(where))
            if where is None:
                self._remember((query, k, strategy), found)
        return [(_copy(self._documents[row]), score) for row, score in found]

    def get(self, ids: Iterable[str]) -> list[Document]:
        """Return the documents of these ids, in this order. Raises KeyError for an unknown id."""
        ids = list(ids)
        if unknown := [name for name in ids if name not in self._row]:
            raise KeyError(f"the index has no document {unknown[0]!r}")
        return [_copy(self._documents[self._row[name]]) for name in ids]

    def parent(self, document: Document) -> Document:
        """Return the section that a document was cut from; a document without one is its own."""
        own = self.get([document["id"]])[0]
        family = self._families.get(_family(own), [])
        return join_chunks([self._documents[row] for row in family]) if family else own

    def documents(self) -> list[Document]:
        """Return every document, by source and position."""
        return [_copy(document) for document in sorted(self._documents, key=_reading_order)]

    def vocabulary(self) -> dict[str, int]:
        """Return each word of the corpus, in lower case, with the number of documents it is in."""
        counts = Counter(word for d in self._documents for word in set(words(d["content"])))
        return dict(sorted(counts.items()))

    def _find(
        self, query: str, k: int, strategy: Strategy, where: dict[str, Any] | None
    ) -> tuple[tuple[int, float], ...]:
        ranked = self._ranked(query, k, strategy, where)
        if strategy == "hybrid" and self._rerank:
            best = self._without_repeats(ranked, max(k, self.config.rerank_pool))
            best = self._reranked(query, best, self._rerank)
        else:
            best = self._without_repeats(ranked, k)
        return tuple(best[:k])

    def _remember(self, search: tuple[str, int, str], found: tuple[tuple[int, float], ...]) -> None:
        self._found[search] = found
        for oldest in list(self._found)[: -self.config.searches_in_memory or None]:
            self._found.pop(oldest, None)

    def _ranked(
        self, query: str, k: int, strategy: Strategy, where: dict[str, Any] | None
    ) -> list[tuple[int, float]]:
        if strategy == "dense":
            return self._dense(query, k, where)
        if strategy == "keyword":
            return self._keyword(query, where)
        pool = max(self.config.pool, k)
        rankings = [self._dense(query, pool, where)[:pool], self._keyword(query, where)[:pool]]
        return self._by_score(fuse([[row for row, _ in r] for r in rankings], self.config.rrf_k))

    def _dense(self, query: str, k: int, where: dict[str, Any] | None) -> list[tuple[int, float]]:
        vector = unit_rows(np.array([self._embedder.embed_query(query)], dtype=np.float64))[0]
        check_dimension(self._vectors.shape[1], len(vector))
        size = len(self._documents)
        wanted = max(self.config.pool, self.config.oversample * k)
        count = size if size <= self.config.exact_below else min(size, wanted)
        found = self._store.nearest(vector.tolist(), count, where)
        rows = [self._row[name] for name in found if name in self._row]
        # row by row, so that a row's cosine does not depend on the rows beside it; rounded, for a
        # server and a folder give vectors back that differ in the eighth digit
        cosines = (self._vectors[rows] * vector).sum(axis=1).round(6)
        return self._by_score(dict(zip(rows, cosines.tolist(), strict=True)))

    def _keyword(self, query: str, where: dict[str, Any] | None) -> list[tuple[int, float]]:
        allowed = self._store.matching(where) if where else self._row.keys()
        scores = self._keywords.scores(query)
        rows = [row for row in np.flatnonzero(scores) if self._documents[row]["id"] in allowed]
        return self._by_score({int(row): float(scores[row]) for row in rows})

    def _by_score(self, scores: Mapping[int, float]) -> list[tuple[int, float]]:
        # rows are in the order of their ids, so equal scores come by id
        return sorted(scores.items(), key=lambda item: (-item[1], item[0]))

    def _without_repeats(self, ranked: list[tuple[int, float]], k: int) -> list[tuple[int, float]]:
        seen: set[str] = set()
        kept: list[tuple[int, float]] = []
        for row, score in ranked:
            if len(kept) == k:
                break
            if self._plain[row] not in seen:
                seen.add(self._plain[row])
                kept.append((row, score))
        return kept

    def _reranked(
        self, query: str, best: list[tuple[int, float]], rerank: Rerank
    ) -> list[tuple[int, float]]:
        scores = rerank(query, [_copy(self._documents[row]) for row, _ in best])
        if len(scores) != len(best):
            raise ValueError(f"the reranker gave {len(scores)} scores for {len(best)} documents")
        if not all(math.isfinite(score) for score in scores):
            raise ValueError("the reranker gave a score that is no number")
        order = sorted(range(len(best)), key=lambda place: (-float(scores[place]), place))
        return [(best[place][0], float(scores[place])) for place in order]


def build_index(
    documents: Iterable[Document],
    *,
    embedder: Any = None,
    path: Path | str | None = None,
    server: str | None = None,
    name: str = "ragkit",
    config: IndexConfig | None = None,
    rerank: Rerank | None = None,
) -> Index:
    """Make the index hold exactly these documents and return it.

    In memory unless given a folder or the address of a Chroma server. Documents that are there
    already are neither written nor embedded again; those not given any more are removed.
    `embedder` is any LangChain `Embeddings`; without one, the small model of `ragkit.embedding`.

    Raises:
        ValueError: two texts under one id, an empty text, metadata that cannot be stored, or an
            index built with another embedding.
        ConnectionError: no server answers.
    """
    embedder = embedder or default_embedder()
    wanted = prepare(documents)
    store = open_store(name, embedding_name(embedder), path=path, server=server)
    changes = synchronise(store, wanted, embedder)
    return Index(store, embedder, config, rerank, changes)


def open_index(
    *,
    embedder: Any = None,
    path: Path | str | None = None,
    server: str | None = None,
    name: str = "ragkit",
    config: IndexConfig | None = None,
    rerank: Rerank | None = None,
) -> Index:
    """Open an index that was built before. Raises LookupError when there is none of that name."""
    embedder = embedder or default_embedder()
    store = open_store(name, embedding_name(embedder), path=path, server=server, create=False)
    return Index(store, embedder, config, rerank)


@lru_cache(1)
def company_index() -> Index:
    """Return the index of the company's knowledge base, in memory, built once a process."""
    return build_index(company_corpus().documents)


def fuse(rankings: Sequence[Sequence[Any]], rrf_k: int) -> dict[Any, float]:
    """Return the reciprocal rank fusion of rankings: the sum of 1 / (rrf_k + rank), rank from 1.

    Cormack, Clarke and Buettcher, SIGIR 2009.
    """
    scores: dict[Any, float] = {}
    for ranking in rankings:
        for rank, item in enumerate(ranking, start=1):
            scores[item] = scores.get(item, 0.0) + 1.0 / (rrf_k + rank)
    return scores


def check_search(query: str, k: int, strategy: str) -> None:
    """Raise TypeError or ValueError that names what cannot be searched with."""
    if not isinstance(query, str):
        raise TypeError(f"a query is text, not {type(query).__name__}")
    if isinstance(k, bool) or not isinstance(k, int):
        raise TypeError(f"k is a whole number of documents, not {k!r}")
    if k < 0:
        raise ValueError(f"k is {k}; it cannot be below 0")
    if strategy not in get_args(Strategy):
        raise ValueError(f"unknown strategy {strategy!r}; use {', '.join(get_args(Strategy))}")


def _copy(document: Document) -> Document:
    metadata = {
        key: list(value) if isinstance(value, list) else value
        for key, value in document["metadata"].items()
    }
    return Document(id=document["id"], content=document["content"], metadata=metadata)


def _family(document: Document) -> tuple[Any, Any]:
    return document["metadata"].get("source"), document["metadata"].get("parent_id")


def _families(documents: Sequence[Document]) -> dict[tuple[Any, Any], list[int]]:
    families: dict[tuple[Any, Any], list[int]] = {}
    for row in sorted(range(len(documents)), key=lambda row: _reading_order(documents[row])):
        if "parent_id" in documents[row]["metadata"]:
            families.setdefault(_family(documents[row]), []).append(row)
    return families


def _reading_order(document: Document) -> tuple[str, int, str]:
    metadata = document["metadata"]
    return (str(metadata.get("source", "")), int(metadata.get("position", 0)), document["id"])
