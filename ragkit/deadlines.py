"""Time limits that hold for any call, whatever the other side does."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, copy_context
from typing import Any, TypeVar

T = TypeVar("T")

_LIMIT: ContextVar[float] = ContextVar("ragkit_time_limit", default=float("inf"))


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Let no chat model inside this block work or wait for longer than this, retries included."""
    token = _LIMIT.set(min(_LIMIT.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _LIMIT.reset(token)


class Deadline:
    """A moment after which nothing starts: `seconds` from now, or the nearer `time_limit`."""

    def __init__(self, seconds: float) -> None:
        self.at = min(time.monotonic() + seconds, _LIMIT.get())

    @property
    def left(self) -> float:
        """Seconds until then, 0 when it is past."""
        return max(0.0, self.at - time.monotonic())


def within(seconds: float, call: Callable[[], T]) -> T:
    """Return what `call` returns, or raise TimeoutError; a call that hangs is left behind.

    A socket's own time limit starts again with every byte, so a server that sends one byte a
    second would hold a run for ever.
    """
    done: dict[str, Any] = {}

    def run() -> None:
        try:
            done["value"] = call()
        except BaseException as error:
            done["error"] = error

    worker = threading.Thread(target=copy_context().run, args=(run,), daemon=True)
    worker.start()
    worker.join(seconds)
    if "error" in done:
        raise done["error"]
    if "value" not in done:
        raise TimeoutError(f"no complete reply within {seconds:.1f} s")
    return done["value"]
