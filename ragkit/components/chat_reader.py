"""Judge a document and each of its strips in one call: one wait and one reading for both.

What the reply says of the strips is remembered where the strip grader looks first, so the strips
of a document that was surely relevant cost no further call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragkit.cache import CachedGrader
from ragkit.components.chat_graders import ChatGrader, DocumentGrade
from ragkit.components.endpoint import Chat
from ragkit.components.fences import Fence, header
from ragkit.components.replies import Wire
from ragkit.prompts import READ
from ragkit.records import Document, Grade

Split = Callable[[Document], list[Document]]


class ReadGrade(DocumentGrade):
    keep: list[str]


class ReadGrades(Wire):
    """One grade for each document, and which of its strips an answer needs."""

    grades: list[ReadGrade]


class ChatReader(ChatGrader):
    """Judge each document, and remember its strips' verdicts for `strip_grader`.

    `split` cuts a document as the graph will. A reply that is not sure of the document, names
    strips that are not there, or keeps none of a relevant document is not remembered: its strips
    are judged by a call of their own.
    """

    schema = ReadGrades
    item = ReadGrade
    prompt = READ

    def __init__(
        self, chat: Chat, strip_grader: CachedGrader, split: Split, *, per_call: int = 1
    ) -> None:
        super().__init__(chat, per_call=per_call)
        self.strip_grader = strip_grader
        self.split = split

    def _grade(self, question: str, group: Sequence[Document]) -> list[Grade]:
        fence = Fence.around(*(document["content"] for document in group))
        strips = [self.split(document) for document in group]
        shown = [
            _shown(fence, f"d{n}", document, pieces)
            for n, (document, pieces) in enumerate(zip(group, strips, strict=True), start=1)
        ]
        grades, replied = self._asked(question, group, fence, "\n".join(shown))
        kept = {label: said.keep for label, said in replied if isinstance(said, ReadGrade)}
        # grades for labels that nobody asked about come last and have no strips
        for n, (grade, pieces) in enumerate(zip(grades, strips, strict=False), start=1):
            if self._is_sure(grade):
                self._remember(question, pieces, f"d{n}", grade, kept.get(f"d{n}", []))
        return grades

    def _is_sure(self, grade: Grade) -> bool:
        told = grade.outcome == "ok" and grade.binary_score == "yes"
        return told and grade.confidence >= self.chat.config.sure_enough

    def _remember(
        self,
        question: str,
        strips: Sequence[Document],
        label: str,
        grade: Grade,
        keep: Sequence[str],
    ) -> None:
        names = [f"{label}s{n}" for n in range(1, len(strips) + 1)]
        wanted = {name.strip().casefold() for name in keep} if len(strips) > 1 else set(names)
        if not wanted or not wanted <= set(names):
            return
        for name, strip in zip(names, strips, strict=True):
            said = "yes" if name in wanted else "no"
            update = {"document_id": strip["id"], "binary_score": said}
            self.strip_grader.remember(question, strip, grade.model_copy(update=update))


def _shown(fence: Fence, label: str, document: Document, strips: Sequence[Document]) -> str:
    if len(strips) < 2:
        return fence.document(document, label)
    inside = [
        fence.block("strip", strip["content"], label=f"{label}s{n}")
        for n, strip in enumerate(strips, start=1)
    ]
    return fence.wrap("document", "\n".join(inside), label=label, **header(document))
