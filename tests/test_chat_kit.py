"""Which model does which job, where the key comes from, what is kept, and what is streamed."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.language_models import FakeListChatModel
from scripted import Queue, doc, scripted_kit
from scripted_server import fails, job, scripted_server, thinks, when

from ragkit import chat_kit
from ragkit.cache import VerdictCache
from ragkit.components.chat import chat_components
from ragkit.components.models import MissingKey
from ragkit.config import Budget, BudgetedConfig, ChatConfig, CragConfig
from ragkit.graphs import build
from ragkit.graphs.arsc import build_arsc
from ragkit.graphs.crag import build_crag
from ragkit.runs import ask
from ragkit.scripted import ScriptedChat
from ragkit.state import arsc_input

DOCS = [doc("a", "Seats cost 9 USD."), doc("b", "Refunds take 5 days.")]
KEY = "sk-planted-aaaabbbbccccdddd"


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)


def names(components: dict[str, Any]) -> tuple[str, str, str]:
    return tuple(components[part].chat.name for part in ("generator", "grader", "grounder"))


def test_a_cheap_grader_beside_a_large_generator_is_the_default(key: None) -> None:
    components = chat_components()
    assert names(components) == ("gpt-4o", "gpt-4o-mini", "gpt-4o-mini")
    assert components["router"].chat is components["rewriter"].chat is components["grader"].chat
    assert components["checker"].chat is components["verifier"].chat is components["grounder"].chat
    assert components["name"] == "chat: gpt-4o, graded by gpt-4o-mini, judged by gpt-4o-mini"


def test_one_name_does_all_jobs_and_each_can_be_named(
    key: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert names(chat_components("gpt-4o-mini")) == ("gpt-4o-mini",) * 3
    assert chat_components("gpt-4o-mini")["name"] == "chat: gpt-4o-mini"
    assert names(chat_components("a", grader_model="b", judge_model="c")) == ("a", "b", "c")
    monkeypatch.setenv("RAGKIT_MODEL", "local")
    assert names(chat_components()) == ("local",) * 3
    monkeypatch.setenv("RAGKIT_GRADER_MODEL", "small")
    assert names(chat_components()) == ("local", "small", "local")


def test_a_langchain_model_needs_no_key() -> None:
    model = ScriptedChat(model_name="mine")
    assert names(chat_components(model)) == ("mine",) * 3
    judge = ScriptedChat(model_name="other")
    assert names(chat_components(model, judge_model=judge)) == ("mine", "mine", "other")
    with pytest.raises(TypeError, match="a chat model is needed, not object"):
        chat_components(object())


def test_without_a_key_the_kit_says_what_to_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(MissingKey, match=r"OPENAI_API_KEY.*offline_kit\(\)"):
        chat_kit()


def test_the_kit_searches_offline_and_shows_no_key(key: None) -> None:
    kit = chat_kit("gpt-4o-mini", corpus=Queue([DOCS]), web=Queue(["x"]), cache=False)
    assert kit.retriever("seats", 2) == DOCS
    assert kit.web("q", 1) == "x"
    assert kit.split is not None
    assert KEY not in repr(kit)


def test_a_model_without_tools_is_asked_by_prompt() -> None:
    said = {"document_id": "d1", "binary_score": "yes", "confidence": 1, "keep": []}
    reply = json.dumps({"grades": [said]})
    grader = chat_components(FakeListChatModel(responses=[reply]))["grader"]
    assert [g.binary_score for g in grader("q", DOCS[:1])] == ["yes"]


@pytest.mark.parametrize(
    "config",
    [{"retries": 2}, {"retries": -1}, {"modes": ()}, {"modes": ("tools",)}, {"call_seconds": 0},
     {"answer_temperatures": ()}, {"max_concurrency": 0}, {"modell": "x"}],
)  # fmt: skip
def test_a_wrong_setting_is_named(config: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(config))):
        ChatConfig(**config)


def test_verdicts_are_kept_and_a_moved_threshold_asks_no_model() -> None:
    with scripted_server(then=thinks()) as server:
        kit = scripted_kit(
            retriever=Queue([DOCS]), split=lambda document, _tokens: [document],
            **chat_components(model_on(server), cache=VerdictCache()),
        )  # fmt: skip
        graph = build_crag(kit)
        first = ask(graph, "What does a seat cost?")
        asked = [body for body in server.requests if "judge documents" in str(body)]
        moved = CragConfig(pass_threshold=0.8, fail_threshold=0.2)
        again = ask(graph, "What does a seat cost?", config=moved)
        assert len(asked) == 2
        assert len([body for body in server.requests if "judge documents" in str(body)]) == 2
        assert (first.answer, first.tag) == (again.answer, again.tag)
        assert (kit.grader.hit_rate, kit.strip_grader.hit_rate) == (0.5, 1.0)


def test_the_default_cache_is_on_disk(
    key: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("RAGKIT_CACHE_DIR", str(tmp_path))
    chat_components("gpt-4o-mini", cache=True)
    assert (tmp_path / "verdicts.sqlite").is_file()


def model_on(server: Any) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(model="m", base_url=server.url, api_key=KEY, stream_usage=True)


def test_a_graph_streams_the_answer_and_no_verdict() -> None:
    with scripted_server(then=thinks()) as server:
        kit = scripted_kit(retriever=Queue([DOCS]), **chat_components(model_on(server)))
        graph = build_arsc(kit)
        pieces = [
            message.text
            for message, _ in graph.stream(arsc_input("seats?"), stream_mode="messages")
        ]
    assert len(pieces) > 3
    assert "".join(pieces).split() == ["Seats", "cost", "9", "USD", "[1]."]
    streamed = [body.get("stream", False) for body in server.requests]
    assert streamed == [False, False, True]


@pytest.mark.parametrize("rung", ["arsc", "crag"])
def test_asynchronous_runs_end_the_same(rung: str) -> None:

    with scripted_server(then=thinks()) as server:
        kit = scripted_kit(
            retriever=Queue([DOCS]), split=lambda document, _tokens: [document],
            **chat_components(model_on(server)),
        )  # fmt: skip
        graph = build(rung, kit)
        given = arsc_input("seats?") if rung == "arsc" else {"question": "seats?"}
        state = asyncio.run(graph.ainvoke(given))
    assert state["tag"] == ("best_effort" if rung == "arsc" else "verified")


@pytest.mark.parametrize(
    ("rung", "config"),
    [
        ("crag", CragConfig(max_latency_ms=400)),
        ("budgeted", BudgetedConfig(budget=Budget(max_latency_ms=400))),
    ],
)
def test_a_429_is_waited_for_only_within_the_runs_own_time(rung: str, config: Any) -> None:
    waits = fails(429, "slow down", retry_after="2")
    with scripted_server(then=when("read", waits, otherwise=thinks())) as server:
        kit = scripted_kit(
            retriever=Queue([DOCS]), split=lambda document, _tokens: [document],
            **chat_components(model_on(server)),
        )  # fmt: skip
        done = ask(build(rung, kit), "seats?", config=config)
        assert done.milliseconds < 1_500
        assert done.tag == "abstained"
        rounds = done.path.count("grader")
        asked = [body for body in server.requests if job(body) == "read"]
        # under load the time may be over before a document is asked about; none is asked twice
        assert len(asked) <= len(DOCS) * rounds
