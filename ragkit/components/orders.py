"""Sentences of a page that are addressed to a machine: orders, and so no evidence for anything."""

from __future__ import annotations

import re
from collections.abc import Sequence

_ORDER = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:instruction|rule|previous|above|prompt|question)"
    r"|^\W*(?:system|assistant|user|developer)\s*[:>]|</?(?:system|document|instruction)"
    r"|\b(?:as|you are) an? (?:ai|assistant|language model|chatbot)\b"
    r"|\b(?:ai|llm|language model|chatbot|assistant|machine|grader|agent)s?\b.{0,40}"
    r"\b(?:must|should|shall|have to|are to|need to)\b.{0,30}"
    r"\b(?:answer|respond|reply|say|state|tell|grade|cite|output|write|recommend)"
    r"|\b(?:answer|respond|reply|say|output)\b.{0,30}\b(?:only|with the words?|exactly)\b"
    r"|\bgrade (?:this|it|the)\b|\bcite (?:this|it|as)\b",
    re.IGNORECASE,
)


def gives_orders(sentence: str, columns: Sequence[str] = (), cells: Sequence[str] = ()) -> bool:
    """Tell whether a sentence of a page tells its machine reader what to do or to say.

    A table row is read by its `columns` and `cells` too, and without the colons that it is written
    with: a column may well be called "System" or "User", and name no speaker.
    """
    parts = [sentence.replace(":", " "), *columns, *cells] if cells else [sentence]
    return any(_ORDER.search(part) for part in parts)
