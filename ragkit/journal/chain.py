"""Events chained by hash: each holds the hash of the one before, so an edit shows.

A chain proves that nothing inside it was changed, taken out or moved. It cannot prove that nothing
was cut off its end, nor that the whole file was not written anew: keep the head (the last hash) or
the count somewhere else and give it to `verify`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragkit.journal.lines import canonical

START = "0" * 64
FIELDS = frozenset({
    "seq", "id", "time", "kind", "run", "thread", "graph", "step", "node", "parent", "config",
    "inputs", "verdicts", "changed", "removed", "evidence", "next", "previous", "hash",
})  # fmt: skip


def seal(body: dict[str, Any]) -> dict[str, Any]:
    """Return the event with its hash: sha256 of its canonical form, `previous` included."""
    return {**body, "hash": hashlib.sha256(canonical(body)).hexdigest()}


@dataclass(frozen=True)
class Problem:
    """The first place where a log is not what was written. `line` counts from 1."""

    line: int
    reason: str
    event: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        named = " ".join(f"{k} {self.event[k]}" for k in ("seq", "run", "node") if k in self.event)
        return f"line {self.line}{f' ({named})' if named else ''}: {self.reason}"


@dataclass(frozen=True)
class Report:
    """What `verify` found: `events` are those before the first problem, `head` the last hash."""

    events: list[dict[str, Any]]
    problem: Problem | None
    head: str

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return self.problem is None

    @property
    def runs(self) -> list[str]:
        """The ids of the runs, in the order they began."""
        return list(dict.fromkeys(e["run"] for e in self.events if e["kind"] == "step"))

    @property
    def recovered(self) -> int:
        """How often a line that a crash had torn was set aside."""
        return sum(event["kind"] == "recovered" for event in self.events)


def verify(path: str | Path, *, head: str | None = None, count: int | None = None) -> Report:
    """Check a whole audit log and name the first bad event.

    Any edit, deletion, insertion or reordering is found. That the end was cut off can only be told
    with an anchor kept elsewhere: `head`, the hash of an event that must be there, or `count`, the
    least number of events.
    """
    *lines, torn = Path(path).read_bytes().split(b"\n")
    events: list[dict[str, Any]] = []
    problem = None
    for number, line in enumerate(lines, start=1):
        problem = _check(number, line, events, lines)
        if problem:
            break
        events.append(json.loads(line))
    if problem is None and torn:
        problem = Problem(
            len(lines) + 1, f"torn: {len(torn)} bytes without a line end, left by a crash or a cut"
        )
    found = events[-1]["hash"] if events else START
    return Report(events, problem or _cut(events, head, count), found)


def read_event(line: bytes) -> dict[str, Any] | None:
    """Return a line's event, or None when it is not one, is not canonical or its hash is wrong."""
    event = _parse(line)
    if event is None or canonical(event) != line:
        return None
    return event if _is_sealed(event) else None


def _check(
    number: int, line: bytes, before: list[dict[str, Any]], lines: Sequence[bytes]
) -> Problem | None:
    event = _parse(line)
    if event is None:
        return Problem(number, "not an event: the line was edited or added")
    if canonical(event) != line or not _is_sealed(event):
        return Problem(number, "edited: the content does not match its hash", event)
    expected = len(before)
    if event["seq"] == expected and event["previous"] == (before[-1]["hash"] if before else START):
        return None
    if event["seq"] < expected:
        return Problem(number, f"out of order or doubled: event {expected} belongs here", event)
    if event["seq"] == expected:
        return Problem(number, "does not follow the event before it: written anew", event)
    elsewhere = any((_parse(other) or {}).get("seq") == expected for other in lines[number:])
    if elsewhere:
        return Problem(number, f"out of order: event {expected} comes later", event)
    return Problem(number, f"deleted: event {expected} is missing before it", event)


def _parse(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    good = isinstance(event, dict) and event.keys() == FIELDS and type(event["seq"]) is int
    return event if good else None


def _is_sealed(event: dict[str, Any]) -> bool:
    body = {key: value for key, value in event.items() if key != "hash"}
    try:
        return seal(body)["hash"] == event["hash"]
    except ValueError:  # NaN, which no event holds
        return False


def _cut(events: list[dict[str, Any]], head: str | None, count: int | None) -> Problem | None:
    line = len(events) + 1
    if head is not None and head != START and all(event["hash"] != head for event in events):
        return Problem(line, f"the end was cut off: no event has the hash {head}")
    if count is not None and len(events) < count:
        return Problem(line, f"the end was cut off: {len(events)} events, not {count}")
    return None
