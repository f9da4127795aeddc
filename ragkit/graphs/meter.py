"""What a run has used so far, and whether the circuit breaker lets it start new work.

The metrics and their names are the budgeted article's ExecutionMetrics; the clock and the prices
are injected, so each trip can be tested without sleeping.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragkit.config import Budget, Prices
from ragkit.records import Usage

STAGES = {"retrieval": "retrieval_ms", "grading": "grading_ms", "generation": "generation_ms"}


def fresh_metrics() -> dict[str, Any]:
    """Return the metrics of a run that has done nothing yet."""
    return {
        "retrieval_ms": 0.0,
        "grading_ms": 0.0,
        "generation_ms": 0.0,
        "total_ms": 0.0,
        "estimated_cost": 0.0,
        "retries_used": 0,
        "circuit_breaker_triggered": False,
        "trigger_reason": None,
    }


def spend(
    metrics: dict[str, Any],
    *,
    began: float,
    now: float,
    started: float,
    usd: float,
    stage: str = "",
) -> dict[str, Any]:
    """Return the metrics after work from `began` to `now` (clock seconds) that cost `usd`."""
    spent = {
        **metrics,
        "total_ms": max(0.0, (now - started) * 1000),
        "estimated_cost": metrics["estimated_cost"] + usd,
    }
    if stage:
        spent[STAGES[stage]] += max(0.0, (now - began) * 1000)
    return spent


def cost(prices: Prices, operation: str, records: Iterable[Any]) -> float:
    """Return what the records cost in USD.

    By the tokens that a record reports, else by the operation's price; a record that failed before
    it reached a model reports nothing and still costs its operation, so a budget never runs free.
    """
    return sum(_one(prices, operation, getattr(record, "usage", None)) for record in records)


def _one(prices: Prices, operation: str, usage: Usage | None) -> float:
    if usage is None:
        return float(getattr(prices, operation))
    reads, writes = prices.tokens.get(usage.model, prices.unknown_model)
    return (usage.input_tokens * reads + usage.output_tokens * writes) / 1_000_000


def tripped(metrics: dict[str, Any], budget: Budget, *, retries: int, allowed: int) -> str | None:
    """Return which budget forbids a retry now: "retries", "latency", "cost" or None."""
    if retries >= allowed:
        return "retries"
    return over(metrics, budget)


def over(metrics: dict[str, Any], budget: Budget) -> str | None:
    """Return which budget forbids new work now: "latency", "cost" or None."""
    if (
        metrics["total_ms"] > budget.max_latency_ms * budget.latency_stop
        or not budget.max_latency_ms
    ):
        return "latency"
    if metrics["estimated_cost"] > budget.max_cost_usd * budget.cost_stop:
        return "cost"
    return None


def trip(metrics: dict[str, Any], reason: str | None) -> dict[str, Any]:
    """Return the metrics with the breaker's state written in."""
    if reason is None:
        return metrics
    return {**metrics, "circuit_breaker_triggered": True, "trigger_reason": reason}
