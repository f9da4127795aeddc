"""The fitted numbers of the offline graders, read from JSON files in the package.

`benchmarks/fit_grader.py` writes the files; nothing in them is set by hand.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

Node = tuple[int, float, int, int, float]


@dataclass(frozen=True)
class RelevanceModel:
    """Log-odds from named features: a weighted sum and a sum of small decision trees.

    A node is (feature, threshold, left, right, value); feature -1 marks a leaf. `slope` and
    `offset` calibrate: of texts that are given 0.8, about eight in ten are relevant where relevant
    and other texts are equally many.
    """

    features: tuple[str, ...]
    base: float
    weights: tuple[float, ...]
    trees: tuple[tuple[Node, ...], ...]
    slope: float
    offset: float

    def raw(self, values: Mapping[str, float]) -> float:
        """Return the log-odds before calibration: any number, more is more relevant."""
        row = [values[name] for name in self.features]
        linear = math.fsum(w * value for w, value in zip(self.weights, row, strict=True))
        return self.base + linear + math.fsum(_leaf(tree, row) for tree in self.trees)

    def probability(self, values: Mapping[str, float]) -> float:
        """Return the calibrated probability 0..1 that the text is relevant."""
        logit = self.slope * self.raw(values) + self.offset
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))


def _leaf(tree: Sequence[Node], row: Sequence[float]) -> float:
    feature, threshold, left, right, value = tree[0]
    while feature >= 0:
        feature, threshold, left, right, value = tree[left if row[feature] <= threshold else right]
    return value


@lru_cache
def load_model(name: str = "grader") -> RelevanceModel:
    """Read a fitted model: "grader" (any text), "grader_corpus", "strips" or "sentences"."""
    text = files("ragkit.components").joinpath(f"{name}.json").read_text(encoding="utf-8")
    return model_from(json.loads(text))


def model_from(data: Mapping[str, Any]) -> RelevanceModel:
    """Make a model of what a JSON file holds."""
    return RelevanceModel(
        features=tuple(data["features"]),
        base=data["base"],
        weights=tuple(data["weights"]),
        trees=tuple(tuple(_node(node) for node in tree) for tree in data["trees"]),
        slope=data["slope"],
        offset=data["offset"],
    )


def _node(node: Sequence[float]) -> Node:
    feature, threshold, left, right, value = node
    return int(feature), float(threshold), int(left), int(right), float(value)
