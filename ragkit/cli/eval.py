"""`ragkit eval`: measure the parts and the rungs, against gold, with counts and intervals."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from ragkit.cli import options, sets
from ragkit.cli.options import (
    HalfOption,
    JobsOption,
    KitOption,
    OutOption,
    QuestionsOption,
    RecordsOption,
)

app = typer.Typer(no_args_is_help=True)


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

    asked = options.read_questions(questions, half)
    bag = options.make_kit(kit)
    figures = measure_components(bag, asked, progress=options.progress)
    options.show(figures, f"components · {bag.name} · {half} · {len(asked)} questions", out)


@app.command()
def ladder(
    half: HalfOption = "exam",
    questions: QuestionsOption = None,
    out: OutOption = None,
    kit: KitOption = "offline",
    rungs: Annotated[
        str, typer.Option("--rungs", help="Which rungs, by comma; the first is compared with.")
    ] = "naive,arsc,budgeted,corrective,crag,audited",
    records: RecordsOption = None,
    jobs: JobsOption = 1,
    config: Annotated[
        Path | None,
        typer.Option("--config", help="Thresholds for crag and audited, from calibrate."),
    ] = None,
) -> None:
    """Run every rung on the same questions and show what each one gains, costs and breaks."""
    asked, chosen = (
        options.read_questions(questions, half),
        options.rungs_of(rungs.split(","), config),
    )
    _climb(kit, asked, chosen, records, jobs, out, f"ladder · {half}")


def _climb(
    kit: str, asked: Any, rungs: Any, records: Path | None, jobs: int, out: Path | None, title: str
) -> None:
    bag = options.make_kit(kit)
    found = _run(bag, asked, rungs, records, jobs)
    _report(found, out, f"{title} · {bag.name} · {len(asked)} questions")


def _run(bag: Any, asked: Any, rungs: Any, records: Path | None, jobs: int) -> list[Any]:
    from tqdm import tqdm

    from ragkit.evaluation.ladder import climb

    bar = partial(tqdm, unit="run", disable=None)
    return climb(bag, asked, rungs, records, jobs=jobs, progress=bar)


@app.command()
def ablation(
    half: HalfOption = "exam",
    questions: QuestionsOption = None,
    out: OutOption = None,
    kit: KitOption = "offline",
    records: RecordsOption = None,
    jobs: JobsOption = 1,
) -> None:
    """Switch each guard of the audited loop off in turn: what gets out that was held back?

    Twice: with the kit's own writer, and with one whose every draft holds a fault.
    """
    from rich.console import Console

    from ragkit.evaluation.ablation import (
        ablations,
        with_faulty_writer,
        worth_figures,
        worth_table,
        worths,
    )
    from ragkit.evaluation.about import about_run
    from ragkit.evaluation.figures import write

    asked, bag = options.read_questions(questions, half), options.make_kit(kit)
    own, faulty = (
        _run(one, asked, ablations(), records, jobs) for one in (bag, with_faulty_writer(bag))
    )
    title = f"ablation · {half} · {bag.name} · {len(asked)} questions"
    found = worths(own, faulty)
    Console().print(title, worth_table(found), sep="\n")
    if out:
        write(worth_figures(found), out, about_run(title))
        typer.echo(f"written to {out}")


@app.command()
def table(
    results: Annotated[
        Path, typer.Argument(exists=True, dir_okay=False, help="What ladder --out wrote, JSON.")
    ],
    write: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Put it into this Markdown.")
    ] = None,
) -> None:
    """Print the headline table of a kept ladder, or write it between a page's ladder marks."""
    from ragkit.evaluation.readme import insert_table, readme_table

    try:
        made = readme_table(results)
        if write is None:
            typer.echo(made)
            return
        page = insert_table(write.read_text(encoding="utf-8"), made)
    except (ValueError, KeyError) as error:
        raise typer.BadParameter(f"{error.args[0]}") from None
    write.write_text(page, encoding="utf-8")


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


for command in (sets.public, sets.calibrate, sets.shadow):
    app.command()(command)
