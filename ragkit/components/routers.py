"""Decide where a question goes before any retrieval. The offline router is rules, not an LLM.

Whenever it is unsure, it searches: a needless search costs little, a missed one costs the answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ragkit.components.direct import DirectAnswerer
from ragkit.components.follow_ups import self_contained
from ragkit.components.text import content_words, entities, stem
from ragkit.components.windows import shortened
from ragkit.config import RouterConfig
from ragkit.kit import Messages
from ragkit.records import Document, Route

_LIVE = re.compile(
    r"\b(?:latest news|news|headlines|weather|forecast for|will it (?:rain|snow)"
    r"|stock price|share price"
    r"|exchange rate|interest rates?|bitcoin|elections?|president of|prime minister"
    r"|world cup|olympics"
    r"|championship|who won|score of|lottery|traffic jam)\b",
    re.IGNORECASE,
)  # fmt: skip
_NOW = re.compile(
    r"\b(?:today|tonight|yesterday|tomorrow|right now|this (?:morning|week|weekend|month|year)"
    r"|last (?:night|weekend))\b",
    re.IGNORECASE,
)
_OWN = re.compile(r"\b(?:i|i'm|i'd|i've|my|we|we're|our|us|you|your)\b", re.IGNORECASE)
_WORLD = re.compile(
    r"^\W*(?:when|who|where|in (?:which|what)|(?:which|what) (?:year|person|country|company))\b"
    r".{0,40}\b(?:did|was|were|became|invented|founded|defined|released)\b",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"\b(?:reviews?|review sites?|reddit|hacker news|stack overflow|forums?|competitors?|rivals?"
    r"|on the (?:web|internet)|google it|search the web|wikipedia|linkedin|gartner|blog posts?"
    r"|conference|press)\b",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"\b(?:outage|incident|downtime|acquisition|acquired|announce\w*|launch\w*|lawsuit|layoffs?)\b"
    r".*\b(?:20\d\d|january|february|march|april|june|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)


class RuleRouter:
    """A `Router` by rules and by how near the corpus is.

    `direct` for what the direct answerer can answer; `web_search` for live data, what others say,
    and subjects far from the corpus; `vector_search` for all else.
    """

    def __init__(
        self,
        retriever: Callable[..., list[Document]],
        direct: DirectAnswerer,
        config: RouterConfig | None = None,
    ) -> None:
        self.retriever = retriever
        self.direct = direct
        self.config = config or RouterConfig()
        self._known: frozenset[str] | None = None

    def __call__(self, question: str, history: Messages = ()) -> Route:
        """Return the route with its reason and, for a search, the query to search with."""
        asked = shortened(question).strip()
        if not asked:
            return Route(route="vector_search", reasoning="the question is empty")
        known = self.direct.find(asked, history)
        if known is not None:
            return Route(route="direct", reasoning=known.reason)
        query = self_contained(asked, history)
        reason = self._web_reason(query, asked)
        return Route(
            route="web_search" if reason else "vector_search",
            reasoning=reason or "the documents may hold it",
            rewritten_query=query,
        )

    def known_words(self) -> frozenset[str]:
        """Return the stems of the corpus's words; empty when the retriever cannot list them."""
        if self._known is None:
            listing: Any = getattr(self.retriever, "vocabulary", None)
            self._known = frozenset(stem(word) for word in listing()) if listing else frozenset()
        return self._known

    def _web_reason(self, query: str, asked: str) -> str:
        nearness = self._nearness(query)
        if match := _LIVE.search(asked):
            return f"asks for live data ({match.group().lower()})"
        if (match := _NOW.search(asked)) and not _OWN.search(asked):
            return f"asks for live data ({match.group().lower()})"
        if match := _ELSEWHERE.search(asked):
            return f"asks what others say ({match.group().lower()})"
        if _EVENT.search(asked):
            return "asks for an event of a certain date"
        if nearness < self.config.far and content_words(asked):
            return "far from everything in the documents"
        return self._strange_reason(asked, nearness)

    def _strange_reason(self, asked: str, nearness: float) -> str:
        """Name a stranger that the question is about: an owner or a piece of world knowledge."""
        strange = self._strange(asked)
        owner = any(name.endswith(("'s", "’s")) for name in strange)
        apart = not _OWN.search(asked) and (_WORLD.search(asked) or nearness < self.config.near)
        if strange and (owner or apart):
            return f"{', '.join(strange)} is not in the documents"
        return ""

    def _nearness(self, query: str) -> float:
        """Cosine of the nearest chunk, 0..1; 1 when the retriever gives no scores."""
        scored = getattr(self.retriever, "scored", None)
        found = scored(query, 1, "dense") if scored else []
        return float(found[0][1]) if found else 1.0 if scored is None else 0.0

    def _strange(self, question: str) -> list[str]:
        known = self.known_words()
        if not known:
            return []
        return [
            name
            for name in entities(question)
            if name[:1].isupper()
            and not any(c.isdigit() for c in name)
            and not any(stem(part) in known for part in content_words(name.replace("-", " ")))
        ]
