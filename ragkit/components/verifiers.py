"""The last looks at an answer, offline: is it grounded, does it answer, are conflicts explained.

Rules and a small embedding model, not an LLM.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ragkit.components.citations import OfflineChecker, marker_faults
from ragkit.components.claims import Claim, split_claims, split_segments
from ragkit.components.context import explains
from ragkit.components.statements import parse_statement
from ragkit.config import VerifierConfig
from ragkit.records import Conflict, Document, Grounding, Support, Verdict

_CONFIG = VerifierConfig()
_END = re.compile(r"(?<=[.?!？])\s+")
_ALSO = re.compile(
    r",?\s+and\s+(?=(?:how|what|when|which|who|where|why|in which|by when|do|does|is|are|can"
    r"|may)\b)",
    re.IGNORECASE,
)
_AMOUNT = re.compile(
    r"\bhow (?:many|much|long|often|old|far|large|big|high|soon|quickly|fast)\b|^\W*when\b"
    r"|\b(?:price|cost|fee) of\b|\b(?:what|which) (?:year|date|day)\b",
    re.IGNORECASE,
)
_SOME_AMOUNT = re.compile(
    r"\b(?:one|a|any number|unlimited|no|never|always|immediately|at once|free|every|daily|weekly"
    r"|monthly|yearly|once|twice|half|hundred|thousand|million)\b",
    re.IGNORECASE,
)


class OfflineGrounder:
    """Judges an answer claim by claim against all its evidence, and whether it answers (D5).

    A claim with labels is judged against their documents; one without against every document, and
    it holds where one of them supports it.
    """

    def __init__(
        self,
        embedder: Any = None,
        checker: OfflineChecker | None = None,
        config: VerifierConfig = _CONFIG,
    ) -> None:
        self.checker = checker or OfflineChecker(embedder)
        self.open_part = AnswerCheck(embedder, config)

    def __call__(self, question: str, answer: str, documents: Sequence[Document]) -> Grounding:
        """Return the verdict with one record a claim; an answer without claims is not grounded."""
        faults = [
            fault
            for fault in marker_faults(split_segments(answer, len(documents)))
            if fault.support_status == "fabricated"
        ]
        claims = split_claims(answer, len(documents))
        if faults or not claims or not documents:
            said = "a cited label names no document" if faults else "the answer claims nothing"
            return Grounding(grounded=False, useful=False, claims=tuple(faults), explanation=said)
        records = [record for claim in claims for record in self._judge(question, claim, documents)]
        held = sum(record.support_status == "supported" for record in records)
        missing = self.open_part(question, answer)
        said = f"{held} of {len(records)} claims are supported"
        if missing:
            said += f"; not answered: {missing}"
        return Grounding(
            grounded=held == len(records), useful=not missing, claims=tuple(records),
            explanation=said,
        )  # fmt: skip

    def _judge(self, question: str, claim: Claim, documents: Sequence[Document]) -> list[Support]:
        if claim.labels:
            return self.checker.check_claim(question, claim, documents)
        judged = [
            self.checker.check_label(question, claim, label, documents)
            for label in range(1, len(documents) + 1)
        ]
        best = max(judged, key=lambda record: (record.support_status == "supported", record.score))
        return [best.model_copy(update={"citation_id": None})]


class OfflineVerifier:
    """Judges a citation-checked draft as a whole (E6)."""

    def __init__(self, embedder: Any = None, config: VerifierConfig = _CONFIG) -> None:
        self.open_part = AnswerCheck(embedder, config)

    def __call__(
        self,
        question: str,
        draft: str,
        documents: Sequence[Document],
        conflicts: Sequence[Conflict] = (),
    ) -> Verdict:
        """Return the verdict: conflict, retrieval_failed, citation_failed or passed.

        A hard conflict cannot be settled by any draft. A conflict over time must be explained: the
        old statement, when it held, what replaced it. Each part of the question must be answered.
        """
        hard = [conflict for conflict in conflicts if conflict.kind == "hard"]
        if hard:
            said = hard[0].explanation or hard[0].subject
            return _verdict("conflict", False, False, f"hard conflict: {said}")
        if not split_claims(draft, len(documents)):
            return _verdict("retrieval_failed", False, False, "the draft states nothing")
        missing = self.open_part(question, draft)
        if missing:
            whole = missing == question
            return _verdict("retrieval_failed", not whole, False, f"not answered: {missing}")
        for conflict in conflicts:
            if not explains(draft, conflict):
                said = f"{conflict.subject}: the draft does not say what replaced the old statement"
                return _verdict("citation_failed", True, True, said)
        return _verdict("passed", True, True, "")


@dataclass(frozen=True)
class AnswerCheck:
    """Finds the part of a question that an answer leaves open."""

    embedder: Any = None
    config: VerifierConfig = _CONFIG

    def __call__(self, question: str, answer: str) -> str:
        """Return the first part of the question that the answer leaves open, "" if none is.

        A part is open when it asks for an amount and the answer holds none, or when the answer is
        about something else: it shares no word with the question and its cosine is small.
        """
        told = parse_statement(answer)
        closeness = self._cosine(question, answer)
        for part in question_parts(question):
            wanted = {token.stem for token in parse_statement(part).tokens if token.content}
            apart = not wanted & told.stems and self.config.related > max(
                closeness, self._cosine(part, answer)
            )
            no_amount = bool(_AMOUNT.search(part)) and not (
                told.quantities or _SOME_AMOUNT.search(answer)
            )
            if apart or no_amount:
                return part
        return ""

    def _cosine(self, part: str, answer: str) -> float:
        from ragkit.embedding import default_embedder

        embedder = self.embedder or default_embedder()
        one, other = (np.array(embedder.embed_query(text)) for text in (part, answer))
        return float(one @ other)


def question_parts(question: str) -> list[str]:
    """Cut a question that asks several things; what is told before it is left out."""
    asked = [part.strip() for part in _END.split(question) if part.strip()]
    marked = [part for part in asked if part.endswith(("?", "？"))]
    parts = [piece.strip() for part in marked or asked for piece in _ALSO.split(part)]
    return [part for part in parts if len(part.split()) > 1] or [question]


def _verdict(status: Any, resolved: bool, complete: bool, explanation: str) -> Verdict:
    return Verdict(status=status, resolved=resolved, complete=complete, explanation=explanation)
