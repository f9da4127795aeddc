"""The rule layer: what differs for certain, and what may be said in other words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.checks import Unit, mismatches
from ragkit.components.quantities import quantities
from ragkit.components.statements import parse_statement

NAMES = frozenset(["growth", "starter", "scale", "enterprise", "console", "relay", "collector"])
SEAT = "An additional seat costs $15 per month on Starter and Growth and $11 per month on Scale."
ENDPOINTS = "Starter may have 3 endpoints, Growth 15, Scale 60 and Enterprise 200."
PASSWORDS = "Passwords are no longer changed at fixed intervals; they must be changed after a leak."
CODE = "A code by text message is not accepted as a second factor."
USB = "USB storage must not be used for customer data, encrypted or not."
PLAN = Unit(
    text="Plan: Growth; Price per month: $189; Seats included: 15; Read requests per second: 50; "
    "Write requests per second: 100",
    columns=("Plan", "Price per month", "Seats included", "Read requests per second",
             "Write requests per second"),
    cells=("Growth", "$189", "15", "50", "100"),
    context="Plans and pricing Tarnfield",
)  # fmt: skip
ADD_ON = Unit(
    text="Add-on: Single sign-on; Price: $60 per month on Growth; Included in: Scale, Enterprise",
    columns=("Add-on", "Price", "Included in"),
    cells=("Single sign-on", "$60 per month on Growth", "Scale, Enterprise"),
)


def reasons(claim: str, unit: str | Unit) -> list[str]:
    unit = unit if isinstance(unit, Unit) else Unit(unit)
    return [r.partition(":")[0] for r in mismatches(parse_statement(claim), unit, NAMES)]


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("An additional seat costs $15 per month on Growth.", SEAT),
        ("On Scale an extra seat costs 11 dollars a month.", SEAT),
        ("Growth may have 15 endpoints.", ENDPOINTS),
        ("Passwords must be changed after a leak.", PASSWORDS),
        ("Passwords have to be changed after a leak.", PASSWORDS),
        ("A code by text message is refused as a second factor.", CODE),
        ("Text message codes are not accepted.", CODE),
        ("USB storage may not be used for customer data.", USB),
        ("A payment card isn't needed.", "No payment card is needed."),
        ("It lasts two hours.", "It lasts 120 minutes."),
        ("It lasts one year.", "It lasts 12 months."),
        ("The term is at least twelve months.", "The term is no fewer than 12 months."),
        ("It holds 1,000 events.", "It holds up to 1 thousand events."),
        ("It started on March 3, 2025.", "It started on 3 March 2025."),
        ("It started in March 2025.", "It started on 2025-03-03."),
        ("It opened in the 1990s.", "It opened in 1994."),
        ("It sold more than 500,000 copies.", "It sold 757,000 copies."),
        ("The Growth plan costs 189 dollars a month and includes 15 seats.", PLAN),
        ("Growth allows 100 write requests per second.", PLAN),
        ("The cut is 10 percent.", "The cut is 10 %."),
        ("They run without limit.", "They run with no limit."),
        ("A card isn't required.", "No card is needed."),
        ("A batch isn't all or nothing.", "A batch is not all or nothing."),
        ("You need not bring a card.", "No card is required."),
        ("Data cannot be shared.", "Data may not be shared."),
        ("Staff can take a badge home.", "Staff may take a badge home."),
        ("The reason is that Relay isn't.", "The reason is that Relay is not."),
        ("Single sign-on costs $60 a month on Growth and comes with Scale.", ADD_ON),
    ],
)
def test_other_words_for_the_same(claim: str, source: str | Unit) -> None:
    assert reasons(claim, source) == []


@pytest.mark.parametrize(
    ("claim", "source", "reason"),
    [
        ("An additional seat costs $16 per month on Growth.", SEAT, "number"),
        ("An additional seat costs $11 per month on Growth.", SEAT, "number"),
        ("An additional seat costs €15 per month on Growth.", SEAT, "number"),
        ("An additional seat costs $15 per year on Growth.", SEAT, "number"),
        ("Growth may have 60 endpoints.", ENDPOINTS, "number"),
        ("It lasts 7 days.", "It lasts 7 business days.", "number"),
        ("It lasts 30 days.", "It lasts a month, or 4 weeks.", "number"),
        ("Codes must have at most 16 signs.", "Codes must have at least 16 signs.", "number"),
        ("It fits up to 5 MB.", "It fits up to 5 GB.", "number"),
        ("Use version 4.1.", "Use version 4.10.", "number"),
        ("It started on 4 March 2025.", "It started on 3 March 2025.", "date"),
        ("It started in 2024.", "It started on 3 March 2025.", "date"),
        ("It closes at 02:30.", "It closes at 02:00.", "number"),
        ("Paying a week in advance is cheaper.", "Paying a year in advance is cheaper.", "unit"),
        ("Enterprise costs $189 per month.", PLAN, "name"),
        ("Growth costs $640 per month.", PLAN, "number"),
        ("Growth allows 50 write requests per second.", PLAN, "number"),
        ("The Collector makes 12 attempts.", "The Relay makes 12 attempts.", "name"),
        ("ERROR_303 needs a person.", "ERROR_302 needs a person.", "name"),
        ("Passwords must be changed at fixed intervals.", PASSWORDS, "negation"),
        ("A code by text message is accepted as a second factor.", CODE, "negation"),
        ("USB storage may be used for customer data.", USB, "negation"),
        ("A payment card is needed.", "No payment card is needed.", "negation"),
        ("The clock can always be set back.", "The clock can never be set back.", "negation"),
        ("It starts after the renewal.", "It starts before the renewal.", "opposite"),
        ("Passwords may be changed after a leak.", PASSWORDS, "modality"),
        ("Staff must take a badge home.", "Staff may take a badge home.", "modality"),
        ("Staff need not take a badge.", "Staff must not take a badge.", "modality"),
        ("The clock must never go back.", "The clock can never go back.", "modality"),
        ("A card must not be shown.", "No card is required to be shown.", "modality"),
        ("People who don't want it must leave.", "People who don't want it can leave.", "modality"),
        ("They should not pay.", "They should not have to pay.", "modality"),
        ("A batch is all or nothing.", "A batch is not all or nothing.", "negation"),
        ("It is limited to €100.", "It is limited to $100.", "number"),
        ("Browsers are content and Relay is.", "Browsers are content and Relay is not.",
         "negation"),
        ("Code 3 means refused, 3 full and 5 late.", "Code 3 means refused, 4 full and 5 late.",
         "number"),
        ("Single sign-on costs $60 a month on Scale.", ADD_ON, "number"),
    ],
)  # fmt: skip
def test_what_differs_for_certain(claim: str, source: str | Unit, reason: str) -> None:
    assert reason in reasons(claim, source)


def test_a_name_may_stand_in_the_heading_or_before_a_pronoun() -> None:
    source = Unit("It needs 256 MB of memory.", context="Collector", before="")
    assert reasons("The Collector needs 256 MB of memory.", source) == []
    source = Unit("It needs 256 MB of memory.", before="The Collector is small.")
    assert reasons("The Collector needs 256 MB of memory.", source) == []


def test_a_year_does_not_lean_on_the_date_of_the_page() -> None:
    source = Unit("They were moved during 2025.", context="Meters 2026-02-01")
    assert reasons("They were moved during 2026.", source) == ["date"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$189 per month", [(189.0, "usd", "month")]),
        ("USD 640 a month", [(640.0, "usd", "month")]),
        ("7 to 30 days", [(604800.0, "time", ""), (2592000.0, "time", "")]),
        ("15 million events", [(15e6, "", "")]),
        ("10k events and 24h", [(10_000.0, "", ""), (86400.0, "time", "")]),
        ("twice a year", [(2.0, "times", "year")]),
        ("99.9%", [(99.9, "percent", "")]),
        ("ERROR_302 at 10.0.0.1 with v3.1.2 and AES-256", []),
        ("one of them", []),
    ],
)
def test_numbers_are_read_with_unit_and_rate(text: str, expected: list) -> None:
    assert [(one.value, one.unit, one.per) for one in quantities(text)] == expected


@given(st.text(max_size=200), st.text(max_size=200))
def test_any_two_texts_can_be_compared(claim: str, source: str) -> None:
    first = mismatches(parse_statement(claim), Unit(source), NAMES)
    assert first == mismatches(parse_statement(claim), Unit(source), NAMES)
    assert mismatches(parse_statement(source), Unit(source), NAMES) == []
