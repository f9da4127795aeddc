"""What a statement is bound to, and a claim leaves out or adds."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.checks import Unit, mismatches
from ragkit.components.citations import OfflineChecker
from ragkit.components.qualifiers import periods, qualifiers
from ragkit.components.statements import parse_statement

TOO_MUCH = [
    ("Refunds are paid if you cancel within 14 days.", "Refunds are paid.", "condition"),
    ("Sessions stay open unless an admin ends them.", "Sessions stay open.", "condition"),
    ("The fee is due in May; if you cancel, it is returned.", "The fee is returned.", "condition"),
    ("Support is free as long as the contract runs.", "Support is free.", "condition"),
    (
        "Credit is granted on condition that the outage was reported.",
        "Credit is granted.",
        "condition",
    ),
    ("Every plan includes SSO except Starter.", "Every plan includes SSO.", "condition"),
    ("Reportedly, the Relay agent leaks memory.", "The Relay agent leaks memory.", "hearsay"),
    ("Some users say that exports lose rows.", "Exports lose rows.", "hearsay"),
    (
        "The archive is believed to hold ten years of logs.",
        "The archive holds ten years of logs.",
        "hearsay",
    ),
    (
        "The company plans to open a region in Osaka.",
        "The company has opened a region in Osaka.",
        "future",
    ),
    ("SCIM is expected to reach Starter.", "SCIM reaches Starter.", "future"),
    ("Admins can export invoices.", "Only admins can export invoices.", "scope"),
    ("Keys rotate biweekly.", "Keys rotate weekly.", "recurrence"),
    ("Keys rotate every two weeks.", "Keys rotate every week.", "recurrence"),
    ("Audits take place annually.", "Audits take place monthly.", "recurrence"),
    ("Reports are sent every other day.", "Reports are sent daily.", "recurrence"),
    ("Unlike Starter, Growth includes SSO.", "Starter includes SSO.", "contrast"),
    ("Three of the five regions offer failover.", "The five regions offer failover.", "part"),
    ("3 out of 5 regions offer failover.", "All 5 regions offer failover.", "part"),
]
NOT_TOO_MUCH = [
    (
        "Refunds are paid if you cancel within 14 days.",
        "If you cancel within 14 days, refunds are paid.",
    ),
    ("Ask support if the export fails.", "Ask support if the export fails again."),
    ("Restart the agent if necessary.", "Restart the agent."),
    ("Some users say that exports lose rows.", "Users report that exports lose rows."),
    ("The company plans to open a region in Osaka.", "A region in Osaka is planned."),
    ("SCIM is expected to reach Starter.", "SCIM will reach Starter."),
    ("Exports are restricted to admins.", "Only admins can run exports."),
    ("You must be an admin to export.", "You can export only as an admin."),
    ("The plan costs $19.", "The plan costs only $19."),
    ("Keys rotate every 14 days.", "Keys rotate every two weeks."),
    ("Keys rotate every two weeks.", "Keys rotate biweekly."),
    ("Growth costs $49 a month.", "The monthly price of Growth is $49."),
    ("Audits take place every year.", "Audits take place annually."),
    ("Unlike Starter, Growth includes SSO.", "Growth includes SSO."),
    ("Unlike Starter, Growth includes SSO.", "Starter does not include SSO."),
    (
        "Three of the five regions offer failover.",
        "Three of the five regions offer failover today.",
    ),
    ("Three of the five regions offer failover.", "There are five regions."),
    ("Every plan includes SSO except Starter.", "Growth includes SSO."),
    (
        "You may object within 14 days; if no solution is found, the contract ends.",
        "You may object within 14 days.",
    ),
    (
        "The desk sets the severity, and if you disagree, a second person looks at it.",
        "The desk sets the severity.",
    ),
    ("Even if the link is down, events are kept.", "Events are kept."),
]


def kinds(source, claim, asked=""):
    found = qualifiers(parse_statement(claim), parse_statement(source), asked)
    return [reason.partition(":")[0] for reason in found]


@pytest.mark.parametrize(("source", "claim", "kind"), TOO_MUCH)
def test_what_is_left_out_or_added_is_named(source, claim, kind):
    assert kinds(source, claim) == [kind]


@pytest.mark.parametrize(("source", "claim"), NOT_TOO_MUCH)
def test_the_same_in_other_words_is_not_too_much(source, claim):
    assert kinds(source, claim) == []


def test_a_condition_that_the_question_names_need_not_be_said_again():
    source, claim = "Refunds are paid if you cancel within 14 days.", "Refunds are paid."
    assert kinds(source, claim, "Do I get money back if I cancel within 14 days?") == []
    documents = [{"id": "a", "content": source, "metadata": {}}]
    checker = OfflineChecker()
    [free] = checker("Are refunds paid?", "Refunds are paid [1].", documents)
    told = "Are refunds paid when I cancel within 14 days?"
    [bound] = checker(told, "Refunds are paid [1].", documents)
    assert free.support_status == "unsupported" and "condition" in free.reasons[0]
    assert bound.support_status == "supported"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("daily", {(1, 0)}),
        ("every 14 days", {(14, 0)}),
        ("every other week", {(14, 0)}),
        ("every third month", {(0, 3)}),
        ("once a year", {(0, 12)}),
        ("a year ago", set()),
        ("weekly and monthly", {(7, 0), (0, 1)}),
    ],
)
def test_periods_are_days_and_months(text, expected):
    assert periods(text) == expected


def test_a_price_by_the_month_is_read_loosely_only():
    assert periods("$49 a month", loose=True) == {(0, 1)} and periods("$49 a month") == set()


@given(st.text(max_size=80))
def test_any_text_agrees_with_itself(text):
    statement = parse_statement(text)
    assert mismatches(statement, Unit(text), frozenset()) in (
        [],
        ["question: the source only asks"],
    )
    assert "recurrence" not in kinds(text, text) and "contrast" not in kinds(text, text)
