"""Where the reader works: on the notebooks themselves, or on a copy that is theirs."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from pathlib import Path

import typer

from ragkit import notebooks_dir
from ragkit.cli.gallery import numbered_notebooks

# the same as [tool.marimo] in the project's pyproject.toml, which a copy does not see
MARIMO_SETTINGS = """\
[tool.marimo.runtime]
auto_instantiate = true
auto_reload = "autorun"

[tool.marimo.display]
theme = "system"

[tool.marimo.formatting]
line_length = 100
"""
_LEDGER = ".shipped.json"


def prepare(kind: str, folder: Path | None = None) -> Path:
    """Return the folder to open for `kind` ("marimo" or "jupyter"), with its notebooks in it.

    A checkout's marimo notebooks are opened in place: they are the source. Everything else is
    copied, to `folder` or a default one, and what the reader changed there is never overwritten.

    Raises:
        FileNotFoundError: this ragkit came without notebooks of that kind.
    """
    shipped = notebooks_dir()
    source = shipped / "jupyter" if kind == "jupyter" else shipped
    pattern = ".ipynb" if kind == "jupyter" else ".py"
    names = [path.name for path in numbered_notebooks(source, pattern)]
    if not names:
        raise FileNotFoundError(f"no notebook found in {source}")
    is_checkout = shipped.name == "notebooks"
    if kind == "marimo" and is_checkout and folder is None and os.access(source, os.W_OK):
        return source
    target = (folder or _default(shipped, is_checkout)).expanduser().resolve() / kind
    _copy(source, target, names)
    if kind == "marimo":
        (target / "pyproject.toml").write_text(MARIMO_SETTINGS, encoding="utf-8")
    typer.echo(f"Your notebooks are in {target}; what you change there is kept.")
    return target


def _default(shipped: Path, is_checkout: bool) -> Path:
    if is_checkout and os.access(shipped.parent, os.W_OK):
        return shipped.parent / "workbook"
    return Path.home() / "ragkit-notebooks"


def _copy(source: Path, target: Path, names: list[str]) -> None:
    target.mkdir(parents=True, exist_ok=True)
    ledger = _read_ledger(target / _LEDGER)
    for name in names:
        copy, digest = target / name, _digest(source / name)
        if not copy.exists() or _digest(copy) in (ledger.get(name), digest):
            shutil.copyfile(source / name, copy)
            ledger[name] = digest
        elif ledger.get(name) != digest:
            typer.echo(f"{name} has a newer version; yours stays (delete it to get the new one).")
    (target / _LEDGER).write_text(json.dumps(ledger, indent=1), encoding="utf-8")


def _read_ledger(path: Path) -> dict[str, str]:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return {}


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
