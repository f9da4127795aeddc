"""The verdict cache: what is kept, what is asked again, and what a broken file does."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from scripted import doc

from ragkit.cache import CachedGrader, VerdictCache
from ragkit.records import Grade, Usage

DOCS = [doc("a"), doc("b"), doc("c")]


class Counting:
    """A grader that says yes with what it was asked about written down."""

    def __init__(self, outcome: Any = "ok") -> None:
        self.asked: list[list[str]] = []
        self.outcome = outcome

    def __call__(self, question: str, documents: Sequence[Any]) -> list[Grade]:
        self.asked.append([document["id"] for document in documents])
        if self.outcome != "ok":
            return [Grade.failed(d["id"], self.outcome, "no") for d in documents]
        usage = Usage(model="m", input_tokens=10)
        return [
            Grade(document_id=d["id"], binary_score="yes", confidence=0.8, usage=usage)
            for d in documents
        ]


def test_only_what_is_new_is_asked_and_a_known_verdict_costs_nothing() -> None:
    inside = Counting()
    grader = CachedGrader(inside, VerdictCache(), "m")
    assert grader.hit_rate is None
    grader("q", DOCS[:2])
    grades = {grade.document_id: grade for grade in grader("q", DOCS)}
    assert inside.asked == [["a", "b"], ["c"]]
    assert [grades[name].usage.calls for name in "abc"] == [0, 0, 1]
    assert grades["a"].confidence == 0.8
    assert (grader.hits, grader.lookups, grader.hit_rate) == (2, 5, 0.4)


@pytest.mark.parametrize(
    ("fingerprint", "question", "document"),
    [("n", "q", DOCS[0]), ("m", "Q", DOCS[0]), ("m", "q", doc("a", "changed text"))],
)
def test_another_model_question_or_text_is_asked(
    fingerprint: str, question: str, document: Any
) -> None:
    cache, inside = VerdictCache(), Counting()
    CachedGrader(inside, cache, "m")("q", DOCS[:1])
    CachedGrader(inside, cache, fingerprint)(question, [document])
    assert len(inside.asked) == 2


def test_the_same_text_under_another_id_is_known() -> None:
    grader = CachedGrader(Counting(), VerdictCache(), "m")
    grader("q", [doc("a", "text")])
    assert [grade.document_id for grade in grader("q", [doc("z", "text")])] == ["z"]
    assert len(grader.grader.asked) == 1


def test_a_failure_is_never_kept() -> None:
    grader = CachedGrader(Counting("transport"), VerdictCache(), "m")
    assert [grader("q", DOCS[:1])[0].outcome for _ in range(2)] == ["transport"] * 2
    assert len(grader.grader.asked) == 2


def test_two_different_verdicts_for_one_document_are_not_kept() -> None:
    def both(_question: str, documents: Sequence[Any]) -> list[Grade]:
        name = documents[0]["id"]
        return [Grade(document_id=name, binary_score=said, confidence=1) for said in ("yes", "no")]

    grader = CachedGrader(both, VerdictCache(), "m")
    assert [len(grader("q", DOCS[:1])) for _ in range(2)] == [2, 2]
    assert grader.hits == 0


def test_verdicts_outlive_the_process(tmp_path: Path) -> None:
    path = tmp_path / "new" / "verdicts.sqlite"
    CachedGrader(Counting(), VerdictCache(path), "m")("q", DOCS)
    again = CachedGrader(Counting(), VerdictCache(path), "m")
    again("q", DOCS)
    assert again.grader.asked == []


def test_a_broken_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.sqlite"
    path.write_bytes(b"this is no database" * 100)
    CachedGrader(Counting(), VerdictCache(path), "m")("q", DOCS)
    again = CachedGrader(Counting(), VerdictCache(path), "m")
    again("q", DOCS)
    assert again.grader.asked == []


def test_a_broken_entry_is_asked_again(tmp_path: Path) -> None:
    cache = VerdictCache(tmp_path / "v.sqlite")
    grader = CachedGrader(Counting(), cache, "m")
    grader("q", DOCS[:1])
    cache._database.execute('UPDATE verdicts SET grade = \'{"binary_score": "yes"\'')
    grader("q", DOCS[:1])
    assert len(grader.grader.asked) == 2


def test_a_place_where_nothing_can_be_written_keeps_verdicts_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    grader = CachedGrader(Counting(), VerdictCache(file / "verdicts.sqlite"), "m")
    grader("q", DOCS)
    grader("q", DOCS)
    assert len(grader.grader.asked) == 1
