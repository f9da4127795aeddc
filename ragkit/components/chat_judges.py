"""Judge claims against their evidence with a chat model that did not write them.

Rules go first: a marker that names no document costs no call. Then each claim is judged, several a
call, joined by label; what is missing, malformed or contradicts itself is not supported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ragkit.components.claims import Claim, split_claims
from ragkit.components.endpoint import Chat
from ragkit.components.fences import Fence
from ragkit.components.forms import Form
from ragkit.components.parallel import at_once, in_groups
from ragkit.components.replies import Confidence, Reply, Wire, YesNo
from ragkit.components.usage import none_used
from ragkit.prompts import CHECK, GROUND
from ragkit.records import Document, Grounding, Support


class ClaimCheck(Wire):
    claim_id: str
    supported: YesNo
    confidence: Confidence


class ClaimChecks(Wire):
    """One check for each claim."""

    checks: list[ClaimCheck]


class GroundingReply(Wire):
    """One check for each claim, and whether the question is answered."""

    checks: list[ClaimCheck]
    answered: YesNo


Checks = list[tuple[str, ClaimCheck | None]]


@dataclass(frozen=True)
class Pair:
    """A claim and the label of the one document that it cites, None for any of them."""

    claim: Claim
    label: int | None


class ChatChecker:
    """Check each claim against each document it cites, isolated from the generator (E5).

    A draft with a label that names no document is not shown to the model: its faults come back at
    once, and the claims that are left unjudged do not.
    """

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self._form: Form[Checks] = Form(ClaimChecks, _read_checks)

    def __call__(self, question: str, draft: str, documents: Sequence[Document]) -> list[Support]:
        claims = split_claims(draft, len(documents))
        faults = [fault for claim in claims for fault in _faults(claim)]
        if any(fault.support_status == "fabricated" for fault in faults):
            return faults
        pairs = [Pair(claim, label) for claim in claims for label in claim.labels]
        config = self.chat.config
        judged = at_once(
            lambda group: self._judge(group, documents),
            in_groups(pairs, config.claims_per_call),
            config.max_concurrency,
        )
        return [*faults, *(support for group in judged for support in group)]

    def _judge(self, pairs: Sequence[Pair], documents: Sequence[Document]) -> list[Support]:
        cited = sorted({pair.label for pair in pairs if pair.label})
        shown = {label: documents[label - 1] for label in cited}
        fence = Fence.around(*(document["content"] for document in shown.values()))
        parts = [fence.document(document, str(label)) for label, document in shown.items()]
        parts += [_claim_block(fence, n, pair) for n, pair in enumerate(pairs, start=1)]
        temperature = self.chat.config.judge_temperature
        reply = self.chat.ask(CHECK, "\n".join(parts), self._form, temperature)
        return _supports(pairs, documents, reply, reply.value or [])


class ChatGrounder:
    """Judge each claim against all the evidence, and whether the question is answered (D5)."""

    def __init__(self, chat: Chat) -> None:
        self.chat = chat
        self._form: Form[tuple[Checks, bool]] = Form(GroundingReply, _read_grounding)

    def __call__(self, question: str, answer: str, documents: Sequence[Document]) -> Grounding:
        claims = split_claims(answer, len(documents))
        faults = [fault for claim in claims for fault in _fabricated(claim)]
        if not claims or faults:
            said = "a cited label names no document" if faults else "the answer claims nothing"
            return Grounding(
                grounded=False, useful=False, claims=tuple(faults), explanation=said,
                usage=none_used(self.chat.name),
            )  # fmt: skip
        pairs = [Pair(claim, next(iter(claim.labels), None)) for claim in claims]
        return self._judge(question, answer, pairs, documents)

    def _judge(
        self, question: str, answer: str, pairs: Sequence[Pair], documents: Sequence[Document]
    ) -> Grounding:
        fence = Fence.around(*(document["content"] for document in documents))
        parts = [fence.documents(documents), fence.block("answer", answer)]
        parts += [_claim_block(fence, n, pair) for n, pair in enumerate(pairs, start=1)]
        parts.append(fence.block("question", question))
        temperature = self.chat.config.judge_temperature
        reply = self.chat.ask(GROUND, "\n".join(parts), self._form, temperature)
        checks, answered = reply.value or ([], False)
        supports = _supports(pairs, documents, reply, checks)
        held = sum(support.support_status == "supported" for support in supports)
        return Grounding(
            grounded=held == len(supports), useful=answered, claims=tuple(supports),
            explanation=reply.detail or f"{held} of {len(supports)} claims are supported",
            outcome=reply.outcome, usage=reply.usage,
        )  # fmt: skip


def _faults(claim: Claim) -> list[Support]:
    """Return what rules alone find: fabricated labels, unclear markers, no marker at all."""
    if not claim.markers:
        return [_fault(claim, None, "uncited", "a statement without a marker")]
    unclear = [m for m in claim.markers if m.status == "ambiguous"]
    return [
        *_fabricated(claim),
        *(_fault(claim, m.label, "ambiguous", f"{m.text} may be code") for m in unclear),
    ]


def _fabricated(claim: Claim) -> list[Support]:
    return [
        _fault(claim, marker.label, "fabricated", f"{marker.text} names no document shown")
        for marker in claim.markers
        if marker.status in ("out_of_range", "malformed")
    ]


def _fault(claim: Claim, label: int | None, status: Any, reason: str) -> Support:
    return Support(
        claim=claim.text, citation_id=label, support_status=status, risk_level="high",
        fix_required=True, reasons=(reason,),
    )  # fmt: skip


def _claim_block(fence: Fence, number: int, pair: Pair) -> str:
    context = f"{pair.claim.context} " if pair.claim.context else ""
    cites = {"cites": str(pair.label)} if pair.label else {}
    return fence.block("claim", context + pair.claim.text, label=f"c{number}", **cites)


def _supports(
    pairs: Sequence[Pair], documents: Sequence[Document], reply: Reply[Any], checks: Checks
) -> list[Support]:
    """Join checks to claims by label; the call's usage goes to the first."""
    said: dict[str, list[ClaimCheck | None]] = {}
    for label, check in checks:
        said.setdefault(label, []).append(check)
    shared = none_used(reply.usage.model) if reply.usage else None
    return [
        _support(pair, documents, reply, said.get(f"c{n}", [])).model_copy(
            update={"usage": shared if n > 1 else reply.usage}
        )
        for n, pair in enumerate(pairs, start=1)
    ]


def _support(
    pair: Pair, documents: Sequence[Document], reply: Reply[Any], checks: list[ClaimCheck | None]
) -> Support:
    evidence = documents[pair.label - 1]["content"] if pair.label else ""
    named: dict[str, Any] = {
        "claim": pair.claim.text, "citation_id": pair.label, "evidence_text": evidence,
    }  # fmt: skip
    verdicts = {check.supported if check else "" for check in checks}
    if len(verdicts) == 1 and checks[0] is not None:
        sure = min(check.confidence for check in checks if check)
        held = checks[0].supported == "yes"
        return Support(
            **named, support_status="supported" if held else "unsupported",
            risk_level="low" if held else "high", fix_required=not held,
            score=sure if held else 1 - sure, reasons=() if held else ("judged unsupported",),
        )  # fmt: skip
    outcome = reply.outcome if reply.outcome != "ok" else ("invalid" if checks else "missing")
    reason = reply.detail or ("no usable verdict" if checks else "no verdict on this claim")
    return Support(
        **named, support_status="unsupported", risk_level="high", fix_required=True,
        reasons=(reason,), outcome=outcome,
    )  # fmt: skip


def _read_checks(payload: Any) -> Checks:
    items = payload.get("checks")
    if not isinstance(items, list):
        raise ValueError("no list of checks")
    read = [_read_check(item) for item in items if isinstance(item, dict)]
    if not any(check for _, check in read):
        raise ValueError(f"none of {len(items)} checks fits its schema")
    return read


def _read_check(item: dict[str, Any]) -> tuple[str, ClaimCheck | None]:
    """Read one check; one that is less sure of itself than of the contrary is no verdict (P11)."""
    label = str(item.get("claim_id")).strip().casefold()
    try:
        check = ClaimCheck.model_validate(item)
    except ValidationError:
        return label, None
    return label, check if check.confidence >= 0.5 else None


def _read_grounding(payload: Any) -> tuple[Checks, bool]:
    class Answered(Wire):
        answered: YesNo

    return _read_checks(payload), Answered.model_validate(payload).answered == "yes"
