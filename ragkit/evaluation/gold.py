"""What the gold says about a piece of text: which facts it states, current or stale."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ragkit.keywords import keyword_tokens
from ragkit.records import Document

if TYPE_CHECKING:
    from ragkit.evaluation.questions import Question

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"'}
_MARKUP = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_NUMBER = re.compile(r"\d[\d.,]*\d|\d")
LONG_WORDS = 8  # a longer spelling is a sentence: it counts when most of it is said
LONG_SHARE = 0.6
_CODE_JOINT = re.compile(r"(?<=\w)_(?=\w)")


@lru_cache(maxsize=8_192)
def plain(text: str) -> str:
    """Return the text as facts are compared: no case, no emphasis, one kind of space and dash."""
    text = _CODE_JOINT.sub("\u0001", unicodedata.normalize("NFKC", text))
    text = _MARKUP.sub("", text).replace("\u0001", "_")
    return " ".join(text.translate(_DASHES | _QUOTES).casefold().split())


def states(text: str, spellings: Iterable[str]) -> bool:
    """Return whether the text holds one of the spellings as whole words and whole numbers.

    "5 days" is not in "15 days", "4" is not in "4.5" and "30" is not in "1,030". A spelling of more
    than eight words is a sentence: the text must hold its numbers and 60 % of its word stems.
    """
    found = plain(text)
    return any(
        _says(text, spelling)
        if len(spelling.split()) > LONG_WORDS
        else _pattern(spelling).search(found) is not None
        for spelling in spellings
        if spelling.strip()
    )


def _says(text: str, sentence: str) -> bool:
    wanted = _stems(sentence)
    numbers = set(_NUMBER.findall(plain(sentence)))
    said = len(wanted & _stems(text)) >= LONG_SHARE * len(wanted)
    return said and numbers <= set(_NUMBER.findall(plain(text)))


@lru_cache(maxsize=8_192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(keyword_tokens(plain(text)))


@lru_cache(maxsize=8_192)
def _pattern(spelling: str) -> re.Pattern[str]:
    wanted = plain(spelling)
    before = r"(?<!\w)(?<!\d[.,])" if wanted[0].isdigit() else r"(?<!\w)" * wanted[0].isalnum()
    after = r"(?!\w)(?![.,]\d)" if wanted[-1].isdigit() else r"(?!\w)" * wanted[-1].isalnum()
    return re.compile(before + re.escape(wanted) + after)


def stated(text: str, facts: Sequence[Sequence[str]]) -> list[int]:
    """Return the numbers of the facts that the text states, 0-based."""
    return [number for number, spellings in enumerate(facts) if states(text, spellings)]


def states_all(text: str, facts: Sequence[Sequence[str]]) -> bool:
    """Return whether every fact is stated; False where there are none."""
    return bool(facts) and len(stated(text, facts)) == len(facts)


def relevant_ids(question: Question, documents: Iterable[Document]) -> set[str]:
    """Return the ids of the chunks that answer: those the gold names, else those it quotes.

    A chunk counts when it holds a quoted passage and comes from the page that the quote is from.
    """
    if question.relevant:
        return set(question.relevant)
    quotes = [(item["source"], plain(item["quote"])) for item in question.evidence]
    return {
        document["id"]
        for document in documents
        for source, quote in quotes
        if document.get("metadata", {}).get("source") == source
        and quote in plain(document["content"])
    }
