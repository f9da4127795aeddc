"""Definitions by rules: which term a question wants explained, and which sentence explains it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragkit.components.sentences import Sentence
from ragkit.components.text import stems, word_set

_ASKED = re.compile(
    r"^\W*(?:(?:and|so|but|please|can you|could you|tell me)[\s,]+)*"
    r"(?:(?:what(?:['’]s| is) )?the meaning of|what (?:do you mean|is meant) by"
    r"|(?:what|who)(?:['’]s|\s+is|\s+are)|define|explain(?:\s+what)?"
    r"|what do(?:es)?(?=.{2,40}\bmean\b))\s+"
    r"(?:(?:an?|the|your|this|that)\s+)?([\w][\w'’ -]{1,40}?)"
    r"(?:\s+(?:is|are|means?|stands? for|good for))?\W*$",
    re.IGNORECASE,
)
# what asks for more than a word's meaning: "the price of", "the limit for"
_MORE = re.compile(
    r"\b(?:of|for|in|on|at|per|to|by|with|between|and|or|if|when|after|before|my|our|it|there)\b",
    re.IGNORECASE,
)
_WORDS_OF_A_TERM = 4
_BOLD = re.compile(r"^[\s>*-]*\*\*([^*\n]{2,40})\*\*\s*(?::|–|—| - )\s*\S")
_IS = re.compile(
    r"^\W*(?:(?:an?|the)\s+)?([\w][\w'’ -]{1,40}?)\s+(?:is|are|means?|stands? for|refers? to)\s+"
    r"(?:an?|the|one|any|every|what|where|when|who)\b",
    re.IGNORECASE,
)
# "A chargeback returns a fee": what such a thing does, told of any
_VERB = r"\s+(?P<verb>[a-z]{2,}s)\s"
_DOES = re.compile(rf"^\W*An?\s+([\w][\w'’ -]{{1,40}}?){_VERB}+(?:an?|the|\w+s)\b")
_NAME_DOES = re.compile(rf"^\W*(?:An?\s+|The\s+)?([\w][\w'’ -]{{1,40}}?){_VERB}")
_NO_MEANING = word_set("is has was does costs takes lasts needs stays gets goes comes")


@lru_cache(4096)
def asked_term(question: str) -> frozenset[str]:
    """Return the stems of the term a question wants explained; empty where it asks anything else.

    "What is a tombstone?", "define tombstone" and "what does tombstone mean" ask so.
    """
    match = _ASKED.search(question[:400])
    if match is None or _MORE.search(match[1]) or len(match[1].split()) > _WORDS_OF_A_TERM:
        return frozenset()
    return frozenset(stems(match[1]))


def defining(lines: Sequence[Sentence], term: frozenset[str]) -> list[str]:
    """Return those of a text's sentences that explain a term, in their order."""
    if not term:
        return []
    told = [line for line in lines if line.kind != "heading"]
    return [
        line.text for place, line in enumerate(told) if defines(line.text, term, opening=not place)
    ]


def defines(sentence: str, term: frozenset[str], opening: bool = False) -> bool:
    """Tell whether a sentence explains a term: `**Term**: …`, "A term is a …", "A term does …".

    "Tarnfield helps companies" explains the name only where it is the `opening` of a text: further
    on it tells one thing of many.
    """
    does = _NAME_DOES if opening else _DOES
    found = [pattern.match(sentence) for pattern in (_BOLD, _IS, does)]
    return bool(term) and any(
        match is not None
        and frozenset(stems(match[1])) == term
        and match.groupdict().get("verb") not in _NO_MEANING
        for match in found
    )
