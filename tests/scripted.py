"""A kit whose components are played from lists, and checks that every graph's tests share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragkit.kit import Kit
from ragkit.records import Generation, Grade, Rewrite


def doc(name: str, text: str = "", **metadata: Any) -> dict[str, Any]:
    """Return a document called `name`."""
    return {
        "id": name,
        "content": text or f"text of {name}",
        "metadata": {"source": name, **metadata},
    }


@dataclass
class Queue:
    """A component that returns (or raises) its replies in order, the last one for ever after."""

    replies: Sequence[Any]
    calls: list[tuple[Any, ...]] = field(default_factory=list)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.calls.append(args)
        reply = self.replies[min(len(self.calls), len(self.replies)) - 1]
        if isinstance(reply, BaseException):
            raise reply
        return reply(*args) if callable(reply) else reply


def grades(**scores: float) -> Any:
    """Return a grader's reply: a score a document, yes from one half up; unnamed ones are 0."""

    def reply(_question: str, documents: Iterable[dict[str, Any]]) -> list[Grade]:
        return [graded(d["id"], scores.get(d["id"], 0.0)) for d in documents]

    return reply


def graded(name: str, score: float) -> Grade:
    """Return a grade whose `score` is the given one."""
    if score >= 0.5:
        return Grade(document_id=name, binary_score="yes", confidence=score)
    return Grade(document_id=name, binary_score="no", confidence=1 - score)


def numbered_rewrites(question: str, failed: Sequence[str], _documents: Any) -> Rewrite:
    """Return a new query every time."""
    return Rewrite(query=f"{question} v{len(failed)}")


def broken_clock() -> float:
    """A clock that cannot be read: no step can be taken with it."""
    raise OSError("the clock is broken")


def scripted_kit(**components: Any) -> Kit:
    """Return a kit that finds documents a and b, keeps both and answers; override what matters."""
    defaults = {
        "name": "scripted",
        "retriever": Queue([[doc("a"), doc("b")]]),
        "grader": Queue([grades(a=0.9, b=0.9)]),
        "rewriter": Queue([numbered_rewrites]),
        "generator": Queue([Generation(text="An answer [1].", answerable=True)]),
    }
    return Kit(**{**defaults, **components})


def assert_plain(value: Any, path: str = "state") -> None:
    """Fail unless the value is made of plain JSON values only (G1)."""
    if type(value) is dict:
        for key, inner in value.items():
            assert type(key) is str, f"{path} has the key {key!r}"
            assert_plain(inner, f"{path}.{key}")
    elif type(value) is list:
        for number, inner in enumerate(value):
            assert_plain(inner, f"{path}[{number}]")
    else:
        plain = value is None or type(value) in (str, int, float, bool)
        assert plain, f"{path} is a {type(value).__name__}"


def assert_within_schema(run: Any, schema: Any) -> None:
    """Fail when a node returned a key outside the graph's state (G2)."""
    for step in run.steps:
        extra = set(step["update"]) - set(schema.__annotations__)
        assert not extra, f"{step['node']} returned {sorted(extra)}"


def edges(graph: Any) -> set[tuple[str, str]]:
    """Return the drawn edges."""
    return {(edge.source.strip("_"), edge.target.strip("_")) for edge in graph.get_graph().edges}
