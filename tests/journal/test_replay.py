"""The routers decide the same on the logged verdicts, and a doctored verdict shows."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from scripted import Queue, grades, scripted_kit

from ragkit.config import ArscConfig
from ragkit.graphs.arsc import build_arsc
from ragkit.graphs.naive import build_naive
from ragkit.journal import AuditLog, replay
from ragkit.journal.chain import START, seal
from ragkit.journal.lines import canonical

SOME = [grades(), grades(a=0.9), TimeoutError("x"), None]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(SOME), min_size=1, max_size=3), st.integers(1, 3), st.booleans())
def test_every_decision_is_reached_again(tmp_path_factory, replies, cap, keep):
    log = AuditLog(tmp_path_factory.mktemp("log") / "audit.jsonl")
    graph = build_arsc(scripted_kit(grader=Queue(replies)), MemorySaver() if keep else None)
    run = log.ask(graph, "q", config=ArscConfig(max_iterations=cap))
    decisions = replay(log.path)
    assert [decision.node for decision in decisions] == ["input", *run.path]
    assert all(decision.same for decision in decisions)
    went = [decision.logged for decision in decisions]
    last = () if keep else None
    assert went == [*((node,) for node in run.path), last]


def rewritten(path, change):
    """Write a log anew with one thing changed and every hash right: only replay can tell."""
    events = [json.loads(line) for line in path.read_bytes().splitlines()]
    change(events)
    previous, lines = START, []
    for event in events:
        body = {key: value for key, value in event.items() if key != "hash"}
        sealed = seal({**body, "previous": previous})
        previous = sealed["hash"]
        lines.append(canonical(sealed))
    path.write_bytes(b"\n".join(lines) + b"\n")


def test_a_doctored_verdict_in_a_rebuilt_chain_does_not_replay(log):
    log.ask(build_arsc(scripted_kit(grader=Queue([grades(a=0.9)])), MemorySaver()), "q")

    def doctor(events):
        for verdict in events[2]["verdicts"]["grades"]:
            verdict["binary_score"] = "no"

    rewritten(log.path, doctor)
    [wrong] = [decision for decision in replay(log.path) if not decision.same]
    assert (wrong.node, wrong.logged, wrong.replayed) == ("grader", ("generator",), ("rewriter",))


def test_a_broken_chain_is_not_replayed(log):
    log.ask(build_naive(scripted_kit()), "q")
    log.path.write_bytes(log.path.read_bytes().replace(b'"q"', b'"r"'))
    with pytest.raises(ValueError, match="line 1"):
        replay(log.path)


def test_a_torn_end_does_not_stop_the_replay_of_what_is_whole(log):
    log.ask(build_naive(scripted_kit()), "q")
    log.path.write_bytes(log.path.read_bytes()[:-5])
    assert [decision.node for decision in replay(log.path)] == ["input", "retriever"]


def test_a_graph_of_ones_own_must_be_given(log):
    graph = build_naive(scripted_kit())
    graph.name = "mine"
    log.ask(graph, "q")
    assert "replay(path, graphs={'mine': graph})" in replay(log.path)[0].error
    assert not replay(log.path)[0].same
    assert all(decision.same for decision in replay(log.path, {"mine": graph}))
