"""Numbers, units, dates and times in a sentence, as values that can be compared.

`agrees` is strict: a value must be the same, in the same unit or in one that converts for certain
(60 minutes are an hour, 12 months a year; a month is not 30 days, a GB not 1,000 MB).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

SMALL = {
    word: value
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {"thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90}
ORDINALS = {
    word: value
    for value, word in enumerate(
        [
            "first",
            "second",
            "third",
            "fourth",
            "fifth",
            "sixth",
            "seventh",
            "eighth",
            "ninth",
            "tenth",
        ],
        start=1,
    )
}
SCALES = {
    "dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9,
    "trillion": 1e12,
}  # fmt: skip
SUFFIXES = {"k": 1e3, "m": 1e6, "bn": 1e9}
TIMES = {
    "once": 1.0, "twice": 2.0, "thrice": 3.0, "halves": 0.5, "halved": 0.5, "doubles": 2.0,
    "doubled": 2.0, "triples": 3.0, "tripled": 3.0, "quadruples": 4.0, "quadrupled": 4.0,
}  # fmt: skip

# unit: (family, how many of the family's base unit); only units of one family convert
UNITS: dict[str, tuple[str, float]] = {
    "ms": ("time", 0.001), "millisecond": ("time", 0.001), "second": ("time", 1.0),
    "sec": ("time", 1.0), "s": ("time", 1.0), "minute": ("time", 60.0), "min": ("time", 60.0),
    "hour": ("time", 3600.0), "h": ("time", 3600.0), "day": ("time", 86400.0),
    "week": ("time", 604800.0), "month": ("months", 1.0), "quarter": ("months", 3.0),
    "year": ("months", 12.0), "percent": ("percent", 1.0), "%": ("percent", 1.0),
    "‰": ("permille", 1.0),
    "$": ("usd", 1.0), "usd": ("usd", 1.0), "dollar": ("usd", 1.0), "€": ("eur", 1.0),
    "eur": ("eur", 1.0), "euro": ("eur", 1.0), "£": ("gbp", 1.0), "gbp": ("gbp", 1.0),
    "¥": ("yen", 1.0), "yen": ("yen", 1.0), "jpy": ("yen", 1.0), "₹": ("inr", 1.0),
    "inr": ("inr", 1.0), "rupee": ("inr", 1.0), "chf": ("chf", 1.0),
    "pound": ("gbp", 1.0), "cent": ("cent", 1.0), "byte": ("byte", 1.0), "kb": ("kb", 1.0),
    "mb": ("mb", 1.0), "gb": ("gb", 1.0), "tb": ("tb", 1.0), "kilobyte": ("kb", 1.0),
    "megabyte": ("mb", 1.0), "gigabyte": ("gb", 1.0), "terabyte": ("tb", 1.0),
    "km": ("km", 1.0), "mile": ("mile", 1.0), "kg": ("kg", 1.0), "metre": ("m", 1.0),
    "meter": ("m", 1.0), "foot": ("foot", 1.0), "feet": ("foot", 1.0), "time": ("times", 1.0),
    "kw": ("power", 1e3), "mw": ("mw", 1.0), "gw": ("power", 1e9), "kwh": ("kwh", 1.0),
    "mwh": ("mwh", 1.0), "khz": ("hertz", 1e3), "mhz": ("mhz", 1.0), "ghz": ("hertz", 1e9),
    "mm": ("length", 0.001), "cm": ("length", 0.01), "mg": ("mg", 1.0),
}  # fmt: skip
PERIODS = {
    "annual": "year", "annually": "year", "daily": "day", "weekly": "week", "monthly": "month",
    "quarterly": "quarter", "yearly": "year", "hourly": "hour",
}  # fmt: skip
MONTHS = {
    name: number
    for number, names in enumerate(
        [
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sep sept",
            "october oct",
            "november nov",
            "december dec",
        ],
        start=1,
    )
    for name in names.split()
}

_NAMED_UNITS = frozenset(
    unit for unit, (family, _) in UNITS.items()
    if len(unit) > 2 and family in ("time", "months", "usd", "eur", "gbp", "kb", "mb", "gb", "tb")
) - {"second", "min", "sec", "quarter", "pound"}  # fmt: skip

_MONTH = r"(?P<{0}>" + "|".join(sorted(MONTHS, key=len, reverse=True)) + r")\.?"
_DATES = [
    re.compile(r"(?<![\w.-])(?P<y>\d{4})-(?P<m>\d{2})(?:-(?P<d>\d{2}))?(?![\w-])"),
    re.compile(
        rf"(?<![\w.])(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?{_MONTH.format('month')}"
        r"(?:,?\s+(?P<y>\d{4}))?(?!\w)",
        re.IGNORECASE,
    ),
    re.compile(
        rf"(?<!\w){_MONTH.format('month')}\s+(?P<d>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<y>\d{{4}}))?(?![\w:])",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w){_MONTH.format('month')},?\s+(?P<y>\d{{4}})(?!\w)", re.IGNORECASE),
    re.compile(
        r"(?<![\w.,$€£:/-])(?P<y>(?:1[5-9]|20)\d\d)"
        r"(?![\w:/%]|[.,]\d|\s(?:ms|[kmgt]b|[kc]?m|mm|kg|mg|[mgk]wh?|[kmg]hz"
        r"|usd|eur|gbp|jpy|chf|dollars?|euros?|pounds?|bytes?)\b)",
        re.IGNORECASE,
    ),
]
_DECADE = re.compile(r"(?<![\w.])((?:1[5-9]|20)\d0) ?[’']?s\b")
_CLOCK = re.compile(r"(?<![\w:.])(\d{1,2}):(\d{2})(?!\w)(?:\s*([ap])\.?m\b)?", re.IGNORECASE)
_HOUR = re.compile(r"(?<![\w:.])(\d{1,2})()\s*([ap])\.?m\b", re.IGNORECASE)
_TOKEN = re.compile(r"[/\w][\w./:@{}+-]*")
_NUMBER_TOKEN = re.compile(
    r"(?:\d+-)?\d[\d.,]*(?:ms|s|sec|min|h|d|k|m|bn|kb|mb|gb|tb|km|kg|st|nd|rd|th)?(?:/[a-z]+)?[.:]?"
    r"|\d+-[a-z]+",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"(?P<minus>(?<![\w)\]])[-−](?=[$€£¥₹\d]))?(?P<sign>[$€£¥₹]|\b(?:USD|EUR|GBP|JPY|INR|CHF)\b)?\s?(?<![\w.])(?P<digits>\d+(?:[,\u00a0\u2009\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?!\d)"
    r"|\b(?P<word>" + "|".join([*SMALL, *TIMES, *ORDINALS, *SCALES]) + r")\b(?P<tens>-\w+)?",
    re.IGNORECASE,
)
_ODD_NUMBER = re.compile("[²³¹⁰⁴-⁹₀-₉¼-¾⅐-⅞①-⓿❶-➓]")
_ATTACHED = re.compile(r"\s?([%‰]|[a-zA-Z]+)?")
_NEXT_WORDS = re.compile(r"[\s-]*([^\W\d_]+|[%‰])?(?:[\s-]+([^\W\d_]+))?(?:[\s-]+([^\W\d_]+))?")
_PER = re.compile(
    r"[^\w;:.]{0,2}(?:\w+[^\w;:.]+){0,3}?(?:per|a|an|each|every|/)\s*"
    r"(second|minute|hour|day|week|month|quarter|year|seat|user|million)\b",
    re.IGNORECASE,
)
_SHARED = re.compile(r"\s*(?:,|to|and|or|–|-|—)+\s*(?:and|or|to)?\s*", re.IGNORECASE)
# what a number is bounded by; "above" and "below" are meant of a value that lies beyond them
_BOUNDS = {
    "min": r"(?:at least|min(?:imum)?(?: of| is)?|(?:no|not) (?:less|fewer) than|from|after)",
    "max": r"(?:at most|up to|max(?:imum)?(?: of| is)?|(?:no|not) (?:more|longer) than|within"
           r"|limited to|before|as many as)",
    "above": r"(?:over|above|exceed(?:s|ed|ing)?|(?:larger|longer|greater|higher|older) than|beyond"
             r"|(?<!no )(?<!not )more than)",
    "exact": r"(?:exactly|precisely)",
    "below": r"(?:under|below|(?:smaller|shorter|younger) than"
             r"|(?<!no )(?<!not )(?:less|fewer) than)",
}  # fmt: skip
_BOUND = re.compile(
    r"\b(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _BOUNDS.items()) + r")\W*$",
    re.IGNORECASE,
)
_SIDE = {"min": 1, "above": 1, "max": -1, "below": -1, "exact": 0, "": 0}
_ONCE = re.compile(r"\s*(?:an?|per|every|each|in|within)\b", re.IGNORECASE)
_SCALE = re.compile(r"[\s-]*(" + "|".join(SCALES) + r")s?\b", re.IGNORECASE)
_SHORT_UNIT = re.compile(r"\s[sh](?!\w|\.\s+[A-Z]|['’])")
_REACH = 26
_WORKING = ("business", "working")


@dataclass(frozen=True)
class Quantity:
    """One number or date: `value` in `unit`'s base, with what it is counted per and its bound.

    `unit` is a family ("time", "usd", …), with "business " before it for business days, or "" where
    no known unit stands beside the number; `plain` is the number as written. `bound` is "min" (at
    least), "max" (up to), "above", "below", "exact" or "". A date has `date` = (year, month,
    day), None for what is not named.
    """

    text: str
    start: int
    end: int
    value: float = 0.0
    plain: float = 0.0
    unit: str = ""
    per: str = ""
    bound: str = ""
    noun: str = ""
    date: tuple[int | None, int | None, int | None] | None = None


@lru_cache(maxsize=8192)
def bare_units(text: str) -> frozenset[str]:
    """Return the units of time, size and money named without a number: "a year in advance"."""
    found = {word.lower() for word in re.findall(r"[A-Za-z]{2,}", text)}
    named = {PERIODS.get(word, word.removesuffix("s")) for word in found}
    return frozenset(named & _NAMED_UNITS)


@lru_cache(maxsize=8192)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Return the numbers, dates and times of a text in reading order; codes are not among them."""
    taken: list[tuple[int, int]] = []
    found: list[Quantity] = []
    for match in _DECADE.finditer(text):
        taken.append(match.span())
        year = float(match[1])
        found.append(Quantity(match[0], *match.span(), value=year, plain=year, unit="decade"))
    for pattern in _DATES:
        for match in pattern.finditer(text):
            if _free(taken, *match.span()):
                taken.append(match.span())
                found.append(_date(match))
    for match in (*_CLOCK.finditer(text), *_HOUR.finditer(text)):
        if _free(taken, *match.span()):
            taken.append(match.span())
            found.append(_clock(match))
    taken += [match.span() for match in _TOKEN.finditer(text) if is_code(match[0])]
    end = 0
    for match in _NUMBER.finditer(text):
        new = match.start() >= end  # the "hundred" of "two hundred" is read with the two
        if new and _free(taken, *match.span()) and (quantity := _number(text, match)):
            found.append(quantity)
            end = quantity.end
    found += [_sign(match) for match in _ODD_NUMBER.finditer(text)]
    return tuple(_share_units(text, sorted(found, key=lambda quantity: quantity.start)))


def is_code(token: str) -> bool:
    """Tell a name such as ERROR_302, v3.1.2, AES-256, /v3/events or 10.0.0.1 from a number."""
    token = token.rstrip(".:-")
    if token.count(".") > 1 and token[0].isdigit():
        return True
    if _NUMBER_TOKEN.fullmatch(token):
        return False
    has_digit = any(char.isdigit() for char in token)
    has_letter = any(char.isalpha() for char in token)
    return (has_digit and has_letter) or "_" in token or token[:1] == "/" or "://" in token


def agrees(claimed: Quantity, found: Quantity) -> bool:
    """Tell whether a claimed quantity is what the evidence says."""
    if claimed.date or found.date:
        return _same_date(claimed, found) or _same_decade(claimed, found)
    if not (_same_value(claimed, found) or _lies_beyond(claimed, found)):
        return False
    if claimed.per and found.per and claimed.per != found.per:
        return False
    if claimed.bound == "exact" and _SIDE[found.bound]:
        return False
    return _SIDE[claimed.bound] * _SIDE[found.bound] >= 0


def missing(claimed: Iterable[Quantity], evidence: Sequence[Quantity]) -> list[Quantity]:
    """Return the claimed quantities that the evidence does not hold.

    A bare number of the claim may not lean on one of the evidence that another number of the claim
    already stands for with its unit.
    """
    taken: set[int] = set()
    lost: list[Quantity] = []
    for one in sorted(claimed, key=lambda quantity: not (quantity.unit or quantity.date)):
        bare = not (one.unit or one.date)
        holders = [
            index
            for index, other in enumerate(evidence)
            if agrees(one, other) and not (bare and other.unit and index in taken)
        ]
        if holders:
            taken.add(holders[0])
        else:
            lost.append(one)
    return sorted(lost, key=lambda quantity: quantity.start)


def _same_value(claimed: Quantity, found: Quantity) -> bool:
    units = {claimed.unit, found.unit}
    known = "" not in units
    if known and len(units) > 1:
        return False
    if units == {""} and "." in claimed.text + found.text:
        return claimed.text == found.text  # 4.10 is not 4.1
    if claimed.unit and not found.unit:
        return False
    return abs(claimed.value - found.value) <= 1e-9 * max(1.0, abs(found.value)) or (
        not known and claimed.plain == found.plain
    )


def _lies_beyond(claimed: Quantity, found: Quantity) -> bool:
    """Tell whether the source gives an exact value that the claim only bounds."""
    if found.bound or claimed.unit != found.unit:
        return False
    if claimed.bound == "above":
        return found.value > claimed.value
    return claimed.bound == "below" and found.value < claimed.value


def _same_date(claimed: Quantity, found: Quantity) -> bool:
    if claimed.date is None or found.date is None:
        year, plain = (claimed.date, found) if claimed.date else (found.date, claimed)
        only_year = year is not None and year[1:] == (None, None)
        return only_year and plain.unit == "" and plain.value == year[0]
    return all(
        mine is None or mine == other for mine, other in zip(claimed.date, found.date, strict=True)
    )


def _same_decade(claimed: Quantity, found: Quantity) -> bool:
    year = found.date[0] if found.date else found.value
    return claimed.unit == "decade" and year is not None and year // 10 == claimed.value // 10


def _free(taken: list[tuple[int, int]], start: int, end: int) -> bool:
    return not any(left < end and start < right for left, right in taken)


def _date(match: re.Match[str]) -> Quantity:
    parts = match.groupdict()
    month = MONTHS[parts["month"].lower()] if parts.get("month") else _int(parts.get("m"))
    date = (_int(parts.get("y")), month, _int(parts.get("d")))
    return Quantity(match[0], *match.span(), date=date)


def _int(digits: str | None) -> int | None:
    return int(digits) if digits else None


def _clock(match: re.Match[str]) -> Quantity:
    hour = int(match[1]) % 12 + 12 * (match[3].lower() == "p") if match[3] else int(match[1])
    return Quantity(match[0], *match.span(), value=hour * 60.0 + int(match[2] or 0), unit="clock")


def _sign(match: re.Match[str]) -> Quantity:
    value = unicodedata.numeric(match[0])
    return Quantity(match[0], *match.span(), value=value, plain=value)


def _number(text: str, match: re.Match[str]) -> Quantity | None:
    end = match.end()
    word = (match["word"] or "").lower()
    if word:
        value = _word_value(word, match["tens"] or "")
    else:
        value = float(re.sub(r"[^\d.]", "", match["digits"])) * (-1 if match["minus"] else 1)
    value, end = _scaled(text, value, end)
    unit, noun, end = _unit(text, end, match["sign"] or "")
    if word == "once" and not _ONCE.match(text, match.end()):
        return None
    if word in ORDINALS:
        unit = "ordinal" if unit == "" or word != "second" else unit
    if word in ("one", "second", "first") and unit in ("", "ordinal"):
        return None  # a pronoun or an order of telling more often than an amount
    family, factor = UNITS.get(unit, (unit, 1.0))
    if word in TIMES and not family:
        family = "times"
    return Quantity(
        text[match.start() : end].strip(),
        match.start(),
        end,
        value=value * factor,
        plain=value,
        unit=f"business {family}" if noun in _WORKING else family,
        per=_per(text, end),
        bound=_bound(text, match.start()),
        noun=noun,
    )


def _word_value(word: str, tens: str) -> float:
    value = SMALL.get(word) or TIMES.get(word) or ORDINALS.get(word) or SCALES.get(word) or 0
    return float(value + SMALL.get(tens.lstrip("-").lower(), 0))


def _scaled(text: str, value: float, end: int) -> tuple[float, int]:
    """Read what multiplies the number: "million", "hundred thousand", an attached k."""
    while match := _SCALE.match(text, end):
        value, end = value * SCALES[match[1].lower()], match.end()
    match = _ATTACHED.match(text, end)
    suffix = (match[1] or "") if match and match.start(1) == end else ""
    if suffix.lower() in SUFFIXES and suffix != "m":
        return value * SUFFIXES[suffix.lower()], match.end()
    return value, end


def _unit(text: str, end: int, sign: str) -> tuple[str, str, int]:
    """Return the unit beside a number, the first word after it, and where the unit ends."""
    match = _NEXT_WORDS.match(text, end)
    words = [word.lower() for word in match.groups() if word]
    first = words[0] if words else ""
    if sign:
        return sign.lower(), first, end
    for index, word in enumerate(words[:2]):
        singular = word if word in UNITS else word.removesuffix("s")
        if singular in UNITS and (index == 0 or first in (*_WORKING, "calendar", "us", "full")):
            letter = len(singular) == 1 and singular != "%" and match.start(1) != end
            if letter and not _SHORT_UNIT.match(text, end):
                break  # "5 h." may be an initial; "5h" and "5 h" are hours
            return singular, first, match.end(index + 1)
    return "", first, end


def _per(text: str, end: int) -> str:
    match = _PER.match(text, end, end + 48)
    if match:
        return match[1].lower()
    following = re.findall(r"[a-z]+", text[end : end + 30].lower())[:2]
    return next((PERIODS[word] for word in following if word in PERIODS), "")


def _bound(text: str, start: int) -> str:
    match = _BOUND.search(text[max(0, start - _REACH) : start].rstrip("$€£¥₹ "))
    return match.lastgroup or "" if match else ""


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Give each number of "7 to 30 days" and "1, 3 and 14 days" the unit of the last."""
    for index in range(len(found) - 2, -1, -1):
        one, following = found[index], found[index + 1]
        between = text[one.end : following.start]
        if one.date or following.date or one.unit or not _SHARED.fullmatch(between):
            continue
        factor = following.value / following.plain if following.plain else 1.0
        found[index] = replace(
            one, unit=following.unit, value=one.plain * factor, per=one.per or following.per
        )
    return found
