"""Grade documents and strips with a chat model: several calls at once, or several texts a call.

The reply names each text by a label of its own; verdicts are joined by it, never by position.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pydantic import ValidationError

from ragkit.components.endpoint import Chat
from ragkit.components.fences import Fence
from ragkit.components.forms import Form
from ragkit.components.parallel import at_once, in_groups
from ragkit.components.replies import Confidence, Remark, Wire, YesNo
from ragkit.components.usage import none_used
from ragkit.prompts import GRADE, GRADE_STRIPS, Prompt
from ragkit.records import Document, Grade
from ragkit.verdicts import join, unique


class StripGrade(Wire):
    document_id: str
    binary_score: YesNo
    confidence: Confidence


class DocumentGrade(Wire):
    document_id: str
    explanation: Remark = ""
    binary_score: YesNo
    confidence: Confidence


class StripGrades(Wire):
    """One grade for each passage."""

    grades: list[StripGrade]


class DocumentGrades(Wire):
    """One grade for each document."""

    grades: list[DocumentGrade]


Replied = list[tuple[str, DocumentGrade | None]]


class ChatGrader:
    """Judge each document for the question with a chat model.

    `per_call` texts share a call: 1 judges each by itself, more saves tokens on small texts. Texts
    that are equal are judged once. A call that fails costs only its own documents.
    """

    schema: type[Wire] = DocumentGrades
    item: type[DocumentGrade] = DocumentGrade
    prompt: Prompt = GRADE

    def __init__(self, chat: Chat, *, per_call: int = 1) -> None:
        self.chat = chat
        self.per_call = per_call
        self._form: Form[Replied] = Form(self.schema, self._read)

    @property
    def fingerprint(self) -> str:
        """What a verdict depends on beside question and text."""
        return f"{self.prompt.fingerprint} {self.chat.name} {self.chat.endpoint}"

    def __call__(self, question: str, documents: Sequence[Document]) -> list[Grade]:
        different = unique(documents)
        groups = in_groups(different, self.per_call)
        cap = self.chat.config.max_concurrency
        replied = at_once(lambda group: self._grade(question, group), groups, cap)
        grades = [grade for group in replied for grade in group]
        return _in_order(documents, different, grades)

    def _grade(self, question: str, group: Sequence[Document]) -> list[Grade]:
        fence = Fence.around(*(document["content"] for document in group))
        return self._asked(question, group, fence, fence.documents(group, "d{}"))[0]

    def _asked(
        self, question: str, group: Sequence[Document], fence: Fence, documents: str
    ) -> tuple[list[Grade], Replied]:
        """Ask about documents as they are shown, labelled d1, d2, ..."""
        content = f"{documents}\n{fence.block('question', question)}"
        temperature = self.chat.config.judge_temperature
        reply = self.chat.ask(self.prompt, content, self._form, temperature)
        if reply.value is not None:
            grades = _joined(reply.value, group)
        else:
            grades = [Grade.failed(d["id"], reply.outcome, reply.detail) for d in group]
        shared = none_used(self.chat.name)
        priced = [
            grade.model_copy(update={"usage": shared if at else reply.usage})
            for at, grade in enumerate(grades)
        ]
        return priced, reply.value or []

    def _read(self, payload: Any) -> Replied:
        """Return a reply's grades by label, None for one that is malformed."""
        items = payload.get("grades")
        if not isinstance(items, list):
            raise ValueError("no list of grades")
        read = [self._read_one(item) for item in items if isinstance(item, dict)]
        if not any(grade for _, grade in read):
            raise ValueError(f"none of {len(items)} grades fits its schema")
        return read

    def _read_one(self, item: dict[str, Any]) -> tuple[str, DocumentGrade | None]:
        label = str(item.get("document_id")).strip().casefold()
        try:
            return label, self.item.model_validate(item)
        except ValidationError:
            return label, None


class ChatStripGrader(ChatGrader):
    """Judge passages: which belong in an answer. No reasons, so that many fit a call."""

    schema = StripGrades
    prompt = GRADE_STRIPS


def _joined(replied: Replied, group: Sequence[Document]) -> list[Grade]:
    ids = {f"d{n}": document["id"] for n, document in enumerate(group, start=1)}
    known = [_grade_of(ids[label], grade) for label, grade in replied if label in ids]
    unknown = [
        Grade.failed(f"unknown label {label[:40]}", "invalid", "no document has this label")
        for label, _ in replied
        if label not in ids
    ]
    return [*join(group, known)[0], *unknown]


def _grade_of(document_id: str, said: DocumentGrade | None) -> Grade:
    if said is None:
        return Grade.failed(document_id, "invalid", "the grade does not fit its schema")
    return Grade(
        document_id=document_id, binary_score=said.binary_score, confidence=said.confidence,
        explanation=said.explanation,
    )  # fmt: skip


def _in_order(
    documents: Sequence[Document], different: Sequence[Document], grades: list[Grade]
) -> list[Grade]:
    """Return one grade a document, equal texts sharing theirs, then those for unknown labels."""
    found = {grade.document_id: grade for grade in grades}
    by_text = {_text(document): found.pop(document["id"]) for document in different}
    by_id = {grade.document_id: grade for grade in by_text.values()}
    ordered = []
    for document in documents:
        grade = by_id.get(document["id"]) or by_text[_text(document)]
        twin = grade.document_id != document["id"]
        usage = none_used(grade.usage.model) if twin and grade.usage else grade.usage
        ordered.append(grade.model_copy(update={"document_id": document["id"], "usage": usage}))
    return [*ordered, *found.values()]


def _text(document: Document) -> str:
    return " ".join(document["content"].split())
