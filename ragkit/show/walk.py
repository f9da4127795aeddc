"""Which of a graph's edges a run went through, and at which steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

START, END = "__start__", "__end__"


@dataclass
class Drawing:
    """A graph's nodes and edges, and how often and at which steps a run went through each."""

    nodes: list[str]
    edges: list[tuple[str, str, bool, str]]  # from, to, conditional, route name
    visits: dict[str, int] = field(default_factory=dict)
    taken: dict[tuple[str, str], list[int]] = field(default_factory=dict)
    jumps: dict[tuple[str, str], list[int]] = field(default_factory=dict)


def drawn(compiled: Any, path: Any = None) -> Drawing:
    """Return what a picture of the graph shows."""
    view = compiled.get_graph()
    edges = [
        (edge.source, edge.target, bool(edge.conditional), str(edge.data or ""))
        for edge in view.edges
    ]
    drawing = Drawing(list(view.nodes), edges)
    if path is not None:
        _follow(drawing, _names(path), finished=_finished(path))
    return drawing


def as_text(drawing: Drawing) -> str:
    """Return the drawing as one line an edge; `*` marks what was taken."""
    lines = []
    for start, end, conditional, route in drawing.edges:
        steps = drawing.taken.get((start, end), [])
        mark = "*" if steps else " "
        arrow = "-.->" if conditional else "-->"
        named = f"  [{route}]" if route else ""
        at = f"  step {numbers(steps)}" if steps else ""
        lines.append(f"{mark} {shown(start)} {arrow} {shown(end)}{named}{at}")
    lines += [f"* {a} ~~> {b}  jump, step {numbers(s)}" for (a, b), s in drawing.jumps.items()]
    return "\n".join(lines)


def _names(path: Any) -> list[str]:
    names = getattr(path, "path", path)
    if isinstance(names, str) or not isinstance(names, Sequence):
        raise TypeError(f"a path is a list of node names or a Run, not {type(path).__name__}")
    return [name for name in names if name not in (START, END)]


def _finished(path: Any) -> bool:
    return not getattr(path, "waiting", None)


def _follow(drawing: Drawing, names: list[str], finished: bool) -> None:
    """Number each step's edge; a step that no drawn edge explains is kept as a jump."""
    if unknown := sorted(set(names) - set(drawing.nodes)):
        raise ValueError(f"the path names {', '.join(unknown)}, which this graph does not have")
    chosen = {(start, end): conditional for start, end, conditional, _ in drawing.edges}
    walk = [START]
    children: list[list[int]] = [[]]
    for number, name in enumerate(names, 1):
        drawing.visits[name] = drawing.visits.get(name, 0) + 1
        sources = _sources(walk, children, name, chosen)
        if not sources:
            drawing.jumps.setdefault((walk[-1], name), []).append(number)
        for at in sources:
            drawing.taken.setdefault((walk[at], name), []).append(number)
            children[at].append(number)
        walk.append(name)
        children.append([])
    if finished and (walk[-1], END) in chosen:
        drawing.taken.setdefault((walk[-1], END), []).append(len(walk))


def _sources(
    walk: list[str], children: list[list[int]], name: str, chosen: dict[tuple[str, str], bool]
) -> list[int]:
    """Return the steps this one came from: the latest that leads here, and all a join waits for.

    A step that was already followed counts again only as a fan-out: its edge here is not a choice
    (or the same node was sent several tasks), and nothing has followed its other branches yet.
    """
    leads = [at for at in range(len(walk) - 1, -1, -1) if (walk[at], name) in chosen]
    open_ends = [at for at in leads if not children[at]]
    joined = [at for at in open_ends[1:] if not chosen[walk[at], name]]
    if open_ends:
        return open_ends[:1] + joined
    for at in leads:
        repeated = all(walk[child] == name for child in children[at])
        unfollowed = not any(children[child] for child in children[at])
        if unfollowed and (repeated or not chosen[walk[at], name]):
            return [at]
    return []


def numbers(steps: Sequence[int]) -> str:
    """Return step numbers as a reader sees them."""
    return ", ".join(map(str, steps))


def shown(name: str) -> str:
    """Return a node's name as a reader sees it."""
    return {START: "START", END: "END"}.get(name, name)
