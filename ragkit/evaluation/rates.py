"""The five rates of the grade-rewrite-ground article (D7), the rescue rate and the tokens saved.

Rejection points at chunking, rewrite at vocabulary, web fallback at missing pages, regeneration at
the prompt; budget exhaustion is the true failure rate.
"""

from __future__ import annotations

from ragkit.evaluation.metrics import Count, Metric
from ragkit.evaluation.records import EvalRecord

WEB_NODES = ("blend", "web_search")
GENERATORS = ("generator", "answer_generator")


def _rejected(record: EvalRecord) -> Count:
    grades = [grade for grades in record.rounds for grade in grades]
    return sum(grade["binary_score"] == "no" for grade in grades), len(grades)


def _searched(record: EvalRecord) -> bool:
    return bool(record.rounds)


def _rewritten(record: EvalRecord) -> bool:
    return len(record.queries) > 1


def _regenerated(record: EvalRecord) -> bool:
    return _drafts(record) > 1


def _drafts(record: EvalRecord) -> int:
    return sum(record.path.count(node) for node in GENERATORS)


def _of(hit: bool, counted: bool) -> Count:
    return (float(hit and counted), float(counted))


def _rescued(record: EvalRecord) -> Count:
    """Questions whose first documents were rejected whole and that then searched again."""
    if len(record.rounds) < 2 or any(g["binary_score"] == "yes" for g in record.rounds[0]):
        return 0, 0
    later = [grade for grades in record.rounds[1:] for grade in grades]
    return _of(any(grade["binary_score"] == "yes" for grade in later), True)


def _saved(record: EvalRecord) -> Count:
    whole = record.tokens.get("whole", 0)
    return whole - record.tokens.get("kept", 0), whole


RATES: tuple[Metric, ...] = (
    Metric("rates", "rejection rate", "documents graded no", "documents graded", None, _rejected),
    Metric("rates", "rewrite rate", "questions that were rewritten", "questions that were searched",
           None, lambda r: _of(_rewritten(r), _searched(r))),
    Metric("rates", "web fallback rate", "questions that went to the web",
           "questions that were searched", None,
           lambda r: _of(any(node in r.path for node in WEB_NODES), _searched(r))),
    Metric("rates", "regeneration rate", "questions with a second draft", "questions with a draft",
           None, lambda r: _of(_regenerated(r), _drafts(r) > 0)),
    Metric("rates", "budget exhaustion rate", "runs that a budget ended", "questions", None,
           lambda r: _of(r.exhausted, True)),
    Metric("rates", "rewrite rescue rate", "a later search brought a document graded yes",
           "questions whose first documents were all rejected and that searched again", True,
           _rescued),
    Metric("rates", "tokens saved by strips", "estimated tokens of dropped strips",
           "estimated tokens of all strips", True, _saved),
)  # fmt: skip
