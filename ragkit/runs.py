"""Run a graph and read back what it did: ask, resume, history, fork, compare."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from langgraph.types import Command

from ragkit.checkpoints import RunError, Snapshot, branches, history, place
from ragkit.config import ArscConfig, GraphConfig
from ragkit.graphs.nodes import REFUSAL
from ragkit.records import Decision, decision_fault
from ragkit.state import arsc_input

__all__ = [
    "Run", "RunError", "Snapshot", "ask", "branches", "carry_on", "compare", "fork", "history",
    "resume", "waiting_threads",
]  # fmt: skip

_LOCKS: dict[str, threading.Lock] = {}

Messages = Sequence[dict[str, str]]
OnStep = Callable[[str, dict[str, Any]], None]


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
    Raises TypeError for a question that is not text or a history that is not messages,
    RunError when the thread waits for a review.
    """
    if not isinstance(question, str):
        raise TypeError(f"question must be text, not {type(question).__name__}")
    if isinstance(history, str) or not all(isinstance(message, dict) for message in history):
        raise TypeError('history must be a list of messages: [{"role": "user", "content": "..."}]')
    thread = _thread(graph, thread_id)
    if thread and _waiting(graph, thread) is not None:
        raise RunError(
            f"thread {thread} waits for a review: resume(graph, thread_id, decision) first, "
            "or ask in another thread"
        )
    entry = _entry(graph, question, config, history)
    return _run(graph, entry, question, thread, config, on_step)


def resume(
    graph: Any,
    thread_id: str,
    decision: Decision | dict[str, Any],
    *,
    config: GraphConfig | None = None,
    on_step: OnStep | None = None,
) -> Run:
    """Give a waiting thread its reviewer's decision and run it to the end.

    Raises ValueError that names the field of an incomplete decision or of an approval without a
    draft, and RunError when the thread does not wait for one: a second click changes nothing.
    """
    decided = decision.model_dump() if isinstance(decision, Decision) else decision
    with _one_at_a_time(thread_id):
        waiting = _waiting(graph, thread_id)
        if waiting is None:
            raise RunError(f"thread {thread_id} does not wait for a review: nothing was changed")
        if fault := decision_fault(decided, str(waiting.get("draft", ""))):
            raise ValueError(fault)
        entry = Command(resume=decided)
        question = str(waiting.get("question", ""))
        return _run(graph, entry, question, thread_id, config, on_step)


def carry_on(
    graph: Any, thread_id: str, *, config: GraphConfig | None = None, on_step: OnStep | None = None
) -> Run:
    """Go on with a run that was cut off between two nodes; finished nodes do not run again.

    Raises RunError when the thread is unknown, has ended, or waits for a review.
    """
    with _one_at_a_time(thread_id):
        snapshot = graph.get_state(place(thread_id))
        if snapshot.interrupts:
            raise RunError(f"thread {thread_id} waits for a review: resume it with a decision")
        if not snapshot.next:
            raise RunError(f"thread {thread_id} has nothing left to do")
        question = snapshot.values.get("original_question", snapshot.values.get("question", ""))
        return _run(graph, None, question, thread_id, config, on_step)


def fork(
    graph: Any,
    thread_id: str,
    checkpoint_id: str,
    changes: dict[str, Any],
    *,
    config: GraphConfig | None = None,
    on_step: OnStep | None = None,
) -> Run:
    """Go back to a checkpoint, change named fields and run on; the old branch stays in the history.

    Raises KeyError for a field that the state does not have, RunError for an unknown checkpoint or
    a thread that waits for a review.
    """
    if unknown := sorted(set(changes) - set(graph.channels)):
        raise KeyError(f"the state of {graph.name} has no {', '.join(unknown)}")
    with _one_at_a_time(thread_id):
        if _waiting(graph, thread_id) is not None:
            raise RunError(f"thread {thread_id} waits for a review: decide it before a fork")
        past = next((s for s in history(graph, thread_id) if s.id == checkpoint_id), None)
        if past is None:
            raise RunError(f"thread {thread_id} has no checkpoint {checkpoint_id}")
        then = {"thread_id": thread_id, "checkpoint_ns": "", "checkpoint_id": past.id}
        node = "__start__" if past.node == "input" else past.node
        graph.update_state({"configurable": then}, changes, as_node=node)
        question = past.values.get("original_question", past.values.get("question", ""))
        return _run(graph, None, question, thread_id, config, on_step)


def compare(first: Run, second: Run) -> dict[str, tuple[Any, Any]]:
    """Return the keys in which two runs' final states differ, as (first, second)."""
    keys = dict.fromkeys([*first.state, *second.state])
    return {
        key: (first.state.get(key), second.state.get(key))
        for key in keys
        if first.state.get(key) != second.state.get(key)
    }


def waiting_threads(graph: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the review queue: each waiting thread with what its reviewer is asked."""
    newest: dict[str, Any] = {}
    for item in graph.checkpointer.list(None):
        newest.setdefault(item.config["configurable"]["thread_id"], item)
    queue = [(thread, _waiting(graph, thread)) for thread in sorted(newest)]
    return [(thread, asked) for thread, asked in queue if asked is not None]


@contextmanager
def _one_at_a_time(thread_id: str) -> Iterator[None]:
    lock = _LOCKS.setdefault(thread_id, threading.Lock())
    if not lock.acquire(blocking=False):
        raise RunError(f"thread {thread_id} is being worked on: nothing was changed")
    try:
        yield
    finally:
        lock.release()


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
    options: dict[str, Any] = {"context": config, "stream_mode": ["updates", "values"]}
    if graph.checkpointer is not None:
        options["durability"] = "sync"  # a step is stored before the next one starts
    for mode, chunk in graph.stream(entry, settings, **options):
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
    snapshot = graph.get_state(place(thread))
    return dict(snapshot.interrupts[0].value) if snapshot.interrupts else None


def _source(label: int, document: dict[str, Any]) -> dict[str, Any]:
    metadata = document.get("metadata", {})
    wanted = ("title", "heading_path", "source", "url", "version", "effective_date", "kind")
    return {
        "label": label,
        "id": document["id"],
        **{k: metadata[k] for k in wanted if metadata.get(k)},
    }
