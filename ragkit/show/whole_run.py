"""The whole story of one run: question, path, evidence, answer, tag and reason."""

from __future__ import annotations

from typing import Any

from ragkit.show.answers import claims, marked
from ragkit.show.changes import badge
from ragkit.show.documents import evidence, sources
from ragkit.show.drawing import graph as draw_graph
from ragkit.show.history import timeline
from ragkit.show.page import Picture, chip, escape, folded, stack, tag


def story(run: Any, graph: Any = None) -> Picture:
    """Show a Run from question to tagged answer; with its compiled graph, draw the path on it."""
    state = run.state
    question = tag("div", escape(run.question), "rk-question")
    path = draw_graph(graph, run).html if graph is not None else _ribbon(run)
    support = state.get("citations") or (state.get("grounding") or {}).get("claims") or ()
    # a refusal has none: what was found and rejected stands under the evidence
    answered = run.documents and run.tag != "abstained"
    steps = f"{len(run.steps)} steps, {run.milliseconds:.0f} ms"
    parts = [
        question,
        path,
        _answer(run, support),
        folded("Sources", sources(run).html, opened=True) if answered else "",
        folded("Claims", claims(run.answer, support, run.documents).html) if support else "",
        folded("Evidence", evidence(run).html) if run.documents else "",
        folded(escape(f"Step by step: {steps}"), timeline(run).html),
    ]
    text = f"{run.question}\n{' > '.join(run.path)}\n{run.answer}\n{run.tag}: {run.reason}"
    return Picture(stack(part for part in parts if part), text)


def _answer(run: Any, support: Any) -> str:
    records = [r.model_dump() if hasattr(r, "model_dump") else dict(r) for r in support]
    body = tag("div", marked(run.answer, records, run.documents), "rk-answer rk-text")
    why = tag("span", escape(run.reason), "rk-soft")
    return tag("div", body + tag("div", badge(run.tag) + why, "rk-line"), "rk-card")


def _ribbon(run: Any) -> str:
    chips = [chip("path", node, str(number)) for number, node in enumerate(run.path, 1)]
    return stack(chips, "rk-line")
