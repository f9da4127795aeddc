"""Notebook 03: the ARSC loop and its cap."""

from __future__ import annotations

from collections.abc import Callable

from ragkit.exercises import exercise, expect


@exercise("03-retrievals", wrong=[lambda n: n - 1, lambda n: n + 1, lambda n: 3])
def _(retrievals: Callable[[int], int]) -> None:
    for cap in (1, 2, 3, 7):
        expect(
            retrievals(cap), cap,
            f"with max_iterations={cap} and nothing relevant, count how often the retriever is "
            "entered: the rewriter counts first, then the cap is compared",
        )  # fmt: skip
