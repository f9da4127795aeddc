"""Routed self-correction within budgets (the budgeted article).

    START -> router -> direct_answer -> END
               |  \\--> web_search --+
               v                    v
            retriever ---------> grader -> generator -> END
               ^                  | |  \\-> fallback -> END
               +---- rewriter <---+ |
               +--------------------+      the web had nothing relevant

Three budgets end the loop: retries, latency and cost. What was kept in any attempt is kept.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ragkit.config import BudgetedConfig
from ragkit.deadlines import time_limit
from ragkit.graphs.meter import cost, fresh_metrics, over, spend, trip, tripped
from ragkit.graphs.nodes import (
    REFUSAL,
    answer_directly,
    dumped,
    find,
    generate,
    grade,
    meant,
    rewrite,
    route,
    search_web,
    settings,
)
from ragkit.kit import Kit
from ragkit.state import BudgetedState
from ragkit.verdicts import kept, union, unique

NOTE = "(Note: only limited relevant information was available for this answer.)"


def by_route(
    state: BudgetedState,
) -> Literal["direct", "vector_search", "web_search", "exhausted"]:
    """Go where the router said, unless nothing may be started any more."""
    if state["route"] == "direct":
        return "direct"
    return "exhausted" if _broken(state) else state["route"]  # type: ignore[return-value]


def after_grading(
    state: BudgetedState,
) -> Literal["generate", "rewrite", "vector_search", "refuse"]:
    """Answer when enough is relevant; retry while the budgets allow; else use what was kept."""
    if state["ratio"] > 0 and state["ratio"] >= state["enough"]:
        return "generate"
    if not _broken(state):
        return "vector_search" if _web_failed(state) else "rewrite"
    return "generate" if state["evidence"] else "refuse"


def after_rewriting(state: BudgetedState) -> Literal["retry", "generate", "refuse"]:
    """Search again with a new query; without one, or when broken, use what was kept."""
    if not state["stuck"] and not _broken(state):
        return "retry"
    return "generate" if state["evidence"] else "refuse"


def _broken(state: BudgetedState) -> bool:
    return bool(state["metrics"]["circuit_breaker_triggered"])


def _web_failed(state: BudgetedState) -> bool:
    return state["route"] == "web_search" and state["web_outcome"] != "left"


@dataclass(frozen=True)
class BudgetedNodes:
    """The nodes, on one kit with its clock."""

    kit: Kit

    def router(self, state: BudgetedState, runtime: Runtime[BudgetedConfig]) -> dict[str, Any]:
        """Start fresh, classify the question and set the limits of its route."""
        config, began = settings(runtime, BudgetedConfig), self.kit.clock()
        question, history = state["question"], state.get("history", [])
        chosen, flags = route(self.kit, question, history)
        on_web = chosen.route == "web_search"
        metrics = self._spent(fresh_metrics(), began, began, cost(config.prices, "route", [chosen]))
        return {
            "original_question": question,
            "history": history,
            "route": chosen.route,
            "route_reason": chosen.reasoning,
            "queries": [(chosen.rewritten_query or "").strip() or question],
            "documents": [], "grades": [], "evidence": [], "flags": flags,
            "ratio": 0.0,
            "enough": 0.0 if on_web else config.enough_relevant,
            "max_retries": config.budget.max_retries,
            "retries": 0, "retrieved": 0, "relevant": 0,
            "web_outcome": "", "stuck": "",
            "started": began,
            "metrics": trip(metrics, over(metrics, config.budget)),
            "note": "", "answer": "", "tag": "", "reason": "", "telemetry": {},
        }  # fmt: skip

    def retriever(self, state: BudgetedState, runtime: Runtime[BudgetedConfig]) -> dict[str, Any]:
        """Search the index with the newest query."""
        config, began = settings(runtime, BudgetedConfig), self.kit.clock()
        documents, flags = find(self.kit, state["queries"][-1], config.top_k, config.strategy)
        limits = self._vector_limits(state, config) if _web_failed(state) else {}
        return {
            **limits,
            "documents": documents,
            "flags": [*state["flags"], *flags],
            "retrieved": state["retrieved"] + len(documents),
            "metrics": self._spent(state["metrics"], state["started"], began, 0.0, "retrieval"),
        }

    def _vector_limits(self, state: BudgetedState, config: BudgetedConfig) -> dict[str, Any]:
        retries = min(state["max_retries"], config.web_fallback_retries)
        enough = config.web_fallback_enough
        return {"web_outcome": "left", "max_retries": retries, "enough": enough}

    def web_search(self, state: BudgetedState, runtime: Runtime[BudgetedConfig]) -> dict[str, Any]:
        """Search the web; an empty or failed search is an outcome, never a document."""
        config, began = settings(runtime, BudgetedConfig), self.kit.clock()
        result, flags = search_web(self.kit, state["queries"][-1], config.top_k)
        documents = unique(result.documents)
        return {
            "documents": documents,
            "web_outcome": result.outcome,
            "flags": [*state["flags"], *flags],
            "retrieved": state["retrieved"] + len(documents),
            "metrics": self._spent(state["metrics"], state["started"], began, 0.0, "retrieval"),
        }

    def grader(self, state: BudgetedState, runtime: Runtime[BudgetedConfig]) -> dict[str, Any]:
        """Grade for the original question, add what is relevant to the evidence, check budgets."""
        config, began = settings(runtime, BudgetedConfig), self.kit.clock()
        documents = state["documents"]
        with time_limit(_seconds_left(state, config)):
            grades, flags = grade(self.kit.grader, meant(state), documents)
        relevant = kept(documents, grades)
        ratio = len(relevant) / len(documents) if documents else 0.0
        usd = cost(config.prices, "grade", grades)
        metrics = self._spent(state["metrics"], state["started"], began, usd, "grading")
        if not (ratio > 0 and ratio >= state["enough"]):
            metrics = trip(metrics, self._stop(state, metrics, config))
        return {
            "grades": dumped(grades),
            "evidence": union(state["evidence"], relevant),
            "ratio": ratio,
            "reason": "" if documents else "no documents",
            "relevant": state["relevant"] + len(relevant),
            "flags": [*state["flags"], *flags],
            "metrics": metrics,
        }

    def _stop(self, state: BudgetedState, metrics: Any, config: BudgetedConfig) -> str | None:
        if _web_failed(state):
            return over(metrics, config.budget)
        retries, allowed = state["retries"], state["max_retries"]
        return tripped(metrics, config.budget, retries=retries, allowed=allowed)

    def rewriter(self, state: BudgetedState, runtime: Runtime[BudgetedConfig]) -> dict[str, Any]:
        """Count the retry and ask for a new query."""
        config, began = settings(runtime, BudgetedConfig), self.kit.clock()
        with time_limit(_seconds_left(state, config)):
            result, stuck = rewrite(self.kit, meant(state), state["queries"], state["documents"])
        usd = cost(config.prices, "rewrite", [result])
        metrics = self._spent(state["metrics"], state["started"], began, usd)
        metrics = {**metrics, "retries_used": state["retries"] + 1}
        return {
            "queries": state["queries"] if stuck else [*state["queries"], result.query],
            "retries": state["retries"] + 1,
            "stuck": stuck,
            "metrics": trip(metrics, over(metrics, config.budget)),
        }

    def generator(self, state: BudgetedState, runtime: Runtime[BudgetedConfig]) -> dict[str, Any]:
        """Answer from the evidence of all attempts; say so when it was limited."""
        config, began = settings(runtime, BudgetedConfig), self.kit.clock()
        draft = generate(self.kit.generator, meant(state), state["evidence"])
        usd = cost(config.prices, "generate", [draft])
        metrics = self._spent(state["metrics"], state["started"], began, usd, "generation")
        limited = _limits(state)
        note = NOTE if draft.answerable and limited else ""
        answer = f"{draft.text}\n\n{note}".rstrip()
        tag = "best_effort" if draft.answerable else "abstained"
        reason = limited or "enough documents are relevant; claims not checked"
        if not draft.answerable:
            reason = "the relevant documents do not hold the answer"
        return {**self._end(state, metrics, answer, tag, reason), "note": note}

    def fallback(self, state: BudgetedState) -> dict[str, Any]:
        """Refuse politely: nothing relevant was found within the budgets."""
        began = self.kit.clock()
        metrics = self._spent(state["metrics"], state["started"], began, 0.0)
        reason = "; ".join(part for part in (_limits(state), "nothing relevant was found") if part)
        return self._end(state, metrics, REFUSAL, "abstained", reason)

    def direct_answer(
        self, state: BudgetedState, runtime: Runtime[BudgetedConfig]
    ) -> dict[str, Any]:
        """Answer without retrieval: a greeting, a general definition, a follow-up."""
        config, began = settings(runtime, BudgetedConfig), self.kit.clock()
        draft = answer_directly(self.kit, state["original_question"], state["history"])
        usd = cost(config.prices, "generate", [draft])
        metrics = self._spent(state["metrics"], state["started"], began, usd, "generation")
        if not draft.answerable:
            return self._end(state, metrics, draft.text, "abstained", "no direct answer is known")
        return self._end(state, metrics, draft.text, "direct", state["route_reason"])

    def _spent(
        self, metrics: dict[str, Any], started: float, began: float, usd: float, stage: str = ""
    ) -> dict[str, Any]:
        now = self.kit.clock()
        return spend(metrics, began=began, now=now, started=started, usd=usd, stage=stage)

    def _end(
        self, state: BudgetedState, metrics: dict[str, Any], answer: str, tag: str, reason: str
    ) -> dict[str, Any]:
        record = telemetry(state, metrics, self.kit.now().isoformat())
        ended = {"answer": answer, "tag": tag, "reason": reason}
        return {**ended, "metrics": metrics, "telemetry": record}


def _seconds_left(state: BudgetedState, config: BudgetedConfig) -> float:
    return (config.budget.max_latency_ms - state["metrics"]["total_ms"]) / 1000


def _limits(state: BudgetedState) -> str:
    broken = state["metrics"]["trigger_reason"]
    if broken:
        return f"budget exhausted: {broken}"
    return f"no progress: {state['stuck']}" if state["stuck"] else ""


def telemetry(state: BudgetedState, metrics: dict[str, Any], timestamp: str) -> dict[str, Any]:
    """Return the one record a query that the article logs (RagTelemetry), plain values only."""
    return {
        "query_id": uuid.uuid4().hex,
        "timestamp": timestamp,
        "query": state["original_question"],
        "route": state["route"],
        "iterations": 0 if state["route"] == "direct" else state["retries"] + 1,
        "documents_retrieved": state["retrieved"],
        "documents_relevant": state["relevant"],
        "circuit_breaker_triggered": metrics["circuit_breaker_triggered"],
        "circuit_breaker_reason": metrics["trigger_reason"],
        "query_versions": list(state["queries"]),
        "latency_ms": metrics["total_ms"],
        "estimated_cost_usd": metrics["estimated_cost"],
    }


def build_budgeted(kit: Kit, checkpointer: Any = None) -> Any:
    """Compile the routed loop. Input: `{"question", "history"?}`; context: BudgetedConfig."""
    nodes = BudgetedNodes(kit.require("router"))
    graph = StateGraph(BudgetedState, context_schema=BudgetedConfig)
    for name in (
        "router", "retriever", "web_search", "grader", "rewriter", "generator", "fallback",
        "direct_answer",
    ):  # fmt: skip
        graph.add_node(name, getattr(nodes, name))
    graph.add_edge(START, "router")
    graph.add_conditional_edges("router", by_route, {
        "direct": "direct_answer", "vector_search": "retriever", "web_search": "web_search",
        "exhausted": "fallback",
    })  # fmt: skip
    graph.add_edge("retriever", "grader")
    graph.add_edge("web_search", "grader")
    graph.add_conditional_edges("grader", after_grading, {
        "generate": "generator", "rewrite": "rewriter", "vector_search": "retriever",
        "refuse": "fallback",
    })  # fmt: skip
    graph.add_conditional_edges("rewriter", after_rewriting, {
        "retry": "retriever", "generate": "generator", "refuse": "fallback",
    })  # fmt: skip
    for last in ("generator", "fallback", "direct_answer"):
        graph.add_edge(last, END)
    compiled = graph.compile(checkpointer=checkpointer, name="budgeted")
    return compiled.with_config(
        recursion_limit=BudgetedConfig(budget={"max_retries": 50}).recursion_limit
    )
