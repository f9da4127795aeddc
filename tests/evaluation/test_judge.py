"""Claims judged by gold and shown text alone."""

from __future__ import annotations

import pytest
from evaluation.sample import FALSE, GOOD, OLD_PAGE, PAGE, STALE, question, record

from ragkit.evaluation.judge import is_correct, is_stale, judge, supports
from ragkit.evaluation.records import Shown
from ragkit.graphs.budgeted import NOTE


@pytest.mark.parametrize(
    "claim",
    [
        "The Scale plan costs $640 a month",
        "You pay 640 USD for Scale each month",  # another spelling of the fact
        "Scale includes 40 seats",
        "**Scale** includes support around the clock",
    ],
)
def test_what_the_page_says_is_supported(claim):
    page = PAGE + " (640 USD)"
    assert supports(page, claim, question())


@pytest.mark.parametrize(
    "claim",
    [
        "The Scale plan costs $650 a month",
        "The Scale plan costs $640 a month and includes 400 seats",
        "Scale includes 4 seats",
        "Scale comes with a yellow submarine",
        "Scale raises ERROR_302",
        "",
    ],
)
def test_what_the_page_does_not_say_is_not(claim):
    assert not supports(PAGE, claim, question())


def test_a_fact_must_stand_in_the_text_that_is_to_support_it():
    assert not supports(OLD_PAGE, "The Scale plan costs $640 a month", question())


def test_each_citation_is_judged_by_its_own_document():
    [claim] = judge(record("The Scale plan costs $640 a month [1][2]."))
    assert claim.supported and claim.by == "facts"
    assert [(c.label, c.supported) for c in claim.citations] == [(1, True), (2, False)]


def test_a_label_that_names_nothing_is_made_up():
    [claim] = judge(record("The Scale plan costs $640 a month [7]."))
    assert claim.fabricated == 1 and claim.citations == () and claim.supported


def test_a_past_value_alone_is_unsupported_and_beside_todays_it_is_not():
    assert is_stale(STALE, question()) and not is_stale(GOOD, question())
    assert not judge(record(STALE))[0].supported
    both = "The Scale plan costs $640 a month [1]. The Scale plan costs $499 a month [2]."
    assert is_stale(both, question()) and is_correct(both, question())
    assert [claim.supported for claim in judge(record(both))] == [True, False]
    told = f"{both} This replaced the price as of 2023 [2]."
    assert not is_stale(told, question())
    assert [claim.supported for claim in judge(record(told))][:2] == [True, True]


def test_an_explanation_over_time_is_supported_by_the_dates_of_its_documents():
    old = Shown(id="o", text="Tests are done once a year.", date="2025-03-03")
    new = Shown(id="n", text="Tests are done twice a year.", date="2026-01-15")
    text = (
        "The edition of 2025-03-03, since replaced, said: Tests are done once a year [2]. "
        "Since 2026-01-15 it says: Tests are done twice a year [1]."
    )
    assert [claim.supported for claim in judge(record(text, evidence=(new, old)))] == [True, True]
    wrong = text.replace("2025-03-03", "2024-03-03").replace("twice a year [1]", "twice a year [2]")
    judged = judge(record(wrong, evidence=(new, old)))
    assert [claim.supported for claim in judged] == [False, True]
    assert [c.supported for claim in judged for c in claim.citations] == [False, False]


def test_the_note_of_a_limited_answer_is_no_claim():
    assert len(judge(record(f"{GOOD}\n\n{NOTE}"))) == 1


def test_invented_claims_are_found_among_good_ones():
    claims = judge(record(f"{GOOD} {FALSE} It includes 40 seats [1]."))
    assert [claim.supported for claim in claims] == [True, False, True]
    assert [claim.by for claim in claims] == ["facts", "words", "words"]


def test_no_evidence_supports_nothing():
    assert not judge(record(evidence=()))[0].supported
