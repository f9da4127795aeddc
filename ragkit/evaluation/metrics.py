"""Every metric of the ladder, defined once: what is counted, of what, and which way is better.

A metric looks at one record and returns (numerator, denominator); a rung's value is the sum of its
numerators over the sum of its denominators. A denominator of 0 means that nothing was measured:
the value is None, never 0 or 1. A run that abstained has no claims and no citations, so
groundedness is not applicable to it; abstention is counted in columns of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ragkit.evaluation.figures import Figure
from ragkit.evaluation.judge import JudgedClaim, is_correct, is_stale, judge
from ragkit.evaluation.records import EvalRecord
from ragkit.evaluation.stats import Estimate, Share, mean_estimate

Count = tuple[float, float]


@dataclass(frozen=True)
class Metric:
    """One metric. `higher_is_better` is None for a rate that only describes; `mean` marks an
    average of amounts, which has no counts."""

    group: str
    name: str
    numerator: str
    denominator: str
    higher_is_better: bool | None
    count: Callable[[EvalRecord], Count]
    mean: bool = False

    @property
    def definition(self) -> str:
        """Numerator over denominator, in words."""
        return f"{self.numerator} / {self.denominator}"

    def counts(self, records: Iterable[EvalRecord]) -> list[Count]:
        """Return (numerator, denominator) of each record."""
        return [self.count(record) for record in records]

    def measure(self, records: Sequence[EvalRecord]) -> Share | Estimate | None:
        """Return the value with its interval, None where nothing was measured."""
        counts = [count for count in self.counts(records) if count[1]]
        if not counts:
            return None
        if self.mean:
            return mean_estimate([amount / of for amount, of in counts])
        return Share(int(sum(hit for hit, _ in counts)), int(sum(of for _, of in counts)))


def measure(records: Sequence[EvalRecord], metrics: Sequence[Metric] | None = None) -> list[Figure]:
    """Return a figure a metric; the records are of one rung."""
    chosen = METRICS if metrics is None else metrics
    return [
        Figure(m.group, m.name, m.measure(records), m.definition, m.higher_is_better)
        for m in chosen
    ]


def _of(hit: bool, counted: bool) -> Count:
    return (float(hit and counted), float(counted))


def _has_answer(record: EvalRecord) -> bool:
    """The gold has an answer that a run should give without a person."""
    return record.question.answerable is True and record.question.expected_tag != "needs_review"


def _claims(record: EvalRecord) -> list[JudgedClaim]:
    return judge(record) if record.released and record.tag != "direct" else []


def _groundedness(record: EvalRecord) -> Count:
    claims = _claims(record)
    return sum(claim.supported for claim in claims), len(claims)


def _citation_accuracy(record: EvalRecord) -> Count:
    claims = _claims(record)
    right = sum(citation.supported for claim in claims for citation in claim.citations)
    return right, sum(len(claim.citations) + claim.fabricated for claim in claims)


def _uncited(record: EvalRecord) -> Count:
    claims = _claims(record)
    return sum(not c.citations and not c.fabricated for c in claims), len(claims)


def _escaped(record: EvalRecord) -> bool:
    return any(not claim.supported or claim.fabricated for claim in _claims(record))


def _correct(record: EvalRecord) -> bool:
    return (
        record.released
        and is_correct(record.answer, record.question)
        and not is_stale(record.answer, record.question)
    )


def _supported_answer(record: EvalRecord) -> bool:
    return _correct(record) and not _escaped(record)


def _false_alarm(record: EvalRecord) -> Count:
    """Drafts that are right by gold, and those of them that never reached the user."""
    if not record.draft or not _has_answer(record):
        return 0, 0
    claims = judge(record, record.draft)
    right = is_correct(record.draft, record.question) and bool(claims)
    return _of(not record.released, right and all(claim.supported for claim in claims))


def _conflict_handled(record: EvalRecord) -> Count:
    question = record.question
    if question.trap != "conflict":
        return 0, 0
    if question.expected_tag == "needs_review":
        both = record.released and is_correct(record.answer, question)
        return _of(record.tag == "needs_review" or (both and bool(record.conflicts)), True)
    return _of(_correct(record) and (bool(record.conflicts) or _cites_only_gold(record)), True)


def _cites_only_gold(record: EvalRecord) -> bool:
    sources = {item["source"] for item in record.question.evidence}
    cited = {c.label for claim in _claims(record) for c in claim.citations}
    return all(record.evidence[label - 1].source in sources for label in cited)


def _without_answer(record: EvalRecord) -> bool:
    """There is nothing to answer from; a vague question is a person's to clear up."""
    return record.question.answerable is False and not _wants_review(record)


def _went_back(record: EvalRecord) -> bool:
    return len(record.path) > len(set(record.path))


def _wants_review(record: EvalRecord) -> bool:
    return record.question.expected_tag == "needs_review"


def _judgeable(record: EvalRecord) -> bool:
    return record.question.answerable is not None and record.question.expected_tag != "direct"


def _needs_search(record: EvalRecord) -> bool:
    return record.question.expected_tag != "direct"


def _let_out(record: EvalRecord) -> bool:
    """Something was released that should have been held back, asked back or sent to review."""
    if not record.released or record.tag == "direct":
        return False
    if is_stale(record.answer, record.question) or _conflict_handled(record) == (0.0, 1.0):
        return True
    if _wants_review(record):
        return record.question.trap != "conflict"
    return _judgeable(record) and not _supported_answer(record)


ANSWERS = (
    Metric("answers", "answer correctness", "released answers that state every gold fact",
           "questions with an answer", True, lambda r: _of(_correct(r), _has_answer(r))),
    Metric("answers", "correct when answered", "released answers that state every gold fact",
           "released answers to questions with an answer", True,
           lambda r: _of(_correct(r), _has_answer(r) and r.released)),
    Metric("answers", "answered and supported",
           "correct answers without a claim that the evidence does not support",
           "questions with an answer", True, lambda r: _of(_supported_answer(r), _has_answer(r))),
    Metric("answers", "unsupported answers",
           "released answers that are wrong, to a question without answer, or hold an "
           "unsupported claim", "questions with or without an answer", False,
           lambda r: _of(r.released and not _supported_answer(r),
                         _judgeable(r) and not _wants_review(r))),
    Metric("answers", "stale answers", "answers that give a past value as if it held today",
           "questions with a past value", False,
           lambda r: _of(r.released and is_stale(r.answer, r.question),
                         bool(r.question.stale_facts))),
    Metric("answers", "conflicts handled",
           "hard: sent to review, or noticed and both sides named; over time: today's statement "
           "given, and another page's only where the conflict was noticed",
           "conflict questions", True, _conflict_handled),
    Metric("answers", "expected tag", "runs that end with the expected tag",
           "questions with an expected tag", True,
           lambda r: _of(r.tag == r.question.expected_tag, r.question.expected_tag is not None)),
)  # fmt: skip
GROUNDING = (
    Metric("grounding", "groundedness",
           "claims that the shown evidence supports, by gold", "claims of released answers",
           True, _groundedness),
    Metric("grounding", "citation accuracy", "citations whose document supports the claim",
           "citations of released answers, made-up labels included", True, _citation_accuracy),
    Metric("grounding", "uncited claims", "claims without a label", "claims of released answers",
           False, _uncited),
    Metric("grounding", "escape rate", "answers with an unsupported claim or made-up label",
           "released answers", False,
           lambda r: _of(_escaped(r), r.released and r.tag != "direct")),
    Metric("grounding", "false alarms", "right and supported drafts that were held back",
           "right and supported drafts", False, _false_alarm),
)  # fmt: skip
ABSTENTION = (
    Metric("abstention", "correct abstention", "abstained or sent to review",
           "questions without an answer", True,
           lambda r: _of(not r.released, _without_answer(r))),
    Metric("abstention", "false answer", "answered all the same", "questions without an answer",
           False, lambda r: _of(r.released, _without_answer(r))),
    Metric("abstention", "false abstention", "abstained or sent to review",
           "questions with an answer", False,
           lambda r: _of(not r.released, _has_answer(r))),
)  # fmt: skip
REVIEW = (
    Metric("review", "correct escalation", "sent to review", "questions a person should decide",
           True, lambda r: _of(r.tag == "needs_review", _wants_review(r))),
    Metric("review", "false escalation", "sent to review", "other questions with an expected tag",
           False, lambda r: _of(r.tag == "needs_review",
                                not _wants_review(r) and r.question.expected_tag is not None)),
    Metric("review", "escalation rate", "sent to review", "questions", None,
           lambda r: _of(r.tag == "needs_review", True)),
    Metric("review", "rollback rate", "runs that went back to an earlier node", "questions", None,
           lambda r: _of(_went_back(r), True)),
)  # fmt: skip
FAULTS = (
    Metric("faults", "failed verdicts", "verdicts with an outcome other than ok", "verdicts", False,
           lambda r: (sum(r.failures.values()), r.verdicts)),
    Metric("faults", "broken runs", "runs that raised an error", "questions", False,
           lambda r: _of(bool(r.error), True)),
    Metric("faults", "exhausted runs that say so", "tagged best_effort, abstained or needs_review",
           "runs that a budget ended", True,
           lambda r: _of(r.tag in ("best_effort", "abstained", "needs_review"), r.exhausted)),
)  # fmt: skip
COSTS = (
    Metric("cost", "context tokens", "estimated tokens shown to the generator",
           "questions that reached it", False,
           lambda r: (r.tokens.get("shown", 0), float(bool(r.tokens.get("shown")))), mean=True),
    Metric("cost", "USD a question", "cost by reported tokens or the article's prices",
           "questions", False, lambda r: (r.cost_usd, 1.0), mean=True),
    Metric("cost", "steps", "nodes passed", "questions", False,
           lambda r: (float(len(r.steps)), 1.0), mean=True),
)  # fmt: skip
# one for the kit's own writer, one for a writer whose every draft is wrong
GUARDS = (
    Metric("guards", "let out",
           "released answers that are wrong, unsupported, past, or a person's to decide",
           "questions that need retrieval", False, lambda r: _of(_let_out(r), _needs_search(r))),
    Metric("guards", "faulty drafts let out", "released answers", "questions that need retrieval",
           False, lambda r: _of(r.released and r.tag != "direct", _needs_search(r))),
)  # fmt: skip
METRICS: tuple[Metric, ...] = (*ANSWERS, *GROUNDING, *ABSTENTION, *REVIEW, *FAULTS, *COSTS)


def metric(name: str) -> Metric:
    """Return the metric of that name. Raises KeyError that lists the names."""
    found = {item.name: item for item in (*METRICS, *GUARDS)}
    if name not in found:
        raise KeyError(f"no metric called {name!r}; there are {', '.join(found)}")
    return found[name]
