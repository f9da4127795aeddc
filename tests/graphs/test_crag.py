"""CRAG with two thresholds, strips and grounding, row by row: D0 to D7."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from pydantic import ValidationError
from scripted import Queue, assert_plain, assert_within_schema, doc, edges, grades, scripted_kit

from ragkit.config import CragConfig
from ragkit.graphs.crag import build_crag, move, verdict
from ragkit.graphs.nodes import REFUSAL
from ragkit.records import Generation, Grounding, Rewrite, Route, WebResult
from ragkit.runs import ask
from ragkit.state import CragState

NOTHING = grades()
ALL = grades(a=0.9, b=0.9)
MIXED = grades(a=0.9)
UNSURE = grades(a=0.5)
NEEDED = Route(route="vector_search", reasoning="about the product")
DIRECT = Route(route="direct", reasoning="a greeting")
PAGE = doc("w", kind="web")
GOOD = Grounding(grounded=True, useful=True)
BAD = Grounding(grounded=False, useful=True, explanation="1 of 2 claims is not supported")


def halves(document, _tokens):
    """Cut a document into two strips."""
    return [
        doc(
            f"{document['id']}.{number}",
            f"half {number} of {document['id']}",
            document_id=document["id"],
        )
        for number in (1, 2)
    ]


def first_halves(_question, strips):
    """Keep the first half of everything."""
    return grades(**{strip["id"]: 0.9 for strip in strips if strip["id"].endswith("1")})(
        None, strips
    )


def kit_for(**components):
    defaults = {
        "router": Queue([NEEDED]),
        "grader": Queue([ALL]),
        "direct": Queue([Generation(text="Hello!", answerable=True)]),
        "web": Queue([WebResult(outcome="found", documents=(PAGE,))]),
        "split": halves,
        "strip_grader": Queue([first_halves]),
        "grounder": Queue([GOOD]),
    }
    return scripted_kit(**{**defaults, **components})


def by_round(*replies):
    """Return a grader that knows which retrieval it grades for by the document names."""

    def grader(question, documents):
        return replies[min(int(documents[0]["metadata"].get("round", 0)), len(replies) - 1)](
            question, documents
        )

    return grader


def rounds(*names):
    """Return a retriever whose n-th answer is marked with its round."""
    return Queue(
        [[doc(name, round=number) for name in found] for number, found in enumerate(names)]
    )


def test_the_drawn_edges_equal_the_specification():
    assert edges(build_crag(kit_for())) == {
        ("start", "router"),
        ("router", "direct_answer"),
        ("router", "retriever"),
        ("retriever", "grader"),
        ("grader", "strips"),
        ("grader", "blend"),
        ("grader", "rewriter"),
        ("grader", "ship_tagged"),
        ("blend", "strips"),
        ("strips", "generator"),
        ("strips", "blend"),
        ("strips", "rewriter"),
        ("strips", "ship_tagged"),
        ("rewriter", "retriever"),
        ("rewriter", "ship_tagged"),
        ("generator", "grounding_check"),
        ("grounding_check", "ship"),
        ("grounding_check", "rewriter"),
        ("grounding_check", "ship_tagged"),
        ("direct_answer", "end"),
        ("ship", "end"),
        ("ship_tagged", "end"),
    }


@pytest.mark.parametrize(
    ("score", "name"),
    [
        (0.0, "dropped"),
        (0.349, "dropped"),
        (0.35, "ambiguous"),
        (0.699, "ambiguous"),
        (0.7, "kept"),
        (1.0, "kept"),
    ],
)
def test_the_two_thresholds_d3(score, name):
    assert verdict(score, CragConfig()) == name


@pytest.mark.parametrize(
    ("verdicts", "name"),
    [
        (["kept", "kept"], "strips"),
        (["kept", "dropped"], "blend"),
        (["ambiguous"], "blend"),
        (["dropped"], "rewrite"),
        ([], "rewrite"),
    ],
)
def test_the_three_moves_d3(verdicts, name):
    assert move(verdicts) == name


def test_direct_questions_skip_retrieval_d0():
    kit = kit_for(router=Queue([DIRECT]))
    run = ask(build_crag(kit), "Hi")
    assert (
        run.path == ["router", "direct_answer"]
        and run.tag == "direct"
        and kit.retriever.calls == []
    )


def test_a_follow_up_is_searched_self_contained_and_answered_in_the_users_words_d0():
    followed = Route(
        route="vector_search", reasoning="follow-up", rewritten_query="price of plan A yearly"
    )
    kit = kit_for(router=Queue([followed]))
    history = [{"role": "user", "content": "What does plan A cost?"}]
    run = ask(build_crag(kit), "and yearly?", history=history)
    assert kit.router.calls == [("and yearly?", history)]
    assert kit.retriever.calls[0][0] == "price of plan A yearly"
    assert run.state["original_question"] == "and yearly?"


def test_all_kept_goes_to_strips_and_ships_verified():
    kit = kit_for()
    run = ask(build_crag(kit), "q")
    assert run.path == [
        "router",
        "retriever",
        "grader",
        "strips",
        "generator",
        "grounding_check",
        "ship",
    ]
    assert kit.retriever.calls == [("q", 6, "hybrid")] and kit.web.calls == []
    assert [d["id"] for d in run.documents] == ["a.1", "b.1"], "strips in document order"
    assert run.tag == "verified" and run.answer == "An answer [1]."


def test_documents_are_graded_in_one_concurrent_batch_d2():
    names = "abcdef"
    meeting = threading.Barrier(6, timeout=10)

    def grader(_question, documents):
        meeting.wait()
        return grades(**dict.fromkeys(names, 0.9))(None, documents)

    kit = kit_for(grader=grader, retriever=Queue([[doc(n) for n in names]]))
    run = ask(build_crag(kit), "q")
    assert [g["document_id"] for g in run.state["grades"]] == list(names)


def test_the_concurrency_cap_is_config_d2():
    active, most, lock = 0, 0, threading.Lock()

    def grader(question, documents):
        nonlocal active, most
        with lock:
            active += 1
            most = max(most, active)
        threading.Event().wait(0.01)
        with lock:
            active -= 1
        return ALL(question, documents)

    kit = kit_for(grader=grader, retriever=Queue([[doc(n) for n in "abcdef"]]))
    ask(build_crag(kit), "q", config=CragConfig(grade_concurrency=2))
    assert most <= 2


def test_one_failing_grade_does_not_lose_the_others_d2():
    def grader(question, documents):
        if documents[0]["id"] == "a":
            raise ConnectionError("429")
        return ALL(question, documents)

    run = ask(build_crag(kit_for(grader=grader)), "q")
    assert run.state["verdicts"]["a"] == "dropped" and run.state["verdicts"]["b"] == "kept"
    assert run.tag == "verified"


def test_mixed_blends_with_the_web_d3():
    kit = kit_for(grader=Queue([grades(a=0.9, w=0.9)]))
    run = ask(build_crag(kit), "q")
    assert run.path[2:5] == ["grader", "blend", "strips"]
    assert [d["id"] for d in run.documents] == ["a.1", "w.1"]


def test_a_closed_world_never_asks_the_web_d1():
    kit = kit_for(grader=Queue([MIXED]))
    run = ask(build_crag(kit), "q", config=CragConfig(web_fallback=False))
    assert "blend" not in run.path and kit.web.calls == [] and run.tag == "verified"
    kit = kit_for(grader=Queue([NOTHING]))
    run = ask(build_crag(kit), "q", config=CragConfig(web_fallback=False))
    assert "blend" not in run.path and kit.web.calls == [] and run.tag == "abstained"


def test_ambiguous_documents_count_only_by_their_strips_d3():
    run = ask(
        build_crag(kit_for(grader=Queue([UNSURE]))), "q", config=CragConfig(web_fallback=False)
    )
    assert run.state["verdicts"]["a"] == "ambiguous" and [d["id"] for d in run.documents] == ["a.1"]
    run = ask(build_crag(kit_for(grader=Queue([UNSURE]), strip_grader=Queue([NOTHING]))), "q")
    assert run.tag == "abstained" and run.documents == []


def test_all_dropped_rewrites_twice_then_asks_the_web_once_then_ends_d3():
    kit = kit_for(grader=Queue([NOTHING]))
    run = ask(build_crag(kit), "q")
    assert run.path == [
        "router", "retriever", "grader", "rewriter", "retriever", "grader", "rewriter", "retriever",
        "grader", "blend", "strips", "ship_tagged",
    ]  # fmt: skip
    assert len(kit.web.calls) == 1 and run.answer == REFUSAL and run.tag == "abstained"
    assert "budget exhausted" in run.reason


def test_a_rewrite_can_rescue_a_full_rejection():
    kit = kit_for(retriever=rounds("ab", "ab"), grader=by_round(NOTHING, ALL))
    run = ask(build_crag(kit), "q")
    assert run.path.count("rewriter") == 1 and run.tag == "verified"


@pytest.mark.parametrize(
    "judge", [BAD, OSError("x"), None, GOOD.model_copy(update={"outcome": "truncated"})]
)
def test_a_failed_check_regenerates_once_then_ships_tagged_d5(judge):
    kit = kit_for(grounder=Queue([judge]))
    run = ask(build_crag(kit), "q")
    assert run.path.count("generator") == 2 and run.path.count("rewriter") == 1
    assert run.path[-2:] == ["grounding_check", "ship_tagged"]
    assert run.tag == "best_effort" and run.reason.startswith("budget exhausted")
    assert [call[2] for call in kit.generator.calls] == [0, 1], "the retry has changed settings"


def test_a_second_draft_that_passes_is_verified_d5():
    run = ask(build_crag(kit_for(grounder=Queue([BAD, GOOD]))), "q")
    assert run.tag == "verified" and run.state["regenerations"] == 1


def test_without_regenerations_a_failed_check_is_tagged_at_once_d5():
    run = ask(
        build_crag(kit_for(grounder=Queue([BAD]))), "q", config=CragConfig(max_regenerations=0)
    )
    assert run.path.count("generator") == 1 and run.tag == "best_effort"


def test_a_draft_without_an_answer_abstains_and_is_never_judged():
    kit = kit_for(generator=Queue([Generation(text="I cannot say.", answerable=False)]))
    run = ask(build_crag(kit), "q")
    assert run.tag == "abstained" and kit.grounder.calls == [] and "does not hold" in run.reason


def test_evidence_of_earlier_rounds_is_kept_g8():
    kit = kit_for(retriever=rounds("a", "b"), grader=Queue([ALL]), grounder=Queue([BAD, GOOD]))
    run = ask(build_crag(kit), "q")
    assert [d["id"] for d in run.documents] == ["a.1", "b.1"]


def test_no_rewrite_left_is_never_paid_g6():
    kit = kit_for(grader=Queue([NOTHING]))
    ask(build_crag(kit), "q", config=CragConfig(max_rewrites=0))
    assert kit.rewriter.calls == []


def test_a_stuck_rewriter_ends_with_its_reason_g6():
    run = ask(
        build_crag(kit_for(grader=Queue([NOTHING]), rewriter=Queue([Rewrite(query="Q?")]))), "q"
    )
    assert run.path[-2:] == ["rewriter", "ship_tagged"] and "no progress" in run.reason


def test_late_runs_start_nothing_new():
    ticks = iter(range(0, 10_000, 15))
    kit = kit_for(grader=Queue([NOTHING]), clock=lambda: float(next(ticks)))
    run = ask(build_crag(kit), "q", config=CragConfig(max_latency_ms=20_000))
    assert kit.rewriter.calls == [] and kit.web.calls == [] and run.tag == "abstained"


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"pass_threshold": 0.3}, "pass_threshold"),
        ({"fail_threshold": 0.7}, "fail_threshold"),
        ({"pass_threshold": 1.2}, "pass_threshold"),
        ({"fail_threshold": -0.1}, "fail_threshold"),
        ({"fail_threshold": float("nan")}, "fail_threshold"),
        ({"max_rewrites": -1}, "max_rewrites"),
        ({"max_rewrites": True}, "max_rewrites"),
        ({"grade_concurrency": 0}, "grade_concurrency"),
        ({"treshold": 0.5}, "treshold"),
    ],
)
def test_a_bad_config_names_its_field_g10(values, field):
    with pytest.raises(ValidationError, match=field):
        CragConfig(**values)


def test_one_compiled_graph_serves_every_slider_position_g10():
    graph = build_crag(kit_for(grader=Queue([grades(a=0.6, b=0.9)])))
    strict = CragConfig(fail_threshold=0.65, web_fallback=False)
    lax = CragConfig(pass_threshold=0.55, web_fallback=False)
    assert ask(graph, "q", config=strict).state["verdicts"] == {"a": "dropped", "b": "kept"}
    assert ask(graph, "q", config=lax).state["verdicts"] == {"a": "kept", "b": "kept"}


def test_the_verdict_log_tells_the_whole_run_d7():
    kit = kit_for(
        retriever=rounds("ab", "ab"), grader=by_round(NOTHING, ALL), grounder=Queue([BAD, GOOD])
    )
    run = ask(build_crag(kit), "q")
    assert [event["event"] for event in run.state["log"]] == [
        "routed", "graded", "rewritten", "graded", "strips", "grounded", "rewritten", "graded",
        "strips", "grounded",
    ]  # fmt: skip


def test_the_second_question_in_a_thread_starts_fresh_g9():
    graph = build_crag(kit_for(grader=by_round(NOTHING)), MemorySaver())
    ask(graph, "one", thread_id="t")
    second = ask(graph, "two", thread_id="t")
    assert second.state["rewrites"] == 2 and second.state["queries"][0] == "two"


def some(options, at_most):
    return st.lists(st.sampled_from(options), min_size=1, max_size=at_most)


@settings(max_examples=2000, deadline=None)
@given(
    st.sampled_from([NEEDED, NEEDED, NEEDED, DIRECT, None, OSError("x")]),
    some([NOTHING, ALL, MIXED, UNSURE, grades(w=1), OSError("x"), None], 6),
    some([first_halves, NOTHING, OSError("x")], 3),
    some([Rewrite(query="n1"), Rewrite(query="n2"), Rewrite(query=""), OSError("x")], 3),
    some([[], [doc("a"), doc("b")], [doc("a")] * 200, OSError("x")], 3),
    st.sampled_from(
        [WebResult(outcome="found", documents=(PAGE,)), WebResult(outcome="empty"), OSError("x")]
    ),
    some([GOOD, BAD, OSError("x")], 3),
    some(
        [
            Generation(text="A [1].", answerable=True),
            Generation(text="", answerable=True),
            OSError("x"),
        ],
        2,
    ),
    st.integers(0, 3),
    st.integers(0, 2),
    st.booleans(),
)
def test_no_walk_exceeds_a_budget_or_ends_untagged(
    routed,
    graders,
    strippers,
    rewritten,
    found,
    web,
    judges,
    drafts,
    rewrites,
    regenerations,
    open_world,
):
    kit = kit_for(
        router=Queue([routed]), grader=Queue(graders), strip_grader=Queue(strippers),
        rewriter=Queue(rewritten), retriever=Queue(found), web=Queue([web]),
        grounder=Queue(judges), generator=Queue(drafts),
    )  # fmt: skip
    config = CragConfig(
        max_rewrites=rewrites, max_regenerations=regenerations, web_fallback=open_world
    )
    run = ask(build_crag(kit), "q", config=config)
    assert (
        run.tag in {"verified", "best_effort", "abstained", "direct"} and run.reason and run.answer
    )
    assert len(kit.rewriter.calls) <= rewrites + regenerations
    assert len(kit.retriever.calls) <= rewrites + regenerations + 1
    assert len(kit.generator.calls) <= regenerations + 1 and len(kit.web.calls) <= open_world
    if run.tag == "verified":
        assert run.state["grounding"]["grounded"] and run.documents
    assert_plain(run.state)
    assert_within_schema(run, CragState)
