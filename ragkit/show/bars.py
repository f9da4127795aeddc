"""Bars with their counts: rates with intervals, and the rungs of the ladder side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Any

from ragkit.show.page import Picture, escape, stack, tag


def rates(records: Iterable[Mapping[str, Any]], title: str = "") -> Picture:
    """Show rates as bars with their counts and 95 % Wilson intervals.

    `records` holds `{"rate", "numerator", "denominator"}`; a denominator of 0 is "not measured".
    A record may name a "tone" and a "goal", 0..1, which is drawn as a mark.
    """
    rows, lines = [], []
    for record in records:
        words = _share_words(record["numerator"], record["denominator"])
        lines.append(f"{record['rate']}: {words}")
        cells = tag("span", escape(record["rate"]), "rk-name") + _track(record)
        rows.append(tag("div", cells + tag("span", escape(words), "rk-num"), "rk-rate"))
    head = tag("div", escape(title), "rk-title") if title else ""
    return Picture(head + stack(rows, "rk-stack rk-tight"), "\n".join(lines))


def ladder(
    rows: Iterable[Mapping[str, Any]],
    metrics: Sequence[str],
    *,
    rung: str = "rung",
    lower_is_better: Iterable[str] = (),
    percent: Iterable[str] = (),
) -> Picture:
    """Show each metric over the rungs as bars in a table, the best of each column marked.

    A value of None is "not measured". Bars of a metric share its largest value as their end.
    """
    table = [dict(row) for row in rows]
    lower, percent = set(lower_is_better), set(percent)
    head = tag("th", escape(rung)) + "".join(
        tag("th", escape(m) + tag("span", "&nbsp;" + "↑↓"[m in lower], "rk-soft")) for m in metrics
    )
    body = []
    for row in table:
        cells = [tag("th", escape(row[rung]), scope="row")]
        cells += [_bar_cell(table, row, m, m in lower, m in percent) for m in metrics]
        body.append(tag("tr", "".join(cells)))
    rows_ = tag("tbody", "".join(body))
    kind = "rk-table rk-many" if len(metrics) > 2 else "rk-table"
    markup = tag("table", tag("thead", tag("tr", head)) + rows_, kind)
    lines = [f"{r[rung]}: " + ", ".join(f"{m} {_number(r.get(m))}" for m in metrics) for r in table]
    return Picture(tag("div", markup, "rk-wrap rk-ladder"), "\n".join(lines))


def wilson(numerator: int, denominator: int) -> tuple[float, float]:
    """Return the 95 % Wilson score interval of a share; (0, 1) when nothing was measured."""
    if not denominator:
        return 0.0, 1.0
    z, n = 1.959964, denominator
    share = numerator / n
    middle = share + z * z / (2 * n)
    half = z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return max(0.0, (middle - half) / (1 + z * z / n)), min(1.0, (middle + half) / (1 + z * z / n))


def _share_words(numerator: int, denominator: int) -> str:
    if not denominator:
        return "not measured"
    return f"{numerator / denominator:.0%}, {numerator:,} of {denominator:,}"


def _track(record: Mapping[str, Any]) -> str:
    """Return a rate's bar with its interval as a whisker and its goal as a tick."""
    top, under = record["numerator"], record["denominator"]
    if not under:
        return tag("span", "", "rk-track")
    low, high = wilson(top, under)
    tone = record.get("tone", "path")
    fill = tag("span", "", f"rk-fill rk-{tone}", style=f"width:{top / under:.1%}")
    reach = f"left:{low:.1%};width:{high - low:.1%}"
    whisker = tag("span", "", "rk-whisker", style=reach, title=f"95 %: {low:.1%} to {high:.1%}")
    goal = record.get("goal")
    mark = "" if goal is None else tag(
        "span", "", "rk-tick", style=f"left:{goal:.1%}", title=f"goal {goal:.0%}"
    )  # fmt: skip
    return tag("span", fill + whisker + mark, "rk-track")


def _bar_cell(
    table: Sequence[Mapping[str, Any]], row: Mapping[str, Any], metric: str, lower: bool, pc: bool
) -> str:
    value = row.get(metric)
    if value is None:
        return tag("td", "not measured", "rk-soft", data_name=metric)
    values = [r[metric] for r in table if r.get(metric) is not None]
    end = 1.0 if pc else max([*values, 0]) or 1.0
    best = value == (min(values) if lower else max(values))
    words = f"{value:.0%}" if pc else _number(value)
    fill = tag(
        "span", "", f"rk-fill rk-{'good' if best else 'path'}", style=f"width:{value / end:.1%}"
    )
    number = tag("b" if best else "span", escape(words + (" ✓" if best else "")), "rk-num")
    bar = tag("span", tag("span", fill, "rk-track") + number, "rk-bar")
    return tag("td", bar, data_name=metric)


def _number(value: Any) -> str:
    if value is None:
        return "not measured"
    return f"{value:,.3g}" if isinstance(value, float) and abs(value) < 1000 else f"{value:,.0f}"
