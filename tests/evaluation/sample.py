"""Small records to measure, made by hand."""

from __future__ import annotations

from typing import Any

from ragkit.evaluation.questions import Question
from ragkit.evaluation.records import EvalRecord, Shown, Step

PAGE = "The Scale plan costs $640 a month. It includes 40 seats and support around the clock."
OLD_PAGE = "The Scale plan costs $499 a month, as of 2023."
GOOD = "The Scale plan costs $640 a month [1]."
STALE = "The Scale plan costs $499 a month [2]."
FALSE = "The Scale plan comes with 12 free parrots [1]."
NO_ANSWER = {"answered_by": "none", "facts": (), "expected_tag": "abstained"}
REVIEW = {"expected_tag": "needs_review", "trap": "conflict"}


def question(name: str = "q", **gold: Any) -> Question:
    facts = {"facts": (("$640", "640 USD"),), "stale_facts": (("$499",),)}
    return Question(**{
        "id": name, "question": "What does Scale cost?", "expected_tag": "verified",
        "answered_by": "kb", **facts, **gold,
    })  # fmt: skip


def record(
    answer: str = GOOD, tag: str = "verified", gold: dict[str, Any] | None = None, **fields: Any
) -> EvalRecord:
    """Return the record of a run that was shown today's page and the old one."""
    evidence = (
        Shown(id="new", text=PAGE, source="new.md"),
        Shown(id="old", text=OLD_PAGE, source="old.md"),
    )
    path = fields.pop("path", ("retriever", "generator"))
    return EvalRecord(**{
        "rung": "naive", "graph": "naive", "kit": "test", "config": "0",
        "question": question(**(gold or {})),
        "answer": answer, "tag": tag, "evidence": evidence,
        "steps": tuple(Step(node=node, ms=1.0) for node in path), "cost_usd": 0.002,
        "tokens": {"shown": 40}, "verdicts": 4, **fields,
    })  # fmt: skip


def grade(name: str, yes: bool, score: float = 0.9, outcome: str = "ok") -> dict[str, Any]:
    said = "yes" if yes else "no"
    return {"document_id": name, "binary_score": said, "score": score, "outcome": outcome}
