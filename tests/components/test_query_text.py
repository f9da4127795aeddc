"""The query in what a model wrote (field reports P15, E14)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.query_text import clean_query

QUERY = "chargeback policy"


@pytest.mark.parametrize(
    "text",
    [
        QUERY, f"  {QUERY}\n", f'"{QUERY}"', f"“{QUERY}”", f"'{QUERY}'", f"`{QUERY}`",
        f"**{QUERY}**", f'**"{QUERY}"**', f"Here is the query: {QUERY}", f"Query: {QUERY}",
        f"Here's a better search query:\n\n{QUERY}\n\nIt uses the corpus's words.",
        f"Sure! Here is the rewritten query:\n```\n{QUERY}\n```\nAnything else?",
        f"Rewritten query for better retrieval: **\"{QUERY}\"**", f"The new query is: {QUERY}",
        f"```text\n{QUERY}\n```", f"```\n{QUERY}", f"1. {QUERY}\n2. refunds", f"- `{QUERY}`",
        f"Query: Query: {QUERY}", f"<think>refund, chargeback?</think>\n{QUERY}",
        f'{{"query": "{QUERY}"}}', f'{{"rewritten_query": "Query: {QUERY}"}}', f"# {QUERY}",
    ],
)  # fmt: skip
def test_wrappings_fall_off(text: str) -> None:
    assert clean_query(text, 300) == QUERY


@pytest.mark.parametrize(
    "text",
    ["", "   ", '""', "''", "“ ”", "```\n```", "???", "<think>hm", '{"a": 1}', '{"a', "{}"],
)
def test_nothing_stays_nothing(text: str) -> None:
    assert clean_query(text, 300) == ""


@pytest.mark.parametrize(
    "query",
    ["error 302: what to do?", '"hard reset" and "soft reset"', "ok status of invoices",
     "How do I use the search query: syntax?", "don't retry", "C++ API v2.1 [beta]",
     "config = {name}", "%s $x {{y}}", "here maps key", "1.2.3 release notes"],
)  # fmt: skip
def test_a_bare_query_is_left_alone(query: str) -> None:
    assert clean_query(query, 300) == query


def test_a_long_query_ends_between_words() -> None:
    assert clean_query("word " * 100, 22) == "word word word word"
    assert clean_query("x" * 100, 22) == "x" * 22


@given(st.text(), st.integers(20, 300))
def test_any_text_gives_one_short_line(text: str, limit: int) -> None:
    query = clean_query(text, limit)
    assert len(query) <= limit
    assert query == " ".join(query.split())
