"""Every incident is caught where its guard sits; without it, it gets out or meets the next."""

from __future__ import annotations

import pytest

from ragkit.config import AuditedConfig
from ragkit.evaluation.drafts import STALE
from ragkit.evaluation.faults import FAULTS
from ragkit.evaluation.guards import GUARDS, without
from ragkit.evaluation.incidents import escapes, planted, play
from ragkit.graphs.audited import build_audited
from ragkit.kit import offline_kit

INCIDENTS = planted()
# where a second guard stands behind the first: the one that must be off as well
BEHIND = {
    "old price list": "citation checker",
    "poisoned page": "verifier",
}
each = pytest.mark.parametrize("name", INCIDENTS)


@pytest.fixture(scope="module")
def kit():
    return offline_kit()


def test_every_guard_is_needed_somewhere_and_sits_in_the_graph(kit):
    assert {incident.guard for incident in INCIDENTS.values()} == set(GUARDS)
    nodes = set(build_audited(kit).get_graph().nodes)
    assert {guard.node for guard in GUARDS.values()} <= nodes


def test_every_kind_of_faulty_draft_is_among_them():
    kinds = {name.removeprefix("draft: ") for name in INCIDENTS if name.startswith("draft: ")}
    assert kinds == {kind.replace("_", " ") for kind in (*FAULTS, STALE)}


@each
def test_with_all_guards_it_is_caught_where_its_guard_sits(kit, name):
    outcome = play(kit, INCIDENTS[name])
    assert outcome.end == f"caught at {GUARDS[INCIDENTS[name].guard].node}", outcome.run.reason


@each
def test_without_its_guard_it_escapes_or_meets_the_next(kit, name):
    incident = INCIDENTS[name]
    outcome = play(kit, incident, (incident.guard,))
    if name.startswith("draft: "):  # whether it also answers the question is the verifier's
        assert outcome.end in ("escaped", "caught at answer_verifier")
        return
    if name not in BEHIND:
        assert outcome.escaped and outcome.end == "escaped"
        return
    assert outcome.end == f"caught at {GUARDS[BEHIND[name]].node}"
    assert play(kit, incident, (incident.guard, BEHIND[name])).escaped


def test_an_endless_loop_ends_at_the_cap_or_at_langgraphs_limit(kit):
    incident = INCIDENTS["endless loop"]
    capped = play(kit, incident)
    assert capped.run.state["retry_count"] == AuditedConfig().max_retries
    endless = play(kit, incident, ("retry cap",))
    assert endless.run is None and "Recursion limit" in endless.error
    assert endless.path.count("retriever") > 10


def test_a_caught_draft_is_followed_by_its_clean_twin(kit):
    outcome = play(kit, INCIDENTS["draft: changed number"])
    assert outcome.run.tag == "verified" and outcome.run.state["retry_count"] == 1
    assert outcome.path.count("answer_generator") == 2


def test_a_busy_judge_is_named_and_nothing_goes_out(kit):
    run = play(kit, INCIDENTS["429 from the judge"]).run
    assert run.waiting and "429 Too Many Requests" in run.reason


def test_no_guard_leaves_kit_and_config_alone(kit):
    assert without(kit, ()) == (kit, AuditedConfig())
    with pytest.raises(KeyError, match="no guard called 'gruard'; there are vague questions"):
        without(kit, ("gruard",))


def test_the_escape_table_has_a_row_an_incident(kit):
    some = [INCIDENTS["vague question"], INCIDENTS["poisoned page"]]
    assert escapes(kit, some) == [
        {"incident": "vague question", "guard": "vague questions",
         "with all guards": "caught at intake", "without it": "escaped"},
        {"incident": "poisoned page", "guard": "citation checker",
         "with all guards": "caught at citation_checker",
         "without it": "caught at answer_verifier"},
    ]  # fmt: skip
