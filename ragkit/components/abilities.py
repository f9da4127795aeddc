"""Remember what an endpoint cannot do with a model: learned once, told once, not paid again."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ragkit.deadlines import Deadline

_log = logging.getLogger("ragkit")
_SAID = {
    "function_calling": "function calling", "json_schema": "a JSON schema",
    "json_prompt": "JSON in the prompt", "temperature": "a temperature",
    "stream_options": "usage in streams",
}  # fmt: skip


class Abilities:
    """What one model at one endpoint has shown that it can and cannot do.

    `proven` holds the ways of asking that brought structure, `lacking` what was refused or ignored,
    `notes` what was told of it.
    """

    def __init__(self, who: str) -> None:
        self.who = who
        self.proven: set[str] = set()
        self.lacking: set[str] = set()
        self.notes: list[str] = []
        self._lock = threading.Lock()
        self._first = threading.Lock()
        self._met = False

    @contextmanager
    def first_contact(self, deadline: Deadline) -> Iterator[None]:
        """Let the very first question go alone, so that what it learns is paid for once."""
        alone = not self._met and self._first.acquire(timeout=deadline.left)
        if alone and self._met:
            self._first.release()
            alone = False
        try:
            yield
        finally:
            if alone:
                self._met = True
                self._first.release()

    def mode(self, modes: Sequence[str]) -> str:
        """Return the first way of asking that is not known to fail, else the last."""
        return next((mode for mode in modes if mode not in self.lacking), modes[-1])

    def move_on(self, mode: str, modes: Sequence[str], why: str) -> bool:
        """Note that a way of asking does not work; return whether there is another one left."""
        with self._lock:
            if mode not in self.lacking and mode != modes[-1]:
                self.lacking.add(mode)
                self._tell(mode, f"asking by {_SAID[self.mode(modes)]} from now on", why)
        return self.mode(modes) != mode

    def drop(self, setting: str, why: str) -> None:
        """Note that a setting is not accepted."""
        with self._lock:
            if setting not in self.lacking:
                self.lacking.add(setting)
                self._tell(setting, "leaving it out from now on", why)

    def _tell(self, what: str, then: str, why: str) -> None:
        self.notes.append(f"{self.who} does not take {_SAID[what]} ({why}); {then}")
        _log.warning(self.notes[-1])


_KNOWN: dict[tuple[str, str], Abilities] = {}


def abilities_of(endpoint: str, model: str) -> Abilities:
    """Return what is known of a model at an endpoint; without an endpoint, nothing is."""
    fresh = Abilities(f"{model} at {endpoint}" if endpoint else model)
    return _KNOWN.setdefault((endpoint, model), fresh) if endpoint else fresh
