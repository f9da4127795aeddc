"""Time every notebook as a script, one fresh process each, or its redraws.

    python benchmarks/notebooks.py [--redraw]

`--redraw` moves the thresholds of notebooks 02 and 06 over all practice questions that a page
answers, and prints the slowest and the middle redraw of each view.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

ROOT = Path(__file__).parents[1]
GOAL = 20.0  # seconds on two cores
REDRAW_GOAL = 100.0  # milliseconds
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def seconds(notebook: Path) -> float:
    """Run a notebook and return its wall time; raise CalledProcessError when a cell fails."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    began = time.perf_counter()
    subprocess.run([sys.executable, str(notebook)], check=True, env=env, stdout=subprocess.DEVNULL)
    return time.perf_counter() - began


def print_redraws() -> None:
    """Print a line a view; the pictures are rendered, as a page would get them."""
    from redraws import CUTS, counted, views

    from ragkit import offline_kit
    from ragkit.evaluation.questions import load_questions

    practice = load_questions(half="practice")
    kit, calls = counted(offline_kit())
    pools = [question for question in practice if question.answered_by == "kb"]
    for name, view in views(kit, practice, pools).items():
        before, took = len(calls), []
        for cut in CUTS:
            began = time.perf_counter()
            view(cut)._repr_html_()
            took.append((time.perf_counter() - began) * 1000)
        late = "" if max(took) < REDRAW_GOAL else f"  over {REDRAW_GOAL:.0f} ms"
        print(
            f"{name:10} {len(pools)} questions: {median(took):.2f} ms, at most {max(took):.2f} ms,"
            f" {len(calls) - before} components called{late}"
        )


def main() -> None:
    """Print a line a notebook, or a view."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--redraw", action="store_true", help="time the redraws instead")
    if parser.parse_args().redraw:
        print_redraws()
        return
    notebooks = sorted((ROOT / "notebooks").glob("[0-9]*.py"))
    if not notebooks:
        raise SystemExit("no notebook in notebooks/")
    for notebook in notebooks:
        took = seconds(notebook)
        print(f"{notebook.stem:32} {took:6.1f} s{'' if took < GOAL else '  over ' + str(GOAL)}")


if __name__ == "__main__":
    main()
