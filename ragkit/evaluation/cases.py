"""Find a question that shows what a lesson is about, by asking instead of by believing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ragkit.config import GraphConfig
from ragkit.evaluation.questions import Question
from ragkit.runs import Run, ask

Wanted = Callable[[Question, Run], bool]


def first_case(
    graph: Any, questions: Sequence[Question], wanted: Wanted, config: GraphConfig | None = None
) -> tuple[Question, Run]:
    """Ask one question after another; return the first that `wanted` accepts, with its run.

    When none does, the first question is returned all the same: a lesson goes on with any kit.
    Raises ValueError without questions.
    """
    first: tuple[Question, Run] | None = None
    for question in questions:
        run = ask(graph, question.question, config=config, history=list(question.history))
        if wanted(question, run):
            return question, run
        first = first or (question, run)
    if first is None:
        raise ValueError("there is no question to ask")
    return first


def was_rescued(question: Question, run: Run) -> bool:
    """Tell whether a first search was rejected whole and a later one brought a relevant chunk.

    `question.relevant` has to be filled in (`evaluation.components.prepare`).
    """
    kept = {grade["document_id"] for grade in run.state["grades"] if grade["binary_score"] == "yes"}
    return was_rejected(run) and bool(kept & set(question.relevant))


def was_rejected(run: Run) -> bool:
    """Tell whether the first search of a run brought nothing that was graded yes."""
    grades = (step["update"].get("grades") for step in run.steps if step["node"] == "grader")
    return not any(grade["binary_score"] == "yes" for grade in next(grades, None) or [])
