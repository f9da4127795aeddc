"""Public labelled sets, read by path: how the parts and the rungs do on text nobody here wrote.

Each figure stands beside two trivial ones: the share of common words, and the cosine of the small
embedding model. Nothing of the sets is copied; where they are absent nothing is measured.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ragkit.evaluation.figures import Figure
from ragkit.evaluation.stats import SEED
from ragkit.kit import Kit

# task -> the function that measures one set of it
TASKS = {
    "relevance": "ragkit.evaluation.public.judging:relevance",
    "support": "ragkit.evaluation.public.judging:support",
    "conflict": "ragkit.evaluation.public.judging:conflict",
    "strips": "ragkit.evaluation.public.judging:strips",
    "answers": "ragkit.evaluation.public.judging:answers",
    "rewrite": "ragkit.evaluation.public.asking:rewrite",
    "routing": "ragkit.evaluation.public.asking:routing",
    "qa": "ragkit.evaluation.public.asking:qa",
}
Row = dict[str, Any]


def find_sets(folder: str | Path, tasks: Sequence[str] = tuple(TASKS)) -> list[tuple[str, Path]]:
    """Return (task, file) of every set below a folder, by task and name; none is no error.

    Raises ValueError that lists the tasks for one that is unknown.
    """
    if unknown := sorted(set(tasks) - set(TASKS)):
        raise ValueError(f"no task called {', '.join(unknown)}; there are {', '.join(TASKS)}")
    root = Path(folder)
    return [(task, file) for task in tasks for file in sorted((root / task).glob("*.jsonl"))]


def load_rows(file: Path, limit: int | None = None, seed: int = SEED) -> list[Row]:
    """Read a set; with a limit, whole groups drawn by seed, so that no question is cut in two.

    Raises ValueError that names the file and the line that is no record.
    """
    rows = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            rows.append(json.loads(line))
        except json.JSONDecodeError as error:
            raise ValueError(f"{file}:{number}: not JSON ({error.msg})") from None
    if limit is None or len(rows) <= limit:
        return rows
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row.get("group", row.get("id"))), []).append(row)
    names = sorted(groups)
    random.Random(seed).shuffle(names)
    drawn: list[Row] = []
    for name in names:
        if len(drawn) < limit:
            drawn += groups[name]
    return drawn


def measure_sets(
    kit: Kit,
    folder: str | Path,
    *,
    tasks: Sequence[str] = tuple(TASKS),
    sets: Sequence[str] = (),
    limit: int | None = None,
    progress: Any = iter,
    kit_for: Callable[[Any], Kit] | None = None,
) -> Iterator[tuple[str, list[Figure]]]:
    """Yield (name of the set, its figures) as each is done; `sets` picks some by file name.

    `kit_for(index)` makes the kit for a corpus that a set brings along (qa, routing); without it
    the offline kit is taken. Raises ValueError that names the file and field of a bad record.
    """
    for task, file in find_sets(folder, tasks):
        if sets and file.stem not in sets:
            continue
        module, _, name = TASKS[task].partition(":")
        measure = getattr(import_module(module), name)
        part = f"{task}/{file.stem}"
        try:
            rows = load_rows(file, limit)
            yield part, measure(kit, rows, part, progress=progress, kit_for=kit_for)
        except KeyError as error:
            raise ValueError(f"{file}: a record has no field {error}") from None
