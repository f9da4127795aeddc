"""Dates and versions as values that can be compared; what cannot be read for sure is unknown."""

from __future__ import annotations

import re
import warnings
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from packaging.version import InvalidVersion, Version

_LONGEST = 60
_YEAR = re.compile(r"(?<!\d)(1[5-9]|20)\d\d(?!\d)")
_OTHER_DATE = re.compile(r"\d{4}-\d{1,2}")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_WEEKDAY = re.compile(rf"\b({'|'.join(_DAYS)})(?:[a-z]*day)?\b", re.IGNORECASE)
_VERSION = re.compile(r"(?:version|release|ver\.?|v)?\s*(\d\S*)", re.IGNORECASE)
_LABEL = re.compile(
    r"^\W*(?:effective(?: date| from| as of)?|valid (?:from|since)|in force (?:from|since)|date"
    r"|published(?: on)?|(?:last )?updated(?: on)?)\W{1,5}(.{6,40}?)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
# two days that share no year, month, day or weekday: what a text leaves open, they fill differently
_FILLS = (datetime(1904, 1, 31), datetime(1999, 10, 8))


def parse_date(text: Any) -> date | None:
    """Return the day a text names, or None when it names none or could mean another.

    Read: `2025-03-04`, with a time or not, `3 March 2025`, `March 3, 2025`, `14/03/2025`. Unknown:
    `03/04/2025` (two readings), `March 2025` and `2025-03` (no day), two-digit years, a
    weekday that does not fit, and anything else. Dates and datetimes pass through. Today's date
    is never filled in.
    """
    if isinstance(text, datetime):
        return text.date()
    if isinstance(text, date):
        return text
    if not isinstance(text, str) or len(text) > _LONGEST or len(_YEAR.findall(text)) != 1:
        return None
    return _only_day(text.strip())


def parse_version(text: Any) -> Version | None:
    """Return a version that compares number by number, so 4.10 is after 4.9; None if unreadable.

    A leading `v` or "version" is dropped. A date is no version, and neither is a float: it cannot
    tell 4.10 from 4.1.
    """
    match = _VERSION.fullmatch(str(text).strip()) if isinstance(text, str | int) else None
    if match is None or isinstance(text, bool) or _OTHER_DATE.match(match[1]):
        return None
    try:
        return Version(match[1])
    except InvalidVersion:
        return None


def find_effective_date(text: str) -> date | None:
    """Return the day from a labelled line such as `Effective: 3 March 2025`, or None.

    Lines with different days, and days inside sentences, do not count.
    """
    days = {day for match in _LABEL.finditer(text) if (day := parse_date(match[1]))}
    return days.pop() if len(days) == 1 else None


@lru_cache(1_024)  # every check asks for the dates of the same few documents
def _only_day(text: str) -> date | None:
    readings = {_read(text, fill, day_first) for fill in _FILLS for day_first in (True, False)}
    day = readings.pop() if len(readings) == 1 else None
    return day if day and _weekday_fits(text, day) else None


def _weekday_fits(text: str, day: date) -> bool:
    named = {match[1].lower() for match in _WEEKDAY.finditer(text)}
    return named <= {_DAYS[day.weekday()]}


def _read(text: str, fill: datetime, day_first: bool) -> date | None:
    from dateutil import parser

    if re.match(r"\d{4}\D", text):
        day_first = False  # after a year comes the month
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # names of time zones do not matter for the day
        try:
            return parser.parse(text, default=fill, dayfirst=day_first).date()
        except (ValueError, OverflowError):
            return None
