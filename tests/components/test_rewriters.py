"""The vocabulary rewriter: keeps every entity, never repeats, stops when nothing is left."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragkit.components.question_parts import parts
from ragkit.components.rewriters import VocabularyRewriter, heading, phrase, worded
from ragkit.components.text import entities, missing_entities, normalised
from ragkit.index import build_index, company_index

PAGES = {
    "dormancy": ("Dormant workspaces > What it costs", "A dormant workspace costs $10 per month."),
    "chargeback": ("Chargebacks > How to ask", "A chargeback returns a fee already collected."),
    "seats": ("Seats > Adding seats", "A steward adds a seat in the Console."),
    "codes": ("Error codes", "ERROR_302 means that the database did not answer in time."),
    "limits": ("Limits", "The API takes 60 requests per second on Growth."),
    "office": ("Offices", "The office in Dublin is open from 9 to 17."),
}


@pytest.fixture(scope="module")
def index() -> Any:
    documents = [
        {
            "id": name,
            "content": f"# {path}\n\n{text}",
            "metadata": {"id": name, "heading_path": path, "source": f"{name}.md"},
        }
        for name, (path, text) in PAGES.items()
    ]
    return build_index(documents, name="rewriter-pages")


@pytest.fixture(scope="module")
def rewriter(index: Any, grader: Any) -> VocabularyRewriter:
    return VocabularyRewriter(index, grader.probability)


def rejected(index: Any, *names: str) -> list[Any]:
    return index.get(names)


def test_it_takes_the_corpus_words(rewriter: VocabularyRewriter, index: Any) -> None:
    question = "What is the price of putting our account to sleep?"
    result = rewriter(question, [], rejected(index, "limits", "seats", "office", "codes"))
    assert "dormant" in result.query.lower()
    assert result.explanation


def test_a_misspelt_question_is_put_right(rewriter: VocabularyRewriter, index: Any) -> None:
    question = "how do i ad a saet in the consle"
    result = rewriter(question, [], rejected(index, "limits", "office"))
    assert "seat" in result.query


QUESTIONS = st.lists(
    st.sampled_from(
        ["What", "does", "ERROR_302", "mean", "for", "Growth", "in", "Dublin", '"red seat"',
        "v4.2", "and", "how", "many", "refunds", "cost", "$10", "SAML", "sleep", "account"]
    ),
    min_size=1, max_size=9,
).map(" ".join)  # fmt: skip


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(QUESTIONS)
def test_no_entity_is_dropped_and_no_query_repeated(
    rewriter: VocabularyRewriter, index: Any, question: str
) -> None:
    queries = [question]
    for _ in range(3):
        found = index.search(queries[-1], 2)
        result = rewriter(question, queries, found)
        if not result.query:
            assert result.explanation
            return
        assert missing_entities(question, result.query) == []
        assert normalised(result.query) not in {normalised(query) for query in queries}
        queries.append(result.query)


def test_what_drops_an_entity_is_rejected_with_the_reason(
    rewriter: VocabularyRewriter, index: Any
) -> None:
    question = "Does SAML put an account to sleep?"
    result = rewriter(question, [question], rejected(index, "limits", "office"))
    assert all(item.reason for item in result.rejected)
    assert all(
        missing_entities(question, item.query) for item in result.rejected if "drops" in item.reason
    )
    assert entities(question) == ["SAML"]


@pytest.mark.parametrize("question", ["", "   ", "\n"])
def test_an_empty_question_has_no_rewrite(rewriter: VocabularyRewriter, question: str) -> None:
    assert rewriter(question, [], []).query == ""


@pytest.mark.parametrize("question", ["😀", "x" * 50_000, "{a} %s", "\x00", "日本語の質問"])
def test_any_question_gets_a_rewrite_record(rewriter: VocabularyRewriter, question: str) -> None:
    result = rewriter(question, [question], [])
    assert result.outcome == "ok"
    assert normalised(result.query) != normalised(question) or not result.query


def test_parts_of_a_compound_question() -> None:
    assert parts("Which zone is that and in which cities does it run?") == [
        "Which zone is that",
        "in which cities does it run?",
    ]
    assert parts("Which code is that, and which plan do we need?") == [
        "Which code is that",
        "which plan do we need?",
    ]
    assert parts("What does it cost?") == []


def test_a_query_is_a_phrase_that_says_each_word_once() -> None:
    assert phrase("Dormant workspaces", ["workspace", "cost", "costs", "AES-256"]) == (
        "Dormant workspaces cost AES-256"
    )
    chunk = {"id": "a", "content": "Dormant workspaces stay.", "metadata": {
        "heading_path": "Workspaces > Putting to sleep > What it costs"}}  # fmt: skip
    assert heading(chunk) == "Putting to sleep what it costs"
    first = next(worded("We leave. How much is it for ACME GmbH?", chunk))
    assert first.query.startswith("Putting to sleep what it costs ")
    assert "ACME GmbH" in first.query and "leave" not in first.query
    assert first.target == "a" and "leave" in first.reason


def test_the_corpus_own_definitions_come_first(grader: Any) -> None:
    index = company_index()
    question = "How often do you try a failed webhook again?"
    result = VocabularyRewriter(index, grader.probability)(question, [question], [])
    assert result.query == "How often do you try a failed webhook (Relay endpoint) again?"
    assert result.explanation == "the corpus's own definitions say “Relay endpoint” for “webhook”"


def test_a_retriever_that_lists_nothing_can_be_rewritten_for(grader: Any, index: Any) -> None:
    def bare(query: str, k: int, strategy: str = "hybrid") -> list[Any]:
        return index.search(query, k, strategy)

    question = "What is the price of putting our account to sleep?"
    assert VocabularyRewriter(bare, grader.probability)(question, [], []).query
