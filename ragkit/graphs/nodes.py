"""What several rungs share: calling a component so that its failure is a value, and small rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from langchain_core.runnables.config import ContextThreadPoolExecutor
from langgraph.config import get_stream_writer
from pydantic import TypeAdapter, ValidationError

from ragkit.config import GraphConfig, Strategy
from ragkit.kit import Kit
from ragkit.records import (
    Conflict,
    Document,
    Generation,
    Grade,
    Grounding,
    Rewrite,
    Route,
    Verdict,
    WebResult,
)
from ragkit.redact import describe
from ragkit.verdicts import join, unique

REFUSAL = (
    "I could not find enough relevant information to answer this question. "
    "Could you rephrase it or add a detail?"
)


def settings(runtime: Any, default: type[GraphConfig]) -> Any:
    """Return the run's config: the runtime context, or the articles' defaults."""
    context = runtime.context
    if context is None:
        return default()
    if not isinstance(context, default):
        raise TypeError(f"context must be a {default.__name__}, not {type(context).__name__}")
    return context


def attempt(component: Callable[..., Any], *args: Any, returns: Any = Any) -> tuple[Any, str]:
    """Call a component; return its value and "", or None and what went wrong (no secrets).

    A value that is not what the component's protocol `returns`, such as `list[Document]`, is a
    failure too.
    """
    try:
        value = component(*args)
    except Exception as error:
        return None, describe(error)
    try:
        return _reader(returns).validate_python(value), ""
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or type(value).__name__
        wanted = getattr(returns, "__name__", "") if isinstance(returns, type) else str(returns)
        wanted = re.sub(r"ragkit\.records\.", "", wanted)
        return None, f"it did not return {wanted} ({place}: {first['msg']})"


@lru_cache(64)
def _reader(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


def find(kit: Kit, query: str, k: int, strategy: Strategy) -> tuple[list[Document], list[str]]:
    """Retrieve for a query; a blank query or a failing retriever gives no documents and a flag."""
    if not query.strip():
        return [], ["blank query: nothing was retrieved"]
    documents, error = attempt(kit.retriever, query, k, strategy, returns=list[Document])
    if error:
        return [], [f"retriever failed: {error}"]
    return unique(documents), []


def grade(
    grader: Callable[..., Any], question: str, documents: Sequence[Document]
) -> tuple[list[Grade], list[str]]:
    """Grade documents for the question; a failing grader gives failed grades, never a "yes"."""
    if not documents:
        return [], []
    grades, error = attempt(grader, question, list(documents))
    if error:
        failed = [Grade.failed(d["id"], "transport", error) for d in documents]
        return failed, [f"grader failed: {error}"]
    return join(documents, grades)


def grade_each(
    grader: Callable[..., Any], question: str, documents: Sequence[Document], concurrency: int
) -> tuple[list[Grade], list[str]]:
    """Grade each document by itself, all at once; one failure loses only its own document.

    The order of the documents is kept. Progress goes to the "custom" stream as it happens.
    """
    if not documents:
        return [], []
    report = progress()
    grades: list[Grade] = []
    flags: list[str] = []

    def one(document: Document) -> tuple[list[Grade], list[str]]:
        return grade(grader, question, [document])

    with ContextThreadPoolExecutor(max_workers=min(concurrency, len(documents))) as pool:
        for number, (found, said) in enumerate(pool.map(one, documents), start=1):
            grades += found
            flags += said
            report({"graded": number, "of": len(documents)})
    return grades, flags


def progress() -> Callable[[Any], None]:
    """Return the run's writer to the "custom" stream, or a silent one outside a graph."""
    try:
        return get_stream_writer()
    except RuntimeError:
        return lambda _: None


def sections(kit: Kit, documents: Sequence[Document]) -> list[Document]:
    """Return the parent section of each small chunk, each once; the chunk itself if it has none."""
    if kit.section is None:
        return list(documents)
    found = [attempt(kit.section, d, returns=Document)[0] or d for d in documents]
    return unique(found)


def split(kit: Kit, documents: Sequence[Document], tokens: int) -> tuple[list[Document], list[str]]:
    """Cut each document into strips; one that cannot be cut stays whole, so nothing is lost."""
    pieces: list[Document] = []
    flags: list[str] = []
    for document in documents:
        found, error = attempt(kit.split, document, tokens, returns=list[Document])
        if not found:
            flags.append(f"{document['id']} was not cut: {error or 'no strips'}")
        pieces += found or [document]
    return pieces, flags


def ground(kit: Kit, question: str, answer: str, documents: Sequence[Document]) -> Grounding:
    """Judge an answer against its evidence; a judge that fails has not passed it."""
    judged, error = attempt(kit.grounder, question, answer, list(documents))
    if isinstance(judged, Grounding):
        return judged
    said = error or f"the judge returned {type(judged).__name__}"
    return Grounding(grounded=False, useful=False, explanation=said, outcome="transport")


def verify(
    kit: Kit,
    question: str,
    draft: str,
    documents: Sequence[Document],
    conflicts: Sequence[dict[str, Any]],
) -> Verdict:
    """Ask the verifier for its last word; one that fails has not passed the draft."""
    known = [Conflict.model_validate(record) for record in conflicts]
    verdict, error = attempt(kit.verifier, question, draft, list(documents), known)
    if isinstance(verdict, Verdict):
        return verdict
    said = error or f"the verifier returned {type(verdict).__name__}"
    return Verdict(
        status="citation_failed", resolved=False, complete=False, explanation=said,
        outcome="transport",
    )  # fmt: skip


def route(kit: Kit, question: str, history: Sequence[dict[str, str]]) -> tuple[Route, list[str]]:
    """Route a question; an unreadable route falls to vector search and says so (B1)."""
    chosen, error = attempt(kit.router, question, list(history))
    if isinstance(chosen, Route) and chosen.outcome == "ok":
        return chosen, []
    said = error or (f"reply {chosen.outcome}" if isinstance(chosen, Route) else "no route")
    usage = chosen.usage if isinstance(chosen, Route) else None
    safe = Route(route="vector_search", reasoning="the route could not be read", usage=usage)
    return safe, [f"router: {said}"]


def meant(state: Mapping[str, Any]) -> str:
    """Return what texts are judged by: the user's words, a follow-up in its self-contained form.

    "And for annual plans?" alone would make every document irrelevant; the router's first query
    says what it is about (D0). The user's own words stay in `original_question` (G3).
    """
    queries = state.get("queries") or state.get("rewritten_queries") or [""]
    return queries[0] if state["history"] and queries[0] else state["original_question"]


def search_web(kit: Kit, query: str, k: int) -> tuple[WebResult, list[str]]:
    """Search the web; whatever goes wrong is a failed result, never a document."""
    if kit.web is None:
        return WebResult(outcome="failed", detail="this kit has no web search"), ["no web search"]
    if not query.strip():
        return WebResult(outcome="empty", detail="blank query"), ["blank query: no web search"]
    result, error = attempt(kit.web, query, k)
    if error or not isinstance(result, WebResult):
        detail = error or f"web search returned {type(result).__name__}"
        return WebResult(outcome="failed", detail=detail), [f"web search failed: {detail}"]
    flags = [f"web search failed: {result.detail}"] if result.outcome == "failed" else []
    return result, flags


def rewrite(
    kit: Kit, question: str, queries: Sequence[str], documents: Sequence[Document]
) -> tuple[Rewrite, str]:
    """Return a rewrite and "", or the reason why there is no progress (blank, repeated, failed)."""
    if not question.strip():
        return Rewrite(query=""), "the question is blank"
    result, error = attempt(kit.rewriter, question, list(queries), list(documents))
    if error or not isinstance(result, Rewrite):
        return Rewrite(
            query="", outcome="transport"
        ), f"the rewriter failed: {error or 'no rewrite'}"
    if result.outcome != "ok":
        return result, f"the rewriter's reply was {result.outcome}"
    if not normalised(result.query):
        return result, result.explanation or "the rewriter had nothing better"
    if normalised(result.query) in {normalised(query) for query in queries}:
        return result, "the rewriter repeated an earlier query"
    return result, ""


def generate(
    generator: Callable[..., Any], question: str, documents: Sequence[Document], *settings: Any
) -> Generation:
    """Draft an answer; no documents or a failing generator gives an unanswerable draft."""
    if not documents:
        return Generation(text=REFUSAL, answerable=False)
    return _draft(generator, question, list(documents), *settings)


def answer_directly(kit: Kit, question: str, history: Sequence[dict[str, str]]) -> Generation:
    """Draft an answer without retrieval; a kit that cannot gives an unanswerable draft."""
    if kit.direct is None:
        return Generation(text=REFUSAL, answerable=False)
    return _draft(kit.direct, question, list(history))


def _draft(generator: Callable[..., Any], *args: Any) -> Generation:
    draft, error = attempt(generator, *args)
    if error or not isinstance(draft, Generation):
        return Generation(text=REFUSAL, answerable=False, outcome="transport")
    if draft.outcome != "ok" or not draft.text.strip():
        return draft.model_copy(update={"text": REFUSAL, "answerable": False})
    return draft


def normalised(query: str) -> str:
    """Return a query as compared for repeats: case, spaces, quotes and final marks do not count."""
    return re.sub(r"[\s\"'“”‘’?.!]+", " ", query).strip().casefold()


def yes_count(grades: Sequence[Grade]) -> int:
    """Count the documents graded "yes"."""
    return sum(grade.binary_score == "yes" for grade in grades)


def dumped(grades: Sequence[Grade]) -> list[dict[str, Any]]:
    """Return records as the plain dictionaries that a checkpoint may hold."""
    return [grade.model_dump(mode="json") for grade in grades]
