"""Count tokens: as reported by the server, else estimated."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ragkit.records import Usage

_CHARACTERS_PER_TOKEN = 4


def tokens(message: Any, sent_characters: int) -> dict[str, int]:
    """Return the tokens of one request, by the field names of Usage.

    `message` is the reply, a raw completion, or None for a request that brought nothing. A reply
    without a count is estimated at four characters a token, so that a budget holds there too.
    """
    if message is None:
        return {"calls": 1}
    if (told := getattr(message, "usage_metadata", None)) is not None:
        cached = (told.get("input_token_details") or {}).get("cache_read") or 0
        return _counts(told.get("input_tokens"), told.get("output_tokens"), cached)
    if (told := getattr(message, "usage", None)) is not None:
        return _counts(told.prompt_tokens, told.completion_tokens, 0)
    got = len(getattr(message, "text", "") or "") + sum(
        len(str(call["args"])) for call in getattr(message, "tool_calls", [])
    )
    return _counts(
        -(-sent_characters // _CHARACTERS_PER_TOKEN), -(-got // _CHARACTERS_PER_TOKEN), 0
    )


def _counts(sent: int | None, got: int | None, cached: int) -> dict[str, int]:
    counts = {"input_tokens": sent, "output_tokens": got, "cached_tokens": cached}
    return {"calls": 1, **{name: max(0, count or 0) for name, count in counts.items()}}


def total(usages: Iterable[Usage | None], model: str) -> Usage:
    """Return the sum of several calls' usage."""
    known = [usage for usage in usages if usage]
    fields = ("input_tokens", "output_tokens", "cached_tokens", "calls")
    return Usage(model=model, **{name: sum(getattr(u, name) for u in known) for name in fields})


def none_used(model: str) -> Usage:
    """Return the usage of work that cost nothing: shared with another record, or cached."""
    return Usage(model=model, calls=0)
