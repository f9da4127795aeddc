"""Turn a chat model's reply into a value or an outcome; whatever came, nothing is raised.

A value is taken only where it is certain: "Yes." is yes, "0.9" is 0.9; "maybe", 95, "90%", NaN and
true are refused. The body decides, not the finish reason, save where that says cut or filtered.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Literal, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from ragkit.records import Outcome, Usage

T = TypeVar("T")

_ENDINGS: dict[str, Outcome] = {
    "length": "truncated", "max_tokens": "truncated", "model_context_window_exceeded": "truncated",
    "content_filter": "filtered", "safety": "filtered", "blocklist": "filtered",
    "prohibited_content": "filtered", "content_filtered": "filtered", "spii": "filtered",
    "recitation": "filtered", "guardrail_intervened": "filtered", "error": "transport",
    "refusal": "refused",
}  # fmt: skip
_THOUGHT = re.compile(r"\A\s*<(think|thinking|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"\A.*?</(?:think|thinking|reasoning)>", re.DOTALL | re.IGNORECASE)
_FENCE = re.compile(r"```[\w-]*\n?(.*?)```", re.DOTALL)
_REMARK = 200
_MOST_BRACES = 100
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)\Z")


@dataclass(frozen=True)
class Reply(Generic[T]):
    """What became of one question to a model: `value` is None unless `outcome` is "ok"."""

    outcome: Outcome
    value: T | None = None
    detail: str = ""
    usage: Usage | None = None


class Wire(BaseModel):
    """Base of what a model is asked to fill in; fields nobody asked for are dropped."""

    model_config = ConfigDict(extra="ignore")


def _plain_word(value: Any) -> Any:
    """Drop case, quotes, emphasis and a final stop; any other word stays what it is."""
    return value.strip(" \t\r\n\"'`*.!").casefold() if isinstance(value, str) else value


def _plain_number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a yes/no value is not a number")
    if isinstance(value, str) and not _NUMBER.match(value.strip()):
        raise ValueError("not a plain number")
    return value


YesNo = Annotated[Literal["yes", "no"], BeforeValidator(_plain_word)]
Confidence = Annotated[
    float, Field(ge=0.0, le=1.0, allow_inf_nan=False), BeforeValidator(_plain_number)
]


Remark = Annotated[str, BeforeValidator(lambda said: _short(said) if isinstance(said, str) else "")]


def one_of(*words: str) -> Any:
    """Return the type of a field that takes exactly these words, however cased or spaced."""

    def plain(value: Any) -> Any:
        word = _plain_word(value)
        return re.sub(r"[\s-]+", "_", word) if isinstance(word, str) else word

    return Annotated[Literal[words], BeforeValidator(plain)]


def read_structured(message: Any, read: Callable[[Any], T]) -> Reply[T]:
    """Read a structured reply: tool calls first, else one JSON object in the text.

    `read` turns the object into a value and raises ValueError where it does not fit.
    """
    if ended := _ended_badly(message):
        return ended
    try:
        found = _objects(message)
    except (ValueError, RecursionError) as error:
        return Reply("invalid", detail=_short(error))
    if not found:
        return Reply("missing", detail=f"no structured output, but: {_short(message.text)!r}")
    if any(item != found[0] for item in found[1:]):
        return Reply("invalid", detail=f"{len(found)} different objects in one reply")
    try:
        return Reply("ok", read(found[0]))
    except (ValueError, TypeError, RecursionError) as error:
        return Reply("invalid", detail=_short(error))


def read_text(message: Any) -> Reply[str]:
    """Read a reply in prose, without the model's reasoning block."""
    if ended := _ended_badly(message):
        return ended
    text = without_thoughts(message.text).strip()
    return Reply("ok", text) if text else Reply("missing", detail="an empty reply")


def read_answer(message: Any) -> Reply[str]:
    """Read an answer for a person: prose, not a bare JSON object that some page asked for."""
    reply = read_text(message)
    if reply.value and reply.value.startswith("{") and reply.value.endswith("}"):
        return Reply("invalid", detail="JSON instead of an answer")
    return reply


def without_thoughts(text: str) -> str:
    """Return the text without the reasoning block before it; a block never closed is all of it."""
    while match := _THOUGHT.match(text):
        text = text[match.end() :]
    return _THOUGHT_END.sub("", text, count=1)


def json_objects(text: str) -> list[dict[str, Any]]:
    """Return the JSON objects of a text: the whole of it, one in a fence, or what it ends with.

    An object with prose after it may be quoted from a page, so it is refused. Raises ValueError
    for that, for a brace that opens nothing readable, for NaN and infinities, and for a key given
    twice with different values.
    """
    text = without_thoughts(text).strip()
    for part in (text, *_FENCE.findall(text)):
        whole = _object_at(part.strip(), 0)
        if whole and whole[1] == len(part.strip()):
            return [whole[0], *(value for value, _ in _scan(text) if value != whole[0])]
    found = list(_scan(text))
    if found and text[found[-1][1] :].strip("` \n]"):
        raise ValueError("prose follows the JSON")
    if not found and "{" in text:
        raise ValueError("malformed JSON")
    return [value for value, _ in found]


def _scan(text: str) -> Iterator[tuple[dict[str, Any], int]]:
    at = text.find("{")
    for _ in range(_MOST_BRACES):
        if at < 0:
            return
        if found := _object_at(text, at):
            yield found
        at = text.find("{", found[1] if found else at + 1)
    raise ValueError("too many braces")


def _object_at(text: str, at: int) -> tuple[dict[str, Any], int] | None:
    if not text.startswith("{", at):
        return None
    try:
        return _DECODER.raw_decode(text, at)
    except json.JSONDecodeError:
        return None


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a number")


def _no_contradiction(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    known: dict[str, Any] = {}
    for key, value in pairs:
        if key in known and known[key] != value:
            raise ValueError(f"{key!r} is given twice, differently")
        known[key] = value
    return known


_DECODER = json.JSONDecoder(parse_constant=_no_constant, object_pairs_hook=_no_contradiction)


def _objects(message: Any) -> list[dict[str, Any]]:
    if message.tool_calls and not message.invalid_tool_calls:
        return [call["args"] for call in message.tool_calls]
    if message.invalid_tool_calls:
        error = message.invalid_tool_calls[0].get("error") or "the arguments are not JSON"
        raise ValueError(error)
    return json_objects(message.text)


def _ended_badly(message: Any) -> Reply[Any] | None:
    if not hasattr(message, "tool_calls"):
        return Reply("missing", detail=f"no reply but {type(message).__name__}")
    refusal = message.additional_kwargs.get("refusal") or _refusal_block(message.content)
    if refusal:
        return Reply("refused", detail=_short(refusal))
    for key in ("finish_reason", "stop_reason", "done_reason", "stopReason"):
        reason = str(message.response_metadata.get(key) or "").casefold()
        if outcome := _ENDINGS.get(reason):
            return Reply(outcome, detail=f"the reply ended by {reason}")
    return None


def _refusal_block(content: Any) -> str:
    blocks = content if isinstance(content, list) else []
    found = (b for b in blocks if isinstance(b, dict) and b.get("type") == "refusal")
    return next((str(b.get("refusal") or "refused") for b in found), "")


def _short(thing: Any) -> str:
    return " ".join(str(thing).split())[:_REMARK]
