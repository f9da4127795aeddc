"""Routed self-correction within budgets, row by row: B1 to B6."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from scripted import (
    Queue,
    assert_plain,
    assert_within_schema,
    doc,
    edges,
    grades,
    scripted_kit,
)

from ragkit.config import Budget, BudgetedConfig, Prices
from ragkit.graphs.budgeted import NOTE, build_budgeted
from ragkit.graphs.nodes import REFUSAL
from ragkit.records import Generation, Rewrite, Route, Usage, WebResult
from ragkit.runs import ask
from ragkit.state import BudgetedState

NOTHING = grades()
VECTOR = Route(route="vector_search", reasoning="about the product")
WEB = Route(route="web_search", reasoning="news", rewritten_query="news query")
DIRECT = Route(route="direct", reasoning="a greeting")
FIVE = [doc(name) for name in "abcde"]
PAGE = doc("w", kind="web")


class Clock:
    """A clock that moves `step` seconds each time it is read."""

    def __init__(self, step: float = 0.0) -> None:
        self.time, self.step = 100.0, step

    def __call__(self) -> float:
        self.time += self.step
        return self.time


def kit_for(**components):
    defaults = {
        "router": Queue([VECTOR]),
        "retriever": Queue([FIVE]),
        "direct": Queue([Generation(text="Hello!", answerable=True)]),
        "web": Queue([WebResult(outcome="found", documents=(PAGE,))]),
        "clock": Clock(),
        "now": lambda: datetime(2026, 1, 2, tzinfo=UTC),
    }
    return scripted_kit(**{**defaults, **components})


def budget(**limits):
    return BudgetedConfig(budget=Budget(**limits))


def test_the_drawn_edges_equal_the_specification():
    assert edges(build_budgeted(kit_for())) == {
        ("start", "router"),
        ("router", "direct_answer"),
        ("router", "retriever"),
        ("router", "web_search"),
        ("router", "fallback"),
        ("retriever", "grader"),
        ("web_search", "grader"),
        ("grader", "generator"),
        ("grader", "rewriter"),
        ("grader", "retriever"),
        ("grader", "fallback"),
        ("rewriter", "retriever"),
        ("rewriter", "generator"),
        ("rewriter", "fallback"),
        ("generator", "end"),
        ("fallback", "end"),
        ("direct_answer", "end"),
    }


def test_direct_answers_without_retrieval_b1():
    kit = kit_for(router=Queue([DIRECT]))
    run = ask(build_budgeted(kit), "Hi")
    assert run.path == ["router", "direct_answer"]
    assert run.tag == "direct" and run.answer == "Hello!" and kit.retriever.calls == []


@pytest.mark.parametrize(
    "reply",
    [None, {"route": "web"}, ValueError("json"), DIRECT.model_copy(update={"outcome": "invalid"})],
)
def test_an_unreadable_route_falls_to_vector_search_b1(reply):
    run = ask(build_budgeted(kit_for(router=Queue([reply]))), "q")
    assert run.state["route"] == "vector_search" and run.path[1] == "retriever"
    assert any("router" in flag for flag in run.state["flags"])


def test_the_routers_query_is_searched_and_the_users_words_are_answered():
    route = Route(route="vector_search", reasoning="", rewritten_query="rate limit 429")
    kit = kit_for(router=Queue([route]))
    run = ask(build_budgeted(kit), "what if I call too often")
    assert kit.retriever.calls[0][0] == "rate limit 429"
    assert kit.grader.calls[0][0] == kit.generator.calls[0][0] == "what if I call too often"
    assert run.state["original_question"] == "what if I call too often"


@pytest.mark.parametrize(("kept", "path_end"), [("abc", "generator"), ("ab", "rewriter")])
def test_three_of_five_is_enough_two_is_not_b2(kept, path_end):
    kit = kit_for(grader=Queue([grades(**dict.fromkeys(kept, 0.9))]))
    assert ask(build_budgeted(kit), "q").path[3] == path_end


def test_no_documents_is_ratio_zero_with_its_reason_b2():
    kit = kit_for(retriever=Queue([[]]))
    states = []
    ask(build_budgeted(kit), "q", on_step=lambda node, update: states.append((node, update)))
    [first, *_] = [update for node, update in states if node == "grader"]
    assert first["ratio"] == 0.0 and first["reason"] == "no documents"


def test_used_up_retries_answer_from_all_attempts_with_a_note_b3_g8():
    kit = kit_for(grader=Queue([grades(a=0.9), NOTHING, grades(b=0.9)]))
    run = ask(build_budgeted(kit), "q")
    assert run.path.count("retriever") == 3 and run.path.count("rewriter") == 2
    assert [d["id"] for d in run.documents] == ["a", "b"]
    assert run.tag == "best_effort" and NOTE in run.answer and "retries" in run.reason
    assert run.state["metrics"]["trigger_reason"] == "retries"
    assert run.state["metrics"]["retries_used"] == 2


def test_used_up_retries_with_nothing_kept_refuse_b3():
    run = ask(build_budgeted(kit_for(grader=Queue([NOTHING]))), "q")
    assert run.path[-1] == "fallback" and run.answer == REFUSAL and "rephrase" in run.answer
    assert run.tag == "abstained" and "retries" in run.reason


def test_success_on_the_last_retry_does_not_trip():
    kit = kit_for(grader=Queue([NOTHING, NOTHING, grades(a=0.9, b=0.9, c=0.9)]))
    run = ask(build_budgeted(kit), "q")
    assert not run.state["metrics"]["circuit_breaker_triggered"] and NOTE not in run.answer


@pytest.mark.parametrize(
    ("limits", "components", "reason"),
    [
        ({"max_retries": 0}, {}, "retries"),
        ({"max_latency_ms": 8_000}, {"clock": Clock(step=1.0)}, "latency"),
        ({"max_latency_ms": 0}, {}, "latency"),
        ({"max_cost_usd": 0.0012}, {}, "cost"),
        ({"max_cost_usd": 0}, {}, "cost"),
    ],
)
def test_each_breaker_trips_and_says_why_b4(limits, components, reason):
    kit = kit_for(grader=Queue([NOTHING]), **components)
    run = ask(build_budgeted(kit), "q", config=budget(**limits))
    metrics = run.state["metrics"]
    assert metrics["circuit_breaker_triggered"] and metrics["trigger_reason"] == reason
    assert run.tag == "abstained" and reason in run.reason and run.path[-1] == "fallback"


def test_latency_stops_new_work_at_seventy_percent_b4():
    kit = kit_for(grader=Queue([grades(a=0.9)]), clock=Clock(step=0.65))
    run = ask(build_budgeted(kit), "q")
    assert run.state["metrics"]["trigger_reason"] == "latency"
    assert run.path.count("retriever") < 3 and run.tag == "best_effort"


def test_a_spent_budget_starts_no_retrieval_at_all():
    kit = kit_for()
    assert ask(build_budgeted(kit), "q", config=budget(max_cost_usd=0)).path == [
        "router",
        "fallback",
    ]
    assert kit.retriever.calls == [] and kit.grader.calls == []


def test_offline_cost_is_the_articles_prices_b4():
    run = ask(build_budgeted(kit_for(grader=Queue([grades(a=1, b=1, c=1)]))), "q")
    assert run.state["metrics"]["estimated_cost"] == pytest.approx(0.0002 + 5 * 0.0002 + 0.002)


def test_reported_tokens_cost_by_the_price_table_b4():
    usage = Usage(model="m", input_tokens=1_000_000, output_tokens=500_000)
    reply = Route(route="direct", reasoning="", usage=usage)
    answer = Generation(text="Hi", answerable=True, usage=usage)
    config = BudgetedConfig(
        prices=Prices(tokens={"m": (1.0, 4.0)}), budget=Budget(max_cost_usd=100)
    )
    kit = kit_for(router=Queue([reply]), direct=Queue([answer]))
    run = ask(build_budgeted(kit), "q", config=config)
    assert run.state["metrics"]["estimated_cost"] == pytest.approx(6.0)


def test_times_by_stage_come_from_the_injected_clock_b4():
    kit = kit_for(grader=Queue([grades(a=1, b=1, c=1)]), clock=Clock(step=0.1))
    metrics = ask(build_budgeted(kit), "q").state["metrics"]
    for stage in ("retrieval_ms", "grading_ms", "generation_ms"):
        assert metrics[stage] == pytest.approx(100, abs=1e-6)
    assert metrics["total_ms"] > 300


def test_web_results_are_graded_like_any_document_b5():
    kit = kit_for(router=Queue([WEB]), grader=Queue([grades(w=0.9)]))
    run = ask(build_budgeted(kit), "q")
    assert run.path == ["router", "web_search", "grader", "generator"]
    assert kit.web.calls == [("news query", 5)] and [d["id"] for d in run.documents] == ["w"]


def test_an_irrelevant_web_falls_to_vectors_with_one_retry_and_carried_counters_b5():
    kit = kit_for(router=Queue([WEB]), grader=Queue([NOTHING]))
    run = ask(build_budgeted(kit), "q")
    assert run.path == [
        "router", "web_search", "grader", "retriever", "grader", "rewriter", "retriever", "grader",
        "fallback",
    ]  # fmt: skip
    assert run.state["retrieved"] == 1 + 5 + 5 and run.state["retries"] == 1


def test_after_the_web_two_of_five_are_enough_b5():
    kit = kit_for(router=Queue([WEB]), grader=Queue([NOTHING, grades(a=0.9, b=0.9)]))
    run = ask(build_budgeted(kit), "q")
    assert run.path[-3:] == ["retriever", "grader", "generator"] and NOTE not in run.answer


@pytest.mark.parametrize(
    "result",
    [
        WebResult(outcome="empty"),
        WebResult(outcome="failed", detail="HTTPError 401"),
        ConnectionError("no route"),
        "HTTPError 401",
        [{"content": "x"}],
        None,
    ],
)
def test_a_web_search_that_brings_nothing_is_never_a_document(result):
    kit = kit_for(router=Queue([WEB]), web=Queue([result]), grader=Queue([grades(a=1, b=1)]))
    run = ask(build_budgeted(kit), "q")
    assert run.path[:4] == ["router", "web_search", "grader", "retriever"]
    assert {d["id"] for d in run.documents} == {"a", "b"}


def test_a_kit_without_web_or_direct_answers_still_ends_tagged():
    run = ask(build_budgeted(kit_for(router=Queue([WEB]), web=None, grader=Queue([NOTHING]))), "q")
    assert run.tag == "abstained" and "no web search" in run.state["flags"]
    run = ask(build_budgeted(kit_for(router=Queue([DIRECT]), direct=None)), "q")
    assert run.tag == "abstained" and run.answer and run.reason


def test_a_graph_without_a_router_does_not_compile():
    with pytest.raises(ValueError, match="router"):
        build_budgeted(scripted_kit())


def test_a_repeated_rewrite_ends_early_with_what_was_kept_g6():
    kit = kit_for(grader=Queue([grades(a=0.9)]), rewriter=Queue([Rewrite(query="q")]))
    run = ask(build_budgeted(kit), "q")
    assert run.path.count("retriever") == 1 and run.tag == "best_effort"
    assert "no progress" in run.reason and NOTE in run.answer


def test_telemetry_is_one_json_record_a_query_b6():
    kit = kit_for(grader=Queue([grades(a=0.9), NOTHING, NOTHING]))
    record = ask(build_budgeted(kit), "q").state["telemetry"]
    assert json.loads(json.dumps(record)) == record
    assert record["timestamp"] == "2026-01-02T00:00:00+00:00" and record["query"] == "q"
    assert (record["route"], record["iterations"]) == ("vector_search", 3)
    assert (record["documents_retrieved"], record["documents_relevant"]) == (15, 1)
    assert record["circuit_breaker_reason"] == "retries"
    assert record["query_versions"] == ["q", "q v1", "q v2"]
    assert record["estimated_cost_usd"] > 0 and "latency_ms" in record


def test_the_second_question_in_a_thread_starts_fresh_g9():
    graph = build_budgeted(
        kit_for(grader=Queue([NOTHING] * 3 + [grades(a=1, b=1, c=1)])), MemorySaver()
    )
    assert ask(graph, "one", thread_id="t").tag == "abstained"
    second = ask(graph, "two", thread_id="t")
    assert second.state["retries"] == 0 and second.state["queries"] == ["two"]
    assert not second.state["metrics"]["circuit_breaker_triggered"]


def test_a_wrong_context_is_named_g10():
    with pytest.raises(TypeError, match="BudgetedConfig"):
        build_budgeted(kit_for()).invoke({"question": "q"}, context=Budget())


GRADERS = [NOTHING, grades(a=0.9), grades(a=1, b=1, c=1), TimeoutError("x"), None]
REWRITES = [*(Rewrite(query=query) for query in ("n1", "n2", "n3", "")), OSError("x")]
WEBS = [WebResult(outcome="found", documents=(PAGE,)), WebResult(outcome="empty"), OSError("x")]
FOUND = [[], FIVE, [doc("a")] * 200, OSError("x")]


def some(options, at_most):
    return st.lists(st.sampled_from(options), min_size=1, max_size=at_most)


@settings(max_examples=2000, deadline=None)
@given(
    some([VECTOR, WEB, DIRECT, None, OSError("x")], 1),
    some(GRADERS, 6),
    some(REWRITES, 4),
    some(WEBS, 1),
    some(FOUND, 4),
    st.integers(0, 4),
    st.sampled_from([0.0, 0.3, 2.0]),
    st.sampled_from([0.0, 0.002, 0.05]),
)
def test_no_walk_exceeds_a_budget_or_ends_untagged(
    routes, graders, rewrites, webs, found, retries, tick, cash
):
    kit = kit_for(
        router=Queue(routes), grader=Queue(graders), rewriter=Queue(rewrites), web=Queue(webs),
        retriever=Queue(found), clock=Clock(step=tick),
    )  # fmt: skip
    run = ask(build_budgeted(kit), "q", config=budget(max_retries=retries, max_cost_usd=cash))
    assert run.tag in {"best_effort", "abstained", "direct"} and run.reason and run.answer
    assert len(kit.rewriter.calls) <= retries and len(kit.retriever.calls) <= retries + 1
    assert_plain(run.state)
    assert_within_schema(run, BudgetedState)
