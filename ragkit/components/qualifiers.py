"""What a statement is bound to: a condition, hearsay, a plan, a part of a whole, how often.

A claim that drops such a word says more than its source, in the source's own words. Rules of the
citation checker (audited-rollback article, section 5).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragkit.components.quantities import ORDINALS, SMALL
from ragkit.components.statements import Statement, parse_statement
from ragkit.components.text import word_set

_HEARSAY = re.compile(
    r"\b(?:reportedly|allegedly|supposedly|purportedly|apparently|rumou?red|rumou?rs?|unconfirmed"
    r"|(?:is|are|was|were) (?:widely )?(?:said|claimed|believed|thought|alleged) to"
    r"|it (?:is|was) (?:widely )?(?:said|claimed|believed|thought|alleged) that"
    r"|(?:some|many|critics|users|customers|people|forum posts?) (?:\w+ )?"
    r"(?:say|claim|believe|think|suspect|report) that)\b",
    re.IGNORECASE,
)
_TOLD = re.compile(
    r"\b(?:reported(?:ly)?|reports?|alleged(?:ly)?|supposed(?:ly)?|apparently|purportedly|rumou?r\w*"
    r"|unconfirmed|says?|said|claim(?:s|ed)?|believed?|thought|think|suspect(?:s|ed)?"
    r"|according to|may|might|could)\b",
    re.IGNORECASE,
)
_PLAN = re.compile(
    r"\b(?:(?:planned|planning) (?:to|for)|(?:is|are|was|were) planned|proposed|on the roadmap"
    r"|(?:plans|intends?|aims|hopes?) to|(?:is|are) (?:expected|scheduled|due|going) to"
    r"|(?:is|are) (?:considering|proposed))\b",
    re.IGNORECASE,
)
_PLANNED = re.compile(
    r"\b(?:plan(?:s|ned|ning)?|inten(?:ds?|tion)|aim(?:s|ed)?|hopes?|expect(?:s|ed)?|scheduled|due"
    r"|going to|consider\w*|propos\w+|roadmap|will|upcoming|future|soon|later)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(r"\b(?:only|solely|exclusively)\b(?!\s+[$€£]?\d)", re.IGNORECASE)
_NARROW = re.compile(
    r"\b(?:only|solely|exclusively|just|alone|sole|exclusive|limited|restricted|reserved|except|other"
    r"|unless|until|without|must|needs?|requires?|required|nothing|nobody|no one|not|never|no"
    r"|cannot|single|one)\b",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"(?P<lead>\w+\s+)?\b(?P<word>if|unless|provided(?: that)?|providing|as long as|so long as"
    r"|on (?:the )?condition that|in case(?: of)?)\s+(?P<rest>[^,;.]+)",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:except(?: for| on| in)?|apart from|other than|excluding)\s+(?P<rest>[^,;.]+)",
    re.IGNORECASE,
)
# where another statement begins, with conditions of its own
_PARTS = re.compile(r";|,\s+(?:and|but|so)\s")
# "ask if" asks; "even if" binds nothing; "as if" compares
_NO_CONDITION = word_set(
    "ask asks asked asking check checks checked checking see sees know knows wonder wonders tell "
    "tells told confirm confirms verify verifies determine determines decide decides even as"
)
_COURTESY = word_set("any so not needed necessary possible wanted wish like prefer want desired")
_ALL = word_set("all every each everyone everything always entirely completely fully")
_SOME = word_set(
    "some most many several few partly partially usually often sometimes mostly generally "
    "typically nearly almost rarely occasionally"
)
_UNIVERSAL = _ALL | {"any"}
_CONTRAST = re.compile(
    r"\b(?:unlike|in contrast (?:to|with)|as opposed to|contrary to)\s+(?P<rest>[^,;.]+)",
    re.IGNORECASE,
)
_COUNT = r"\d+|" + "|".join(SMALL)
_PART = re.compile(
    rf"\b(?P<part>{_COUNT}) (?:out )?of (?:the |its |our |their |all )?(?P<whole>{_COUNT})\b"
    r"(?!\s*(?:%|percent))",
    re.IGNORECASE,
)

# how long it takes until it happens again: (days, months)
Period = tuple[float, float]
_EVERY: dict[str, Period] = {
    "hourly": (1 / 24, 0), "daily": (1, 0), "nightly": (1, 0), "weekly": (7, 0),
    "biweekly": (14, 0), "bi-weekly": (14, 0), "fortnightly": (14, 0), "monthly": (0, 1),
    "bimonthly": (0, 2), "bi-monthly": (0, 2), "quarterly": (0, 3), "half-yearly": (0, 6),
    "semiannual": (0, 6), "semiannually": (0, 6), "semi-annual": (0, 6), "semi-annually": (0, 6),
    "yearly": (0, 12), "annual": (0, 12), "annually": (0, 12), "biennial": (0, 24),
}  # fmt: skip
_SPAN: dict[str, Period] = {
    "hour": (1 / 24, 0), "day": (1, 0), "night": (1, 0), "week": (7, 0), "fortnight": (14, 0),
    "month": (0, 1), "quarter": (0, 3), "year": (0, 12),
}  # fmt: skip
_EVERY_WORD = re.compile(rf"\b(?:{'|'.join(sorted(_EVERY, key=len, reverse=True))})\b", re.I)
_EVERY_SPAN = re.compile(
    rf"\b(?P<each>every|each|once an?|once every|an?|per)\s+"
    rf"(?:(?P<count>{_COUNT}|other|{'|'.join(ORDINALS)})\s+)?(?P<span>{'|'.join(_SPAN)})s?\b",
    re.IGNORECASE,
)


def qualifiers(claim: Statement, said: Statement, asked: str = "") -> list[str]:
    """Return what the source binds its statement to and the claim leaves out, or adds.

    `asked` is the question: a condition that it names need not be said again.
    """
    return [
        *_hearsay(claim, said),
        *_plans(claim, said),
        *_added_only(claim, said),
        *_recurrence(claim, said),
        *_contrast(claim, said),
        *_part_of_a_whole(claim, said),
        *_conditions(claim, said, asked),
    ]


def _hearsay(claim: Statement, said: Statement) -> list[str]:
    found = _HEARSAY.search(said.text)
    if found and not _TOLD.search(claim.text):
        return [f"hearsay: the source only says “{found[0]}”"]
    return []


def _plans(claim: Statement, said: Statement) -> list[str]:
    found = _PLAN.search(said.text)
    if found and not _PLANNED.search(claim.text):
        return [f"future: the source says “{found[0]}”"]
    return []


def _added_only(claim: Statement, said: Statement) -> list[str]:
    found = _ONLY.search(claim.text)
    if found and not _NARROW.search(said.text):
        return [f"scope: “{found[0].lower()}” is not in the source"]
    return []


def too_wide(claim: Statement, said: Statement) -> list[str]:
    """Find "all" or "always" in a claim where the source says only "some" or "usually"."""
    claimed, source = _low(claim), _low(said)
    wide = sorted(claimed & _ALL)
    if wide and not claimed & _SOME and source & _SOME and not source & _ALL:
        return [f"scope: “{wide[0]}”, the source says “{sorted(source & _SOME)[0]}”"]
    return []


def _low(statement: Statement) -> set[str]:
    return {token.text.lower() for token in statement.tokens}


def periods(text: str, loose: bool = False) -> set[Period]:
    """Return how often a text says that things happen, as (days, months) until the next time.

    `loose` reads "a month" and "per month" too, as in a price.
    """
    found = {_EVERY[match[0].lower()] for match in _EVERY_WORD.finditer(text)}
    for match in _EVERY_SPAN.finditer(text):
        if match["each"].lower() in ("a", "an", "per") and (not loose or match["count"]):
            continue
        days, months = _SPAN[match["span"].lower()]
        times = _times(match["count"])
        found.add((days * times, months * times))
    return found


def _times(count: str | None) -> float:
    word = (count or "1").lower()
    if word == "other":
        return 2
    return float(SMALL.get(word) or ORDINALS.get(word) or (word if word.isdigit() else 1))


def _recurrence(claim: Statement, said: Statement) -> list[str]:
    claimed, source = periods(claim.text), periods(said.text)
    if claimed and source and not claimed <= source | periods(said.text, loose=True):
        return ["recurrence: the source says another interval"]
    return []


def _contrast(claim: Statement, said: Statement) -> list[str]:
    """Find what the source says of another than the one it contrasts with: "Unlike X, Y …"."""
    if _CONTRAST.search(claim.text) or any(token.denied for token in claim.tokens):
        return []
    for match in _CONTRAST.finditer(said.text):
        other = _content(match["rest"])
        own = _content(said.text[: match.start()] + said.text[match.end() :])
        first = next((t.stem for t in claim.tokens if t.content), "")
        if other and other <= claim.stems and first in other - own:
            return [f"contrast: the source says it of others than “{match['rest'].strip()}”"]
    return []


def _part_of_a_whole(claim: Statement, said: Statement) -> list[str]:
    """Find the whole in a claim where the source speaks of a part: "three of the five regions"."""
    for match in _PART.finditer(said.text):
        part, whole = _number(match["part"]), _number(match["whole"])
        counted = {one.plain for one in claim.quantities}
        rest = _content(said.text[match.end() :])
        if whole in counted and part not in counted and 2 * len(rest & claim.stems) > len(rest):
            return [f"part: the source says “{match[0]}”"]
    return []


def _number(word: str) -> float:
    return float(SMALL[word.lower()]) if word.lower() in SMALL else float(word)


def _conditions(claim: Statement, said: Statement, asked: str) -> list[str]:
    known = claim.stems | parse_statement(asked).stems
    for word, condition in _bound_to(claim, said):
        wanted = _content(condition)
        if wanted and 2 * len(wanted & known) < len(wanted):
            return [f"condition: the source adds “{word} {condition.strip()}”"]
    return []


def _bound_to(claim: Statement, said: Statement) -> Iterator[tuple[str, str]]:
    """Yield the conditions of the part of the sentence that the claim repeats, word and rest."""
    content = {token.stem for token in claim.tokens if token.content}
    universal = bool(_UNIVERSAL & _low(claim))
    for part in _PARTS.split(said.text):
        if 2 * len(content & _content(part)) < len(content):
            continue
        for match in _CONDITION.finditer(part):
            lead, rest = (match["lead"] or "").strip().lower(), match["rest"].lower().split()
            if lead not in _NO_CONDITION and not _COURTESY & {*rest}:
                yield match["word"], match["rest"]
        for match in _EXCEPTION.finditer(part) if universal else ():
            yield match[0].removesuffix(match["rest"]).strip(), match["rest"]


def _content(text: str) -> set[str]:
    return {token.stem for token in parse_statement(text).tokens if token.content}
