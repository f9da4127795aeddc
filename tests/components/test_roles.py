"""The same words in another order: who does what to whom."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.checks import Unit, mismatches
from ragkit.components.roles import is_converse, swapped_roles
from ragkit.components.statements import parse_statement
from ragkit.components.support import SupportJudge
from ragkit.components.text import word_set

EXCHANGED = [
    ("The customer pays the bank.", "The bank pays the customer."),
    ("Meter replaced Relay in 2024.", "Relay replaced Meter in 2024."),
    ("Alice reports to Bob.", "Bob reports to Alice."),
    ("The limit was raised from 5 to 10 seats.", "The limit was raised from 10 to 5 seats."),
    ("Clock skew causes failed signatures.", "Failed signatures cause clock skew."),
    (
        "First rotate the key, then restart the relay.",
        "First restart the relay, then rotate the key.",
    ),
    ("Ledger replaced Meter.", "Ledger was replaced by Meter."),
    ("Meter was replaced by Ledger.", "Ledger was replaced by Meter."),
    (
        "Exports are copied from Dublin to Frankfurt.",
        "Exports are copied from Frankfurt to Dublin.",
    ),
    ("Owners can remove admins.", "Admins can remove owners."),
    ("Approval comes before deployment.", "Deployment comes before approval."),
    ("Growth costs more than Starter.", "Starter costs more than Growth."),
]
THE_SAME = [
    ("Meter replaced Relay in 2024.", "In 2024, Meter replaced Relay."),
    ("Exports run as CSV, JSON and XML.", "Exports run as XML, JSON and CSV."),
    ("Owners and admins can remove members.", "Admins and owners can remove members."),
    ("Ledger replaced Meter.", "Meter was replaced by Ledger."),
    ("Meter was replaced by Ledger.", "Ledger replaced Meter."),
    ("Approval comes before deployment.", "Deployment comes after approval."),
    ("Growth costs more than Starter.", "Starter costs less than Growth."),
    ("If a payment fails, Relay retries it.", "Relay retries a payment if it fails."),
    ("Before you delete a workspace, export it.", "Export a workspace before you delete it."),
    (
        "The Meter token is the same as the Relay token.",
        "The Relay token is the same as the Meter token.",
    ),
    (
        "Backups are encrypted with AES-256 by default.",
        "By default, backups are encrypted with AES-256.",
    ),
    (
        "Data is replicated between Dublin and Frankfurt.",
        "Data is replicated between Frankfurt and Dublin.",
    ),
]
WORDS = st.lists(
    st.sampled_from(
        sorted(word_set("owner admin relay pays removes from to 5 10 after and is by"))
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.parametrize(("source", "claim"), EXCHANGED)
def test_exchanged_parts_are_found(source, claim):
    reasons = mismatches(parse_statement(claim), Unit(source), frozenset())
    assert reasons, claim


@pytest.mark.parametrize(("source", "claim"), THE_SAME)
def test_another_order_that_says_the_same_is_no_exchange(source, claim):
    assert not swapped_roles(parse_statement(claim), parse_statement(source))
    assert mismatches(parse_statement(claim), Unit(source), frozenset()) == []


def test_the_reason_names_both_parts():
    [reason] = swapped_roles(
        parse_statement("The bank pays the customer."),
        parse_statement("The customer pays the bank."),
    )
    assert reason == "roles: “bank” and “customer” have changed places"


def test_a_converse_turns_one_word_only():
    source = parse_statement("Approval comes before deployment.")
    assert is_converse(parse_statement("Deployment comes after approval."), source)
    assert not is_converse(parse_statement("Approval comes after deployment."), source)
    assert not is_converse(source, source)


def test_a_claim_with_words_of_its_own_is_left_to_the_other_checks():
    said = parse_statement("The customer pays the bank.")
    assert not swapped_roles(parse_statement("The bank pays the vendor."), said)


@given(WORDS)
def test_no_statement_is_exchanged_with_itself(words):
    statement = parse_statement(" ".join(words))
    assert not swapped_roles(statement, statement) and not is_converse(statement, statement)


@pytest.mark.parametrize(("source", "claim"), EXCHANGED[:6])
def test_the_judge_refuses_what_was_exchanged(source, claim):
    document = {"id": "a", "content": source, "metadata": {}}
    judge = SupportJudge()
    assert not judge(claim, document).supported and judge(source, document).supported
