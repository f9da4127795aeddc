"""Asking a model over real HTTP: what is retried, learned, waited for, counted and kept secret."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from scripted_server import (
    ScriptedServer,
    closes,
    drips,
    fails,
    fills,
    html,
    raw,
    refuses,
    says,
    scripted_server,
    streams_then_closes,
)

from ragkit.components.endpoint import Chat
from ragkit.components.forms import Form
from ragkit.components.models import MissingKey, chat_model
from ragkit.components.replies import Confidence, Reply, Wire, YesNo
from ragkit.config import ChatConfig
from ragkit.deadlines import time_limit
from ragkit.prompts import ANSWER, GRADE

KEY = "sk-planted-0123456789abcdef"
NAMES = count()
YES = {"binary_score": "yes", "confidence": 0.9}


class Verdict(Wire):
    """A verdict."""

    binary_score: YesNo
    confidence: Confidence


FORM: Form[Verdict] = Form(Verdict)
NO_TOOLS = fails(400, "tool_choice must be named, auto or none")
NO_SCHEMA = fails(
    400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported"
)


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as running:
        yield running


def chat(server: ScriptedServer, *queue: Any, config: Any = None, **more: Any) -> Chat:
    """Return a Chat of a model that nobody knows yet, on a server with this queue."""
    server.queue, server.requests, server.headers, server.times = list(queue), [], [], []
    model = ChatOpenAI(model=f"m{next(NAMES)}", base_url=server.url, api_key=KEY, **more)
    return Chat(model, ChatConfig(**{"backoff_seconds": 0, "call_seconds": 2, **(config or {})}))


def verdict(of: Chat) -> Reply[Verdict]:
    return of.ask(GRADE, "a question", FORM, 0.0)


def modes(server: ScriptedServer) -> list[str]:
    return [
        "tool" if body.get("tools") else "schema" if body.get("response_format") else "prompt"
        for body in server.requests
    ]


@pytest.mark.parametrize(
    ("queue", "outcome", "asked"),
    [
        ([fills(YES)], "ok", 1),
        ([fills(YES, finish="stop")], "ok", 1),
        ([says('{"binary_score": "yes", "confidence": 0.9}', finish="tool_calls")], "ok", 1),
        ([refuses()], "refused", 1),
        ([says("", finish="content_filter")], "filtered", 1),
        ([fails(400, "flagged by a policy", code="content_filter")], "filtered", 1),
        ([fills('{"binary_score": "yes", "conf', finish="length")], "truncated", 1),
        ([fills('{"binary_score": "yes", "conf')] * 2, "invalid", 2),
        ([fills('{"binary_score": "yes", "confidence": NaN}')] * 2, "invalid", 2),
        ([fills({**YES, "confidence": 95}), fills(YES)], "ok", 2),
        ([fails(400, "Failed to call a function", code="tool_use_failed"), fills(YES)], "ok", 2),
        ([fails(500), fills(YES)], "ok", 2),
        ([fails(500)] * 2, "transport", 2),
        ([fails(503)] * 2, "transport", 2),
        ([fails(429, retry_after="0"), fills(YES)], "ok", 2),
        ([fails(429, retry_after="0")] * 2, "transport", 2),
        ([fails(429, retry_after="60")], "transport", 1),
        ([fails(401, "Incorrect API key provided")], "transport", 1),
        ([fails(403)], "transport", 1),
        ([fails(404, "the model does not exist", code="model_not_found")], "transport", 1),
        ([fails(400, "context_length_exceeded: too many tokens in tools")], "transport", 1),
        ([html()] * 2, "transport", 2),
        ([raw("{not json")] * 2, "transport", 2),
        ([raw('{"id": "x", "choices": null}')] * 2, "transport", 2),
        ([raw('{"error": {"message": "overloaded"}}'), fills(YES)], "ok", 2),
        ([closes(), fills(YES)], "ok", 2),
        ([closes()] * 2, "transport", 2),
    ],
)  # fmt: skip
def test_each_reply_of_a_server_ends_as_its_outcome(
    server: ScriptedServer, queue: list[Any], outcome: str, asked: int
) -> None:
    reply = verdict(chat(server, *queue))
    assert (reply.outcome, len(server.requests)) == (outcome, asked)
    assert reply.usage.calls == asked
    assert (reply.value is not None) == (outcome == "ok")
    assert reply.detail or outcome == "ok"


@pytest.mark.parametrize(
    ("queue", "outcome", "asked"),
    [
        ([says("The price is 9.")], "ok", 1),
        ([says("")], "missing", 1),
        ([refuses()], "refused", 1),
        ([says("Half of", finish="length")], "truncated", 1),
        ([says("", finish="content_filter")], "filtered", 1),
        ([fails(500), says("The price is 9.")], "ok", 2),
        ([html()] * 2, "transport", 2),
        ([closes()] * 2, "transport", 2),
    ],
)  # fmt: skip
def test_text_ends_as_its_outcome(
    server: ScriptedServer, queue: list[Any], outcome: str, asked: int
) -> None:
    reply = chat(server, *queue).say(ANSWER, "a question", 0.0)
    assert (reply.outcome, len(server.requests)) == (outcome, asked)
    assert (reply.value == "The price is 9.") == (outcome == "ok")


def test_what_a_server_cannot_do_is_learned_once_and_told_once(
    server: ScriptedServer, caplog: pytest.LogCaptureFixture
) -> None:
    asked = chat(server, NO_TOOLS, NO_SCHEMA, fails(500), *[fills(YES)] * 3)
    first = verdict(asked)
    assert (first.outcome, modes(server)) == ("ok", ["tool", "schema", "prompt", "prompt"])
    assert "one JSON object" in server.requests[-1]["messages"][0]["content"]
    again = Chat(asked.model, asked.config)
    assert [verdict(asked).outcome, verdict(again).outcome] == ["ok", "ok"]
    assert modes(server)[4:] == ["prompt", "prompt"]
    told = [record.message for record in caplog.records if record.name == "ragkit"]
    assert len(told) == 2
    assert server.url in told[0]
    assert "does not take function calling" in told[0]
    assert "asking by a JSON schema" in told[0]


def test_a_server_that_ignores_tools_is_asked_the_next_way(server: ScriptedServer) -> None:
    asked = chat(server, says("The document is relevant."), *[fills(YES)] * 2)
    assert [verdict(asked).outcome, verdict(asked).outcome] == ["ok", "ok"]
    assert modes(server) == ["tool", "schema", "schema"]


def test_a_slip_in_a_way_that_works_is_missing_and_changes_nothing(server: ScriptedServer) -> None:
    asked = chat(server, fills(YES), says("yes"), fills(YES))
    assert [verdict(asked).outcome for _ in range(3)] == ["ok", "missing", "ok"]
    assert modes(server) == ["tool"] * 3


def test_a_server_that_can_do_nothing_is_not_asked_three_times_for_ever(
    server: ScriptedServer,
) -> None:
    asked = chat(server, *[says("I like this question.")] * 5)
    assert [verdict(asked).outcome for _ in range(3)] == ["missing"] * 3
    assert modes(server) == ["tool", "schema", "prompt", "prompt", "prompt"]


def test_the_order_of_ways_can_be_told(server: ScriptedServer) -> None:
    asked = chat(server, fills(YES), config={"modes": ("json_prompt",)})
    assert (verdict(asked).outcome, modes(server)) == ("ok", ["prompt"])
    only_tools = chat(server, NO_TOOLS, config={"modes": ("function_calling",)})
    assert (verdict(only_tools).outcome, len(server.requests)) == ("transport", 1)


def test_a_setting_that_is_refused_is_left_out(server: ScriptedServer) -> None:
    refused = fails(400, "Unsupported value: 'temperature' does not support 0 with this model.")
    asked = chat(server, refused, fills(YES), fills(YES))
    assert [verdict(asked).outcome, verdict(asked).outcome] == ["ok", "ok"]
    assert ["temperature" in body for body in server.requests] == [True, False, False]
    assert modes(server) == ["tool"] * 3


def test_the_first_contact_goes_alone_so_that_many_calls_pay_once(server: ScriptedServer) -> None:
    asked = chat(server, NO_TOOLS, *[fills(YES)] * 6)
    replies: list[str] = []
    threads = [
        threading.Thread(target=lambda: replies.append(verdict(asked).outcome)) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert replies == ["ok"] * 6
    assert sorted(modes(server)) == ["schema"] * 6 + ["tool"]


def test_a_clients_own_retries_are_off(server: ScriptedServer) -> None:
    asked = chat(server, *[fails(500)] * 9, max_retries=5)
    assert verdict(asked).outcome == "transport"
    assert len(server.requests) == 2


def test_retry_after_is_waited_for(server: ScriptedServer) -> None:
    asked = chat(server, fails(429, retry_after="0.3"), fills(YES))
    assert verdict(asked).outcome == "ok"
    assert server.times[1] - server.times[0] >= 0.3


@pytest.mark.parametrize("behaviour", [drips(0.05), fails(429, retry_after="0.2")])
def test_slow_bytes_and_waits_end_by_the_deadline(server: ScriptedServer, behaviour: Any) -> None:
    asked = chat(server, behaviour, behaviour, config={"call_seconds": 0.5})
    began = time.monotonic()
    assert verdict(asked).outcome == "transport"
    assert time.monotonic() - began < 1.0


def test_a_graphs_time_limit_holds_inside(server: ScriptedServer) -> None:
    asked = chat(server, drips(0.05), config={"call_seconds": 60})
    began = time.monotonic()
    with time_limit(0.3):
        reply = verdict(asked)
    assert (reply.outcome, time.monotonic() - began < 1.0) == ("transport", True)
    with time_limit(0):
        assert verdict(asked).detail == "no time left to ask"
    assert len(server.requests) == 1


def test_usage_is_what_the_server_reports(server: ScriptedServer) -> None:
    asked = chat(server, fills({**YES, "confidence": 7}), fills(YES))
    usage = verdict(asked).usage
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == (240, 24, 128)
    assert (usage.calls, usage.model) == (2, asked.name)


def test_usage_is_estimated_where_none_is_reported(server: ScriptedServer) -> None:
    message = (
        '{"message": {"role": "assistant", "content": "x"}, "index": 0, "finish_reason": "stop"}'
    )
    asked = chat(server, raw(f'{{"id": "1", "choices": [{message}]}}'))
    usage = asked.say(ANSWER, "q" * 400, 0.0).usage
    assert usage.output_tokens == 1
    assert usage.input_tokens > 100


def test_an_answer_streams_and_a_retry_starts_over(server: ScriptedServer) -> None:
    seen: list[str] = []
    asked = chat(
        server, streams_then_closes("The ", "pri"), says("The price is 9."), stream_usage=True
    )
    reply = asked.say(ANSWER, "a question", 0.0, on_text=seen.append)
    assert (reply.outcome, reply.value) == ("ok", "The price is 9.")
    assert seen[:2] == ["The ", "The pri"]
    assert seen[-1].strip() == "The price is 9."
    assert reply.usage.input_tokens == 120


def test_a_stream_that_is_cut_is_no_answer(server: ScriptedServer) -> None:
    asked = chat(server, *[streams_then_closes("The price", " is")] * 2)
    reply = asked.say(ANSWER, "a question", 0.0, on_text=lambda _text: None)
    assert (reply.outcome, reply.value) == ("transport", None)


LEAKS = [
    fails(401, f"Incorrect API key provided: {KEY}"), fails(500, f"upstream said {KEY}"),
    fails(400, f"tools: bad header Bearer {KEY}"), refuses(f"not with {KEY}"), says(f"{KEY}"),
    raw(f'{{"error": {{"message": "{KEY}"}}}}'), html(), closes(), drips(0.05),
    fills({"binary_score": KEY, "confidence": 1}), fails(429, f"slow down {KEY}", retry_after="9"),
]  # fmt: skip


@pytest.mark.parametrize("behaviour", LEAKS)
def test_a_key_is_in_no_reply_log_or_repr(
    server: ScriptedServer,
    behaviour: Any,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    asked = chat(server, *[behaviour] * 4, config={"call_seconds": 0.5})
    said = [repr(asked), repr(verdict(asked)), repr(asked.say(ANSWER, "q", 0.0))]
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    printed = capfd.readouterr()
    for text in [*said, caplog.text, *asked.abilities.notes, printed.out, printed.err]:
        assert KEY not in text
        assert KEY[:12] not in text


def test_no_key_says_what_to_set_and_that_offline_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(MissingKey, match=r"OPENAI_API_KEY.*OPENAI_BASE_URL.*offline_kit\(\)"):
        chat_model("gpt-4o-mini", ChatConfig())


def test_the_environment_names_key_and_address(
    server: ScriptedServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    chat(server, fills(YES), fills(YES))
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    assert verdict(Chat(chat_model("without-a-key", ChatConfig()))).outcome == "ok"
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert verdict(Chat(chat_model("with-a-key", ChatConfig()))).outcome == "ok"
    assert server.headers[1]["authorization"] == f"Bearer {KEY}"


def test_something_else_than_a_chat_model_is_refused() -> None:
    with pytest.raises(TypeError, match="a chat model is needed, not str"):
        Chat("gpt-4o-mini")


def test_a_password_in_the_address_is_not_shown() -> None:
    model = ChatOpenAI(model="m", base_url="http://me:hunter22@127.0.0.1:9/v1", api_key=KEY)
    assert "hunter22" not in repr(Chat(model))


@pytest.mark.parametrize("mode", ["function_calling", "json_schema"])
def test_a_cut_reply_is_told_in_plain_words(server: ScriptedServer, mode: str) -> None:
    asked = chat(
        server, fills('{"binary_score": "yes", "conf', finish="length"), config={"modes": (mode,)}
    )
    reply = verdict(asked)
    assert (reply.outcome, reply.detail) == ("truncated", "the reply ended by length")
