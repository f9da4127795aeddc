"""Each guard can be switched off, and what it held back then gets out."""

from __future__ import annotations

import pytest
from evaluation.kits import full_kit
from evaluation.sample import question
from scripted import Queue, grades

from ragkit.evaluation.ablation import (
    BLIND,
    OPEN,
    PURPOSE,
    ablations,
    worth_figures,
    worth_table,
    worths,
)
from ragkit.evaluation.faults import FAULTS
from ragkit.evaluation.faulty_writer import FaultyWriter
from ragkit.evaluation.ladder import climb
from ragkit.evaluation.metrics import metric
from ragkit.evaluation.report import by_rung
from ragkit.records import Generation, Support, Verdict

BAD = Support(
    claim="An answer", citation_id=1, support_status="unsupported", fix_required=True, score=0.1
)


def tags(kit, **gold):
    records = climb(kit, [question(**gold)], ablations())
    return {record.rung: record.tag for record in records}


def test_the_whole_loop_comes_first_and_every_guard_once():
    names = [rung.name for rung in ablations()]
    assert names == ["audited", *(f"without {guard}" for guard in (*BLIND, *OPEN))]


def test_a_checker_that_holds_back_is_worth_what_escapes_without_it():
    kit = full_kit(checker=Queue([[BAD]]))
    found = tags(kit)
    assert found["audited"] == "needs_review"
    assert found["without citation checker"] == "verified"
    assert found["without verifier"] == "needs_review"
    rungs = by_rung(climb(kit, [question()], ablations()))
    escaped = metric("unsupported answers")
    assert escaped.measure(rungs["audited"]).value == 0
    assert escaped.measure(rungs["without citation checker"]).value == 1


def test_each_other_guard_when_it_alone_holds_back():
    conflict = Verdict(status="conflict", resolved=False, complete=False)
    assert tags(full_kit(verifier=Queue([conflict])))["without verifier"] == "verified"
    found = tags(full_kit(grader=Queue([grades()])))
    assert found["audited"] == "abstained" and found["without grader"] == "verified"
    found = tags(full_kit(vague=lambda _q, _h: "which one?"))
    assert found["audited"] == "needs_review" and found["without vague questions"] == "verified"
    found = tags(full_kit(), question="Can I get a refund?")
    assert found["audited"] == "needs_review" and found["without sensitive terms"] == "verified"
    found = tags(full_kit(coverage=lambda _q, _d: 0.0))
    assert found["audited"] != "verified" and found["without entity coverage"] == "verified"
    found = tags(full_kit(context=Queue([ValueError("no dates")])))
    assert found["audited"] == "needs_review" and found["without context builder"] == "verified"


def test_a_faulty_writer_s_drafts_are_never_good_and_always_the_same():
    page = {"id": "p", "content": "Growth costs $189 per month and must be paid in advance."}
    write = Queue([Generation(text=f"{page['content']} [1]", answerable=True)])
    drafts = {kind: FaultyWriter(write, {kind: FAULTS[kind]})("q", [page]).text
              for kind in ("changed_number", "changed_modality", "fabricated_label")}  # fmt: skip
    assert "$189" not in drafts["changed_number"]
    assert "may be paid" in drafts["changed_modality"]
    assert "[1]" not in drafts["fabricated_label"]
    both = [FaultyWriter(write)("q", [page], 1).text for _ in range(2)]
    assert both[0] == both[1] != write("q", [page]).text


def test_a_faulty_writer_passes_on_what_answers_nothing_and_never_a_good_draft():
    nothing = Generation(text="", answerable=False)
    assert FaultyWriter(Queue([nothing]))("q", []) == nothing
    bare = Queue([Generation(text="It is so [1].", answerable=True)])
    with pytest.raises(ValueError, match="changed_date"):
        FaultyWriter(bare, {"changed_date": FAULTS["changed_date"]})("q", [{"id": "p"}])


def test_the_table_says_what_each_guard_holds_back_and_what_it_is_for():
    kit = full_kit(checker=Queue([[BAD]]))
    own = climb(kit, [question()], ablations())
    rows = {row.guard: row for row in worths(own, own)}
    assert list(rows) == ["audited", *BLIND, *OPEN]
    assert rows["citation checker"].changes and not rows["sensitive terms"].changes
    assert (rows["audited"].faulty.hits, rows["citation checker"].faulty.hits) == (0, 1)
    assert set(PURPOSE) == {*BLIND, *OPEN}
    assert worth_table(list(rows.values())).row_count == len(rows)
    kept = {(f.part, f.name): f.value for f in worth_figures(list(rows.values()))}
    assert kept["audited", "own writer"] == 0 and kept["citation checker", "own writer"] == 1
    assert kept["audited", "own writer, rise"] is None
    assert kept["citation checker", "faulty writer, rise"] == 1


def test_a_person_s_question_that_is_answered_at_once_was_let_out():
    kit = full_kit()
    asked = question(question="Can I get a refund?", expected_tag="needs_review")
    rungs = by_rung(climb(kit, [asked], ablations()))
    assert metric("let out").measure(rungs["audited"]).value == 0
    assert metric("let out").measure(rungs["without sensitive terms"]).value == 1
