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
    found = climb(bag, asked, chosen, records, jobs=jobs, progress=partial(tqdm, unit="run"))
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


def make_kit(name: str, docs: Path | None = None) -> Any:
    """Return the kit of that name; only the chat kit reads OPENAI_* from the environment.

    `docs` is a folder of pages to search instead of the company's.
    """
    from ragkit import chat_kit, offline_kit

    make = offline_kit if name == "offline" else chat_kit
    if docs is None:
        return make()
    from ragkit.corpus import load_corpus

    return make(corpus=load_corpus(docs))


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

    return tqdm(items, leave=False, unit="question")


def _show(figures: list[Any], title: str, out: Path | None, **about: Any) -> None:
    from rich.console import Console

    from ragkit.evaluation.about import about_run
    from ragkit.evaluation.figures import table, write

    Console().print(table(figures, title))
    if out:
        write(figures, out, about_run(title, **about))
        typer.echo(f"written to {out}")
