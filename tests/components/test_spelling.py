"""Misspelt words are put right; words that are right, of any form or language, stay."""

from __future__ import annotations

import pytest

from ragkit.components.spelling import Speller
from ragkit.evaluation.questions import load_questions
from ragkit.index import company_index


@pytest.fixture(scope="module")
def speller() -> Speller:
    return Speller(company_index().vocabulary())


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("how mutch goodwil can a desk agnet grant", "how much goodwill can a desk agent grant"),
        ("retension of evnts", "retention of events"),
        ("statment and webhok", "statement and webhook"),
        ("evidnce pack csot on growht plan", "evidence pack cost on growth plan"),
    ],
)
def test_typing_errors_are_put_right(speller: Speller, typed: str, meant: str) -> None:
    assert speller.corrected(typed) == meant


@pytest.mark.parametrize(
    "word",
    [
        "mailed",
        "mails",
        "helper",
        "authorize",
        "authenticates",
        "abstention",
        "invent",
        "router",
        "effected",
        "shopped",
        "intercom",
        "rusted",
        "storming",
        "marina",
        "impartial",
        "sentry",
        "invoiced",
        "kubernetes",
        "frontend",
        "timeouts",
        "downgrading",
    ],
)
def test_right_words_stay_in_any_form(speller: Speller, word: str) -> None:
    assert speller.word(word) == word


@pytest.mark.parametrize(
    "question",
    [
        "Wie lange sind Zugangsdaten gültig und wer darf sie sehen?",
        "Combien de temps gardez-vous les événements bruts ?",
        "Hoeveel kost een extra gebruiker per maand?",
        "¿Cuánto cuesta el plan Growth al mes?",
        "Quanto custa o plano de crescimento por mês?",
        "eventos antigos ficam guardados quanto tempo",
    ],
)
def test_other_languages_are_not_bent_into_english(speller: Speller, question: str) -> None:
    assert speller.corrected(question) == question


def test_codes_names_and_quoted_text_stay(speller: Speller) -> None:
    asked = 'Is "retension" what ERROR_302 from tfcollector v2.4.1 and api.tarnfeild.example means?'
    assert speller.corrected(asked) == asked


def test_only_the_questions_with_typing_errors_are_changed(speller: Speller) -> None:
    asked = load_questions(half="practice")
    changed = {q.id for q in asked if speller.corrected(q.question) != q.question}
    assert changed == {q.id for q in asked if q.trap == "typo"}
