"""What a reader chooses: which kit thinks, what that would cost, and which question is asked."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import fields
from textwrap import shorten
from typing import Any

from ragkit.config import Prices
from ragkit.evaluation.questions import Question
from ragkit.kit import Kit, chat_kit, offline_kit

KINDS = {"offline": offline_kit, "chat": chat_kit}
_NO_JOBS = {"name", "clock", "now"}


def chosen_kit(kind: str | None = None, **options: Any) -> Kit:
    """Return the kit named by `kind`, else by the environment's RAGKIT_KIT, else the offline one.

    `options` go to `offline_kit` or `chat_kit`. Raises ValueError for another name.
    """
    wanted = (kind or os.environ.get("RAGKIT_KIT") or "offline").strip().casefold()
    if wanted not in KINDS:
        where = "kind" if kind else "RAGKIT_KIT"
        raise ValueError(f"{where} is {wanted!r}; it can be {' or '.join(KINDS)}")
    return KINDS[wanted](**options)


def parts(kit: Kit) -> list[dict[str, str]]:
    """Return the jobs of a kit with who does each and how, in the kit's order."""
    jobs = [field.name for field in fields(kit) if field.name not in _NO_JOBS]
    found = [(job, getattr(kit, job)) for job in jobs]
    return [
        {"job": job, "who does it": _name(who), "how": _first_line(who)}
        for job, who in found
        if who is not None
    ]


def by_trap(questions: Iterable[Question], length: int = 70) -> dict[str, Question]:
    """Return questions by a label for a dropdown, "trap: question", in the order of the traps.

    Long questions are cut; equal labels get the question's id.
    """
    labels: dict[str, Question] = {}
    for question in sorted(questions, key=lambda q: (q.trap, q.id)):
        label = shorten(f"{question.trap}: {question.question}", length, placeholder=" …")
        labels[f"{label} ({question.id})" if label in labels else label] = question
    return labels


def is_free(kit: Kit) -> bool:
    """Tell whether a kit asks no chat model, so that running it costs nothing."""
    return kit.name.startswith("offline")


def estimate(runs: int, prices: Prices | None = None, **operations: int) -> float:
    """Return what so many runs cost with a chat model, in USD, at most.

    `operations` says how often one run does each of the priced ones, e.g. `grade=12, generate=1`;
    the prices are the budgeted article's, unless others are given.

    Raises ValueError for an operation without a price.
    """
    known = (prices or Prices()).model_dump(exclude={"tokens", "unknown_model"})
    if unknown := sorted(set(operations) - set(known)):
        raise ValueError(f"no price for {', '.join(unknown)}; there are {', '.join(known)}")
    return runs * sum(known[name] * times for name, times in operations.items())


def announce(kit: Kit, runs: int = 1, **operations: int) -> Any:
    """Say which kit thinks, what so many runs cost before they run, and how to switch.

    See `estimate` for what is counted. A server of one's own has no price that we know.
    """
    from ragkit.show.parts import note

    amount = f"about ${estimate(runs, **operations):,.4f}".rstrip("0").rstrip(".")
    counted = f"{runs:,} question{'s' * (runs != 1)}"
    if is_free(kit):
        price = f"{counted}: free. With a chat model the same would cost {amount}"
        return note(f"{price}: start the notebook with `RAGKIT_KIT=chat`.", "good", kit.name)
    price = f"{amount}, by the price table in `config.py`"
    if os.environ.get("OPENAI_BASE_URL"):
        price = f"what your server asks for it; {amount} at the table's prices"
    back = "Without `RAGKIT_KIT=chat` it is free, and goes as the text says; models differ."
    return note(f"{counted}: {price}. {back}", "maybe", kit.name)


def limited(kit: Kit, questions: Sequence[Question], free: int, paid: int) -> list[Question]:
    """Return the first questions: as many as `free` while nothing is paid, else `paid`."""
    return list(questions[: free if is_free(kit) else paid])


def _name(component: Any) -> str:
    return getattr(component, "__name__", type(component).__name__)


def _first_line(component: Any) -> str:
    line = (component.__doc__ or "").partition("\n")[0].replace("`", "")
    return re.sub(r" \([A-G]\d+\)", "", line)  # rows of the specification mean nothing to readers
