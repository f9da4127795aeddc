"""`ragkit doctor`: what this machine lacks, one line each with what to do."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Callable, Iterator
from typing import Annotated

import typer

from ragkit.cli import checks
from ragkit.cli.checks import Check

SIGNS = {"ok": "ok  ", "warn": "note", "fail": "FAIL"}


def doctor(
    sizes: Annotated[bool, typer.Option("--sizes", help="List what takes the disk space.")] = False,
) -> None:
    """Check this machine; exit code 1 when something needed is missing or broken."""
    if sizes:
        from ragkit.cli.sizes import report

        typer.echo(report())
        return
    broken = 0
    for check in run():
        broken += check.level == "fail"
        typer.echo(f"{SIGNS[check.level]}  {check.name:<9} {check.text}")
    typer.echo(f"{broken} to mend." if broken else "All that is needed is here.")
    raise typer.Exit(1 if broken else 0)


def run() -> Iterator[Check]:
    """Yield the checks one by one; a check that breaks counts as failed, the rest still run."""
    steps: dict[str, Callable[[], Iterator[Check]]] = {
        "python": lambda: checks.python(sys.version_info[:3]),
        "packages": lambda: checks.packages(checks.requirements()),
        "dot": checks.graphviz,
        "sqlite": lambda: checks.sqlite(sqlite3.sqlite_version),
        "model": checks.model,
        "data": checks.shipped_files,
        "cache": checks.cache,
        "chat": checks.chat_model,
    }
    for name, step in steps.items():
        try:
            yield from step()
        except FileNotFoundError as error:
            yield Check("fail", name, str(error))
        except Exception as error:
            yield Check("fail", name, f"could not be checked: {type(error).__name__}: {error}")
