"""Documents that contradict each other on what a question is about (E2, E3).

Two statements conflict when they speak of the same thing and give different values, deny what the
other asserts, or oblige where the other allows. Other plans, regions, products, columns and things
counted are other subjects, not conflicts. Rules only, no model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from ragkit.components.checks import Unit, modalities, names_in, polarity, same_words
from ragkit.components.evidence import known_names, units
from ragkit.components.quantities import Quantity, agrees
from ragkit.components.statements import Statement, Token, parse_statement
from ragkit.components.text import stem
from ragkit.components.versions import effective_date, logical_name, version_of
from ragkit.config import ConflictConfig
from ragkit.records import Conflict, Document

_ONLY = re.compile(r"^\W*only\b", re.IGNORECASE)
_ANY = re.compile(r"^\W*(?:any|every|all|each|everybody|anybody)\b", re.IGNORECASE)
_CONFIG = ConflictConfig()


def detect_conflicts(
    question: str, documents: Sequence[Document], config: ConflictConfig = _CONFIG
) -> list[Conflict]:
    """Return the pairs of documents that cannot both hold on what the question asks.

    "temporal" where dates (or versions of one logical document) say which is newer, "hard" where
    nothing does. One record a pair of documents, in the order of their ids; `document_ids`,
    `statements` and `dates` name the older first in a temporal conflict.
    """
    distinct = {document["id"]: document for document in documents}
    names = known_names(distinct.values())
    asked = parse_statement(question)
    relevant = {
        key: [(unit, about) for unit in units(document) if (about := _about(unit, asked, config))]
        for key, document in distinct.items()
    }
    found = []
    for one, other in combinations(sorted(distinct), 2):
        if not _same_scope(distinct[one], distinct[other]):
            continue
        if clash := _clearest(relevant[one], relevant[other], names, config):
            found.append(_record(distinct[one], distinct[other], clash, asked))
    return found


@dataclass(frozen=True)
class Clash:
    """Two statements and why both cannot hold."""

    one: Unit
    other: Unit
    reason: str


def clashes(one: Unit, other: Unit, names: frozenset[str], config: ConflictConfig = _CONFIG) -> str:
    """Return why two statements contradict each other, "" where they do not."""
    first, second = parse_statement(one.text), parse_statement(other.text)
    if same_words(first, second):
        return ""
    if one.is_row or other.is_row:
        return _row_clash(one, other)
    if not _same_subject(first, second, names, config):
        return ""
    for left, right in ((first, second), (second, first)):
        if reasons := [*polarity(left, right), *modalities(left, right)]:
            return reasons[0]
    if _ONLY.match(one.text) and _ANY.match(other.text):
        return "only some, against any"
    if _ANY.match(one.text) and _ONLY.match(other.text):
        return "any, against only some"
    return _value_clash(first, second, config)


def _clearest(
    one: Sequence[tuple[Unit, float]],
    other: Sequence[tuple[Unit, float]],
    names: frozenset[str],
    config: ConflictConfig,
) -> Clash | None:
    """Return the clash between the statements that are most about the question."""
    pairs = sorted(
        ((mine + theirs, left, right) for left, mine in one for right, theirs in other),
        key=lambda pair: -pair[0],
    )
    for _, left, right in pairs:
        if reason := clashes(left, right, names, config):
            return Clash(left, right, reason)
    return None


def _about(unit: Unit, asked: Statement, config: ConflictConfig) -> float:
    """Return how much a statement is about the question, 0 where it is too little to count.

    Where nothing is asked every statement counts.
    """
    wanted, said = _subject(asked), _subject(parse_statement(unit.text))
    if not asked.tokens:
        return float(bool(said))
    shared = len(wanted & said)
    if not wanted or shared < min(config.shared_words, len(wanted)):
        return 0.0
    of_question, of_statement = shared / len(wanted), shared / len(said)
    enough = of_question >= config.shared_share or of_statement >= config.same_subject
    return of_question + of_statement if enough else 0.0


def _subject(statement: Statement) -> set[str]:
    """Return the content stems of a statement, numbers left out; opposites are two words."""
    return {_key(t) for t in statement.tokens if t.content and not t.text[0].isdigit()}


def _key(token: Token) -> str:
    return token.text.lower() if token.opposite else token.stem


def _same_subject(
    first: Statement, second: Statement, names: frozenset[str], config: ConflictConfig
) -> bool:
    mine, theirs = _subject(first), _subject(second)
    shared = mine & theirs
    if len(shared) < config.shared_words or not mine or not theirs:
        return False
    ours, others = set(names_in(first, names)), set(names_in(second, names))
    words = ({t.text.lower() for t in s.tokens} for s in (first, second))
    in_first, in_second = words
    if (ours - in_second) and (others - in_first):
        return False  # each names what the other does not: another plan, region or product
    return len(shared) >= config.same_subject * min(len(mine), len(theirs))


def _value_clash(first: Statement, second: Statement, config: ConflictConfig) -> str:
    """Find two numbers of one kind, said of the same thing, that differ."""
    for left in first.quantities:
        if any(agrees(left, right) or agrees(right, left) for right in second.quantities):
            continue
        for right in second.quantities:
            if any(agrees(right, mine) or agrees(mine, right) for mine in first.quantities):
                continue
            if _comparable(left, right) and _same_lead(first, left, second, right, config):
                return f"{left.text} against {right.text}"
    return ""


def _comparable(left: Quantity, right: Quantity) -> bool:
    if bool(left.date) != bool(right.date) or left.unit != right.unit:
        return False
    if left.per and right.per and left.per != right.per:
        return False
    return bool(left.unit or left.date) or stem(left.noun) == stem(right.noun)


def _same_lead(
    first: Statement, left: Quantity, second: Statement, right: Quantity, config: ConflictConfig
) -> bool:
    """Tell whether the same words lead up to both numbers."""
    mine = _lead(first, left, config.lead_words)
    theirs = _lead(second, right, config.lead_words)
    if not mine or not theirs:
        return not mine and not theirs
    return len(mine & theirs) >= config.same_subject * min(len(mine), len(theirs))


def _lead(statement: Statement, quantity: Quantity, length: int) -> set[str]:
    before = [_key(t) for t in statement.tokens if t.content and t.start < quantity.start]
    return set(before[-length:])


def _row_clash(one: Unit, other: Unit) -> str:
    columns = differing_columns(one, other)
    if not columns:
        return ""
    first = columns[0]
    return f"{one.columns[first]}: {one.cells[first]} against {other.cells[first]}"


def differing_columns(one: Unit, other: Unit) -> list[int]:
    """Compare two table rows: same columns, same first cell; return where their values differ."""
    heads = [[column.casefold() for column in unit.columns] for unit in (one, other)]
    if not (one.is_row and other.is_row) or heads[0] != heads[1]:
        return []
    rows = [[cell.casefold() for cell in unit.cells] for unit in (one, other)]
    pairs = list(zip(*rows, heads[0], strict=False))
    if not pairs or pairs[0][0] != pairs[0][1]:
        return []
    return [index for index, (mine, theirs, _) in enumerate(pairs) if index and mine != theirs]


def _statement(unit: Unit, columns: Sequence[int], asked: Statement) -> str:
    """Return a unit's text; of a row, its first cell and the differing cell that was asked for."""
    if not columns:
        return unit.text
    wanted = _subject(asked)
    overlap = {i: len(wanted & _subject(parse_statement(unit.columns[i]))) for i in columns}
    chosen = max(columns, key=lambda i: (overlap[i], -i))
    return "; ".join(f"{unit.columns[i]}: {unit.cells[i]}" for i in (0, chosen))


def _same_scope(one: Document, other: Document) -> bool:
    """Tell whether two documents speak of the same field: editions do, sibling pages do not.

    Pages of one family ("Data residency: EU", "Data residency: US") share title words and differ in
    others; pages of one title and two products differ in the product.
    """
    if _source(one) == _source(other) and _edition(one) == _edition(other):
        return False  # one page, one edition: its sentences qualify each other
    if logical_name(one) == logical_name(other):
        return True
    first, second = (set(_title(document).split()) for document in (one, other))
    shared = first & second
    return not shared or first < second or second < first


def _title(document: Document) -> str:
    product = (document.get("metadata") or {}).get("product") or ""
    name = logical_name(document)
    drop = {str(product).casefold(), str(product).casefold() + "s"}
    return " ".join(word for word in name.split() if word not in drop)


def _source(document: Document) -> str:
    return str((document.get("metadata") or {}).get("source") or document["id"].partition("#")[0])


def _edition(document: Document) -> tuple[object, object]:
    return effective_date(document), version_of(document)


def _record(one: Document, other: Document, clash: Clash, asked: Statement) -> Conflict:
    columns = differing_columns(clash.one, clash.other)
    pair = [(one, clash.one), (other, clash.other)]
    order = _order(one, other)
    if order > 0:
        pair.reverse()
    older, newer = pair
    dates = tuple(_day(document) for document, _ in pair)
    kind = "temporal" if order else "hard"
    verdict = (
        f"the newer statement ({dates[1] or version_of(newer[0])}) replaces the older"
        if order
        else "nothing says which is newer"
    )
    return Conflict(
        kind=kind,
        subject=(older[0].get("metadata") or {}).get("heading_path") or logical_name(older[0]),
        document_ids=(older[0]["id"], newer[0]["id"]),
        statements=tuple(_statement(unit, columns, asked) for _, unit in pair),
        dates=(dates[0], dates[1]),
        explanation=f"{clash.reason}: {verdict}",
    )


def _day(document: Document) -> str | None:
    day = effective_date(document)
    return day.isoformat() if day else None


def _order(one: Document, other: Document) -> int:
    """Return -1 if the first is surely older, 1 if the second is, 0 if nothing tells."""
    first, second = effective_date(one), effective_date(other)
    if first and second and first != second:
        return -1 if first < second else 1
    if first == second and logical_name(one) == logical_name(other):
        left, right = version_of(one), version_of(other)
        if left and right and left != right:
            return -1 if left < right else 1
    return 0
