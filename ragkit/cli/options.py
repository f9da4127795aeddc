"""What the subcommands of `ragkit eval` share: options, reading questions, showing figures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

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
RecordsOption = Annotated[
    Path | None,
    typer.Option("--records", help="Keep every run here and go on with what is in it."),
]
JobsOption = Annotated[int, typer.Option("--jobs", min=1, help="Questions asked at once.")]
KitOption = Annotated[
    Literal["offline", "chat"],
    typer.Option("--kit", help="Who thinks: rules and a small embedding model, or a chat model."),
]


def make_kit(name: str, corpus: Any = None, *, live: bool = False) -> Any:
    """Return the kit of that name; only the chat kit reads OPENAI_* from the environment.

    `corpus` is an index or a folder of pages to search instead of the company's. Unless `live`, the
    offline kit's clock stands still, so that no figure depends on how busy the machine is. Ends the
    command with the reason when there is no key or no such folder.
    """
    from ragkit import chat_kit, offline_kit

    make = offline_kit if name == "offline" else chat_kit
    try:
        kit = make(corpus=corpus)
    except (OSError, ValueError, ImportError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    return kit if live or name == "chat" else kit.replace(clock=lambda: 0.0)


def read_questions(path: Path | None, half: str) -> list[Any]:
    """Return the questions of a half, or say what is wrong with the file."""
    from ragkit.evaluation.questions import load_questions

    try:
        found = load_questions(path, None if half == "all" else half)  # type: ignore[arg-type]
    except (OSError, ValueError) as error:
        raise typer.BadParameter(str(error)) from None
    if not found:
        raise typer.BadParameter(f"no question of half {half!r}: try --half all")
    return found


def progress(items: Iterable[Any]) -> Iterable[Any]:
    """Wrap a loop with a bar, silent where nobody watches."""
    from tqdm import tqdm

    return tqdm(items, leave=False, unit="question", disable=None)


def rungs_of(names: Iterable[str], config: Path | None = None) -> list[Any]:
    """Return the named rungs; `config` holds thresholds for those that cut by two."""
    from ragkit.evaluation.ladder import rung
    from ragkit.graphs import CONFIGS

    try:
        named = [rung(name.strip()) for name in names]
        if config is None:
            return named
        own = {name: kind.from_file(config) for name, kind in CONFIGS.items() if _cuts(kind)}
        return [rung(one.name, own.get(one.name)) for one in named]
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def _cuts(config: Any) -> bool:
    from ragkit.config import TwoThresholds

    return issubclass(config, TwoThresholds)


def show(figures: list[Any], title: str, out: Path | None, **about: Any) -> None:
    """Print figures as a table and keep them where asked."""
    from rich.console import Console

    from ragkit.evaluation.figures import table

    Console().print(table(figures, title))
    keep(figures, title, out, **about)


def keep(figures: list[Any], title: str, out: Path | None, **about: Any) -> None:
    """Write figures with what they were measured with."""
    from ragkit.evaluation.about import about_run
    from ragkit.evaluation.figures import write

    if out:
        write(figures, out, about_run(title, **about))
        typer.echo(f"written to {out}")
