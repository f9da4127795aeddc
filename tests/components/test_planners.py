"""E1: candidates keep every entity, the intent and the action; vague questions are asked back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.intents import changed_action, intent, open_reference
from ragkit.components.planners import Planner, compound_parts, drift
from ragkit.components.text import missing_entities
from ragkit.records import Rejected, Rewrite


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("How do I set up SAML?", "procedure"),
        ("Why does the export fail?", "reason"),
        ("How much does Scale cost?", "amount"),
        ("How many seats are included?", "amount"),
        ("How long is a cursor valid?", "time"),
        ("Who signs it?", "person"),
        ("Where is the ledger?", "place"),
        ("What is a steward?", "definition"),
        ("Can I export it?", "yes-no"),
        ("rate limit writes", ""),
    ],
)
def test_intents(question, name):
    assert intent(question) == name


@pytest.mark.parametrize(
    ("question", "candidate", "reason"),
    [
        ("How do I fix ERROR_302?", "database timeout repair", "drops ERROR_302"),
        ('What does "dead letter" mean in v2.4.1?', '"dead letter" meaning', "drops v2.4.1"),
        ("How do I enable SCIM?", "How do I disable SCIM?", "changes the action"),
        ("How do I enable SCIM?", "Why enable SCIM?", "changes the intent"),
        ("How do I enable SCIM?", "  ", "empty"),
        ("How do I enable SCIM?", "enable SCIM provisioning", ""),
        ("How do I enable SCIM?", "How do I set up SCIM?", ""),
    ],
)
def test_drift_names_what_is_wrong(question, candidate, reason):
    assert (reason in drift(question, candidate)) if reason else drift(question, candidate) == ""


def test_an_action_may_be_named_together_with_its_opposite():
    assert changed_action("enable or disable it", "disable it") == ""
    assert changed_action("upgrade the plan", "downgrade the plan") == "upgrade -> downgrade"


def planner_of(*rewrites):
    queue = list(rewrites)
    return Planner(lambda question, failed, documents: queue.pop(0))


def test_accepted_candidates_come_first_and_rejected_ones_are_kept_with_the_reason():
    lost = Rewrite(query="timeout handling", rejected=(Rejected(query="x", reason="drops y"),))
    [first, *_] = planner_of(lost)("How do I handle ERROR_302 timeouts?", 3)
    assert "error_302" in first.query
    assert {entry.reason for entry in first.rejected} == {"drops y", "it drops ERROR_302"}


def test_nothing_is_proposed_twice_or_above_the_limit():
    proposals = planner_of(Rewrite(query="seat price list"))("What is the price of a seat?", 1)
    assert [p.query for p in proposals] == ["seat price list"]
    again = planner_of(Rewrite(query="seat price list"))(
        "What is the price of a seat?", 3, ["Seat price list?", "price seat"]
    )
    assert [p.query for p in again] == [""] or all("list" not in p.query for p in again)


def test_a_compound_question_is_searched_in_parts():
    question = "How long are raw events kept and who can restore the deleted ones?"
    assert compound_parts(question) == [
        "How long are raw events kept",
        "who can restore the deleted ones",
    ]
    assert compound_parts("What is bread and butter?") == []


@pytest.mark.parametrize(
    ("question", "vague"),
    [
        ("How do I change that security configuration mentioned last week?", True),
        ("How do I change that setting mentioned last week?", True),
        ("Can you undo it?", True),
        ("Is the first option better?", True),
        ("Why does it not work with SCIM?", False),
        ("How do I change that webhook?", False),
        ("", False),
        ("What is a steward?", False),
    ],
)
def test_a_question_that_points_at_nothing_named_is_asked_back(question, vague):
    assert bool(open_reference(question)) == vague
    assert open_reference(question, [{"role": "user", "content": "About SSO"}]) == ""


@given(st.text(max_size=80), st.text(max_size=60))
def test_no_accepted_candidate_ever_drops_an_entity(question, rewritten):
    for proposal in planner_of(Rewrite(query=rewritten))(question, 5):
        assert not proposal.query or not missing_entities(question, proposal.query)
