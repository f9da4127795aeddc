"""Every statistic against an independent implementation or a table worked by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats as scipy_stats
from sklearn import metrics as sklearn_metrics
from sklearn.calibration import calibration_curve

from ragkit.evaluation.stats import (
    Share,
    auroc,
    balanced_accuracy,
    calibration_error,
    mean_difference,
    quantile,
    ratio_difference,
    reliability,
    wilson,
)

RANDOM = np.random.default_rng(7)
LABELS = (RANDOM.random(200) < 0.4).tolist()
SCORES = np.clip(RANDOM.normal(0.4, 0.2, 200) + 0.25 * np.array(LABELS), 0, 1).tolist()


# Newcombe 1998 (Statistics in Medicine 17:857), table I, method 3: Wilson without correction
@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
     (1, 29, 0.0061, 0.1718), (29, 29, 0.8830, 1.0)],
)  # fmt: skip
def test_wilson_gives_the_published_table(hits, total, low, high):
    assert wilson(hits, total) == pytest.approx((low, high), abs=5e-5)


def test_a_share_of_nothing_is_not_measured_and_few_cases_are_counts():
    assert Share(0, 0).value is None and Share(0, 0).interval is None
    assert str(Share(0, 0)) == "not measured"
    assert str(Share(3, 4)) == "3 of 4 [30%, 95%]"
    assert str(Share(30, 40)).startswith("75.0% (30 of 40) [")


@pytest.mark.parametrize(("hits", "total"), [(2, 1), (-1, 3)])
def test_an_impossible_share_is_refused(hits, total):
    with pytest.raises(ValueError, match="0 <= hits <= total"):
        Share(hits, total)


@given(st.integers(0, 50), st.integers(1, 50))
def test_wilson_holds_the_share_and_stays_within_bounds(hits, total):
    hits = min(hits, total)
    low, high = wilson(hits, total)
    assert 0 <= low <= hits / total + 1e-12 and hits / total - 1e-12 <= high <= 1 and low < high


def test_auroc_is_the_mann_whitney_share_of_ordered_pairs():
    true = [s for s, label in zip(SCORES, LABELS, strict=True) if label]
    false = [s for s, label in zip(SCORES, LABELS, strict=True) if not label]
    u = scipy_stats.mannwhitneyu(true, false).statistic
    found = auroc(LABELS, SCORES)
    assert found.value == pytest.approx(u / (len(true) * len(false)))
    assert found.low < found.value < found.high and found.n == 200


def test_auroc_by_hand_with_a_tie():
    # pairs (true, false): .9>.5, .9>.1, .5=.5 counts half, .5>.1
    assert auroc([True, True, False, False], [0.9, 0.5, 0.5, 0.1]).value == 3.5 / 4


def test_auroc_draws_whole_questions():
    alone = auroc(LABELS * 4, SCORES * 4)
    together = auroc(LABELS * 4, SCORES * 4, groups=list(range(200)) * 4)
    plain = auroc(LABELS, SCORES)
    assert together.n == 200 and (together.low, together.high) == (plain.low, plain.high)
    assert alone.high - alone.low < 0.6 * (together.high - together.low)


def test_balanced_accuracy_equals_scikit_learn():
    said = [score >= 0.5 for score in SCORES]
    found = balanced_accuracy(LABELS, said)
    assert found.value == pytest.approx(sklearn_metrics.balanced_accuracy_score(LABELS, said))
    assert found.low < found.value < found.high


@pytest.mark.parametrize("labels", [[], [True, True], [False]])
def test_one_kind_of_label_measures_nothing(labels):
    scores = [0.5] * len(labels)
    assert auroc(labels, scores) is None
    assert balanced_accuracy(labels, [True] * len(labels)) is None


def test_reliability_equals_scikit_learn():
    curve = reliability(LABELS, SCORES, bins=10)
    true, stated = calibration_curve(LABELS, SCORES, n_bins=10)
    assert [column.true for column in curve] == pytest.approx(list(true))
    assert [column.stated for column in curve] == pytest.approx(list(stated))
    assert sum(column.n for column in curve) == 200


def test_calibration_error_by_hand():
    # bin 0.2: 1 of 4 true, gap .05; bin 0.8: 2 of 2 true, gap .2 -> (4*.05 + 2*.2)/6
    labels = [True, False, False, False, True, True]
    assert calibration_error(labels, [0.2] * 4 + [0.8] * 2) == pytest.approx(0.1)
    assert calibration_error([], []) is None
    assert calibration_error([True, False], [1.0, 0.0]) == 0.0


def test_reliability_refuses_what_is_no_probability():
    with pytest.raises(ValueError, match=r"within 0\.\.1"):
        reliability([True], [1.2])


def test_paired_bootstrap_agrees_with_scipy():
    before, after = np.array(SCORES[:80]), np.array(SCORES[80:160])
    found = mean_difference(before, after)
    other = scipy_stats.bootstrap(
        (after - before,), np.mean, method="percentile", n_resamples=20_000, rng=1
    ).confidence_interval
    assert found.value == pytest.approx((after - before).mean())
    assert (found.low, found.high) == pytest.approx((other.low, other.high), abs=0.01)


def test_ratio_difference_by_hand_and_by_seed():
    before = [(1, 2), (0, 1), (2, 2), (0, 0)]  # 3 of 5
    after = [(2, 2), (1, 1), (1, 2), (0, 0)]  # 4 of 5
    found = ratio_difference(before, after)
    assert found.value == pytest.approx(0.2) and found.low <= 0.2 <= found.high
    assert found == ratio_difference(before, after)
    assert ratio_difference(before, before).low == ratio_difference(before, before).high == 0
    other = ratio_difference(SCORES_AS_RATIO, SCORES_AS_RATIO[::-1], seed=1)
    assert other != ratio_difference(SCORES_AS_RATIO, SCORES_AS_RATIO[::-1], seed=2)


SCORES_AS_RATIO = [(score, 1.0) for score in SCORES]


def test_what_was_not_measured_has_no_difference():
    assert ratio_difference([], []) is None
    assert ratio_difference([(0, 0)], [(1, 1)]) is None
    with pytest.raises(ValueError, match="not paired: 1 questions before, 2 after"):
        ratio_difference([(1, 1)], [(1, 1), (1, 1)])


def test_quantile_interpolates():
    assert quantile([1, 2, 3, 4], 0.5) == 2.5
    assert quantile([], 0.95) is None
