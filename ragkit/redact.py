"""Keep secrets out of everything a run writes down."""

from __future__ import annotations

import os
import re

_KEY_SHAPES = re.compile(r"\b(sk|pk|tvly|key)-[A-Za-z0-9_-]{8,}|(?<=Bearer )\S+")
_SECRET_NAMES = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)


def redact(text: str) -> str:
    """Return the text with key-shaped words and the values of secret variables masked."""
    for name, value in os.environ.items():
        if _SECRET_NAMES.search(name) and len(value) >= 6:
            text = text.replace(value, "***")
    return _KEY_SHAPES.sub("***", text)


def describe(error: BaseException, limit: int = 200) -> str:
    """Return an error as `Type: message`, short, on one line, without secrets."""
    message = " ".join(str(error).split())
    return redact(f"{type(error).__name__}: {message}" if message else type(error).__name__)[:limit]
