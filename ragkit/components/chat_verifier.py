"""Judge a citation-checked draft as a whole with a chat model (audited rollback, section 6)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragkit.components.claims import split_claims
from ragkit.components.endpoint import Chat
from ragkit.components.fences import Fence
from ragkit.components.forms import Form
from ragkit.components.replies import Remark, Wire, YesNo
from ragkit.components.usage import none_used
from ragkit.prompts import VERIFY
from ragkit.records import Conflict, Document, Verdict


class VerifyReply(Wire):
    """The last word on a draft."""

    resolved: YesNo
    complete: YesNo
    conflict_explained: YesNo
    passed: YesNo
    explanation: Remark = ""


class ChatVerifier:
    """Judge whether the question is resolved, nothing is missing and conflicts are explained (E6).

    A hard conflict needs no model, for no draft can settle it; nor does a draft without claims.
    """

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self._form: Form[VerifyReply] = Form(VerifyReply, _read)

    def __call__(
        self,
        question: str,
        draft: str,
        documents: Sequence[Document],
        conflicts: Sequence[Conflict] = (),
    ) -> Verdict:
        if hard := [conflict for conflict in conflicts if conflict.kind == "hard"]:
            return self._refused("conflict", hard[0].explanation or hard[0].subject)
        if not split_claims(draft, len(documents)):
            return self._refused("retrieval_failed", "the draft states nothing")
        fence = Fence.around(*(document["content"] for document in documents))
        parts = [fence.documents(documents), *(_conflict(fence, c) for c in conflicts)]
        parts += [fence.block("answer", draft), fence.block("question", question)]
        temperature = self.chat.config.judge_temperature
        reply = self.chat.ask(VERIFY, "\n".join(parts), self._form, temperature)
        if reply.value is None:
            return Verdict(
                status="citation_failed", resolved=False, complete=False,
                explanation=reply.detail, outcome=reply.outcome, usage=reply.usage,
            )  # fmt: skip
        return Verdict(
            status=_status(reply.value), resolved=reply.value.resolved == "yes",
            complete=reply.value.complete == "yes", explanation=reply.value.explanation,
            usage=reply.usage,
        )  # fmt: skip

    def _refused(self, status: Any, said: str) -> Verdict:
        return Verdict(
            status=status, resolved=False, complete=False, explanation=said,
            usage=none_used(self.chat.name),
        )  # fmt: skip


def _read(payload: Any) -> VerifyReply:
    """Read a verdict; one that passes a draft it faults, or faults one it passes, is none (P11)."""
    said = VerifyReply.model_validate(payload)
    all_well = said.resolved == said.complete == said.conflict_explained == "yes"
    if all_well != (said.passed == "yes"):
        raise ValueError("the verdict contradicts itself")
    return said


def _status(said: VerifyReply) -> Any:
    if said.passed == "yes":
        return "passed"
    if said.resolved == "no" or said.complete == "no":
        return "retrieval_failed"
    return "citation_failed"


def _conflict(fence: Fence, conflict: Conflict) -> str:
    sides = zip(conflict.dates, conflict.statements, strict=True)
    text = "\n".join(f"{date or 'undated'}: {statement}" for date, statement in sides)
    return fence.block("conflict", text, subject=conflict.subject)
