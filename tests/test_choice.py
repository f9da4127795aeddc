"""What a reader chooses: the kit by name or environment, its price, and questions by their trap."""

from __future__ import annotations

import pytest
from scripted import scripted_kit

from ragkit import choice
from ragkit.config import Prices
from ragkit.evaluation.questions import Question


@pytest.fixture
def made(monkeypatch):
    """Kits that say how they were asked for, in place of real ones."""
    kinds = {kind: lambda kind=kind, **options: (kind, options) for kind in choice.KINDS}
    monkeypatch.setattr(choice, "KINDS", kinds)


@pytest.mark.parametrize(
    ("asked", "environment", "kind"),
    [
        (None, None, "offline"),
        (None, "", "offline"),
        (None, "chat", "chat"),
        (None, " Chat ", "chat"),
        ("offline", "chat", "offline"),
    ],
)
def test_the_kit_is_the_one_asked_for(made, monkeypatch, asked, environment, kind):
    monkeypatch.delenv("RAGKIT_KIT", raising=False)
    if environment is not None:
        monkeypatch.setenv("RAGKIT_KIT", environment)
    assert choice.chosen_kit(asked) == (kind, {})


def test_options_reach_the_kit(made, monkeypatch):
    monkeypatch.delenv("RAGKIT_KIT", raising=False)
    assert choice.chosen_kit(corpus="pages")[1] == {"corpus": "pages"}


def test_a_wrong_name_says_where_it_came_from(made, monkeypatch):
    monkeypatch.setenv("RAGKIT_KIT", "gpt")
    with pytest.raises(ValueError, match="RAGKIT_KIT is 'gpt'; it can be offline or chat"):
        choice.chosen_kit()
    with pytest.raises(ValueError, match="kind is 'magic'"):
        choice.chosen_kit("magic")


def test_an_estimate_counts_every_operation_of_every_run():
    prices = Prices(grade=0.1, generate=1.0)
    assert choice.estimate(10, prices, grade=4, generate=1) == pytest.approx(14.0)
    assert choice.estimate(0, prices, generate=1) == 0
    with pytest.raises(ValueError, match="no price for think; there are route, grade"):
        choice.estimate(1, prices, think=1)


def test_what_it_costs_is_said_before_it_runs(monkeypatch):
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    free = choice.announce(scripted_kit(name="offline: rules"), runs=107, generate=1)
    assert "free" in free.text and "$0.214" in free.text and "rk-good" in free.html
    paid = choice.announce(scripted_kit(name="chat: some-model"), runs=1, generate=1)
    assert "1 question: about $0.002" in paid.text and "rk-maybe" in paid.html
    assert "chat: some-model" in paid.text and "RAGKIT_KIT=chat" in free.text
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    own = choice.announce(scripted_kit(name="chat: own"), runs=1, generate=1)
    assert "1 question: what your server asks for it; about $0.002" in own.text


def test_a_paid_kit_is_asked_less():
    questions = [Question(id=f"q{n}", question="?", trap="plain") for n in range(9)]
    free, paid = scripted_kit(name="offline: rules"), scripted_kit(name="chat: some-model")
    assert len(choice.limited(free, questions, 20, 3)) == 9
    assert [q.id for q in choice.limited(paid, questions, 20, 3)] == ["q0", "q1", "q2"]


def test_the_parts_of_a_kit_are_its_jobs():
    def grader(question, documents):
        """Grade `nothing` at all (A1).

        Ever.
        """

    jobs = {row["job"]: row for row in choice.parts(scripted_kit(grader=grader))}
    assert jobs["grader"] == {
        "job": "grader",
        "who does it": "grader",
        "how": "Grade nothing at all.",
    }
    assert not {"name", "clock", "now"} & set(jobs)


def test_questions_are_listed_by_trap_and_never_lost():
    questions = [
        Question(id="q2", question="word " * 40, trap="stale"),
        Question(id="q3", question="word " * 40, trap="stale"),
        Question(id="q1", question="How much?", trap="plain"),
    ]
    labels = choice.by_trap(questions)
    assert next(iter(labels)) == "plain: How much?" and labels["plain: How much?"].id == "q1"
    assert [question.id for question in labels.values()] == ["q1", "q2", "q3"]
    assert all(len(label) <= 76 for label in labels)
