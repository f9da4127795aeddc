"""Propose search queries with a chat model, and reject what drifts from the question (E1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ragkit.components.endpoint import Chat
from ragkit.components.fences import Fence
from ragkit.components.forms import Form
from ragkit.components.planners import drift
from ragkit.components.query_text import clean_query
from ragkit.components.replies import Wire
from ragkit.components.text import normalised
from ragkit.components.usage import none_used
from ragkit.prompts import PLAN
from ragkit.records import Rejected, Rewrite

Vet = Callable[[str, str], str]


class Queries(Wire):
    """Search queries, the best one first."""

    queries: list[str]


class ChatPlanner:
    """Propose up to `limit` queries that keep what the question names.

    `vet(question, candidate)` says why a candidate is rejected, "" if it is not. Those rejected are
    told with the first proposal, so that the log shows what was not searched.
    """

    def __init__(self, chat: Chat, vet: Vet = drift) -> None:
        self.chat = chat
        self.vet = vet
        self._form: Form[Queries] = Form(Queries)

    def __call__(
        self, question: str, limit: int, failed_queries: Sequence[str] = ()
    ) -> list[Rewrite]:
        config = self.chat.config
        fence = Fence.around(question)
        content = "\n".join(
            [
                fence.block("queries", "\n".join(failed_queries), kind="failed"),
                fence.block("question", question),
                f"Give {limit} queries.",
            ]
        )
        reply = self.chat.ask(PLAN, content, self._form, config.rewrite_temperature)
        if reply.value is None:
            return [
                Rewrite(
                    query="", explanation=reply.detail, outcome=reply.outcome, usage=reply.usage
                )
            ]
        candidates = [clean_query(text, config.query_characters) for text in reply.value.queries]
        accepted, rejected = self._vetted(question, candidates, [question, *failed_queries])
        queries = accepted[:limit] or [""]
        first = Rewrite(query=queries[0], rejected=tuple(rejected), usage=reply.usage)
        free = none_used(self.chat.name)
        return [first, *(Rewrite(query=query, usage=free) for query in queries[1:])]

    def _vetted(
        self, question: str, candidates: Sequence[str], known: Sequence[str]
    ) -> tuple[list[str], list[Rejected]]:
        seen = {normalised(query) for query in known}
        accepted, rejected = [], []
        for candidate in candidates:
            if not candidate or normalised(candidate) in seen:
                continue
            seen.add(normalised(candidate))
            if reason := self.vet(question, candidate):
                rejected.append(Rejected(query=candidate, reason=reason))
            else:
                accepted.append(candidate)
        return accepted, rejected
