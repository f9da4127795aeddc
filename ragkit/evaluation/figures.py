"""A figure: what was measured, how it is defined and what came out, ready to print or to keep."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkit.evaluation.stats import Estimate, Share


@dataclass(frozen=True)
class Figure:
    """One measured number. `result` is None where nothing was measured.

    `part` groups figures, `definition` says what is divided by what, `higher_is_better` is None for
    a number that only describes.
    """

    part: str
    name: str
    result: Share | Estimate | float | int | None
    definition: str = ""
    higher_is_better: bool | None = True

    @property
    def value(self) -> float | None:
        """The bare number, or None."""
        return self.result.value if isinstance(self.result, Share | Estimate) else self.result

    @property
    def text(self) -> str:
        """The number as printed: with counts and interval where it has them."""
        if self.result is None:
            return "not measured"
        if isinstance(self.result, float):
            return f"{self.result:.3f}"
        return str(self.result)

    def to_json(self) -> dict[str, Any]:
        """Return the figure as plain data."""
        return {
            "part": self.part, "name": self.name, "value": _rounded(self.value),
            **_spread(self.result), "text": self.text, "definition": self.definition,
            "higher_is_better": self.higher_is_better,
        }  # fmt: skip


def _spread(result: Any) -> dict[str, Any]:
    if isinstance(result, Share):
        low, high = result.interval or (None, None)
        return {
            "hits": result.hits, "total": result.total, "low": _rounded(low), "high": _rounded(high)
        }  # fmt: skip
    if isinstance(result, Estimate):
        return {"total": result.n, "low": _rounded(result.low), "high": _rounded(result.high)}
    return {}


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def table(figures: Iterable[Figure], title: str = "") -> Any:
    """Return the figures as a rich table."""
    from rich.table import Table

    shown = Table(title=title or None, title_justify="left")
    for column in ("part", "figure", "result [95 %]"):
        shown.add_column(column, overflow="fold")
    part = None
    for figure in figures:
        if part is not None and figure.part != part:
            shown.add_section()
        shown.add_row("" if figure.part == part else figure.part, figure.name, figure.text)
        part = figure.part
    return shown


def markdown(figures: Sequence[Figure]) -> str:
    """Return the figures as a Markdown table, definitions included."""
    rows = ["| part | figure | result | definition |", "| --- | --- | --- | --- |"]
    for figure in figures:
        cells = (figure.part, figure.name, figure.text, figure.definition)
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows) + "\n"


def write(figures: Sequence[Figure], path: Path, about: dict[str, Any]) -> None:
    """Write the figures with what they were measured on: Markdown by suffix `.md`, else JSON."""
    if path.suffix == ".md":
        head = "\n".join(f"- {key}: {value}" for key, value in about.items())
        path.write_text(f"{head}\n\n{markdown(figures)}", encoding="utf-8")
        return
    body = {"about": about, "figures": [figure.to_json() for figure in figures]}
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
