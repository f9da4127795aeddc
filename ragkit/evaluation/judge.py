"""Judge an answer by gold: which of its claims the shown evidence supports.

Nothing of the run's own checkers is used. The rule is lexical and strict, so it is right about
quoting answers and hard on free paraphrase:

- Text supports a claim when it holds every number and code of the claim, and at least `COVERAGE` of
  the stems of its content words. The date of a document counts as said by it, and words that only
  tell old from new ("the edition of 2024, since replaced, said") need no support.
- A claim that states a gold fact is only supported by text that states that fact too; the words
  around it need not be the page's.
- A claim that states a stale fact is unsupported, unless the answer gives the current one too and
  says that the other is past: the gold says that its page no longer counts.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from ragkit.components.claims import Claim, split_claims
from ragkit.evaluation.gold import plain, stated, states_all
from ragkit.evaluation.questions import Question
from ragkit.evaluation.records import EvalRecord
from ragkit.graphs.budgeted import NOTE
from ragkit.keywords import keyword_tokens

COVERAGE = 0.7
_TIME_TALK = "edition version date effective since replaced superseded says said now newer older"
_PAST = re.compile(
    r"\b(?:replac|supersed|previous|former|earlier|older|until|no longer|as of|outdated|used to|"
    r"was changed|before)", re.IGNORECASE
)  # fmt: skip
_SOLID = re.compile(r"(?<![\w.,])\w*\d[\w.,:/-]*\w|(?<!\w)\d(?!\w)|\b\w+_\w+\b")


@dataclass(frozen=True)
class Citation:
    """One label of one claim, and whether the document it names supports the claim."""

    label: int
    supported: bool


@dataclass(frozen=True)
class JudgedClaim:
    """One claim of an answer: supported by any shown document, and its citations one by one.

    `by` says what decided: "facts" where the claim states a gold fact, else "words".
    """

    text: str
    supported: bool
    by: str
    citations: tuple[Citation, ...]
    fabricated: int = 0


def judge(record: EvalRecord, text: str | None = None) -> list[JudgedClaim]:
    """Judge every claim of a record's answer, or of `text` against the same evidence."""
    answer = (record.answer if text is None else text).replace(NOTE, "")
    shown = [f"{piece.text}\n{piece.date or ''}" for piece in record.evidence]
    outdated = is_stale(answer, record.question)
    claims = split_claims(answer, len(shown))
    return [_judge(claim, shown, record.question, outdated) for claim in claims]


def is_stale(answer: str, question: Question) -> bool:
    """Return whether an answer gives a value of the past as if it held today.

    It does when it states one without today's, or states both and no word says which one is past.
    """
    if not stated(answer, question.stale_facts):
        return False
    return not (states_all(answer, question.facts) and _PAST.search(answer))


def is_correct(answer: str, question: Question) -> bool:
    """Return whether an answer states every gold fact; False where the gold has none."""
    return states_all(answer, question.facts)


def supports(text: str, claim: str, question: Question) -> bool:
    """Return whether a text supports a claim, by the rule at the head of this file."""
    facts = stated(claim, question.facts)
    if any(fact not in stated(text, question.facts) for fact in facts):
        return False
    if not _solid(claim) <= _solid(text):
        return False
    return bool(facts) or _coverage(claim, text) >= COVERAGE


def _judge(claim: Claim, shown: Sequence[str], question: Question, outdated: bool) -> JudgedClaim:
    past = outdated and bool(stated(claim.text, question.stale_facts))
    holds = [not past and supports(text, claim.text, question) for text in shown]
    markers = [marker for marker in claim.markers if marker.status in ("ok", "out_of_range")]
    return JudgedClaim(
        claim.text,
        any(holds),
        "facts" if stated(claim.text, question.facts) else "words",
        tuple(Citation(label, holds[label - 1]) for label in claim.labels),
        fabricated=sum(marker.status == "out_of_range" for marker in markers),
    )


@lru_cache(maxsize=4_096)
def _solid(text: str) -> frozenset[str]:
    """The words that leave no room: numbers, codes, versions."""
    found = (match.group().strip(".,:-/") for match in _SOLID.finditer(plain(text)))
    return frozenset(word.replace(",", "") for word in found)


@lru_cache(maxsize=4_096)
def _stems(text: str) -> frozenset[str]:
    return frozenset(keyword_tokens(plain(text)))


def _coverage(claim: str, text: str) -> float:
    words = _stems(claim) - _stems(_TIME_TALK)
    return len(words & _stems(text)) / len(words) if words else 0.0
