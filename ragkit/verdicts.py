"""Join verdicts to documents by id, never by position, and fail closed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError

from ragkit.records import Document, Grade


def unique(documents: Iterable[Document]) -> list[Document]:
    """Return the documents in order, one for each id and one for each text."""
    kept: list[Document] = []
    ids: set[str] = set()
    texts: set[str] = set()
    for document in documents:
        text = " ".join(document["content"].split())
        if document["id"] not in ids and text not in texts:
            kept.append(document)
        ids.add(document["id"])
        texts.add(text)
    return kept


def union(*lists: Iterable[Document]) -> list[Document]:
    """Return everything kept in any attempt, first come first, by id."""
    return unique(document for documents in lists for document in documents)


def join(documents: Sequence[Document], grades: Any) -> tuple[list[Grade], list[str]]:
    """Return one grade a document, in the documents' order, and what was wrong with the reply.

    A document without a grade, with two that disagree or with a malformed one is graded "no";
    ids that nobody asked about are ignored. Each such case adds a flag. Of two grades that agree
    the lower score counts, so the order of the reply never matters.
    """
    asked = {document["id"] for document in documents}
    found, flags = _by_id(grades, asked)
    joined = [
        _settle(document["id"], found.get(document["id"], []), flags) for document in documents
    ]
    return joined, flags


def _by_id(grades: Any, asked: set[str]) -> tuple[dict[str, list[Grade]], list[str]]:
    found: dict[str, list[Grade]] = {}
    flags: list[str] = []
    if not isinstance(grades, (list, tuple)):
        return found, [f"the grader returned {type(grades).__name__}, not a list of grades"]
    for entry in grades:
        grade = _read(entry)
        if grade is None:
            flags.append(f"malformed grade: {str(entry)[:80]}")
        elif grade.document_id not in asked:
            flags.append(f"grade for unknown document {grade.document_id}")
        else:
            found.setdefault(grade.document_id, []).append(grade)
    return found, sorted(flags)


def _read(entry: Any) -> Grade | None:
    if isinstance(entry, Grade):
        return entry
    try:
        return Grade.model_validate(entry)
    except ValidationError:
        named = entry.get("document_id") if isinstance(entry, dict) else None
        if isinstance(named, str):
            return Grade.failed(named, "invalid", "the grade does not fit its schema")
        return None


def _settle(document_id: str, grades: list[Grade], flags: list[str]) -> Grade:
    if not grades:
        flags.append(f"no grade for {document_id}")
        return Grade.failed(document_id, "missing", "the grader said nothing of this document")
    if len({grade.binary_score for grade in grades}) > 1:
        flags.append(f"two different grades for {document_id}")
        return Grade.failed(document_id, "invalid", "two different verdicts for one document")
    grade = min(grades, key=lambda g: (g.score, g.model_dump_json()))
    if grade.outcome != "ok":
        flags.append(f"grade for {document_id}: {grade.outcome}")
        return Grade.failed(document_id, grade.outcome, grade.explanation, usage=grade.usage)
    return grade


def kept(documents: Sequence[Document], grades: Sequence[Grade]) -> list[Document]:
    """Return the documents graded "yes"."""
    yes = {grade.document_id for grade in grades if grade.binary_score == "yes"}
    return [document for document in documents if document["id"] in yes]
