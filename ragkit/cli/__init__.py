"""The `ragkit` command: one module a subcommand, what is slow imported inside its function."""

from __future__ import annotations

from typing import Annotated

import typer

from ragkit import __version__
from ragkit.cli import audit
from ragkit.cli import eval as evaluate
from ragkit.cli.ask import ask
from ragkit.cli.doctor import doctor
from ragkit.cli.index import index
from ragkit.cli.lab import lab
from ragkit.cli.serve import serve_local

app = typer.Typer(
    no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=None
)
app.command()(lab)
app.command()(ask)
app.command()(index)
app.command()(doctor)
app.command("serve-local")(serve_local)
app.add_typer(evaluate.app, name="eval")
app.add_typer(audit.app, name="audit")


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ragkit {__version__}")
        raise typer.Exit


@app.callback()
def _ragkit(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Show it.")
    ] = False,
) -> None:
    """Self-correcting RAG as one ladder: notebooks, questions, measurements."""


def main() -> None:
    """Run the command line."""
    app()
