"""Guard ablation: the audited loop with one guard switched off at a time.

What the escapes rise by without a guard is what the guard is worth; one that changes nothing needs
an explanation, or can go.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ragkit.config import AuditedConfig
from ragkit.evaluation.ladder import Rung
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
