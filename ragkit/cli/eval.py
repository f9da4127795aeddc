"""`ragkit eval`: measure the parts and the rungs, against gold, with counts and intervals."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

app = typer.Typer(no_args_is_help=True)

HalfOption = Annotated[
    Literal["practice", "exam", "all"],
    typer.Option("--half", help="practice may be looked at when tuning, exam is only scored."),
]
QuestionsOption = Annotated[
    Path | None,
    typer.Option("--questions", help="Your questions as JSON lines; else the company's."),
]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="Keep the result: .md for Markdown, else JSON.")
]
KitOption = Annotated[
    Literal["offline", "chat"],
    typer.Option("--kit", help="Who thinks: rules and a small embedding model, or a chat model."),
]


@app.callback()
def _eval() -> None:
    """Measure the parts and the rungs against gold."""


@app.command()
def components(
    half: HalfOption = "exam",
    questions: QuestionsOption = None,
    out: OutOption = None,
    kit: KitOption = "offline",
) -> None:
    """Measure the grader, the retriever and the rewriter by themselves."""
    from ragkit.evaluation.components import measure_components

    asked = _questions(questions, half)
    bag = make_kit(kit)
    figures = measure_components(bag, asked, progress=_progress)
    _show(figures, f"components · {bag.name} · {half} · {len(asked)} questions", out)


@app.command()
def ladder(
    half: HalfOption = "exam",
    questions: QuestionsOption = None,
    out: OutOption = None,
    kit: KitOption = "offline",
    rungs: Annotated[
        str, typer.Option("--rungs", help="Which rungs, by comma; the first is compared with.")
    ] = "naive,arsc,budgeted,corrective,crag,audited",
    records: Annotated[
        Path | None,
        typer.Option("--records", help="Keep every run here and go on with what is in it."),
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, help="Questions asked at once.")] = 1,
) -> None:
    """Run every rung on the same questions and show what each one gains, costs and breaks."""
    from tqdm import tqdm

    from ragkit.evaluation.ladder import climb, rung

    asked = _questions(questions, half)
    try:
        chosen = [rung(name.strip()) for name in rungs.split(",")]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    bag = make_kit(kit)
    found = climb(
        bag, asked, chosen, records, jobs=jobs, progress=partial(tqdm, unit="run", disable=None)
    )
    _report(found, out, f"ladder · {bag.name} · {half} · {len(asked)} questions")


@app.command()
def report(
    records: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="Kept runs.")],
    out: OutOption = None,
) -> None:
    """Show the ladder again from kept runs, without asking anything."""
    from ragkit.evaluation.records import read_records

    try:
        found = read_records(records)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    if not found:
        raise typer.BadParameter(f"{records} holds no runs")
    _report(found, out, f"ladder · {records.name}")


@app.command()
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
    bag, figures = make_kit(kit), []
    measured = measure_sets(
        bag, data, tasks=task or list(TASKS), sets=only or (), limit=limit, progress=_progress,
        kit_for=lambda index: make_kit(kit, index),
    )  # fmt: skip
    for _, some in measured:
        Console().print(table(some))
        figures += some
    _keep(figures, f"public sets · {bag.name}", out, limit=limit)


@app.command()
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

    bag = make_kit(kit)
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
        judged = judged_by_half(kit, _questions(questions, "all"), _progress)
        return from_judged(judged["practice"]), from_judged(judged["exam"])
    own = load_labels(labels)
    halves = ([x for x in own if x.part == "practice"], [x for x in own if x.part == "exam"])
    return tuple(score_labels(kit.grader, half, _progress) for half in halves)  # type: ignore


@app.command()
def shadow(
    before: Annotated[str, typer.Option(help="The rung that users get.")] = "naive",
    after: Annotated[str, typer.Option(help="The rung that may take over.")] = "audited",
    half: HalfOption = "practice",
    questions: QuestionsOption = None,
    records: Annotated[
        Path | None, typer.Option("--records", help="Kept runs: what is in it is not asked again.")
    ] = None,
    out: Annotated[
        Path, typer.Option("--out", help="Where the differences go: .csv, else HTML.")
    ] = Path("shadow.html"),
    kit: KitOption = "offline",
    jobs: Annotated[int, typer.Option(min=1, help="Questions asked at once.")] = 1,
) -> None:
    """Run two rungs silently side by side and list where they differ."""
    from tqdm import tqdm

    from ragkit.evaluation.ladder import climb, rung
    from ragkit.evaluation.shadow import counts, pairs, write_shadow

    asked = _questions(questions, half)
    try:
        chosen = [rung(before), rung(after)]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    bag = make_kit(kit)
    runs = climb(
        bag, asked, chosen, records, jobs=jobs, progress=partial(tqdm, unit="run", disable=None)
    )
    found = pairs(runs, before, after)
    for kind, count in counts(found).items():
        typer.echo(f"{count:>5}  {kind}")
    write_shadow(found, out, f"{before} and {after}, side by side · {bag.name} · {half}")
    typer.echo(f"written to {out}")


def _report(records: list[Any], out: Path | None, title: str) -> None:
    from rich.console import Console

    from ragkit.evaluation.about import about_run
    from ragkit.evaluation.alarms import find_alarms
    from ragkit.evaluation.report import ladder_table, latency_table, write_ladder

    console = Console()
    console.print(title)
    console.print(ladder_table(records), latency_table(records))
    console.print(
        "green and red: a clear difference to the first rung (95 % paired bootstrap leaves out 0)"
    )
    for alarm in find_alarms(records):
        console.print(f"alarm: {alarm}", style="yellow", markup=False)
    if out:
        write_ladder(records, out, about_run(title))
        typer.echo(f"written to {out}")


def make_kit(name: str, corpus: Any = None) -> Any:
    """Return the kit of that name; only the chat kit reads OPENAI_* from the environment.

    `corpus` is an index or a folder of pages to search instead of the company's.
    """
    from ragkit import chat_kit, offline_kit

    make = offline_kit if name == "offline" else chat_kit
    return make() if corpus is None else make(corpus=corpus)


def _questions(path: Path | None, half: str) -> list[Any]:
    from ragkit.evaluation.questions import load_questions

    try:
        found = load_questions(path, None if half == "all" else half)  # type: ignore[arg-type]
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    if not found:
        raise typer.BadParameter(f"no question of half {half!r}: try --half all")
    return found


def _progress(items: Iterable[Any]) -> Iterable[Any]:
    from tqdm import tqdm

    return tqdm(items, leave=False, unit="question", disable=None)


def _show(figures: list[Any], title: str, out: Path | None, **about: Any) -> None:
    from rich.console import Console

    from ragkit.evaluation.figures import table

    Console().print(table(figures, title))
    _keep(figures, title, out, **about)


def _keep(figures: list[Any], title: str, out: Path | None, **about: Any) -> None:
    from ragkit.evaluation.about import about_run
    from ragkit.evaluation.figures import write

    if out:
        write(figures, out, about_run(title, **about))
        typer.echo(f"written to {out}")
