"""Naive RAG: what is retrieved is answered from, and the tag says that nothing was checked."""

from __future__ import annotations

import pytest
from scripted import Queue, assert_plain, assert_within_schema, edges, scripted_kit

from ragkit.config import NaiveConfig
from ragkit.graphs.naive import build_naive
from ragkit.records import Generation
from ragkit.runs import ask
from ragkit.state import NaiveState


def test_the_drawn_edges():
    assert edges(build_naive(scripted_kit())) == {
        ("start", "retriever"),
        ("retriever", "generator"),
        ("generator", "end"),
    }


def test_it_answers_from_whatever_was_found_by_embedding_alone():
    kit = scripted_kit()
    run = ask(build_naive(kit), "q", config=NaiveConfig(top_k=2))
    assert kit.retriever.calls == [("q", 2, "dense")] and kit.grader.calls == []
    assert run.answer == "An answer [1]." and run.tag == "best_effort" and "checked" in run.reason
    assert_plain(run.state)
    assert_within_schema(run, NaiveState)


def test_it_takes_the_unguarded_generator_where_there_is_one():
    kit = scripted_kit(unguarded=Queue([Generation(text="Sure thing.", answerable=True)]))
    assert ask(build_naive(kit), "q").answer == "Sure thing."


@pytest.mark.parametrize("found", [[], OSError("down")])
def test_nothing_found_abstains_with_a_reason(found):
    run = ask(build_naive(scripted_kit(retriever=Queue([found]))), "q")
    assert run.tag == "abstained" and run.reason == "nothing was retrieved" and run.answer
