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
        ("Growth was -5%.", "Growth was −5 percent."),
        ("It lasts 5-10 days.", "It lasts 5 to 10 days."),
        ("The limit is 1,000 requests.", "The limit is 1\u202f000 requests."),
        ("A dozen seats are included.", "12 seats are included."),
        ("Two dozen seats are included.", "24 seats are included."),
        ("A hundred seats are included.", "100 seats are included."),
        ("Up to 5 seats are included.", "Exactly 5 seats are included."),
        ("It doubled last year.", "It grew twice last year."),
        ("It closes at 2 pm.", "It closes at 14:00."),
        ("Retries are common.", "Retries are not uncommon."),
        ("Rotation is off by default.", "Rotation is switched off by default."),
        ("All plans include SSO.", "Every plan includes SSO."),
        ("Is SSO included?", "Is SSO included?"),
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
        ("A lock is permanent.", "A lock is temporary.", "opposite"),
        ("Relay accepts inbound mail.", "Relay accepts outbound mail.", "opposite"),
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
        ("Growth was -5%.", "Growth was 5%.", "number"),
        ("The balance is −$5.", "The balance is $5.", "number"),
        ("The price is ¥4900.", "The price is $4900.", "number"),
        ("The share is 5‰.", "The share is 5%.", "number"),
        ("The disk draws 5 kW.", "The disk draws 5 MW.", "number"),
        ("The clock runs at 3 MHz.", "The clock runs at 3 GHz.", "number"),
        ("The limit is 10² requests.", "The limit is 10³ requests.", "number"),
        ("The ratio is ½.", "The ratio is ¼.", "number"),
        ("The limit is ③ requests.", "The limit is 2 requests.", "number"),
        ("A dozen seats are included.", "10 seats are included.", "number"),
        ("Several hundred seats fit.", "Several thousand seats fit.", "number"),
        ("Exactly 5 seats are included.", "Up to 5 seats are included.", "number"),
        ("It doubles the limit.", "It triples the limit.", "number"),
        ("It closes at 2 pm.", "It closes at 2 am.", "number"),
        ("Rotation is on by default.", "Rotation is off by default.", "opposite"),
        ("The link is secure.", "The link is insecure.", "negation"),
        ("Retries are uncommon.", "Retries are not uncommon.", "negation"),
        ("Few customers use it.", "Many customers use it.", "opposite"),
        ("Data is kept on Starter.", "It is false that data is kept on Starter.", "negation"),
        ("SSO is included on Starter.", "Neither SSO nor SCIM is included on Starter.",
         "negation"),
        ("SSO is included on the Starter plan.", "SSO is included except on the Starter plan.",
         "negation"),
        ("All plans include SSO.", "Some plans include SSO.", "scope"),
        ("Backups always run at night.", "Backups usually run at night.", "scope"),
        ("SSO is included.", "Is SSO included?", "question"),
        ("SSO is included.", "SSO is included?", "question"),
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


@pytest.mark.parametrize(
    ("source", "claim", "fits"),
    [
        ("A call takes 0.02 s at most.", "A call takes 20 ms at most.", True),
        ("Sessions last 8 h, then end.", "Sessions last 8 hours, then end.", True),
        ("An upload may have 1500 MB.", "An upload may have 1500 MB at most.", True),
        ("An upload may have 1500 MB.", "An upload may have 1600 MB.", False),
        ("An upload may have 2000 MB.", "It dates from the year 2000.", False),
    ],
)
def test_short_units_and_years_are_told_apart(source, claim, fits):
    assert (mismatches(parse_statement(claim), Unit(source), frozenset()) == []) is fits
