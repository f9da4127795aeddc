"""Climb the ladder: every rung on every question, one record each, going on where it stopped."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ragkit.config import GraphConfig
from ragkit.evaluation.questions import Question
from ragkit.evaluation.records import (
    EvalRecord,
    config_hash,
    make_record,
    read_records,
    write_record,
)
from ragkit.graphs import CONFIGS, RUNGS, build
from ragkit.kit import Kit
from ragkit.redact import describe
from ragkit.runs import Run, ask


@dataclass(frozen=True)
class Rung:
    """One graph with one config; `name` is its column in the tables."""

    name: str
    build: Callable[[Kit], Any]
    config: GraphConfig


def rung(graph: str, config: GraphConfig | None = None, name: str = "") -> Rung:
    """Return a rung of ragkit's ladder, with the article's defaults unless given a config.

    Raises ValueError that lists the graphs for a name that is none.
    """
    if graph not in CONFIGS:
        raise ValueError(f"no graph called {graph!r}; there are {', '.join(RUNGS)}")
    return Rung(name or graph, partial(build, graph), config or CONFIGS[graph]())


def climb(
    kit: Kit,
    questions: Sequence[Question],
    rungs: Iterable[Rung],
    path: str | Path | None = None,
    *,
    jobs: int = 1,
    progress: Callable[..., Any] | None = None,
) -> list[EvalRecord]:
    """Ask every question on every rung and return the records, by rung and question.

    With a `path` each record is kept as soon as it is made, and what the file has already is not
    asked again; runs that broke off are. `jobs` questions are asked at once. `progress(total=n)`
    makes a bar with `update()` and `close()`, like tqdm.
    """
    chosen = list(rungs)
    done = {r.key: r for r in _kept(path) if not r.error}
    keys = [(r.name, kit.name, config_hash(r.config), q.id) for r in chosen for q in questions]
    graphs = {r.name: r.build(kit) for r in chosen}
    bar = progress(total=len(keys), initial=sum(key in done for key in keys)) if progress else None
    with ThreadPoolExecutor(max(1, jobs)) as pool:
        waiting = {
            pool.submit(_one, graphs[r.name], r, q, kit.name, path)
            for r in chosen
            for q in questions
            if (r.name, kit.name, config_hash(r.config), q.id) not in done
        }
        try:
            for future in as_completed(waiting):
                record = future.result()
                done[record.key] = record
                if bar is not None:
                    bar.update()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            if bar is not None:
                bar.close()
    return [done[key] for key in keys]


def _kept(path: str | Path | None) -> list[EvalRecord]:
    return read_records(path) if path and Path(path).exists() else []


def _one(
    graph: Any, rung: Rung, question: Question, kit: str, path: str | Path | None
) -> EvalRecord:
    record = run_one(graph, rung, question, kit)
    if path:
        write_record(path, record)
    return record


def run_one(graph: Any, rung: Rung, question: Question, kit: str) -> EvalRecord:
    """Ask one question; a run that raises is recorded as far as it came."""
    steps: list[dict[str, Any]] = []
    error = ""
    try:
        run = ask(
            graph, question.question, config=rung.config, history=question.history,
            on_step=lambda node, update: steps.append({"node": node, "update": update, "ms": 0.0}),
        )  # fmt: skip
    except Exception as broken:
        error = describe(broken)
        run = Run(graph.name, None, question.question, {}, steps)
    if run.thread_id and hasattr(graph.checkpointer, "delete_thread"):
        graph.checkpointer.delete_thread(run.thread_id)
    return make_record(question, run, kit, rung.config, rung=rung.name, error=error)
