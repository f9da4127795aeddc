"""Guard ablation: the audited loop with one guard switched off at a time.

What the escapes rise by without a guard is what the guard is worth, with the kit's own writer and
with one whose every draft holds a fault. A guard that changes neither is explained, or can go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from ragkit.config import AuditedConfig
from ragkit.evaluation.faulty_writer import FaultyWriter
from ragkit.evaluation.figures import Figure
from ragkit.evaluation.ladder import Rung
from ragkit.evaluation.metrics import GUARDS
from ragkit.evaluation.records import EvalRecord
from ragkit.evaluation.report import by_rung, difference
from ragkit.graphs import build
from ragkit.kit import Kit
from ragkit.records import Context, Document, Grade, Support, Verdict


def _all_relevant(_question: str, documents: Sequence[Document]) -> list[Grade]:
    return [Grade(document_id=d["id"], binary_score="yes", confidence=1.0) for d in documents]


def _all_supported(_question: str, draft: str, _documents: Sequence[Document]) -> list[Support]:
    return [Support(claim=draft, citation_id=1, support_status="supported", score=1.0)]


def _passed(*_: Any) -> Verdict:
    return Verdict(status="passed", resolved=True, complete=True)


def _everything(_question: str, documents: Sequence[Document]) -> Context:
    return Context(documents=tuple(documents))


# guard -> the component that lets everything through in its place
BLIND: dict[str, dict[str, Any]] = {
    "grader": {"grader": _all_relevant},
    "citation checker": {"checker": _all_supported},
    "verifier": {"verifier": _passed},
    "context builder": {"context": _everything},
    "vague questions": {"vague": None},
}
# guard -> the settings that switch it off
OPEN: dict[str, dict[str, Any]] = {
    "sensitive terms": {"sensitive_terms": ()},
    "entity coverage": {"min_entity_coverage": 0.0},
}

PURPOSE = {
    "grader": "keeps pages of other subjects from the writer",
    "citation checker": "holds back drafts that their sources do not support",
    "verifier": "holds back a draft beside the question, or silent on what was replaced; the "
    "grader and the offline writer leave it few of these, a chat model more",
    "context builder": "sets past editions aside and stops at statements that cannot both hold",
    "vague questions": "asks back what “that setting” is",
    "sensitive terms": "sends legal matters and refunds to a person",
    "entity coverage": "searches on, then gives up, while no page names the code or product asked "
    "for; the offline writer declines these by itself, a chat model may not",
}


@dataclass(frozen=True)
class Worth:
    """What a guard is worth: what gets out without it, and by how much more, for both writers."""

    guard: str
    own: Any
    own_rise: Any
    faulty: Any
    faulty_rise: Any

    @property
    def changes(self) -> bool:
        """Whether anything gets out that the whole loop holds back."""
        return any(
            rise is not None and rise.value > 0 for rise in (self.own_rise, self.faulty_rise)
        )


def ablations(config: AuditedConfig | None = None) -> list[Rung]:
    """Return the audited loop whole, then without each guard, as rungs to climb."""
    whole = config or AuditedConfig()
    rungs = [Rung("audited", partial(build, "audited"), whole)]
    for guard, blind in BLIND.items():
        rungs.append(Rung(f"without {guard}", _without(blind), whole))
    for guard, settings in OPEN.items():
        changed = AuditedConfig(**{**whole.model_dump(), **settings})
        rungs.append(Rung(f"without {guard}", partial(build, "audited"), changed))
    return rungs


def _without(blind: dict[str, Any]) -> Callable[[Kit], Any]:
    return lambda kit: build("audited", kit.replace(**blind))


def with_faulty_writer(kit: Kit) -> Kit:
    """Return the kit with a writer whose every draft is wrong."""
    return kit.replace(generator=FaultyWriter(kit.generator), name=f"{kit.name}, faulty writer")


def worths(own: Sequence[EvalRecord], faulty: Sequence[EvalRecord]) -> list[Worth]:
    """Return what each guard is worth, the whole loop first, from the runs of both writers."""
    sides = [(metric, by_rung(some)) for metric, some in zip(GUARDS, (own, faulty), strict=True)]
    base = next(iter(sides[0][1]))
    found = []
    for name in sides[0][1]:
        cells = []
        for metric, rungs in sides:
            rise = None if name == base else difference(metric, rungs, base, name)
            cells += [metric.measure(rungs[name]), rise]
        found.append(Worth(name.removeprefix("without "), *cells))
    return found


def worth_figures(rows: Sequence[Worth]) -> list[Figure]:
    """Return what is kept of a guard ablation: for each guard what got out, and the rise."""
    return [
        Figure(row.guard, name, result, definition, None if "rise" in name else False)
        for row in rows
        for name, result, definition in (
            ("own writer", row.own, GUARDS[0].definition),
            ("own writer, rise", row.own_rise, "against the whole loop, paired bootstrap"),
            ("faulty writer", row.faulty, GUARDS[1].definition),
            ("faulty writer, rise", row.faulty_rise, "against the whole loop, paired bootstrap"),
        )
    ]


def worth_table(rows: Sequence[Worth]) -> Any:
    """Return the table that `ragkit eval ablation` prints."""
    from rich.table import Table

    shown = Table(title="what gets out without each guard", title_justify="left")
    for column in ("without", "own writer", "rise", "faulty writer", "rise", "what it is for"):
        shown.add_column(column, overflow="fold")
    for row in rows:
        cells = (row.own, row.own_rise, row.faulty, row.faulty_rise)
        purpose = PURPOSE.get(row.guard, "the whole loop")
        shown.add_row(row.guard, *("" if c is None else str(c) for c in cells), purpose)
    return shown
