"""What a run would cost: near what it does cost, and never below it at the cap."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_openai import ChatOpenAI
from scripted import Queue, doc, scripted_kit
from scripted_server import scripted_server, thinks

from ragkit.components.chat import chat_components
from ragkit.config import ArscConfig, ChatConfig, CragConfig
from ragkit.estimates import estimate
from ragkit.graphs import CONFIGS, RUNGS, build
from ragkit.records import Context
from ragkit.runs import ask

NO = {"grades": [{"document_id": "d1", "binary_score": "no", "confidence": 1, "keep": []}]}


def calls(rung: str, **instead: Any) -> int:
    """Return how many calls a rung makes with all the documents that it may ask for."""
    found = [doc(f"n{n}", f"Seats cost 9 USD. Page {n}.") for n in range(CONFIGS[rung]().top_k)]
    with scripted_server(then=thinks(**instead)) as server:
        model = ChatOpenAI(model=f"estimate-{rung}", base_url=server.url, api_key="none")
        kit = scripted_kit(
            retriever=Queue([found]),
            split=lambda document, _tokens: [document],
            context=lambda _question, documents: Context(documents=tuple(documents)),
            **chat_components(model),
        )
        ask(build(rung, kit), "What does a seat cost?")
        return len(server.requests)


@pytest.mark.parametrize("rung", RUNGS)
def test_the_usual_count_is_what_a_good_retrieval_takes(rung: str) -> None:
    told = estimate(rung)
    assert calls(rung) <= told.calls
    assert calls(rung) >= told.calls * 0.6
    assert told.tokens <= told.most_tokens


@pytest.mark.parametrize("rung", RUNGS)
def test_no_run_takes_more_calls_than_the_most(rung: str) -> None:
    assert calls(rung, read=NO) <= estimate(rung).most_calls


def test_higher_caps_cost_more() -> None:
    assert estimate("arsc", ArscConfig(max_iterations=5)).most_calls > estimate("arsc").most_calls
    closed = CragConfig(web_fallback=False)
    assert estimate("crag", closed).most_calls < estimate("crag").most_calls


def test_a_cheap_grader_makes_a_run_cheaper_and_an_unknown_model_has_no_price() -> None:
    large = ChatConfig(generator="gpt-4o", grader="gpt-4o", judge="gpt-4o")
    assert estimate("crag").usd < estimate("crag", chat=large).usd / 2
    local = estimate("crag", chat=ChatConfig(generator="llama"))
    assert local.usd is None
    assert "no price is known" in str(local)
    assert "USD" in str(estimate("crag"))


def test_an_unknown_rung_is_named() -> None:
    with pytest.raises(KeyError, match="no graph called 'rag'; there are naive"):
        estimate("rag")
