"""`ragkit doctor --sizes`: what the installed environment takes on disk."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

LARGEST = 12
MEGABYTE = 1_000_000


def report(prefix: str = sys.prefix) -> str:
    """Describe the environment at `prefix`: its whole size and its largest packages.

    Sizes are disk blocks in MB of 10^6 bytes, as `du` counts them; files that several names
    share are counted once.
    """
    total, compiled = _measure(Path(prefix).rglob("*"))
    lines = [f"{total:8.0f} MB  {prefix}", f"{compiled:8.0f} MB  of it bytecode, written at use"]
    packages = Counter(dict(_packages()))
    lines += [f"{size:8.0f} MB  {name}" for name, size in packages.most_common(LARGEST)]
    torch = "none" if "torch" not in packages else "INSTALLED"
    return "\n".join([*lines, f"{len(packages)} packages, torch: {torch}"])


def _packages() -> Iterator[tuple[str, float]]:
    for distribution in metadata.distributions():
        files = (Path(distribution.locate_file(file)) for file in distribution.files or ())
        yield distribution.metadata["Name"].lower(), _measure(files)[0]


def _measure(paths: Iterator[Path]) -> tuple[float, float]:
    total = compiled = 0
    for path in paths:
        if path.is_symlink() or not path.is_file():
            continue
        found = path.stat()
        # Windows does not tell blocks
        size = getattr(found, "st_blocks", 0) * 512 or found.st_size
        total += size
        compiled += size if path.suffix == ".pyc" else 0
    return total / MEGABYTE, compiled / MEGABYTE
