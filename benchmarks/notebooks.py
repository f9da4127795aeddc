"""Time every notebook as a script, one fresh process each: python benchmarks/notebooks.py"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
GOAL = 20.0  # seconds on two cores


def seconds(notebook: Path) -> float:
    """Run a notebook and return its wall time; raise CalledProcessError when a cell fails."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    subprocess.run([sys.executable, str(notebook)], check=True, env=env, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def main() -> None:
    """Print a line a notebook."""
    notebooks = sorted((ROOT / "notebooks").glob("[0-9]*.py"))
    if not notebooks:
        raise SystemExit("no notebook in notebooks/")
    for notebook in notebooks:
        took = seconds(notebook)
        print(f"{notebook.stem:32} {took:6.1f} s{'' if took < GOAL else '  over ' + str(GOAL)}")


if __name__ == "__main__":
    main()
