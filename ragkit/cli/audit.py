"""`ragkit audit`: check an audit log and decide its steps again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(no_args_is_help=True)
FileArgument = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, help="An audit log, JSON lines.")
]


@app.callback()
def _audit() -> None:
    """Check an audit log and decide its steps again."""


@app.command()
def verify(
    file: FileArgument,
    head: Annotated[
        str | None, typer.Option(help="A hash that you kept: the log must still hold its event.")
    ] = None,
    count: Annotated[
        int | None, typer.Option(min=0, help="The least number of events there must be.")
    ] = None,
) -> None:
    """Find any edit, deletion or reordering; exit code 1 names the first bad event.

    That events were cut off the end shows only with --head or --count, kept outside the file.
    """
    from ragkit.journal import verify as check

    report = check(file, head=head, count=count)
    typer.echo(f"{len(report.events)} events of {len(report.runs)} runs follow from each other.")
    if report.recovered:
        typer.echo(f"{report.recovered} torn line(s) were set aside in {file}.torn after a crash.")
    if report.problem:
        typer.echo(f"{file}: {report.problem}", err=True)
        raise typer.Exit(1)
    typer.echo(f"head {report.head}")
    if head is None and count is None:
        typer.echo("A cut end shows only with an anchor: keep this head, or the count.")


@app.command()
def replay(file: FileArgument) -> None:
    """Let the routers decide again on the logged verdicts; exit code 1 where they differ."""
    from ragkit.journal import replay as decide

    try:
        decisions = decide(file)
    except ValueError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from None
    wrong = [decision for decision in decisions if not decision.same]
    open_ends = sum(decision.logged is None and not decision.error for decision in decisions)
    for decision in wrong:
        logged, now = (
            ", ".join(names) or "end" for names in (decision.logged or (), decision.replayed)
        )
        said = decision.error or f"the log says {logged}, the router says {now}"
        typer.echo(f"run {decision.run}, after {decision.node}: {said}", err=True)
    agreed = len(decisions) - len(wrong) - open_ends
    typer.echo(f"{agreed} of {len(decisions)} decisions reached again, {len(wrong)} differ.")
    if open_ends:
        typer.echo(f"{open_ends} last steps without a successor in the log: nothing to compare.")
    raise typer.Exit(1 if wrong else 0)
