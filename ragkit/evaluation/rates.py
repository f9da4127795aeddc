"""The five rates of the grade-rewrite-ground article (D7), the rescue rate and the tokens saved.

Rejection points at chunking, rewrite at vocabulary, web fallback at missing pages, regeneration at
the prompt; budget exhaustion is the true failure rate.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragkit.config import CragConfig
from ragkit.evaluation.metrics import Count, Metric
from ragkit.evaluation.records import EvalRecord
from ragkit.evaluation.stats import Share
from ragkit.graphs.crag import move, verdict

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
    Metric("rates", "facts kept by strips", "gold facts that the surviving strips state",
           "gold facts that all strips state", True,
           lambda r: (r.facts.get("kept", 0), r.facts.get("whole", 0))),
)  # fmt: skip


def at_thresholds(
    records: Sequence[EvalRecord], pass_threshold: float, fail_threshold: float
) -> dict[str, Share]:
    """Return what other thresholds would do to the scores already given; nothing is asked again.

    Kept, ambiguous and dropped are shares of all graded documents; strips, blend and rewrite of
    the questions that were searched, by their first grading. Raises ValueError for a fail threshold
    that is not below the pass threshold.
    """
    config = CragConfig(pass_threshold=pass_threshold, fail_threshold=fail_threshold)
    cuts = [cut for r in records for grades in r.rounds for cut in verdicts_of(grades, config)]
    first = [verdicts_of(record.rounds[0], config) for record in records if record.rounds]
    moves = [move(names) for names in first]
    return {
        **{name: Share(cuts.count(name), len(cuts)) for name in ("kept", "ambiguous", "dropped")},
        **{name: Share(moves.count(name), len(moves)) for name in ("strips", "blend", "rewrite")},
    }


def verdicts_of(grades: Sequence[dict[str, Any]], config: CragConfig) -> list[str]:
    """Return kept, ambiguous or dropped for each grade."""
    return [verdict(grade["score"], config) for grade in grades]
