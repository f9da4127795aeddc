"""Charts of scores, confidence and cost, from plain records. One function a picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt
from typing import Any

from ragkit.show.bars import wilson
from ragkit.show.page import Picture, escape, tag
from ragkit.show.plot import NARROW, Plot, both, ticks_for

FATES = {"dropped": "bad", "ambiguous": "maybe", "kept": "good"}
LANES = ("relevant", "not relevant")
APART = 80  # pixels between two lines whose names fit side by side


def threshold_map(
    scores: Iterable[Mapping[str, Any]], fail: float, passing: float, title: str = ""
) -> Picture:
    """Show every graded pair on 0..1, relevant and not apart, with the two threshold lines.

    `scores` holds `{"score", "relevant"}`; "question" and "document_id" show on hover. A score at
    or above `passing` is kept, below `fail` dropped, between ambiguous. Raises ValueError unless
    0 <= fail < passing <= 1.
    """
    if not 0 <= fail < passing <= 1:
        raise ValueError(f"fail ({fail}) must be below pass ({passing}), both within 0..1")
    rows = list(scores)
    counts = tally(rows, fail, passing)
    text = "\n".join(
        f"{lane}, {name}: {counts[lane, name]}" for lane in LANES for name in FATES
    )  # fmt: skip
    head = tag("div", escape(title), "rk-title") if title else ""
    return Picture(head + both(lambda w: _map(w, rows, counts, fail, passing, text)), text)


def tally(
    rows: Iterable[Mapping[str, Any]], fail: float, passing: float
) -> dict[tuple[str, str], int]:
    """Count pairs by gold ("relevant", "not relevant") and fate (kept, ambiguous, dropped)."""
    counts = {(lane, name): 0 for lane in LANES for name in FATES}
    for row in rows:
        counts[_lane(row["relevant"]), fate(row["score"], fail, passing)] += 1
    return counts


def fate(score: float, fail: float, passing: float) -> str:
    """Return what a score falls into: kept, ambiguous or dropped."""
    return "kept" if score >= passing else "dropped" if score < fail else "ambiguous"


def reliability(
    confidences: Sequence[float],
    correct: Sequence[bool],
    bins: int = 10,
    title: str = "",
    names: tuple[str, str] = ("confidence", "share that was right"),
) -> Picture:
    """Show how often a judge was right at each confidence, with 95 % Wilson intervals.

    A calibrated judge lies on the dashed diagonal. `names` are those of the axes. Raises ValueError
    when the lengths differ.
    """
    rows = binned(confidences, correct, bins)
    text = "\n".join(f"at {r['confidence']:.2f}: {r['right']:.2f} right of {r['n']}" for r in rows)
    head = tag("div", escape(title), "rk-title") if title else ""
    return Picture(head + both(lambda w: _curve(w, rows, names, text)), text)


def front(
    rows: Iterable[Mapping[str, Any]], cost: str, quality: str, name: str = "rung"
) -> Picture:
    """Show quality against cost, one named point a row; up and to the left is better.

    A point that no other one beats in both is filled and joined to its neighbours by a line.
    """
    table = [dict(row) for row in rows]
    text = "\n".join(f"{r[name]}: {cost} {r[cost]:g}, {quality} {r[quality]:g}" for r in table)
    return Picture(both(lambda w: _front(w, table, cost, quality, name, text)), text)


def binned(
    confidences: Sequence[float], correct: Sequence[bool], bins: int
) -> list[dict[str, float]]:
    """Group outcomes by confidence; one row a bin that holds any, lowest first."""
    if len(confidences) != len(correct):
        raise ValueError(f"{len(confidences)} confidences but {len(correct)} outcomes")
    groups: dict[int, list[tuple[float, bool]]] = {}
    for confidence, right in zip(confidences, correct, strict=True):
        groups.setdefault(min(int(confidence * bins), bins - 1), []).append((confidence, right))
    rows = []
    for _, group in sorted(groups.items()):
        n, hits = len(group), sum(bool(right) for _, right in group)
        low, high = wilson(hits, n)
        mean = sum(confidence for confidence, _ in group) / n
        rows.append({"confidence": mean, "right": hits / n, "n": n, "low": low, "high": high})
    return rows


# --- drawing -------------------------------------------------------------------------------------


def _lane(relevant: Any) -> str:
    return "relevant" if relevant else "not relevant"


def _map(
    width: float, rows: Sequence[Mapping[str, Any]], counts: Mapping[tuple[str, str], int],
    fail: float, passing: float, label: str,
) -> str:  # fmt: skip
    narrow = width <= NARROW
    plot = Plot(width, 330, left=12 if narrow else 108, top=52)
    floor = plot.height - plot.bottom
    edges = zip(FATES.items(), ((0, fail), (fail, passing), (passing, 1)), strict=True)
    for (name, tone), (low, high) in edges:
        start, end = plot.x(low), plot.x(high)
        plot.add(
            "rect", f"rk-zone rk-{tone}", x=start, y=plot.top, width=end - start,
            height=floor - plot.top,
        )  # fmt: skip
        plot.text((start + end) / 2, 20, name, f"rk-zone-name rk-{tone}")
    plot.x_axis(ticks_for(0, 1), "score", lambda tick: f"{tick:g}")
    room = (floor - plot.top) / 2
    for at, lane in enumerate(LANES):
        middle = plot.top + room * (at + 0.55)
        if narrow:
            plot.text(plot.left, plot.top + room * at + 14, lane, "rk-soft", "start")
        else:
            plot.text(plot.left - 10, middle + 4, lane, "", "end")
        _swarm(plot, [r for r in rows if _lane(r["relevant"]) == lane], middle, room, fail, passing)
        for name, spot in zip(
            FATES, (fail / 2, (fail + passing) / 2, (passing + 1) / 2), strict=True
        ):
            words = counts[lane, name]
            plot.text(
                plot.x(spot), plot.top + room * at + (30 if narrow else 17), words, "rk-count"
            )
    close = plot.x(passing) - plot.x(fail) < APART  # then the names stand back to back
    for at, name, side, away in ((fail, "fail", "end", -4), (passing, "pass", "start", 4)):
        plot.line(plot.x(at), plot.top - 8, plot.x(at), floor, "rk-cut")
        anchor, shift = (side, away) if close else ("middle", 0)
        plot.text(plot.x(at) + shift, plot.top - 13, f"{name} {at:g}", "rk-cut-name", anchor)
    return plot.svg(label.replace("\n", "; "))


def _swarm(
    plot: Plot, rows: Sequence[Mapping[str, Any]], middle: float, room: float, fail: float,
    passing: float,
) -> None:  # fmt: skip
    """Pile equal scores up around a lane's middle; a full lane gets smaller steps, never a loss."""
    size = 9.0 if plot.width > NARROW else 6.5
    piles: dict[int, list[Mapping[str, Any]]] = {}
    for row in sorted(rows, key=lambda row: row["score"]):
        piles.setdefault(round(plot.x(row["score"]) / size), []).append(row)
    tallest = max(map(len, piles.values()), default=1)
    step = min(size, (room - 34) / tallest)
    for pile in piles.values():
        for at, row in enumerate(pile):
            lift = (at + 1) // 2 * (-1 if at % 2 else 1) * step
            tone = FATES[fate(row["score"], fail, passing)]
            seen = [str(row[k]) for k in ("question", "document_id") if row.get(k)]
            plot.add(
                "circle", f"rk-spot rk-{tone}" + ("" if row["relevant"] else " rk-hollow"),
                title=" · ".join([*seen, f"score {row['score']:.2f}"]),
                cx=plot.x(row["score"]), cy=middle + lift, r=size * 0.44,
            )  # fmt: skip


def _curve(
    width: float, rows: Sequence[Mapping[str, float]], names: tuple[str, str], label: str
) -> str:
    plot = Plot(width, 360, top=34)
    plot.y_axis(ticks_for(0, 1), names[1], lambda tick: f"{tick:g}")
    plot.x_axis(ticks_for(0, 1), names[0], lambda tick: f"{tick:g}")
    plot.line(plot.x(0), plot.y(0), plot.x(1), plot.y(1), "rk-dash")
    points = " ".join(f"{plot.x(r['confidence']):.1f},{plot.y(r['right']):.1f}" for r in rows)
    plot.add("polyline", "rk-path-line", points=points)
    most = max((row["n"] for row in rows), default=1)
    for row in rows:
        at = plot.x(row["confidence"])
        plot.line(at, plot.y(row["low"]), at, plot.y(row["high"]), "rk-span")
        plot.add(
            "circle", "rk-spot rk-path", title=f"{row['right']:.0%} right of {row['n']:.0f} cases",
            cx=at, cy=plot.y(row["right"]), r=5 + 8 * sqrt(row["n"] / most),
        )  # fmt: skip
    return plot.svg(label.replace("\n", "; "))


def _front(
    width: float, table: Sequence[Mapping[str, Any]], cost: str, quality: str, name: str, label: str
) -> str:
    costs, goods = [r[cost] for r in table], [r[quality] for r in table]
    plot = Plot(width, 360, _around(costs, 0.16), _around(goods, 0.12), top=34)
    plot.y_axis(ticks_for(*plot.y_domain), quality, lambda tick: f"{tick:g}")
    plot.x_axis(ticks_for(*plot.x_domain), cost, lambda tick: f"{tick:,g}")
    best = sorted((r for r in table if not _beaten(r, table, cost, quality)), key=lambda r: r[cost])
    points = " ".join(f"{plot.x(r[cost]):.1f},{plot.y(r[quality]):.1f}" for r in best)
    plot.add("polyline", "rk-path-line rk-thin", points=points)
    for row in table:
        x, y = plot.x(row[cost]), plot.y(row[quality])
        kind = "rk-spot rk-path" + ("" if row in best else " rk-hollow")
        plot.add(
            "circle", kind, f"{cost} {row[cost]:g}, {quality} {row[quality]:g}", cx=x, cy=y, r=8
        )
        plot.text(x, y - 14, row[name], "rk-title")
    return plot.svg(label.replace("\n", "; "))


def _around(values: Sequence[float], share: float) -> tuple[float, float]:
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = (high - low) * share or 0.1
    return low - room, high + room


def _beaten(
    row: Mapping[str, Any], table: Sequence[Mapping[str, Any]], cost: str, quality: str
) -> bool:
    return any(
        other[cost] <= row[cost]
        and other[quality] >= row[quality]
        and (other[cost], other[quality]) != (row[cost], row[quality])
        for other in table
    )
