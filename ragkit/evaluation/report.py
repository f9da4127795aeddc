"""Tables of a finished measurement, made from records only."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkit.evaluation.metrics import METRICS, Metric, measure
from ragkit.evaluation.rates import RATES
from ragkit.evaluation.records import EvalRecord
from ragkit.evaluation.stats import FEW, Estimate, Share, quantile, ratio_difference

ALL = (*METRICS, *RATES)
Rungs = dict[str, list[EvalRecord]]


def by_rung(records: Sequence[EvalRecord]) -> Rungs:
    """Return the records of each rung in the order of first appearance, sorted by question."""
    rungs: Rungs = {}
    for record in records:
        rungs.setdefault(record.rung, []).append(record)
    return {name: sorted(some, key=lambda r: r.question.id) for name, some in rungs.items()}


def difference(metric: Metric, before: Rungs, base: str, other: str) -> Estimate | None:
    """Return `other - base` of a metric on the questions that both rungs answered (paired)."""
    first = {record.question.id: record for record in before[base]}
    second = {record.question.id: record for record in before[other]}
    shared = sorted(first.keys() & second.keys())
    return ratio_difference(
        metric.counts(first[name] for name in shared),
        metric.counts(second[name] for name in shared),
    )


def verdict(metric: Metric, change: Estimate | None) -> str:
    """Say whether a difference is "better", "worse" or "no clear difference", "" if unmeasured.

    Clear is a difference whose interval leaves out 0. A rate that only describes is "more" or
    "less".
    """
    if change is None:
        return ""
    if change.low <= 0 <= change.high:
        return "no clear difference"
    if metric.higher_is_better is None:
        return "more" if change.value > 0 else "less"
    return "better" if (change.value > 0) == metric.higher_is_better else "worse"


def ladder_rows(
    records: Sequence[EvalRecord], metrics: Sequence[Metric] = ALL
) -> list[dict[str, Any]]:
    """Return a row a metric and rung: value, counts, interval, difference to the first rung.

    Plain values only, the same on every rerun.
    """
    rungs = by_rung(records)
    base = next(iter(rungs), "")
    rows = []
    for metric in metrics:
        for name, some in rungs.items():
            figure = measure(some, [metric])[0].to_json()
            change = None if name == base else difference(metric, rungs, base, name)
            rows.append({
                "group": metric.group, "metric": metric.name, "rung": name,
                **{k: figure.get(k) for k in ("value", "hits", "total", "low", "high")},
                "text": cell(metric.measure(some)), "higher_is_better": metric.higher_is_better,
                "change": change and round(change.value, 6),
                "change_low": change and round(change.low, 6),
                "change_high": change and round(change.high, 6),
                "verdict": verdict(metric, change), "definition": metric.definition,
            })  # fmt: skip
    return rows


def cell(result: Share | Estimate | float | None) -> str:
    """Return a figure for a narrow column: a percentage, below 30 cases the counts."""
    if result is None:
        return "–"
    if isinstance(result, Share):
        if result.total < FEW:
            return f"{result.hits} of {result.total}"
        return f"{result.value:.1%}"
    value = result.value if isinstance(result, Estimate) else result
    return f"{value:.4f}" if abs(value) < 0.1 else f"{value:.1f}"


def ladder_table(records: Sequence[EvalRecord], metrics: Sequence[Metric] = ALL) -> Any:
    """Return the ladder as a rich table; a clear gain over the first rung is green, a loss red."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    rungs = list(by_rung(records))
    shown = Table(title="the ladder", title_justify="left", box=SIMPLE, padding=(0, 1, 0, 0))
    shown.add_column("metric", no_wrap=True)
    for name in rungs:
        shown.add_column(name, overflow="fold")
    group = ""
    for row in _grouped(ladder_rows(records, metrics)):
        if group and row[0]["group"] != group:
            shown.add_section()
        group = row[0]["group"]
        colour = {"better": "green", "worse": "red"}
        cells = [Text(c["text"], style=colour.get(c["verdict"], "")) for c in row]
        shown.add_row(row[0]["metric"], *cells)
    return shown


def ladder_markdown(records: Sequence[EvalRecord], metrics: Sequence[Metric] = ALL) -> str:
    """Return the ladder as a Markdown table; ▲ marks a clear gain over the first rung, ▼ a loss."""
    return _markdown(list(by_rung(records)), _grouped(ladder_rows(records, metrics)))


def _markdown(rungs: Sequence[str], rows: Sequence[Sequence[dict[str, Any]]]) -> str:
    lines = ["| metric | " + " | ".join(rungs) + " |", "| --- |" + " ---: |" * len(rungs)]
    signs = {"better": " ▲", "worse": " ▼"}
    for row in rows:
        cells = [cell["text"] + signs.get(cell["verdict"], "") for cell in row]
        lines.append(f"| {row[0]['metric']} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _grouped(rows: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["metric"], []).append(row)
    return list(found.values())


def latency_rows(records: Sequence[EvalRecord]) -> list[dict[str, Any]]:
    """Return p50 and p95 in milliseconds a rung and node; these differ from run to run."""
    rows = []
    for name, some in by_rung(records).items():
        times: dict[str, list[float]] = {"whole run": [record.ms for record in some]}
        for record in some:
            for step in record.steps:
                times.setdefault(step.node, []).append(step.ms)
        rows += [
            {"rung": name, "node": node, "n": len(ms),
             "p50_ms": round(quantile(ms, 0.5) or 0.0, 1),
             "p95_ms": round(quantile(ms, 0.95) or 0.0, 1)}
            for node, ms in times.items()
        ]  # fmt: skip
    return rows


@dataclass(frozen=True)
class Change:
    """A question on which a rung did better or worse than another by one metric."""

    question: str
    metric: str
    before: EvalRecord
    after: EvalRecord
    hurt: bool


def changes(records: Sequence[EvalRecord], base: str, other: str, metric: Metric) -> list[Change]:
    """Return the questions where the metric differs between two rungs: where correction hurts."""
    rungs = by_rung(records)
    first = {record.question.id: record for record in rungs.get(base, [])}
    found = []
    for record in rungs.get(other, []):
        old = first.get(record.question.id)
        if old is None:
            continue
        (hits, of), (now, now_of) = metric.count(old), metric.count(record)
        if of and now_of and hits / of != now / now_of:
            hurt = (now / now_of < hits / of) == (metric.higher_is_better is not False)
            found.append(Change(record.question.id, metric.name, old, record, hurt))
    return found


def by_trap(records: Sequence[EvalRecord], metric: Metric) -> list[dict[str, Any]]:
    """Return a row a trap and rung with the metric's value and counts."""
    rows = []
    for name, some in by_rung(records).items():
        for trap in sorted({record.question.trap for record in some}):
            result = metric.measure([r for r in some if r.question.trap == trap])
            rows.append({"rung": name, "trap": trap, "metric": metric.name,
                         "value": None if result is None else result.value,
                         "text": cell(result)})  # fmt: skip
    return rows


def latency_table(records: Sequence[EvalRecord]) -> Any:
    """Return p50 and p95 of the whole runs as a rich table."""
    from rich.table import Table

    shown = Table(title="latency of a run (differs on a rerun)", title_justify="left")
    for column in ("rung", "runs", "p50 ms", "p95 ms"):
        shown.add_column(column)
    for row in latency_rows(records):
        if row["node"] == "whole run":
            shown.add_row(row["rung"], str(row["n"]), f"{row['p50_ms']}", f"{row['p95_ms']}")
    return shown


def results_markdown(path: str | Path, metrics: Sequence[str]) -> str:
    """Return a Markdown table of a kept results file: a row a metric, a column a rung.

    ▲ marks a clear gain over the first rung, ▼ a loss. Raises KeyError for an unknown metric.
    """
    results = json.loads(Path(path).read_text(encoding="utf-8"))
    rows = {(row["metric"], row["rung"]): row for row in results["rows"]}
    wanted = [[rows[name, rung] for rung in results["rungs"]] for name in metrics]
    return _markdown(results["rungs"], wanted)


def write_ladder(records: Sequence[EvalRecord], path: Path, about: dict[str, Any]) -> None:
    """Write the ladder with what it was measured with: Markdown by suffix `.md`, else JSON.

    Everything under `rows` is the same on every rerun, `latency_varies` is not.
    """
    if path.suffix == ".md":
        head = "\n".join(f"- {key}: {value}" for key, value in about.items())
        path.write_text(f"{head}\n\n{ladder_markdown(records)}", encoding="utf-8")
        return
    body = {
        "about": about,
        "rungs": list(by_rung(records)),
        "rows": ladder_rows(records),
        "latency_varies": latency_rows(records),
    }
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
