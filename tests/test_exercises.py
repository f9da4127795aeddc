"""Exercise cards: right, wrong, not begun, and never an exception into the notebook."""

from __future__ import annotations

import pytest

from ragkit import exercises
from ragkit.exercises import check, exercise, expect, require


@pytest.fixture
def doubling(monkeypatch):
    monkeypatch.setattr(exercises, "_KNOWN", {})
    monkeypatch.setattr(exercises, "iter_modules", lambda path: [])

    @exercise("t-double", wrong=[lambda n: n])
    def _(double):
        expect(double(2), 4, "twice two")
        require(double(0) == 0, "zero stays zero")


@pytest.mark.parametrize(
    ("answer", "solved", "words"),
    [
        (lambda n: 2 * n, True, "Right"),
        (lambda n: n + 1, False, "twice two: expected `4`, got `3`"),
        (lambda n: n + 2, False, "zero stays zero"),
        (lambda n: 1 / 0, False, "ZeroDivisionError"),
        (lambda: 4, False, "TypeError"),
        (lambda n: ..., None, "Not solved yet"),
        (lambda n: None, None, "Not solved yet"),
        (None, None, "Not solved yet"),
        (..., None, "Not solved yet"),
    ],
)
def test_the_card_says_how_it_stands(doubling, answer, solved, words):
    card = check("t-double", answer)
    assert card.solved is solved and words in repr(card)


def test_a_stub_that_raises_is_not_begun(doubling):
    def double(n):
        raise NotImplementedError

    assert check("t-double", double).solved is None


def test_colour_word_and_icon_go_together(doubling):
    assert "rk-good" in check("t-double", lambda n: 2 * n).html
    assert "✕" in check("t-double", lambda n: n).html


def test_an_unknown_exercise_is_the_authors_mistake(doubling):
    with pytest.raises(ValueError, match="no exercise called 't-triple'; there are t-double"):
        check("t-triple", 3)


def test_a_check_must_be_able_to_fail(doubling):
    with pytest.raises(ValueError, match="needs a wrong answer"):
        exercise("t-free", wrong=[])
    with pytest.raises(ValueError, match="two checks are called"):
        exercise("t-double", wrong=[1])(lambda answer: None)


def test_a_readers_text_is_no_markup(doubling):
    card = check("t-double", lambda n: "<script>alert(1)</script>")
    assert "<script" not in card.html


def test_every_check_refuses_its_wrong_answers():
    for known in exercises.exercises().values():
        for answer in known.wrong:
            assert check(known.id, answer).solved is False, (known.id, answer)
