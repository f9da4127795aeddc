"""The audit log of the audited loop: rollback, review, resume, fork, and every decision again."""

from __future__ import annotations

import pytest
from evaluation.kits import CLAIM, full_kit
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from scripted import Queue, grades

from ragkit.config import AuditedConfig
from ragkit.graphs import build
from ragkit.journal import AuditLog, replay, verify
from ragkit.records import Conflict, Context, Support, Verdict
from ragkit.runs import RunError, carry_on, fork, history, resume

BAD = Support(
    claim="An answer", citation_id=9, support_status="fabricated", fix_required=True, score=0.0
)
APPROVE = {"action": "approve", "reviewer": "Ada"}
EDIT = {**APPROVE, "action": "edit", "text": "Better [1]."}
CONFLICT = Conflict(kind="hard", subject="s", document_ids=("a", "b"), statements=("x", "y"))


def nodes(log):
    report = verify(log.path)
    assert report.ok, report.problem
    return [event["node"] for event in report.events]


def test_a_rollback_is_in_the_log_with_its_reason_and_replays(log):
    graph = build("audited", full_kit(checker=Queue([[BAD], [CLAIM]])))
    run = log.ask(graph, "q", thread_id="t")
    assert run.tag == "verified" and nodes(log)[1:] == run.path and "rollback" in run.path
    events = verify(log.path).events
    checked = next(event for event in events if event["node"] == "citation_checker")
    assert checked["verdicts"]["citations"][0]["support_status"] == "fabricated"
    back = next(event for event in events if event["node"] == "rollback")
    assert back["changed"]["rollbacks"][0]["because"] == "citation_failed"
    assert all(decision.same for decision in replay(log.path))


def test_a_review_that_survives_a_restart_is_one_run_in_the_log(log, tmp_path):
    config = AuditedConfig(top_k=2)
    with SqliteSaver.from_conn_string(str(tmp_path / "saver.db")) as saver:
        graph = build("audited", full_kit(), saver)
        waiting = log.ask(graph, "may I get a refund?", thread_id="t", config=config)
        assert waiting.tag == "needs_review" and nodes(log)[-1] == "human_review_queue"
    with SqliteSaver.from_conn_string(str(tmp_path / "saver.db")) as saver:
        graph, later = build("audited", full_kit(), saver), AuditLog(log.path)
        with later.watch(graph, "t"):
            resume(graph, "t", APPROVE)
        with pytest.raises(RunError), later.watch(graph, "t"):
            resume(graph, "t", APPROVE)
    assert nodes(log)[-3:] == ["human_review_queue", "human_review", "final_format"]
    events = verify(log.path).events
    assert len({event["run"] for event in events}) == 1
    assert len({event["config"] for event in events}) == 1
    assert events[-2]["changed"]["decision"]["reviewer"] == "Ada"
    assert all(decision.same for decision in replay(log.path))


def test_a_fork_is_a_second_branch_and_replays(log):
    graph = build("audited", full_kit())
    log.ask(graph, "q", thread_id="t")
    built = next(s for s in history(graph, "t") if s.node == "context_builder")
    with log.watch(graph, "t"):
        fork(graph, "t", built.id, {"attempt": 1})
    assert nodes(log).count("answer_generator") == 2 and nodes(log).count("context_builder") == 1
    assert all(decision.same for decision in replay(log.path))


def test_a_run_that_was_cut_off_is_carried_on_without_gap(log):
    class Stop(BaseException):
        """A process that ends."""

    graph = build("audited", full_kit(verifier=Queue([Stop(), Verdict(
        status="passed", resolved=True, complete=True)])))  # fmt: skip
    with pytest.raises(Stop):
        log.ask(graph, "q", thread_id="t")
    before = nodes(log)
    with log.watch(graph, "t"):
        run = carry_on(graph, "t")
    assert before[-1] == "citation_checker" and nodes(log) == [*before, *run.path]


CHECKS = [[CLAIM], [BAD], [], OSError("x")]
VERDICTS = [
    Verdict(status=status, resolved=True, complete=True)
    for status in ("passed", "retrieval_failed", "citation_failed", "conflict")
]
CONTEXTS = [
    lambda _q, documents: Context(documents=tuple(documents)),
    Context(documents=(), conflicts=(CONFLICT,)),
    ValueError("no dates"),
]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.sampled_from([grades(), grades(a=0.9), OSError("x")]), min_size=1, max_size=3),
    st.lists(st.sampled_from(CHECKS), min_size=1, max_size=4),
    st.lists(st.sampled_from(VERDICTS), min_size=1, max_size=4),
    st.sampled_from(CONTEXTS),
    st.sampled_from(["q", "a refund?"]),
)
def test_any_run_replays_to_the_same_decisions(
    tmp_path_factory, graded, checks, verdicts, context, question
):
    log = AuditLog(tmp_path_factory.mktemp("log") / "audit.jsonl")
    kit = full_kit(grader=Queue(graded), checker=Queue(checks), verifier=Queue(verdicts),
                   context=Queue([context]))  # fmt: skip
    graph = build("audited", kit, MemorySaver())
    run = log.ask(graph, question, thread_id="t")
    if run.waiting:
        with log.watch(graph, "t"):
            resume(graph, "t", APPROVE if run.waiting["draft"] else EDIT)
    decisions = replay(log.path)
    assert all(decision.same for decision in decisions)
    assert len(decisions) == len(verify(log.path).events)
