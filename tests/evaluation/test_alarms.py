"""A part that always says the same and an edge that is never taken raise an alarm."""

from __future__ import annotations

from evaluation.sample import grade, record

from ragkit.evaluation.alarms import ENOUGH, find_alarms

ARSC = {"rung": "arsc", "graph": "arsc"}
STRAIGHT = ("retriever", "grader", "generator")
LOOP = ("retriever", "grader", "rewriter", "retriever", "grader", "rewriter")


def runs(*made, times=ENOUGH):
    return [
        made[n % len(made)].model_copy(
            update={"question": made[0].question.model_copy(update={"id": f"q{n}"})}
        )
        for n in range(times)
    ]


def said(records):
    return [str(alarm) for alarm in find_alarms(records)]


def test_a_grader_that_always_says_yes_is_reported_with_the_edges_it_closes():
    found = said(runs(record(**ARSC, path=STRAIGHT, rounds=([grade("a", True)],))))
    assert "arsc: grader said 'yes' all 20 times" in found
    assert "arsc: edge grader -> rewriter was never taken in 20 runs" in found
    assert "arsc: edge rewriter -> retriever was never taken in 20 runs" in found
    assert not any("grader -> generator" in text for text in found)


def test_a_grader_that_says_both_and_edges_all_taken_are_quiet():
    straight = record(**ARSC, path=STRAIGHT, rounds=([grade("a", True), grade("b", False)],))
    loop = record(**ARSC, path=LOOP, tag="abstained", rounds=([grade("a", False)],))
    assert said(runs(straight, loop)) == []


def test_a_checker_and_a_tag_that_never_change_are_reported():
    passes = {"claim": "x", "support_status": "supported"}
    found = said(runs(record(**ARSC, claims=(passes,))))
    assert "arsc: checker said 'supported' all 20 times" in found
    assert "arsc: tag said 'verified' all 20 times" in found


def test_a_few_runs_prove_nothing():
    assert said(runs(record(**ARSC, path=STRAIGHT), times=ENOUGH - 1)) == []


def test_each_rung_is_looked_at_by_itself():
    both = [*runs(record(**ARSC, path=LOOP)), *runs(record(rung="naive", graph="naive"))]
    assert {alarm.rung for alarm in find_alarms(both)} == {"arsc"}


def test_an_unknown_graph_has_no_edges_to_compare():
    found = said(runs(record(rung="mine", graph="mine", rounds=([grade("a", True)],))))
    assert found == [
        "mine: grader said 'yes' all 20 times", "mine: tag said 'verified' all 20 times",
    ]  # fmt: skip
