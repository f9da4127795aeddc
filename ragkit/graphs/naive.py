"""Naive RAG: retrieve, then answer, whatever was found.

START -> retriever -> generator -> END
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ragkit.config import NaiveConfig
from ragkit.graphs.nodes import find, generate, settings
from ragkit.kit import Kit
from ragkit.state import NaiveState


@dataclass(frozen=True)
class NaiveNodes:
    """The two nodes, on one kit."""

    kit: Kit

    def retriever(self, state: NaiveState, runtime: Runtime[NaiveConfig]) -> dict[str, Any]:
        """Find documents for the question by embedding alone."""
        config = settings(runtime, NaiveConfig)
        documents, flags = find(self.kit, state["question"], config.top_k, config.strategy)
        return {
            "original_question": state["question"], "documents": documents, "flags": flags,
            "answer": "", "tag": "", "reason": "",
        }  # fmt: skip

    def generator(self, state: NaiveState) -> dict[str, Any]:
        """Answer from whatever was found."""
        writer = self.kit.unguarded or self.kit.generator
        draft = generate(writer, state["original_question"], state["documents"])
        if not draft.answerable:
            reason = (
                "nothing was retrieved" if not state["documents"] else "no answer in the documents"
            )
            return {"answer": draft.text, "tag": "abstained", "reason": reason}
        return {
            "answer": draft.text, "tag": "best_effort",
            "reason": "neither the documents nor the answer were checked",
        }  # fmt: skip


def build_naive(kit: Kit, checkpointer: Any = None) -> Any:
    """Compile naive RAG. Input: `{"question": str}`; context: NaiveConfig."""

    nodes = NaiveNodes(kit)
    graph = StateGraph(NaiveState, context_schema=NaiveConfig)
    graph.add_node("retriever", nodes.retriever)
    graph.add_node("generator", nodes.generator)
    graph.add_edge(START, "retriever")
    graph.add_edge("retriever", "generator")
    graph.add_edge("generator", END)
    compiled = graph.compile(checkpointer=checkpointer, name="naive")
    return compiled.with_config(recursion_limit=NaiveConfig().recursion_limit)
