"""The corpus's own definitions translate the user's words; common words are no translation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.glossary import Glossary, definitions
from ragkit.components.text import missing_entities
from ragkit.config import RewriterConfig
from ragkit.index import company_index

FOREIGN = RewriterConfig().foreign
TERMS = """# Words we use

**Statement**: the invoice for one cycle. Once sealed it cannot be edited.
- **Relay endpoint**: the address of your server (what many products call a webhook).
* **Steward** – an administrator, also known as an account owner, who may change the plan.
**Note**: see the other page.
"""


def pages(*texts: str) -> list[Any]:
    return [{"id": str(n), "content": text, "metadata": {}} for n, text in enumerate(texts)]


def test_the_head_of_a_definition_and_what_it_is_also_called_stand_for_the_term() -> None:
    assert {word: term for term, word in definitions(TERMS)} == {
        "invoice": "Statement",
        "address": "Relay endpoint",
        "webhook": "Relay endpoint",
        "administrator": "Steward",
        "owner": "Steward",
    }


def test_a_word_that_the_corpus_uses_itself_is_not_translated() -> None:
    own = [f"The address of page {n} and its Relay endpoint" for n in range(9)]
    glossary = Glossary(pages(TERMS, *own, *["A Statement and a Steward"] * 9), FOREIGN)
    asked = "To which address goes the webhook?"
    assert glossary.translations(asked) == {"webhook": "Relay endpoint"}
    assert glossary.translated(asked) == "To which address goes the webhook (Relay endpoint)?"


@pytest.mark.parametrize(
    ("asked", "query"),
    [
        (
            "Which admin may sign an invoice, and who pays the invoice?",
            "Which admin may sign an invoice (Statement), and who pays the invoice?",
        ),
        ("Is a webhook a Relay endpoint?", "Is a webhook a Relay endpoint?"),
        ("Do you invoice SANDBOX-1?", "Do you invoice (Statement) SANDBOX-1?"),
        ("How long is a cursor valid?", "How long is a cursor valid?"),
        ("", ""),
    ],
)
def test_the_term_follows_the_word_once_unless_it_is_said(asked: str, query: str) -> None:
    glossary = Glossary(company_index().documents(), FOREIGN)
    assert glossary.translated(asked) == query


def test_a_corpus_without_definitions_translates_nothing() -> None:
    plain = Glossary(pages("A webhook is fine.", "", "** : x", "**Bold**: "), FOREIGN)
    assert plain.translations("Which webhook?") == {}
    assert Glossary([], FOREIGN).translated("Which webhook?") == "Which webhook?"


@given(st.text(max_size=80), st.lists(st.text(max_size=60), max_size=4))
def test_any_text_is_read_and_no_entity_is_lost(asked: str, texts: list[str]) -> None:
    glossary = Glossary(pages(TERMS, *texts), foreign=1)
    assert missing_entities(asked, glossary.translated(asked)) == []
