"""The context builder: current editions for the generator, older ones kept aside with their date.

Section 9.3 of the audited-rollback article: the newest of a logical document is used, what it
replaced stays visible, and what nothing can order is a hard conflict for a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragkit.components.conflicts import detect_conflicts
from ragkit.components.quantities import quantities
from ragkit.components.versions import Edition, effective_date, group_versions
from ragkit.kit import ConflictDetector
from ragkit.records import Conflict, Context, Document

_CHANGE_WORDS = re.compile(
    r"\b(?:replaced|superseded|deprecated|previously|formerly|earlier|until|used to|no longer|since"
    r"|before|old(?:er)?|changed|was|were)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class ContextBuilder:
    """Build a run's context from the documents that passed the grader (E3)."""

    detect: ConflictDetector = detect_conflicts

    def __call__(self, question: str, documents: Sequence[Document]) -> Context:
        """Return current documents in their order, superseded ones, and the conflicts among all.

        An edition that the question names by its year or version is not set aside. A conflict
        between two superseded documents is none.
        """
        distinct = list({document["id"]: document for document in documents}.values())
        old = {
            document["id"]
            for group in group_versions(distinct)
            for edition in group.superseded
            if not _is_asked_for(edition, question)
            for document in edition.documents
        }
        conflicts = self.detect(question, distinct)
        return Context(
            documents=tuple(d for d in distinct if d["id"] not in old),
            superseded=tuple(d for d in distinct if d["id"] in old),
            conflicts=tuple(c for c in conflicts if not set(c.document_ids) <= old),
        )


def explain(
    draft: str, conflicts: Iterable[Mapping[str, Any]], evidence: Sequence[Document]
) -> str:
    """Return the sentence that says what newer statements replaced, "" if nothing did (E6).

    Old statement, its date, what replaced it, each with the label of its document in `evidence`;
    one sentence for the first temporal conflict about what the draft says.
    """
    labels = {document["id"]: number for number, document in enumerate(evidence, start=1)}
    for record in conflicts:
        conflict = Conflict.model_validate(record)
        older, newer = (labels.get(key) for key in conflict.document_ids)
        if conflict.kind != "temporal" or older is None or newer is None:
            continue
        old_day, new_day = conflict.dates
        was, now = (text.rstrip(".") for text in conflict.statements)
        edition = f"The edition of {old_day}" if old_day else "An older edition"
        since = f"Since {new_day}" if new_day else "Now"
        return (
            f"{edition}, since replaced, said: {was} [{older}]. {since} it says: {now} [{newer}]."
        )
    return ""


def explains(draft: str, conflict: Conflict) -> bool:
    """Tell whether a draft explains a conflict over time: the old and the new value, and when.

    The old edition must be dated in the draft (its day or year) or be called replaced, and numbers
    in which the two statements differ must both appear.
    """
    was, now = (_values(statement) for statement in conflict.statements)
    told = _values(draft)
    told_old = not (was - now) or bool((was - now) & told)
    told_new = not (now - was) or bool((now - was) & told)
    year = (conflict.dates[0] or "")[:4]
    dated = bool(year) and year in draft
    return told_old and told_new and (dated or bool(_CHANGE_WORDS.search(draft)))


def _values(text: str) -> set[tuple[float, str]]:
    return {(one.value, one.unit) for one in quantities(text) if not one.date}


def _is_asked_for(edition: Edition, question: str) -> bool:
    day = effective_date(edition.documents[0])
    if day and re.search(rf"\b{day.year}\b", question):
        return True
    version = str((edition.documents[0].get("metadata") or {}).get("version") or "")
    return bool(version) and bool(re.search(rf"(?<![\w.]){re.escape(version)}(?![\w.])", question))
