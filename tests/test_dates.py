"""Dates and versions: what is certain is read, what is not is unknown."""

from __future__ import annotations

from datetime import date, datetime

import pytest
from packaging.version import Version

from ragkit.dates import find_effective_date, parse_date, parse_version

THIRD_OF_MARCH = date(2025, 3, 3)


@pytest.mark.parametrize(
    "text",
    [
        "2025-03-03", "2025-3-3", "2025/03/03", "2025.03.03", "2025-03-03T23:30:00Z",
        "2025-03-03 10:00", " 2025-03-03 ", "3 March 2025", "3rd March 2025", "03 Mar 2025",
        "March 3, 2025", "Mar 3 2025", "3-Mar-2025", "Monday, 3 March 2025", "2025 March 3",
        "03/03/2025", date(2025, 3, 3), datetime(2025, 3, 3, 23, 59),
    ],
)  # fmt: skip
def test_a_certain_day_is_read(text) -> None:
    assert parse_date(text) == THIRD_OF_MARCH


@pytest.mark.parametrize(
    ("text", "day"),
    [("14/03/2025", date(2025, 3, 14)), ("03/14/2025", date(2025, 3, 14)),
     ("14.03.2025", date(2025, 3, 14)), ("2024-02-29", date(2024, 2, 29))],
)  # fmt: skip
def test_a_number_above_twelve_settles_the_order(text, day) -> None:
    assert parse_date(text) == day


@pytest.mark.parametrize(
    "text",
    ["2025-03-04/2026-04-04", "2025-03-04 to 2025-03-09",
        "03/04/2025", "3.4.2025", "03-04-2025", "March 2025", "2025-03", "2025", "Q1 2025",
        "3 March 25", "03/03/25", "2025-02-30", "2023-02-29", "March 32, 2025", "2025-13-01",
        "Friday, 3 March 2025", "20250303", "2.4.1", "version 2025", "n/a", "unknown", "today",
        "now", "Monday", "", "   ", "10:30", "12 2025", "3 March 2025 and 4 April 2026",
        "as of 3 March 2025", "3 March 2025 " * 20, None, 20250303, 2025, 3.5, ["2025-03-03"],
    ],
)  # fmt: skip
def test_what_is_not_certain_is_unknown(text) -> None:
    assert parse_date(text) is None


def test_versions_compare_number_by_number() -> None:
    ordered = ["1.9", "v1.10", "Version 2.4.1-rc1", "2.4.1", "2.10", 4, "2026.1"]
    parsed = [parse_version(text) for text in ordered]
    assert parsed == sorted(parsed)
    assert parse_version("v2.4.1") == Version("2.4.1")


@pytest.mark.parametrize(
    "text", ["", "latest", "4.x", "2026-02-01", "2026-02", None, True, 4.1, "two", "1..2"]
)
def test_what_is_no_version_is_unknown(text) -> None:
    assert parse_version(text) is None


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("# Minutes\n\nDate: 3 March 2025\n\nWe met.", THIRD_OF_MARCH),
        ("**Effective date:** 2025-03-03", THIRD_OF_MARCH),
        ("Valid from: March 3, 2025", THIRD_OF_MARCH),
        ("Last updated: 2025-03-03\nEffective: 2025-03-03", THIRD_OF_MARCH),
        ("Last updated: 2025-03-03\nEffective: 2025-03-04", None),
        ("Date: 03/04/2025", None),
        ("The update of 3 March 2025 was late.", None),
        ("Nothing here.", None),
    ],
)
def test_a_labelled_line_dates_a_page(text, day) -> None:
    assert find_effective_date(text) == day
