"""Judge a document and each of its strips in one call: one wait and one reading for both.

What the reply says of the strips is remembered where the strip grader looks first, so the strips
of a document that was surely relevant cost no further call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragkit.cache import CachedGrader
from ragkit.components.chat_graders import ChatGrader, DocumentGrade, Replied
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

    def shown(self, fence: Fence, group: Sequence[Document]) -> str:
        """Return the documents, those of several strips with a label on each strip."""
        return "\n".join(self._shown(fence, n, d) for n, d in enumerate(group, start=1))

    def _shown(self, fence: Fence, number: int, document: Document) -> str:
        label, strips = f"d{number}", self.split(document)
        if len(strips) < 2:
            return fence.document(document, label)
        inside = [
            fence.block("strip", strip["content"], label=f"{label}s{n}")
            for n, strip in enumerate(strips, start=1)
        ]
        return fence.wrap("document", "\n".join(inside), label=label, **header(document))

    def notice(
        self, question: str, group: Sequence[Document], replied: Replied, grades: Sequence[Grade]
    ) -> None:
        """Remember the strips of the documents that are surely relevant."""
        kept = {label: said.keep for label, said in replied if isinstance(said, ReadGrade)}
        for n, (document, grade) in enumerate(zip(group, grades, strict=False), start=1):
            sure = grade.confidence >= self.chat.config.sure_enough
            if grade.outcome == "ok" and grade.binary_score == "yes" and sure:
                self._remember(question, document, f"d{n}", grade, kept.get(f"d{n}", []))

    def _remember(
        self, question: str, document: Document, label: str, grade: Grade, keep: Sequence[str]
    ) -> None:
        strips = self.split(document)
        names = [f"{label}s{n}" for n in range(1, len(strips) + 1)]
        wanted = {name.strip().casefold() for name in keep} if len(strips) > 1 else set(names)
        if not wanted or not wanted <= set(names):
            return
        for name, strip in zip(names, strips, strict=True):
            said = "yes" if name in wanted else "no"
            update = {"document_id": strip["id"], "binary_score": said}
            self.strip_grader.remember(question, strip, grade.model_copy(update=update))
