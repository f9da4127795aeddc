"""Do independent work at once, keeping the order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

A = TypeVar("A")
B = TypeVar("B")


def at_once(work: Callable[[A], B], items: Sequence[A], workers: int) -> list[B]:
    """Return `work` of each item in order, up to `workers` at a time, in the caller's context."""
    if len(items) < 2 or workers < 2:
        return [work(item) for item in items]
    from langchain_core.runnables.config import ContextThreadPoolExecutor

    with ContextThreadPoolExecutor(max_workers=min(workers, len(items))) as pool:
        return list(pool.map(work, items))


def both(first: Callable[[], A], second: Callable[[], B]) -> tuple[A, B]:
    """Return what two independent calls return, the second made while the first one waits."""
    from langchain_core.runnables.config import ContextThreadPoolExecutor

    with ContextThreadPoolExecutor(max_workers=1) as pool:
        meanwhile = pool.submit(second)
        return first(), meanwhile.result()


def in_groups(items: Sequence[A], size: int) -> list[Sequence[A]]:
    """Return the items in order, in groups of `size`, the last one perhaps smaller."""
    return [items[at : at + size] for at in range(0, len(items), size)]
