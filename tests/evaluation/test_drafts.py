"""The labelled drafts: what the rules put in, and that the file is what the script makes."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from ragkit.components.markers import parse_markers
from ragkit.corpus import company_corpus
from ragkit.evaluation.drafts import LabelledDraft, load_drafts, make_drafts
from ragkit.evaluation.faults import FAULTS, Draft, Sentence
from ragkit.evaluation.paraphrase import reworded
from ragkit.evaluation.questions import load_questions
from tests.scripted import doc

PAGES = (
    doc("a", "Growth costs $189 per month. Cards must not be stored. It starts on 1 May 2026."),
    doc("b", "We accept cards, transfers and cheques. Staff may leave early."),
)


@pytest.fixture(scope="module")
def drafts() -> list[LabelledDraft]:
    return load_drafts()


def test_there_are_enough_of_each_kind_in_each_half(drafts: list[LabelledDraft]) -> None:
    counts = Counter((draft.half, draft.kind) for draft in drafts)
    assert len(drafts) >= 500
    assert {kind for _, kind in counts} == {*FAULTS, "stale_value"}
    assert min(counts.values()) >= 5


def test_halves_follow_the_questions(drafts: list[LabelledDraft]) -> None:
    halves = {question.id: question.half for question in load_questions()}
    assert all(draft.half == halves[draft.question_id] for draft in drafts)


def test_every_fault_changes_its_clean_twin(drafts: list[LabelledDraft]) -> None:
    assert all(draft.draft != draft.clean and draft.fault for draft in drafts)
    assert len({draft.id for draft in drafts}) == len(drafts)


def test_clean_twins_cite_documents_that_exist(drafts: list[LabelledDraft]) -> None:
    known = {document["id"] for document in company_corpus().documents}
    for draft in drafts:
        assert set(draft.documents) <= known
        markers = parse_markers(draft.clean, len(draft.documents))
        assert markers and all(marker.status == "ok" for marker in markers)


def test_clean_twins_are_not_all_copies(drafts: list[LabelledDraft]) -> None:
    pages = {document["id"]: document["content"] for document in company_corpus().documents}
    copied = sum(
        any(draft.clean.split(" [")[0] in pages[key] for key in draft.documents) for draft in drafts
    )
    assert copied < 0.5 * len(drafts)


def test_the_file_is_what_the_script_makes(drafts: list[LabelledDraft]) -> None:
    assert make_drafts(company_corpus(), load_questions()) == drafts


def draft() -> Draft:
    return Draft(
        (
            Sentence("Growth costs $189 per month.", 1, "a"),
            Sentence("Cards must not be stored.", 1, "a"),
            Sentence("It starts on 1 May 2026.", 1, "a"),
            Sentence("We accept cards, transfers and cheques.", 2, "b"),
            Sentence("Staff may leave early.", 2, "b"),
        ),
        PAGES,
    )


@pytest.mark.parametrize("kind", sorted(FAULTS))
def test_each_rule_makes_one_change_that_a_seed_repeats(kind: str) -> None:
    first = FAULTS[kind](draft(), random.Random(3))
    assert first is not None
    faulty, said = first
    assert faulty.text() != draft().text() and said
    assert FAULTS[kind](draft(), random.Random(3)) == first


def test_labels_stand_before_the_stop() -> None:
    assert draft().text().startswith("Growth costs $189 per month [1]. Cards must")


def test_rewording_is_repeatable_and_ends() -> None:
    text = "An additional seat costs $15 per month on Growth."
    assert reworded(text, random.Random(1)) == reworded(text, random.Random(1))
    assert len({reworded(text, random.Random(seed)) for seed in range(20)}) > 3
