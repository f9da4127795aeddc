"""Who asks what a term means gets the sentence that says it."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.definitions import asked_term, defines, defining
from ragkit.components.sentences import sentences
from ragkit.components.text import stems
from ragkit.config import CragConfig
from ragkit.graphs.crag import build_crag
from ragkit.index import company_index
from ragkit.kit import Kit, offline_kit
from ragkit.runs import ask

TERM = frozenset(stems("watermark"))


@pytest.mark.parametrize(
    "question",
    [
        "What is a watermark?",
        "what's a watermark",
        "What are watermarks?",
        "What does watermark mean?",
        "Define watermark",
        "And what is the meaning of watermark?",
        "Please explain what a watermark is.",
        "What do you mean by watermark?",
    ],
)
def test_a_question_for_a_meaning_names_its_term(question: str) -> None:
    assert asked_term(question) == TERM


@pytest.mark.parametrize(
    "question",
    [
        "What is the maximum number of dashboards in a workspace?",
        "What is the price on Growth?",
        "What happens to a watermark?",
        "When is the watermark reached?",
        "What does the watermark wait for?",
        "Is a watermark a point in time?",
        "Which watermark counts?",
        "What is it?",
        "What is the longest time until a page that was removed is back again?",
        "",
    ],
)
def test_other_questions_ask_for_no_meaning(question: str) -> None:
    assert not asked_term(question)


@pytest.mark.parametrize(
    "sentence",
    [
        "**Watermark**: the point in time up to which a meter is complete.",
        "- **Watermark** – a point in time.",
        "A watermark is the point in time up to which a meter is complete.",
        "Watermark means a point in time.",
        "The watermarks are the points up to which meters are complete.",
        "A watermark separates the complete values from those that may change.",
    ],
)
def test_a_sentence_that_says_what_a_thing_is_or_does_defines_it(sentence: str) -> None:
    assert defines(sentence, TERM)


@pytest.mark.parametrize(
    "sentence",
    [
        "**Late watermark**: the point in time at which nothing waits.",
        "Every value carries the watermark.",
        "The watermark normally runs 5 minutes behind the clock.",
        "The watermark waits for it and the statement is sealed late.",
        "A watermark is complete.",
        "A watermark costs a dollar.",
        "A tombstone is the marker left by a removed meter.",
        "**Watermark**:",
    ],
)
def test_a_sentence_that_only_speaks_of_a_thing_does_not(sentence: str) -> None:
    assert not defines(sentence, TERM)


def test_a_name_is_explained_by_the_opening_of_a_text_only() -> None:
    said, term = "Relay sends signed notifications to your servers.", frozenset(stems("Relay"))
    assert defines(said, term, opening=True)
    assert not defines(said, term)
    assert not defines("Relay is quick.", term, opening=True)
    lines = sentences(f"# Relay endpoints\n\n{said} Relay keeps the order.")
    assert defining(lines, term) == [said]
    assert defining(lines, frozenset()) == []


def test_nothing_is_defined_where_nothing_was_asked() -> None:
    assert not defines("A watermark is the point.", frozenset())


@given(st.text(max_size=120), st.text(max_size=120))
def test_any_text_is_read(question: str, sentence: str) -> None:
    assert defines(sentence, asked_term(question)) in (True, False)


@pytest.fixture(scope="module")
def kit() -> Kit:
    return offline_kit()


def terms() -> list[str]:
    texts = "\n".join(document["content"] for document in company_index().documents())
    return sorted(set(re.findall(r"^\*\*([^*\n]{2,40})\*\*: ", texts, re.MULTILINE)))


@pytest.mark.parametrize("term", terms())
def test_every_term_of_the_company_is_explained_in_its_own_words(kit: Kit, term: str) -> None:
    run: Any = ask(build_crag(kit), f"What is a {term.lower()}?", config=CragConfig())
    assert run.tag == "verified"
    first = run.answer.split(" [")[0]
    assert defines(f"{first}.", frozenset(stems(term)), opening=True)
