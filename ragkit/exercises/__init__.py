"""Exercises that tell right from wrong, and never break a run-through.

A notebook gives a signature, a docstring and a body of `...`, and hands the reader's version to
`check`, which shows a green, red or grey card. What is right is said here, one file a notebook:

    @exercise("03-cap", wrong=[lambda n: n - 1])
    def _(retrievals):
        expect(retrievals(1), 1, "max_iterations=1 still retrieves once")

`wrong` holds answers that a reader might give; a test hands each to its check, so that a check
which lets everything through is found.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

from ragkit.show.page import Picture
from ragkit.show.parts import note

Judge = Callable[[Any], None]
_KNOWN: dict[str, Exercise] = {}


@dataclass(frozen=True)
class Exercise:
    """A check by its id, with answers that it must refuse."""

    id: str
    judge: Judge
    wrong: tuple[Any, ...]


@dataclass(frozen=True, repr=False)
class Result(Picture):
    """A card; `solved` is True, False, or None for an exercise that nobody has begun."""

    solved: bool | None = None


class Wrong(Exception):
    """An answer that is not right, with a message that helps."""


class Unsolved(Exception):
    """An answer that is not there yet."""


def exercise(exercise_id: str, wrong: Sequence[Any]) -> Callable[[Judge], Judge]:
    """Register a check by an id of its own. Raises ValueError without a wrong answer."""
    if not wrong:
        raise ValueError(f"check {exercise_id!r} needs a wrong answer that it refuses")

    def register(judge: Judge) -> Judge:
        if exercise_id in _KNOWN:
            raise ValueError(f"two checks are called {exercise_id!r}")
        _KNOWN[exercise_id] = Exercise(exercise_id, judge, tuple(wrong))
        return judge

    return register


def check(exercise_id: str, answer: Any) -> Result:
    """Judge an answer, mostly a function, and return a card.

    The answer's own errors end up on the card. Raises ValueError for an id that has no check.
    """
    known = exercises()
    if exercise_id not in known:
        raise ValueError(f"no exercise called {exercise_id!r}; there are {', '.join(known)}")
    try:
        if answer is None or answer is ...:
            raise Unsolved
        known[exercise_id].judge(answer)
    except (Unsolved, NotImplementedError):
        return _card("muted", "Not solved yet", "Fill in your version and run the cell.", None)
    except Wrong as problem:
        return _card("bad", "Not right yet", str(problem), False)
    except Exception as error:
        return _card("bad", "It stopped with an error", _where(error), False)
    return _card("good", "Right", f"Exercise {exercise_id} is solved.", True)


def expect(got: Any, wanted: Any, message: str) -> None:
    """Refuse what differs from what is wanted, saying both; `...` and None are not begun yet."""
    if got is ... or (got is None and wanted is not None):
        raise Unsolved
    if got != wanted:
        raise Wrong(f"{message}: expected `{wanted!r}`, got `{got!r}`")


def require(holds: bool, message: str) -> None:
    """Refuse an answer for which something does not hold, saying what."""
    if not holds:
        raise Wrong(message)


def exercises() -> dict[str, Exercise]:
    """Return all exercises by id, in the order of the notebooks."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return dict(sorted(_KNOWN.items()))


def _where(error: Exception) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    line = f" (line {frames[-1].lineno} of `{frames[-1].name}`)" if frames else ""
    return f"`{type(error).__name__}`: {error}{line}"


def _card(tone: str, title: str, message: str, solved: bool | None) -> Result:
    card = note(message, tone, title)
    return Result(card.html, card.text, solved)
