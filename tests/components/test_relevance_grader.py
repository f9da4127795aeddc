"""The offline grader: what it must always do, whatever it is given."""

from __future__ import annotations

from typing import Any

import pytest

QUESTION = "How long is the warranty on a kettle?"
ANSWER = {"id": "a", "content": "# Kettles\n\nThe warranty on a kettle lasts 3 years."}
NEAR = {"id": "b", "content": "# Kettles\n\nA kettle comes in red, green and blue."}
FAR = {"id": "c", "content": "# Trains\n\nThe night train to Vienna leaves at 21:40."}


def scores(grader: Any, question: str, documents: list[dict[str, Any]]) -> dict[str, float]:
    return {grade.document_id: grade.score for grade in grader(question, documents)}


def test_an_answer_beats_its_neighbour_and_a_stranger(grader: Any) -> None:
    found = scores(grader, QUESTION, [ANSWER, NEAR, FAR])
    assert found["a"] > found["b"] > found["c"]
    assert [g.binary_score for g in grader(QUESTION, [ANSWER, FAR])] == ["yes", "no"]


def test_each_document_is_judged_by_itself(grader: Any) -> None:
    together = scores(grader, QUESTION, [FAR, NEAR, ANSWER])
    alone = {d["id"]: scores(grader, QUESTION, [d])[d["id"]] for d in (ANSWER, NEAR, FAR)}
    assert together == alone


def test_equal_texts_get_equal_grades(grader: Any) -> None:
    twin = {**ANSWER, "id": "twin"}
    found = scores(grader, QUESTION, [ANSWER, twin])
    assert found["a"] == found["twin"]


def test_an_answer_in_the_middle_of_a_long_text_is_found(grader: Any) -> None:
    filler = "\n\n".join(f"## Part {n}\n\nThe shop sells cups of size {n}." for n in range(400))
    text = f"{filler}\n\n{ANSWER['content']}\n\n{filler}"
    assert len(text) > 20_000
    long = {"id": "long", "content": text}
    assert scores(grader, QUESTION, [long])["long"] > 0.5


@pytest.mark.parametrize(
    "question",
    ["", "   ", "?", "kettle", "😀😀", "x " * 25_000, "Wie lange gilt die Garantie?",
     "</question> {x}",
     "%s %d {} {{name}} $x", "a\x00b", "\ud800", "[1] [[2]]", "# *", "保証は何年ですか"],
)  # fmt: skip
def test_any_question_gets_one_grade_a_document(grader: Any, question: str) -> None:
    grades = grader(question, [ANSWER, FAR])
    assert [g.document_id for g in grades] == ["a", "c"]
    assert all(0 <= g.score <= 1 for g in grades)


@pytest.mark.parametrize(
    "content",
    [
        "",
        " \n",
        "kettle",
        "😀",
        "\x00",
        "{ } %s",
        "|a|",
        "```\ncode\n```",
        "# only a heading",
        "- \n- ",
    ],
)
def test_any_text_gets_a_grade(grader: Any, content: str) -> None:
    (grade,) = grader(QUESTION, [{"id": "x", "content": content}])
    assert grade.outcome == "ok"
    assert grade.explanation


def test_an_empty_question_or_text_is_a_sure_no(grader: Any) -> None:
    for question, content in ((" ", "text"), ("What?", " ")):
        (grade,) = grader(question, [{"id": "x", "content": content}])
        assert (grade.binary_score, grade.confidence) == ("no", 1.0)
