"""A thread's checkpoints as a history: what each node changed, and where a rollback returned to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any


class RunError(RuntimeError):
    """A question or a decision that this thread cannot take now."""


def place(thread_id: str) -> dict[str, Any]:
    """Return the config that names a thread."""
    return {"configurable": {"thread_id": thread_id}}


@dataclass(frozen=True)
class Snapshot:
    """One checkpoint: the state after `node`, what it changed and what comes next.

    `returns_to` is the earlier checkpoint whose state a rollback restored, or None. A checkpoint
    that a fork wrote is `forked`; its node is that of the checkpoint it grew from.
    """

    id: str
    parent: str | None
    node: str
    step: int
    values: dict[str, Any]
    changed: dict[str, tuple[Any, Any]]
    next: tuple[str, ...]
    created_at: str
    returns_to: str | None = None
    forked: bool = False


def history(graph: Any, thread_id: str) -> list[Snapshot]:
    """Return a thread's checkpoints, oldest first, each with what its node changed.

    `changed` maps a key to (before, after); a key that was not there is None.
    Raises RunError for a thread that has no checkpoints.
    """
    found = list(graph.get_state_history(place(thread_id)))[::-1]
    if not found:
        raise RunError(f"thread {thread_id!r} has no checkpoints: ask a question in it first")
    by_id = {_id(snapshot.config): snapshot for snapshot in found}
    shown = [item for item in found if (item.metadata or {}).get("source") != "input"]
    snapshots = [_snapshot(item, by_id) for item in shown]
    return [replace(item, returns_to=_returned_to(item, snapshots)) for item in snapshots]


def branches(snapshots: Sequence[Snapshot]) -> list[list[Snapshot]]:
    """Return each branch of a history from the root to its end, in the order of the ends.

    A thread without a fork has one; a fork shares its first snapshots with the branch it left.
    """
    by_id = {item.id: item for item in snapshots}
    parents = {item.parent for item in snapshots}
    found = []
    for end in (item for item in snapshots if item.id not in parents):
        path = [end]
        while (parent := by_id.get(path[-1].parent or "")) is not None:
            path.append(parent)
        found.append(path[::-1])
    return found


def _returned_to(item: Snapshot, snapshots: list[Snapshot]) -> str | None:
    """Return the checkpoint whose state a rollback restored: the last one with the same way on."""
    if "rollbacks" not in item.changed or not item.values["rollbacks"]:
        return None
    earlier = snapshots[: snapshots.index(item)]
    same = [past.id for past in earlier if past.next == item.next]
    return same[-1] if same else None


def _snapshot(item: Any, by_id: dict[str | None, Any]) -> Snapshot:
    parent = by_id.get(_id(item.parent_config))
    before = parent.values if parent else {}
    keys = [*item.values, *(key for key in before if key not in item.values)]
    changed = {
        key: (before.get(key), item.values.get(key))
        for key in keys
        if before.get(key) != item.values.get(key)
    }
    metadata = item.metadata or {}
    return Snapshot(
        id=_id(item.config) or "", parent=_id(item.parent_config),
        node=_node(item, by_id).replace("__start__", "input"), forked=_is_fork(item),
        step=metadata.get("step", 0), values=dict(item.values), changed=changed,
        next=tuple(item.next), created_at=item.created_at or "",
    )  # fmt: skip


def _node(item: Any, by_id: dict[str | None, Any]) -> str:
    parent = by_id.get(_id(item.parent_config))
    if parent is not None and _is_fork(item):
        return _node(parent, by_id)
    return ", ".join(parent.next) if parent and parent.next else "input"


def _is_fork(item: Any) -> bool:
    return (item.metadata or {}).get("source") == "update"


def _id(config: Any) -> str | None:
    return config["configurable"].get("checkpoint_id") if config else None
