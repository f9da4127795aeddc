"""How common a word is in English at large, without a word list of our own.

The embedding model's tokenizer keeps its words roughly by frequency, so that a word's place tells
how rare it is.
"""

from __future__ import annotations

import json
import math
from functools import lru_cache

from ragkit.embedding import tokenizer_path

_FIRST_WORD = 1_996  # "the"; before it stand special tokens and single signs


@lru_cache(1)
def ranks() -> dict[str, int]:
    """Return every word and word piece of the tokenizer with its place, "the" being 0."""
    vocabulary = json.loads(tokenizer_path().read_text(encoding="utf-8"))["model"]["vocab"]
    return {
        piece: place - _FIRST_WORD for piece, place in vocabulary.items() if place >= _FIRST_WORD
    }


@lru_cache(1)
def common_words() -> frozenset[str]:
    """Return the about 20,000 whole words that the tokenizer knows, in lower case."""
    return frozenset(word for word in ranks() if word.isalpha() and len(word) > 2)


@lru_cache(65_536)
def rarity(word: str) -> float:
    """Return how rare a lower-case word is, from 0 ("the") to 1 (unknown to the tokenizer)."""
    known = ranks()
    place = known.get(word, len(known))
    return math.log1p(place / 20) / math.log1p(len(known) / 20)
