"""Make a follow-up self-contained for the search; the user's own words stay elsewhere."""

from __future__ import annotations

import re

from ragkit.components.text import content_words, entities, stem
from ragkit.kit import Messages

_LEANS = re.compile(
    r"^\W*(?:and|but|so|or|also|ok(?:ay)?|then|what about|how about|same)\b"
    r"|\b(?:it|its|that|this|those|these|they|them|their|he|she|him|her|his|there|one|ones|former|latter"
    r"|same|other|else|instead|too)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^\W*(?:and|but|so|or|also|ok(?:ay)?|then)\b[\s,]*", re.IGNORECASE)
_FEW_WORDS = 3
_MOST_TERMS = 8


def leans_on_history(question: str) -> bool:
    """Tell whether a question needs the conversation to be understood."""
    return bool(_LEANS.search(question)) or len(content_words(question)) < _FEW_WORDS


def self_contained(question: str, history: Messages = ()) -> str:
    """Return the question with the conversation's subject before it, where it needs one."""
    users = [m["content"] for m in history if m.get("role") == "user" and m.get("content")]
    if not users or not leans_on_history(question):
        return question
    own = {stem(word) for word in content_words(question)}
    terms = subject(users[-1])
    if len(terms) < _FEW_WORDS and len(users) > 1:
        terms = [*subject(users[-2]), *terms]
    missing = [term for term in dict.fromkeys(terms) if stem(term.lower()) not in own]
    asked = _OPENING.sub("", question)
    return f"{' '.join(missing[:_MOST_TERMS])}: {asked}" if missing else question


def subject(message: str) -> list[str]:
    """Return the words of a message that name what it is about, in order, names as written."""
    names = {part.lower(): part for name in entities(message) for part in name.split()}
    return [names.get(word, word) for word in dict.fromkeys(content_words(message))]
