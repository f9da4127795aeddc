"""Several search queries for one question, each vetted against drift (SPEC E1).

Every entity of the question must stand in a candidate, and its intent and action must be the
question's own; what fails is kept with its reason. The original question is always searched beside
the candidates, by the graph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragkit.components.intents import changed_action, intent
from ragkit.components.text import content_words, missing_entities, normalised
from ragkit.kit import Rewriter
from ragkit.records import Rejected, Rewrite


def drift(question: str, candidate: str) -> str:
    """Return why a candidate may not be searched for the question; "" when it may."""
    if not normalised(candidate):
        return "it is empty"
    if lost := missing_entities(question, candidate):
        return f"it drops {', '.join(lost)}"
    if turned := changed_action(question, candidate):
        return f"it changes the action: {turned}"
    asked, said = intent(question), intent(candidate)
    if asked and said and asked != said:
        return f"it changes the intent: {asked} -> {said}"
    return ""


class Planner:
    """A `QueryPlanner`: the rewriter's query, the bare keywords, and the parts of a compound."""

    def __init__(self, rewriter: Rewriter) -> None:
        self._rewriter = rewriter

    def __call__(
        self, question: str, limit: int, failed_queries: Sequence[str] = ()
    ) -> list[Rewrite]:
        """Return up to `limit` accepted rewrites; the first one carries all that was rejected."""
        known = {normalised(query) for query in [question, *failed_queries]}
        accepted: list[Rewrite] = []
        rejected: list[Rejected] = []
        for proposal in self._proposals(question, failed_queries):
            rejected.extend(proposal.rejected)
            reason = "it was searched before" if normalised(proposal.query) in known else ""
            reason = reason or drift(question, proposal.query)
            if reason and proposal.query.strip():
                rejected.append(Rejected(query=proposal.query, reason=reason))
            elif not reason:
                known.add(normalised(proposal.query))
                accepted.append(proposal.model_copy(update={"rejected": ()}))
        return _with_rejected(accepted[: max(limit, 0)], rejected)

    def _proposals(self, question: str, failed: Sequence[str]) -> list[Rewrite]:
        rewritten = self._rewriter(question, list(dict.fromkeys([question, *failed])), [])
        keywords = Rewrite(query=" ".join(content_words(question)), explanation="keywords")
        parts = [Rewrite(query=part, explanation="one part") for part in compound_parts(question)]
        return [rewritten, *parts, keywords]


def compound_parts(question: str) -> list[str]:
    """Return the parts of a question that asks two things, each complete enough to be searched."""
    parts = re.split(r"\?\s+(?=\w)|;\s+|,?\s+and\s+(?=(?:how|what|when|who|which|where|why)\b)",
                     question, flags=re.IGNORECASE)  # fmt: skip
    whole = [part.strip(" ?.") for part in parts]
    return whole if len(whole) > 1 and all(len(content_words(p)) > 1 for p in whole) else []


def _with_rejected(accepted: list[Rewrite], rejected: list[Rejected]) -> list[Rewrite]:
    unique = tuple({(entry.query, entry.reason): entry for entry in rejected}.values())
    if not accepted:
        return [Rewrite(query="", explanation="nothing to add", rejected=unique)] if unique else []
    return [accepted[0].model_copy(update={"rejected": unique}), *accepted[1:]]
