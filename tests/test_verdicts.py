"""G4: verdicts are joined by id and fail closed (field report P10)."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scripted import doc, graded

from ragkit.records import Grade
from ragkit.verdicts import join, kept, union, unique

DOCS = [doc("d1"), doc("d2"), doc("d3")]


def test_grades_are_joined_by_id_not_position():
    joined, flags = join(DOCS, [graded("d3", 0.9), graded("d1", 0.1), graded("d2", 0.8)])
    assert [g.document_id for g in joined] == ["d1", "d2", "d3"]
    assert [d["id"] for d in kept(DOCS, joined)] == ["d2", "d3"]
    assert flags == []


@pytest.mark.parametrize(
    ("reply", "flag"),
    [
        ([graded("d2", 0.9), graded("d3", 0.9)], "no grade for d1"),
        (
            [graded(n, 0.9) for n in ("d1", "d2", "d3")] + [graded("d1", 0.1)],
            "two different grades for d1",
        ),
        (
            [graded("d2", 0.9), graded("d3", 0.9), {"document_id": "d1", "binary_score": "maybe"}],
            "d1: invalid",
        ),
        (
            [
                graded("d2", 0.9),
                graded("d3", 0.9),
                {"document_id": "d1", "binary_score": "yes", "confidence": 95},
            ],
            "d1: invalid",
        ),
        (
            [graded("d2", 0.9), graded("d3", 0.9), Grade.failed("d1", "refused", "no")],
            "d1: refused",
        ),
    ],
)
def test_a_document_without_one_clear_grade_is_not_relevant(reply, flag):
    joined, flags = join(DOCS, reply)
    assert joined[0].binary_score == "no" and joined[0].score == 0.0 and joined[0].outcome != "ok"
    assert [d["id"] for d in kept(DOCS, joined)] == ["d2", "d3"]
    assert any(flag in entry for entry in flags)


@pytest.mark.parametrize("reply", [None, "yes", {"d1": "yes"}, 3])
def test_a_reply_that_is_no_list_keeps_nothing(reply):
    joined, flags = join(DOCS, reply)
    assert kept(DOCS, joined) == [] and flags


def test_unknown_and_nameless_grades_are_ignored_and_flagged():
    good = [graded(n, 0.9) for n in ("d1", "d2", "d3")]
    joined, flags = join(DOCS, [*good, graded("d9", 0.9), "nonsense"])
    assert len(kept(DOCS, joined)) == 3
    assert any("d9" in flag for flag in flags) and any("nonsense" in flag for flag in flags)


def test_equal_texts_are_one_document():
    twins = [doc("a", "same  text"), doc("b", "same text"), doc("a", "other"), doc("c", "more")]
    assert [d["id"] for d in unique(twins)] == ["a", "c"]
    assert [d["id"] for d in union([doc("a")], [doc("b"), doc("a")])] == ["a", "b"]


replies = st.lists(
    st.tuples(st.sampled_from(["d1", "d2", "d3", "d9"]), st.floats(0, 1)), max_size=8
)


@given(replies, st.randoms(use_true_random=False))
def test_shuffling_the_reply_never_changes_what_is_kept(pairs, rng: random.Random):
    reply = [graded(name, score) for name, score in pairs]
    shuffled = rng.sample(reply, len(reply))
    assert join(DOCS, reply) == join(DOCS, shuffled)
