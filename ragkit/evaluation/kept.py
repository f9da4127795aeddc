"""Results that a command measured once and wrote to `data/results`, for tables and notebooks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import ragkit


def load_results(name: str) -> dict[str, Any]:
    """Return the kept results called `name`: about, rungs and rows, as `write_ladder` wrote them.

    Raises ValueError that lists what there is for a name that is none.
    """
    folder = ragkit.data_dir() / "results"
    file = folder / f"{name}.json"
    if not file.is_file():
        known = ", ".join(sorted(path.stem for path in folder.glob("*.json"))) or "none yet"
        raise ValueError(f"no kept results called {name!r}; there are: {known}")
    return json.loads(file.read_text(encoding="utf-8"))


def wide(rows: Iterable[Mapping[str, Any]], metrics: Sequence[str]) -> list[dict[str, Any]]:
    """Return a row a rung with the value of each metric, None where nothing was measured.

    `rows` are those of `ladder_rows` or of kept results. Raises KeyError for an unknown metric.
    """
    values: dict[str, dict[str, Any]] = {}
    for row in rows:
        values.setdefault(row["rung"], {})[row["metric"]] = row["value"]
    return [{"rung": name, **{m: found[m] for m in metrics}} for name, found in values.items()]
