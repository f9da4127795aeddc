"""A kit whose work takes simulated time: the clock moves when a component is called.

Lessons and tests about latency budgets use it: nobody waits, and a slow machine changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragkit.config import Pace
from ragkit.kit import Kit


class SimulatedClock:
    """A clock in seconds that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def advance(self, milliseconds: float) -> None:
        """Move the clock forward."""
        self.now += milliseconds / 1000


def paced(kit: Kit, pace: Pace | None = None) -> Kit:
    """Return the kit with a clock that moves by `pace` at each call, whatever the machine does.

    Graders that are called for several documents at once move it once a call.
    """
    pace, clock = pace or Pace(), SimulatedClock()
    timed = {
        "router": pace.route_ms, "retriever": pace.retrieve_ms, "web": pace.web_ms,
        "grader": pace.grade_ms, "rewriter": pace.rewrite_ms, "generator": pace.generate_ms,
        "direct": pace.generate_ms,
    }  # fmt: skip
    wrapped = {
        name: _slowed(getattr(kit, name), clock, milliseconds)
        for name, milliseconds in timed.items()
        if getattr(kit, name) is not None
    }
    return kit.replace(clock=clock, **wrapped)


def _slowed(
    component: Callable[..., Any], clock: SimulatedClock, milliseconds: float
) -> Callable[..., Any]:
    def call(*args: Any, **kwargs: Any) -> Any:
        clock.advance(milliseconds)
        return component(*args, **kwargs)

    return call
