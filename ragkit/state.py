"""The state of each graph: plain JSON values only, and a fresh start for every question.

Nodes return only what they changed, as whole new values; no key has an adding reducer, so nothing
doubles on resume, in a sub-graph or on a second question in the same thread.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Annotated, Any, TypedDict

from langgraph.channels import EphemeralValue

from ragkit.records import Document

Messages = list[dict[str, str]]


class NaiveState(TypedDict, total=False):
    """Retrieve, then answer."""

    question: str
    original_question: str
    documents: list[Document]
    flags: list[str]
    answer: str
    tag: str
    reason: str


class ArscState(TypedDict, total=False):
    """The ARSC protocol's AgentState (its schema is shipped), with the verdicts kept beside it.

    `rewritten_query` and `generation` live for one step only: the first tells the retriever that it
    is inside the loop, the second must be absent when a run ends at its cap.
    """

    question: str
    original_question: str
    rewritten_query: Annotated[str, EphemeralValue]
    documents: list[Document]
    grades: list[dict[str, Any]]
    flags: list[str]
    queries: list[str]
    generation: Annotated[str, EphemeralValue]
    iteration_count: int
    max_iterations: int
    context_history: list[str]
    tag: str
    reason: str


def arsc_schema() -> dict[str, Any]:
    """Return the article's draft-07 JSON schema of AgentState."""
    text = files("ragkit").joinpath("schemas/arsc_state.json").read_text(encoding="utf-8")
    return json.loads(text)


def arsc_input(question: str, max_iterations: int = 3) -> dict[str, Any]:
    """Return the input of an ARSC run, with the four keys that the article requires."""
    return {
        "question": question, "iteration_count": 0, "max_iterations": max_iterations,
        "context_history": [],
    }  # fmt: skip


def start_arsc(state: ArscState) -> dict[str, Any]:
    """Check the input against the article's schema and return a fresh start for its question.

    In a thread that has answered before, counters and history start again.
    Raises ValueError that names the field at fault.
    """
    from jsonschema import Draft7Validator

    error = next(iter(Draft7Validator(arsc_schema()).iter_errors(dict(state))), None)
    if error is not None:
        field = ".".join(str(part) for part in error.absolute_path) or "input"
        raise ValueError(f"{field}: {error.message} (ragkit.state.arsc_input makes a valid input)")
    again = "original_question" in state
    return {
        "question": state["question"], "original_question": state["question"],
        "queries": [state["question"]], "grades": [], "flags": [], "tag": "", "reason": "",
        "iteration_count": 0 if again else state["iteration_count"],
        "context_history": [] if again else state["context_history"],
    }  # fmt: skip


class BudgetedState(TypedDict, total=False):
    """Routed self-correction. `enough`, `max_retries` are the ones in force on this route."""

    question: str
    history: Messages
    original_question: str
    route: str
    route_reason: str
    queries: list[str]
    documents: list[Document]
    grades: list[dict[str, Any]]
    evidence: list[Document]
    flags: list[str]
    ratio: float
    enough: float
    max_retries: int
    retries: int
    retrieved: int
    relevant: int
    web_outcome: str
    stuck: str
    started: float
    metrics: dict[str, Any]
    note: str
    answer: str
    tag: str
    reason: str
    telemetry: dict[str, Any]


class CorrectiveState(TypedDict, total=False):
    """Corrective RAG by count. `branch` is correct, ambiguous or incorrect."""

    question: str
    history: Messages
    original_question: str
    route: str
    route_reason: str
    queries: list[str]
    documents: list[Document]
    grades: list[dict[str, Any]]
    branch: str
    evidence: list[Document]
    flags: list[str]
    web_outcome: str
    draft: str
    grounding: dict[str, Any]
    answer: str
    tag: str
    reason: str


class CragState(TypedDict, total=False):
    """CRAG. `verdicts` says kept, ambiguous or dropped by id; `log` is the verdict log."""

    question: str
    history: Messages
    original_question: str
    route: str
    route_reason: str
    queries: list[str]
    documents: list[Document]
    grades: list[dict[str, Any]]
    verdicts: dict[str, str]
    candidates: list[Document]
    strips: list[dict[str, Any]]
    evidence: list[Document]
    flags: list[str]
    rewrites: int
    rewrites_left: int
    regenerations: int
    retry: bool
    web_outcome: str
    stuck: str
    draft: str
    grounding: dict[str, Any]
    started: float
    late: bool
    log: list[dict[str, Any]]
    answer: str
    tag: str
    reason: str


class AuditedState(TypedDict, total=False):
    """The audited rollback loop; the article's names where it names a thing.

    `attempt` counts generations from one evidence, `retry_count` all retries of the run.
    `checks_passed` is True only for a draft that citation checker and verifier let through.
    """

    question: str
    history: Messages
    original_question: str
    route: str
    route_reason: str
    sensitive: list[str]
    rewritten_queries: list[str]
    rejected_queries: list[dict[str, str]]
    strategy: str
    retrieved_documents: list[Document]
    grades: list[dict[str, Any]]
    validation: dict[str, Any]
    conflicts: list[dict[str, Any]]
    evidence: list[Document]
    superseded: list[str]
    generated_draft: str
    citations: list[dict[str, Any]]
    verdict: dict[str, Any]
    validation_status: str
    retry_count: int
    max_retries: int
    attempt: int
    rollbacks: list[dict[str, Any]]
    checks_passed: bool
    review: dict[str, Any]
    decision: dict[str, Any]
    flags: list[str]
    answer: str
    tag: str
    reason: str
