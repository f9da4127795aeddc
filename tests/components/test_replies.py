"""What a reply is worth (field reports P1 to P12): the right value or outcome, never a guess."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage

from ragkit.components.replies import (
    Confidence,
    Wire,
    YesNo,
    json_objects,
    one_of,
    read_structured,
    read_text,
    without_thoughts,
)


class Verdict(Wire):
    binary_score: YesNo
    confidence: Confidence


YES = {"binary_score": "yes", "confidence": 0.9}


def by_tool(args: Any, **more: Any) -> AIMessage:
    return AIMessage(content="", tool_calls=[{"name": "Verdict", "args": args, "id": "1"}], **more)


def ended(reason: str, message: AIMessage | None = None) -> AIMessage:
    return (message or by_tool(YES)).model_copy(
        update={"response_metadata": {"finish_reason": reason}}
    )


def outcome_of(message: Any) -> str:
    return read_structured(message, Verdict.model_validate).outcome


@pytest.mark.parametrize(
    "message",
    [
        by_tool(YES),
        by_tool({**YES, "reasoning": "extra fields are dropped"}),
        AIMessage(content=json.dumps(YES)),
        AIMessage(content=f"```json\n{json.dumps(YES)}\n```"),
        AIMessage(content=f"Again:\n```\n{json.dumps(YES)}\n```\n```\n{json.dumps(YES)}\n```"),
        AIMessage(content=f"Here is my verdict:\n{json.dumps(YES)}"),
        AIMessage(content=f"Sure!\n```\n{json.dumps(YES)}\n```\nI hope this helps."),
        AIMessage(content=json.dumps([YES])),
        AIMessage(content=f"<think>no? {{ yes</think>\n{json.dumps(YES)}"),
        AIMessage(content=f"hm, it is </think>{json.dumps(YES)}"),
        AIMessage(content=[{"type": "text", "text": json.dumps(YES)}]),
        ended("tool_calls", AIMessage(content=json.dumps(YES))),
        ended("stop", by_tool(YES)),
    ],
)
def test_a_verdict_is_found_wherever_the_body_holds_it(message: AIMessage) -> None:
    reply = read_structured(message, Verdict.model_validate)
    assert (reply.outcome, reply.value) == ("ok", Verdict(binary_score="yes", confidence=0.9))


@pytest.mark.parametrize(
    ("message", "outcome"),
    [
        (None, "missing"),
        ("yes", "missing"),
        (AIMessage(content=""), "missing"),
        (AIMessage(content="yes"), "missing"),
        (AIMessage(content="The document is relevant."), "missing"),
        (AIMessage(content="<think>" + json.dumps(YES)), "missing"),
        (ended("tool_calls", AIMessage(content="")), "missing"),
        (AIMessage(content='{"binary_score": "yes", "confi'), "invalid"),
        (AIMessage(content='{"binary_score": "yes", "confidence": NaN}'), "invalid"),
        (AIMessage(content='{"binary_score": "yes", "confidence": Infinity}'), "invalid"),
        (AIMessage(content='{"binary_score": "no", "confidence": 1, "confidence": 0}'), "invalid"),
        (AIMessage(content=json.dumps(YES) + json.dumps({**YES, "binary_score": "no"})), "invalid"),
        (AIMessage(content="{" * 100_000), "invalid"),
        (AIMessage(content='{"a":' * 5_000), "invalid"),
        (AIMessage(content="[1, 2]"), "missing"),
        (AIMessage(content=f"The page says {json.dumps(YES)}, which is an order."), "invalid"),
        (
            AIMessage(
                content=f"The page says:\n```json\n{json.dumps(YES)}\n```\nI say:\n"
                '```json\n{"binary_score": "no", "confidence": 1}\n```'
            ),
            "invalid",
        ),
        (
            by_tool(YES, invalid_tool_calls=[
                {"name": "V", "args": '{"bin', "id": "2", "error": "cut"}
            ]),
            "invalid",
        ),
        (by_tool({}), "invalid"),
        (by_tool({"confidence": 0.95}), "invalid"),
        (
            AIMessage(
                content="",
                invalid_tool_calls=[{"name": "V", "args": '{"bin', "id": "1", "error": "cut"}],
            ),
            "invalid",
        ),
        (ended("length"), "truncated"),
        (ended("MAX_TOKENS"), "truncated"),
        (ended("content_filter"), "filtered"),
        (ended("SAFETY"), "filtered"),
        (ended("RECITATION"), "filtered"),
        (ended("guardrail_intervened"), "filtered"),
        (ended("error"), "transport"),
        (by_tool(YES, response_metadata={"stopReason": "content_filtered"}), "filtered"),
        (by_tool(YES, additional_kwargs={"refusal": "I cannot."}), "refused"),
        (AIMessage(content=[{"type": "refusal", "refusal": "I cannot."}]), "refused"),
        (by_tool(YES, response_metadata={"stop_reason": "refusal"}), "refused"),
    ],
)  # fmt: skip
def test_every_bad_reply_has_its_own_outcome(message: Any, outcome: str) -> None:
    reply = read_structured(message, Verdict.model_validate)
    assert (reply.outcome, reply.value) == (outcome, None)
    assert reply.detail


@pytest.mark.parametrize("said", ["yes", "Yes", "YES.", " yes\n", '"yes"', "**Yes**", "'Yes'!"])
def test_a_certain_word_is_taken(said: str) -> None:
    assert Verdict(binary_score=said, confidence=1).binary_score == "yes"


@pytest.mark.parametrize(
    "said", ["maybe", "yes, but", "ja", "y", "true", True, 1, None, "", [], "yes no", "not yes"]
)
def test_an_uncertain_word_is_not_guessed(said: Any) -> None:
    assert outcome_of(by_tool({"binary_score": said, "confidence": 0.9})) == "invalid"


@pytest.mark.parametrize(
    ("said", "number"), [(0, 0.0), (1, 1.0), (0.7, 0.7), ("0.9", 0.9), (" .5 ", 0.5), ("1", 1.0)]
)
def test_a_plain_number_is_taken(said: Any, number: float) -> None:
    assert Verdict(binary_score="no", confidence=said).confidence == number


@pytest.mark.parametrize(
    "said",
    [95, "95", "90%", "0,9", None, math.nan, "nan", "NaN", math.inf, "inf", "-inf", -0.1, 1.0001,
     True, False, "true", "high", [], {}, "0.9 or so", "1e-1", 10**12],
)  # fmt: skip
def test_a_number_out_of_range_or_in_words_is_refused(said: Any) -> None:
    assert outcome_of(by_tool({"binary_score": "yes", "confidence": said})) == "invalid"


@pytest.mark.parametrize(
    "said", ["vector_search", "Vector Search", "VECTOR-SEARCH.", '"vector search"']
)
def test_a_route_is_taken_however_it_is_spaced(said: str) -> None:
    class Where(Wire):
        route: one_of("direct", "vector_search")  # type: ignore[valid-type]

    assert Where(route=said).route == "vector_search"
    with pytest.raises(ValueError, match="route"):
        Where(route="vector")


def test_the_schema_on_the_wire_states_words_and_bounds() -> None:
    fields = Verdict.model_json_schema()["properties"]
    assert fields["binary_score"]["enum"] == ["yes", "no"]
    assert (fields["confidence"]["minimum"], fields["confidence"]["maximum"]) == (0, 1)


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("<think>a</think>b", "b"), ("<THINK>a</THINK> b", " b"), ("<think>never closed", ""),
        ("<think>a</think><think>b</think>c", "c"), ("a</think>b", "b"), ("plain", "plain"),
        ("use <think> tags", "use <think> tags"), ("", ""),
    ],
)  # fmt: skip
def test_a_reasoning_block_is_not_part_of_the_reply(text: str, left: str) -> None:
    assert without_thoughts(text) == left


def test_text_is_read_with_the_same_outcomes() -> None:
    assert read_text(AIMessage(content="<think>x</think> Hello. ")).value == "Hello."
    assert read_text(AIMessage(content="  ")).outcome == "missing"
    assert read_text(ended("length", AIMessage(content="Half a"))).outcome == "truncated"
    assert read_text(ended("content_filter", AIMessage(content="x"))).outcome == "filtered"
    assert read_text(None).outcome == "missing"


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)
near_verdicts = st.fixed_dictionaries(
    {},
    optional={
        "binary_score": st.sampled_from(["yes", "no", "Yes.", "maybe"]) | json_values,
        "confidence": st.floats(0, 1) | st.sampled_from(["0.9", "90%"]) | json_values,
    },
)


@settings(max_examples=500, deadline=None)
@given(near_verdicts | json_values, st.booleans(), st.text(max_size=20))
def test_no_json_raises_and_none_is_ok_unless_valid(said: Any, tool: bool, around: str) -> None:
    if tool and isinstance(said, dict):
        message = by_tool(said)
    else:
        message = AIMessage(content=around + json.dumps(said) + around)
    reply = read_structured(message, Verdict.model_validate)
    if reply.outcome == "ok":
        assert reply.value.binary_score in ("yes", "no")
        assert 0 <= reply.value.confidence <= 1
    else:
        assert reply.value is None


@settings(max_examples=500, deadline=None)
@given(st.text() | st.text(alphabet='{}[]":,` \n\\abyesno0.9<think>/'))
def test_no_text_raises_and_prose_is_never_a_verdict(text: str) -> None:
    reply = read_structured(AIMessage(content=text), Verdict.model_validate)
    assert reply.outcome in ("missing", "invalid")
    assert read_text(AIMessage(content=text)).outcome in ("ok", "missing")


@settings(max_examples=200, deadline=None)
@given(
    st.dictionaries(st.text(), st.integers() | st.text()), st.sampled_from(["{}", "```\n{}\n```"])
)
def test_an_object_comes_back_as_it_was_written(value: dict[str, Any], form: str) -> None:
    assert json_objects(form.replace("{}", json.dumps(value))) == [value]
