"""The audit log (audited-rollback article, E10): one event a step, from the checkpoints themselves.

Events are written as the run goes and are keyed by checkpoint id. What a crash kept from being
written is written at the next `sync` of the thread, and what is there already is not written
again: the log loses nothing and doubles nothing, on resume, on replay, from several processes.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

from ragkit.journal.chain import START, read_event, seal
from ragkit.journal.events import (
    checkpoint_id,
    config_hash,
    evidence_of,
    from_checkpoints,
    make_event,
    plain,
)
from ragkit.journal.lines import canonical, locked, set_torn_aside, write_line
from ragkit.runs import Run, ask


class AuditLog:
    """One file, one chain; any number of runs, threads and processes may write to it."""

    def __init__(self, path: str | Path, *, now: Callable[[], datetime] | None = None) -> None:
        self.path = Path(path)
        self._now = now or (lambda: datetime.now(UTC))
        self._read = 0
        self._seq = 0
        self._head = START
        self._runs: dict[str, str] = {}  # event id -> run
        self._configs: dict[str, str] = {}  # run -> hash of the config it began with

    @property
    def head(self) -> str:
        """The hash of the last event known: keep it elsewhere to notice a cut end."""
        return self._head

    def ask(
        self, graph: Any, question: str, *, thread_id: str | None = None, **options: Any
    ) -> Run:
        """Ask as `runs.ask` does and log every step, also when the run breaks off."""
        listener = options.pop("on_step", None)
        config = options.get("config")
        if graph.checkpointer is None:
            step = self.follow(graph.name, question, config)
            return ask(graph, question, on_step=_both(step, listener), **options)
        thread = thread_id or uuid.uuid4().hex
        step = lambda *_: self.sync(graph, thread, config, newest=True)  # noqa: E731
        with self.watch(graph, thread, config):
            return ask(graph, question, thread_id=thread, on_step=_both(step, listener), **options)

    @contextmanager
    def watch(self, graph: Any, thread_id: str, config: Any = None) -> Iterator[None]:
        """Log what happens to a thread inside the block, also when it breaks off.

        For `resume`, `carry_on` and `fork`: `with log.watch(graph, thread): resume(...)`.
        """
        try:
            yield
        finally:
            self.sync(graph, thread_id, config)

    def sync(self, graph: Any, thread_id: str, config: Any = None, *, newest: bool = False) -> int:
        """Write the events of a thread's checkpoints that are not in the file; return how many.

        Without a `config`, events keep the one that their run began with. `newest` stops at the
        first one that is there, which is enough while a run goes on.
        """
        found = []
        for item in graph.get_state_history({"configurable": {"thread_id": thread_id}}):
            if newest and checkpoint_id(item.config) in self._runs:
                break
            found.append(item)
        return self._write(from_checkpoints(graph, thread_id, found[::-1], config))

    def follow(
        self, graph: str, question: str, config: Any = None, run: str | None = None
    ) -> Callable[[str, dict[str, Any]], None]:
        """Return an `on_step` that logs a run without checkpoints, step by step."""
        run = run or uuid.uuid4().hex
        inputs = {"question": question, "config": plain(config)}
        self._write([make_event(f"{run}:0", run=run, graph=graph, node="input", config=config,
                                inputs=inputs, changed={"question": question})])  # fmt: skip
        steps = count(1)
        state: dict[str, Any] = {}

        def on_step(node: str, update: dict[str, Any]) -> None:
            step = next(steps)
            state.update(update)
            self._write([make_event(f"{run}:{step}", run=run, graph=graph, node=node, step=step,
                                    parent=f"{run}:{step - 1}", config=config, changed=update,
                                    evidence=evidence_of(state))])  # fmt: skip

        return on_step

    def _write(self, events: Iterable[dict[str, Any]]) -> int:
        written = 0
        with locked(self.path):
            self._catch_up()
            for event in events:
                if event["id"] in self._runs:
                    continue
                run = event["run"] or self._runs.get(event["parent"] or "", event["id"])
                config = event["config"] or self._configs.get(run) or config_hash(None)
                self._append({**event, "run": run, "config": config})
                written += 1
        return written

    def _catch_up(self) -> None:
        """Read what others wrote since, and set aside what a crash left torn."""
        torn, lines = set_torn_aside(self.path, self._read)
        for line in lines:
            event = read_event(line)
            if event is None or event["previous"] != self._head:
                raise ValueError(
                    f"{self.path} was edited at event {self._seq}: run `ragkit audit verify` on "
                    "it, move it away and start a new log"
                )
            self._remember(event, line)
        if torn:
            found = {"bytes": len(torn), "sha256": hashlib.sha256(torn).hexdigest()}
            event = make_event(f"recovered:{self._seq}", kind="recovered", inputs=found)
            self._append({**event, "config": config_hash(None)})

    def _append(self, event: dict[str, Any]) -> None:
        body = {**event, "seq": self._seq, "time": self._now().isoformat(), "previous": self._head}
        sealed = seal(body)
        line = canonical(sealed)
        write_line(self.path, line)
        self._remember(sealed, line)

    def _remember(self, event: dict[str, Any], line: bytes) -> None:
        self._read += len(line) + 1
        self._seq, self._head = event["seq"] + 1, event["hash"]
        self._runs[event["id"]] = event["run"]
        self._configs.setdefault(event["run"], event["config"])


def _both(first: Callable[..., None], second: Callable[..., None] | None) -> Callable[..., None]:
    def call(node: str, update: dict[str, Any]) -> None:
        first(node, update)
        if second:
            second(node, update)

    return call
