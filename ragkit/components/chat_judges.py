"""Judge claims against their evidence with a chat model that did not write them.

Rules go first and last: a marker that names no document costs no call, and a number, date, name or
negation that definitely differs from the source overrules a model that saw no harm in it. The
rules look while the model is asked.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ragkit.components.chat_checks import (
    Checked,
    Checks,
    ClaimChecks,
    GroundingReply,
    Pair,
    claim_blocks,
    join_checks,
    read_checks,
    read_grounding,
    support,
)
from ragkit.components.citations import OfflineChecker, marker_faults
from ragkit.components.claims import Claim, split_claims, split_segments
from ragkit.components.endpoint import Chat
from ragkit.components.fences import Fence
from ragkit.components.forms import Form
from ragkit.components.parallel import at_once, both, in_groups
from ragkit.components.usage import none_used, total
from ragkit.prompts import CHECK, GROUND
from ragkit.records import Document, Grounding, Support, Usage

TOGETHER = "together with the other labels"


class ChatChecker:
    """Check each claim against each document it cites, isolated from the generator (E5).

    A draft with a label that names no document is not shown to the model: its faults come back at
    once. Of a claim with several labels each is judged, and then all together.
    """

    def __init__(self, chat: Chat, rules: OfflineChecker | None = None) -> None:
        self.chat = chat
        self.rules = rules
        self._form: Form[Checks] = Form(ClaimChecks, read_checks)

    def __call__(self, question: str, draft: str, documents: Sequence[Document]) -> list[Support]:
        faults = marker_faults(split_segments(draft, len(documents)))
        if any(fault.support_status == "fabricated" for fault in faults):
            return faults
        claims = [claim for claim in split_claims(draft, len(documents)) if claim.labels]
        (judged, usages), wrong = both(
            lambda: self._judged([p for claim in claims for p in _pairs(claim)], documents),
            lambda: _differences(self.rules, question, claims, documents),
        )
        records = list(faults)
        for claim, differs in zip(claims, wrong, strict=True):
            records += _decided([c for c in judged if c.pair.claim is claim], differs, documents)
        return _priced(records, total(usages, self.chat.name))

    def _judged(
        self, pairs: Sequence[Pair], documents: Sequence[Document]
    ) -> tuple[list[Checked], list[Usage | None]]:
        config = self.chat.config
        groups = in_groups(pairs, config.claims_per_call)
        done = at_once(lambda g: self._judge(g, documents), groups, config.max_concurrency)
        return [c for checked, _ in done for c in checked], [usage for _, usage in done]

    def _judge(
        self, pairs: Sequence[Pair], documents: Sequence[Document]
    ) -> tuple[list[Checked], Usage | None]:
        cited = sorted({label for pair in pairs for label in pair.labels})
        fence = Fence.around(*(documents[label - 1]["content"] for label in cited))
        parts = [fence.document(documents[label - 1], str(label)) for label in cited]
        parts += claim_blocks(fence, pairs)
        temperature = self.chat.config.judge_temperature
        reply = self.chat.ask(CHECK, "\n".join(parts), self._form, temperature)
        return join_checks(pairs, reply, reply.value or []), reply.usage


class ChatGrounder:
    """Judge each claim against all the evidence, and whether the question is answered (D5)."""

    def __init__(self, chat: Chat, rules: OfflineChecker | None = None) -> None:
        self.chat = chat
        self.rules = rules
        self._form: Form[tuple[Checks, bool]] = Form(GroundingReply, read_grounding)

    def __call__(self, question: str, answer: str, documents: Sequence[Document]) -> Grounding:
        faults = marker_faults(split_segments(answer, len(documents)))
        made_up = [fault for fault in faults if fault.support_status == "fabricated"]
        claims = split_claims(answer, len(documents))
        if made_up or not claims or not documents:
            said = "a cited label names no document" if made_up else "the answer claims nothing"
            return Grounding(
                grounded=False, useful=False, claims=tuple(made_up), explanation=said,
                usage=none_used(self.chat.name),
            )  # fmt: skip
        return self._judged(question, answer, [Pair(claim, ()) for claim in claims], documents)

    def _judged(
        self, question: str, answer: str, pairs: Sequence[Pair], documents: Sequence[Document]
    ) -> Grounding:
        fence = Fence.around(*(document["content"] for document in documents))
        parts = [fence.documents(documents), fence.block("answer", answer)]
        parts += [*claim_blocks(fence, pairs), fence.block("question", question)]
        temperature = self.chat.config.judge_temperature
        reply, wrong = both(
            lambda: self.chat.ask(GROUND, "\n".join(parts), self._form, temperature),
            lambda: _differences(self.rules, question, [p.claim for p in pairs], documents),
        )
        checks, answered = reply.value or ([], False)
        records = [
            _grounded(checked, differs, documents)
            for checked, differs in zip(join_checks(pairs, reply, checks), wrong, strict=True)
        ]
        held = sum(record.support_status == "supported" for record in records)
        return Grounding(
            grounded=held == len(records), useful=answered, claims=tuple(records),
            explanation=reply.detail or f"{held} of {len(records)} claims are supported",
            outcome=reply.outcome, usage=reply.usage,
        )  # fmt: skip


def _differences(
    rules: OfflineChecker | None,
    question: str,
    claims: Sequence[Claim],
    documents: Sequence[Document],
) -> list[Mapping[int, str]]:
    """Return for each claim where it definitely differs from a source, by label."""
    return [rules.contradictions(question, c, documents) if rules else {} for c in claims]


def _grounded(checked: Checked, wrong: Mapping[int, str], documents: Sequence[Document]) -> Support:
    if wrong and set(wrong) == set(checked.pair.claim.labels):
        return support(checked, documents, False, next(iter(wrong.values())))
    return support(checked, documents, checked.word == "yes")


def _pairs(claim: Claim) -> list[Pair]:
    """Return a claim with each of its labels, and with all of them where there are several."""
    alone = [Pair(claim, (label,)) for label in claim.labels]
    return [*alone, Pair(claim, tuple(claim.labels))] if len(alone) > 1 else alone


def _decided(
    judged: Sequence[Checked], wrong: Mapping[int, str], documents: Sequence[Document]
) -> list[Support]:
    """Decide one claim's labels: each states all of it, or a part where all together state it."""
    whole = any(checked.word == "yes" for checked in judged)
    records = []
    for checked in (c for c in judged if len(c.pair.labels) == 1):
        partly = checked.word == "part" and whole
        fault = wrong.get(checked.pair.labels[0], "")
        held = (checked.word == "yes" or partly) and not fault
        reason = fault or (TOGETHER if held and partly else "")
        records.append(support(checked, documents, held, reason))
    return records


def _priced(records: Sequence[Support], usage: Usage) -> list[Support]:
    free = none_used(usage.model)
    return [
        record.model_copy(update={"usage": free if at else usage})
        for at, record in enumerate(records)
    ]
