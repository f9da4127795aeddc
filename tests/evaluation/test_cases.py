"""The first question that shows something, and what counts as a rescue."""

from __future__ import annotations

import pytest
from scripted import scripted_kit

from ragkit.evaluation.cases import first_case, was_rejected, was_rescued
from ragkit.evaluation.questions import Question
from ragkit.graphs.naive import build_naive
from ragkit.runs import Run

ASKED = [Question(id=f"q{n}", question=f"question {n}", trap="plain") for n in range(3)]


def run_with(*searches: str) -> Run:
    """A run whose every search was graded so: a letter a document, y or n."""
    steps = [
        {"node": "grader", "ms": 0, "update": {"grades": [
            {"document_id": f"d{at}", "binary_score": "yes" if said == "y" else "no"}
            for at, said in enumerate(search)
        ]}}
        for search in searches
    ]  # fmt: skip
    return Run("arsc", None, "?", {"grades": steps[-1]["update"]["grades"]}, steps)


def test_the_first_that_fits_is_taken_and_no_more_are_asked():
    asked = []

    def wanted(question, run):
        asked.append((question.id, run.question))
        return question.id == "q1"

    question, run = first_case(build_naive(scripted_kit()), ASKED, wanted)
    assert question.id == "q1" and run.question == "question 1"
    assert asked == [("q0", "question 0"), ("q1", "question 1")]


def test_without_a_fitting_one_the_first_is_shown():
    assert first_case(build_naive(scripted_kit()), ASKED, lambda *_: False)[0].id == "q0"
    with pytest.raises(ValueError, match="no question"):
        first_case(build_naive(scripted_kit()), [], lambda *_: True)


@pytest.mark.parametrize(
    ("searches", "rejected", "rescued"),
    [
        (("nn", "ny"), True, True),
        (("nn", "yn"), True, False),
        (("ny",), False, False),
        (("nn", "nn"), True, False),
        (("", "ny"), True, True),
    ],
)
def test_a_rescue_is_a_relevant_chunk_after_a_rejection(searches, rejected, rescued):
    question = ASKED[0].model_copy(update={"relevant": ("d1",)})
    run = run_with(*searches)
    assert (was_rejected(run), was_rescued(question, run)) == (rejected, rescued)
