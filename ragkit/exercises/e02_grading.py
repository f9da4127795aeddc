"""What is right in notebook 2: relevance, a real confidence, verdicts joined by id."""

from __future__ import annotations

from typing import Any

from ragkit.exercises import exercise, expect, require


@exercise(
    "02-relevance",
    wrong=[
        lambda binary_score, confidence: confidence,
        lambda binary_score, confidence: confidence if binary_score == "yes" else 1 - confidence,
        lambda binary_score, confidence: 1.0 if binary_score == "yes" else 0.0,
    ],
)
def _(relevance: Any) -> None:
    expect(relevance("yes", 0.8), 0.8, "a yes is as relevant as it is sure")
    expect(round(relevance("no", 0.9), 9), 0.1, "a firm no is hardly relevant")
    expect(relevance("no", 0.2), 0.5, "a doubtful no is still no yes")


@exercise(
    "02-confidence",
    wrong=[
        lambda value: 0 <= float(str(value).strip("%")) <= 1,
        lambda value: isinstance(value, (int, float)) and not (value < 0 or value > 1),
        lambda value: isinstance(value, float),
    ],
)
def _(is_confidence: Any) -> None:
    expect(is_confidence(0.5), True, "0.5 is a confidence")
    expect([is_confidence(value) for value in (0, 0.5, 1.0)], [True] * 3, "0, 0.5 and 1.0")
    for value in (95, -0.1, float("nan"), float("inf"), "90%", None, True):
        answer = is_confidence(value)
        expect(answer, False, f"{value!r}")
        require(answer is False, f"{value!r} must give False")


@exercise(
    "02-keep",
    wrong=[
        lambda ids, reply: [
            name for name, (_, said) in zip(ids, reply, strict=False) if said == "yes"
        ],
        lambda ids, reply: [name for name in ids if (name, "yes") in reply],
        lambda ids, reply: [name for name, said in reply if said == "yes"],
    ],
)
def _(keep: Any) -> None:
    reply = [("c", "yes"), ("a", "yes"), ("b", "no"), ("x", "yes")]
    expect(keep(["a", "b", "c"], reply), ["a", "c"], "by id, in the order asked")
    expect(keep(["a", "b"], [("b", "yes")]), ["b"], "a has no verdict")
    expect(keep(["a"], [("a", "yes"), ("a", "no")]), [], "two different verdicts for one document")
