"""Claims put to a chat model with what they cite, and its verdicts joined to them by label.

What is missing, malformed, given twice differently, or less sure of itself than of the contrary is
no verdict, and no verdict never supports anything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ragkit.components.claims import Claim
from ragkit.components.fences import Fence
from ragkit.components.replies import Confidence, Reply, Wire, YesNo, one_of
from ragkit.records import Document, Outcome, Support


class ClaimCheck(Wire):
    claim_id: str
    supported: one_of("yes", "part", "no")  # type: ignore[valid-type]
    confidence: Confidence


class ClaimChecks(Wire):
    """One check for each claim."""

    checks: list[ClaimCheck]


class GroundingReply(Wire):
    """One check for each claim, and whether the question is answered."""

    checks: list[ClaimCheck]
    answered: YesNo


class _Answered(Wire):
    answered: YesNo


Checks = list[tuple[str, ClaimCheck | None]]


@dataclass(frozen=True)
class Pair:
    """A claim and the labels of the documents it is judged against, () for all that are shown."""

    claim: Claim
    labels: tuple[int, ...]


@dataclass(frozen=True)
class Checked:
    """What became of a pair; `word` is "" without a usable verdict, and `reason` says why."""

    pair: Pair
    word: str
    confidence: float = 0.0
    outcome: Outcome = "ok"
    reason: str = ""


def claim_blocks(fence: Fence, pairs: Sequence[Pair]) -> list[str]:
    """Return the claims as a model sees them, labelled c1, c2, ... with what each cites."""
    blocks = []
    for number, pair in enumerate(pairs, start=1):
        context = f"{pair.claim.context} " if pair.claim.context else ""
        cites = {"cites": " ".join(map(str, pair.labels))} if pair.labels else {}
        text = context + pair.claim.text
        blocks.append(fence.block("claim", text, label=f"c{number}", **cites))
    return blocks


def read_checks(payload: Any) -> Checks:
    """Read the checks of a reply by label, None for one that is no verdict.

    Raises ValueError when there is none at all.
    """
    items = payload.get("checks")
    if not isinstance(items, list):
        raise ValueError("no list of checks")
    read = [_read_check(item) for item in items if isinstance(item, dict)]
    if not any(check for _, check in read):
        raise ValueError(f"none of {len(items)} checks fits its schema")
    return read


def read_grounding(payload: Any) -> tuple[Checks, bool]:
    """Read the checks, and whether the question is answered; half of it is none (P11)."""
    return read_checks(payload), _Answered.model_validate(payload).answered == "yes"


def _read_check(item: dict[str, Any]) -> tuple[str, ClaimCheck | None]:
    label = str(item.get("claim_id")).strip().casefold()
    try:
        check = ClaimCheck.model_validate(item)
    except ValidationError:
        return label, None
    return label, check if check.confidence >= 0.5 else None


def join_checks(pairs: Sequence[Pair], reply: Reply[Any], checks: Checks) -> list[Checked]:
    """Return one result a pair, in their order."""
    said: dict[str, list[ClaimCheck | None]] = {}
    for label, check in checks:
        said.setdefault(label, []).append(check)
    return [_settle(p, reply, said.get(f"c{n}", [])) for n, p in enumerate(pairs, start=1)]


def _settle(pair: Pair, reply: Reply[Any], checks: list[ClaimCheck | None]) -> Checked:
    words = {check.supported if check else "" for check in checks}
    if len(words) == 1 and "" not in words:
        sure = min(check.confidence for check in checks if check)
        return Checked(pair, words.pop(), sure)
    if reply.outcome != "ok":
        return Checked(pair, "", outcome=reply.outcome, reason=reply.detail)
    if checks:
        return Checked(pair, "", outcome="invalid", reason="no usable verdict")
    return Checked(pair, "", outcome="missing", reason="no verdict on this claim")


def support(
    checked: Checked, documents: Sequence[Document], held: bool, reason: str = ""
) -> Support:
    """Return the record of a checked pair; `held` is the decision, `reason` what else speaks."""
    label = next(iter(checked.pair.labels or checked.pair.claim.labels), None)
    reasons = [text for text in (checked.reason, reason) if text]
    if not held and not reasons:
        reasons = [f"judged: {checked.word}"]
    return Support(
        claim=checked.pair.claim.text, citation_id=label,
        support_status="supported" if held else "unsupported",
        evidence_text=documents[label - 1]["content"] if label else "",
        risk_level="low" if held else "high", fix_required=not held,
        score=_score(checked, held), reasons=tuple(reasons), outcome=checked.outcome,
    )  # fmt: skip


def _score(checked: Checked, held: bool) -> float:
    if held:
        return checked.confidence
    return 1 - checked.confidence if checked.word in ("no", "part") else 0.0
