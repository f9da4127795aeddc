"""Keep verdicts: the same grader asked the same thing about the same text is not asked again (D6).

A threshold cuts the stored score, so moving one calls no model.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import ValidationError

from ragkit.records import Document, Grade, Usage
from ragkit.verdicts import join

Grader = Callable[[str, Sequence[Document]], Sequence[Grade]]
_TABLE = "CREATE TABLE IF NOT EXISTS verdicts (key TEXT PRIMARY KEY, grade TEXT NOT NULL)"


class VerdictCache:
    """Verdicts by key, in one SQLite file, or in memory without a path.

    Threads and processes may share a file. A file that is no database is replaced; where none can
    be written, verdicts are kept in memory.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self._lock = threading.Lock()
        self._database = _open(path)

    def read(self, key: str) -> Grade | None:
        """Return the verdict for a key; one that cannot be read is not there."""
        with self._lock:
            try:
                row = self._database.execute("SELECT grade FROM verdicts WHERE key = ?", (key,))
                return Grade.model_validate_json((row.fetchone() or ("",))[0])
            except (sqlite3.Error, ValidationError):
                return None

    def write(self, key: str, grade: Grade) -> None:
        """Keep a verdict; a full disk or a locked file loses it, nothing more."""
        with self._lock:
            try:
                values = (key, grade.model_dump_json(exclude={"usage", "score"}))
                self._database.execute("INSERT OR REPLACE INTO verdicts VALUES (?, ?)", values)
                self._database.commit()
            except sqlite3.Error:
                self._database.rollback()


class CachedGrader:
    """A grader that asks the one inside only about what is not in the cache.

    `fingerprint` names everything that a verdict depends on beside question and text: prompt
    version, model, endpoint. `text_of` is what the grader sees of a document. Only verdicts with
    outcome "ok" are kept, never a failure. `hits` of `lookups` needed no call of their own.
    """

    def __init__(
        self,
        grader: Grader,
        cache: VerdictCache,
        fingerprint: str,
        text_of: Callable[[Document], str] = lambda document: document["content"],
    ) -> None:
        self.grader = grader
        self.cache = cache
        self.fingerprint = fingerprint
        self.text_of = text_of
        self.hits = 0
        self.lookups = 0

    @property
    def hit_rate(self) -> float | None:
        """Share of lookups that found a verdict, None before the first one."""
        return self.hits / self.lookups if self.lookups else None

    def __call__(self, question: str, documents: Sequence[Document]) -> list[Grade]:
        keys = {document["id"]: self._key(question, document) for document in documents}
        known = {name: self.cache.read(key) for name, key in keys.items()}
        unknown = [document for document in documents if known[document["id"]] is None]
        self.lookups += len(documents)
        self.hits += len(documents) - len(unknown)
        fresh = list(self.grader(question, unknown)) if unknown else []
        for grade in join(unknown, fresh)[0]:
            if grade.outcome == "ok":
                self.cache.write(keys[grade.document_id], grade)
        found = [(name, grade) for name, grade in known.items() if grade is not None]
        update = {"usage": Usage(model="cache", calls=0)}
        return [
            *(grade.model_copy(update={**update, "document_id": name}) for name, grade in found),
            *fresh,
        ]

    def remember(self, question: str, document: Document, grade: Grade) -> None:
        """Keep a verdict that came with another one."""
        self.cache.write(self._key(question, document), grade)

    def _key(self, question: str, document: Document) -> str:
        parts = [self.fingerprint, question, self.text_of(document)]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _open(path: Path | str | None) -> sqlite3.Connection:
    if path is None:
        return _connected(":memory:")
    try:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        return _connected(str(path))
    except (OSError, sqlite3.OperationalError):
        return _connected(":memory:")
    except sqlite3.DatabaseError:
        Path(path).unlink(missing_ok=True)
        return _connected(str(path))


def _connected(path: str) -> sqlite3.Connection:
    database = sqlite3.connect(path, timeout=1.0, check_same_thread=False)
    # a verdict lost to a power cut is asked again
    database.execute("PRAGMA synchronous = OFF")
    database.execute(_TABLE)
    return database
