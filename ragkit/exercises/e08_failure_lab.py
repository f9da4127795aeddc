"""What is right in notebook 8: drift, a reply with holes, the escape rate, two guards in a row."""

from __future__ import annotations

import re
from typing import Any

from ragkit.exercises import Unsolved, exercise, expect, require


@exercise(
    "08-drift",
    wrong=[
        lambda question, candidate: True,
        lambda question, candidate: "ERROR" in candidate,
        lambda question, candidate: bool(_codes(question) & _codes(candidate)),
        lambda question, candidate: _codes(question) == _codes(candidate),
    ],
)
def _(keeps: Any) -> None:
    asked = "Why did ERROR_302 follow ERROR_311?"
    expect(keeps(asked, "causes of ERROR_302 after ERROR_311"), True, "both codes are there")
    expect(keeps(asked, "causes of ERROR_311"), False, "ERROR_302 was lost")
    expect(keeps(asked, "causes of ERROR_203 after ERROR_311"), False, "ERROR_203 is another code")
    expect(keeps("What is a meter?", "meter, glossary, ERROR_302"), True, "no code was asked for")


def _codes(text: str) -> set[str]:
    return set(re.findall(r"[A-Z]+_\d+", text))


@exercise(
    "08-closed",
    wrong=[
        lambda asked, reply: [name for name in asked if reply.get(name) != "no"],
        lambda asked, reply: [name for name, said in reply.items() if said == "yes"],
        lambda asked, reply: [name for name in asked if reply[name] == "yes"],
        lambda asked, reply: [name for name in asked if "yes" in str(reply.get(name))],
    ],
)
def _(kept: Any) -> None:
    expect(kept(["a", "b"], {"a": "yes", "b": "no"}), ["a"], "a whole reply")
    _closed(kept, ["a", "b"], {"b": "yes"}, ["b"], "a has no verdict")
    _closed(kept, ["a", "b"], {}, [], "the grader said nothing")
    _closed(kept, ["a"], {"a": "yes", "z": "yes"}, ["a"], "nobody asked about z")
    _closed(kept, ["a"], {"a": "yes, I think"}, [], "that is no verdict")


def _closed(kept: Any, asked: list[str], reply: dict[str, str], wanted: Any, why: str) -> None:
    try:
        got = kept(asked, reply)
    except KeyError as error:
        require(False, f"{why}: a reply with holes must not raise, and it raised KeyError {error}")
    expect(got, wanted, why)


@exercise(
    "08-rate",
    wrong=[
        lambda drafts: sum(d["released"] for d in drafts) / max(len(drafts), 1),
        lambda drafts: sum(d["faulty"] and d["released"] for d in drafts) / max(len(drafts), 1),
        lambda drafts: (
            sum(d["faulty"] and d["released"] for d in drafts)
            / max(sum(d["faulty"] for d in drafts), 1)
        ),
    ],
)
def _(escape_rate: Any) -> None:
    drafts = [_draft(True, True), _draft(True, False), _draft(False, True), _draft(False, True)]
    expect(escape_rate(drafts), 0.5, "one of two faulty drafts went out")
    expect(escape_rate(drafts[1:]), 0.0, "the faulty one was held back")
    expect(escape_rate(drafts[2:]), "not measured", "no draft was faulty, so nothing was measured")


def _draft(faulty: bool, released: bool) -> dict[str, bool]:
    return {"faulty": faulty, "released": released}


@exercise("08-pair", wrong=[{"citation checker"}, {"verifier"}, {"citation checker", "grader"}])
def _(off: Any) -> None:
    from ragkit.evaluation.guards import GUARDS

    names = set(off)
    if not names:
        raise Unsolved
    require(names <= set(GUARDS), f"guards are called {', '.join(GUARDS)}")
    require("citation checker" in names, "whoever reads the claim beside the page still stops it")
    require("verifier" in names, "whoever asks whether the question is answered still stops it")
    require(len(names) == 2, "two are enough; the others never see it")
