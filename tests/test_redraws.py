"""A moved threshold is drawn again from what is known: nothing is searched or graded for it."""

from __future__ import annotations

import pytest
from redraws import CUTS, counted, views

from ragkit import offline_kit
from ragkit.evaluation.questions import load_questions


@pytest.fixture(scope="module")
def moved() -> tuple[dict, list[str]]:
    practice = load_questions(half="practice")
    kit, calls = counted(offline_kit())
    pools = [question for question in practice if question.answered_by == "kb"][:6]
    return views(kit, practice, pools), calls


@pytest.mark.parametrize("name", ["at", "mapped", "moves", "rates_at"])
def test_a_redraw_calls_no_component(moved: tuple[dict, list[str]], name: str) -> None:
    drawn, calls = moved
    assert {"retriever", "grader", "generator"} <= set(calls), "the count sees the first run"
    before = len(calls)
    pictures = {drawn[name](cut).text for cut in CUTS}
    assert len(calls) == before
    assert len(pictures) > 1, "and the picture follows"
