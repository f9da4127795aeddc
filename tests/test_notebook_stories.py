"""What the prose of the notebooks says of their runs is what the runs do, with the offline kit."""

from __future__ import annotations

import pytest
from test_notebooks import SOURCES, ran

from ragkit.evaluation.cases import was_rejected
from ragkit.graphs.audited import build_audited
from ragkit.runs import ask


def names(number: int) -> dict:
    """Return the names of a notebook that was run as it stands."""
    return ran(next(path for path in SOURCES if path.stem.startswith(f"{number:02}")))


def test_02_a_missing_page_is_graded_no() -> None:
    lesson = names(2)
    assert lesson["first"].binary_score == "no"
    assert any(s["relevant"] for s in lesson["scores"]) and len(lesson["scores"]) > 100


def test_03_a_question_is_rejected_whole_and_then_rescued() -> None:
    lesson = names(3)
    assert all(grade.binary_score == "no" for grade in lesson["grades"])
    kept = {g.document_id for g in lesson["second_grades"] if g.binary_score == "yes"}
    assert kept & set(lesson["case"].relevant)
    assert was_rejected(lesson["rescued"]) and "rewriter" in lesson["rescued"].path
    assert lesson["rescued"].tag == "best_effort"


def test_03_another_ends_at_the_cap_without_an_answer() -> None:
    hopeless = names(3)["hopeless"]
    assert hopeless.path.count("retriever") == hopeless.path.count("grader") == 3
    assert hopeless.tag == "abstained" and "generation" not in hopeless.state


def test_04_a_greeting_is_searched_for_by_arsc_and_routed_here() -> None:
    lesson = names(4)
    assert "retriever" in lesson["hello"].path and lesson["hello"].tag == "abstained"
    routed = {route.route for route in lesson["routes"].values()}
    assert routed == {"direct", "vector_search", "web_search"}
    stopped = sum(record["circuit_breaker_triggered"] for record in lesson["telemetry"])
    assert 2 * stopped > len(lesson["telemetry"]), "most runs are stopped, says the prose"


def test_05_the_loop_of_04_turns_for_a_question_that_one_page_answers() -> None:
    assert names(5)["budgeted"].path.count("retriever") > 1


def test_05_every_branch_is_shown() -> None:
    runs = names(5)["runs"]
    ends = [(run.state["branch"], run.tag) for run in runs.values()]
    assert ends == [
        ("correct", "verified"), ("ambiguous", "verified"),
        ("incorrect", "verified"), ("incorrect", "abstained"),
    ]  # fmt: skip
    assert "secondary_retriever" in runs["one"].path and "web_search" in runs["none"].path


def test_05_the_web_page_contradicts_ours() -> None:
    lesson = names(5)
    assert "14 days" in lesson["rumour"].documents[0]["content"]
    assert "30 days" in lesson["ours"][0]["content"]


def test_06_a_run_ships_through_the_blend_and_a_lie_is_found() -> None:
    lesson = names(6)
    assert lesson["shipped"].tag == "verified" and "blend" in lesson["shipped"].path
    said = [claim.support_status for claim in lesson["grounding"].claims]
    assert said[0] == "supported" and said[-1] != "supported"
    assert not lesson["grounding"].grounded


@pytest.mark.parametrize("relevant", [True, False])
def test_06_scores_of_both_kinds_lie_between_the_lines(relevant: bool) -> None:
    between = [s for s in names(6)["scores"] if 0.3 <= s["score"] < 0.8]
    assert any(s["relevant"] is relevant for s in between)


def test_06_correction_hurts_the_last_question_of_the_batch_and_helps_others() -> None:
    lesson = names(6)
    assert [change.before.question.id for change in lesson["worse"]] == ["q107"]
    assert lesson["worse"][0].after.tag == "abstained" and len(lesson["better"]) > 1


def test_07_three_lies_go_out_without_a_check_and_one_is_caught() -> None:
    lesson = names(7)
    assert {run.answer for run in lesson["shipped"].values()} == {
        draft for _, draft in lesson["lies"].values()
    }
    assert lesson["caught"].path.count("answer_generator") == 2
    assert lesson["caught"].tag == "verified" and lesson["before"] in lesson["past"]
    assert len(lesson["built"].documents) == len(lesson["built"].superseded) == 1


@pytest.mark.parametrize("lie", ["a fabricated label", "an unsupported claim", "a stale price"])
def test_07_each_lie_is_found_and_undone(lie: str) -> None:
    lesson = names(7)
    asked, draft = lesson["lies"][lie]
    run = ask(build_audited(lesson["careless"](draft)), asked)
    assert run.tag == "verified" and draft not in run.answer
    assert "citation_checker" in run.path and run.path.count("rollback") == 1


def test_07_a_refund_waits_for_a_person_though_all_checks_passed() -> None:
    waiting = names(7)["waiting"]
    assert waiting.tag == "needs_review" and waiting.state["checks_passed"]
    assert "refund" in waiting.reason


def test_08_nothing_escapes_with_all_guards_and_most_does_without_one() -> None:
    rows = names(8)["outcomes"]
    assert not [row for row in rows if row["with all guards"] == "escaped"]
    assert sum(row["without it"] == "escaped" for row in rows) > len(rows) / 2
    behind = {row["incident"] for row in rows if row["without it"].startswith("caught")}
    assert {"old price list", "poisoned page"} <= behind
