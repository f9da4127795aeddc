"""Order what was found once more, token by token, with the same small embedding model."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from ragkit.blas import one_blas_thread
from ragkit.components.certain import certain_lines
from ragkit.components.passages import passages
from ragkit.components.sentences import sentences
from ragkit.config import IndexConfig
from ragkit.records import Document

Rerank = Callable[[str, list[Document]], Sequence[float]]


class LateInteraction:
    """Score documents by late interaction (ColBERT: Khattab and Zaharia, SIGIR 2020).

    Each token of the query looks for its nearest token in the document; the score is the mean of
    these cosines. A token weighs by the root of its inverse document frequency, so that what is
    rare in this corpus counts more; marks do not count. `config.passage_share` of the cosine of the
    whole query with the document's nearest sentence or pair of sentences is added. A page lends
    `config.page_share` of its best chunk's score to its other chunks. 1 is added for a text
    that answers by rule (`certain_lines`). `embedder` needs `hidden`, `pieces` and
    `embed_query` of `MiniLM`.
    """

    def __init__(
        self, embedder: Any, texts: Iterable[str], config: IndexConfig | None = None
    ) -> None:
        self._embedder = embedder
        self._texts = list(texts)
        self._config = config or IndexConfig()
        self._passages = lru_cache(self._config.passages_in_memory)(self._read_passages)

    def __call__(self, query: str, documents: Sequence[Document]) -> list[float]:
        """Return one score a document, -1 to 1, to 2 for one that answers by rule."""
        pieces, _, rows = self._embedder.hidden(query)
        if not pieces:
            return [0.0] * len(documents)
        weights, whole = self._weights(pieces), np.array(self._embedder.embed_query(query))
        texts = [document["content"] for document in documents]
        workers = self._config.rerank_workers
        shares = [texts[start::workers] for start in range(workers)]
        scores = [0.0] * len(texts)
        with one_blas_thread(), ThreadPoolExecutor(workers) as pool:
            done = pool.map(
                lambda some: [self._score(rows, weights, whole, t) for t in some], shares
            )
            for start, some in enumerate(done):
                scores[start::workers] = some
        scores = self._with_page(scores, [d["metadata"].get("source") for d in documents])
        return [
            score + bool(certain_lines(query, sentences(text)))
            for score, text in zip(scores, texts, strict=True)
        ]

    def _score(self, rows: np.ndarray, weights: np.ndarray, whole: np.ndarray, text: str) -> float:
        found = self._embedder.hidden(text, keep=True)[2]
        if not len(found):
            return -1.0
        words = float((rows @ found.T).max(axis=1) @ weights)
        passage = float((self._passages(text) @ whole).max())
        share = self._config.passage_share
        return (words + share * passage) / (1 + share)

    def _read_passages(self, text: str) -> np.ndarray:
        _, spans, found = self._embedder.hidden(text, keep=True)
        return passages(text, spans, found)

    def _with_page(self, scores: Sequence[float], sources: Sequence[Any]) -> list[float]:
        best: dict[Any, float] = {}
        for score, source in zip(scores, sources, strict=True):
            best[source] = max(score, best.get(source, score))
        share = self._config.page_share
        return [
            (score + share * best[source]) / (1 + share)
            for score, source in zip(scores, sources, strict=True)
        ]

    def _weights(self, pieces: Sequence[str]) -> np.ndarray:
        known = [math.sqrt(self._idf(piece)) if _is_word(piece) else 0.0 for piece in pieces]
        weights = np.array(known if any(known) else [1.0] * len(pieces))
        return weights / weights.sum()

    def _idf(self, piece: str) -> float:
        count = self._document_counts[piece]
        return math.log(1 + (len(self._texts) - count + 0.5) / (count + 0.5))

    @cached_property
    def _document_counts(self) -> Counter[str]:
        return Counter(piece for text in self._texts for piece in set(self._embedder.pieces(text)))


def _is_word(piece: str) -> bool:
    return any(character.isalnum() for character in piece)
