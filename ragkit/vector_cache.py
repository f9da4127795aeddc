"""Vectors on disk, one small file a text, so that nothing is computed twice."""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

import numpy as np

_OFF_UNIT = {"<f4": 1e-4, "<f2": 5e-3}  # how far rounding may move a length


class VectorCache:
    """Unit rows of `width` numbers by text. A broken file counts as absent and is written anew.

    Where the folder cannot be written, nothing is kept and nothing fails.
    """

    def __init__(self, folder: Path, width: int, dtype: str = "<f4") -> None:
        self._folder = folder
        self._width = width
        self._dtype = dtype

    def path(self, text: str) -> Path:
        """Return where the rows of `text` are kept."""
        key = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / key[:2] / f"{key}.{self._dtype[1:]}"

    def read(self, text: str, rows: int) -> np.ndarray | None:
        """Return `[rows, width]`, or None when they are absent or broken."""
        try:
            found = np.frombuffer(self.path(text).read_bytes(), dtype=self._dtype)
            found = found.reshape(rows, self._width)
        except (OSError, ValueError):
            return None
        lengths = np.linalg.norm(found.astype(np.float32), axis=1)
        return found if (abs(lengths - 1) < _OFF_UNIT[self._dtype]).all() else None

    def write(self, text: str, rows: np.ndarray) -> None:
        """Keep the rows of `text`; a reader never sees half a file."""
        path = self.path(text)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
                file.write(rows.astype(self._dtype).tobytes())
            os.replace(file.name, path)
        except OSError:
            return


def cache_dir() -> Path:
    """Return the folder for things that can be computed again."""
    from platformdirs import user_cache_dir

    return Path(os.environ.get("RAGKIT_CACHE_DIR") or user_cache_dir("ragkit", appauthor=False))
