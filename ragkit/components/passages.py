"""The sentences of a text as vectors that know their context, from one reading of the whole.

Late chunking (Günther and others, 2024): the model reads the whole text, then the token rows of
each sentence are averaged, so that "it drops them" still knows what drops what.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ragkit.components.sentences import sentences


def passages(text: str, spans: Sequence[tuple[int, int]], rows: np.ndarray) -> np.ndarray:
    """Return unit vectors of a text's sentences and of each with the next.

    `spans` are the character spans of the token `rows`. A text without any sentence is one passage.
    """
    places = [
        [i for i, (start, end) in enumerate(spans) if start >= s.start and end <= s.end]
        for s in sentences(text)
    ]
    return pooled(rows, with_pairs(places, len(rows)))


def with_pairs(places: Sequence[Sequence[int]], size: int) -> list[list[int]]:
    """Return the token numbers of each sentence, then of each with the next; none is empty."""
    own = [list(place) for place in places if len(place)] or [list(range(size))]
    return own + [one + other for one, other in pairwise(own)]


def pooled(rows: np.ndarray, places: Sequence[Sequence[int]]) -> np.ndarray:
    """Return the unit mean of the rows at each of the places."""
    vectors = np.array([rows[list(place)].mean(axis=0) for place in places])
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
