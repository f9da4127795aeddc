"""Run a graph and read back what it did: ask, resume, history, fork, compare."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragkit.config import ArscConfig, GraphConfig
from ragkit.graphs.nodes import REFUSAL
from ragkit.state import arsc_input

Messages = Sequence[dict[str, str]]
OnStep = Callable[[str, dict[str, Any]], None]


class RunError(RuntimeError):
    """A question or a decision that this thread cannot take now."""


@dataclass(frozen=True)
class Run:
    """What one question did in one graph. All values are plain data.

    `path` is the nodes in the order they finished; `steps` has each node's update and its time in
    milliseconds; `waiting` is what a person is asked, or None.
    """

    graph: str
    thread_id: str | None
    question: str
    state: dict[str, Any]
    steps: list[dict[str, Any]] = field(default_factory=list)
    waiting: dict[str, Any] | None = None

    @property
    def path(self) -> list[str]:
        """The nodes, in the order they finished."""
        return [step["node"] for step in self.steps]

    @property
    def answer(self) -> str:
        """The answer for the reader; the fixed refusal when the run has none."""
        return self.state.get("generation") or self.state.get("answer") or REFUSAL

    @property
    def tag(self) -> str:
        """verified, best_effort, abstained, needs_review or direct."""
        return "needs_review" if self.waiting else self.state.get("tag", "")

    @property
    def reason(self) -> str:
        """Why the run ended as it did."""
        if self.waiting:
            return str(self.waiting.get("reason", "waiting for a reviewer"))
        return self.state.get("reason", "")

    @property
    def documents(self) -> list[dict[str, Any]]:
        """The evidence that the answer's labels `[n]` count, 1-based."""
        return self.state.get("evidence", self.state.get("documents", []))

    @property
    def sources(self) -> list[dict[str, Any]]:
        """Title, place and date of each piece of evidence, in label order."""
        return [_source(label, doc) for label, doc in enumerate(self.documents, start=1)]

    @property
    def milliseconds(self) -> float:
        """Wall time of all steps."""
        return sum(step["ms"] for step in self.steps)


def ask(
    graph: Any,
    question: str,
    *,
    config: GraphConfig | None = None,
    thread_id: str | None = None,
    history: Messages = (),
    on_step: OnStep | None = None,
) -> Run:
    """Put one question to a compiled graph and return its Run.

    Without `thread_id` the question gets a thread of its own. `history` is the conversation before
    it, oldest first, as `{"role", "content"}`. `on_step(node, update)` is called as each node ends.
    Raises TypeError for a question that is not text, RunError when the thread waits for a review.
    """
    if not isinstance(question, str):
        raise TypeError(f"question must be text, not {type(question).__name__}")
    thread = _thread(graph, thread_id)
    if thread and _waiting(graph, thread) is not None:
        raise RunError(
            f"thread {thread} waits for a review: resume(graph, thread_id, decision) first, "
            "or ask in another thread"
        )
    entry = _entry(graph, question, config, history)
    return _run(graph, entry, question, thread, config, on_step)


def _entry(graph: Any, question: str, config: Any, history: Messages) -> dict[str, Any]:
    if graph.name == "arsc":
        return arsc_input(question, (config or ArscConfig()).max_iterations)
    return {"question": question, "history": [dict(message) for message in history]}


def _run(
    graph: Any, entry: Any, question: str, thread: str | None, config: Any, on_step: OnStep | None
) -> Run:
    settings: dict[str, Any] = {"configurable": {"thread_id": thread}} if thread else {}
    if config is not None:
        settings["recursion_limit"] = config.recursion_limit
    state: dict[str, Any] = {}
    steps: list[dict[str, Any]] = []
    waiting = None
    for kind, chunk in _stream(graph, entry, settings, config):
        if kind == "values":
            state = chunk
            continue
        node, update, ms = chunk
        if node == "__interrupt__":
            waiting = dict(update[0].value)
            continue
        steps.append({"node": node, "update": update or {}, "ms": ms})
        if on_step:
            on_step(node, update or {})
    state = {key: value for key, value in state.items() if key != "__interrupt__"}
    return Run(graph.name, thread, question, state, steps, waiting)


def _stream(graph: Any, entry: Any, settings: Any, config: Any) -> Iterator[tuple[str, Any]]:
    began = time.perf_counter()
    modes = ["updates", "values"]
    for mode, chunk in graph.stream(entry, settings, context=config, stream_mode=modes):
        if mode == "values":
            yield "values", chunk
            continue
        now = time.perf_counter()
        for node, update in chunk.items():
            yield "updates", (node, update, (now - began) * 1000)
        began = now


def _thread(graph: Any, thread_id: str | None) -> str | None:
    if graph.checkpointer is None:
        if thread_id is not None:
            raise RunError(
                "a thread needs a checkpointer: build the graph with checkpointer=MemorySaver()"
            )
        return None
    return thread_id or uuid.uuid4().hex


def _waiting(graph: Any, thread: str) -> dict[str, Any] | None:
    snapshot = graph.get_state({"configurable": {"thread_id": thread}})
    return dict(snapshot.interrupts[0].value) if snapshot.interrupts else None


def _source(label: int, document: dict[str, Any]) -> dict[str, Any]:
    metadata = document.get("metadata", {})
    wanted = ("title", "heading_path", "source", "url", "version", "effective_date", "kind")
    return {
        "label": label,
        "id": document["id"],
        **{k: metadata[k] for k in wanted if metadata.get(k)},
    }


@dataclass(frozen=True)
class Snapshot:
    """One checkpoint: the state after `node`, what it changed and what comes next."""

    id: str
    parent: str | None
    node: str
    step: int
    values: dict[str, Any]
    changed: dict[str, tuple[Any, Any]]
    next: tuple[str, ...]
    created_at: str


def history(graph: Any, thread_id: str) -> list[Snapshot]:
    """Return a thread's checkpoints, oldest first, each with what its node changed.

    `changed` maps a key to (before, after); a key that was not there is None.
    Raises RunError for a thread that has no checkpoints.
    """
    settings = {"configurable": {"thread_id": thread_id}}
    found = list(graph.get_state_history(settings))[::-1]
    if not found:
        raise RunError(f"thread {thread_id!r} has no checkpoints: ask a question in it first")
    by_id = {_id(snapshot.config): snapshot for snapshot in found}
    shown = [item for item in found if (item.metadata or {}).get("source") != "input"]
    return [_snapshot(item, by_id.get(_id(item.parent_config))) for item in shown]


def _snapshot(item: Any, parent: Any) -> Snapshot:
    before = parent.values if parent else {}
    keys = [*item.values, *(key for key in before if key not in item.values)]
    changed = {
        key: (before.get(key), item.values.get(key))
        for key in keys
        if before.get(key) != item.values.get(key)
    }
    node = ", ".join(parent.next) if parent and parent.next else "input"
    metadata = item.metadata or {}
    return Snapshot(
        id=_id(item.config) or "", parent=_id(item.parent_config),
        node=node.replace("__start__", "input"),
        step=metadata.get("step", 0), values=dict(item.values), changed=changed,
        next=tuple(item.next), created_at=item.created_at or "",
    )  # fmt: skip


def _id(config: Any) -> str | None:
    return config["configurable"].get("checkpoint_id") if config else None
