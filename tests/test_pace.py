"""Simulated time: the same latency on every machine."""

from __future__ import annotations

import pytest
from scripted import Queue, grades, scripted_kit

from ragkit.config import Budget, BudgetedConfig, Pace
from ragkit.graphs.budgeted import build_budgeted
from ragkit.pace import paced
from ragkit.records import Route
from ragkit.runs import ask


def slow_kit(**pace):
    kit = scripted_kit(
        router=Queue([Route(route="vector_search", reasoning="x")]), grader=Queue([grades()])
    )
    return paced(kit, Pace(**pace))


def test_times_are_the_sum_of_the_calls():
    kit = slow_kit(route_ms=100, retrieve_ms=10, grade_ms=50, rewrite_ms=20)
    metrics = ask(build_budgeted(kit), "q").state["metrics"]
    assert metrics["total_ms"] == pytest.approx(100 + 3 * (10 + 50) + 2 * 20)
    assert metrics["retrieval_ms"] == pytest.approx(30)
    assert metrics["grading_ms"] == pytest.approx(150)


def test_a_slow_model_trips_the_latency_breaker():
    config = BudgetedConfig(budget=Budget(max_latency_ms=1_000))
    run = ask(build_budgeted(slow_kit()), "q", config=config)
    assert run.state["metrics"]["trigger_reason"] == "latency"


def test_components_that_are_not_there_stay_away():
    assert slow_kit().web is None
