"""Each metric by a table worked by hand, and every direction: a better run never measures worse."""

from __future__ import annotations

import pytest
from evaluation.sample import FALSE, GOOD, NO_ANSWER, REVIEW, STALE, grade, record
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkit.evaluation.metrics import METRICS, measure, metric
from ragkit.evaluation.rates import RATES, at_thresholds
from ragkit.evaluation.stats import Share

REFUSED = {"answer": "I could not find it.", "tag": "abstained"}
WAITING = {"answer": "…", "tag": "needs_review"}

# name -> (a better run, a worse run) where the metric is to tell them apart
BETTER_AND_WORSE = {
    "answer correctness": (record(), record(FALSE)),
    "correct when answered": (record(), record(FALSE)),
    "answered and supported": (record(), record(f"{GOOD} {FALSE}")),
    "unsupported answers": (record(**REFUSED), record(FALSE)),
    "stale answers": (record(), record(STALE)),
    "conflicts handled": (record(gold=REVIEW, **WAITING), record(FALSE, gold=REVIEW)),
    "expected tag": (record(), record(tag="best_effort")),
    "groundedness": (record(), record(FALSE)),
    "citation accuracy": (record(), record(GOOD.replace("[1]", "[2]"))),
    "uncited claims": (record(), record(GOOD.replace(" [1]", ""))),
    "escape rate": (record(), record(FALSE)),
    "false alarms": (record(draft=GOOD), record(draft=GOOD, **WAITING)),
    "correct abstention": (record(gold=NO_ANSWER, **REFUSED), record(FALSE, gold=NO_ANSWER)),
    "false answer": (record(gold=NO_ANSWER, **REFUSED), record(FALSE, gold=NO_ANSWER)),
    "false abstention": (record(), record(**REFUSED)),
    "correct escalation": (record(gold=REVIEW, **WAITING), record(gold=REVIEW)),
    "false escalation": (record(), record(**WAITING)),
    "failed verdicts": (record(), record(failures={"transport": 1})),
    "broken runs": (record(), record(error="ValueError: x")),
    "exhausted runs that say so": (
        record(tag="best_effort", reason="budget exhausted: retries"),
        record(tag="verified", reason="budget exhausted: retries"),
    ),
    "context tokens": (record(), record(tokens={"shown": 400})),
    "USD a question": (record(), record(cost_usd=0.2)),
    "steps": (record(), record(path=("retriever", "grader", "generator"))),
    "rewrite rescue rate": (
        record(rounds=([grade("a", False)], [grade("b", True)])),
        record(rounds=([grade("a", False)], [grade("b", False)])),
    ),
    "tokens saved by strips": (
        record(tokens={"whole": 100, "kept": 40}), record(tokens={"whole": 100, "kept": 60}),
    ),
    "facts kept by strips": (
        record(facts={"whole": 2, "kept": 2}), record(facts={"whole": 2, "kept": 1}),
    ),
}  # fmt: skip
DIRECTED = {m.name: m for m in (*METRICS, *RATES) if m.higher_is_better is not None}


def test_every_directed_metric_has_its_pair():
    assert DIRECTED.keys() == BETTER_AND_WORSE.keys()


@pytest.mark.parametrize("name", DIRECTED)
def test_a_better_run_measures_better(name):
    better, worse = BETTER_AND_WORSE[name]
    change = DIRECTED[name].measure([better]).value - DIRECTED[name].measure([worse]).value
    assert change > 0 if DIRECTED[name].higher_is_better else change < 0


@settings(max_examples=50, deadline=None)
@given(st.lists(st.booleans(), min_size=1, max_size=20), st.data())
def test_making_one_run_better_never_measures_worse(good, data):
    place = data.draw(st.integers(0, len(good) - 1))
    for name, found in DIRECTED.items():
        pair = dict(zip((True, False), BETTER_AND_WORSE[name], strict=True))
        before = [pair[is_good] for is_good in good]
        after = [*before[:place], pair[True], *before[place + 1 :]]
        change = found.measure(after).value - found.measure(before).value
        assert change >= -1e-12 if found.higher_is_better else change <= 1e-12, name


@pytest.mark.parametrize("found", [*METRICS, *RATES], ids=lambda found: found.name)
def test_nothing_measured_is_none_and_never_0_or_1(found):
    assert found.measure([]) is None


def test_a_rung_by_hand():
    records = [
        record(),  # right
        record(f"{GOOD} {FALSE}"),  # right, with an invented claim
        record(STALE),  # a past value
        record(**REFUSED),  # held back though there is an answer
        record(gold=NO_ANSWER, **REFUSED),  # rightly held back
        record(FALSE, gold=NO_ANSWER),  # answered though there is none
        record(gold=REVIEW, **WAITING),  # rightly with a person
    ]
    found = {figure.name: figure.result for figure in measure(records)}
    assert found["answer correctness"] == Share(2, 4)
    assert found["correct when answered"] == Share(2, 3)
    assert found["answered and supported"] == Share(1, 4)
    assert found["unsupported answers"] == Share(3, 6)
    assert found["stale answers"] == Share(1, 7)
    assert found["groundedness"] == Share(2, 5)
    assert found["citation accuracy"] == Share(2, 5)
    assert found["escape rate"] == Share(3, 4)
    assert found["correct abstention"] == Share(1, 2)
    assert found["false answer"] == Share(1, 2)
    assert found["false abstention"] == Share(1, 4)
    assert found["correct escalation"] == Share(1, 1)
    assert found["false escalation"] == Share(0, 6)
    assert found["escalation rate"] == Share(1, 7)
    assert found["conflicts handled"] == Share(1, 1)
    assert found["broken runs"] == Share(0, 7)
    assert found["USD a question"].value == pytest.approx(0.002)


@pytest.mark.parametrize("tag", ["abstained", "needs_review"])
def test_groundedness_does_not_apply_to_who_abstains_p74(tag):
    held = record("The answer is not in the documents.", tag=tag, gold=NO_ANSWER)
    for name in ("groundedness", "citation accuracy", "escape rate", "uncited claims"):
        assert metric(name).measure([held]) is None
    assert metric("correct abstention").measure([held]) == Share(1, 1)


def test_both_sides_named_handle_a_hard_conflict():
    gold = {**REVIEW, "facts": (("$640",), ("$499",)), "stale_facts": ()}
    both = "One page says $640 [1], the other $499 [2]."
    handled = metric("conflicts handled")
    noticed = ({"kind": "hard"},)
    assert handled.measure([record(both, gold=gold, conflicts=noticed)]) == Share(1, 1)
    assert handled.measure([record(both, gold=gold)]) == Share(0, 1)  # said, and not noticed
    assert metric("conflicts handled").measure([record(GOOD, gold=gold)]) == Share(0, 1)
    over_time = {"trap": "conflict", "evidence": ({"source": "new.md", "quote": "$640"},)}
    assert handled.measure([record(GOOD, gold=over_time)]) == Share(1, 1)
    assert handled.measure([record(STALE, gold=over_time)]) == Share(0, 1)
    mixed = f"{GOOD} It includes 40 seats [2]."  # from the old page, as if both held
    assert handled.measure([record(mixed, gold=over_time)]) == Share(0, 1)
    assert handled.measure([record(mixed, gold=over_time, conflicts=noticed)]) == Share(1, 1)


def test_a_vague_question_is_not_one_without_an_answer():
    vague = {"answered_by": "none", "facts": (), "expected_tag": "needs_review", "trap": "vague"}
    assert metric("correct abstention").measure([record(gold=vague, **WAITING)]) is None
    assert metric("correct escalation").measure([record(gold=vague, **WAITING)]) == Share(1, 1)


def test_a_run_that_broke_released_nothing():
    broken = record(error="ValueError: x")
    assert not broken.released
    assert metric("answer correctness").measure([broken]) == Share(0, 1)


def test_the_five_rates_by_hand():
    searched = {"rounds": ([grade("a", True), grade("b", False), grade("c", False)],)}
    records = [
        record(**searched, path=("retriever", "grader", "generator")),
        record(
            rounds=([grade("a", False)], [grade("b", True)]), queries=("q", "q2"),
            path=("retriever", "grader", "rewriter", "retriever", "grader", "generator"),
        ),
        record(
            rounds=([grade("a", False)], [grade("w", False)]), queries=("q",),
            path=("retriever", "grader", "blend", "strips", "ship_tagged"),
            reason="budget exhausted", tag="abstained",
        ),
        record(
            **searched, path=("generator", "grounding_check", "rewriter", "generator"),
            queries=("q", "q2"),
        ),
        record(tag="direct", path=("router", "direct_answer")),
    ]  # fmt: skip
    found = {m.name: m.measure(records) for m in RATES}
    assert found["rejection rate"] == Share(7, 10)
    assert found["rewrite rate"] == Share(2, 4)
    assert found["web fallback rate"] == Share(1, 4)
    assert found["regeneration rate"] == Share(1, 3)
    assert found["budget exhaustion rate"] == Share(1, 5)
    assert found["rewrite rescue rate"] == Share(1, 2)
    assert found["tokens saved by strips"] is found["facts kept by strips"] is None


def test_moving_the_thresholds_asks_nothing_again():
    graded = [grade("a", True, 0.9), grade("b", True, 0.6), grade("c", False, 0.3)]
    records = [record(rounds=(graded,)), record(rounds=([grade("a", True, 0.8)],)), record()]
    found = at_thresholds(records, 0.7, 0.35)
    assert (found["kept"], found["ambiguous"], found["dropped"]) == (
        Share(2, 4), Share(1, 4), Share(1, 4),
    )  # fmt: skip
    assert (found["strips"], found["blend"], found["rewrite"]) == (
        Share(1, 2), Share(1, 2), Share(0, 2),
    )  # fmt: skip
    assert at_thresholds(records, 0.95, 0.94)["rewrite"] == Share(2, 2)
    with pytest.raises(ValueError, match="must be below"):
        at_thresholds(records, 0.3, 0.7)


def test_an_unknown_metric_is_named_with_those_there_are():
    with pytest.raises(KeyError, match=r"no metric called 'accuracy'.*groundedness"):
        metric("accuracy")
