"""Each guard can be switched off, and what it held back then gets out."""

from __future__ import annotations

from evaluation.kits import full_kit
from evaluation.sample import question
from scripted import Queue, grades

from ragkit.evaluation.ablation import BLIND, OPEN, ablations
from ragkit.evaluation.ladder import climb
from ragkit.evaluation.metrics import metric
from ragkit.evaluation.report import by_rung
from ragkit.records import Support, Verdict

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
