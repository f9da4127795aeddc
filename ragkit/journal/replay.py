"""Replay a log: the routers decide again on the logged verdicts, and must decide the same.

Routers are pure, so that the logged state is all they need. Documents come back without their text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ragkit.journal.chain import verify

END = "__end__"


@dataclass(frozen=True)
class Decision:
    """Where a step went: `logged` is what the log says, `replayed` what the routers say now.

    `logged` is None for the last step of a run that was broken off.
    """

    run: str
    event: str
    node: str
    logged: tuple[str, ...] | None
    replayed: tuple[str, ...]
    error: str = ""

    @property
    def same(self) -> bool:
        """Whether log and routers agree; a step without a successor cannot disagree."""
        return not self.error and self.logged in (None, self.replayed)


def replay(path: str | Path, graphs: dict[str, Any] | None = None) -> list[Decision]:
    """Decide every step of an audit log again, in the order of the log.

    `graphs` holds compiled graphs of your own by name; the packaged ones need none.
    Raises ValueError when the chain is broken: what follows an edit proves nothing.
    """
    report = verify(path)
    if report.problem and not report.problem.reason.startswith("torn"):
        raise ValueError(f"{path}: {report.problem}")
    steps = [event for event in report.events if event["kind"] != "recovered"]
    children: dict[str, set[str]] = {}
    for event in steps:
        if event["parent"] and event["kind"] == "step":
            children.setdefault(event["parent"], set()).add(event["node"])
    states: dict[str, dict[str, Any]] = {}
    decisions = []
    for event in steps:
        states[event["id"]] = _after(states.get(event["parent"] or "", {}), event)
        if event["kind"] == "step":
            graph = (graphs or {}).get(event["graph"])
            decisions.append(_decide(event, states[event["id"]], children, graph))
    return decisions


def _after(before: dict[str, Any], event: dict[str, Any]) -> dict[str, Any]:
    state = {key: value for key, value in before.items() if key not in event["removed"]}
    return {**state, **_with_texts(event["changed"]), **event["verdicts"]}


def _with_texts(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_texts(inner) for inner in value]
    if isinstance(value, dict):
        if value.keys() == {"id", "sha256"}:
            return {"id": value["id"], "content": "", "metadata": {}}
        return {key: _with_texts(inner) for key, inner in value.items()}
    return value


def _decide(
    event: dict[str, Any], state: dict[str, Any], children: dict[str, set[str]], graph: Any
) -> Decision:
    went = event["next"]
    if went is None and event["id"] in children:
        went = sorted(children[event["id"]])
    try:
        chosen = _next(graph or packaged(event["graph"]), event["node"], state)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
        return Decision(event["run"], event["id"], event["node"], None, (), said)
    logged = None if went is None else tuple(sorted(went))
    return Decision(event["run"], event["id"], event["node"], logged, chosen)


def _next(graph: Any, nodes: str, state: dict[str, Any]) -> tuple[str, ...]:
    """Where a graph goes from a node in a state: its routers, and its plain edges."""
    chosen: set[str] = set()
    for node in nodes.replace("input", "__start__").split(", "):
        branches = graph.builder.branches.get(node, {}).values()
        for branch in branches:
            picked = branch.path.invoke(state)
            names = (
                picked if isinstance(picked, Sequence) and not isinstance(picked, str) else [picked]
            )
            chosen |= {branch.ends[name] if branch.ends else name for name in names}
        chosen |= _edges(graph.builder.edges, node)
    return tuple(sorted(chosen - {END}))


def _edges(edges: Iterable[tuple[str, str]], node: str) -> set[str]:
    return {target for source, target in edges if source == node}


@cache
def packaged(name: str) -> Any:
    """Return ragkit's graph of that name, built on components that must not be called.

    Raises ValueError that says how to give a graph that is not ragkit's.
    """
    from dataclasses import fields

    from langgraph.checkpoint.memory import InMemorySaver

    from ragkit.graphs import CONFIGS, build
    from ragkit.kit import Kit

    if name not in CONFIGS:
        raise ValueError(
            f"no graph called {name!r} in ragkit: replay(path, graphs={{{name!r}: graph}})"
        )
    idle = {field.name: _never for field in fields(Kit) if field.name != "name"}
    return build(name, Kit(name="replay", **idle), InMemorySaver())


def _never(*_: Any, **__: Any) -> Any:
    raise RuntimeError("a replay calls no component")
