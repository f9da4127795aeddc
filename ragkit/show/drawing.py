"""Draw a compiled graph as it really is, with the path a run took lit.

Nodes and edges come from the graph itself, graphviz draws them on this machine, and nothing is sent
anywhere. Without the `dot` program the same edges come as a list and as Mermaid text.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from typing import Any

from ragkit.show.page import COLOURS, Picture, chip, escape, folded, stack, tag
from ragkit.show.walk import END, START, Drawing, as_text, drawn, numbers, shown

_INK = "#808081"  # graphviz cannot say currentColor; exactly this grey is replaced by it afterwards
_FAINT = "#80808112"
_MARKS = {"maybe": "waits here", "bad": "failed"}
_LEAST = 0.68  # of the drawn size; a narrower page scrolls sideways
_FONT = "Helvetica,Arial,sans-serif"


def graph(
    compiled: Any,
    path: Any = None,
    *,
    current: str | None = None,
    failed: str | Iterable[str] = (),
    direction: str | None = None,
    title: str = "",
) -> Picture:
    """Draw a graph; with `path` (node names in order, or a Run) light what was taken.

    Args:
        current: the node a run waits in.
        failed: nodes where something went wrong.
        direction: "LR" or "TB"; by default it follows the width of the page.
    """
    drawing = drawn(compiled, path)
    marks = {current: "maybe"} if current else {}
    marks |= dict.fromkeys([failed] if isinstance(failed, str) else failed, "bad")
    if unknown := sorted(set(marks) - set(drawing.nodes)):
        known = ", ".join(drawing.nodes)
        raise ValueError(f"no node called {', '.join(unknown)}; there are {known}")
    head = tag("div", escape(title), "rk-title") if title else ""
    if shutil.which("dot") is None:
        body = _listed(drawing, marks) + _mermaid_fold(compiled)
    else:
        body = _responsive(drawing, marks, direction)
    return Picture(head + body, (title + "\n" if title else "") + as_text(drawing))


def edges_of(compiled: Any) -> set[tuple[str, str]]:
    """Return the drawn edges as (from, to), with START and END named as LangGraph names them."""
    return {(edge.source, edge.target) for edge in compiled.get_graph().edges}


# --- graphviz ------------------------------------------------------------------------------------


def _responsive(drawing: Drawing, marks: dict[str, str], direction: str | None) -> str:
    """Draw left to right for a wide page and top to bottom for a narrow one; CSS picks."""
    if direction:
        return tag("div", _svg(drawing, marks, direction), "rk-graph")
    wide, narrow = _svg(drawing, marks, "LR"), _svg(drawing, marks, "TB")
    width = float(re.search(r"max-width:([\d.]+)px", wide)[1])
    if width > 1150:  # would shrink to small print even on a wide page
        return tag("div", narrow, "rk-graph")
    kind = "rk-graph rk-both" if width > 560 else "rk-graph rk-both-small"
    return tag("div", tag("div", wide, "rk-lr") + tag("div", narrow, "rk-tb"), kind)


def _svg(drawing: Drawing, marks: dict[str, str], direction: str) -> str:
    """Return inline SVG in the page's own ink, as wide as drawn or as the page allows."""
    source = to_dot(drawing, marks, direction)
    run = subprocess.run(
        ["dot", "-Tsvg"], input=source, capture_output=True, text=True, encoding="utf-8", timeout=30
    )
    if run.returncode:
        raise RuntimeError(f"dot could not draw the graph: {run.stderr.strip()}")
    svg = run.stdout[run.stdout.index("<svg") :]
    svg = re.sub(r"<!--.*?-->\n?", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<title>.*?</title>\n?", "", svg, flags=re.DOTALL)
    found = re.search(r'width="([\d.]+)pt" height="([\d.]+)pt"', svg)
    width, height = float(found[1]), float(found[2])
    scale = min(1.25, max(0.95, 900 / height))  # fits a projector's height, stays readable
    label = escape("; ".join(as_text(drawing).splitlines()))
    size = (
        f'style="width:100%;max-width:{width * scale:.0f}px;min-width:{width * _LEAST:.0f}px;'
        f'height:auto" role="img" aria-label="{label}"'
    )
    return _aside(width * _LEAST) + svg.replace(found[0], size, 1).replace(_INK, "currentColor")


def _aside(width: float) -> str:
    """Return a line that says how to see the rest, as high as a line only where there is a rest."""
    high = f"max-height:clamp(0px,({width:.0f}px - 100cqw) * 99,1.5em)"
    return tag("div", "↔ wider than this page: scroll sideways", "rk-aside", style=high)


def to_dot(drawing: Drawing, marks: dict[str, str], direction: str) -> str:
    """Return the drawing in graphviz's language."""
    lines = [
        f'digraph {{ rankdir={direction}; bgcolor="transparent"; nodesep=0.35; ranksep=0.42;',
        f'pad=0.08; node [shape=box style="rounded,filled" color="{_INK}" fillcolor="{_FAINT}"',
        f'fontcolor="{_INK}" fontname="{_FONT}" fontsize=14 margin="0.16,0.09" height=0.45',
        f'penwidth=1.3]; edge [color="{_INK}" fontcolor="{_INK}" fontname="{_FONT}" fontsize=13',
        "arrowsize=0.75 penwidth=1.2];",
    ]
    ids = {name: f"n{position}" for position, name in enumerate(drawing.nodes)}
    lines += [_dot_node(drawing, name, ids[name], marks) for name in drawing.nodes]
    lines += [_dot_edge(drawing, edge, ids) for edge in drawing.edges]
    lines += [
        f'{ids[a]} -> {ids[b]} [color="{COLOURS["web"]}" style=dotted penwidth=2.4 constraint=false'
        f' fontcolor="{COLOURS["web"]}" label={_quoted(f" jump {numbers(steps)} ")}];'
        for (a, b), steps in drawing.jumps.items()
    ]
    return "\n".join([*lines, "}"])


def _dot_node(drawing: Drawing, name: str, node: str, marks: dict[str, str]) -> str:
    label = shown(name)
    style: dict[str, str] = {}
    lit = name in drawing.visits or (name == START and bool(drawing.visits))
    lit = lit or any(end == name for _, end in drawing.taken)
    if name in (START, END):
        style |= {"shape": "box", "style": "rounded,filled", "fontsize": "13", "height": "0.3"}
        style |= {"margin": "0.12,0.04", "penwidth": "2.2" if name == END else "1.3"}
    if drawing.visits.get(name, 0) > 1:
        label += f" ×{drawing.visits[name]}"
    if tone := marks.get(name) or ("path" if lit else None):
        colour = COLOURS[tone]
        style |= {"color": colour, "fillcolor": colour + "33", "penwidth": "2.4"}
    elif drawing.visits:
        style |= {"color": _INK + "99", "fontcolor": _INK + "b0", "fillcolor": "#00000000"}
    if name in marks:
        label = {"maybe": "● ", "bad": "✕ "}[marks[name]] + label
    pairs = " ".join(f'{key}="{value}"' for key, value in style.items())
    return f"{node} [label={_quoted(label)} {pairs}];"


def _dot_edge(drawing: Drawing, edge: tuple[str, str, bool, str], ids: dict[str, str]) -> str:
    start, end, conditional, route = edge
    steps = drawing.taken.get((start, end), [])
    words = [route] if route else []
    style = {"style": "dashed"} if conditional else {}
    if steps:
        words.append(numbers(steps))
        style |= {"color": COLOURS["path"], "fontcolor": COLOURS["path"], "penwidth": "3"}
        style["style"] = "solid"
    elif drawing.visits:
        style |= {"color": _INK + "80", "fontcolor": _INK + "a0"}
    label = f"label={_quoted(' ' + ' · '.join(words) + ' ')}" if words else ""
    pairs = " ".join(f'{key}="{value}"' for key, value in style.items())
    return f"{ids[start]} -> {ids[end]} [{label} {pairs}];"


def _quoted(text: str) -> str:
    """Quote a label so that graphviz reads no ports, records, line breaks or entities in it."""
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return '"' + safe.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


# --- without graphviz ----------------------------------------------------------------------------


def _listed(drawing: Drawing, marks: dict[str, str]) -> str:
    rows = []
    for start, end, conditional, route in drawing.edges:
        steps = drawing.taken.get((start, end), [])
        arrow = "⇢" if conditional else "→"
        words = f"{escape(shown(start))} {arrow} {escape(shown(end))}"
        words = tag("b", words) if steps else words
        extra = tag("span", escape(route), "rk-soft") if route else ""
        extra += chip("path", f"step {numbers(steps)}") if steps else ""
        rows.append(tag("div", words + extra, "rk-line"))
    rows += [
        tag("div", chip("web", f"jump, step {numbers(steps)}") + escape(f"{a} → {b}"), "rk-line")
        for (a, b), steps in drawing.jumps.items()
    ]
    rows += [
        tag("div", chip(tone, _MARKS[tone]) + escape(name), "rk-line")
        for name, tone in marks.items()
    ]
    return stack(rows, "rk-card rk-stack")


def _mermaid_fold(compiled: Any) -> str:
    text = escape(compiled.get_graph().draw_mermaid(with_styles=False))
    why = "The program <code>dot</code> (Graphviz) draws this as a picture; here is Mermaid text"
    return folded(why, tag("pre", text, "rk-mono"))
