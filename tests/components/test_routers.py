"""The rule router and the direct answerer, by tables."""

from __future__ import annotations

from typing import Any

import pytest

from ragkit.components.direct import DirectAnswerer
from ragkit.components.follow_ups import self_contained
from ragkit.components.routers import RuleRouter
from ragkit.index import build_index

HISTORY = [
    {"role": "user", "content": "How many seats does the Growth plan include?"},
    {"role": "assistant", "content": "The Growth plan includes 15 seats."},
]


@pytest.fixture(scope="module")
def router() -> RuleRouter:
    texts = {
        "plans": "# Plans\n\nThe Growth plan of Tarnfield includes 15 seats and costs "
        "$189 per month.",
        "api": "# API\n\nThe API answers within a second. Use a credential for every request.",
    }
    documents: list[Any] = [
        {"id": name, "content": text, "metadata": {"id": name, "source": f"{name}.md"}}
        for name, text in texts.items()
    ]
    return RuleRouter(build_index(documents, name="router-pages"), DirectAnswerer())


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("Hello!", "direct"),
        ("good morning everyone", "direct"),
        ("Thanks, that helped a lot", "direct"),
        ("Bye, see you later", "direct"),
        ("Who are you?", "direct"),
        ("What does JSON stand for?", "direct"),
        ("what is an API", "direct"),
        ("Define latency", "direct"),
        ("What is a credential?", "vector_search"),
        ("How much is the Growth plan?", "vector_search"),
        ("Hello, how much is the Growth plan?", "vector_search"),
        ("Thanks. And what about seats?", "vector_search"),
        ("What is the API rate limit?", "vector_search"),
        ("What does my plan cost today?", "vector_search"),
        ("", "vector_search"),
        ("😀", "vector_search"),
        ("What is the weather in Oslo?", "web_search"),
        ("Who won the world cup?", "web_search"),
        ("What do reviews say about Tarnfield?", "web_search"),
        ("What does Acmecorp's plan cost?", "web_search"),
    ],
)
def test_routes(router: RuleRouter, question: str, route: str) -> None:
    assert router(question).route == route


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("Sorry, how many was that again?", "direct"),
        ("So that means 15 seats, right?", "direct"),
        ("And how much does it cost?", "vector_search"),
        ("What about the API?", "vector_search"),
    ],
)
def test_follow_ups(router: RuleRouter, question: str, route: str) -> None:
    assert router(question, HISTORY).route == route


def test_a_recalled_answer_is_quoted_from_the_conversation() -> None:
    answer = DirectAnswerer()("Sorry, how many was that again?", HISTORY)
    assert answer.answerable
    assert "15 seats" in answer.text


def test_what_it_does_not_know_it_does_not_answer() -> None:
    assert DirectAnswerer()("How old is the universe?").answerable is False


@pytest.mark.parametrize(
    ("question", "holds"),
    [
        ("And how much does it cost?", ["Growth", "cost"]),
        ("what about Starter?", ["seats", "Starter"]),
    ],
)
def test_a_follow_up_becomes_self_contained(question: str, holds: list[str]) -> None:
    query = self_contained(question, HISTORY)
    assert all(word in query for word in holds)


def test_a_full_question_stays_as_it_is() -> None:
    question = "Which credential does the Events API of Tarnfield need?"
    assert self_contained(question, HISTORY) == question
    assert self_contained("And how much?", []) == "And how much?"
