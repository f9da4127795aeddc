"""Judges on a chat model: rules before calls, claims joined by label, everything fails closed."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from langchain_core.messages import AIMessage
from scripted import doc

from ragkit.components.chat_judges import ChatChecker, ChatGrounder
from ragkit.components.chat_verifier import ChatVerifier
from ragkit.components.citations import OfflineChecker
from ragkit.components.endpoint import Chat
from ragkit.config import ChatConfig
from ragkit.records import Conflict
from ragkit.scripted import ScriptedChat

DOCS = [doc("a", "Refunds take 5 days."), doc("b", "Seats cost 9 USD."), doc("c", "Limits are 10.")]
DRAFT = "Refunds take 5 days [1]. Seats cost 9 USD [2]."


def chat(*replies: Any, **config: Any) -> Chat:
    return Chat(ScriptedChat(replies=list(replies)), ChatConfig(backoff_seconds=0, **config))


def checks(*verdicts: tuple[Any, Any, Any], **more: Any) -> dict[str, Any]:
    names = ("claim_id", "supported", "confidence")
    return {"checks": [dict(zip(names, verdict, strict=True)) for verdict in verdicts], **more}


def sent(of: Chat, call: int = -1) -> str:
    return of.model.asked[call][-1].text


GOOD = checks(("c1", "yes", 0.9), ("c2", "yes", 0.8))
FAILURES = [
    ([AIMessage(content="", additional_kwargs={"refusal": "no"})], "refused"),
    ([AIMessage(content="", response_metadata={"finish_reason": "length"})], "truncated"),
    ([AIMessage(content="", response_metadata={"finish_reason": "content_filter"})], "filtered"),
    ([{"checks": []}] * 2, "invalid"),
    ([{"score": 0.95}] * 2, "invalid"),
    (["It is all supported."] * 3, "missing"),
    ([ConnectionError("down")] * 2, "transport"),
]


def check(*replies: Any, draft: str = DRAFT) -> list[tuple[Any, str, str]]:
    found = ChatChecker(chat(*replies))("q", draft, DOCS)
    return [(s.citation_id, s.support_status, s.outcome) for s in found]


def test_each_claim_is_checked_against_what_it_cites() -> None:
    asked = chat(checks(("c1", "yes", 0.9), ("c2", "no", 0.8)))
    first, second = ChatChecker(asked)("q", DRAFT, DOCS)
    assert (first.claim, first.evidence_text) == ("Refunds take 5 days.", "Refunds take 5 days.")
    assert (first.support_status, first.fix_required, first.score) == ("supported", False, 0.9)
    assert (second.support_status, second.risk_level) == ("unsupported", "high")
    assert (second.fix_required, second.score) == (True, pytest.approx(0.2))
    assert "Limits are 10" not in sent(asked)
    assert 'label="c1" cites="1"' in sent(asked)
    assert [s.usage.calls for s in (first, second)] == [1, 0]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        (checks(("C2", "Yes.", "0.8"), ("c1", "yes", 1)),
         [("supported", "ok"), ("supported", "ok")]),
        (checks(("c1", "yes", 1)), [("supported", "ok"), ("unsupported", "missing")]),
        (checks(("c1", "yes", 1), ("c1", "no", 1), ("c2", "yes", 1)),
         [("unsupported", "invalid"), ("supported", "ok")]),
        (checks(("c1", "yes", 0.1), ("c2", "yes", 1)),
         [("unsupported", "invalid"), ("supported", "ok")]),
        (checks(("c1", "probably", 1), ("c2", "yes", 95), ("c9", "yes", 1)),
         [("unsupported", "invalid"), ("unsupported", "invalid")]),
    ],
)  # fmt: skip
def test_checks_join_by_label_and_fail_closed(reply: Any, expected: Any) -> None:
    assert [(status, outcome) for _, status, outcome in check(reply)] == expected


@pytest.mark.parametrize(("replies", "outcome"), FAILURES)
def test_a_judge_that_does_not_answer_supports_nothing(replies: list[Any], outcome: str) -> None:
    assert check(*replies) == [(1, "unsupported", outcome), (2, "unsupported", outcome)]


@pytest.mark.parametrize("label", ["[4]", "[0]", "[99999999999]", "[1, 7]"])
def test_a_label_that_names_no_document_costs_no_call(label: str) -> None:
    asked = chat()
    found = ChatChecker(asked)("q", f"Refunds take 5 days {label}. Seats cost 9 USD [2].", DOCS)
    assert {s.support_status for s in found} == {"fabricated"}
    assert all(s.fix_required for s in found)
    assert asked.model.asked == []


def test_a_statement_without_a_marker_is_uncited_and_the_rest_is_still_checked() -> None:
    found = check(checks(("c1", "yes", 1)), draft="Refunds take 5 days. Seats cost 9 USD [2].")
    assert found == [(None, "uncited", "ok"), (2, "supported", "ok")]


def test_each_of_several_markers_is_judged_by_itself() -> None:
    found = check(checks(("c1", "yes", 1), ("c2", "no", 1)), draft="Refunds take 5 days [1][2].")
    assert found == [(1, "supported", "ok"), (2, "unsupported", "ok")]


@pytest.mark.parametrize(
    ("one", "two", "both", "expected"),
    [
        ("part", "part", "yes", ["supported", "supported"]),
        ("part", "no", "yes", ["supported", "unsupported"]),
        ("part", "part", "no", ["unsupported", "unsupported"]),
        ("part", "part", "part", ["unsupported", "unsupported"]),
        ("yes", "part", "yes", ["supported", "supported"]),
        ("no", "no", "yes", ["unsupported", "unsupported"]),
        ("part", "part", "sure", ["unsupported", "unsupported"]),
    ],
)
def test_labels_may_support_a_claim_together(
    one: str, two: str, both: str, expected: list[str]
) -> None:
    draft = "Refunds take 5 days and seats cost 9 USD [1][2]."
    asked = chat(checks(("c1", one, 1), ("c2", two, 1), ("c3", both, 1)))
    assert [s.support_status for s in ChatChecker(asked)("q", draft, DOCS)] == expected
    assert 'label="c3" cites="1 2"' in sent(asked)


class Rules:
    """Rules that find one definite difference, for label 1."""

    def contradictions(self, _question: str, _claim: Any, _documents: Any) -> dict[int, str]:
        return {1: "number: 6 is not 5"}


def test_a_definite_difference_overrules_the_model() -> None:
    found = ChatChecker(chat(GOOD), Rules())("q", DRAFT, DOCS)
    assert [(s.support_status, s.score) for s in found] == [
        ("unsupported", 0.0),
        ("supported", 0.8),
    ]
    assert found[0].reasons == ("number: 6 is not 5",)
    judged = ChatGrounder(chat({**GOOD, "answered": "yes"}), Rules())("q", DRAFT, DOCS)
    assert [s.support_status for s in judged.claims] == ["unsupported", "supported"]
    assert not judged.passed


@pytest.mark.parametrize("judge", [ChatChecker, ChatGrounder])
def test_the_rules_look_while_the_model_is_asked(judge: Any) -> None:
    looked = threading.Event()

    class Watched(Rules):
        def contradictions(self, *asked: Any) -> dict[int, str]:
            looked.set()
            return super().contradictions(*asked)

    def replied(_messages: Any) -> Any:
        assert looked.wait(10), "the rules waited for the model"
        return {**GOOD, "answered": "yes"}

    found = judge(chat(replied), Watched())("q", DRAFT, DOCS)
    claims = found.claims if judge is ChatGrounder else found
    assert [s.support_status for s in claims] == ["unsupported", "supported"]


def test_the_kits_rules_see_a_changed_number_that_the_model_lets_pass() -> None:
    draft = "Refunds take 6 days [1]. Seats cost 9 USD [2]."
    checker = ChatChecker(chat(GOOD), OfflineChecker())
    assert [s.support_status for s in checker("q", draft, DOCS)] == ["unsupported", "supported"]


def test_many_claims_go_in_groups_and_one_group_that_fails_loses_only_its_own() -> None:
    draft = " ".join(f"Refunds take {n} days [1]." for n in range(1, 6))
    asked = chat(GOOD, ConnectionError("x"), ConnectionError("x"), checks(("c1", "yes", 1)),
                 claims_per_call=2, max_concurrency=1)  # fmt: skip
    found = ChatChecker(asked)("q", draft, DOCS)
    assert [s.outcome for s in found] == ["ok", "ok", "transport", "transport", "ok"]


def test_a_draft_without_claims_asks_nothing() -> None:
    asked = chat()
    assert ChatChecker(asked)("q", "", DOCS) == []
    assert asked.model.asked == []


def ground(*replies: Any, answer: str = DRAFT) -> tuple[bool, bool, str]:
    judged = ChatGrounder(chat(*replies))("q", answer, DOCS)
    return judged.grounded, judged.useful, judged.outcome


def test_an_answer_is_grounded_and_useful() -> None:
    asked = chat({**GOOD, "answered": "yes"})
    judged = ChatGrounder(asked)("What do seats cost?", DRAFT, DOCS)
    assert judged.passed
    assert [s.support_status for s in judged.claims] == ["supported"] * 2
    assert "Limits are 10" in sent(asked)
    assert "What do seats cost?" in sent(asked)
    assert judged.usage.calls == 1


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ({**GOOD, "answered": "no"}, (True, False, "ok")),
        (checks(("c1", "yes", 1), ("c2", "no", 1), answered="yes"), (False, True, "ok")),
        (checks(("c1", "yes", 1), answered="yes"), (False, True, "ok")),
    ],
)
def test_grounding_is_about_every_claim_and_the_question(reply: Any, expected: Any) -> None:
    assert ground(reply) == expected


@pytest.mark.parametrize("reply", [GOOD, {**GOOD, "answered": 0.9}, {"answered": "yes"}])
def test_half_a_verdict_is_none(reply: Any) -> None:
    assert ground(reply, reply) == (False, False, "invalid")


@pytest.mark.parametrize(("replies", "outcome"), FAILURES)
def test_a_grounding_that_is_not_judged_has_not_passed(replies: list[Any], outcome: str) -> None:
    assert ground(*replies) == (False, False, outcome)


@pytest.mark.parametrize("answer", ["", "What do you mean?", "It costs 9 [4]."])
def test_nothing_to_judge_or_a_made_up_label_costs_no_call(answer: str) -> None:
    asked = chat()
    assert not ChatGrounder(asked)("q", answer, DOCS).passed
    assert asked.model.asked == []


VERDICT = {"resolved": "yes", "complete": "yes", "conflict_explained": "yes", "passed": "yes"}
OLD_NEW = Conflict(
    kind="temporal", subject="price of a seat", document_ids=("a", "b"),
    statements=("A seat costs 7.", "A seat costs 9."), dates=("2023-01-01", "2026-01-01"),
)  # fmt: skip


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ({}, "passed"),
        ({"resolved": "no", "passed": "no"}, "retrieval_failed"),
        ({"complete": "no", "passed": "no"}, "retrieval_failed"),
        ({"conflict_explained": "no", "passed": "no"}, "citation_failed"),
    ],
)
def test_a_verdict_names_where_to_go(said: Any, status: str) -> None:
    assert ChatVerifier(chat({**VERDICT, **said}))("q", DRAFT, DOCS).status == status


@pytest.mark.parametrize(
    "said", [{**VERDICT, "passed": "no"}, {**VERDICT, "resolved": "no"}, {"score": 0.95}, {}]
)
def test_a_verdict_that_contradicts_itself_passes_nothing(said: Any) -> None:
    verdict = ChatVerifier(chat(said, said))("q", DRAFT, DOCS)
    assert (verdict.status, verdict.outcome) == ("citation_failed", "invalid")


def test_a_verifier_sees_the_conflict_with_its_dates() -> None:
    asked = chat(VERDICT)
    ChatVerifier(asked)("q", DRAFT, DOCS, [OLD_NEW])
    assert "2023-01-01: A seat costs 7.\n2026-01-01: A seat costs 9." in sent(asked)


def test_a_draft_that_states_nothing_needs_no_model() -> None:
    asked = chat()
    assert ChatVerifier(asked)("q", "What do you mean?", DOCS).status == "retrieval_failed"
    assert asked.model.asked == []


def test_a_hard_conflict_needs_no_model() -> None:
    asked = chat()
    hard = OLD_NEW.model_copy(update={"kind": "hard", "dates": (None, None)})
    assert ChatVerifier(asked)("q", DRAFT, DOCS, [OLD_NEW, hard]).status == "conflict"
    assert asked.model.asked == []
