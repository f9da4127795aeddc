"""`ragkit eval`: measure the parts and the rungs, against gold, with counts and intervals."""

from __future__ import annotations

from collections.abc import Iterable
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


def make_kit(name: str) -> Any:
    """Return the kit of that name; only the chat kit reads OPENAI_* from the environment."""
    from ragkit.kit import offline_kit

    if name == "offline":
        return offline_kit()
    from ragkit.kit import chat_kit

    return chat_kit()


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
