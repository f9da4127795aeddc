"""What the gold says about a piece of text: which facts it states, current or stale."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from ragkit.records import Document

if TYPE_CHECKING:
    from ragkit.evaluation.questions import Question

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−"), "-")
_QUOTES = {ord("’"): "'", ord("‘"): "'", ord("“"): '"', ord("”"): '"'}
_MARKUP = re.compile(r"[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")
_CODE_JOINT = re.compile(r"(?<=\w)_(?=\w)")


@lru_cache(maxsize=8_192)
def plain(text: str) -> str:
    """Return the text as facts are compared: no case, no emphasis, one kind of space and dash."""
    text = _CODE_JOINT.sub("\u0001", unicodedata.normalize("NFKC", text))
    text = _MARKUP.sub("", text).replace("\u0001", "_")
    return " ".join(text.translate(_DASHES | _QUOTES).casefold().split())


def states(text: str, spellings: Iterable[str]) -> bool:
    """Return whether the text holds one of the spellings as whole words and whole numbers.

    "5 days" is not in "15 days", "4" is not in "4.5" and "30" is not in "1,030".
    """
    found = plain(text)
    return any(_pattern(spelling).search(found) for spelling in spellings if spelling.strip())


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
