"""What is right in notebook 4: the ratio, the breaker, the evidence of all attempts."""

from __future__ import annotations

from typing import Any

from ragkit.exercises import exercise, expect


@exercise(
    "04-ratio",
    wrong=[
        lambda relevant, retrieved: relevant / max(relevant, 1),
        lambda relevant, retrieved: 1.0 if not retrieved else relevant / retrieved,
        lambda relevant, retrieved: relevant // retrieved if retrieved else 0.0,
    ],
)
def _(ratio: Any) -> None:
    expect(ratio(3, 5), 0.6, "three of five")
    expect(ratio(0, 4), 0.0, "none of four")
    expect(ratio(0, 0), 0.0, "nothing was retrieved, so nothing is enough")


@exercise(
    "04-breaker",
    wrong=[
        lambda retries, ms, usd: "retries" if retries > 2 else _time_or_money(ms, usd),
        lambda retries, ms, usd: _time_or_money(ms, usd) or ("retries" if retries >= 2 else None),
        lambda retries, ms, usd: "retries" if retries >= 2 else _time_or_money(ms, usd, 1.0),
    ],
)
def _(breaker: Any) -> None:
    named = [breaker(2, 0, 0.0), breaker(0, 5_601, 0.0), breaker(0, 0, 0.041)]
    if not any(named):
        expect(None, "retries", "both retries are used")
    wanted = ["retries", "latency", "cost"]
    expect(named, wanted, "2 retries; then 5,601 ms; then 0.041 USD")
    free = [breaker(0, 0, 0.0), breaker(1, 5_600, 0.04)]
    expect(free, [None, None], "nothing is spent; then just at both marks, which is not over them")
    expect(breaker(2, 9_000, 1.0), "retries", "all three: the retries are named first")


def _time_or_money(ms: float, usd: float, stop: float = 0.7) -> str | None:
    if ms > 8_000 * stop:
        return "latency"
    return "cost" if usd > 0.05 * 0.8 else None


@exercise(
    "04-union",
    wrong=[
        lambda attempts: attempts[-1] if attempts else [],
        lambda attempts: [page for pages in attempts for page in pages],
        lambda attempts: sorted(
            {p["id"]: p for pages in attempts for p in pages}.values(),
            key=lambda page: page["id"],
        ),
    ],
)
def _(evidence_of: Any) -> None:
    first, second = {"id": "b", "content": "B"}, {"id": "a", "content": "A"}
    expect(evidence_of([[first], [], [second, first]]), [first, second], "b was kept first, then a")
    expect(evidence_of([[], []]), [], "nothing was kept")
