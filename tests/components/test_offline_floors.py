"""What the offline parts reach on the company's practice half, as floors.

The full figures are printed by `ragkit eval components` and `benchmarks/relevance.py`.
"""

from __future__ import annotations

from typing import Any

import pytest

from ragkit import offline_kit
from ragkit.evaluation.components import judge_pools, prepare
from ragkit.evaluation.questions import load_questions
from ragkit.evaluation.stats import auroc, balanced_accuracy

QUESTIONS = 24


@pytest.fixture(scope="module")
def kit() -> Any:
    return offline_kit()


def test_the_router_finds_the_routes_of_the_practice_half(kit: Any) -> None:
    questions = load_questions(None, "practice")
    right = [kit.router(q.question, q.history).route == q.route for q in questions]
    assert sum(right) / len(right) >= 0.95


def test_the_grader_orders_and_separates(kit: Any) -> None:
    named = prepare(kit, load_questions(None, "practice"))
    graded = [q for q in named if q.relevant or q.answerable is False][:QUESTIONS]
    judged = list(judge_pools(kit, graded))
    labels = [case.relevant for case in judged]
    said = [case.grade.binary_score == "yes" for case in judged]
    assert sum(labels) >= 15
    assert auroc(labels, [case.grade.score for case in judged]).value >= 0.88
    assert balanced_accuracy(labels, said).value >= 0.80
