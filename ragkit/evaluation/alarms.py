"""The dead-branch alarm: a judge that always says the same, an edge that no run ever took.

Such a part decides nothing: it is broken, its threshold is out of reach, or it can go.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ragkit.evaluation.records import EvalRecord
from ragkit.evaluation.report import by_rung

ENOUGH = 20  # so many verdicts of one kind before "always the same" means something
ENDS = {"__start__", "__end__"}


@dataclass(frozen=True)
class Alarm:
    """What is suspicious on which rung."""

    rung: str
    part: str
    text: str

    def __str__(self) -> str:
        return f"{self.rung}: {self.part} {self.text}"


def find_alarms(records: Sequence[EvalRecord], graphs: dict[str, Any] | None = None) -> list[Alarm]:
    """Return the alarms of a finished measurement, by rung.

    `graphs` holds compiled graphs of your own by graph name; ragkit's need not be given.
    """
    found: list[Alarm] = []
    for rung, some in by_rung(records).items():
        found += _constant(rung, some)
        found += _untaken(rung, some, (graphs or {}).get(some[0].graph))
    return found


def _constant(rung: str, records: Sequence[EvalRecord]) -> Iterator[Alarm]:
    for part, said in _verdicts(records).items():
        counts = Counter(said)
        if len(said) >= ENOUGH and len(counts) == 1:
            yield Alarm(rung, part, f"said {said[0]!r} all {len(said)} times")


def _verdicts(records: Sequence[EvalRecord]) -> dict[str, list[str]]:
    """What each judging part said, each time it was asked."""
    return {
        "grader": [g["binary_score"] for r in records for grades in r.rounds for g in grades],
        "checker": [str(c.get("support_status")) for r in records for c in r.claims],
        # a rung that judges nothing has one tag by nature
        "tag": [r.tag for r in records if r.rounds or r.claims],
        "outcome of the web": [r.web for r in records if r.web and "closed" not in r.web],
    }


def _untaken(rung: str, records: Sequence[EvalRecord], graph: Any) -> Iterator[Alarm]:
    """The drawn ways that no run took. Needs enough runs to mean something."""
    if len(records) < ENOUGH:
        return
    if graph is None:
        from ragkit.journal.replay import packaged

        try:
            graph = packaged(records[0].graph)
        except ValueError:
            return
    taken = {edge for record in records for edge in pairwise(["__start__", *record.path])}
    taken |= {(record.path[-1], "__end__") for record in records if record.path}
    drawn = {(edge.source, edge.target) for edge in graph.get_graph().edges}
    for source, target in sorted(drawn - taken):
        names = (name.strip("_") for name in (source, target))
        yield Alarm(rung, "edge", " -> ".join(names) + f" was never taken in {len(records)} runs")
