"""What is right in notebook 1: facts as wholes, newest editions, a third node, two errors."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from ragkit.exercises import Unsolved, exercise, expect, require


def _edition(name: str, title: str, day: int | None, product: str = "Tarnfield") -> dict[str, Any]:
    dated = {"effective_day": day} if day else {}
    about = {"title": title, "product": product, **dated}
    return {"id": name, "content": name, "metadata": about}


_OLD = _edition("prices-2023", "Prices", 20230601)
_NEW = _edition("prices-2026", "Prices", 20260201)
_OTHER = _edition("prices-of-relay", "Prices", 20240101, product="Relay")
_UNDATED = _edition("prices-undated", "Prices", None)
_EDGES = {
    ("__start__", "retriever"), ("retriever", "editions"), ("editions", "generator"),
    ("generator", "__end__"),
}  # fmt: skip


@exercise(
    "01-states",
    wrong=[
        lambda answer, value: value in answer,
        lambda answer, value: value.lower() in answer.lower().split(),
        lambda answer, value: f" {value} " in f" {answer} ",
    ],
)
def _(states: Any) -> None:
    expect(states("It costs $49 a month.", "$49"), True, "$49 is in “It costs $49 a month.”")
    expect(states("It costs $499 a month.", "$49"), False, "$49 is not in “$499”")
    expect(states("It takes 15 days.", "5 days"), False, "5 days is not in “15 days”")
    expect(states("It takes 5 days.", "5 days"), True, "a full stop may follow")
    expect(states("Every 30 days (at most).", "every 30 days"), True, "case does not count")
    expect(states("It costs 4x9 dollars.", "4.9"), False, "a full stop is no wildcard")


@exercise(
    "01-newest",
    wrong=[
        lambda documents: documents,
        lambda documents: [max(documents, key=lambda d: d["metadata"].get("effective_day", 0))],
        lambda documents: [d for d in documents if d["metadata"].get("effective_day") == 20260201],
        lambda documents: sorted(documents, key=lambda d: d["id"])[1:],
    ],
)
def _(newest: Any) -> None:
    found = newest([_OLD, _NEW])
    if found is None or found is ...:
        raise Unsolved
    expect(_names(found), ["prices-2026"], "the price list of 2023 has a newer edition")
    expect(_names(newest([_OLD])), ["prices-2023"], "no newer edition was found, so it stays")
    kept = _names(newest([_OLD, _OTHER, _NEW]))
    expect(kept, ["prices-of-relay", "prices-2026"], "another product's page is another page")
    kept = _names(newest([_UNDATED, _OLD, _NEW]))
    expect(kept, ["prices-undated", "prices-2026"], "without a day it is neither old nor new")


@exercise(
    "01-dated",
    wrong=[lambda nodes, newest: _chain(nodes, None), lambda nodes, newest: _chain(nodes, list)],
)
def _(build_dated: Any) -> None:
    from ragkit.runs import ask
    from ragkit.show import edges_of

    graph = build_dated(_nodes(), lambda documents: documents[-1:])
    if graph is None or graph is ...:
        raise Unsolved
    missing = sorted(_EDGES - edges_of(graph))
    require(not missing, f"the edge {missing[0] if missing else ''} is missing")
    require(edges_of(graph) == _EDGES, f"there are edges too many: {edges_of(graph) - _EDGES}")
    run = ask(graph, "What does the Scale plan cost?")
    expect(run.path, ["retriever", "editions", "generator"], "the nodes in their order")
    expect(run.answer, "prices-2026", "the writer must be shown what `newest` keeps, and no more")


@exercise(
    "01-errors",
    wrong=[
        lambda cut, pairs: (sum(best < cut for best, _ in pairs), 0),
        lambda cut, pairs: (sum(a and b <= cut for b, a in pairs), sum(not a for _, a in pairs)),
        lambda cut, pairs: (
            sum(not a and b >= cut for b, a in pairs), sum(a and b < cut for b, a in pairs)
        ),
    ],
)  # fmt: skip
def _(errors_at: Any) -> None:
    pairs = [(0.2, True), (0.5, True), (0.6, True), (0.3, False), (0.7, False)]
    expect(errors_at(0.5, pairs), (1, 1), "at 0.5: one answerable is below, one other is not")
    expect(errors_at(0.0, pairs), (0, 2), "at 0 nothing is refused")
    expect(errors_at(1.0, pairs), (3, 0), "at 1 everything is refused")


def _names(documents: Any) -> list[str]:
    return [document["id"] for document in documents]


def _nodes() -> Any:
    """The two nodes on a kit that finds both editions and says which documents it was shown."""
    from ragkit.graphs.naive import NaiveNodes
    from ragkit.kit import Kit
    from ragkit.records import Generation

    def write(question: str, documents: Any, attempt: int = 0) -> Generation:
        return Generation(text=" ".join(_names(documents)), answerable=True)

    kit = Kit(
        name="offline: for an exercise", retriever=lambda query, k, strategy: [_OLD, _NEW],
        grader=lambda question, documents: [], generator=write,
        rewriter=lambda question, failed, documents: None,
    )  # fmt: skip
    return NaiveNodes(kit)


def _chain(nodes: Any, editions: Any) -> Any:
    """A wrong graph: without the node in the middle, or with one that keeps everything."""
    from langgraph.graph import StateGraph

    from ragkit.config import NaiveConfig
    from ragkit.state import NaiveState

    builder = StateGraph(NaiveState, context_schema=NaiveConfig)
    steps = {"retriever": nodes.retriever, "generator": nodes.generator}
    if editions:
        middle = {"editions": lambda state: {"documents": editions(state["documents"])}}
        steps = {"retriever": nodes.retriever, **middle, "generator": nodes.generator}
    for name, node in steps.items():
        builder.add_node(name, node)
    path = ["__start__", *steps, "__end__"]
    for start, end in pairwise(path):
        builder.add_edge(start, end)
    return builder.compile()
