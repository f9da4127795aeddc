"""The audited rollback loop, row by row: E1 to E13."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from langgraph.types import Command
from scripted import Queue, assert_plain, assert_within_schema, doc, edges, grades, scripted_kit

from ragkit.config import AuditedConfig
from ragkit.graphs.audited import build_audited, route_after_check
from ragkit.graphs.audited_nodes import WITHHELD, sensitive_terms
from ragkit.records import (
    Conflict,
    Context,
    Generation,
    Rejected,
    Rewrite,
    Route,
    Support,
    Verdict,
)
from ragkit.runs import (
    RunError,
    ask,
    branches,
    carry_on,
    compare,
    fork,
    history,
    resume,
    waiting_threads,
)
from ragkit.state import AuditedState

NOTHING = grades()
ALL = grades(a=0.9, b=0.9)
NEEDED = Route(route="vector_search", reasoning="about the product")
GOOD = [Support(claim="An answer", citation_id=1, support_status="supported")]
FABRICATED = [
    Support(
        claim="An answer",
        citation_id=4,
        support_status="fabricated",
        risk_level="high",
        fix_required=True,
    )
]
PASSED = Verdict(status="passed", resolved=True, complete=True)
HARD = Conflict(
    kind="hard", subject="timeout", document_ids=("a", "b"), statements=("10 s", "20 s")
)
APPROVE = {"action": "approve", "reviewer": "R. Viewer"}


def plain_context(_question, documents):
    return Context(documents=tuple(documents))


def kit_for(**components):
    defaults = {
        "router": Queue([NEEDED]),
        "grader": Queue([ALL]),
        "direct": Queue([Generation(text="Hello!", answerable=True)]),
        "planner": Queue(
            [lambda question, limit, failed=(): [Rewrite(query=f"{question} v{len(failed)}")]]
        ),
        "context": Queue([plain_context]),
        "checker": Queue([GOOD]),
        "verifier": Queue([PASSED]),
    }
    return scripted_kit(**{**defaults, **components})


def test_the_drawn_edges_equal_the_specification():
    assert edges(build_audited(kit_for())) == {
        ("start", "intake"),
        ("intake", "direct_answer"),
        ("intake", "human_review_queue"),
        ("intake", "query_rewriter"),
        ("query_rewriter", "retriever"),
        ("retriever", "retrieval_validator"),
        ("retrieval_validator", "context_builder"),
        ("retrieval_validator", "replanner"),
        ("retrieval_validator", "human_review_queue"),
        ("retrieval_validator", "abstain"),
        ("replanner", "query_rewriter"),
        ("context_builder", "answer_generator"),
        ("context_builder", "human_review_queue"),
        ("answer_generator", "citation_checker"),
        ("citation_checker", "answer_verifier"),
        ("citation_checker", "rollback"),
        ("citation_checker", "replanner"),
        ("citation_checker", "human_review_queue"),
        ("answer_verifier", "final_format"),
        ("answer_verifier", "rollback"),
        ("answer_verifier", "replanner"),
        ("answer_verifier", "human_review_queue"),
        ("rollback", "answer_generator"),
        ("human_review_queue", "human_review"),
        ("human_review", "final_format"),
        ("final_format", "end"),
        ("direct_answer", "end"),
        ("abstain", "end"),
    }


def test_a_clean_run_is_verified():
    run = ask(build_audited(kit_for()), "q")
    assert run.path == [
        "intake", "query_rewriter", "retriever", "retrieval_validator", "context_builder",
        "answer_generator", "citation_checker", "answer_verifier", "final_format",
    ]  # fmt: skip
    assert (
        run.tag == "verified" and run.answer == "An answer [1]." and run.state["retry_count"] == 0
    )
    assert [d["id"] for d in run.documents] == ["a", "b"]


def test_the_original_is_always_searched_and_rejected_rewrites_are_logged_e1():
    proposal = Rewrite(
        query="q clearer", rejected=(Rejected(query="drifted", reason="drops ERROR_302"),)
    )
    kit = kit_for(planner=Queue([[proposal]]))
    run = ask(build_audited(kit), "q")
    assert [call[0] for call in kit.retriever.calls] == ["q", "q clearer"]
    assert run.state["rejected_queries"] == [{"query": "drifted", "reason": "drops ERROR_302"}]
    assert run.state["original_question"] == "q"


def test_a_failing_planner_still_searches_the_original_e1():
    kit = kit_for(planner=Queue([OSError("down")]))
    run = ask(build_audited(kit), "q")
    assert [call[0] for call in kit.retriever.calls] == ["q"] and run.tag == "verified"
    assert any("planner failed" in flag for flag in run.state["flags"])


def test_a_vague_question_is_asked_back_through_review_e1():
    kit = kit_for(vague=Queue(["Which setting do you mean?"]))
    graph = build_audited(kit)
    run = ask(graph, "that setting from last week")
    assert run.path == ["intake", "human_review_queue"] and kit.retriever.calls == []
    assert run.tag == "needs_review" and run.waiting["draft"] == "Which setting do you mean?"
    sent = resume(graph, run.thread_id, APPROVE)
    assert sent.answer == "Which setting do you mean?" and sent.tag == "best_effort"


def test_failing_validation_replans_through_the_strategies_e2():
    kit = kit_for(coverage=lambda *_: 0.0)
    run = ask(build_audited(kit), "q")
    assert [call[2] for call in kit.retriever.calls if call[0] == "q"] == [
        "dense",
        "hybrid",
        "keyword",
        "keyword",
    ]
    assert run.path.count("replanner") == 3 and run.state["retry_count"] == 3
    assert run.tag == "needs_review" and "3 retries are used up" in run.reason
    assert kit.generator.calls == [], "nothing was generated from rejected retrieval"


@pytest.mark.parametrize("found", [NOTHING, grades(a=0.5)])
def test_no_valid_chunk_in_any_strategy_abstains_before_the_cap_e2(found):
    run = ask(build_audited(kit_for(grader=Queue([found]))), "q")
    assert run.path[-1] == "abstain" and run.tag == "abstained" and run.state["retry_count"] == 2


@pytest.mark.parametrize(
    ("coverage", "config", "reason"),
    [
        (lambda *_: 0.2, AuditedConfig(), "entity coverage 0.20"),
        (None, AuditedConfig(min_sources=3), "2 sources"),
        (None, AuditedConfig(min_valid_chunks=5), "2 valid chunks"),
    ],
)
def test_each_validation_by_itself_rejects_e2(coverage, config, reason):
    run = ask(build_audited(kit_for(coverage=coverage)), "q", config=config)
    assert "context_builder" not in run.path and reason in run.state["validation"]["reason"]


def test_the_newest_is_used_and_the_older_kept_with_the_evidence_e3():
    built = Context(documents=(doc("b"),), superseded=(doc("a"),))
    kit = kit_for(context=Queue([built]))
    run = ask(build_audited(kit), "q")
    assert [d["id"] for d in kit.generator.calls[0][1]] == ["b"], "drafted from current text only"
    assert [d["id"] for d in run.documents] == ["b", "a"] and run.state["superseded"] == ["a"]


def test_what_was_replaced_is_explained_over_time_e6():
    kit = kit_for(explain=Queue(["Until 2025 it was 10 [2]."]))
    assert ask(build_audited(kit), "q").answer == "An answer [1]. Until 2025 it was 10 [2]."


def test_a_hard_conflict_retries_nothing_and_goes_to_review_e7():
    kit = kit_for(context=Queue([Context(documents=(doc("a"), doc("b")), conflicts=(HARD,))]))
    run = ask(build_audited(kit), "q")
    assert run.path[-2:] == ["context_builder", "human_review_queue"] and kit.generator.calls == []
    assert (
        run.tag == "needs_review"
        and "hard conflict" in run.reason
        and run.state["retry_count"] == 0
    )


@pytest.mark.parametrize("reply", [OSError("down"), None, []])
def test_a_failing_context_builder_goes_to_review(reply):
    run = ask(build_audited(kit_for(context=Queue([reply]))), "q")
    assert run.tag == "needs_review" and "context builder" in run.reason


def test_a_failed_check_rolls_back_before_generation_and_changes_the_settings_e7_e9():
    kit = kit_for(checker=Queue([FABRICATED, GOOD]))
    graph = build_audited(kit)
    run = ask(graph, "q")
    assert run.path[5:9] == ["answer_generator", "citation_checker", "rollback", "answer_generator"]
    assert [call[2] for call in kit.generator.calls] == [0, 1] and len(kit.retriever.calls) == 2
    assert run.tag == "verified" and run.state["retry_count"] == 1
    shown = history(graph, run.thread_id)
    before = next(s for s in shown if s.next == ("answer_generator",))
    after = next(s for s in shown if s.node == "rollback")
    assert after.returns_to == before.id
    changed = {key for key in after.values if after.values[key] != before.values.get(key)}
    assert changed == {"attempt", "retry_count", "rollbacks"}, "otherwise the very state before"


def test_retrieval_failed_goes_back_before_retrieval_with_documents_cleared_e7():
    missing = PASSED.model_copy(
        update={"status": "retrieval_failed", "explanation": "a step is missing"}
    )
    graph = build_audited(kit_for(verifier=Queue([missing, PASSED])))
    run = ask(graph, "q")
    assert run.path[8:10] == ["replanner", "query_rewriter"] and run.tag == "verified"
    after = next(s for s in history(graph, run.thread_id) if s.node == "replanner")
    for key in ("retrieved_documents", "grades", "evidence", "citations"):
        assert after.values[key] == []
    assert after.values["generated_draft"] == "" and after.returns_to is not None
    assert run.state["rollbacks"][0]["because"] == "retrieval_failed"


def test_the_third_failure_goes_to_review_whatever_its_cause_e7_e13():
    kit = kit_for(checker=Queue([FABRICATED]))
    run = ask(build_audited(kit), "q")
    assert len(kit.generator.calls) == 4 and run.state["retry_count"] == 3
    assert run.tag == "needs_review" and run.waiting["status"] == "citation_failed"


@pytest.mark.parametrize(
    "checked",
    [OSError("down"), None, [], ["supported"], [GOOD[0].model_copy(update={"outcome": "refused"})]],
)
def test_a_check_that_did_not_happen_has_not_passed_g5(checked):
    run = ask(build_audited(kit_for(checker=Queue([checked]))), "q")
    assert run.tag == "needs_review" and "final_format" not in run.path


@pytest.mark.parametrize(
    "verdict", [OSError("down"), None, PASSED.model_copy(update={"outcome": "truncated"})]
)
def test_a_verdict_that_did_not_happen_has_not_passed_g5(verdict):
    run = ask(build_audited(kit_for(verifier=Queue([verdict]))), "q")
    assert run.tag == "needs_review" and "final_format" not in run.path


def test_a_draft_without_an_answer_is_a_failed_retrieval():
    kit = kit_for(generator=Queue([Generation(text="I cannot say.", answerable=False)]))
    run = ask(build_audited(kit), "q")
    assert (
        run.path.count("replanner") == 3 and run.tag == "needs_review" and kit.checker.calls == []
    )


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("Can I get a refund?", ["refund"]),
        ("They charged back; Chargebacks twice", ["chargeback"]),
        ("Is the GDPR met?", ["gdpr"]),
        ("What is illegally called a courtyard?", []),
    ],
)
def test_sensitive_terms_are_words_e7(question, terms):
    assert sensitive_terms(question, AuditedConfig().sensitive_terms) == terms


def test_a_sensitive_question_goes_to_review_even_when_all_checks_passed_e7():
    graph = build_audited(kit_for())
    run = ask(graph, "Who pays the refund?")
    assert run.path[-2:] == ["answer_verifier", "human_review_queue"]
    assert run.tag == "needs_review" and "sensitive: refund" in run.reason
    done = resume(graph, run.thread_id, APPROVE)
    assert done.tag == "verified" and done.reason == "approved by R. Viewer"


@pytest.mark.parametrize(
    "components",
    [{"grader": Queue([NOTHING])}, {"router": Queue([Route(route="direct", reasoning="x")])}],
)
def test_a_sensitive_question_never_ends_without_a_person_e7(components):
    assert ask(build_audited(kit_for(**components)), "A refund?").tag == "needs_review"


def reviewing(**components):
    graph = build_audited(kit_for(checker=Queue([FABRICATED]), **components))
    return graph, ask(graph, "q", config=AuditedConfig(max_retries=0))


def test_approve_edit_and_reject_e8():
    graph, run = reviewing()
    done = resume(graph, run.thread_id, {**APPROVE, "comment": "fine by me"})
    assert done.answer == "An answer [1]." and done.tag == "best_effort"
    assert "approved by R. Viewer: fine by me" in done.reason and "citation_failed" in done.reason
    graph, run = reviewing()
    done = resume(graph, run.thread_id, {**APPROVE, "action": "edit", "text": "Better [1]."})
    assert done.answer == "Better [1]." and done.tag == "best_effort", "the edit is checked too"
    graph, run = reviewing()
    done = resume(graph, run.thread_id, {**APPROVE, "action": "reject", "comment": "wrong"})
    assert done.answer == WITHHELD and done.tag == "abstained" and "wrong" in done.reason


@pytest.mark.parametrize(
    ("decision", "field"),
    [
        ({}, "action"),
        ({"action": "approve"}, "reviewer"),
        ({"action": "approve", "reviewer": " "}, "reviewer"),
        ({"action": "approve", "reviewer": "\u200b"}, "reviewer"),
        ({"action": "edit", "reviewer": "R", "text": "\u2060\n"}, "text"),
        ({"action": "edit", "reviewer": "R"}, "text"),
        ({"action": "reject", "reviewer": "R"}, "comment"),
        ({"action": "accept", "reviewer": "R"}, "action"),
    ],
)
def test_an_incomplete_decision_is_refused_and_named_e8(decision, field):
    graph, run = reviewing()
    with pytest.raises(ValueError, match=field):
        resume(graph, run.thread_id, decision)
    assert resume(graph, run.thread_id, APPROVE).answer, "the review still waits"


def test_a_second_click_a_wrong_thread_and_a_new_question_are_refused_e8():
    graph, run = reviewing()
    with pytest.raises(RunError, match="waits for a review"):
        ask(graph, "another", thread_id=run.thread_id)
    with pytest.raises(RunError, match="does not wait"):
        resume(graph, "nobody", APPROVE)
    done = resume(graph, run.thread_id, APPROVE)
    before = history(graph, run.thread_id)
    with pytest.raises(RunError, match="nothing was changed"):
        resume(graph, run.thread_id, {**APPROVE, "action": "reject", "comment": "no"})
    assert history(graph, run.thread_id) == before and done.answer == "An answer [1]."


def test_an_approval_without_a_draft_is_refused_e8():
    graph = build_audited(kit_for(coverage=lambda *_: 0.0))
    run = ask(graph, "q")
    assert run.waiting is not None and run.waiting["draft"] == ""
    with pytest.raises(ValueError, match="action: there is no draft to approve"):
        resume(graph, run.thread_id, APPROVE)
    assert (
        resume(graph, run.thread_id, {**APPROVE, "action": "reject", "comment": "no"}).tag
        == "abstained"
    )


@pytest.mark.parametrize(
    ("decision", "fault"),
    [
        ({"action": "approve"}, "reviewer: "),
        ({"action": "maybe", "reviewer": "Ada"}, "action: "),
        (APPROVE, "action: there is no draft to approve"),
    ],
)
def test_a_server_that_resumes_by_itself_is_refused_too_and_the_thread_waits_on_e8(decision, fault):
    graph = build_audited(kit_for(coverage=lambda *_: 0.0))
    run = ask(graph, "q")
    thread = {"configurable": {"thread_id": run.thread_id}}
    graph.invoke(Command(resume=decision), thread)
    waiting = graph.get_state(thread)
    assert waiting.next == ("human_review",)
    assert waiting.interrupts[0].value["refused"].startswith(fault)
    edit = {**APPROVE, "action": "edit", "text": "Better [1]."}
    state = graph.invoke(Command(resume=edit), thread)
    assert state["answer"] == "Better [1]." and state["tag"] in ("verified", "best_effort")


def test_two_clicks_at_once_resume_once_e8():
    gate = threading.Event()
    slow = kit_for(checker=Queue([FABRICATED, lambda *_: gate.wait(5) and GOOD]))
    graph = build_audited(slow)
    run = ask(graph, "q", config=AuditedConfig(max_retries=0))
    edit = {**APPROVE, "action": "edit", "text": "Better [1]."}
    outcomes = []

    def click():
        try:
            outcomes.append(resume(graph, run.thread_id, edit).tag)
        except RunError as error:
            outcomes.append(str(error))

    clicks = [threading.Thread(target=click) for _ in range(2)]
    clicks[0].start()
    while len(slow.checker.calls) < 2:
        gate.wait(0.01)
    clicks[1].start()
    clicks[1].join()
    gate.set()
    clicks[0].join()
    assert sorted(outcomes)[1] == "verified" and "nothing was changed" in sorted(outcomes)[0]


def test_a_review_needs_a_checkpointer_e8():
    with pytest.raises(ValueError, match="checkpointer"):
        build_audited(kit_for(), checkpointer=False)
    assert isinstance(build_audited(kit_for()).checkpointer, MemorySaver)


def test_the_review_queue_lists_who_waits_for_what():
    graph, run = reviewing()
    ask(graph, "q2", config=AuditedConfig(max_retries=0))
    queue = dict(waiting_threads(graph))
    assert len(queue) == 2 and queue[run.thread_id]["question"] == "q"
    resume(graph, run.thread_id, APPROVE)
    assert run.thread_id not in dict(waiting_threads(graph))


def test_nothing_runs_twice_around_the_review_e8():
    kit = kit_for(checker=Queue([FABRICATED]))
    graph = build_audited(kit)
    run = ask(graph, "q", config=AuditedConfig(max_retries=0))
    done = resume(graph, run.thread_id, APPROVE)
    assert done.path == ["human_review", "final_format"]
    assert len(kit.generator.calls) == len(kit.checker.calls) == 1


def test_history_is_oldest_first_with_what_changed_e9():
    graph = build_audited(kit_for())
    run = ask(graph, "q")
    shown = history(graph, run.thread_id)
    assert [s.node for s in shown] == ["input", *run.path]
    assert all(later.parent == earlier.id for earlier, later in pairwise(shown))
    drafted = next(s for s in shown if s.node == "answer_generator")
    assert drafted.changed == {"generated_draft": ("", "An answer [1].")}
    with pytest.raises(RunError, match="no checkpoints"):
        history(graph, "nobody")


def test_fork_goes_back_changes_a_field_and_keeps_both_branches_e9():
    kit = kit_for(checker=Queue([GOOD]))
    graph = build_audited(kit)
    run = ask(graph, "q")
    before = next(s for s in history(graph, run.thread_id) if s.next == ("answer_generator",))
    other = fork(graph, run.thread_id, before.id, {"attempt": 2})
    assert other.path == ["answer_generator", "citation_checker", "answer_verifier", "final_format"]
    assert [call[2] for call in kit.generator.calls] == [0, 2]
    shown = history(graph, run.thread_id)
    branches = [s for s in shown if s.node == "final_format"]
    assert len(branches) == 2 and set(compare(run, other)) == {"attempt"}
    forked = next(s for s in shown if s.parent == before.id and s.changed.get("attempt") == (0, 2))
    assert forked.next == ("answer_generator",) and forked.forked
    assert forked.node == before.node == "context_builder"
    again = fork(graph, run.thread_id, forked.id, {"attempt": 1})
    assert again.path == other.path, "a fork of a fork goes on where the first one did"


def test_a_fork_shares_its_beginning_with_the_branch_it_left_e9():
    graph = build_audited(kit_for(checker=Queue([FABRICATED, GOOD])))
    run = ask(graph, "q")
    shown = history(graph, run.thread_id)
    assert branches(shown) == [shown], "a rollback is no fork: it is in the history itself"
    before = next(s for s in shown if s.next == ("answer_generator",))
    fork(graph, run.thread_id, before.id, {"attempt": 2})
    left, right = branches(history(graph, run.thread_id))
    parted = shown.index(before) + 1
    assert left == shown and right[:parted] == shown[:parted] and right[parted] not in left
    assert right[-1].node == left[-1].node == "final_format"


def test_fork_names_unknown_fields_checkpoints_and_waiting_threads_e9():
    graph = build_audited(kit_for())
    run = ask(graph, "q")
    with pytest.raises(KeyError, match="atempt"):
        fork(graph, run.thread_id, history(graph, run.thread_id)[2].id, {"atempt": 1})
    with pytest.raises(RunError, match="no checkpoint"):
        fork(graph, run.thread_id, "nowhere", {"attempt": 1})
    graph, run = reviewing()
    with pytest.raises(RunError, match="waits for a review"):
        fork(graph, run.thread_id, history(graph, run.thread_id)[2].id, {"attempt": 1})


def test_a_crash_between_two_nodes_can_be_carried_on():
    broken = {"on": True}

    def context(question, documents):
        if broken["on"]:
            raise KeyboardInterrupt
        return plain_context(question, documents)

    kit = kit_for(context=context)
    graph = build_audited(kit)
    with pytest.raises(KeyboardInterrupt):
        ask(graph, "q", thread_id="t")
    broken["on"] = False
    run = carry_on(graph, "t")
    assert run.path[0] == "context_builder" and run.tag == "verified"
    assert len(kit.retriever.calls) == 2, "finished nodes do not run again"
    with pytest.raises(RunError, match="nothing left"):
        carry_on(graph, "t")


def test_the_second_question_in_a_thread_starts_fresh_g9():
    graph = build_audited(kit_for(checker=Queue([FABRICATED, GOOD])))
    ask(graph, "one", thread_id="t")
    second = ask(graph, "two", thread_id="t")
    assert second.state["retry_count"] == 0 and second.state["rollbacks"] == []
    assert second.state["rewritten_queries"][0] == "two"


def test_two_threads_do_not_mix():
    graph = build_audited(kit_for())
    runs: dict[str, object] = {}

    def one(name):
        runs[name] = ask(graph, name, thread_id=name)

    workers = [threading.Thread(target=one, args=(f"q{number}",)) for number in range(8)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for name, run in runs.items():
        assert run.state["original_question"] == name and len(history(graph, name)) == 10


def some(options, at_most):
    return st.lists(st.sampled_from(options), min_size=1, max_size=at_most)


VERDICTS = [
    PASSED,
    PASSED.model_copy(update={"status": "retrieval_failed"}),
    PASSED.model_copy(update={"status": "citation_failed"}),
    PASSED.model_copy(update={"status": "conflict"}),
    OSError("x"),
]


@settings(max_examples=2000, deadline=None)
@given(
    st.sampled_from(["q", "a refund"]),
    some([NEEDED, None, Route(route="direct", reasoning="hi")], 1),
    some([ALL, NOTHING, grades(a=0.5), OSError("x")], 5),
    some([plain_context, Context(documents=(), conflicts=(HARD,)), OSError("x")], 3),
    some([GOOD, GOOD, FABRICATED, [], OSError("x")], 5),
    some(VERDICTS, 4),
    some([Generation(text="A [1].", answerable=True), Generation(text="", answerable=False)], 3),
    st.integers(0, 3),
    st.sampled_from(["approve", "edit", "reject"]),
)
def test_any_sequence_of_verdicts_ends_in_final_review_or_abstention(
    question, routes, graders, contexts, checks, verdicts, drafts, retries, action
):
    kit = kit_for(
        router=Queue(routes), grader=Queue(graders), context=Queue(contexts), checker=Queue(checks),
        verifier=Queue(verdicts), generator=Queue(drafts),
    )  # fmt: skip
    graph = build_audited(kit)
    run = ask(graph, question, config=AuditedConfig(max_retries=retries))
    assert run.state["retry_count"] <= retries and run.reason
    assert (run.tag == "needs_review") == (run.waiting is not None)
    assert question == "q" or run.tag == "needs_review"
    if run.waiting:
        decision = {"action": action, "reviewer": "R", "comment": "c", "text": "T [1]."}
        if action == "approve" and not run.waiting["draft"].strip():
            decision["action"] = "edit"  # there is nothing to approve
        run = resume(graph, run.thread_id, decision)
    assert (
        run.tag in {"verified", "best_effort", "abstained", "direct"} and run.reason and run.answer
    )
    if run.tag == "verified":
        assert run.state["checks_passed"] or run.state["decision"]["action"] == "edit"
    assert_plain(run.state)
    assert_within_schema(run, AuditedState)


@pytest.mark.parametrize(
    ("status", "retries", "to"),
    [
        ("passed", 0, "pass"),
        ("passed", 3, "pass"),
        ("retrieval_failed", 0, "query_rewriter"),
        ("retrieval_failed", 3, "human_review_queue"),
        ("citation_failed", 2, "answer_generator"),
        ("citation_failed", 3, "human_review_queue"),
        ("conflict", 0, "human_review_queue"),
        ("anything else", 0, "human_review_queue"),
    ],
)
def test_the_articles_routing_table_e7(status, retries, to):
    state = {"validation_status": status, "retry_count": retries, "max_retries": 3, "sensitive": []}
    assert route_after_check(state) == to
