"""Does a source support a claim? Rules first, then coverage, then a calibrated probability.

A definite mismatch (number, date, unit, name, negation, modality) makes a claim unsupported,
whatever the score. Words that the source does not cover make it unsupported as well. An offline
component: rules and a small embedding model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ragkit.components.alignment import Encoder
from ragkit.components.checks import Unit, mismatches, names_in
from ragkit.components.evidence import known_names, units
from ragkit.components.statements import Statement, Token, canonical, parse_statement
from ragkit.components.support_features import Pair, make_pair
from ragkit.components.support_model import SupportModel, fitted_model
from ragkit.components.text import word_set
from ragkit.config import SupportConfig
from ragkit.records import Document

# words that speak of the source and not of the matter
FRAMING = word_set(
    "according documentation documented document documents docs page pages policy guide source "
    "sources edition editions version says said state states stated note short summary since "
    "replaced superseded currently per plan section table also overall additionally therefore "
    "today now nowadays meanwhile however furthermore moreover finally specifically following "
    "follows fewer"
)
# where a claim joins two statements: "and" must be followed by what begins a statement
_AND = re.compile(
    r";\s+|,\s+(?:and|but|while|whereas|which|so)\s+"
    r"|\s+(?:and|but|while)\s+(?=(?:the|an?|it|they|this|that|each|every|no|any|is|are|was|were|has|have"
    r"|can|may|must|will|costs?|includes?|lasts?|needs?|takes?|\w+_\w+)\b)",
    re.IGNORECASE,
)
# verbs that lean on their noun: an attempt is made, done or performed
_LIGHT = frozenset(canonical(word).stem for word in ("make", "do", "perform", "conduct"))
_OPPOSITE = ("negation", "opposite", "modality")
_TOO_MUCH = ("detail", "number", "date", "unit", "name")
_LISTED = re.compile(r"(?:,|\band|\bor)\s$", re.IGNORECASE)
_CONFIG = SupportConfig()


@dataclass(frozen=True)
class Judgement:
    """Whether a source supports a claim, how likely the model thinks so, and why not.

    `evidence` is the sentence, item or row of the source that comes nearest.
    """

    supported: bool
    score: float
    reasons: tuple[str, ...] = ()
    evidence: str = ""


@dataclass(frozen=True)
class Fit:
    """How a claim fits one unit: the share that is not covered, and what speaks against it."""

    unit: Unit
    uncovered: float
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class _Priced:
    """A unit and what the claim's words cost against it."""

    unit: Unit
    costs: tuple[Cost, ...]

    @property
    def uncovered(self) -> float:
        """The share of the claim that the unit does not cover, 0..1."""
        return sum(cost.cost for cost in self.costs) / max(1, len(self.costs))


@dataclass(frozen=True)
class _Around:
    """What a claim is read with: what it leans on, the words known as names, the question."""

    context: str
    names: frozenset[str]
    asked: str


@dataclass(frozen=True)
class Cost:
    """What a claim's word costs against one unit, 0..1, and its best cosine there.

    `own`: the unit has the word; `known`: it, its heading or the sentences before it do; `listed`:
    the word follows a comma, "and" or "or", as an item slipped into a list does.
    """

    word: str
    clause: int
    cost: float
    likeness: float
    own: bool
    known: bool
    listed: bool


class SupportJudge:
    """Judges claims against documents; keeps the encoder and the fitted model."""

    def __init__(
        self,
        embedder: Any = None,
        config: SupportConfig = _CONFIG,
        model: SupportModel | None = None,
    ) -> None:
        self.config = config
        self.encoder = Encoder(embedder, config)
        self.model = model or fitted_model()

    def __call__(
        self,
        claim: str,
        document: Document,
        context: str = "",
        documents: Sequence[Document] = (),
        asked: str = "",
    ) -> Judgement:
        """Judge one claim against one document.

        `context` is what the claim leans on (a list's lead-in, the sentence before a pronoun);
        `documents` are all that were shown, read for what is written as a name; `asked` is the
        question, whose conditions the claim need not repeat.
        """
        parts = units(document)
        pair = make_pair(claim, parts, self.encoder)
        score = self.model.probability(pair)
        if pair is None:
            return Judgement(False, 0.0, ("detail: the source has no statement",), "")
        names = known_names([document, *documents])
        around = _Around(context, names, asked)
        fit = self._best_fit(claim, parts, pair, around)
        reasons = list(fit.reasons)
        if reasons and _may_be_two(reasons) and (halves := _halves(claim, names)):
            fits = [self._half_fit(half, parts, around) for half in halves]
            if all(one and not one.reasons for one in fits):
                reasons = []
        if not reasons and score < self.config.least_probability:
            reasons = [f"score: {score:.2f} is below {self.config.least_probability:.2f}"]
        return Judgement(not reasons, score, tuple(reasons), fit.unit.text)

    def parts(self, claim: str, documents: Sequence[Document]) -> list[str]:
        """Cut a claim into two statements where it joins two, else return it whole."""
        return _halves(claim, known_names(documents)) or [claim]

    def _half_fit(self, half: str, parts: Sequence[Unit], around: _Around) -> Fit | None:
        pair = make_pair(half, parts, self.encoder)
        return self._best_fit(half, parts, pair, around) if pair else None

    def _best_fit(self, claim: str, parts: Sequence[Unit], pair: Pair, around: _Around) -> Fit:
        """Return the fit with the unit that covers the claim, or comes nearest to it.

        A unit that covers clearly less than the best one does not count, so that another sentence
        cannot hide a mismatch.
        """
        statement = parse_statement(claim)
        priced = [
            _Priced(unit, tuple(self._costs(statement, around.context, unit, index, pair)))
            for index, unit in enumerate(parts)
        ]
        most = min(one.uncovered for one in priced) + self.config.coverage_margin
        near = [self._fit(statement, one, around) for one in priced if one.uncovered <= most]
        best = min(near, key=lambda fit: (bool(fit.reasons), fit.uncovered, len(fit.reasons)))
        denying = [f for f in near if _contradicts(f.reasons) and f.uncovered <= best.uncovered]
        return denying[0] if denying else best

    def _fit(self, claim: Statement, priced: _Priced, around: _Around) -> Fit:
        unit, costs = priced.unit, priced.costs
        reasons = mismatches(claim, unit, around.names, around.asked)
        reasons += self._substitutes(claim, unit, costs)
        strange = [cost.word for cost in costs if self._is_strange(cost, unit)]
        if strange:
            reasons.append(f"detail: “{' '.join(strange[:4])}” is not in the source sentence")
        reasons += self._bare_clauses(costs)
        if priced.uncovered > self.config.most_uncovered:
            share = f"{priced.uncovered:.0%}"
            reasons.append(f"detail: {share} of the claim is not in the source sentence")
        return Fit(unit, priced.uncovered, tuple(reasons))

    def _costs(
        self, claim: Statement, context: str, unit: Unit, index: int, pair: Pair
    ) -> list[Cost]:
        """Return what each content word costs: 0 if the unit has it, 1 if nothing is like it."""
        own = parse_statement(unit.text).stems
        own |= _LIGHT if own & _LIGHT else frozenset()
        around = parse_statement(unit.context).stems
        headers = {stem for column in unit.columns for stem in parse_statement(column).stems}
        cells = {stem for cell in unit.cells for stem in parse_statement(cell).stems}
        before = parse_statement(unit.before).stems | parse_statement(context).stems
        similar = _similar_words(pair, index)
        low, high = self.config.unlike, self.config.alike
        costs = []
        for token in claim.tokens:
            if _is_framing(token, claim) or token.stem in headers - cells:
                continue
            likeness = similar.get(token.text, 0.0)
            cost = min(1.0, max(0.0, (high - likeness) / (high - low)))
            known = True
            if token.stem in own:
                cost = 0.0
            elif token.stem in around:
                cost = min(cost, self.config.heading_cost)
            elif token.stem in before:
                cost = min(cost, self.config.before_cost)
            else:
                known = False
            listed = bool(_LISTED.search(claim.text, max(0, token.start - 6), token.start))
            own_word = token.stem in own
            costs.append(Cost(token.text, token.clause, cost, likeness, own_word, known, listed))
        return costs

    def _substitutes(self, claim: Statement, unit: Unit, costs: Sequence[Cost]) -> list[str]:
        """Find words that stand between the same neighbours as another, unlike word of the unit."""
        said = parse_statement(unit.text)
        own = {token.stem for token in claim.tokens}
        rivals = {
            _between(said, index): token.text
            for index, token in enumerate(said.tokens)
            if token.content and token.stem not in own
        }
        open_ = {cost.word for cost in costs if not cost.own}
        found = []
        for index, token in enumerate(claim.tokens):
            rival = rivals.get(_between(claim, index)) if token.text in open_ else None
            if rival and self.encoder.likeness(token.text, [rival]) < self.config.synonym:
                found.append(f"word: “{token.text}” stands where the source says “{rival}”")
        return found

    def _is_strange(self, cost: Cost, unit: Unit) -> bool:
        """Tell whether a word is neither in the source nor like anything in the sentence."""
        if cost.known or cost.likeness >= self.config.doubtful:
            return False
        if cost.listed or cost.likeness < self.config.strange:
            return True
        others = [token.text for token in parse_statement(unit.text).tokens if token.content]
        return self.encoder.likeness(cost.word, others) < self.config.strange_alone

    def _bare_clauses(self, costs: Sequence[Cost]) -> list[str]:
        """Name the clauses that the source does not cover."""
        reasons = []
        for clause in sorted({cost.clause for cost in costs}):
            inside = [cost for cost in costs if cost.clause == clause]
            total = sum(cost.cost for cost in inside)
            if len(inside) > 1 and total > self.config.most_uncovered * len(inside):
                words = " ".join(cost.word for cost in inside)
                reasons.append(f"detail: “{words}” is not in the source sentence")
        return reasons


def _contradicts(reasons: Sequence[str]) -> bool:
    """Tell whether a sentence says the opposite and nothing else speaks against it."""
    return bool(reasons) and all(reason.startswith(_OPPOSITE) for reason in reasons)


def _may_be_two(reasons: Sequence[str]) -> bool:
    """Tell whether a claim may only be too much for one sentence, with nothing said wrongly."""
    return all(r.startswith(_TOO_MUCH) and "stands where" not in r for r in reasons)


def _similar_words(pair: Pair, unit: int) -> dict[str, float]:
    """Return for each claim word its best similarity to a word of one unit."""
    columns = pair.evidence.unit_of == unit
    if not columns.any():
        return {}
    best = pair.similarities[:, columns].max(axis=1)
    similar: dict[str, float] = {}
    for word, value in zip(pair.claim.words, best, strict=True):
        similar[word] = max(float(value), similar.get(word, 0.0))
    return similar


def _halves(claim: str, names: frozenset[str]) -> list[str]:
    """Cut a claim at its first "and" or ";" that joins two statements, or return [].

    A second half without a name of its own is said of the names of the first.
    """
    for first, second in _cuts(claim):
        left, right = parse_statement(first), parse_statement(second)
        if min(_weight(left), _weight(right)) < 2:
            continue
        if not names_in(right, names):
            second = f"{' '.join(names_in(left, names)).title()} {second}".strip()
        return [first, second]
    return []


def _cuts(claim: str) -> Iterator[tuple[str, str]]:
    for match in _AND.finditer(claim):
        yield claim[: match.start()], claim[match.end() :]


def _between(statement: Statement, index: int) -> tuple[str, str]:
    """Return the stems before and after a word; "^" and "$" stand for the ends."""
    tokens = statement.tokens
    before = tokens[index - 1].stem if index else "^"
    return before, tokens[index + 1].stem if index + 1 < len(tokens) else "$"


def _is_framing(token: Token, claim: Statement) -> bool:
    """Tell words that carry no matter of their own, and numbers, which have rules of their own."""
    counted = any(one.start <= token.start < one.end for one in claim.quantities)
    return not token.content or counted or token.text.lower() in FRAMING or token.text[0].isdigit()


def _weight(statement: Statement) -> int:
    return sum(token.content for token in statement.tokens)
