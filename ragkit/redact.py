"""Keep secrets out of everything a run writes down."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

_KEY_SHAPES = re.compile(r"\b(sk|pk|tvly|key)-[A-Za-z0-9_-]{8,}|(?<=Bearer )\S+")
_USER_IN_URL = re.compile(r"(?<=://)[^/\s@]+(?=@)")
_SECRET_NAMES = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)


def redact(text: str, secrets: Sequence[str] = ()) -> str:
    """Return the text with key-shaped words, given secrets and secret variables' values masked."""
    if not text:
        return text
    variables = [value for name, value in os.environ.items() if _SECRET_NAMES.search(name)]
    for value in sorted({*secrets, *variables}, key=len, reverse=True):
        if len(value) >= 6:
            text = text.replace(value, "***")
    return _USER_IN_URL.sub("***", _KEY_SHAPES.sub("***", text))


def describe(error: BaseException, limit: int = 200, secrets: Sequence[str] = ()) -> str:
    """Return an error as `Type: message`, short, on one line, without secrets."""
    message = " ".join(str(error).split())
    said = f"{type(error).__name__}: {message}" if message else type(error).__name__
    return redact(said, secrets)[:limit]
