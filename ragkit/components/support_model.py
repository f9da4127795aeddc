"""The probability that evidence supports a claim: a fitted model, kept as numbers in support.json.

Four small models vote. A word layer asks of each word whether the evidence covers it and joins the
answers as a noisy "and"; a linear model reads which directions of the embedding agree; a logistic
model and boosted trees read all features and both votes. The length of the evidence decides how
much each counts. `benchmarks/fit_support.py` fits it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np

from ragkit.components.support_features import (
    WORD_FEATURES,
    Pair,
    features,
    products,
    word_features,
)

FILE = "support.json"
# lengths are logarithms of a number of words: 4.2 is 65 words, 5.2 is 180
_LONG = (4.2, 3.0)
_PASSAGE = ((4.2, 8.0), (5.2, 8.0))
LINEAR_SHARE = (0.8, 0.4)  # of the linear model beside the trees, on short and on long evidence
WORDS_SHARE = 0.3  # of the word layer, beside both
DIRECTIONS_SHARE = 0.1  # beside them, on any evidence; a passage adds 1


@dataclass(frozen=True, eq=False)
class WordLayer:
    """A noisy "and": a claim holds as far as each of its words does."""

    weights: np.ndarray
    bias: float
    scale: float

    def __call__(self, rows: np.ndarray) -> float:
        """Return the vote for one claim from its word features `[words, features]`."""
        held = -np.logaddexp(0.0, -(rows @ self.weights))
        return self.bias + self.scale * float(held.mean())


@dataclass(frozen=True, eq=False)
class Linear:
    """A linear vote."""

    weights: np.ndarray
    bias: float

    def __call__(self, row: np.ndarray) -> float:
        """Return the vote for one row of features."""
        return self.bias + float(row @ self.weights)


@dataclass(frozen=True)
class Trees:
    """Boosted trees; each is a list of (feature, threshold, left, right, value), root first."""

    bias: float
    trees: tuple[tuple[tuple[int, float, int, int, float], ...], ...]

    def __call__(self, row: Sequence[float]) -> float:
        """Return the vote for one row of features."""
        return self.bias + sum(_leaf(tree, row) for tree in self.trees)


@dataclass(frozen=True, eq=False)
class SupportModel:
    """The fitted model; `names` is the order of its features."""

    names: tuple[str, ...]
    words: WordLayer
    directions: Linear
    logistic: Linear
    trees: Trees
    calibration: tuple[float, float]

    def probability(self, pair: Pair | None) -> float:
        """Return the calibrated probability 0..1 of support; 0 where there is nothing to read."""
        if pair is None:
            return 0.0
        row = self.row(pair)
        length = row[self.names.index("evidence_length")]
        linear = self.logistic(by_length(row, length))
        vote = joint_vote(linear, self.trees(row.tolist()), *row[-2:], length)
        slope, shift = self.calibration
        return float(1.0 / (1.0 + np.exp(-(slope * vote + shift))))

    def row(self, pair: Pair) -> np.ndarray:
        """Return all features of a pair, the votes of the word layer and the directions last."""
        found = features(pair)
        votes = [self.words(word_features(pair)), self.directions(products(pair))]
        return np.array([*(found[name] for name in self.names), *votes])


def by_length(row: np.ndarray, evidence_length: float) -> np.ndarray:
    """Return a row twice, weighed by how long and how short the evidence is, and the weight.

    A word that is missing from one sentence says more than one missing from a page.
    """
    long = _above(evidence_length, *_LONG)
    return np.concatenate([row * long, row * (1.0 - long), [long]])


def joint_vote(linear: Any, trees: Any, words: Any, directions: Any, evidence_length: Any) -> Any:
    """Join four votes, numbers or arrays, by the length of the evidence.

    On a sentence or two the linear model is the surest; on a passage of a web page, of which claims
    are written freely, the directions of the embedding count once more.
    """
    long = _above(evidence_length, *_LONG)
    share = LINEAR_SHARE[0] * (1.0 - long) + LINEAR_SHARE[1] * long
    passage = _above(evidence_length, *_PASSAGE[0]) * (1 - _above(evidence_length, *_PASSAGE[1]))
    upper = share * linear + (1.0 - share) * trees
    return upper + WORDS_SHARE * words + (DIRECTIONS_SHARE + passage) * directions


def _above(value: Any, middle: float, steepness: float) -> Any:
    return 1.0 / (1.0 + np.exp(-steepness * (value - middle)))


@lru_cache(maxsize=1)
def fitted_model() -> SupportModel:
    """Return the model that comes with the package."""
    return read_model(json.loads(files("ragkit.components").joinpath(FILE).read_text("utf-8")))


def read_model(data: dict[str, Any]) -> SupportModel:
    """Return a model from its numbers.

    Raises ValueError when they were fitted for other word features than the code computes.
    """
    if tuple(data["word_names"]) != WORD_FEATURES:
        raise ValueError(f"{FILE} does not fit the code: run benchmarks/fit_support.py again")
    return SupportModel(
        names=tuple(data["names"]),
        words=WordLayer(np.array(data["words"]["weights"]), data["words"]["bias"],
                        data["words"]["scale"]),
        directions=Linear(np.array(data["directions"]["weights"]), data["directions"]["bias"]),
        logistic=Linear(np.array(data["logistic"]["weights"]), data["logistic"]["bias"]),
        trees=Trees(data["trees"]["bias"],
                    tuple(tuple(map(tuple, tree)) for tree in data["trees"]["trees"])),
        calibration=tuple(data["calibration"]),
    )  # fmt: skip


def _leaf(tree: Sequence[tuple[int, float, int, int, float]], row: Sequence[float]) -> float:
    node = 0
    while True:
        feature, threshold, left, right, value = tree[node]
        if left < 0:
            return value
        node = left if row[feature] <= threshold else right
