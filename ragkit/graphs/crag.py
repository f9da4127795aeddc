"""CRAG with two thresholds, knowledge strips and a grounding check (grade, rewrite, ground).

    START -> router -> direct_answer -> END
               v
            retriever -> grader -> strips -> generator -> grounding_check -> ship -> END
               ^          | |  \\     ^ |                    |         |
               |          | |   blend  +-> blend, rewriter,  |         +-> ship_tagged -> END
               |          | +--------------> ship_tagged     |
               +-- rewriter <-------------------------------+

A score at or above `pass_threshold` is kept, below `fail_threshold` dropped. What lies between is
ambiguous: its strips must pass by themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from ragkit.config import CragConfig
from ragkit.deadlines import time_limit
from ragkit.graphs.nodes import (
    REFUSAL,
    answer_directly,
    dumped,
    find,
    generate,
    grade,
    grade_each,
    ground,
    meant,
    rewrite,
    route,
    search_web,
    settings,
    split,
)
from ragkit.kit import Kit
from ragkit.records import Document, Grade
from ragkit.state import CragState
from ragkit.verdicts import union, unique

Verdict = Literal["kept", "ambiguous", "dropped"]


def verdict(score: float, config: CragConfig) -> Verdict:
    """Cut one score by the two thresholds (D3)."""
    if score >= config.pass_threshold:
        return "kept"
    return "dropped" if score < config.fail_threshold else "ambiguous"


def move(verdicts: Sequence[str]) -> Literal["strips", "blend", "rewrite"]:
    """Name the move that the first verdicts call for: all kept, all dropped, or mixed (D3)."""
    if verdicts and all(name == "kept" for name in verdicts):
        return "strips"
    return "blend" if any(name != "dropped" for name in verdicts) else "rewrite"


def is_retrieval_needed(state: CragState) -> Literal["yes", "no"]:
    """Skip retrieval only for what the router answers directly (D0)."""
    return "no" if state["route"] == "direct" else "yes"


def after_grading(state: CragState) -> Literal["strips", "blend", "rewrite", "give_up"]:
    """All kept: strips. Mixed: blend with the web. All dropped: rewrite, then the web, then end."""
    if state["candidates"]:
        mixed = any(name != "kept" for name in state["verdicts"].values())
        return "blend" if mixed and _web_open(state) else "strips"
    return _look_elsewhere(state)


def after_strips(state: CragState) -> Literal["generate", "blend", "rewrite", "give_up"]:
    """Generate from the surviving strips; without any, look elsewhere."""
    return "generate" if state["evidence"] else _look_elsewhere(state)


def after_grounding(state: CragState) -> Literal["ship", "rewrite", "tag"]:
    """Ship what passed; rewrite and retry within the budget; tag what is left (D5)."""
    if state["tag"] == "verified":
        return "ship"
    return "rewrite" if state["retry"] else "tag"


def after_rewriting(state: CragState) -> Literal["retry", "give_up"]:
    """Search again with a new query; without one there is nothing more to try."""
    return "give_up" if state["stuck"] else "retry"


def _look_elsewhere(state: CragState) -> Literal["blend", "rewrite", "give_up"]:
    if state["rewrites_left"] and not state["late"]:
        return "rewrite"
    return "blend" if _web_open(state) else "give_up"


def _web_open(state: CragState) -> bool:
    return not state["web_outcome"] and not state["late"]


@dataclass(frozen=True)
class CragNodes:
    """The nodes, on one kit with its clock."""

    kit: Kit

    def router(self, state: CragState, runtime: Runtime[CragConfig]) -> dict[str, Any]:
        """Start fresh and decide whether retrieval is needed; make a follow-up self-contained."""
        config = settings(runtime, CragConfig)
        question, history = state["question"], state.get("history", [])
        chosen, flags = route(self.kit, question, history)
        return {
            "original_question": question, "history": history,
            "route": chosen.route, "route_reason": chosen.reasoning,
            "queries": [(chosen.rewritten_query or "").strip() or question],
            "documents": [], "grades": [], "verdicts": {}, "candidates": [], "strips": [],
            "evidence": [], "flags": flags, "rewrites": 0,
            "rewrites_left": config.max_rewrites, "regenerations": 0, "retry": False,
            "web_outcome": "" if config.web_fallback else "closed world",
            "stuck": "", "draft": "", "grounding": {}, "started": self.kit.clock(), "late": False,
            "log": [{"event": "routed", "route": chosen.route}],
            "answer": "", "tag": "", "reason": "",
        }  # fmt: skip

    def direct_answer(self, state: CragState) -> dict[str, Any]:
        """Answer without retrieval."""
        draft = answer_directly(self.kit, state["original_question"], state["history"])
        if not draft.answerable:
            return {"answer": draft.text, "tag": "abstained", "reason": "no direct answer is known"}
        return {"answer": draft.text, "tag": "direct", "reason": state["route_reason"]}

    def retriever(self, state: CragState, runtime: Runtime[CragConfig]) -> dict[str, Any]:
        """Search the index with the newest query."""
        config = settings(runtime, CragConfig)
        documents, flags = find(self.kit, state["queries"][-1], config.top_k, config.strategy)
        return {
            "documents": documents, "flags": [*state["flags"], *flags],
            "late": self._late(state, config),
        }  # fmt: skip

    def grader(self, state: CragState, runtime: Runtime[CragConfig]) -> dict[str, Any]:
        """Grade all documents in one concurrent batch and cut the scores twice (D2, D3)."""
        config = settings(runtime, CragConfig)
        documents = state["documents"]
        grades, flags = self._grade(state, documents, config)
        verdicts = {g.document_id: verdict(g.score, config) for g in grades}
        event = {"event": "graded", "verdicts": verdicts}
        return {
            "grades": dumped(grades), "verdicts": verdicts,
            "candidates": _not_dropped(documents, verdicts),
            "flags": [*state["flags"], *flags], "log": [*state["log"], event],
            "late": self._late(state, config),
        }  # fmt: skip

    def blend(self, state: CragState, runtime: Runtime[CragConfig]) -> dict[str, Any]:
        """Search the web and add what passes there to what was kept; web pages stay marked."""
        config = settings(runtime, CragConfig)
        result, flags = search_web(self.kit, state["queries"][-1], config.web_k)
        pages = unique(result.documents)
        grades, more = self._grade(state, pages, config)
        verdicts = {g.document_id: verdict(g.score, config) for g in grades}
        event = {"event": "web", "outcome": result.outcome, "verdicts": verdicts}
        return {
            "documents": union(state["documents"], pages),
            "grades": [*state["grades"], *dumped(grades)],
            "verdicts": {**state["verdicts"], **verdicts},
            "candidates": union(state["candidates"], _not_dropped(pages, verdicts)),
            "web_outcome": result.outcome, "flags": [*state["flags"], *flags, *more],
            "log": [*state["log"], event], "late": self._late(state, config),
        }  # fmt: skip

    def strips(self, state: CragState, runtime: Runtime[CragConfig]) -> dict[str, Any]:
        """Split the candidates, grade each strip, put the survivors together in order (D4)."""
        config = settings(runtime, CragConfig)
        pieces, uncut = split(self.kit, state["candidates"], config.strip_tokens)
        grader = self.kit.strip_grader or self.kit.grader
        with time_limit(self._seconds_left(state, config)):
            grades, flags = grade(grader, meant(state), pieces)
        passing = {g.document_id for g in grades if g.score >= config.strip_threshold}
        survivors = [piece for piece in unique(pieces) if piece["id"] in passing]
        event = {"event": "strips", "kept": [p["id"] for p in survivors], "of": len(pieces)}
        return {
            "strips": _shown(pieces, grades, passing),
            "evidence": union(state["evidence"], survivors),
            "flags": [*state["flags"], *uncut, *flags],
            "log": [*state["log"], event],
            "late": self._late(state, config),
        }  # fmt: skip

    def rewriter(self, state: CragState) -> dict[str, Any]:
        """Ask for a query in the corpus's words."""
        result, stuck = rewrite(self.kit, meant(state), state["queries"], state["documents"])
        queries = state["queries"] if stuck else [*state["queries"], result.query]
        event = {"event": "rewritten", "query": "" if stuck else result.query, "stuck": stuck}
        return {
            "queries": queries, "stuck": stuck,
            "rewrites": state["rewrites"] + 1, "rewrites_left": state["rewrites_left"] - 1,
            "log": [*state["log"], event],
        }  # fmt: skip

    def generator(self, state: CragState) -> dict[str, Any]:
        """Draft an answer from the strips, citing them."""
        draft = generate(
            self.kit.generator, meant(state), state["evidence"], state["regenerations"]
        )
        return {"draft": draft.text if draft.answerable else ""}

    def grounding_check(self, state: CragState, runtime: Runtime[CragConfig]) -> dict[str, Any]:
        """Judge each claim against the evidence, and whether the question is answered (D5)."""
        config = settings(runtime, CragConfig)
        question, draft = meant(state), state["draft"]
        if draft:
            judged = ground(self.kit, question, draft, state["evidence"])
            passed, said = judged.passed, judged.explanation or judged.outcome
            record = judged.model_dump(mode="json")
        else:
            passed, said, record = False, "the evidence does not hold the answer", {}
        late = self._late(state, config)
        retry = not passed and not late and state["regenerations"] < config.max_regenerations
        return {
            "grounding": record, "late": late,
            "regenerations": state["regenerations"] + retry, "retry": retry,
            "rewrites_left": state["rewrites_left"] + retry,
            "tag": "verified" if passed else "", "reason": said,
            "log": [*state["log"], {"event": "grounded", "passed": passed, "retry": retry}],
        }  # fmt: skip

    def ship(self, state: CragState) -> dict[str, Any]:
        """Ship a verified answer."""
        count = len(state["grounding"]["claims"])
        reason = f"{count} claim{'s' * (count != 1)} supported by the evidence"
        return {"answer": state["draft"], "reason": reason}

    def ship_tagged(self, state: CragState) -> dict[str, Any]:
        """Ship the best draft tagged, or abstain; never silently (D5, D7)."""
        why = f"no progress: {state['stuck']}" if state["stuck"] else "budget exhausted"
        if state["draft"]:
            reason = f"{why}: {state['reason']}" if state["reason"] else why
            return {"answer": state["draft"], "tag": "best_effort", "reason": reason}
        said = state["reason"] or "nothing relevant was found"
        return {"answer": REFUSAL, "tag": "abstained", "reason": f"{said} ({why})"}

    def _grade(self, state: CragState, documents: Sequence[Document], config: CragConfig) -> Any:
        question, at_once = meant(state), config.grade_concurrency
        with time_limit(self._seconds_left(state, config)):
            return grade_each(self.kit.grader, question, documents, at_once)

    def _late(self, state: CragState, config: CragConfig) -> bool:
        return self._seconds_left(state, config) < 0

    def _seconds_left(self, state: CragState, config: CragConfig) -> float:
        return config.max_latency_ms / 1000 - (self.kit.clock() - state["started"])


def _not_dropped(documents: Sequence[Document], verdicts: Mapping[str, str]) -> list[Document]:
    return [d for d in documents if verdicts.get(d["id"], "dropped") != "dropped"]


def _shown(
    pieces: Sequence[Document], grades: Sequence[Grade], passing: set[str]
) -> list[dict[str, Any]]:
    scores = {grade.document_id: grade.score for grade in grades}
    return [
        {"id": p["id"], "document_id": p["metadata"].get("document_id", p["id"]),
         "content": p["content"], "score": scores.get(p["id"], 0.0), "kept": p["id"] in passing}
        for p in pieces
    ]  # fmt: skip


def build_crag(kit: Kit, checkpointer: Any = None) -> Any:
    """Compile CRAG. Input: `{"question", "history"?}`; context: CragConfig.

    Raises ValueError when the kit has no router, grounder or splitter.
    """
    nodes = CragNodes(kit.require("router", "grounder", "split"))
    graph = StateGraph(CragState, context_schema=CragConfig)
    for name in (
        "router", "direct_answer", "retriever", "grader", "blend", "strips", "rewriter",
        "generator", "grounding_check", "ship", "ship_tagged",
    ):  # fmt: skip
        graph.add_node(name, getattr(nodes, name))
    elsewhere = {"blend": "blend", "rewrite": "rewriter", "give_up": "ship_tagged"}
    graph.add_edge(START, "router")
    graph.add_conditional_edges(
        "router", is_retrieval_needed, {"yes": "retriever", "no": "direct_answer"}
    )
    graph.add_edge("retriever", "grader")
    graph.add_conditional_edges("grader", after_grading, {"strips": "strips", **elsewhere})
    graph.add_edge("blend", "strips")
    graph.add_conditional_edges("strips", after_strips, {"generate": "generator", **elsewhere})
    graph.add_conditional_edges(
        "rewriter", after_rewriting, {"retry": "retriever", "give_up": "ship_tagged"}
    )
    graph.add_edge("generator", "grounding_check")
    graph.add_conditional_edges(
        "grounding_check", after_grounding,
        {"ship": "ship", "rewrite": "rewriter", "tag": "ship_tagged"},
    )  # fmt: skip
    for last in ("direct_answer", "ship", "ship_tagged"):
        graph.add_edge(last, END)
    compiled = graph.compile(checkpointer=checkpointer, name="crag")
    limit = CragConfig(max_rewrites=50, max_regenerations=50).recursion_limit
    return compiled.with_config(recursion_limit=limit)
