"""`ragkit index`: read a folder of your own pages, keep it as an index, search it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

STATES = ("new", "changed", "removed", "unchanged")
SHOWN = 160


def index(
    folder: Annotated[Path, typer.Argument(help="Markdown, text, HTML and PDF, at any depth.")],
    path: Annotated[Path | None, typer.Option(help="Keep the index in this folder.")] = None,
    server: Annotated[
        str | None, typer.Option(help="Keep it on a Chroma server: host:port or a URL.")
    ] = None,
    name: Annotated[str, typer.Option(help="The name of the index.")] = "ragkit",
    search: Annotated[str | None, typer.Option(help="Show what this query finds.")] = None,
    k: Annotated[int, typer.Option("-k", min=1, help="How many hits to show.")] = 5,
) -> None:
    """Index a folder: what was read, what was left out and why, what changed since last time."""
    from rich.console import Console

    from ragkit.corpus import load_corpus
    from ragkit.index import build_index

    console = Console()
    try:
        corpus = load_corpus(folder)
        if not corpus.documents:
            _print_skipped(console, corpus)
            raise ValueError(f"nothing in {folder} could be indexed; an index stays as it was")
        built = build_index(corpus.documents, path=path, server=server, name=name)
    except (OSError, ValueError, RuntimeError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    _print_summary(console, corpus, built)
    if path is None and server is None:
        _line(console, "kept in memory only: give --path or --server to keep it")
    _print_skipped(console, corpus)
    if search is not None:
        _print_hits(console, built.scored(search, k), search)


def _print_summary(console: Any, corpus: Any, built: Any) -> None:
    from rich.table import Table

    changes = built.changes
    table = Table("pages", "", title=f"{corpus.pages} pages, {len(built)} chunks")
    for state in STATES:
        table.add_row(state, str(sum(found == state for found in changes.pages.values())))
    table.add_row("left out", str(len(corpus.skipped)))
    console.print(table)
    console.print(
        f"chunks: {len(changes.added)} added, {len(changes.removed)} removed, "
        f"{len(changes.changed)} with new metadata, {changes.kept} as before",
        highlight=False,
    )
    if set(changes.pages.values()) != {"new"}:
        for source, state in changes.pages.items():
            if state != "unchanged":
                _line(console, f"{state}: {source}")


def _print_skipped(console: Any, corpus: Any) -> None:
    for skipped in corpus.skipped:
        _line(console, f"left out {skipped.source}: {skipped.reason}")
    for source, note in corpus.notes:
        _line(console, f"note on {source}: {note}")


def _print_hits(console: Any, hits: list[Any], query: str) -> None:
    from rich.table import Table
    from rich.text import Text

    if not hits:
        _line(console, f"nothing found for {query!r}")
        return
    table = Table("score", "source", "text")
    for document, score in hits:
        text = " ".join(document["content"].split())[:SHOWN]
        table.add_row(f"{score:.3f}", Text(document["metadata"]["source"]), Text(text))
    console.print(table)


def _line(console: Any, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)
