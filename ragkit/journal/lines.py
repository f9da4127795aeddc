"""A file of lines that several processes may add to, and that survives a crash in the middle.

A line is written by one call under a lock beside the file. What a crash left half-written is moved
to `<file>.torn` before the next line, so that every line of the file is whole.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ragkit.redact import redact

LOCK_SECONDS = 30.0


def canonical(record: Any) -> bytes:
    """Return the one way to write a record: keys sorted, no spaces, ASCII only."""
    return json.dumps(
        record, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode("ascii")


def clean(value: Any) -> Any:
    """Return a copy of plain data with secrets masked; what JSON cannot say becomes text."""
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, dict):
        return {redact(str(key)): clean(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [clean(inner) for inner in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    return redact(str(value))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file's lock. Raises TimeoutError that names the lock when it cannot be had."""
    from filelock import FileLock, Timeout

    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(f"{path}.lock", timeout=LOCK_SECONDS)
    try:
        lock.acquire()
    except Timeout:
        raise TimeoutError(f"{lock.lock_file} is held by another process") from None
    try:
        yield
    finally:
        lock.release()


def write_line(path: Path, line: bytes) -> None:
    """Add one line by one call and wait until the disk has it; call it with the lock held.

    Raises OSError when it cannot be written whole; nothing of it is then left in the file.
    """
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
    try:
        size = os.fstat(file).st_size
        written = os.write(file, line + b"\n")
        if written != len(line) + 1:
            os.ftruncate(file, size)
            raise OSError(f"{path}: only {written} of {len(line) + 1} bytes could be written")
        os.fsync(file)
    finally:
        os.close(file)


def set_torn_aside(path: Path, start: int = 0) -> tuple[bytes, list[bytes]]:
    """Move what follows the last line's end to `<file>.torn`; call it with the lock held.

    `start` is a byte where a line begins. Returns the bytes that were moved (b"" when the file is
    whole) and the lines from `start` on. Raises ValueError when the file ends before `start`.
    """
    if not path.exists():
        data = b""
    else:
        with path.open("rb") as file:
            file.seek(start)
            data = file.read()
    if start and path.stat().st_size < start:
        raise ValueError(f"{path} was cut: it had {start} bytes")
    *lines, torn = data.split(b"\n")
    if torn:
        with Path(f"{path}.torn").open("ab") as aside:
            aside.write(torn + b"\n")
        os.truncate(path, start + len(data) - len(torn))
    return torn, lines


def append_line(path: str | Path, record: dict[str, Any]) -> None:
    """Add a record to a JSON lines file: telemetry (B6), verdicts. Secrets are masked."""
    file = Path(path)
    with locked(file):
        set_torn_aside(file)
        write_line(file, canonical(clean(record)))


def read_lines(path: str | Path) -> Iterator[dict[str, Any]]:
    """Yield the records of a JSON lines file; a torn last line is left out.

    Raises ValueError that names the file and the line for anything else that is no record.
    """
    *lines, _torn = Path(path).read_bytes().split(b"\n")
    for number, line in enumerate(lines, start=1):
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not isinstance(record, dict):
            raise ValueError(f"{path}:{number}: not a JSON record")
        yield record
