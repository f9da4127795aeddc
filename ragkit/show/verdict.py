"""A run beside its gold: what a right answer states, what this one states, where the answer stood.

For questions with gold only; a run itself never sees any of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from ragkit.show.answers import marked
from ragkit.show.changes import badge
from ragkit.show.found import labelled
from ragkit.show.page import Picture, chip, escape, stack, tag


def beside_gold(run: Any, question: Any, relevant: Collection[str] = ()) -> Picture:
    """Show a Run's answer, what the gold of its Question says about it, and its evidence.

    `relevant` holds the ids of the chunks that answer (`evaluation.gold.relevant_ids`).
    """
    said = list(_said(run.answer, question))
    evidence = labelled(run.documents, relevant)
    ended = badge(run.tag) + tag("span", escape(run.reason), "rk-soft rk-small")
    answer = tag("div", marked(run.answer, (), run.documents), "rk-answer rk-text")
    parts = [
        tag("div", escape(run.question), "rk-question"),
        tag("div", answer, "rk-card"),
        _line("the run says", ended),
        _line("the gold says", "".join(chip(tone, words) for tone, words in said)),
        evidence.html,
    ]
    gold = "; ".join(words for _, words in said)
    text = f"{run.question}\n{run.answer}\n{run.tag}: {run.reason}\ngold: {gold}\n{evidence.text}"
    return Picture(stack(parts), text)


def _said(answer: str, question: Any) -> Iterator[tuple[str, str]]:
    """What the gold says of an answer, as tones and words."""
    from ragkit.evaluation.gold import stated

    now = stated(answer, question.facts)
    for number, spellings in enumerate(question.facts):
        right = number in now
        yield ("good" if right else "bad"), f"{spellings[0]}: " + ("stated" if right else "absent")
    for number in stated(answer, question.stale_facts):
        yield "bad", f"{question.stale_facts[number][0]}: out of date"
    if question.answerable is False:
        yield "muted", "there is no answer to give"
    if question.expected_tag == "needs_review":
        yield "web", "a person decides"
    if question.answered_by == "web":
        yield "web", "only the web has it"
    if question.expected_tag == "direct":
        yield "path", "needs no search"


def _line(name: str, content: str) -> str:
    label = tag("span", escape(name), "rk-soft rk-small")
    return tag("div", label + content, "rk-line")
