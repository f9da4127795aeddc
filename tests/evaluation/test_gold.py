"""What counts as stating a fact: whole words, whole numbers, any spelling, any dash or quote."""

from __future__ import annotations

import pytest

from ragkit.evaluation.gold import stated, states, states_all


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("It takes 5 days.", "5 days"),
        ("It takes **5 days**.", "5 days"),
        ("It takes 5\u00a0days.", "5 days"),
        ("Between 10–20 seats", "10-20 seats"),
        ("The “steward’s” role", "steward's"),
        ("ERROR_302 is raised", "error_302"),
        ("`ERROR_302` is raised", "ERROR_302"),
        ("Costs $1,200.", "$1,200"),
        ("Costs 4.", "4"),
        ("up to 99.9%.", "99.9%"),
        ("Ｆull width", "full"),
        ("in _every_ zone", "every"),
    ],
)
def test_a_fact_is_found_however_it_is_written(text, spelling):
    assert states(text, ["something else", spelling])


@pytest.mark.parametrize(
    ("text", "spelling"),
    [
        ("It takes 15 days.", "5 days"),
        ("It takes 5 daysailers.", "5 days"),
        ("Costs 4.5 a seat", "4"),
        ("Costs 1,030 a seat", "30"),
        ("Costs 30,000 a seat", "30"),
        ("Version 2.41", "2.4"),
        ("immutable", "table"),
        ("ERROR_3021", "ERROR_302"),
        ("anything", " "),
        ("", "x"),
    ],
)
def test_a_part_of_a_word_or_number_is_not_the_fact(text, spelling):
    assert not states(text, [spelling])


def test_facts_are_counted_one_by_one():
    facts = [["30 days", "a month"], ["steward"], ["5"]]
    assert stated("A steward has a month.", facts) == [0, 1]
    assert not states_all("A steward has a month.", facts)
    assert states_all("A steward has a month and 5 tries.", facts)
    assert not states_all("anything", [])


def test_a_sentence_counts_when_most_of_it_and_its_numbers_are_said():
    long = "The Scale plan includes 40 seats and support around the clock for every workspace."
    assert states(
        "Scale includes 40 seats for every workspace, with support around the clock.", [long]
    )
    assert not states(
        "Scale includes 4 seats for every workspace, support around the clock.", [long]
    )
    assert not states("Scale includes 40 seats.", [long])
