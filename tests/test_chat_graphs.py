"""Every rung on a chat model over real HTTP; a fault in any job ends tagged and in time."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from scripted import Queue, assert_plain, doc, scripted_kit
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
    thinks,
    when,
)

from ragkit.components.chat import chat_components
from ragkit.config import ChatConfig
from ragkit.graphs import RUNGS, build
from ragkit.kit import Kit
from ragkit.records import Context
from ragkit.runs import Run, ask

KEY = "sk-planted-fedcba9876543210"
DOCS = [doc("a", "Seats cost 9 USD."), doc("b", "Refunds take 5 days."), doc("c", "Limits are 10.")]
NO = {"grades": [{"document_id": "d1", "binary_score": "no", "confidence": 1, "keep": []}]}
UNSURE = {"grades": [{"document_id": "d1", "binary_score": "yes", "confidence": 0.6, "keep": []}]}
FAULTS = {
    "a refusal": refuses(),
    "a content filter": says("", finish="content_filter"),
    "a length cut": fills('{"grades": [{"docum', finish="length"),
    "empty tool calls": says(None, finish="tool_calls", tool_calls=[]),
    "no tool choice": fails(400, "tool_choice must be named, auto or none"),
    "a full minute": fails(429, f"slow down {KEY}", retry_after="60"),
    "an error": fails(500, f"upstream: Bearer {KEY}"),
    "a wrong key": fails(401, f"Incorrect API key provided: {KEY}"),
    "slow bytes": drips(0.05),
    "a closed connection": closes(),
    "wrong JSON": raw('{"id": '),
    "NaN": fills('{"confidence": NaN, "grades": NaN, "checks": NaN, "route": NaN}'),
    "other fields": fills({"verdict": "yes", "score": 0.95}),
    "a web page": html(),
}
# the job at fault -> rung, what the other jobs say, and the only right tag
WHERE: dict[str, tuple[str, dict[str, Any], str]] = {
    "route": ("crag", {}, "verified"),
    "read": ("crag", {}, "abstained"),
    "grade-strips": ("crag", {"read": UNSURE}, "abstained"),
    "rewrite": ("arsc", {"read": NO}, "abstained"),
    "answer": ("crag", {}, "abstained"),
    "ground": ("crag", {}, "best_effort"),
    "direct": ("crag", {"route": {"route": "direct", "reasoning": "hi"}}, "abstained"),
    "plan": ("audited", {}, "verified"),
    "check": ("audited", {}, "needs_review"),
    "verify": ("audited", {}, "needs_review"),
}


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with scripted_server() as running:
        yield running


def chat_kit_on(server: ScriptedServer, behaviour: Any, name: str, **config: Any) -> Kit:
    server.queue, server.then, server.requests = [], behaviour, []
    model = ChatOpenAI(model=name, base_url=server.url, api_key=KEY)
    settings = ChatConfig(**{"backoff_seconds": 0, "call_seconds": 0.4, **config})
    return scripted_kit(
        retriever=Queue([DOCS]),
        split=lambda document, _tokens: [{**document, "id": f"{document['id']}/1"}],
        context=lambda _question, documents: Context(documents=tuple(documents)),
        **chat_components(model, config=settings),
    )


def run(kit: Kit, rung: str) -> Run:
    began = time.monotonic()
    done = ask(build(rung, kit), "What does a seat cost?")
    assert time.monotonic() - began < 15
    assert_plain(done.state)
    assert done.tag in ("verified", "best_effort", "abstained", "needs_review", "direct")
    assert done.reason
    assert done.answer
    assert KEY not in json.dumps(done.state)
    return done


@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_answers_with_a_model_that_does_its_work(
    server: ScriptedServer, rung: str
) -> None:
    done = run(chat_kit_on(server, thinks(), "works", call_seconds=5), rung)
    checked = rung in ("corrective", "crag", "audited")
    assert (done.answer.splitlines()[0], done.tag) == (
        "Seats cost 9 USD [1].", "verified" if checked else "best_effort",
    )  # fmt: skip


@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_answers_where_tools_and_schemas_are_refused(
    server: ScriptedServer, rung: str
) -> None:
    def prompts_only(body: Any) -> Any:
        if body.get("tools") or body.get("response_format"):
            return fails(400, "tools and response_format are not supported")(body)
        return thinks()(body)

    done = run(chat_kit_on(server, prompts_only, "prompts-only", call_seconds=5), rung)
    assert done.answer.splitlines()[0] == "Seats cost 9 USD [1]."


@pytest.mark.parametrize("job", WHERE)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_in_one_job_ends_tagged(server: ScriptedServer, job: str, fault: str) -> None:
    rung, others, tag = WHERE[job]
    behaviour = when(job, FAULTS[fault], otherwise=thinks(**others))
    name = f"{job} {fault}".replace(" ", "-")
    assert run(chat_kit_on(server, behaviour, name), rung).tag == tag


@pytest.mark.parametrize("rung", RUNGS)
@pytest.mark.parametrize("fault", ["an error", "a web page", "NaN", "a closed connection"])
def test_a_server_that_only_fails_ends_every_rung_tagged(
    server: ScriptedServer, rung: str, fault: str
) -> None:
    done = run(chat_kit_on(server, FAULTS[fault], f"{rung} {fault}"), rung)
    assert done.tag in ("abstained", "needs_review")
