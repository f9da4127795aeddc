"""The nodes of the audited rollback loop."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ragkit.config import AuditedConfig
from ragkit.graphs.nodes import (
    REFUSAL,
    answer_directly,
    attempt,
    dumped,
    find,
    generate,
    grade,
    meant,
    route,
    settings,
    verify,
)
from ragkit.kit import Kit
from ragkit.records import (
    Context,
    Decision,
    Document,
    Grade,
    Probability,
    Rewrite,
    Support,
    decision_fault,
)
from ragkit.state import AuditedState
from ragkit.verdicts import union

WITHHELD = "This answer was withheld by a reviewer."


@dataclass(frozen=True)
class AuditedNodes:
    """The nodes, on one kit. Each returns only what it changed."""

    kit: Kit

    def intake(self, state: AuditedState, runtime: Runtime[AuditedConfig]) -> dict[str, Any]:
        """Start fresh; see whether the question is direct, vague or sensitive."""
        config = settings(runtime, AuditedConfig)
        question, history = state["question"], state.get("history", [])
        chosen, flags = route(self.kit, question, history)
        vague, flag = self._vague(question, history)
        flags = [*flags, *([flag] if flag else [])]
        query = (chosen.rewritten_query or "").strip() or question
        return {
            "original_question": question, "history": history,
            "route": chosen.route, "route_reason": chosen.reasoning,
            "sensitive": sensitive_terms(f"{question}\n{query}", config.sensitive_terms),
            "rewritten_queries": [query],
            "rejected_queries": [], "strategy": config.strategies[0],
            "retrieved_documents": [], "grades": [], "validation": {}, "conflicts": [],
            "evidence": [], "superseded": [], "generated_draft": vague, "citations": [],
            "verdict": {}, "validation_status": "vague" if vague else "",
            "retry_count": 0, "max_retries": config.max_retries, "attempt": 0, "rollbacks": [],
            "checks_passed": False, "review": {}, "decision": {},
            "flags": flags,
            "answer": "", "tag": "", "reason": vague,
        }  # fmt: skip

    def direct_answer(self, state: AuditedState) -> dict[str, Any]:
        """Answer without retrieval."""
        draft = answer_directly(self.kit, state["original_question"], state["history"])
        if not draft.answerable:
            return {"answer": draft.text, "tag": "abstained", "reason": "no direct answer is known"}
        return {"answer": draft.text, "tag": "direct", "reason": state["route_reason"]}

    def query_rewriter(
        self, state: AuditedState, runtime: Runtime[AuditedConfig]
    ) -> dict[str, Any]:
        """Propose queries that keep every entity and the intent; log what was rejected (E1)."""
        config = settings(runtime, AuditedConfig)
        asked = state["rewritten_queries"]
        proposed, error = attempt(
            self.kit.planner, asked[0], config.max_candidates,
            asked if state["retry_count"] else [], returns=list[Rewrite],
        )  # fmt: skip
        proposals = proposed or []
        fresh = [p.query for p in proposals if p.query.strip() and p.outcome == "ok"]
        refused = [r.model_dump() for p in proposals for r in p.rejected]
        return {
            "rewritten_queries": list(dict.fromkeys([*asked, *fresh])),
            "rejected_queries": [*state["rejected_queries"], *refused],
            "flags": [*state["flags"], *([f"planner failed: {error}"] if error else [])],
        }

    def retriever(self, state: AuditedState, runtime: Runtime[AuditedConfig]) -> dict[str, Any]:
        """Search with the original and every accepted rewrite; one list, each document once."""
        config = settings(runtime, AuditedConfig)
        found = [
            find(self.kit, query, config.top_k, state["strategy"])  # type: ignore[arg-type]
            for query in state["rewritten_queries"]
        ]
        return {
            "retrieved_documents": union(*(documents for documents, _ in found)),
            "flags": [*state["flags"], *(flag for _, flags in found for flag in flags)],
        }

    def retrieval_validator(
        self, state: AuditedState, runtime: Runtime[AuditedConfig]
    ) -> dict[str, Any]:
        """Count valid chunks, entity coverage and sources before anything is generated (E2)."""
        config = settings(runtime, AuditedConfig)
        documents, question = state["retrieved_documents"], meant(state)
        grades, flags = grade(self.kit.grader, question, documents)
        valid = _above(documents, grades, config.pass_threshold)
        validation = self._validate(question, valid, config)
        return {
            "grades": dumped(grades), "validation": validation,
            "validation_status": self._status(validation, state, config),
            "reason": validation["reason"], "flags": [*state["flags"], *flags],
        }  # fmt: skip

    def replanner(self, state: AuditedState, runtime: Runtime[AuditedConfig]) -> dict[str, Any]:
        """Return to the state before retrieval, with the next strategy and one retry used."""
        config = settings(runtime, AuditedConfig)
        retry = state["retry_count"] + 1
        strategy = config.strategies[min(retry, len(config.strategies) - 1)]
        return {
            **_before_retrieval(), "strategy": strategy, "retry_count": retry,
            "rollbacks": _rolled_back(state, "query_rewriter", f"strategy {strategy}"),
        }  # fmt: skip

    def context_builder(
        self, state: AuditedState, runtime: Runtime[AuditedConfig]
    ) -> dict[str, Any]:
        """Use the newest of each document, keep what it replaced, stop at a hard conflict (E3)."""
        config = settings(runtime, AuditedConfig)
        grades = [Grade.model_validate(record) for record in state["grades"]]
        valid = _above(state["retrieved_documents"], grades, config.pass_threshold)
        built, error = attempt(self.kit.context, meant(state), valid, returns=Context)
        if error:
            reason = f"the context builder failed: {error}"
            return {"validation_status": "conflict", "reason": reason}
        hard = [c for c in built.conflicts if c.kind == "hard"]
        return {
            "evidence": [*built.documents, *built.superseded],
            "superseded": [document["id"] for document in built.superseded],
            "conflicts": dumped(built.conflicts),
            "validation_status": "conflict" if hard else "passed",
            "reason": f"hard conflict: {hard[0].explanation or hard[0].subject}" if hard else "",
        }

    def answer_generator(self, state: AuditedState) -> dict[str, Any]:
        """Draft an answer from current evidence, citing it, and name what was replaced (E4, E6)."""
        current = [d for d in state["evidence"] if d["id"] not in state["superseded"]]
        draft = generate(self.kit.generator, meant(state), current, state["attempt"])
        if not draft.answerable:
            return {"generated_draft": ""}
        note, _ = attempt(
            self.kit.explain, draft.text, state["conflicts"], state["evidence"], returns=str
        )
        return {"generated_draft": f"{draft.text} {note}".strip() if note else draft.text}

    def citation_checker(self, state: AuditedState) -> dict[str, Any]:
        """Check every marker and claim of the draft, isolated from its generator (E5)."""
        draft, question = state["generated_draft"], meant(state)
        if not draft:
            reason = "the evidence does not hold the answer"
            return {"citations": [], "validation_status": "retrieval_failed", "reason": reason}
        records, error = self._check(question, draft, state["evidence"])
        if error or not records:
            reason = f"nothing could be checked: {error or 'no claim found'}"
            return {"citations": [], "validation_status": "citation_failed", "reason": reason}
        faults = [record for record in records if record.fix_required or record.outcome != "ok"]
        reason = f"{faults[0].support_status}: {faults[0].claim}" if faults else ""
        return {
            "citations": dumped(records),
            "validation_status": "citation_failed" if faults else "passed",
            "reason": reason,
        }

    def answer_verifier(self, state: AuditedState) -> dict[str, Any]:
        """Ask whether the question is resolved, complete and, over time, explained (E6)."""
        verdict = verify(
            self.kit, meant(state), state["generated_draft"], state["evidence"],
            state["conflicts"],
        )  # fmt: skip
        passed = verdict.status == "passed" and verdict.outcome == "ok"
        status = verdict.status if passed or verdict.status != "passed" else "citation_failed"
        return {
            "verdict": verdict.model_dump(mode="json"), "validation_status": status,
            "checks_passed": passed,
            "reason": verdict.explanation or f"{len(state['citations'])} citations supported",
        }  # fmt: skip

    def rollback(self, state: AuditedState) -> dict[str, Any]:
        """Return to the state before generation, with other settings and one retry used (E9)."""
        attempt_next = state["attempt"] + 1
        return {
            **_before_generation(), "attempt": attempt_next,
            "retry_count": state["retry_count"] + 1,
            "rollbacks": _rolled_back(state, "answer_generator", f"attempt {attempt_next}"),
        }  # fmt: skip

    def human_review_queue(self, state: AuditedState) -> dict[str, Any]:
        """Write down what the reviewer is asked, before the run pauses."""
        why = [state["reason"]] if state["reason"] else []
        if state["sensitive"]:
            why.append(f"sensitive: {', '.join(state['sensitive'])}")
        if state["retry_count"] >= state["max_retries"] and not state["checks_passed"]:
            why.append(f"{state['retry_count']} retries are used up")
        review = {
            "question": state["original_question"], "draft": state["generated_draft"],
            "reason": "; ".join(why) or state["validation_status"],
            "status": state["validation_status"], "citations": state["citations"],
            "conflicts": state["conflicts"],
            "evidence": [{"id": d["id"], "content": d["content"]} for d in state["evidence"]],
        }  # fmt: skip
        return {"review": review, "tag": "needs_review", "reason": review["reason"]}

    def human_review(self, state: AuditedState) -> dict[str, Any]:
        """Pause until a person approves, edits or rejects; nothing runs before the pause (E8).

        A decision that will not do is refused with the reason, and the thread goes on waiting.
        """
        decision = interrupt(state["review"])
        while fault := decision_fault(decision, state["review"]["draft"]):
            decision = interrupt({**state["review"], "refused": fault})
        return {"decision": Decision.model_validate(decision).model_dump()}

    def final_format(self, state: AuditedState) -> dict[str, Any]:
        """Write the answer and its tag: verified only for what the checks passed."""
        decision = state["decision"]
        if not decision:
            return {"answer": state["generated_draft"], "tag": "verified"}
        by = f"{decision['reviewer']}: {decision['comment']}".rstrip(": ")
        if decision["action"] == "reject":
            return {"answer": WITHHELD, "tag": "abstained", "reason": f"rejected by {by}"}
        edited = decision["action"] == "edit"
        passed = self._still_passes(state, decision["text"]) if edited else state["checks_passed"]
        return {
            "answer": decision["text"] if edited else state["generated_draft"],
            "tag": "verified" if passed else "best_effort",
            "reason": f"{'edited' if edited else 'approved'} by {by}"
            + ("" if passed else f" (checks not passed: {state['validation_status']})"),
        }

    def abstain(self, state: AuditedState) -> dict[str, Any]:
        """Say that nothing relevant was found by any strategy."""
        return {"answer": REFUSAL, "tag": "abstained"}

    def _still_passes(self, state: AuditedState, text: str) -> bool:
        records, error = self._check(meant(state), text, state["evidence"])
        return bool(records) and not error and not any(record.fix_required for record in records)

    def _check(
        self, question: str, draft: str, evidence: Sequence[Document]
    ) -> tuple[list[Support], str]:
        return attempt(self.kit.checker, question, draft, evidence, returns=list[Support])

    def _vague(self, question: str, history: Sequence[dict[str, str]]) -> tuple[str, str]:
        """Return what the question leaves open, "" for nothing, and a flag for the log."""
        if self.kit.vague is None:
            return "", ""
        vague, error = attempt(self.kit.vague, question, history, returns=str)
        if error:
            return "", f"nobody saw whether the question is vague: {error}"
        return vague, f"vague: {vague}" if vague else ""

    def _coverage(self, question: str, valid: Sequence[Document]) -> tuple[float, str]:
        """Return the share of the question's entities that the documents name, and what failed."""
        if self.kit.coverage is None:
            return 1.0, ""
        share, error = attempt(self.kit.coverage, question, valid, returns=Probability)
        return (0.0, f" (the check failed: {error})") if error else (share, "")

    def _validate(
        self, question: str, valid: Sequence[Document], config: AuditedConfig
    ) -> dict[str, Any]:
        coverage, why = self._coverage(question, valid)
        sources = len({d.get("metadata", {}).get("source", d["id"]) for d in valid})
        checks = {
            f"{len(valid)} valid chunks": len(valid) >= config.min_valid_chunks,
            f"entity coverage {coverage:.2f}{why}": coverage >= config.min_entity_coverage,
            f"{sources} sources": sources >= config.min_sources,
        }
        failed = [name for name, passed in checks.items() if not passed]
        return {
            "valid_chunks": len(valid), "entity_coverage": coverage, "sources": sources,
            "passed": not failed,
            "reason": f"retrieval rejected: {', '.join(failed)}" if failed else "",
        }  # fmt: skip

    def _status(
        self, validation: dict[str, Any], state: AuditedState, config: AuditedConfig
    ) -> str:
        if validation["passed"]:
            return "passed"
        tried_all = state["retry_count"] >= len(config.strategies) - 1
        empty = not validation["valid_chunks"]
        return "nothing_found" if empty and tried_all else "retrieval_failed"


def sensitive_terms(question: str, terms: Sequence[str]) -> list[str]:
    """Return the configured terms that the question holds, as words, in any number or case."""
    return [
        term
        for term in terms
        if re.search(rf"\b{re.escape(term)}(e?s|ed|ing)?\b", question, re.IGNORECASE)
    ]


def _above(
    documents: Sequence[Document], grades: Sequence[Grade], threshold: float
) -> list[Document]:
    valid = {grade.document_id for grade in grades if grade.score >= threshold}
    return [document for document in documents if document["id"] in valid]


def _before_generation() -> dict[str, Any]:
    return {
        "generated_draft": "", "citations": [], "verdict": {}, "checks_passed": False,
        "validation_status": "passed", "reason": "",
    }  # fmt: skip


def _before_retrieval() -> dict[str, Any]:
    return {
        **_before_generation(), "validation_status": "", "retrieved_documents": [], "grades": [],
        "validation": {}, "conflicts": [], "evidence": [], "superseded": [], "attempt": 0,
    }  # fmt: skip


def _rolled_back(state: AuditedState, to: str, change: str) -> list[dict[str, Any]]:
    entry = {
        "to": to, "because": state["validation_status"], "detail": state["reason"],
        "change": change, "retry": state["retry_count"] + 1,
    }  # fmt: skip
    return [*state["rollbacks"], entry]
