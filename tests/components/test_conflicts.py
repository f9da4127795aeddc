"""Editions over time and documents that contradict each other (P59, P71, P72, E2, E3)."""

from __future__ import annotations

import random

import pytest

from ragkit.components.conflict_model import OfflineConflicts, conflict_score
from ragkit.components.conflicts import detect_conflicts
from ragkit.components.context import ContextBuilder, explain, explains
from ragkit.components.support import SupportJudge
from ragkit.components.versions import group_versions, logical_name
from ragkit.records import Document
from tests.scripted import doc

TOLERANCE = "What tolerance is allowed?"


def rule(name: str, text: str, **metadata: object) -> Document:
    return doc(name, text, **{"title": "Tolerance rule", "product": "Press", **metadata})


OLD = rule("t13", "The tolerance of the press is 15 %.", effective_date="2013-05-01")
MIDDLE = rule("t19", "The tolerance of the press is 18 %.", effective_date="4 June 2019")
NEW = rule("t23", "The tolerance of the press is 20 %.", effective_date="2023-01-09")
UNDATED = rule("tx", "The tolerance of the press is 25 %.", effective_date="n/a")


def test_the_newest_of_three_revisions_is_used_in_any_order() -> None:
    documents = [OLD, MIDDLE, NEW]
    for seed in range(6):
        shuffled = random.Random(seed).sample(documents, 3)
        context = ContextBuilder()(TOLERANCE, [*shuffled, OLD])
        assert [d["id"] for d in context.documents] == ["t23"]
        assert {d["id"] for d in context.superseded} == {"t13", "t19"}
        assert {c.kind for c in context.conflicts} == {"temporal"}


def test_dates_are_compared_as_dates_and_versions_as_versions() -> None:
    """As text 10 comes before 9, and "4 June" after "2023"."""
    old = rule("a", "It lasts 5 days.", version="4.9")
    new = rule("b", "It lasts 6 days.", version="4.10")
    assert [e.documents[0]["id"] for e in group_versions([old, new])[0].editions] == ["b", "a"]


def test_an_equal_date_is_settled_by_the_version() -> None:
    old = rule(
        "a", "The tolerance of the press is 15 %.", effective_date="2026-01-05", version="1.0.0"
    )
    new = rule(
        "b", "The tolerance of the press is 20 %.", effective_date="2026-01-05", version="1.0.1"
    )
    context = ContextBuilder()(TOLERANCE, [old, new])
    assert [d["id"] for d in context.documents] == ["b"]
    assert context.conflicts[0].kind == "temporal"
    assert context.conflicts[0].document_ids == ("a", "b")


def test_an_equal_date_and_version_is_a_hard_conflict() -> None:
    one = rule("a", "The tolerance of the press is 15 %.", effective_date="2026-01-05")
    other = rule("b", "The tolerance of the press is 20 %.", effective_date="5 January 2026")
    context = ContextBuilder()(TOLERANCE, [one, other])
    assert len(context.documents) == 2
    assert [c.kind for c in context.conflicts] == ["hard"]


@pytest.mark.parametrize("date", ["n/a", "03/04/2025", "", None])
def test_an_unknown_date_neither_wins_nor_loses(date: str | None) -> None:
    known = rule("a", "The tolerance of the press is 15 %.", effective_date="2020-01-01")
    unknown = rule("b", "The tolerance of the press is 25 %.", effective_date=date)
    context = ContextBuilder()(TOLERANCE, [known, unknown])
    assert {d["id"] for d in context.documents} == {"a", "b"}
    assert [c.kind for c in context.conflicts] == ["hard"]


def test_an_edition_that_the_question_names_is_kept() -> None:
    context = ContextBuilder()("What tolerance was allowed in 2013?", [OLD, NEW])
    assert {d["id"] for d in context.documents} == {"t13", "t23"}


def test_ingest_time_is_no_date_of_the_content() -> None:
    documents = [
        rule("a", "The tolerance of the press is 15 %.", ingested="2026-01-01"),
        rule("b", "The tolerance of the press is 20 %.", ingested="2020-01-01"),
    ]
    assert not ContextBuilder()(TOLERANCE, documents).superseded


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Pricing 2023", "Pricing 2026"),
        ("Security guideline (v1.2)", "Security guideline v2"),
        ("Handbook - 2019-05", "Handbook"),
    ],
)
def test_titles_without_their_year_name_one_document(first: str, second: str) -> None:
    assert logical_name(doc("a", title=first)) == logical_name(doc("b", title=second))


def test_release_histories_of_two_series_are_two_documents() -> None:
    assert logical_name(doc("a", title="Release history of Meter 3")) != logical_name(
        doc("b", title="Release history of Meter 4")
    )


def pair(one: str, other: str, **titles: str) -> list[Document]:
    return [
        doc("a", one, title=titles.get("first", "Escalation policy"), effective_date="2026-05-04"),
        doc("b", other, title=titles.get("second", "Night handbook"), effective_date="May 4, 2026"),
    ]


@pytest.mark.parametrize(
    ("question", "one", "other"),
    [
        ("How fast must the engineer on call acknowledge a page?",
         "The engineer on call must acknowledge a page within 10 minutes.",
         "The engineer on call must acknowledge a page within 20 minutes."),
        ("May I use my personal phone to approve access?",
         "Personal phones must not be used to approve access.",
         "Personal phones may be used to approve access when they are enrolled."),
        ("Are plain HTTP endpoints accepted?", "Plain HTTP endpoints are not accepted.",
         "Plain HTTP endpoints are accepted for tests."),
        ("Who may declare an incident?", "Only the lead may declare an incident.",
         "Any member of staff may declare an incident."),
        ("Must guests wear a badge?", "Guests must wear a badge.", "Guests may wear a badge."),
        ("When does the pool open?", "The pool opens on 1 May 2026.",
         "The pool opens on 2 May 2026."),
    ],
)  # fmt: skip
def test_contradictions_are_found(question: str, one: str, other: str) -> None:
    found = detect_conflicts(question, pair(one, other))
    assert [c.kind for c in found] == ["hard"]
    assert found[0].statements == (one, other)
    assert found == detect_conflicts(question, pair(one, other)[::-1])


@pytest.mark.parametrize(
    ("question", "one", "other", "titles"),
    [
        ("How many seats are included?", "Growth includes 15 seats in the price.",
         "Scale includes 40 seats in the price.", {}),
        ("How many endpoints may Starter have?", "Starter may have 3 endpoints on the plan.",
         "Starter may have 2 connectors on the plan.", {}),
        ("How often are backups taken?", "Backups are taken every 6 hours.",
         "Backups are taken every 4 hours.", {"first": "Zone (EU)", "second": "Zone (US)"}),
        ("How long is data kept?", "Raw events are kept for 13 months.",
         "Sealed statements are kept for 10 years.", {}),
        ("What does the pool cost?", "The pool opens on 1 May.", "The sauna opens on 2 May.", {}),
        ("When does the pool open?", "The pool opens on 1 May 2026.",
         "The pool opens on May 1, 2026.", {}),
        ("How long does it last?", "The term lasts 12 months.", "The term lasts one year.", {}),
        ("What colour is the car?", "The engineer must answer within 10 minutes.",
         "The engineer must answer within 20 minutes.", {}),
    ],
)  # fmt: skip
def test_other_subjects_are_no_conflict(
    question: str, one: str, other: str, titles: dict[str, str]
) -> None:
    assert detect_conflicts(question, pair(one, other, **titles)) == []


def test_two_products_with_pages_of_one_title_are_no_conflict() -> None:
    text = "Raw events are kept for {} months."
    documents = [
        doc("a", text.format(13), title="Data retention", product="Meter"),
        doc("b", text.format(24), title="Data retention", product="Ledger"),
    ]
    assert detect_conflicts("How long are raw events kept?", documents) == []


def table(price: str) -> str:
    head = "| Plan | Price |\n| --- | --- |\n"
    return f"{head}| Starter | $9 |\n| Growth | {price} |"


def test_table_rows_conflict_by_cell() -> None:
    documents = [
        doc("a", table("$149"), title="Prices", effective_date="2023-01-01"),
        doc("b", table("$189"), title="Prices", effective_date="2026-01-01"),
    ]
    found = detect_conflicts("What is the price of Growth?", documents)
    assert [c.statements for c in found] == [
        ("Plan: Growth; Price: $149", "Plan: Growth; Price: $189")
    ]


def test_a_change_over_time_is_explained_with_labels_and_dates() -> None:
    context = ContextBuilder()(TOLERANCE, [OLD, NEW])
    evidence = [*context.documents, *context.superseded]
    records = [c.model_dump() for c in context.conflicts]
    said = explain("The tolerance is 20 % [1].", records, evidence)
    assert "2013-05-01" in said and "15 % [2]" in said and "20 % [1]" in said
    assert explains(said, context.conflicts[0])
    assert not explains("The tolerance is 20 % [1].", context.conflicts[0])
    assert explain("x", [], evidence) == ""


def test_the_score_ranks_contradiction_above_agreement() -> None:
    judge = SupportJudge()
    question = "Who won the race in 2021?"
    winner = "The race of 2021 was won by Egan Bernal of Colombia."
    rival = "The race of 2021 was won by Tadej Pogacar of Slovenia."
    again = "In 2021 the winner of the race was Egan Bernal of Colombia."
    weather = "The weather in Lisbon was mild in March."
    clash = conflict_score(question, winner, rival, judge)
    assert clash > conflict_score(question, winner, again, judge)
    assert clash > conflict_score(question, winner, weather, judge)
    assert conflict_score(question, "", rival, judge) == 0.0
    assert 0.0 <= conflict_score("", winner, rival, judge) <= 1.0


class Counting(SupportJudge):
    """A judge that counts how often its encoder is asked for."""

    asked = 0

    def __getattribute__(self, name: str) -> object:
        if name == "encoder":
            Counting.asked += 1
        return super().__getattribute__(name)


def test_bare_texts_are_scored_and_titled_pages_are_not() -> None:
    question = "Who won the race in 2021?"
    texts = (
        "The race of 2021 was won by Egan Bernal of Colombia.",
        "The race of 2021 was won by Tadej Pogacar of Slovenia.",
    )
    find = OfflineConflicts(judge=Counting())
    bare = [doc(name, text) for name, text in zip("ab", texts, strict=True)]
    [found] = find(question, bare)
    assert (found.kind, found.document_ids, found.statements) == ("hard", ("a", "b"), texts)
    assert find(question, bare[:1]) == []
    assert find(question, [bare[0], doc("b", texts[0])]) == []
    Counting.asked = 0
    titled = [doc(d["id"], d["content"], title=f"Report {d['id']}") for d in bare]
    assert find(question, titled) == detect_conflicts(question, titled)
    assert Counting.asked == 0


def test_without_a_question_every_statement_is_compared() -> None:
    one = doc("a", "The archive keeps records for 7 years.")
    other = doc("b", "The archive keeps records for 9 years.")
    assert [c.document_ids for c in detect_conflicts("", [one, other])] == [("a", "b")]
    assert detect_conflicts("of the", [one, other]) == []
