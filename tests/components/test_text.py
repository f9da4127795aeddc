"""Words, entities and sentences, by tables and by properties."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragkit.components.sentences import sentences, split_sentences
from ragkit.components.text import entities, missing_entities, normalised, stems


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What does ERROR_302 mean?", ["ERROR_302"]),
        ("How much is the Growth plan?", ["Growth"]),
        ('what is "dead-letter drawer" in v4.2?', ["dead-letter drawer", "v4.2"]),
        ("HOW DO I CHANGE MY PLAN", []),
        ("Who is Jane Doe", ["Jane Doe"]),
        ("Is SAML on Starter in 2026.1?", ["SAML", "Starter", "2026.1"]),
        ("call /v1/events with AES-256 at $49.50", ["/v1/events", "AES-256", "49.50"]),
        ("see ledger.chargeback_booked", ["ledger.chargeback_booked"]),
        ("The 21st day. Tomorrow it rains", []),
        ("", []),
        ("😀", []),
    ],
)
def test_entities(text: str, found: list[str]) -> None:
    assert entities(text) == found


@pytest.mark.parametrize(
    ("question", "candidate", "lost"),
    [
        ("What is ERROR_302?", "error 302 recovery", []),
        ("What is ERROR_302?", "error 303 recovery", ["ERROR_302"]),
        ("Does Growth have SSO?", "growth plan: single sign-on", ["SSO"]),
        ("Version 4.4 or 4.3?", "version 4.4", ["4.3"]),
        ("Is 14 enough?", "is 140 enough", ["14"]),
    ],
)
def test_missing_entities(question: str, candidate: str, lost: list[str]) -> None:
    assert missing_entities(question, candidate) == lost


@given(st.text(max_size=200))
@example("0㉠")
@example("x² ２")
def test_a_text_misses_none_of_its_own_entities(text: str) -> None:
    assert missing_entities(text, text) == []


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("A is true. [1] B is true. [2]", ["A is true. [1]", "B is true. [2]"]),
        ("Use e.g. the docs. Dr. Lee came.", ["Use e.g. the docs.", "Dr. Lee came."]),
        ("Version 3.5 is out. No. 5 is not.", ["Version 3.5 is out.", "No. 5 is not."]),
        ("Call `a.b. C` now. Then stop.", ["Call `a.b. C` now.", "Then stop."]),
        ("no stop at all", ["no stop at all"]),
        ("", []),
    ],
)
def test_split_sentences(text: str, parts: list[str]) -> None:
    assert split_sentences(text) == parts


def test_a_table_row_names_its_columns() -> None:
    text = "# Plans\n\n| Plan | Price |\n| --- | --- |\n| Growth | $189 |\n"
    row = sentences(text)[-1]
    assert (row.text, row.kind, row.heading) == ("Plan: Growth; Price: $189", "row", "Plans")
    assert text[row.start : row.end].strip() == "| Growth | $189 |"


def test_list_items_and_code_are_pieces_of_their_own() -> None:
    kinds = [(s.kind, s.text) for s in sentences("- one. Two.\n- three\n\n```\na. B\n```\n")]
    assert kinds == [("item", "one."), ("item", "Two."), ("item", "three"), ("code", "a. B")]


@given(st.text(max_size=300))
def test_sentences_lose_no_word(text: str) -> None:
    markup = set("#>|*-+`~:=1234567890.)(")
    shown = "".join(s.text for s in sentences(text))
    left = [c for c in text if c.isalnum() and c not in markup]
    assert all(c in shown for c in left)


def test_normalised_ignores_case_spaces_and_marks() -> None:
    assert normalised("  What is  SSO? ") == normalised("what is sso")
    assert normalised("?!  ") == ""


def test_a_code_and_its_parts_are_stems() -> None:
    assert {"error_302", "error", "302"} <= set(stems("ERROR_302"))
