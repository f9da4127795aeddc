"""Corrective RAG by count, row by row: C1 to C5."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from scripted import Queue, assert_plain, assert_within_schema, doc, edges, grades, scripted_kit

from ragkit.config import CorrectiveConfig
from ragkit.graphs.corrective import NOT_ENOUGH, build_corrective
from ragkit.records import Generation, Grounding, Rewrite, Route, WebResult
from ragkit.runs import ask
from ragkit.state import CorrectiveState

NOTHING = grades()
NEEDED = Route(route="vector_search", reasoning="about the product")
DIRECT = Route(route="direct", reasoning="a greeting")
PAGE = doc("w", kind="web")
GOOD = Grounding(grounded=True, useful=True)
BAD = Grounding(grounded=False, useful=True, explanation="1 of 2 claims is not supported")


def kit_for(**components):
    defaults = {
        "router": Queue([NEEDED]),
        "retriever": Queue([[doc(name) for name in "abcd"], [doc(name) for name in "bef"]]),
        "direct": Queue([Generation(text="Hello!", answerable=True)]),
        "web": Queue([WebResult(outcome="found", documents=(PAGE,))]),
        "grounder": Queue([GOOD]),
    }
    return scripted_kit(**{**defaults, **components})


def test_the_drawn_edges_equal_the_specification():
    assert edges(build_corrective(kit_for())) == {
        ("start", "router"),
        ("router", "direct_answer"),
        ("router", "retriever"),
        ("retriever", "grader"),
        ("grader", "generator"),
        ("grader", "rewriter"),
        ("grader", "web_search"),
        ("rewriter", "secondary_retriever"),
        ("rewriter", "generator"),
        ("secondary_retriever", "secondary_grader"),
        ("web_search", "secondary_grader"),
        ("secondary_grader", "generator"),
        ("secondary_grader", "fallback"),
        ("generator", "hallucination_guard"),
        ("hallucination_guard", "end"),
        ("direct_answer", "end"),
        ("fallback", "end"),
    }


def test_no_retrieval_needed_answers_directly_c1():
    run = ask(build_corrective(kit_for(router=Queue([DIRECT]))), "Hi")
    assert run.path == ["router", "direct_answer"] and run.tag == "direct"
    run = ask(build_corrective(kit_for(router=Queue([DIRECT]), direct=None)), "Hi")
    assert run.tag == "abstained" and run.reason


def test_hybrid_search_of_four_c2():
    kit = kit_for()
    ask(build_corrective(kit), "q")
    assert kit.retriever.calls == [("q", 4, "hybrid")]


def test_small_chunks_are_matched_and_their_section_is_shown_c2():
    parent = doc("section", "a and b in one section")
    kit = kit_for(section=Queue([parent]))
    run = ask(build_corrective(kit), "q")
    assert (
        [d["id"] for d in kit.generator.calls[0][1]]
        == ["section"]
        == [d["id"] for d in run.documents]
    )
    assert {call[1][0]["id"] for call in kit.grader.calls} == {"a", "b", "c", "d"}


def test_each_document_is_graded_by_itself_at_once_c3():
    meeting = threading.Barrier(4, timeout=10)

    def grader(_question, documents):
        assert len(documents) == 1
        meeting.wait()
        return grades(a=0.9, b=0.9)(None, documents)

    run = ask(build_corrective(kit_for(grader=grader)), "q")
    assert [g["document_id"] for g in run.state["grades"]] == ["a", "b", "c", "d"], "order kept"


def test_one_failing_grade_loses_only_its_own_document():
    def grader(_question, documents):
        if documents[0]["id"] == "b":
            raise TimeoutError("late")
        return grades(a=0.9, c=0.9)(None, documents)

    run = ask(build_corrective(kit_for(grader=grader)), "q")
    assert run.state["branch"] == "correct" and [d["id"] for d in run.documents] == ["a", "c"]
    assert [g["outcome"] for g in run.state["grades"]] == ["ok", "transport", "ok", "ok"]


@pytest.mark.parametrize(
    ("scores", "branch", "path"),
    [
        ({"a": 0.9, "b": 0.9}, "correct", ["generator", "hallucination_guard"]),
        (
            {"a": 0.9},
            "ambiguous",
            [
                "rewriter",
                "secondary_retriever",
                "secondary_grader",
                "generator",
                "hallucination_guard",
            ],
        ),
        ({}, "incorrect", ["web_search", "secondary_grader", "fallback"]),
    ],
)
def test_the_count_picks_the_branch_c4(scores, branch, path):
    run = ask(build_corrective(kit_for(grader=grades(**scores))), "q")
    assert run.state["branch"] == branch and run.path[3:] == path


def test_the_secondary_harvest_is_three_graded_and_joined_to_the_one_c4():
    kit = kit_for(grader=grades(a=0.9, e=0.9))
    run = ask(build_corrective(kit), "q")
    assert kit.retriever.calls[1] == ("q v1", 3, "hybrid")
    assert [d["id"] for d in run.documents] == ["a", "e"] and run.tag == "verified"


def test_none_relevant_goes_to_the_web_and_grades_it_c4():
    kit = kit_for(grader=grades(w=0.9))
    run = ask(build_corrective(kit), "q")
    assert [d["id"] for d in run.documents] == ["w"] and run.tag == "verified"


@pytest.mark.parametrize(
    "outcome",
    [
        WebResult(outcome="failed", detail="401"),
        WebResult(outcome="empty"),
        OSError("x"),
        "<html>",
        None,
    ],
)
def test_a_web_search_without_pages_refuses_and_says_why(outcome):
    run = ask(build_corrective(kit_for(grader=NOTHING, web=Queue([outcome]))), "q")
    assert run.tag == "abstained" and "web search" in run.reason and run.documents == []


def test_a_stuck_rewriter_answers_from_the_one_document():
    kit = kit_for(grader=grades(a=0.9), rewriter=Queue([Rewrite(query="q?")]))
    run = ask(build_corrective(kit), "q")
    assert run.path[3:] == ["rewriter", "generator", "hallucination_guard"]
    assert any("no progress" in flag for flag in run.state["flags"])


@pytest.mark.parametrize(
    "judge",
    [
        BAD,
        GOOD.model_copy(update={"useful": False}),
        GOOD.model_copy(update={"outcome": "refused"}),
        OSError("x"),
        None,
        True,
    ],
)
def test_the_guard_lets_nothing_out_that_it_did_not_pass_c5(judge):
    run = ask(build_corrective(kit_for(grounder=Queue([judge]))), "q")
    assert run.answer == NOT_ENOUGH and run.tag == "abstained" and "guard" in run.reason


def test_a_draft_without_an_answer_is_not_enough_information_c5():
    kit = kit_for(generator=Queue([Generation(text="I cannot say.", answerable=False)]))
    run = ask(build_corrective(kit), "q")
    assert run.answer == NOT_ENOUGH and kit.grounder.calls == []


def test_the_count_that_is_enough_is_config_g10():
    run = ask(
        build_corrective(kit_for(grader=grades(a=0.9))),
        "q",
        config=CorrectiveConfig(enough_documents=1),
    )
    assert run.state["branch"] == "correct"


def test_the_second_question_in_a_thread_starts_fresh_g9():
    graph = build_corrective(kit_for(grader=grades(a=0.9, b=0.9)), MemorySaver())
    ask(graph, "one", thread_id="t")
    second = ask(graph, "two", thread_id="t")
    assert second.state["queries"][0] == "two" and second.state["original_question"] == "two"


@settings(max_examples=2000, deadline=None)
@given(
    st.sampled_from([NEEDED, DIRECT, None, OSError("x")]),
    st.lists(
        st.sampled_from(
            [NOTHING, grades(a=0.9), grades(a=1, b=1), grades(w=1), OSError("x"), None]
        ),
        min_size=1,
        max_size=6,
    ),
    st.sampled_from([Rewrite(query="n"), Rewrite(query=""), OSError("x")]),
    st.sampled_from([[], [doc("a"), doc("b")], [doc("a")] * 200, OSError("x")]),
    st.sampled_from(
        [WebResult(outcome="found", documents=(PAGE,)), WebResult(outcome="empty"), OSError("x")]
    ),
    st.sampled_from([GOOD, BAD, OSError("x")]),
)
def test_no_walk_loops_or_ends_untagged(routed, graders, rewritten, found, web, judge):
    kit = kit_for(
        router=Queue([routed]), grader=Queue(graders), rewriter=Queue([rewritten]),
        retriever=Queue([found]), web=Queue([web]), grounder=Queue([judge]),
    )  # fmt: skip
    run = ask(build_corrective(kit), "q")
    assert run.tag in {"verified", "abstained", "direct"} and run.reason and run.answer
    assert len(kit.retriever.calls) <= 2 and len(kit.rewriter.calls) <= 1
    assert len(kit.web.calls) <= 1
    if run.tag == "verified":
        assert run.state["grounding"]["grounded"] and run.documents
    assert_plain(run.state)
    assert_within_schema(run, CorrectiveState)
