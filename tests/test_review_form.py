"""The review form as Python sees it; tests/test_notebooks.py fills it in in a browser."""

from __future__ import annotations

import re
import threading

import pytest
from scripted import Queue, doc, grades, scripted_kit

from ragkit import ui
from ragkit.config import AuditedConfig
from ragkit.graphs.audited import build_audited
from ragkit.graphs.audited_nodes import WITHHELD
from ragkit.journal import AuditLog, verify
from ragkit.records import Context, Generation, Rewrite, Route, Support, Verdict
from ragkit.review_form import ReviewForm
from ragkit.runs import ask, history

LABEL = Support(claim="An answer", citation_id=4, support_status="fabricated", fix_required=True)
PASSED = Verdict(status="passed", resolved=True, complete=True)
NAMED = {"reviewer": "R. Viewer"}


def waiting(**components):
    kit = scripted_kit(
        router=Queue([Route(route="vector_search", reasoning="ours")]),
        planner=Queue([lambda question, *_: [Rewrite(query=f"{question} again")]]),
        context=Queue([lambda _, documents: Context(documents=tuple(documents))]),
        checker=Queue([[LABEL]]),
        verifier=Queue([PASSED]),
    )
    graph = build_audited(kit.replace(**components))
    return graph, ask(graph, "Who pays?", config=AuditedConfig(max_retries=0))


def test_it_shows_what_the_reviewer_is_asked():
    graph, run = waiting()
    form = ReviewForm(graph, run.thread_id)
    assert (form.question, form.draft) == ("Who pays?", "An answer [1].")
    assert "fabricated" in form.why and form.messages == [] and form.reading is None


@pytest.mark.parametrize(
    ("decision", "answer", "tag"),
    [
        ({"action": "approve"}, "An answer [1].", "best_effort"),
        ({"action": "edit", "text": "Nobody [1]."}, "Nobody [1].", "best_effort"),
        ({"action": "reject", "comment": "wrong"}, WITHHELD, "abstained"),
    ],
)
def test_a_decision_resumes_the_thread(decision, answer, tag):
    graph, run = waiting()
    form = ReviewForm(graph, run.thread_id)
    form.decision = {**NAMED, **decision, "click": 1}
    assert (form.reading.answer, form.reading.tag) == (answer, tag)
    [[tone, said]] = form.messages
    assert tone == "good" and "R. Viewer" in said and tag.replace("_", " ") in said


@pytest.mark.parametrize(
    ("decision", "said"),
    [
        ({}, "action: choose approve, edit or reject"),
        ({"action": "approve"}, "reviewer: who decides? a name is needed"),
        ({"action": "approve", "reviewer": "  "}, "reviewer: who decides? a name is needed"),
        ({"action": "edit", **NAMED}, "text: an edit needs the edited answer"),
        ({"action": "reject", **NAMED}, "comment: a rejection needs its reason"),
    ],
)
def test_an_incomplete_decision_is_refused_in_the_form(decision, said):
    graph, run = waiting()
    form = ReviewForm(graph, run.thread_id)
    before = history(graph, run.thread_id)
    form.decision = {**decision, "click": 1}
    assert form.messages == [["bad", f"Refused: {said}"]] and form.reading is None
    assert history(graph, run.thread_id) == before
    form.decision = {"action": "approve", **NAMED, "click": 2}
    assert form.reading.answer == "An answer [1].", "the review still waits"


def test_a_second_click_is_refused_and_keeps_the_first():
    graph, run = waiting()
    form = ReviewForm(graph, run.thread_id)
    form.decision = {"action": "approve", **NAMED, "click": 1}
    first, before = form.reading, history(graph, run.thread_id)
    form.decision = {"action": "reject", "comment": "no", **NAMED, "click": 2}
    assert [tone for tone, _ in form.messages] == ["good", "bad"]
    assert "nothing was changed" in form.messages[1][1]
    assert form.reading is first and history(graph, run.thread_id) == before


def test_two_forms_on_one_thread_decide_once():
    graph, run = waiting()
    forms = [ReviewForm(graph, run.thread_id) for _ in range(2)]
    clicks = [
        threading.Thread(target=form.decide, kwargs={"action": "approve", **NAMED})
        for form in forms
    ]
    for click in clicks:
        click.start()
    for click in clicks:
        click.join()
    assert sorted(form.messages[0][0] for form in forms) == ["bad", "good"]


def test_a_thread_that_does_not_wait_takes_no_decision():
    graph, _ = waiting()
    form = ReviewForm(graph, "nobody")
    assert form.question == "" and "waits for no review" in form.messages[0][1]
    form.decide(action="approve", **NAMED)
    assert "does not wait" in form.messages[-1][1] and form.reading is None


def test_nothing_cannot_be_approved():
    none = Generation(text="", answerable=False)
    graph, run = waiting(generator=Queue([none]))
    form = ReviewForm(graph, run.thread_id)
    form.decide(action="approve", **NAMED)
    assert form.messages == [
        ["bad", "Refused: action: there is no draft to approve; edit it or reject it"]
    ]
    form.decide(action="edit", text="Nobody pays [1].", **NAMED)
    assert form.reading.answer == "Nobody pays [1]."


def test_a_run_that_breaks_after_the_decision_says_so(monkeypatch):
    graph, run = waiting()
    form = ReviewForm(graph, run.thread_id)

    def broken(*_, **__):
        raise OSError("the disk is full")

    monkeypatch.setattr("ragkit.review_form.resume", broken)
    form.decide(action="approve", **NAMED)
    said = "The run stopped after the decision: OSError: the disk is full"
    assert form.messages == [["bad", said]]


def test_the_audit_log_gets_the_decision(tmp_path):
    graph, run = waiting()
    log = AuditLog(tmp_path / "audit.jsonl")
    log.sync(graph, run.thread_id)
    form = ReviewForm(graph, run.thread_id, log=log)
    form.decide(action="approve", **NAMED)
    report = verify(log.path)
    assert report.ok and report.events[-1]["node"] == "final_format"
    assert any(e["changed"].get("decision", {}).get("reviewer") for e in report.events)


def test_live_reads_the_finished_run_in_marimo():
    graph, run = waiting()
    review = ui.review_form(graph, run.thread_id)
    assert ui.live(lambda review: review and review.tag, review=review) is None
    review._update({"decision": {"action": "approve", **NAMED, "click": 1}})
    assert ui.live(lambda review: review and review.tag, review=review) == "best_effort"


def test_a_draft_is_text_and_the_script_loads_nothing():
    assert not ReviewForm(*_asked()).has_trait("value")
    source = ReviewForm._esm
    assert not re.search(r"\bimport\b|fetch\(|https?://", source) and "innerHTML" not in source


def _asked():
    graph, run = waiting(retriever=Queue([[doc("a"), doc("b")]]), grader=Queue([grades(a=1.0)]))
    return graph, run.thread_id
