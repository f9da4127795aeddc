"""The audited rollback loop (the audited-rollback article).

    START -> intake -> query_rewriter -> retriever -> retrieval_validator -> context_builder
                             ^                              |                     v
                             +-------- replanner <----------+            answer_generator <--+
                                           ^                                      v          |
                                           |                              citation_checker   |
                                           |                                |     v          |
                                           +----------------------- answer_verifier -> rollback
                                                                            v
             final_format -> END     human_review_queue -> human_review     final_format

A failed check returns the run to the state before generation (rollback) or before retrieval
(replanner). `retry_count` goes up by one before every retry; at `max_retries` a person decides.
"""

from __future__ import annotations

from typing import Any, Literal

from langgraph.checkpoint.memory import MemorySaver
from langgraph.graph import END, START, StateGraph

from ragkit.config import AuditedConfig
from ragkit.graphs.audited_nodes import AuditedNodes
from ragkit.kit import Kit
from ragkit.state import AuditedState

Next = Literal["query_rewriter", "answer_generator", "human_review_queue", "abstain", "pass"]


def after_intake(state: AuditedState) -> Literal["direct", "vague", "search"]:
    """A greeting is answered, a vague question asked back through review, the rest searched."""
    if state["route"] == "direct" and not state["sensitive"]:
        return "direct"
    return "vague" if state["validation_status"] == "vague" else "search"


def route_after_check(state: AuditedState) -> Next:
    """Go on, go back or go to a person: the one rule for all three checks (section 7, E7).

    A hard conflict retries nothing. At the cap every failure goes to review, whatever its cause.
    """
    status = state["validation_status"]
    if status == "passed":
        return "pass"
    if status == "nothing_found":
        return "human_review_queue" if state["sensitive"] else "abstain"
    if status == "conflict" or state["retry_count"] >= state["max_retries"]:
        return "human_review_queue"
    if status == "retrieval_failed":
        return "query_rewriter"
    return "answer_generator" if status == "citation_failed" else "human_review_queue"


def after_verification(state: AuditedState) -> Next:
    """As any check; a sensitive question goes to a person even when all checks passed."""
    chosen = route_after_check(state)
    return "human_review_queue" if chosen == "pass" and state["sensitive"] else chosen


def build_audited(kit: Kit, checkpointer: Any = None) -> Any:
    """Compile the audited loop. Input: `{"question", "history"?}`; context: AuditedConfig.

    `checkpointer` is any LangGraph saver; None takes a MemorySaver of its own. Raises ValueError
    for `checkpointer=False`: a review that nothing remembers can never be resumed.
    """
    if checkpointer is False:
        raise ValueError("a review needs a checkpointer: pass a saver, or None for MemorySaver")
    nodes = AuditedNodes(kit.require("router", "checker", "verifier", "context", "planner"))
    graph = StateGraph(AuditedState, context_schema=AuditedConfig)
    for name in (
        "intake", "direct_answer", "query_rewriter", "retriever", "retrieval_validator",
        "replanner", "context_builder", "answer_generator", "citation_checker", "answer_verifier",
        "rollback", "human_review_queue", "human_review", "final_format", "abstain",
    ):  # fmt: skip
        graph.add_node(name, getattr(nodes, name))
    back = {"query_rewriter": "replanner", "human_review_queue": "human_review_queue"}
    undo = {**back, "answer_generator": "rollback"}
    graph.add_edge(START, "intake")
    graph.add_conditional_edges("intake", after_intake, {
        "direct": "direct_answer", "vague": "human_review_queue", "search": "query_rewriter",
    })  # fmt: skip
    graph.add_edge("query_rewriter", "retriever")
    graph.add_edge("retriever", "retrieval_validator")
    graph.add_conditional_edges(
        "retrieval_validator", route_after_check,
        {**back, "pass": "context_builder", "abstain": "abstain"},
    )  # fmt: skip
    graph.add_edge("replanner", "query_rewriter")
    graph.add_conditional_edges(
        "context_builder", route_after_check,
        {"pass": "answer_generator", "human_review_queue": "human_review_queue"},
    )  # fmt: skip
    graph.add_edge("answer_generator", "citation_checker")
    graph.add_conditional_edges(
        "citation_checker", route_after_check, {**undo, "pass": "answer_verifier"}
    )
    graph.add_conditional_edges(
        "answer_verifier", after_verification, {**undo, "pass": "final_format"}
    )
    graph.add_edge("rollback", "answer_generator")
    graph.add_edge("human_review_queue", "human_review")
    graph.add_edge("human_review", "final_format")
    for last in ("final_format", "direct_answer", "abstain"):
        graph.add_edge(last, END)
    compiled = graph.compile(checkpointer=checkpointer or MemorySaver(), name="audited")
    return compiled.with_config(recursion_limit=AuditedConfig().recursion_limit)
