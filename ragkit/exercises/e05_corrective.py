"""What is right in notebook 5: the branch, the joined harvests, a search's outcome."""

from __future__ import annotations

from typing import Any

from ragkit.exercises import exercise, expect

_A, _B, _C = ({"id": name, "content": name.upper()} for name in "abc")


@exercise(
    "05-branch",
    wrong=[
        lambda good: "correct" if good > 2 else "ambiguous" if good else "incorrect",
        lambda good: "correct" if good >= 2 else "ambiguous",
        lambda good: "correct" if good else "incorrect",
    ],
)
def _(branch_of: Any) -> None:
    expect(branch_of(2), "correct", "two are enough")
    expect(branch_of(5), "correct", "and so are more")
    expect(branch_of(1), "ambiguous", "one is a beginning")
    expect(branch_of(0), "incorrect", "none")


@exercise(
    "05-join",
    wrong=[
        lambda first, second: first + second,
        lambda first, second: second + [page for page in first if page not in second],
        lambda first, second: [page for page in second if page not in first],
    ],
)
def _(join: Any) -> None:
    expect(join([_B], [_A, _B, _C]), [_B, _A, _C], "b came first, and comes once")
    expect(join([_A], []), [_A], "the second search found nothing")


@exercise(
    "05-outcome",
    wrong=[
        lambda search: _careless(search),
        lambda search: "found" if _called(search) else "empty",
        lambda search: "failed" if not _called(search) else "found",
    ],
)
def _(outcome: Any) -> None:
    expect(outcome(lambda: [_A]), "found", "a list with a page")
    expect(outcome(list), "empty", "an empty list is no failure")
    expect(outcome(lambda: "Error: 401"), "failed", "an error as text")
    expect(outcome(lambda: "Rates rose in May."), "found", "a text that is a page")
    expect(outcome(_broken), "failed", "the tool raised an exception")


def _broken() -> Any:
    raise ConnectionError("no route to host")


def _called(search: Any) -> Any:
    try:
        return search()
    except ConnectionError:
        return None


def _careless(search: Any) -> str:
    try:
        return "found" if search() else "empty"
    except ConnectionError:
        return "failed"
