"""Say what an exception of a chat model means: an outcome, and whether asking again can help."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from ragkit.records import Outcome
from ragkit.redact import describe

_AGAIN = frozenset({408, 409, 425, 429})
_BAD_OUTPUT = ("tool_use_failed", "json_validate_failed", "output_parse_failed")
# what a server's complaint names -> what it cannot do; the first match counts
_LACKS = (
    ("temperature", re.compile(r"temperature", re.IGNORECASE)),
    ("max_tokens", re.compile(r"max_(completion_)?tokens", re.IGNORECASE)),
    ("stream_options", re.compile(r"stream_options|include_usage", re.IGNORECASE)),
    ("json_schema", re.compile(r"response_format|json_?.?schema|guided|grammar", re.IGNORECASE)),
    ("function_calling", re.compile(r"\btools?\b|tool_|function|jinja", re.IGNORECASE)),
)


@dataclass(frozen=True)
class Failure:
    """A call that brought no reply.

    `lacks` names what the endpoint cannot do ("" when that is not the cause); `wait` is the
    seconds that the server asked for, None when it did not say.
    """

    outcome: Outcome
    detail: str
    again: bool = False
    wait: float | None = None
    lacks: str = ""


def explain(
    error: BaseException, secrets: Sequence[str] = (), now: datetime | None = None
) -> Failure:
    """Return what an exception means; `detail` holds no secret."""
    detail = describe(error, secrets=secrets)
    status = getattr(error, "status_code", None)
    said = f"{error} {getattr(error, 'code', '')} {getattr(error, 'body', '')}"
    if special := _special(error, said):
        # the client's own words for a cut reply are a dump of its token counts
        plain = "the reply ended by length" if special == "truncated" else detail
        return Failure(special, plain, again=special == "invalid")
    if isinstance(error, NotImplementedError) or "unexpected keyword" in said:
        return Failure("transport", detail, lacks=_lack(said) or "function_calling")
    if status is None:
        return Failure("transport", detail, again="ContextOverflow" not in type(error).__name__)
    if status in (401, 403):
        return Failure("transport", f"the endpoint refused the key ({status}): {detail}")
    if status in _AGAIN or (status >= 500 and not _cannot(said)):
        return Failure("transport", detail, again=True, wait=_wait(error, now))
    return Failure("transport", detail, lacks=_lack(said))


def _special(error: BaseException, said: str) -> Outcome | None:
    name = type(error).__name__
    # a filter first: the OpenAI client raises its refusal error for a filtered reply as well
    if "ContentFilter" in name or "content_filter" in said or "content filter" in said:
        return "filtered"
    if "Refusal" in name:
        return "refused"
    if "LengthFinishReason" in name:
        return "truncated"
    if any(code in said for code in _BAD_OUTPUT) or "OutputParser" in name:
        return "invalid"
    return None


def _lack(said: str) -> str:
    if "context_length" in said or "context size" in said or "context window" in said:
        return ""
    return next((ability for ability, pattern in _LACKS if pattern.search(said)), "")


def _cannot(said: str) -> bool:
    return bool(_lack(said)) and bool(re.search(r"support|require|unknown|not allowed", said))


def _wait(error: BaseException, now: datetime | None) -> float | None:
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return max(0.0, float(milliseconds) / 1000)
        if (seconds := headers.get("retry-after")) is None:
            return None
        if re.fullmatch(r"\s*\d+(\.\d+)?\s*", seconds):
            return float(seconds)
        due = parsedate_to_datetime(seconds)
        return max(0.0, (due - (now or datetime.now(UTC))).total_seconds())
    except (ValueError, TypeError):
        return None
