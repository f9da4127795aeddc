"""ARSC: retrieve, grade, rewrite, generate (the ARSC protocol article).

    START -> retriever -> grader -> generator -> END     any document graded yes
                 ^           |
                 |           v                           all graded no
                 +------- rewriter -> END                the cap is reached, or nothing new to ask

`max_iterations = n` gives n retrievals and n gradings: the rewriter counts, then the cap is
checked, before the retriever is entered again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ragkit.config import ArscConfig
from ragkit.graphs.nodes import dumped, find, generate, grade, rewrite, settings, yes_count
from ragkit.kit import Kit
from ragkit.state import ArscState, start_arsc
from ragkit.verdicts import kept


def decide_to_generate_or_rewrite(state: ArscState) -> Literal["generate", "rewrite"]:
    """Any yes goes on to the generator, all no to the rewriter (section 3)."""
    graded_yes = any(grade["binary_score"] == "yes" for grade in state["grades"])
    return "generate" if graded_yes else "rewrite"


def decide_to_retry_or_end(state: ArscState) -> Literal["retry", "end"]:
    """End when the rewriter closed the run: the cap is reached or it had nothing new."""
    return "end" if state["tag"] else "retry"


@dataclass(frozen=True)
class ArscNodes:
    """The four nodes, on one kit. Each returns only what it changed."""

    kit: Kit

    def retriever(self, state: ArscState, runtime: Runtime[ArscConfig]) -> dict[str, Any]:
        """Find documents for the active question; at entry, check the input and start fresh."""
        config = settings(runtime, ArscConfig)
        begun = {} if "rewritten_query" in state else start_arsc(state)
        now = {**state, **begun}
        documents, flags = find(self.kit, now["question"], config.top_k, config.strategy)
        said = f"Retrieved {len(documents)} documents for: {now['question']}"
        return {
            **begun, "documents": documents, "flags": [*now["flags"], *flags],
            "context_history": [*now["context_history"], said],
        }  # fmt: skip

    def grader(self, state: ArscState) -> dict[str, Any]:
        """Grade every document for the original question; keep the yes ones when there are any."""
        grades, flags = grade(self.kit.grader, state["original_question"], state["documents"])
        relevant = yes_count(grades)
        said = f"Decision: {relevant} of {len(grades)} documents are relevant."
        return {
            "documents": kept(state["documents"], grades) if relevant else state["documents"],
            "grades": dumped(grades), "flags": [*state["flags"], *flags],
            "context_history": [*state["context_history"], said],
        }  # fmt: skip

    def rewriter(self, state: ArscState) -> dict[str, Any]:
        """Count the iteration, then ask for a new query unless the cap is reached."""
        count = state["iteration_count"] + 1
        if count >= state["max_iterations"]:
            return _close(
                state, count, f"no relevant document in {count} retrievals, the cap is reached"
            )
        result, stuck = rewrite(
            self.kit, state["original_question"], state["queries"], state["documents"]
        )
        if stuck:
            return _close(state, count, f"no progress: {stuck}")
        said = f"Query rewritten to: {result.query}"
        return {
            "question": result.query, "rewritten_query": result.query, "iteration_count": count,
            "queries": [*state["queries"], result.query],
            "context_history": [*state["context_history"], said],
        }  # fmt: skip

    def generator(self, state: ArscState) -> dict[str, Any]:
        """Answer the original question from the documents graded yes."""
        draft = generate(self.kit.generator, state["original_question"], state["documents"])
        tag = "best_effort" if draft.answerable else "abstained"
        count = len(state["documents"])
        documents = f"{count} document{'s' * (count != 1)}"
        reason = (
            f"answered from {documents} graded relevant; claims not checked"
            if draft.answerable
            else "the documents graded relevant do not hold the answer"
        )
        said = "Answer generated." if draft.answerable else "The generator could not answer."
        return {
            "generation": draft.text, "tag": tag, "reason": reason,
            "context_history": [*state["context_history"], said],
        }  # fmt: skip


def _close(state: ArscState, count: int, reason: str) -> dict[str, Any]:
    return {
        "iteration_count": count, "tag": "abstained", "reason": reason,
        "context_history": [*state["context_history"], f"Stopped: {reason}."],
    }  # fmt: skip


def build_arsc(kit: Kit, checkpointer: Any = None) -> Any:
    """Compile the ARSC loop.

    Input: the article's AgentState (`state.arsc_input` makes one); context: ArscConfig.
    Raises ValueError that names the field when the input does not fit the article's schema.
    """

    graph = StateGraph(ArscState, context_schema=ArscConfig)
    nodes = ArscNodes(kit)
    graph.add_node("retriever", nodes.retriever)
    graph.add_node("grader", nodes.grader)
    graph.add_node("rewriter", nodes.rewriter)
    graph.add_node("generator", nodes.generator)
    graph.add_edge(START, "retriever")
    graph.add_edge("retriever", "grader")
    graph.add_conditional_edges(
        "grader", decide_to_generate_or_rewrite, {"generate": "generator", "rewrite": "rewriter"}
    )
    graph.add_conditional_edges(
        "rewriter", decide_to_retry_or_end, {"retry": "retriever", "end": END}
    )
    graph.add_edge("generator", END)
    compiled = graph.compile(checkpointer=checkpointer, name="arsc")
    return compiled.with_config(recursion_limit=ArscConfig(max_iterations=50).recursion_limit)
