"""A run's history, one card a step: which node, how long, and what it changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ragkit.show.changes import badge, change_row, difference
from ragkit.show.page import Picture, bar, chip, escape, folded, stack, tag

Change = tuple[Any, Any]
LIMITS = {"iteration_count": "max_iterations"}


@dataclass(frozen=True)
class Step:
    """One row of a timeline, made from a Snapshot or from one entry of `Run.steps`."""

    node: str
    changed: dict[str, Change]
    values: dict[str, Any]
    ms: float | None = None
    id: str = ""
    parent: str | None = None
    next: tuple[str, ...] = ()
    returns_to: str | None = None
    forked: bool = False


def timeline(
    history: Any,
    other: Any = None,
    *,
    names: tuple[str, str] = ("this branch", "the other branch"),
    limits: Mapping[str, float] | None = None,
    title: str = "",
) -> Picture:
    """Show a history step by step; with `other`, two branches side by side from where they part.

    Args:
        history: Snapshots from `runs.history`, a Run, or its `steps`.
        limits: the most a counter in the state may reach, `{"retry_count": 3}`, drawn as a gauge.
    """
    steps = steps_of(history)
    head = tag("div", escape(title), "rk-title") if title else ""
    caps = dict(limits or {})
    if other is None:
        return Picture(head + _cards(steps, caps), as_text(steps))
    others = steps_of(other)
    shared = _shared(steps, others)
    columns = [
        tag("div", tag("div", chip(tone, name), "rk-line") + _cards(branch, caps, shared))
        for name, branch, tone in zip(names, (steps, others), ("path", "web"), strict=True)
    ]
    before = f"{shared} steps in common" if shared else "nothing in common"
    body = head + (folded(before, _cards(steps[:shared], caps)) if shared else "")
    body += stack(columns, "rk-row rk-branches") + _differences(steps, others, names)
    text = (
        f"{before}\n{names[0]}:\n{as_text(steps[shared:])}\n{names[1]}:\n{as_text(others[shared:])}"
    )
    return Picture(body, text)


def steps_of(history: Any) -> list[Step]:
    """Return the rows of a timeline from Snapshots, a Run or its steps."""
    entries = list(getattr(history, "steps", history))
    if all(isinstance(entry, Mapping) for entry in entries):
        return _from_updates(entries)
    return _from_snapshots(entries)


def as_text(steps: Sequence[Step]) -> str:
    """Return one line a step."""
    return "\n".join(
        f"{step.node}: changed {', '.join(step.changed) or 'nothing'}" for step in steps
    )


# --- reading records -----------------------------------------------------------------------------


def _from_updates(entries: Sequence[Mapping[str, Any]]) -> list[Step]:
    values: dict[str, Any] = {}
    made = []
    for number, entry in enumerate(entries):
        update = entry["update"] or {}
        changed = {k: (values.get(k), v) for k, v in update.items() if values.get(k) != v}
        values = {**values, **update}
        following = (entries[number + 1]["node"],) if number + 1 < len(entries) else ()
        made.append(Step(entry["node"], changed, values, entry.get("ms"), next=following))
    return made


def _from_snapshots(entries: Sequence[Any]) -> list[Step]:
    made, earlier = [], None
    for entry in entries:
        ms = _milliseconds(earlier, entry.created_at)
        known = {"id": entry.id, "parent": entry.parent, "next": tuple(entry.next)}
        known["returns_to"] = getattr(entry, "returns_to", None)
        known["forked"] = getattr(entry, "forked", False)
        made.append(Step(entry.node, dict(entry.changed), dict(entry.values), ms, **known))
        earlier = entry.created_at
    return made


def _milliseconds(earlier: str | None, later: str) -> float | None:
    try:
        span = datetime.fromisoformat(later) - datetime.fromisoformat(earlier or "")
    except ValueError:
        return None
    return span.total_seconds() * 1000


def _shared(one: Sequence[Step], other: Sequence[Step]) -> int:
    """Return how many steps two branches have in common, by checkpoint id or by what they did."""
    count = 0
    for a, b in zip(one, other, strict=False):
        same = a.id == b.id if a.id and b.id else (a.node, a.changed) == (b.node, b.changed)
        if not same:
            break
        count += 1
    return count


# --- cards ---------------------------------------------------------------------------------------


def _cards(steps: Sequence[Step], limits: Mapping[str, float], start: int = 0) -> str:
    """Return the steps from `start` on; a step may have gone back to one before it."""
    at = {step.id: number for number, step in enumerate(steps) if step.id}
    return stack(
        (
            _card(step, number, _went_back(step, number, at), limits)
            for number, step in enumerate(steps[start:], start)
        ),
        "rk-steps",
    )


def _went_back(step: Step, number: int, at: Mapping[str, int]) -> int | None:
    """Return the step whose state a rollback restored, or that a fork grew from."""
    if step.returns_to in at:
        return at[step.returns_to]
    origin = at.get(step.parent or "")
    return origin if origin is not None and origin != number - 1 else None


def _card(step: Step, number: int, back: int | None, limits: Mapping[str, float]) -> str:
    words = [tag("span", escape(step.node), "rk-title rk-mono")]
    if step.forked:
        words.append(chip("web", "fork: changed by hand", "✎"))
    if back is not None:
        words.append(chip("web", f"back to step {back}", "↩"))
    if step.ms is not None:
        words.append(tag("span", _duration(step.ms), "rk-soft rk-small"))
    tag_now = step.values.get("tag")
    if tag_now and "tag" in step.changed:
        words.append(badge(str(tag_now)))
    words.append(_counters(step, limits))
    head = tag("div", "".join(words), "rk-line")
    rows = "".join(change_row(key, *change) for key, change in step.changed.items())
    body = rows or tag("div", "changed nothing", "rk-soft rk-small")
    dot = tag("span", str(number), "rk-dot")
    return tag("div", dot + tag("div", head + body, "rk-card"), "rk-step")


def _duration(ms: float) -> str:
    return f"{ms:.0f} ms" if ms < 1000 else f"{ms / 1000:.1f} s"


def _counters(step: Step, limits: Mapping[str, float]) -> str:
    """Return a gauge for every counter whose limit is known and that this step moved."""
    shown = []
    for key in step.changed:
        limit = limits.get(key, step.values.get(LIMITS.get(key, "")))
        value = step.values.get(key)
        if not isinstance(value, int | float) or not limit:
            continue
        tone = "bad" if value >= limit else "path"
        label = f"{key} {value:g} of {limit:g}"
        shown.append(bar(value / limit, tone, label, kind="rk-bar rk-counter"))
    return "".join(shown)


def _differences(one: Sequence[Step], other: Sequence[Step], names: tuple[str, str]) -> str:
    """Return what differs where two branches end."""
    if not one or not other:
        return ""
    left, right = one[-1].values, other[-1].values
    keys = [k for k in {**left, **right} if left.get(k) != right.get(k)]
    if not keys:
        return tag("div", "Both branches end in the same state.", "rk-note rk-muted")
    head = tag("tr", "".join(tag("th", escape(n)) for n in ("at the end", *names)))
    rows = "".join(
        tag(
            "tr",
            tag("td", escape(key), "rk-mono")
            + "".join(tag("td", difference(None, side.get(key))) for side in (left, right)),
        )
        for key in keys
    )
    return tag("div", tag("table", tag("thead", head) + tag("tbody", rows), "rk-table"), "rk-wrap")
