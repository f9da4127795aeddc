"""The views of notebooks 02 and 06 that follow a threshold, with a kit that counts its work."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ragkit.kit import Kit

FOLDER = Path(__file__).parents[1] / "notebooks"
CUTS = [at / 20 for at in range(1, 19)]
JOBS = (
    "retriever", "grader", "rewriter", "generator", "router", "web", "split", "strip_grader",
    "grounder", "section",
)  # fmt: skip


class Counted:
    """A component that notes each call and is otherwise the one it stands for."""

    def __init__(self, component: Any, name: str, calls: list[str]) -> None:
        self._component, self._name, self._calls = component, name, calls

    def __call__(self, *args: Any, **named: Any) -> Any:
        self._calls.append(self._name)
        return self._component(*args, **named)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._component, name)


def counted(kit: Kit) -> tuple[Kit, list[str]]:
    """Return the kit with every component counted, and the list that its calls fill."""
    calls: list[str] = []
    return kit.replace(**{job: Counted(getattr(kit, job), job, calls) for job in JOBS}), calls


def views(kit: Kit, practice: Sequence[Any], pools: Sequence[Any]) -> dict[str, Callable[..., Any]]:
    """Run both notebooks on these pools; return their views as functions of one cut."""
    given = {"kit": kit, "practice": list(practice), "pools": list(pools)}
    grading = _run("02_grading", given)
    by_id = {question.id: question for question in practice}
    crag = _run("06_crag", {**given, "by_id": by_id, "batch": list(pools)[:4]})
    pairs = {"mapped": grading["mapped"], "moves": crag["moves"], "rates_at": crag["rates_at"]}
    one_cut = {name: partial(_at, view) for name, view in pairs.items()}
    return {"at": grading["at"], **one_cut}


def _at(view: Callable[..., Any], cut: float) -> Any:
    return view((cut, cut + 0.05))


def _run(name: str, given: dict[str, Any]) -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location(f"redrawn_{name}", FOLDER / f"{name}.py")
    notebook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(notebook)
    return dict(notebook.app.run(defs=given)[1])
