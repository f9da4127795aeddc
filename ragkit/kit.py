"""The kit: everything one run thinks with, in one bag.

A component is a plain callable. Swap one by passing your own: `kit.replace(grader=mine)`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from typing import Any, Protocol

from ragkit.config import ChatConfig, Strategy
from ragkit.records import (
    Conflict,
    Context,
    Document,
    Generation,
    Grade,
    Grounding,
    Rewrite,
    Route,
    Support,
    Verdict,
    WebResult,
)

Messages = Sequence[dict[str, str]]


def utc_now() -> datetime:
    """Return the wall time, in UTC."""
    return datetime.now(UTC)


class Retriever(Protocol):
    """Find up to `k` documents for a query, best first, in the same order every time."""

    def __call__(self, query: str, k: int, strategy: Strategy = "hybrid") -> list[Document]: ...


class Grader(Protocol):
    """Judge each document for the question; one grade a document, joined by id."""

    def __call__(self, question: str, documents: Sequence[Document]) -> list[Grade]: ...


class Rewriter(Protocol):
    """Propose a new query from the question, the queries that failed and what they found."""

    def __call__(
        self, question: str, failed_queries: Sequence[str], documents: Sequence[Document]
    ) -> Rewrite: ...


class Generator(Protocol):
    """Answer from the documents, citing document n as `[n]` (1-based); `attempt` counts retries."""

    def __call__(
        self, question: str, documents: Sequence[Document], attempt: int = 0
    ) -> Generation: ...


class Router(Protocol):
    """Decide where the question goes; `history` is the conversation before it, oldest first."""

    def __call__(self, question: str, history: Messages = ()) -> Route: ...


class DirectAnswerer(Protocol):
    """Answer a greeting, a general definition or a follow-up without retrieval."""

    def __call__(self, question: str, history: Messages = ()) -> Generation: ...


class WebSearch(Protocol):
    """Search the web; a failure is an outcome, never an exception or a document."""

    def __call__(self, query: str, k: int) -> WebResult: ...


class Grounder(Protocol):
    """Judge an answer claim by claim against its evidence (document n is label `[n]`)."""

    def __call__(self, question: str, answer: str, documents: Sequence[Document]) -> Grounding: ...


class CitationChecker(Protocol):
    """Check every claim and marker of a draft; one record a claim and marker."""

    def __call__(
        self, question: str, draft: str, documents: Sequence[Document]
    ) -> list[Support]: ...


class ConflictDetector(Protocol):
    """Find documents that contradict each other on what the question is about."""

    def __call__(self, question: str, documents: Sequence[Document]) -> list[Conflict]: ...


class ContextBuilder(Protocol):
    """Order documents by date and version; the newest of each is used, the older kept aside."""

    def __call__(self, question: str, documents: Sequence[Document]) -> Context: ...


class Verifier(Protocol):
    """Judge a citation-checked draft as a whole."""

    def __call__(
        self,
        question: str,
        draft: str,
        documents: Sequence[Document],
        conflicts: Sequence[Conflict] = (),
    ) -> Verdict: ...


class QueryPlanner(Protocol):
    """Propose up to `limit` search queries for a question, vetted against drift."""

    def __call__(
        self, question: str, limit: int, failed_queries: Sequence[str] = ()
    ) -> list[Rewrite]: ...


@dataclass(frozen=True)
class Kit:
    """The components of one run. `name` says which kind of thinking they do.

    `section` gives the parent section of a small chunk, `split` cuts a document into strips of
    about so many tokens (each with `document_id` in its metadata). `explain` writes the sentence
    that says what a newer statement replaced, `vague` says what a question leaves open or "",
    `coverage` is the share 0..1 of the question's entities that the documents name.
    `unguarded` answers from whatever it is given, as naive RAG does; only that rung uses it.
    """

    name: str
    retriever: Retriever
    grader: Grader
    rewriter: Rewriter
    generator: Generator
    unguarded: Generator | None = None
    section: Callable[[Document], Document] | None = None
    router: Router | None = None
    direct: DirectAnswerer | None = None
    web: WebSearch | None = None
    split: Callable[[Document, int], list[Document]] | None = None
    strip_grader: Grader | None = None
    grounder: Grounder | None = None
    checker: CitationChecker | None = None
    conflicts: ConflictDetector | None = None
    context: ContextBuilder | None = None
    explain: Callable[[str, list[dict[str, Any]], list[Document]], str] | None = None
    verifier: Verifier | None = None
    planner: QueryPlanner | None = None
    vague: Callable[[str, Messages], str] | None = None
    coverage: Callable[[str, Sequence[Document]], float] | None = None
    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = utc_now

    def replace(self, **components: Any) -> Kit:
        """Return a kit with some components swapped.

        The context builder that comes with the package asks the new conflict detector.

        Raises TypeError that lists the known names when one is misspelt.
        """
        known = [field.name for field in fields(self)]
        if unknown := sorted(set(components) - set(known)):
            raise TypeError(
                f"no component called {', '.join(unknown)}; a kit has {', '.join(known)}"
            )
        detect = components.get("conflicts")
        if detect and "context" not in components and hasattr(self.context, "detect"):
            components["context"] = replace(self.context, detect=detect)
        return replace(self, **components)

    def require(self, *names: str) -> Kit:
        """Return self if the named components are there.

        Raises ValueError that names the missing ones.
        """
        if missing := [name for name in names if getattr(self, name) is None]:
            raise ValueError(
                f"this graph needs {', '.join(missing)}: "
                f"pass kit.replace({missing[0]}=...) or take offline_kit()"
            )
        return self


def offline_kit(corpus: Any = None, *, embedder: Any = None, **components: Any) -> Kit:
    """Return a kit of rules and a small embedding model: no key, no network, no download.

    `corpus` is an index, a folder, or None for the company's pages; see
    `ragkit.components.offline.build_offline_kit`.
    """
    from ragkit.components.offline import build_offline_kit

    return build_offline_kit(corpus, embedder=embedder, **components)


def chat_kit(
    model: Any = None,
    *,
    grader_model: Any = None,
    judge_model: Any = None,
    corpus: Any = None,
    web: WebSearch | None = None,
    config: ChatConfig | None = None,
    cache: Any = True,
    on_text: Callable[[str], None] | None = None,
) -> Kit:
    """Return a kit that thinks with chat models and searches like the offline one.

    A model is a name, asked at OPENAI_BASE_URL or OpenAI with OPENAI_API_KEY, or any LangChain chat
    model. Without a name the config's are taken: a cheap grader beside a large generator, which is
    also what `chat_kit("gpt-4o", grader_model="gpt-4o-mini")` says. `corpus` is as in
    `offline_kit`. `cache` keeps verdicts: True on disk, False not at all, or a `VerdictCache`.
    `on_text` gets each answer's text so far while it is written.

    Raises:
        MissingKey: a model has only a name, and neither variable is set.
        TypeError: a model is neither a name nor a LangChain chat model.
    """
    from ragkit.components.chat import chat_components

    components = chat_components(
        model, grader_model=grader_model, judge_model=judge_model, config=config, cache=cache,
        on_text=on_text,
    )  # fmt: skip
    return offline_kit(corpus, **components, **({"web": web} if web else {}))
