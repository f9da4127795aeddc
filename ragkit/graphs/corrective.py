"""Corrective RAG: the count of relevant documents picks the branch (corrective controller).

START -> router -> direct_answer -> END
           v
        retriever -> grader -> generator -> hallucination_guard -> END      two or more relevant
                       |  \\-> rewriter -> secondary_retriever -+             one
                       |          \\-> generator                v
                       +----> web_search ----------> secondary_grader        none
                                                      |-> generator
                                                      +-> fallback -> END
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ragkit.config import CorrectiveConfig
from ragkit.graphs.nodes import (
    REFUSAL,
    answer_directly,
    dumped,
    find,
    generate,
    grade_each,
    ground,
    meant,
    rewrite,
    route,
    search_web,
    sections,
    settings,
)
from ragkit.kit import Kit
from ragkit.state import CorrectiveState
from ragkit.verdicts import kept, union, unique

NOT_ENOUGH = "There is not enough information in the sources to answer this."


def is_retrieval_needed(state: CorrectiveState) -> Literal["yes", "no"]:
    """Skip retrieval only for what the router answers directly (C1)."""
    return "no" if state["route"] == "direct" else "yes"


def by_count(state: CorrectiveState) -> Literal["correct", "ambiguous", "incorrect"]:
    """Take the branch that the count of relevant documents chose (C4)."""
    return state["branch"]  # type: ignore[return-value]


def after_rewriting(state: CorrectiveState) -> Literal["search", "generate"]:
    """Search again with the new query; without one, answer from the one document."""
    return "search" if len(state["queries"]) > 1 else "generate"


def after_second_grading(state: CorrectiveState) -> Literal["generate", "refuse"]:
    """Answer when anything relevant was found in either search."""
    return "generate" if state["evidence"] else "refuse"


def branch_for(relevant: int, enough: int) -> Literal["correct", "ambiguous", "incorrect"]:
    """Name the branch for a count of relevant documents."""
    if relevant >= enough:
        return "correct"
    return "ambiguous" if relevant else "incorrect"


@dataclass(frozen=True)
class CorrectiveNodes:
    """The nodes, on one kit."""

    kit: Kit

    def router(self, state: CorrectiveState) -> dict[str, Any]:
        """Start fresh and decide whether retrieval is needed."""
        question, history = state["question"], state.get("history", [])
        chosen, flags = route(self.kit, question, history)
        return {
            "original_question": question, "history": history,
            "route": chosen.route, "route_reason": chosen.reasoning,
            "queries": [(chosen.rewritten_query or "").strip() or question],
            "documents": [], "grades": [], "branch": "", "evidence": [], "flags": flags,
            "web_outcome": "", "draft": "", "grounding": {}, "answer": "", "tag": "", "reason": "",
        }  # fmt: skip

    def direct_answer(self, state: CorrectiveState) -> dict[str, Any]:
        """Answer without retrieval."""
        draft = answer_directly(self.kit, state["original_question"], state["history"])
        if not draft.answerable:
            return {"answer": draft.text, "tag": "abstained", "reason": "no direct answer is known"}
        return {"answer": draft.text, "tag": "direct", "reason": state["route_reason"]}

    def retriever(
        self, state: CorrectiveState, runtime: Runtime[CorrectiveConfig]
    ) -> dict[str, Any]:
        """Search by keyword and embedding, fused by rank (C2)."""
        config = settings(runtime, CorrectiveConfig)
        documents, flags = find(self.kit, state["queries"][-1], config.top_k, config.strategy)
        return {"documents": documents, "flags": [*state["flags"], *flags]}

    def grader(self, state: CorrectiveState, runtime: Runtime[CorrectiveConfig]) -> dict[str, Any]:
        """Grade each document by itself and choose the branch by count (C3, C4)."""
        config = settings(runtime, CorrectiveConfig)
        relevant, grades, flags = self._grade(state, config)
        return {
            "grades": dumped(grades),
            "branch": branch_for(len(relevant), config.enough_documents),
            "evidence": sections(self.kit, relevant),
            "flags": [*state["flags"], *flags],
        }

    def rewriter(self, state: CorrectiveState) -> dict[str, Any]:
        """Ask for a query that finds what stands beside the one relevant document."""
        result, stuck = rewrite(self.kit, meant(state), state["queries"], state["documents"])
        if stuck:
            return {"flags": [*state["flags"], f"no progress: {stuck}"]}
        return {"queries": [*state["queries"], result.query]}

    def secondary_retriever(
        self, state: CorrectiveState, runtime: Runtime[CorrectiveConfig]
    ) -> dict[str, Any]:
        """Search once more, for fewer documents."""
        config = settings(runtime, CorrectiveConfig)
        query = state["queries"][-1]
        documents, flags = find(self.kit, query, config.secondary_k, config.strategy)
        return {"documents": documents, "flags": [*state["flags"], *flags]}

    def web_search(
        self, state: CorrectiveState, runtime: Runtime[CorrectiveConfig]
    ) -> dict[str, Any]:
        """Leave the index: search the web; a failure is an outcome, never a document."""
        config = settings(runtime, CorrectiveConfig)
        result, flags = search_web(self.kit, state["queries"][-1], config.web_k)
        return {
            "documents": unique(result.documents), "web_outcome": result.outcome,
            "flags": [*state["flags"], *flags],
        }  # fmt: skip

    def secondary_grader(
        self, state: CorrectiveState, runtime: Runtime[CorrectiveConfig]
    ) -> dict[str, Any]:
        """Grade the second harvest too and join it to the first (C4)."""
        config = settings(runtime, CorrectiveConfig)
        relevant, grades, flags = self._grade(state, config)
        return {
            "grades": [*state["grades"], *dumped(grades)],
            "evidence": union(state["evidence"], sections(self.kit, relevant)),
            "flags": [*state["flags"], *flags],
        }

    def generator(self, state: CorrectiveState) -> dict[str, Any]:
        """Draft an answer from the evidence, citing it."""
        draft = generate(self.kit.generator, meant(state), state["evidence"])
        return {"draft": draft.text if draft.answerable else ""}

    def hallucination_guard(self, state: CorrectiveState) -> dict[str, Any]:
        """Let an answer out only when its context can give it (C5)."""
        if not state["draft"]:
            reason = "the relevant documents do not hold the answer"
            return {"answer": NOT_ENOUGH, "tag": "abstained", "reason": reason}
        judged = ground(self.kit, meant(state), state["draft"], state["evidence"])
        found = {"grounding": judged.model_dump(mode="json")}
        if judged.passed:
            reason = "every claim is supported by the evidence"
            return {**found, "answer": state["draft"], "tag": "verified", "reason": reason}
        reason = f"the guard held the draft back: {judged.explanation or judged.outcome}"
        return {**found, "answer": NOT_ENOUGH, "tag": "abstained", "reason": reason}

    def fallback(self, state: CorrectiveState) -> dict[str, Any]:
        """Refuse politely: neither the index nor the web had anything relevant."""
        searched = f"; web search: {state['web_outcome']}" if state["web_outcome"] else ""
        reason = f"nothing relevant was found{searched}"
        return {"answer": REFUSAL, "tag": "abstained", "reason": reason}

    def _grade(self, state: CorrectiveState, config: CorrectiveConfig) -> tuple[Any, Any, Any]:
        documents = state["documents"]
        grades, flags = grade_each(
            self.kit.grader, meant(state), documents, config.grade_concurrency
        )
        return kept(documents, grades), grades, flags


def build_corrective(kit: Kit, checkpointer: Any = None) -> Any:
    """Compile corrective RAG by count.

    Input: `{"question", "history"?}`; context: CorrectiveConfig.

    Raises ValueError when the kit has no router or no grounder.
    """
    nodes = CorrectiveNodes(kit.require("router", "grounder"))
    graph = StateGraph(CorrectiveState, context_schema=CorrectiveConfig)
    for name in (
        "router", "direct_answer", "retriever", "grader", "rewriter", "secondary_retriever",
        "web_search", "secondary_grader", "generator", "hallucination_guard", "fallback",
    ):  # fmt: skip
        graph.add_node(name, getattr(nodes, name))
    graph.add_edge(START, "router")
    graph.add_conditional_edges(
        "router", is_retrieval_needed, {"yes": "retriever", "no": "direct_answer"}
    )
    graph.add_edge("retriever", "grader")
    graph.add_conditional_edges("grader", by_count, {
        "correct": "generator", "ambiguous": "rewriter", "incorrect": "web_search",
    })  # fmt: skip
    graph.add_conditional_edges(
        "rewriter", after_rewriting, {"search": "secondary_retriever", "generate": "generator"}
    )
    graph.add_edge("secondary_retriever", "secondary_grader")
    graph.add_edge("web_search", "secondary_grader")
    graph.add_conditional_edges(
        "secondary_grader", after_second_grading, {"generate": "generator", "refuse": "fallback"}
    )
    graph.add_edge("generator", "hallucination_guard")
    for last in ("hallucination_guard", "direct_answer", "fallback"):
        graph.add_edge(last, END)
    compiled = graph.compile(checkpointer=checkpointer, name="corrective")
    return compiled.with_config(recursion_limit=CorrectiveConfig().recursion_limit)
