"""`ragkit eval public`, `calibrate`, `shadow`: labels of others, thresholds, side by side."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ragkit.cli import options
from ragkit.cli.options import (
    HalfOption,
    JobsOption,
    KitOption,
    OutOption,
    QuestionsOption,
    RecordsOption,
)


def public(
    data: Annotated[Path, typer.Option("--data", help="The folder with the public sets.")],
    task: Annotated[
        list[str] | None, typer.Option("--task", help="relevance, support, ...; all without it.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option("--set", help="By file name, fm2.")] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="About so many records a set, drawn by seed.")
    ] = None,
    out: OutOption = None,
    kit: KitOption = "offline",
) -> None:
    """Measure on public labelled sets, each figure beside word overlap and cosine."""
    from rich.console import Console

    from ragkit.evaluation.figures import table
    from ragkit.evaluation.public import TASKS, find_sets, measure_sets

    try:
        found = find_sets(data, task or list(TASKS))
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if not found:
        typer.echo(f"no public set in {data}: nothing to measure")
        return
    bag, figures = options.make_kit(kit), []
    measured = measure_sets(
        bag, data, tasks=task or list(TASKS), sets=only or (), limit=limit,
        progress=options.progress, kit_for=lambda index: options.make_kit(kit, index),
    )  # fmt: skip
    for _, some in measured:
        Console().print(table(some))
        figures += some
    options.keep(figures, f"public sets · {bag.name}", out, limit=limit)


def calibrate(
    out: Annotated[Path, typer.Option("--out", help="The config file to write.")] = Path(
        "thresholds.json"
    ),
    questions: QuestionsOption = None,
    labels: Annotated[
        Path | None,
        typer.Option("--labels", help="Your labels as JSON lines: question, text, relevant."),
    ] = None,
    precision: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="So many of the kept must be relevant.")
    ] = 0.9,
    loss: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="So many of the relevant may be dropped.")
    ] = 0.05,
    kit: KitOption = "offline",
) -> None:
    """Choose the pass and fail thresholds on practice, score them on exam, write a config file."""
    from rich.console import Console

    from ragkit.evaluation.about import about_run
    from ragkit.evaluation.calibration import choose, expected, write_thresholds
    from ragkit.evaluation.figures import table

    bag = options.make_kit(kit)
    try:
        practice, exam = _halves(bag, questions, labels)
        choice = choose(practice, precision=precision, loss=loss)
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    figures = [*expected(practice, choice, "practice (chosen on)"), *expected(exam, choice, "exam")]
    console = Console()
    console.print(table(figures, f"thresholds · {bag.name}"))
    for warning in choice.warnings:
        console.print(f"warning: {warning}", style="yellow", markup=False)
    about = about_run("thresholds", kit=bag.name, precision=precision, loss=loss)
    write_thresholds(out, choice, figures, about)
    typer.echo(f"pass {choice.pass_threshold}, fail {choice.fail_threshold}: written to {out}")
    typer.echo(f'try it: ragkit ask "..." --graph crag --config {out}')


def _halves(kit: Any, questions: Path | None, labels: Path | None) -> tuple[Any, Any]:
    from ragkit.evaluation.calibration import from_judged, load_labels, score_labels
    from ragkit.evaluation.components import judged_by_half

    if labels is None:
        judged = judged_by_half(kit, options.read_questions(questions, "all"), options.progress)
        return from_judged(judged["practice"]), from_judged(judged["exam"])
    own = load_labels(labels)
    halves = ([x for x in own if x.part == "practice"], [x for x in own if x.part == "exam"])
    return tuple(score_labels(kit.grader, half, options.progress) for half in halves)  # type: ignore


def shadow(
    before: Annotated[str, typer.Option(help="The rung that users get.")] = "naive",
    after: Annotated[str, typer.Option(help="The rung that may take over.")] = "audited",
    half: HalfOption = "practice",
    questions: QuestionsOption = None,
    records: RecordsOption = None,
    out: Annotated[
        Path, typer.Option("--out", help="Where the differences go: .csv, else HTML.")
    ] = Path("shadow.html"),
    kit: KitOption = "offline",
    jobs: JobsOption = 1,
) -> None:
    """Run two rungs silently side by side and list where they differ."""
    from tqdm import tqdm

    from ragkit.evaluation.ladder import climb
    from ragkit.evaluation.shadow import counts, pairs, write_shadow

    asked, chosen = options.read_questions(questions, half), options.rungs_of([before, after])
    bag = options.make_kit(kit)
    runs = climb(
        bag, asked, chosen, records, jobs=jobs, progress=partial(tqdm, unit="run", disable=None)
    )
    found = pairs(runs, before, after)
    for kind, count in counts(found).items():
        typer.echo(f"{count:>5}  {kind}")
    write_shadow(found, out, f"{before} and {after}, side by side · {bag.name} · {half}")
    typer.echo(f"written to {out}")
