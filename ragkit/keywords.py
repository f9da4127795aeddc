"""Keyword search: BM25 (Robertson and Zaragoza 2009) over stemmed words and unbroken codes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np

from ragkit.config import IndexConfig

# a code keeps its inner marks: ERROR_302, v2.4.1, ada@tarnfield.example, eu-1, X-RateLimit-Left
_STEMMING = Lock()  # the stemmer keeps the word it works on in itself

_TOKEN = re.compile(r"\w+(?:[._@:/'’+-]\w+)*")
_PART = re.compile(r"[^\W_]+")
_WORD = re.compile(r"[^\W\d_]+")


def keyword_tokens(text: str) -> list[str]:
    """Return the search terms of a text, in order.

    Words come as lower-case stems without the commonest English words. A code such as `ERROR_302`,
    `v2.4.1` or an e-mail address comes whole, followed by its parts.
    """
    tokens: list[str] = []
    for match in _TOKEN.finditer(text.casefold()):
        token = match.group()
        if _WORD.fullmatch(token):
            if token not in _stop_words():
                tokens.append(_stem(token))
            continue
        tokens.append(token)
        parts = _PART.findall(token)
        if len(parts) > 1:
            tokens.extend(_stem(part) for part in parts if part not in _stop_words())
    return tokens


def words(text: str) -> list[str]:
    """Return the plain words of a text in lower case, without numbers and codes."""
    return [token for token in _TOKEN.findall(text.casefold()) if _WORD.fullmatch(token)]


class KeywordIndex:
    """BM25 over a fixed list of texts."""

    def __init__(self, texts: Sequence[str], config: IndexConfig) -> None:
        self._terms = [keyword_tokens(text) for text in texts]
        self._bm25 = _bm25(self._terms, config) if any(self._terms) else None

    def scores(self, query: str) -> np.ndarray:
        """Return one score a text, 0 where no term of the query occurs."""
        terms = keyword_tokens(query)
        if self._bm25 is None or not terms:
            return np.zeros(len(self._terms))
        return self._bm25.get_scores(terms)


def _bm25(terms: list[list[str]], config: IndexConfig) -> Any:
    from bm25s import BM25

    bm25 = BM25(k1=config.bm25_k1, b=config.bm25_b)
    bm25.index(terms, show_progress=False)
    return bm25


@lru_cache(1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(50_000)
def _stem(word: str) -> str:
    with _STEMMING:
        return _stemmer().stemWord(word)


@lru_cache(1)
def _stop_words() -> frozenset[str]:
    from bm25s.stopwords import STOPWORDS_EN_PLUS

    return frozenset(STOPWORDS_EN_PLUS)
