"""A question that names a row and a column of a table gets that row, and no other question does."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.certain import certain_lines
from ragkit.components.lookups import looks_up
from ragkit.components.sentences import Sentence, sentences
from ragkit.config import CragConfig
from ragkit.graphs.crag import build_crag
from ragkit.kit import Kit, offline_kit
from ragkit.runs import ask

PLANS = """# Plans

| Plan | Price per month | Seats included | Support |
| --- | --- | --- | --- |
| Starter | $49 | 5 | by mail |
| Growth | $189 | 15 | by mail and chat |
| Enterprise | by quote | unlimited | by telephone |
"""


def rows(markdown: str = PLANS) -> list[Sentence]:
    return [line for line in sentences(markdown) if line.kind == "row"]


def keys(question: str) -> list[str]:
    return [row.cells[0] for row in rows() if looks_up(question, row)]


@pytest.mark.parametrize(
    ("question", "key"),
    [
        ("How much does Growth cost per month?", "Growth"),
        ("How much is growth?", "Growth"),
        ("What is the price of the Starter plan?", "Starter"),
        ("How many seats does Growth include?", "Growth"),
        ("How many seats are included in Enterprise?", "Enterprise"),
        ("Which support does Starter have?", "Starter"),
    ],
)
def test_key_and_column_name_the_cell(question: str, key: str) -> None:
    assert keys(question) == [key]


@pytest.mark.parametrize(
    "question",
    [
        "How much does Enterprise cost?",  # its cell holds no amount
        "How much does a seat cost on Growth?",  # not the price of the plan
        "How much does Scale cost?",  # no such row
        "How many seats are included?",  # no row is named
        "What is Growth?",  # no column is named
        "How much does Growth cost in Canada?",  # the table says nothing of Canada
        "How many meters does Growth include?",
        "",
    ],
)
def test_anything_else_is_no_lookup(question: str) -> None:
    assert keys(question) == []


def test_prose_lists_and_ragged_rows_are_no_tables() -> None:
    asked = "How much is Growth?"
    assert not any(
        looks_up(asked, line) for line in sentences("Growth costs $189.\n\n- Growth: $189")
    )
    ragged = Sentence("Plan: Growth", "row", 0, 3, columns=("Plan", "Price"), cells=("Growth",))
    assert not looks_up(asked, ragged)


def test_definitions_and_lookups_are_certain() -> None:
    assert certain_lines("How much is Growth?", sentences(PLANS)) == [rows()[1].text]
    said = "**Seat**: a named user licence."
    assert certain_lines("What is a seat?", sentences(f"{PLANS}\n\n{said}")) == [said]
    assert certain_lines("Is a seat free?", sentences(f"{PLANS}\n\n{said}")) == []


@given(st.text(max_size=60), st.lists(st.text(max_size=20), max_size=4))
def test_any_row_is_read(question: str, cells: list[str]) -> None:
    row = Sentence("x", "row", 0, 1, columns=tuple("abcd"[: len(cells)]), cells=tuple(cells))
    assert looks_up(question, row) in (True, False)


@pytest.fixture(scope="module")
def kit() -> Kit:
    return offline_kit()


@pytest.mark.parametrize(
    ("question", "cell"),
    [
        ("How much does Growth cost per month?", "$189"),
        ("How much is Growth?", "$189"),
        ("What is the price of Scale?", "$640"),
        ("How many seats does Growth include?", "Seats included: 15"),
        ("How many read requests per second does Scale have?", "Read requests per second: 200"),
        ("What happens on day 21?", "frozen"),
        ("What availability does Growth have per month?", "99.9 %"),
    ],
)
def test_the_first_questions_of_a_class_are_answered(kit: Kit, question: str, cell: str) -> None:
    run: Any = ask(build_crag(kit), question, config=CragConfig())
    assert run.tag == "verified"
    assert cell in run.answer
