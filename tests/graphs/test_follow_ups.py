"""A follow-up is searched and judged by what it means; the user's own words are kept (D0, G3)."""

from __future__ import annotations

from typing import Any

import pytest
from scripted import Queue, grades, numbered_rewrites, scripted_kit

from ragkit.graphs import build
from ragkit.graphs.nodes import meant
from ragkit.records import Context, Generation, Grounding, Rewrite, Route, Support, Verdict
from ragkit.runs import ask

HISTORY = [{"role": "user", "content": "What does the Growth plan cost?"}]
ALONE = "What does the Scale plan cost?"
SUPPORTED = Support(claim="An answer.", citation_id=1, support_status="supported", score=1.0)


def kit_for(rewritten: str | None) -> Any:
    followed = Route(route="vector_search", reasoning="follow-up", rewritten_query=rewritten)
    return scripted_kit(
        router=Queue([followed]),
        rewriter=Queue([numbered_rewrites]),
        planner=Queue([lambda question, *_: [Rewrite(query=question)]]),
        context=Queue([lambda _question, documents: Context(documents=tuple(documents))]),
        split=lambda document, _tokens: [document],
        strip_grader=Queue([grades(a=0.9, b=0.9)]),
        grounder=Queue([Grounding(grounded=True, useful=True, claims=(SUPPORTED,))]),
        checker=Queue([[SUPPORTED]]),
        verifier=Queue([Verdict(status="passed", resolved=True, complete=True)]),
        generator=Queue([Generation(text="An answer [1].", answerable=True)]),
    )


@pytest.mark.parametrize("name", ["budgeted", "corrective", "crag", "audited"])
def test_graders_and_generators_see_the_self_contained_question(name: str) -> None:
    kit = kit_for(ALONE)
    run = ask(build(name, kit), "and Scale?", history=HISTORY)
    assert {call[0] for call in kit.grader.calls} == {ALONE}
    assert {call[0] for call in kit.generator.calls} == {ALONE}
    assert run.question == run.state["original_question"] == "and Scale?"


@pytest.mark.parametrize("name", ["budgeted", "corrective", "crag", "audited"])
def test_without_a_conversation_the_users_words_count_and_not_the_routers(name: str) -> None:
    kit = kit_for("Scale price")
    ask(build(name, kit), "What does Scale cost?")
    assert {call[0] for call in kit.grader.calls} == {"What does Scale cost?"}


@pytest.mark.parametrize("empty", [None, "", " "])
def test_a_router_that_says_nothing_leaves_the_users_words(empty: str | None) -> None:
    kit = kit_for(empty)
    ask(build("crag", kit), "and Scale?", history=HISTORY)
    assert {call[0] for call in kit.grader.calls} == {"and Scale?"}


def test_a_follow_up_about_a_sensitive_topic_goes_to_a_person() -> None:
    run = ask(build("audited", kit_for("Is Scale HIPAA compliant?")), "and Scale?", history=HISTORY)
    assert run.waiting and run.state["sensitive"]


def test_what_is_meant_is_the_first_query_of_a_conversation() -> None:
    state = {"original_question": "and Scale?", "history": HISTORY, "queries": [ALONE, "other"]}
    assert meant(state) == ALONE
    assert meant({**state, "history": []}) == "and Scale?"
    assert meant({**state, "queries": []}) == "and Scale?"


@pytest.mark.parametrize("history", ["What does Growth cost?", ["What does Growth cost?"]])
def test_a_history_that_is_no_list_of_messages_is_refused(history: Any) -> None:
    kit = kit_for(ALONE)
    with pytest.raises(TypeError, match="history must be a list of messages"):
        ask(build("crag", kit), "and Scale?", history=history)
    assert not kit.retriever.calls
