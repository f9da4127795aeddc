"""Shares, differences and curves, each with an interval, and None where nothing was measured.

scipy and scikit-learn do the statistics; what is here picks the method and names it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LEVEL = 0.95
RESAMPLES = 1_000
FEW = 30  # below this many cases a share is shown as counts
SEED = 0


@dataclass(frozen=True)
class Estimate:
    """A number with its interval; `n` is how many cases (or groups of cases) it rests on."""

    value: float
    low: float
    high: float
    n: int

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}] (n={self.n})"


@dataclass(frozen=True)
class Share:
    """`hits` of `total`. With a total of 0 nothing was measured: value and interval are None."""

    hits: int
    total: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.total:
            raise ValueError(f"a share needs 0 <= hits <= total, not {self.hits} of {self.total}")

    @property
    def value(self) -> float | None:
        """hits / total, 0..1, or None."""
        return self.hits / self.total if self.total else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's score interval at 95 %, or None."""
        return wilson(self.hits, self.total)

    def __str__(self) -> str:
        if self.value is None or self.interval is None:
            return "not measured"
        low, high = (f"{bound:.0%}" for bound in self.interval)
        if self.total < FEW:
            return f"{self.hits} of {self.total} [{low}, {high}]"
        return f"{self.value:.1%} ({self.hits} of {self.total}) [{low}, {high}]"


def wilson(hits: int, total: int, level: float = LEVEL) -> tuple[float, float] | None:
    """Return Wilson's score interval of a share (Wilson 1927), or None when total is 0.

    Unlike the textbook interval it stays inside 0..1 and has a width at 0 of n and at n of n.
    """
    from scipy.stats import binomtest

    if total == 0:
        return None
    interval = binomtest(hits, total).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def ratio_difference(
    before: Sequence[tuple[float, float]],
    after: Sequence[tuple[float, float]],
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Estimate | None:
    """Return `after - before` of two ratios on the same questions, by paired bootstrap.

    `before[i]` and `after[i]` are the (numerator, denominator) of question i on two rungs; a rung's
    value is the sum of its numerators over the sum of its denominators. Questions are drawn with
    replacement, both rungs together (Efron and Tibshirani 1993, percentile interval). None when one
    side measured nothing. Raises ValueError when the sides are not of the same questions.
    """
    if len(before) != len(after):
        raise ValueError(f"not paired: {len(before)} questions before, {len(after)} after")
    pairs = np.array([before, after], dtype=float)
    if not len(before) or (pairs[:, :, 1].sum(axis=1) == 0).any():
        return None
    draws = _with_all(len(before), seed, resamples)
    old, new = (_ratios(draws, side) for side in pairs)
    low, high = _percentiles(new[1:] - old[1:])
    return Estimate(float(new[0] - old[0]), low, high, len(before))


def mean_difference(
    before: Sequence[float], after: Sequence[float], *, seed: int = SEED
) -> Estimate | None:
    """Return the mean of `after - before` over paired cases, with a bootstrap interval."""
    return ratio_difference(
        [(value, 1.0) for value in before], [(value, 1.0) for value in after], seed=seed
    )


def mean_estimate(values: Sequence[float], *, seed: int = SEED) -> Estimate | None:
    """Return the mean of amounts with a bootstrap interval, None of no values."""
    if not len(values):
        return None
    amounts = np.asarray(values, dtype=float)
    means = _with_all(len(amounts), seed, RESAMPLES) @ amounts / len(amounts)
    low, high = _percentiles(means[1:])
    return Estimate(float(amounts.mean()), low, high, len(amounts))


def auroc(
    labels: Sequence[bool],
    scores: Sequence[float],
    groups: Sequence[Any] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Estimate | None:
    """Return the area under the ROC curve: how often a true case scores above a false one.

    `groups[i]` names the question that case i belongs to; whole groups are drawn, since documents
    of one question are not independent. None unless both labels occur.
    """
    from sklearn.metrics import roc_auc_score

    truth, values = np.asarray(labels, dtype=bool), np.asarray(scores, dtype=float)
    if truth.all() or not truth.any():
        return None
    size, member = _membership(groups, len(truth))
    drawn = []
    for weights in _draws(size, seed, resamples):
        weight = weights[member]
        if weight[truth].any() and weight[~truth].any():
            drawn.append(roc_auc_score(truth, values, sample_weight=weight))
    low, high = _percentiles(np.array(drawn))
    return Estimate(float(roc_auc_score(truth, values)), low, high, size)


def balanced_accuracy(
    labels: Sequence[bool],
    said: Sequence[bool],
    groups: Sequence[Any] | None = None,
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> Estimate | None:
    """Return the mean of the recall of true cases and of false cases, with a bootstrap interval.

    `groups` as in `auroc`. None unless both labels occur.
    """
    truth, yes = np.asarray(labels, dtype=bool), np.asarray(said, dtype=bool)
    if truth.all() or not truth.any():
        return None
    size, member = _membership(groups, len(truth))
    draws = _with_all(size, seed, resamples)[:, member]
    with np.errstate(invalid="ignore", divide="ignore"):
        recall = (draws @ (truth & yes)) / (draws @ truth)
        specificity = (draws @ (~truth & ~yes)) / (draws @ ~truth)
    both = (recall + specificity) / 2
    low, high = _percentiles(both[1:][~np.isnan(both[1:])])
    return Estimate(float(both[0]), low, high, size)


@dataclass(frozen=True)
class Bin:
    """One column of a reliability curve: mean stated confidence against the share that was true."""

    stated: float
    true: float
    n: int


def reliability(
    labels: Sequence[bool], probabilities: Sequence[float], bins: int = 10
) -> list[Bin]:
    """Return the reliability curve in equal-width bins, empty ones left out.

    Raises ValueError for probabilities outside 0..1.
    """
    truth, stated = np.asarray(labels, dtype=float), np.asarray(probabilities, dtype=float)
    if stated.size and not ((stated >= 0) & (stated <= 1)).all():
        raise ValueError("probabilities must be within 0..1")
    place = np.searchsorted(np.linspace(0, 1, bins + 1)[1:-1], stated)
    return [
        Bin(float(stated[inside].mean()), float(truth[inside].mean()), int(inside.sum()))
        for number in range(bins)
        if (inside := place == number).any()
    ]


def calibration_error(
    labels: Sequence[bool], probabilities: Sequence[float], bins: int = 10
) -> float | None:
    """Return the expected calibration error: the mean gap of the reliability curve by bin size."""
    curve = reliability(labels, probabilities, bins)
    total = sum(column.n for column in curve)
    if not total:
        return None
    return sum(column.n * abs(column.true - column.stated) for column in curve) / total


def quantile(values: Sequence[float], q: float) -> float | None:
    """Return the q-quantile of the values by linear interpolation, or None of no values."""
    return float(np.quantile(values, q)) if len(values) else None


def _membership(groups: Sequence[Any] | None, cases: int) -> tuple[int, np.ndarray]:
    """How many groups there are, and which one each case is in."""
    names = range(cases) if groups is None else groups
    numbers = {name: number for number, name in enumerate(dict.fromkeys(names))}
    return len(numbers), np.array([numbers[name] for name in names])


def _draws(n: int, seed: int, resamples: int) -> np.ndarray:
    """How often each of n cases is drawn, one row a resample."""
    return np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=resamples)


def _with_all(n: int, seed: int, resamples: int) -> np.ndarray:
    """The draws, with the sample itself as the first row."""
    return np.vstack([np.ones(n), _draws(n, seed, resamples)])


def _ratios(draws: np.ndarray, pairs: np.ndarray) -> np.ndarray:
    with np.errstate(invalid="ignore", divide="ignore"):
        return (draws @ pairs[:, 0]) / (draws @ pairs[:, 1])


def _percentiles(values: np.ndarray) -> tuple[float, float]:
    tail = (1 - LEVEL) / 2
    low, high = np.nanquantile(values, [tail, 1 - tail])
    return float(low), float(high)
