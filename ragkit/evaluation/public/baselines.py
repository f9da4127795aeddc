"""What any component must beat: common words, and one cosine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from ragkit.evaluation.figures import Figure
from ragkit.evaluation.stats import auroc
from ragkit.keywords import keyword_tokens


def word_overlap(short: str, text: str) -> float:
    """Return the share of the first text's word stems that the second holds, 0..1."""
    words = _stems(short)
    return len(words & _stems(text)) / len(words) if words else 0.0


@lru_cache(maxsize=20_000)
def _stems(text: str) -> frozenset[str]:
    return frozenset(keyword_tokens(text))


def cosine(first: str, second: str, embedder: Any = None) -> float:
    """Return the cosine of two texts' embeddings by the small model, -1..1."""
    from ragkit.embedding import default_embedder

    model = embedder or default_embedder()
    return float(np.dot(model.embed_query(first), model.embed_query(second)))


def baseline_figures(
    part: str,
    pairs: Sequence[tuple[str, str]],
    labels: Sequence[bool],
    groups: Sequence[Any],
    *,
    sign: int = 1,
    embedder: Any = None,
) -> list[Figure]:
    """Return the AUROC of both baselines on the pairs; `sign` -1 where less alike means true."""
    overlap = [sign * word_overlap(first, second) for first, second in pairs]
    alike = [sign * cosine(first, second, embedder) for first, second in pairs]
    said = "pairs that the score orders right / pairs of a true and a false case"
    return [
        Figure(part, "AUROC of word overlap", auroc(labels, overlap, groups), said, None),
        Figure(part, "AUROC of cosine", auroc(labels, alike, groups), said, None),
    ]


def recall_at(labels: Sequence[bool], scores: Sequence[float], false_alarms: float) -> float | None:
    """Return the recall of a score at the threshold with at most this share of false alarms.

    None unless both labels occur.
    """
    truth, values = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=float)
    if truth.all() or not truth.any():
        return None
    allowed = int(false_alarms * (~truth).sum() + 1e-9)
    wrong = np.sort(values[~truth])[::-1]
    threshold = wrong[allowed] if allowed < len(wrong) else -np.inf
    return float((values[truth] > threshold).mean())
