"""One event a step: what a node changed, its verdicts, and its evidence as ids and hashes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

from ragkit.journal.lines import canonical, clean

EVIDENCE = ("evidence", "documents")  # the state's lists of documents, what is shown first
BLANK: dict[str, Any] = {
    "kind": "step", "run": "", "thread": None, "graph": "", "step": 0, "node": "", "parent": None,
    "removed": [], "evidence": [], "next": None, "inputs": {},
}  # fmt: skip


def make_event(name: str, *, config: Any = None, changed: Any = None, **fields: Any) -> dict:
    """Return an event without its place in a chain: secrets masked, document texts hashed.

    Of what changed, lists of records with an outcome are its verdicts. `config` is kept as a hash,
    None where it is not known here.
    """
    changed = changed or {}
    verdicts = {key: value for key, value in changed.items() if _is_verdict(value)}
    event = {
        **BLANK, **fields, "id": name, "verdicts": verdicts,
        "changed": {key: value for key, value in changed.items() if key not in verdicts},
        "config": config_hash(config) if config is not None else None,
    }  # fmt: skip
    return clean(_without_texts(event))


def from_checkpoints(
    graph: Any, thread: str, found: Sequence[Any], config: Any
) -> Iterator[dict[str, Any]]:
    """Yield an event a checkpoint, oldest first; `run` is left to whoever knows the parents."""
    by_id = {checkpoint_id(item.config): item for item in found}
    for item in found:
        source = item.metadata["source"]
        if source == "input":  # the step after it has the same values and more
            continue
        parent = _parent(graph, item, by_id)
        begins = parent is not None and parent.next == ("__start__",)
        before = {} if begins or parent is None else parent.values
        yield make_event(
            checkpoint_id(item.config), kind="step" if source == "loop" else source,
            thread=thread, graph=graph.name, step=item.metadata["step"], config=config,
            node="input" if begins else _ran(source, parent),
            parent=None if begins else checkpoint_id(item.parent_config),
            inputs=_inputs(item.values, config) if begins else {},
            changed=_changed(before, item.values),
            removed=[key for key in before if key not in item.values],
            evidence=evidence_of(item.values), next=list(item.next),
        )  # fmt: skip


def config_hash(config: Any) -> str:
    """Return the sha256 of a config's canonical form."""
    return hashlib.sha256(canonical(clean(plain(config)))).hexdigest()


def checkpoint_id(config: Any) -> Any:
    """Return the checkpoint that a langgraph config names, or None."""
    return config["configurable"].get("checkpoint_id") if config else None


def plain(config: Any) -> Any:
    """Return a config as plain data."""
    return config.model_dump(mode="json") if config is not None else None


def evidence_of(values: dict[str, Any]) -> list[dict[str, str]]:
    """Return id and text hash of the documents in hand."""
    shown: list[Any] = next((values[key] for key in EVIDENCE if values.get(key)), [])
    return [_without_texts(document) for document in shown]


def _parent(graph: Any, item: Any, by_id: dict[Any, Any]) -> Any:
    name = checkpoint_id(item.parent_config)
    if name is None or name in by_id:
        return by_id.get(name)
    return graph.get_state(item.parent_config)


def _ran(source: str, parent: Any) -> str:
    return ", ".join(parent.next) if source == "loop" and parent else ""


def _inputs(values: dict[str, Any], config: Any) -> dict[str, Any]:
    return {"question": values.get("question"), "config": plain(config)}


def _changed(before: dict[str, Any], after: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in after.items() if k not in before or v != before[k]}


def _is_verdict(value: Any) -> bool:
    items = value if isinstance(value, list) else [value]
    return bool(items) and all(isinstance(item, dict) and "outcome" in item for item in items)


def _without_texts(value: Any) -> Any:
    """Put a document's id and the hash of its text in its place, at any depth."""
    if isinstance(value, list):
        return [_without_texts(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if isinstance(value.get("content"), str) and isinstance(value.get("id"), str):
        digest = hashlib.sha256(value["content"].encode("utf-8", "surrogatepass")).hexdigest()
        return {"id": value["id"], "sha256": digest}
    return {key: _without_texts(inner) for key, inner in value.items()}
