"""Contradiction in bare text: a score beside the rules.

`detect_conflicts` goes by what is known of documents: title, product, date, edition. A bare text
has none of these, names stand in the place of names and nothing is written twice alike; there a
score decides, from the small embedding model, at a threshold with few false alarms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from ragkit.components.answer_types import answer_type
from ragkit.components.checks import Unit
from ragkit.components.conflicts import detect_conflicts
from ragkit.components.evidence import text_units
from ragkit.components.quantities import agrees
from ragkit.components.statements import parse_statement
from ragkit.components.support import SupportJudge
from ragkit.components.support_features import make_pair
from ragkit.config import ConflictConfig
from ragkit.records import Conflict, Document

_CONFIG = ConflictConfig()
_KNOWN = ("title", "product", "heading_path", "effective_date", "version")


class OfflineConflicts:
    """Finds documents that contradict each other: by rules, and by score where texts are bare."""

    def __init__(
        self,
        embedder: Any = None,
        judge: SupportJudge | None = None,
        config: ConflictConfig = _CONFIG,
    ) -> None:
        self._embedder = embedder
        self._judge = judge
        self.config = config

    @cached_property
    def judge(self) -> SupportJudge:
        """The judge of statements, loaded when the first two bare texts are compared."""
        return self._judge or SupportJudge(self._embedder)

    def __call__(self, question: str, documents: Sequence[Document]) -> list[Conflict]:
        """Return the conflicts that the rules find, then those of bare texts that score high."""
        found = detect_conflicts(question, documents, self.config)
        known = {frozenset(conflict.document_ids) for conflict in found}
        return [*found, *self._scored(question, documents, known)]

    def _scored(
        self, question: str, documents: Sequence[Document], known: set[frozenset[str]]
    ) -> Iterator[Conflict]:
        bare = {d["id"]: d for d in documents if _is_bare(d)}
        least = self.config.asked_score if question.strip() else self.config.unasked_score
        for one, other in combinations(sorted(bare), 2):
            if frozenset((one, other)) in known:
                continue
            texts = bare[one]["content"], bare[other]["content"]
            score = conflict_score(question, *texts, self.judge)
            if score >= least:
                yield Conflict(
                    kind="hard",
                    subject=question.strip() or one,
                    document_ids=(one, other),
                    statements=statements(question, *texts, self.judge),
                    dates=(None, None),
                    explanation=f"score {score:.2f}: they say different things, undated",
                )


def _is_bare(document: Document) -> bool:
    metadata = document.get("metadata") or {}
    return not any(metadata.get(key) for key in _KNOWN)


def statements(question: str, one: str, other: str, judge: SupportJudge) -> tuple[str, str]:
    """Return the sentence of each text that speaks most of the question, or of the other text."""
    pair = (text_units(one), other), (text_units(other), one)
    first, second = (_chosen(question.strip() or rest, units, judge).text for units, rest in pair)
    return first, second


def conflict_score(question: str, one: str, other: str, judge: SupportJudge) -> float:
    """Return 0..1, how likely two texts contradict each other.

    With a question: both are close to it and give other values or names as its answer. Without one:
    they are close to each other and neither supports the other.
    """
    first, second = text_units(one), text_units(other)
    if not first or not second:
        return 0.0
    mine = _chosen(question or other, first, judge)
    theirs = _chosen(question or one, second, judge)
    if question:
        apart = _answers_apart(question, one, other)
        return _closeness(question, mine, theirs, judge) * (1.0 + 2.0 * apart) / 3.0
    support = max(
        judge.model.probability(make_pair(theirs.text, first, judge.encoder)),
        judge.model.probability(make_pair(mine.text, second, judge.encoder)),
    )
    return _closeness(question, mine, theirs, judge) * (1.0 - support)


def _answers_apart(question: str, one: str, other: str) -> float:
    """Return 0..1, how little the possible answers of two texts have in common.

    A question for an amount or a day is answered by numbers, any other by names; what the question
    says itself is no answer. With nothing to compare, 0.5.
    """
    asked, left, right = (parse_statement(text) for text in (question, one, other))
    if answer_type(question) in ("when", "number", "money"):
        mine, theirs = (
            [q for q in said.quantities if not any(agrees(q, known) for known in asked.quantities)]
            for said in (left, right)
        )
        if not mine or not theirs:
            return 0.5
        shared = sum(any(agrees(q, r) or agrees(r, q) for r in theirs) for q in mine)
        return 1.0 - min(1.0, shared / min(len(mine), len(theirs)))
    known = {token.text.lower() for token in asked.tokens}
    names, rivals = (set(said.names) - known for said in (left, right))
    if not names or not rivals:
        return 0.5
    return 1.0 - len(names & rivals) / min(len(names), len(rivals))


def _chosen(about: str, units: tuple[Unit, ...], judge: SupportJudge) -> Unit:
    wanted = judge.encoder.encode(about).mean
    return max(units, key=lambda unit: float(judge.encoder.encode(unit.text).mean @ wanted))


def _closeness(question: str, one: Unit, other: Unit, judge: SupportJudge) -> float:
    """Return how much both statements are about the same, 0..1."""
    left, right = (judge.encoder.encode(unit.text).mean for unit in (one, other))
    close = max(0.0, float(left @ right))
    if not question:
        return close
    asked = parse_statement(question).stems
    told = [parse_statement(unit.text).stems & asked for unit in (one, other)]
    wanted = judge.encoder.encode(question).mean
    near = min(max(0.0, float(np.dot(vector, wanted))) for vector in (left, right))
    return close * near if all(told) else 0.5 * close * near
