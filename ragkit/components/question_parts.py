"""The questions that a compound question consists of."""

from __future__ import annotations

import re

from ragkit.components.text import content_words

_PART = re.compile(
    r"\?\s+|;\s+|,?\s+and\s+(?=(?:in |at |for |by )?"
    r"(?:what|when|where|which|who|why|how|is|are|do|does|can|may|must)\b)",
    re.IGNORECASE,
)


def parts(question: str) -> list[str]:
    """Return the questions that a compound question consists of; none for a simple one."""
    found = [part.strip(" ,.") for part in _PART.split(question)]
    found = [part for part in found if content_words(part)]
    return found if len(found) > 1 else []
