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
