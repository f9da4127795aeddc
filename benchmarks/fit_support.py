"""Fit ragkit/components/support.json on public labelled pairs of claim and evidence.

    python benchmarks/fit_support.py --data DIR

DIR holds support/*.jsonl (claim, evidence, supported, group). Prints the AUROC of each set from
grouped cross-validation, in which no question is seen in training, then fits on all of them.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GroupKFold
from tqdm import tqdm

from ragkit.components.alignment import Encoder
from ragkit.components.evidence import text_units
from ragkit.components.support_features import (
    WORD_FEATURES,
    features,
    make_pair,
    products,
    word_features,
)
from ragkit.components.support_model import by_length, joint_vote

SETS = ("fm2", "fever_symmetric", "wice", "attributionbench", "expertqa")
OUT = Path(__file__).parents[1] / "ragkit" / "components" / "support.json"
FOLDS, SEED = 5, 0
DIRECTIONS_C, LOGISTIC_C = 0.001, 0.06
WORD_PENALTY = 3.0
TREES = {
    "n_estimators": 440, "learning_rate": 0.02, "max_leaf_nodes": 8, "min_samples_leaf": 25,
    "subsample": 0.6, "max_features": 0.3, "random_state": SEED,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Pairs:
    """All pairs as arrays, one entry a pair."""

    names: list[str]
    rows: np.ndarray
    words: list[np.ndarray]
    products: np.ndarray
    labels: np.ndarray
    groups: np.ndarray
    sets: np.ndarray

    @property
    def weights(self) -> np.ndarray:
        """Weigh so that every set counts the same and is half supported: for calibration."""
        weights = np.zeros(len(self.labels))
        for name in np.unique(self.sets):
            for label in (0.0, 1.0):
                mask = (self.sets == name) & (self.labels == label)
                weights[mask] = 1.0 / max(1, mask.sum())
        return weights * len(weights) / weights.sum()

    def take(self, index: np.ndarray) -> Pairs:
        """Return the pairs at the given positions."""
        return Pairs(
            self.names, self.rows[index], [self.words[i] for i in index], self.products[index],
            self.labels[index], self.groups[index], self.sets[index],
        )  # fmt: skip


def read_pairs(folder: Path, sets: Sequence[str] = SETS, encoder: Encoder | None = None) -> Pairs:
    """Read and encode the pairs of every set."""
    encoder = encoder or Encoder()
    records = [
        {**json.loads(line), "set": name}
        for name in sets
        for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()
    ]
    found = []
    for record in tqdm(records, desc="pairs"):
        pair = make_pair(record["claim"], text_units(record["evidence"]), encoder)
        if pair is not None:
            found.append((record, features(pair), word_features(pair), products(pair)))
    names = list(found[0][1])
    return Pairs(
        names=names,
        rows=np.array([[values[name] for name in names] for _, values, _, _ in found]),
        words=[words for _, _, words, _ in found],
        products=np.array([row for *_, row in found]),
        labels=np.array([float(record["supported"]) for record, *_ in found]),
        groups=np.array([record["group"] for record, *_ in found]),
        sets=np.array([record["set"] for record, *_ in found]),
    )


def fit_words(pairs: Pairs) -> dict[str, Any]:
    """Fit the noisy "and" over words by L-BFGS; weights apply to features as they are."""
    stacked = np.vstack(pairs.words)
    starts = np.cumsum([0, *map(len, pairs.words)])
    sizes = np.diff(starts)
    mean, spread = stacked.mean(axis=0), stacked.std(axis=0) + 1e-6
    mean[0], spread[0] = 0.0, 1.0
    scaled = (stacked - mean) / spread

    def loss(values: np.ndarray) -> tuple[float, np.ndarray]:
        weights, bias, log_scale = values[:-2], values[-2], values[-1]
        inner = scaled @ weights
        held = np.add.reduceat(-np.logaddexp(0, -inner), starts[:-1]) / sizes
        vote = bias + np.exp(log_scale) * held
        cost = np.where(pairs.labels > 0, np.logaddexp(0, -vote), np.logaddexp(0, vote)).sum()
        error = 1 / (1 + np.exp(-vote)) - pairs.labels
        spread_error = np.repeat(error * np.exp(log_scale) / sizes, sizes) / (1 + np.exp(inner))
        gradient = [
            scaled.T @ spread_error + WORD_PENALTY * weights,
            [error.sum(), (error * np.exp(log_scale) * held).sum() + log_scale],
        ]
        penalty = WORD_PENALTY * (weights @ weights) / 2 + log_scale**2 / 2
        return cost + penalty, np.concatenate(gradient)

    first = np.zeros(stacked.shape[1] + 2)
    first[0] = first[-2] = 1.0
    best = minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": 300}).x
    weights = best[:-2] / spread
    weights[0] -= float(mean @ weights)
    return {"weights": weights, "bias": float(best[-2]), "scale": float(np.exp(best[-1]))}


def word_votes(model: dict[str, Any], pairs: Pairs) -> np.ndarray:
    """Return the vote of the word layer for each pair."""
    held = [-np.logaddexp(0, -(rows @ model["weights"])).mean() for rows in pairs.words]
    return model["bias"] + model["scale"] * np.array(held)


def fit_linear(rows: np.ndarray, pairs: Pairs, strength: float) -> dict[str, Any]:
    """Fit a logistic model on scaled features and return weights for features as they are."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    model = LogisticRegression(C=strength, max_iter=3_000)
    model.fit((rows - mean) / spread, pairs.labels)
    weights = model.coef_[0] / spread
    return {"weights": weights, "bias": float(model.intercept_[0] - mean @ weights)}


def linear_votes(model: dict[str, Any], rows: np.ndarray) -> np.ndarray:
    """Return the vote of a linear model for each row."""
    return model["bias"] + rows @ model["weights"]


def fit_all(pairs: Pairs) -> tuple[dict[str, Any], GradientBoostingClassifier]:
    """Fit the layers; the upper ones see votes of lower ones that were not trained on the pair."""
    votes = np.zeros((len(pairs.labels), 2))
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=SEED + 1).split(
        pairs.rows, pairs.labels, pairs.groups
    ):
        votes[test] = lower_votes(lower_layers(pairs.take(train)), pairs.take(test))
    rows = np.hstack([pairs.rows, votes])
    model = lower_layers(pairs)
    model["logistic"] = fit_linear(gated(rows, pairs), pairs, LOGISTIC_C)
    trees = GradientBoostingClassifier(**TREES)
    trees.fit(rows, pairs.labels)
    return model, trees


def lower_layers(pairs: Pairs) -> dict[str, Any]:
    """Fit the word layer and the directions."""
    return {
        "words": fit_words(pairs),
        "directions": fit_linear(pairs.products, pairs, DIRECTIONS_C),
    }


def lower_votes(model: dict[str, Any], pairs: Pairs) -> np.ndarray:
    """Return the votes of both lower layers, `[pairs, 2]`."""
    return np.stack(
        [word_votes(model["words"], pairs), linear_votes(model["directions"], pairs.products)],
        axis=1,
    )


def votes_of(model: dict[str, Any], trees: GradientBoostingClassifier, pairs: Pairs) -> np.ndarray:
    """Return the joint vote for each pair."""
    rows = np.hstack([pairs.rows, lower_votes(model, pairs)])
    linear = linear_votes(model["logistic"], gated(rows, pairs))
    return joint_vote(linear, trees.decision_function(rows), *rows[:, -2:].T, lengths(pairs))


def gated(rows: np.ndarray, pairs: Pairs) -> np.ndarray:
    """Write each row twice, for long and for short evidence."""
    return np.array([by_length(row, own) for row, own in zip(rows, lengths(pairs), strict=True)])


def lengths(pairs: Pairs) -> np.ndarray:
    """Return how long the evidence of each pair is, as the features say it."""
    return pairs.rows[:, pairs.names.index("evidence_length")]


def cross_validated(pairs: Pairs) -> np.ndarray:
    """Return votes of models that saw no pair of the same question."""
    votes = np.zeros(len(pairs.labels))
    folds = GroupKFold(FOLDS, shuffle=True, random_state=SEED)
    for train, test in folds.split(pairs.rows, pairs.labels, pairs.groups):
        model, trees = fit_all(pairs.take(train))
        votes[test] = votes_of(model, trees, pairs.take(test))
    return votes


def exported(
    pairs: Pairs, model: dict[str, Any], trees: GradientBoostingClassifier, votes: np.ndarray
) -> dict[str, Any]:
    """Return everything as plain numbers; calibrated on the votes of cross-validation."""
    platt = LogisticRegression(C=1e6)
    platt.fit(votes[:, None], pairs.labels, sample_weight=pairs.weights)
    start = trees.init_.predict_proba(pairs.rows[:1, :1].repeat(trees.n_features_in_, 1))[0, 1]
    start = np.log(start / (1 - start))
    return {
        "names": pairs.names,
        "word_names": list(WORD_FEATURES),
        "words": _plain(model["words"]),
        "directions": _plain(model["directions"]),
        "logistic": _plain(model["logistic"]),
        "trees": {
            "bias": round(float(start), 6),
            "trees": [_tree(tree[0].tree_, TREES["learning_rate"]) for tree in trees.estimators_],
        },
        "calibration": [round(float(platt.coef_[0, 0]), 6), round(float(platt.intercept_[0]), 6)],
    }


def _plain(layer: dict[str, Any]) -> dict[str, Any]:
    return {
        key: [float(f"{number:.5g}") for number in value] if key == "weights" else float(value)
        for key, value in layer.items()
    }


def _tree(tree: Any, rate: float) -> list[list[float]]:
    return [
        [
            int(max(feature, 0)), float(f"{threshold:.7g}"), int(left), int(right),
            float(f"{rate * value:.5g}"),
        ]
        for feature, threshold, left, right, value in zip(
            tree.feature, tree.threshold, tree.children_left, tree.children_right,
            tree.value[:, 0, 0], strict=True,
        )
    ]  # fmt: skip


def main() -> None:
    """Print the cross-validated AUROC of each set, then write the model."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with support/*.jsonl")
    parser.add_argument("--out", type=Path, default=OUT)
    options = parser.parse_args()
    pairs = read_pairs(options.data / "support")
    votes = cross_validated(pairs)
    for name in SETS:
        mask = pairs.sets == name
        score = roc_auc_score(pairs.labels[mask], votes[mask])
        print(f"{name:18} n={mask.sum():4}  AUROC {score:.3f}  (grouped cross-validation)")
    model, trees = fit_all(pairs)
    data = exported(pairs, model, trees, votes)
    options.out.write_text(json.dumps(data, separators=(",", ":")) + "\n", encoding="utf-8")
    print(f"written to {options.out}")


if __name__ == "__main__":
    main()
