"""The citation checker in two layers (E5): markers by rule first, then each claim with its source.

It sees the draft and the documents, never how the draft was made. Offline: rules and a small
embedding model.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from ragkit.components.claims import Claim, Segment, split_segments
from ragkit.components.support import Judgement, SupportJudge
from ragkit.components.versions import Edition, VersionGroup, effective_date, group_versions
from ragkit.records import Document, Support

_OF_THE_PAST = re.compile(
    r"\b(?:until|previously|formerly|earlier|used to|replaced|superseded|deprecated|old(?:er)?|was"
    r"|were|before|edition of)\b",
    re.IGNORECASE,
)
_HARD = (
    "number", "date", "unit", "name", "negation", "opposite", "modality", "stale", "roles",
    "recurrence", "contrast", "part",
)  # fmt: skip

_EVEN = 0.5
_NO_DOCUMENT = ("out_of_range", "malformed")

Risk = Literal["low", "medium", "high"]


class OfflineChecker:
    """Checks every claim of a draft against the document of each of its labels."""

    def __init__(self, embedder: Any = None, judge: SupportJudge | None = None) -> None:
        self._embedder = embedder
        self._judge = judge

    @cached_property
    def judge(self) -> SupportJudge:
        """The judge of claims, loaded when the first claim needs one."""
        return self._judge or SupportJudge(self._embedder)

    def __call__(self, question: str, draft: str, documents: Sequence[Document]) -> list[Support]:
        """Return one record a claim and marker, in reading order; [] for a draft without claims.

        A label that names no document, or a marker that cannot be read, ends the check by rule:
        only faults of the rule layer come back and nothing is judged. A claim without a label is
        "uncited"; a marker that may be code is listed as "ambiguous" and supports nothing.
        """
        segments = split_segments(draft, len(documents))
        faults = marker_faults(segments)
        if any(fault.support_status == "fabricated" for fault in faults):
            return faults
        claims = [_claim(part) for part in segments if part.kind == "claim"]
        checked = [
            record for claim in claims for record in self.check_claim(question, claim, documents)
        ]
        return [*checked, *(fault for fault in faults if fault.support_status == "ambiguous")]

    def check_claim(
        self, question: str, claim: Claim, documents: Sequence[Document]
    ) -> list[Support]:
        """Return a record for each label of one claim, or the one that it has none."""
        if not claim.labels:
            return [uncited(claim)]
        judged = {label: self._judged(question, claim, label, documents) for label in claim.labels}
        if len(judged) > 1:
            judged = self._jointly(question, claim, judged, documents)
        return [_support(claim, label, judgement) for label, judgement in judged.items()]

    def check_label(
        self, question: str, claim: Claim, label: int, documents: Sequence[Document]
    ) -> Support:
        """Return the record of one claim against the document of one label."""
        return _support(claim, label, self._judged(question, claim, label, documents))

    def contradictions(
        self, question: str, claim: Claim, documents: Sequence[Document]
    ) -> dict[int, str]:
        """Return by label where a claim definitely differs from its source: number, date, ..."""
        found = {}
        for record in self.check_claim(question, claim, documents):
            definite = [r for r in record.reasons if r.partition(":")[0] in _HARD]
            if record.citation_id and definite and record.support_status == "unsupported":
                found[record.citation_id] = definite[0]
        return found

    def _judged(
        self, question: str, claim: Claim, label: int, documents: Sequence[Document]
    ) -> Judgement:
        source = documents[label - 1]
        judgement = self.judge(claim.text, source, claim.context, documents, question)
        if judgement.supported and (reason := self._stale(question, claim, source, documents)):
            return Judgement(False, judgement.score, (reason,), judgement.evidence)
        return judgement

    def _stale(
        self, question: str, claim: Claim, source: Document, documents: Sequence[Document]
    ) -> str:
        """Say that a newer edition is shown which no longer holds the claim, "" if none is.

        A claim that speaks of the past, or a question that asks for the edition, is not stale.
        """
        group = _superseded_in(source, documents)
        if group is None or _of_the_past(claim.text, source) or _asks_for(question, source):
            return ""
        newest: Edition = group.editions[0]
        held = (
            self.judge(claim.text, d, claim.context, documents, question) for d in newest.documents
        )
        if any(judgement.supported for judgement in held):
            return ""
        return f"stale: the edition of {newest.label} no longer says so"

    def _jointly(
        self,
        question: str,
        claim: Claim,
        judged: dict[int, Judgement],
        documents: Sequence[Document],
    ) -> dict[int, Judgement]:
        """Let several sources support a claim together, each one a part of it.

        A source that supports no part stays unsupported.
        """
        if any(judgement.supported for judgement in judged.values()):
            return judged
        parts = self.judge.parts(claim.text, documents)
        backing = {
            label: [
                self.judge(part, documents[label - 1], claim.context, documents, question)
                for part in parts
            ]
            for label in judged
        }
        covered = [any(row[i].supported for row in backing.values()) for i in range(len(parts))]
        if len(parts) < 2 or not all(covered):
            return judged
        return {
            label: Judgement(True, judged[label].score, ("together with the other labels",),
                             judged[label].evidence)
            if any(one.supported for one in row) else judged[label]
            for label, row in backing.items()
        }  # fmt: skip


@dataclass(frozen=True)
class _Words:
    """What a fault is called, how risky it is and whether it must be fixed."""

    status: Any
    risk: Risk
    fix: bool


def marker_faults(segments: Iterable[Segment]) -> list[Support]:
    """Return what rules alone find: labels of no document, unreadable or unclear markers, none.

    Markers in headings, table heads and questions are looked at too; those in code and in the list
    of sources are not.
    """
    found: list[Support] = []
    for part in segments:
        if part.kind == "sources":
            continue
        for marker in part.markers:
            if marker.status in _NO_DOCUMENT:
                said = f"{marker.text} names no document"
                found.append(_fault(part.clean, marker.label, _FABRICATED, said))
            elif marker.status == "ambiguous":
                found.append(
                    _fault(part.clean, marker.label, _AMBIGUOUS, f"{marker.text} may be code")
                )
        unread = any(marker.status in _NO_DOCUMENT for marker in part.markers)
        if part.kind == "claim" and not unread and not _claim(part).labels:
            found.append(uncited(_claim(part)))
    return found


def uncited(claim: Claim) -> Support:
    """Return the record of a factual sentence without a label of a shown document."""
    return _fault(claim.text, None, _UNCITED, "a statement without a source")


_FABRICATED = _Words("fabricated", "high", True)
_AMBIGUOUS = _Words("ambiguous", "medium", False)
_UNCITED = _Words("uncited", "medium", True)


def _fault(claim: str, label: int | None, words: _Words, reason: str) -> Support:
    return Support(
        claim=claim, citation_id=label, support_status=words.status, risk_level=words.risk,
        fix_required=words.fix, reasons=(reason,),
    )  # fmt: skip


def _claim(part: Segment) -> Claim:
    return Claim(part.clean, part.markers, part.start, part.end, part.context)


def _support(claim: Claim, label: int, judgement: Judgement) -> Support:
    definite = any(reason.partition(":")[0] in _HARD for reason in judgement.reasons)
    doubtful = definite or judgement.score < _EVEN
    risk: Risk = "low" if judgement.supported else "high" if doubtful else "medium"
    return Support(
        claim=claim.text,
        citation_id=label,
        support_status="supported" if judgement.supported else "unsupported",
        evidence_text=judgement.evidence,
        risk_level=risk,
        fix_required=not judgement.supported,
        score=judgement.score,
        reasons=judgement.reasons,
    )


def _superseded_in(source: Document, documents: Sequence[Document]) -> VersionGroup | None:
    for group in group_versions(documents):
        for edition in group.superseded:
            if any(document["id"] == source["id"] for document in edition.documents):
                return group
    return None


def _of_the_past(claim: str, source: Document) -> bool:
    day = effective_date(source)
    return bool(_OF_THE_PAST.search(claim)) or bool(day and str(day.year) in claim)


def _asks_for(question: str, source: Document) -> bool:
    day = effective_date(source)
    return bool(day and str(day.year) in question)
