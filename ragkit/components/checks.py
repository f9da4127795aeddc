"""The rule layer of the citation checker: what makes a claim differ from a sentence for certain.

Each rule compares a claim with one sentence, list item or table row of the evidence and returns
reasons; no reason means that nothing speaks against it (audited-rollback article, section 5).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ragkit.components.qualifiers import qualifiers, too_wide
from ragkit.components.quantities import UNITS, Quantity, agrees, bare_units, missing
from ragkit.components.roles import is_converse, swapped_roles
from ragkit.components.statements import Statement, Token, parse_statement

_SWITCH = re.compile(
    r"\b(?:is|are|was|were|be|been|turned|switched) (on|off)(?=\s+by default|\s*[.,;]|\s*\Z)",
    re.IGNORECASE,
)
_BOUNDARY = re.compile(r",|;|\band\b|\bbut\b|\bor\b", re.IGNORECASE)
_FINE_PRINT = frozenset(
    [
        "plan",
        "price",
        "product",
        "version",
        "page",
        "section",
        "case",
        "note",
        "table",
        "figure",
        "chapter",
    ]
)


@dataclass(frozen=True)
class Unit:
    """One sentence, list item or table row of a document.

    `context` is what it may lean on: title, product, heading. `before` are the sentences of its
    paragraph before it, which may hold its subject. A row has its `columns` and `cells`.
    """

    text: str
    context: str = ""
    before: str = ""
    columns: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()

    @property
    def is_row(self) -> bool:
        """Whether it is a table row."""
        return bool(self.cells)


def mismatches(
    claim: Statement, unit: Unit, known_names: frozenset[str], asked: str = ""
) -> list[str]:
    """Return the reasons why the unit cannot support the claim, an empty list if there is none.

    `known_names` are the lower-case words that the documents write with a capital within a
    sentence, so that "Growth costs …" is seen to begin with a name. A condition that the question
    `asked` names need not be said again.
    """
    said = parse_statement(unit.text)
    if unit.text.rstrip().endswith("?") and not claim.text.rstrip().endswith("?"):
        return ["question: the source only asks"]
    if same_words(claim, said):
        return []
    reasons = _wrong_numbers(claim, said, unit)
    reasons += _wrong_units(claim, unit)
    reasons += _wrong_names(claim, said, unit, known_names)
    reasons += _wrong_pairing(claim, said, unit, known_names)
    turned = opposites(claim, said)
    reasons += [
        *polarity(claim, said),
        *([] if turned and is_converse(claim, said) else turned),
        *modalities(claim, said),
        *switched(claim, said),
        *too_wide(claim, said),
    ]
    if not unit.is_row:
        reasons += [*swapped_roles(claim, said), *qualifiers(claim, said, asked)]
    return reasons


def same_words(one: Statement, other: Statement) -> bool:
    """Tell whether two statements are the same word by word, signs such as $ and € included."""
    return one.tokens == other.tokens and not missing(one.quantities, other.quantities)


def names_in(claim: Statement, known_names: frozenset[str]) -> list[str]:
    """Return the names of a claim, first words of sentences too where documents know them so."""
    first = [word for word in claim.initials if word in known_names]
    return list(dict.fromkeys([*first, *claim.names]))


def _wrong_numbers(claim: Statement, said: Statement, unit: Unit) -> list[str]:
    """Find numbers and dates that the unit does not hold.

    The date of the page stands behind a full date, and behind a bare year where the unit has none.
    """
    dated = [one for one in parse_statement(unit.context).quantities if one.date]
    own_date = any(one.date for one in said.quantities)
    return [
        f"{'date' if one.date else 'number'}: {one.text} is not what the source says"
        for one in missing(claim.quantities, _available(said, unit))
        if not (
            one.date
            and (one.date[2] or not own_date)
            and any(agrees(one, other) for other in dated)
        )
    ]


def _available(said: Statement, unit: Unit) -> list[Quantity]:
    """Return the numbers a claim may use: the unit's own, and those of its title and heading."""
    around = [one for one in parse_statement(unit.context).quantities if not one.date]
    if not unit.is_row:
        return [*said.quantities, *around]
    cells = [_with_column(cell, column) for cell, column in _named_cells(unit)]
    columns = [one for column in unit.columns for one in parse_statement(column).quantities]
    return [*(one for cell in cells for one in cell), *columns, *around]


def _named_cells(unit: Unit) -> Iterator[tuple[str, str]]:
    for index, cell in enumerate(unit.cells):
        yield cell, unit.columns[index] if index < len(unit.columns) else ""


def _with_column(cell: str, column: str) -> list[Quantity]:
    """Read a cell's numbers with what its column says they are counted in and per."""
    read = parse_statement(f"{cell} {column.lower()}").quantities
    return [one for one in read if one.start < len(cell)]


def _wrong_units(claim: Statement, unit: Unit) -> list[str]:
    around = " ".join((unit.text, *unit.columns, unit.context))
    strange = bare_units(claim.text) - bare_units(around)
    spelled = {one.unit for one in parse_statement(around).quantities}
    strange = {name for name in strange if UNITS[name][0] not in spelled}
    return [f"unit: “{name}” is not in the source" for name in sorted(strange)]


def _wrong_names(
    claim: Statement, said: Statement, unit: Unit, known_names: frozenset[str]
) -> list[str]:
    """Find names that the unit does not hold, or that stand where it holds another."""
    own = _words(said)
    around, before = _words(parse_statement(unit.context)), _words(parse_statement(unit.before))
    claimed = _words(claim)
    others = [
        name
        for name in names_in(said, known_names)
        if not _holds(claimed, name) and not _is_column(name, unit)
    ]
    reasons = []
    for name in names_in(claim, known_names):
        if _holds(own, name):
            continue
        rival = next((other for other in others if _same_place(claim, name, said, other)), None)
        if rival:
            reasons.append(f"name: {name} stands where the source says {rival}")
        elif not (
            _holds(around, name) or (_holds(before, name) and not others and not unit.is_row)
        ):
            reasons.append(f"name: {name} is not in the source sentence")
    return reasons


def _words(statement: Statement) -> set[str]:
    return {token.text.lower() for token in statement.tokens} | statement.stems


def _same_place(claim: Statement, name: str, said: Statement, other: str) -> bool:
    """Tell whether two words have the same neighbour before or after them."""
    mine, theirs = _neighbours(claim, name), _neighbours(said, other)
    return any(pair[0] == rival[0] or pair[1] == rival[1] for pair in mine for rival in theirs)


def _neighbours(statement: Statement, name: str) -> list[tuple[str, str]]:
    stems = ["^", *(token.stem for token in statement.tokens), "$"]
    words = ["^", *(token.text.lower().removesuffix("'s") for token in statement.tokens), "$"]
    return [
        (stems[index - 1], stems[index + 1])
        for index, word in enumerate(words)
        if word.rstrip(".:/") == name and 0 < index < len(words) - 1
    ]


def _is_column(name: str, unit: Unit) -> bool:
    return any(name in column.lower().split() for column in unit.columns)


def _holds(words: set[str] | frozenset[str], name: str) -> bool:
    return name in words or name.removesuffix("s") in words or name + "s" in words


def _wrong_pairing(
    claim: Statement, said: Statement, unit: Unit, known_names: frozenset[str]
) -> list[str]:
    """Check that a number is said of the name or column that the source says it of."""
    names = set(names_in(claim, known_names))
    if unit.is_row:
        return [*_wrong_column(claim, unit), *_wrong_cell(claim, unit, names, known_names)]
    reasons = _said_twice(claim, said)
    for number in claim.quantities:
        segments = _segments(said, number)
        mine = [stems for quantity, stems in segments if agrees(number, quantity)]
        others = [stems for quantity, stems in segments if not agrees(number, quantity)]
        if not mine or not others:
            continue
        told = [stems for quantity, stems in _segments(claim, number) if quantity == number]
        own = set().union(*mine)
        for name in sorted(names & told[0] if told else names):
            if name not in own and any(name in stems for stems in others):
                reasons.append(f"number: {number.text} is not said of {name}")
    return reasons


def _said_twice(claim: Statement, said: Statement) -> list[str]:
    """Find a number that a claim puts in two places, of which the source has another in one."""
    reasons = []
    for number, times in Counter((q.value, q.unit) for q in claim.quantities if not q.date).items():
        alike = [q for q in said.quantities if not q.date and q.unit == number[1]]
        known = [q.value == number[0] for q in alike]
        claimed = {(q.value, q.unit) for q in claim.quantities}
        passed_over = any((q.value, q.unit) not in claimed for q in alike)
        if 0 < sum(known) < times and passed_over:
            reasons.append(f"number: {number[0]:g} is said more often than in the source")
    return reasons


def _wrong_cell(
    claim: Statement, unit: Unit, names: set[str], known_names: frozenset[str]
) -> list[str]:
    """Find a number whose cell names one thing while the claim names that of another cell."""
    cells = [parse_statement(cell) for cell in unit.cells]
    named = [{*names_in(cell, known_names)} for cell in cells]
    reasons = []
    for number in claim.quantities:
        holders = [
            index
            for index, cell in enumerate(cells)
            if any(agrees(number, one) for one in cell.quantities)
        ]
        if len(holders) != 1 or holders[0] == 0:
            continue
        own = named[holders[0]]
        others = set().union(*(found for i, found in enumerate(named) if i not in (0, holders[0])))
        if own and not own & names and (strange := sorted((names & others) - named[0])):
            reasons.append(f"number: {number.text} is not said of {strange[0]}")
    return reasons


def _segments(said: Statement, number: Quantity) -> list[tuple[Quantity, set[str]]]:
    """Cut a sentence that lists several numbers of a kind into what is said of each.

    "3 on Starter and 5 on Growth" and "Starter 3, Growth 5" are both cut between the pairs.
    """
    alike = [one for one in said.quantities if one.date is None and _same_kind(one, number)]
    if len(alike) < 2:
        return []
    cuts = [0]
    for left, right in pairwise(alike):
        between = [m.start() for m in _BOUNDARY.finditer(said.text, left.end, right.start)]
        if not between:
            cuts.append(left.end)
            continue
        last = said.text[between[-1] : right.start].split()
        leads = len(last) <= 1 or (len(last) == 2 and last[1] in ("$", "€", "£"))
        cuts.append(between[-1] if leads else between[0])
    cuts.append(len(said.text))
    return [
        (one, {t.text.lower() for t in said.tokens if start <= t.start < end})
        for one, start, end in zip(alike, cuts, cuts[1:], strict=False)
    ]


def _same_kind(one: Quantity, other: Quantity) -> bool:
    return one.unit == other.unit or "" in (one.unit, other.unit)


def _wrong_column(claim: Statement, unit: Unit) -> list[str]:
    headers = [parse_statement(column).stems - _FINE_PRINT for column in unit.columns]
    words = claim.stems
    reasons = []
    for number in claim.quantities:
        holders = [
            index for index, (cell, column) in enumerate(_named_cells(unit))
            if any(agrees(number, one) for one in [*parse_statement(cell).quantities,
                                                   *_with_column(cell, column)])
        ]  # fmt: skip
        if not holders or 0 in holders:
            continue
        own = set().union(*[headers[i] for i in holders if i < len(headers)])
        others = [h for i, h in enumerate(headers) if i not in holders and i > 0]
        if any(words & (h - own) and own - h and not words & (own - h) for h in others):
            reasons.append(f"number: {number.text} stands in another column")
    return reasons


def polarity(claim: Statement, said: Statement) -> list[str]:
    """Compare what is denied, clause by clause, over the words that both share.

    A word clashes when one side denies it and the other only asserts it; the subject of a negated
    clause is neither. Clashes must outvote the words that agree and make half of what the clause
    says; in a draw its last word decides, which is nearer to what is asserted.
    """
    for clause in sorted({token.clause for token in claim.tokens}):
        tokens = [t for t in claim.tokens if t.clause == clause and _counts(t, said)]
        votes = [(token, vote) for token in tokens if (vote := _vote(token, said)) is not None]
        clashes = [token.text for token, vote in votes if vote < 0]
        agreeing = sum(vote > 0 for _, vote in votes)
        decided = len(clashes) > agreeing or (
            len(clashes) == agreeing and bool(votes) and votes[-1][1] < 0
        )
        if clashes and decided and 2 * len(clashes) >= len(votes):
            return [f"negation: the source says the opposite of “{' '.join(clashes[:4])}”"]
    return _asserted_denial(claim, said)


def _asserted_denial(claim: Statement, said: Statement) -> list[str]:
    """Find a negated clause of the source whose denied words the claim asserts, all of them."""
    asserted = {t.stem for t in claim.tokens if not (t.denied or t.subject)}
    denied_too = {t.stem for t in claim.tokens if t.denied}
    elsewhere = {t.stem for t in said.tokens if not t.denied}
    for clause in sorted({token.clause for token in said.tokens if token.denied}):
        inside = [t for t in said.tokens if t.clause == clause and t.content]
        denied = {t.stem for t in inside if t.denied} - elsewhere
        subject = {t.stem for t in inside if t.subject}
        if denied and denied <= asserted - denied_too and (not subject or subject & asserted):
            return [f"negation: the source denies “{' '.join(sorted(denied)[:4])}”"]
    return []


def denials(claim: Statement, said: Statement) -> list[int]:
    """Return the votes of the claim's content words: -1 clashes, 1 agrees, 0 is unknown."""
    tokens = [token for token in claim.tokens if _counts(token, said)]
    return [vote for token in tokens if (vote := _vote(token, said)) is not None]


def _counts(token: Token, said: Statement) -> bool:
    """Tell whether a word has a vote: content, or a word that is all the source denies."""
    denied = any(t.denied and t.content and t.stem == token.stem for t in said.tokens)
    return (token.content or denied) and not token.subject


def _vote(token: Token, said: Statement) -> int | None:
    """Return -1 for a clash, 1 for agreement, 0 for an unknown word, None for a subject."""
    same = [other for other in said.tokens if other.stem == token.stem]
    if not same:
        return 0
    if any(other.denied == token.denied and not other.subject for other in same):
        return 1
    return None if all(other.subject for other in same) and not token.denied else -1


def opposites(claim: Statement, said: Statement) -> list[str]:
    """Find a word where the source has only its opposite: "before" for "after"."""
    for token in claim.tokens:
        polarity = token.opposite != token.denied
        found = [other for other in said.tokens if other.stem == token.stem]
        literal = any(other.opposite == token.opposite for other in found)
        if found and not literal and all(polarity != (o.opposite != o.denied) for o in found):
            return [f"opposite: “{token.text}”, but the source says “{found[0].text}”"]
    return []


def switched(claim: Statement, said: Statement) -> list[str]:
    """Find what the claim calls on and the source off, or the other way round."""
    claimed, source = (
        {word.lower() for word in _SWITCH.findall(one.text)} for one in (claim, said)
    )
    if claimed and source and not claimed & source:
        return [f"opposite: “{claimed.pop()}”, but the source says “{source.pop()}”"]
    return []


def modalities(claim: Statement, said: Statement) -> list[str]:
    """Compare "may" with "must", "must not" with "need not", modal by modal.

    The words that a modal of the claim shares with the source say what that obliges them to; most
    votes count, and in a draw the two agree.
    """
    for clause, claimed in sorted({(t.clause, t.modality) for t in claim.tokens if t.modality}):
        votes: Counter[str] = Counter()
        for token in claim.tokens:
            if (token.clause, token.modality) == (clause, claimed) and token.content:
                kinds = {other.modality for other in said.tokens if other.stem == token.stem}
                same = {kind for kind in kinds if _oblige_alike(claimed, kind)}
                if found := min(same or kinds - {""}, default=""):
                    votes[found] += 1
        if not votes:
            continue
        found, _ = max(votes.items(), key=lambda vote: (vote[1], _oblige_alike(claimed, vote[0])))
        if not _oblige_alike(claimed, found):
            return [f"modality: “{claimed}”, the source says “{found}”"]
    return []


def _oblige_alike(one: str, other: str) -> bool:
    """Tell whether two modals say the same; "may not" forbids and also tells what cannot be."""
    if one == other:
        return True
    return "may not" in (one, other) and ("must not" in (one, other) or "cannot" in (one, other))
