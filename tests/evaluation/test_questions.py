"""Questions are read line by line; a bad line is named by file, line and field."""

from __future__ import annotations

import json

import pytest

from ragkit.evaluation.questions import Question, load_questions, of_trap


def write(path, *rows):
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n\n", encoding="utf-8")
    return path


def test_a_half_is_read_and_unknown_fields_are_left_alone(tmp_path):
    file = write(
        tmp_path / "q.jsonl",
        {"id": "1", "question": "a", "half": "practice", "trap": "stale", "mine": 1},
        {"id": "2", "question": "ü?", "half": "exam", "facts": [["5", "five"]]},
    )
    assert [q.id for q in load_questions(file)] == ["1", "2"]
    [exam] = load_questions(file, "exam")
    assert exam.question == "ü?" and exam.facts == (("5", "five"),)
    assert of_trap(load_questions(file), "stale")[0].id == "1"


@pytest.mark.parametrize(
    ("gold", "answerable"),
    [
        ({"facts": (("x",),)}, True),
        ({"absent": ("x",)}, False),
        ({"answered_by": "none"}, False),
        ({"facts": (("x",),), "expected_tag": "abstained"}, False),
        ({}, None),
    ],
)
def test_answerable_follows_the_gold(gold, answerable):
    assert Question(id="1", question="q", **gold).answerable is answerable


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": "1"', r"q\.jsonl:1: not JSON"),
        ('{"id": "1"}', r"q\.jsonl:1: question: Field required"),
        ('{"id": "1", "question": "q", "half": "third"}', r"q\.jsonl:1: half: "),
        ('{"id": "1", "question": "q"}\n{"id": "1", "question": "q"}', "two questions .* '1'"),
    ],
)
def test_a_bad_line_is_named(tmp_path, line, message):
    file = tmp_path / "q.jsonl"
    file.write_text(line, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        load_questions(file)
