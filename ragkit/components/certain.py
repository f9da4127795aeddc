"""Sentences that answer by rules alone, whatever the models think of them."""

from __future__ import annotations

from collections.abc import Sequence

from ragkit.components.definitions import asked_term, defining
from ragkit.components.lookups import looks_up
from ragkit.components.sentences import Sentence


def certain_lines(question: str, lines: Sequence[Sentence]) -> list[str]:
    """Return those of a text's sentences that surely answer: definitions and table lookups."""
    found = defining(lines, asked_term(question))
    return found + [line.text for line in lines if looks_up(question, line)]
