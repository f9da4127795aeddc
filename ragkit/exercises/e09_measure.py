"""What is right in notebook 9: a share of nothing, a paired difference, a threshold from labels."""

from __future__ import annotations

from typing import Any

from ragkit.exercises import exercise, expect


@exercise(
    "09-share",
    wrong=[
        lambda hits, total: hits / total if total else 0.0,
        lambda hits, total: hits / total if total else 1.0,
        lambda hits, total: hits / max(total, 1),
        lambda hits, total: total / hits if hits else None,
    ],
)
def _(share: Any) -> None:
    expect(share(3, 4), 0.75, "three of four")
    expect(share(0, 4), 0.0, "none of four was measured, and is 0")
    expect(share(0, 0), None, "nothing was measured: neither a failure nor a success")


def _sum(pairs: Any) -> float:
    return sum(hits for hits, _ in pairs) / sum(of for _, of in pairs)


@exercise(
    "09-paired",
    wrong=[
        lambda before, after: _sum(before) - _sum(after),
        lambda before, after: (
            sum(h / of for h, of in after) / len(after)
            - sum(h / of for h, of in before) / len(before)
        ),
        lambda before, after: sum(h for h, _ in after) - sum(h for h, _ in before),
    ],
)
def _(difference: Any) -> None:
    before, after = [(1, 1), (1, 4)], [(1, 1), (4, 4)]
    expect(_short(difference(before, before)), 0.0, "the same rung twice")
    expect(_short(difference(before, after)), 0.6, "5 of 5 claims after, 2 of 5 before")
    expect(_short(difference(after, before)), -0.6, "and the other way round")


@exercise(
    "09-pass-line",
    wrong=[
        lambda cases, precision: max(score for score, _ in cases),
        lambda cases, precision: min(score for score, _ in cases),
        lambda cases, precision: next(
            (
                line
                for line in sorted({score for score, _ in cases})
                if _precision(cases, line) > precision
            ),
            None,
        ),
        lambda cases, precision: min(score for score, relevant in cases if relevant),
    ],
)
def _(pass_line: Any) -> None:
    cases = [(0.2, True), (0.3, False), (0.5, False), (0.6, True), (0.8, True), (0.9, True)]
    expect(pass_line(cases, 0.75), 0.5, "three of the four at or above 0.5 are relevant")
    expect(pass_line(cases, 1.0), 0.6, "nothing irrelevant scores 0.6 or more")
    expect(pass_line([(0.4, False), (0.7, False)], 0.9), None, "no line can do it")


def _short(value: Any) -> Any:
    return round(value, 6) if isinstance(value, int | float) else value


def _precision(cases: Any, line: float) -> float:
    kept = [relevant for score, relevant in cases if score >= line]
    return sum(kept) / len(kept)
