"""ARSC, row by row: A1 to A5, G1 to G9."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft7Validator
from langgraph.checkpoint.memory import MemorySaver
from scripted import (
    Queue,
    assert_plain,
    assert_within_schema,
    doc,
    edges,
    grades,
    scripted_kit,
)

from ragkit.config import ArscConfig
from ragkit.graphs.arsc import build_arsc
from ragkit.records import Generation, Rewrite
from ragkit.runs import ask, history
from ragkit.state import ArscState, arsc_input, arsc_schema

NOTHING = grades()


def test_the_drawn_edges_equal_the_specification():
    assert edges(build_arsc(scripted_kit())) == {
        ("start", "retriever"),
        ("retriever", "grader"),
        ("grader", "generator"),
        ("grader", "rewriter"),
        ("rewriter", "retriever"),
        ("rewriter", "end"),
        ("generator", "end"),
    }


def test_any_yes_keeps_only_the_yes_documents_a3():
    kit = scripted_kit(grader=Queue([grades(b=0.8)]))
    run = ask(build_arsc(kit), "q")
    assert run.path == ["retriever", "grader", "generator"]
    assert [d["id"] for d in run.documents] == ["b"]
    assert run.state["generation"] == "An answer [1]." and run.tag == "best_effort"
    [(question, given_documents)] = kit.generator.calls
    assert question == "q" and [d["id"] for d in given_documents] == ["b"]


def test_all_no_rewrites_and_retrieves_again_with_the_rewrite():
    kit = scripted_kit(grader=Queue([NOTHING, grades(a=0.9)]))
    run = ask(build_arsc(kit), "q")
    assert run.path == ["retriever", "grader", "rewriter", "retriever", "grader", "generator"]
    assert [call[0] for call in kit.retriever.calls] == ["q", "q v1"]
    assert [call[0] for call in kit.grader.calls] == ["q", "q"], "graded for the original question"


@pytest.mark.parametrize("cap", [1, 2, 5])
def test_the_cap_gives_as_many_retrievals_and_gradings_a4_a5(cap):
    kit = scripted_kit(grader=Queue([NOTHING]))
    run = ask(build_arsc(kit), "q", config=ArscConfig(max_iterations=cap))
    assert len(kit.retriever.calls) == len(kit.grader.calls) == cap
    assert len(kit.rewriter.calls) == cap - 1, "no rewrite is paid that nobody searches"
    assert run.state["iteration_count"] == cap
    assert "generation" not in run.state and run.tag == "abstained" and "cap" in run.reason
    assert sum("Retrieved" in said for said in run.state["context_history"]) == cap
    assert sum("Decision" in said for said in run.state["context_history"]) == cap


def test_rewrites_come_from_the_original_and_the_failed_queries_g3():
    kit = scripted_kit(grader=Queue([NOTHING]))
    run = ask(build_arsc(kit), "q")
    assert [call[0] for call in kit.rewriter.calls] == ["q", "q"]
    assert [call[1] for call in kit.rewriter.calls] == [["q"], ["q", "q v1"]]
    assert run.state["original_question"] == "q"


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Rewrite(query=""), "nothing better"),
        (Rewrite(query="  \n"), "nothing better"),
        (Rewrite(query="Q?"), "repeated"),
        (Rewrite(query=' "q" '), "repeated"),
        (RuntimeError("down"), "down"),
        (None, "failed"),
        (Rewrite(query="x", outcome="refused"), "refused"),
    ],
)
def test_a_rewrite_without_progress_ends_early_and_says_so_g6(reply, why):
    kit = scripted_kit(grader=Queue([NOTHING]), rewriter=Queue([reply]))
    run = ask(build_arsc(kit), "q", config=ArscConfig(max_iterations=9))
    assert run.path == ["retriever", "grader", "rewriter"]
    assert run.tag == "abstained" and "no progress" in run.reason and why in run.reason


@pytest.mark.parametrize(
    "component",
    [
        {"retriever": Queue([[]])},
        {"retriever": Queue([ConnectionError("no store")])},
        {"grader": Queue([TimeoutError("late")])},
        {"grader": Queue([None])},
    ],
    ids=["no documents", "retriever down", "grader down", "grader silent"],
)
def test_failures_never_count_as_relevant_g5(component):
    run = ask(build_arsc(scripted_kit(**component)), "q")
    assert run.tag == "abstained" and "generation" not in run.state


def test_what_failed_is_recorded():
    run = ask(build_arsc(scripted_kit(grader=Queue([TimeoutError("late")]))), "q")
    assert {grade["outcome"] for grade in run.state["grades"]} == {"transport"}
    assert any("late" in flag for flag in run.state["flags"])


@pytest.mark.parametrize(
    "reply",
    [
        Generation(text="", answerable=True),
        ValueError("boom"),
        Generation(text="No.", answerable=False),
    ],
)
def test_an_answer_that_is_none_is_tagged_abstained_g7(reply):
    run = ask(build_arsc(scripted_kit(generator=Queue([reply]))), "q")
    assert run.tag == "abstained" and run.reason and run.answer


@pytest.mark.parametrize("question", ["", "   "])
def test_a_blank_question_is_never_searched(question):
    kit = scripted_kit()
    run = ask(build_arsc(kit), question)
    assert kit.retriever.calls == [] or all(call[0].strip() for call in kit.retriever.calls)
    assert run.tag == "abstained"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"iteration_count": -1}, "iteration_count"),
        ({"max_iterations": 0}, "max_iterations"),
        ({"question": 7}, "question"),
        ({"context_history": [1]}, "context_history"),
        ({"max_iterations": None}, "max_iterations"),
    ],
)
def test_a_bad_input_names_the_field_a1(change, field):
    with pytest.raises(ValueError, match=field):
        build_arsc(scripted_kit()).invoke({**arsc_input("q"), **change})


@pytest.mark.parametrize("missing", ["iteration_count", "max_iterations", "context_history"])
def test_a_missing_field_is_named_a1(missing):
    entry = {key: value for key, value in arsc_input("q").items() if key != missing}
    with pytest.raises(ValueError, match=missing):
        build_arsc(scripted_kit()).invoke(entry)


def test_every_state_on_the_way_satisfies_the_schema_and_is_plain():
    graph = build_arsc(scripted_kit(grader=Queue([NOTHING, NOTHING, grades(a=1.0)])), MemorySaver())
    run = ask(graph, "q")
    assert_within_schema(run, ArscState)
    for snapshot in history(graph, run.thread_id):
        assert_plain(snapshot.values)
        Draft7Validator(arsc_schema()).validate(snapshot.values)


def test_the_second_question_in_a_thread_starts_fresh_g9():
    graph = build_arsc(scripted_kit(grader=Queue([NOTHING, grades(a=0.9), NOTHING])), MemorySaver())
    first = ask(graph, "one", thread_id="t")
    second = ask(graph, "two", thread_id="t")
    assert first.tag == "best_effort" and second.tag == "abstained"
    assert "generation" not in second.state and second.state["iteration_count"] == 3
    assert not any("one" in said for said in second.state["context_history"])
    raw = graph.invoke({"question": "three"}, {"configurable": {"thread_id": "t"}})
    assert raw["iteration_count"] == 3 and raw["queries"][0] == "three"


async def _gather(graph, entry):
    final = await graph.ainvoke(entry)
    streamed = [chunk async for chunk in graph.astream(entry, stream_mode="updates")]
    return final, streamed


def test_invoke_ainvoke_stream_and_astream_agree_g11():
    import asyncio

    graph = build_arsc(scripted_kit(grader=Queue([grades(a=0.9)])))
    entry = arsc_input("q")
    final, streamed = asyncio.run(_gather(graph, entry))
    assert final == graph.invoke(entry)
    assert streamed == list(graph.stream(entry, stream_mode="updates"))


@settings(max_examples=300, deadline=None)
@given(
    st.integers(1, 4),
    st.lists(
        st.sampled_from([NOTHING, grades(a=0.9), TimeoutError("x"), None, []]),
        min_size=1,
        max_size=5,
    ),
    st.lists(
        st.sampled_from(
            [Rewrite(query="n1"), Rewrite(query="n2"), Rewrite(query=""), OSError("x")]
        ),
        min_size=1,
        max_size=5,
    ),
    st.lists(
        st.sampled_from([[], [doc("a")], [doc("a")] * 3, OSError("x")]), min_size=1, max_size=5
    ),
)
def test_no_sequence_exceeds_the_cap_or_ends_untagged(cap, graders, rewrites, found):
    kit = scripted_kit(grader=Queue(graders), rewriter=Queue(rewrites), retriever=Queue(found))
    run = ask(build_arsc(kit), "q", config=ArscConfig(max_iterations=cap))
    assert run.tag in {"best_effort", "abstained"} and run.reason and run.answer
    assert len(kit.retriever.calls) <= cap and len(kit.rewriter.calls) < max(cap, 1) + 1
