"""Every notebook: its form, its export, its exercises, and that it runs however it is moved."""

from __future__ import annotations

import ast
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import front_ends
import notebook_rules as rules
import pytest

from ragkit.exercises import check, exercises

FOLDER = front_ends.ROOT / "notebooks"
SOURCES = sorted(FOLDER.glob("[0-9]*.py"))
each = pytest.mark.parametrize("source", SOURCES, ids=[path.stem for path in SOURCES])


def load(source: Path) -> ModuleType:
    """Import a notebook without running its cells."""
    spec = importlib.util.spec_from_file_location(f"notebook_{source.stem}", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(source: Path, **moved: Any) -> dict[str, Any]:
    """Run a notebook with some controls moved, `run(source, threshold=0.9)`; return its names."""
    controls = {name: SimpleNamespace(value=value, reading=value) for name, value in moved.items()}
    notebook = load(source)
    _, defined = notebook.app.run(defs=controls)
    return {**vars(notebook), **defined}


@cache
def ran(source: Path) -> dict[str, Any]:
    """Return the names of a notebook that was run as it stands, once for all tests."""
    return run(source)


def test_there_are_notebooks() -> None:
    assert SOURCES, f"no notebook in {FOLDER}"


def test_numbers_are_those_of_the_reading_order() -> None:
    assert [int(path.stem[:2]) for path in SOURCES] == list(range(len(SOURCES)))


@each
def test_form(source: Path) -> None:
    assert rules.complaints(rules.Notebook(source)) == []


def test_marimo_finds_no_fault() -> None:
    command = [sys.executable, "-m", "marimo", "check", "--strict", *map(str, SOURCES)]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout + done.stderr


# --- the exported copies ---


# one process for all: nearly all of an export's time is marimo's start
EXPORT = """
import json, sys
from marimo._cli.cli import main
for source, order, target in json.load(sys.stdin):
    main(["-q", "export", "ipynb", source, "--sort", order, "-o", target, "-f"],
         standalone_mode=False)
"""


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, list[dict[str, Any]]]]:
    """Export every notebook in both orders; return the cells by order and notebook."""
    folder = tmp_path_factory.mktemp("exports")
    places = {
        (order, source): folder / f"{order}-{source.stem}.ipynb"
        for order in ("top-down", "topological")
        for source in SOURCES
    }
    jobs = [[str(source), order, str(target)] for (order, source), target in places.items()]
    command = [sys.executable, "-c", EXPORT]
    subprocess.run(command, input=json.dumps(jobs), check=True, text=True, encoding="utf-8")
    cells: dict[str, dict[str, list[dict[str, Any]]]] = {}
    for (order, source), target in places.items():
        cells.setdefault(order, {})[source.stem] = cells_of(target)
    return cells


def cells_of(notebook: Path) -> list[dict[str, Any]]:
    return json.loads(notebook.read_text(encoding="utf-8"))["cells"]


@each
def test_the_export_is_current(source: Path, fresh: dict[str, Any]) -> None:
    committed = FOLDER / "jupyter" / f"{source.stem}.ipynb"
    assert committed.exists(), "run: make jupyter"
    assert cells_of(committed) == fresh["top-down"][source.stem], "run: make jupyter"


@each
def test_it_reads_from_top_to_bottom(source: Path, fresh: dict[str, Any]) -> None:
    orders = [[cell["id"] for cell in fresh[order][source.stem]] for order in fresh]
    assert orders[0] == orders[1]


@each
def test_the_export_holds_no_output(source: Path) -> None:
    for cell in cells_of(FOLDER / "jupyter" / f"{source.stem}.ipynb"):
        assert not cell.get("outputs") and cell.get("execution_count") is None


def test_no_export_is_left_over() -> None:
    names = {path.stem for path in (FOLDER / "jupyter").glob("*.ipynb")}
    assert names == {path.stem for path in SOURCES}


# --- exercises ---


@each
def test_exercises_are_open_as_shipped(source: Path) -> None:
    names = ran(source)
    for exercise in rules.Notebook(source).exercises:
        card = check(exercise.id, eval(exercise.answer, dict(names)))
        assert card.solved is None, f"{exercise.id}: {card}"


@each
def test_solutions_are_right(source: Path) -> None:
    for exercise in rules.Notebook(source).exercises:
        names = dict(ran(source))
        exec(compile(exercise.solution, f"solution of {exercise.id}", "exec"), names)
        card = check(exercise.id, eval(exercise.answer, names))
        assert card.solved, f"{exercise.id}: {card}"


def test_every_exercise_has_its_place() -> None:
    placed = [e.id for source in SOURCES for e in rules.Notebook(source).exercises]
    assert sorted(placed) == sorted(exercises())


# --- moving ---


def ends_of(call: ast.Call) -> list[Any]:
    """Return values a reader can move a control to, the far ends of it first."""
    args = [ast.literal_eval(arg) if _is_plain(arg) else None for arg in call.args]
    kind = ast.unparse(call.func)
    if kind in ("ui.slider", "ui.number") and None not in args[:2]:
        return [args[0], args[1]]
    if kind in ("ui.switch", "ui.checkbox") and args and args[0] is not None:
        return [not args[0]]
    if kind == "ui.dropdown" and isinstance(args[0], list | dict):
        return list(args[0].values() if isinstance(args[0], dict) else args[0])
    return []


def _is_plain(node: ast.AST) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


MOVES = [
    pytest.param(source, name, value, id=f"{source.stem}-{name}-{value}")
    for source in SOURCES
    for name, call in rules.Notebook(source).controls.items()
    for value in ends_of(call)
]


def move(source: Path, name: str, value: Any) -> list[str]:
    """Run the cells below a control again with it moved, as marimo does; return what they said."""
    names = dict(ran(source))
    names[name] = SimpleNamespace(value=value, reading=value)
    changed, ran_again = {name}, []
    for cell in rules.Notebook(source).cells:
        uses, makes = names_of(cell)
        if name in makes or not uses & changed:
            continue
        code = ast.Module(list(cell.nodes), [])
        exec(compile(code, f"{source.stem} with {name} = {value!r}", "exec"), names)
        changed |= makes
        ran_again.append(cell.code)
    return ran_again


def names_of(cell: rules.Cell) -> tuple[set[str], set[str]]:
    """Return the names that a cell reads and those that it makes."""
    found = [node for part in cell.nodes for node in ast.walk(part) if isinstance(node, ast.Name)]
    made = {node.id for node in found if isinstance(node.ctx, ast.Store)}
    made |= {part.name for part in cell.nodes if isinstance(part, ast.FunctionDef)}
    return {node.id for node in found if isinstance(node.ctx, ast.Load)}, made


@pytest.mark.parametrize(("source", "name", "value"), MOVES)
def test_it_runs_wherever_the_reader_moves_a_control(source: Path, name: str, value: Any) -> None:
    assert move(source, name, value), f"nothing on the page depends on {name}"


# --- in a browser ---


@pytest.fixture(scope="module")
def chromium() -> Iterator[object]:
    with front_ends.browser() as made:
        yield made


@pytest.fixture(scope="module")
def lab() -> Iterator[str]:
    with front_ends.jupyter_lab(FOLDER / "jupyter") as url:
        yield url


@pytest.mark.browser
@pytest.mark.skipif(front_ends.CHROMIUM is None, reason="needs chromium for browser walks")
@each
def test_it_opens_in_marimo(source: Path, chromium: object) -> None:
    walk = front_ends.Walk(chromium)
    with front_ends.marimo_app(source) as url:
        front_ends.open_marimo(walk.page, url)
        assert walk.page.locator("[data-testid=marimo-error], .marimo-error").count() == 0
        assert "Traceback" not in walk.page.locator("body").inner_text()
    assert (walk.errors, walk.asked) == ([], [])
    walk.page.close()


@pytest.mark.browser
@pytest.mark.skipif(front_ends.CHROMIUM is None, reason="needs chromium for browser walks")
@each
def test_it_runs_in_jupyterlab(source: Path, chromium: object, lab: str) -> None:
    walk = front_ends.Walk(chromium)
    front_ends.run_in_lab(walk.page, f"{lab}{source.stem}.ipynb")
    errors = walk.page.locator("[data-mime-type='application/vnd.jupyter.error']")
    assert errors.count() == 0, errors.first.inner_text()
    assert "Error displaying widget" not in walk.page.locator("body").inner_text()
    assert (walk.errors, walk.asked) == ([], [])
    walk.page.close()


# --- the review form of notebook 7 ---


def review(page: object) -> None:
    """Send an empty decision, a whole one and that again; the form says what became of each."""
    from playwright.sync_api import expect

    form = page.locator("form.rk-form")
    form.wait_for(timeout=180_000)
    said, send = form.get_by_role("status"), form.get_by_role("button")
    send.click()
    expect(said).to_contain_text("Refused: action: choose approve", timeout=30_000)
    form.get_by_label("approve the draft").check()
    send.click()
    expect(said).to_contain_text("Refused: reviewer: who decides?", timeout=30_000)
    form.get_by_label("reviewer", exact=True).fill("R. Viewer")
    send.click()
    expect(said).to_contain_text("approve by R. Viewer: the run ended as verified", timeout=30_000)
    expect(page.get_by_text("approved by R. Viewer").first).to_be_attached(timeout=30_000)
    send.click()
    expect(said).to_contain_text("nothing was changed", timeout=30_000)
    expect(said.locator(".rk-note")).to_have_count(4)


REVIEWED = next(path for path in SOURCES if "ui.review_form" in path.read_text(encoding="utf-8"))


@pytest.mark.browser
@pytest.mark.skipif(front_ends.CHROMIUM is None, reason="needs chromium for browser walks")
def test_a_reviewer_decides_in_marimo(chromium: object) -> None:
    walk = front_ends.Walk(chromium)
    with front_ends.marimo_app(REVIEWED) as url:
        front_ends.open_marimo(walk.page, url)
        review(walk.page)
    assert (walk.errors, walk.asked) == ([], [])
    walk.page.close()


@pytest.mark.browser
@pytest.mark.skipif(front_ends.CHROMIUM is None, reason="needs chromium for browser walks")
def test_a_reviewer_decides_in_jupyterlab(chromium: object, lab: str) -> None:
    walk = front_ends.Walk(chromium)
    front_ends.run_in_lab(walk.page, f"{lab}{REVIEWED.stem}.ipynb")
    review(walk.page)
    assert (walk.errors, walk.asked) == ([], [])
    walk.page.close()


# --- the switches of notebook 8, whose options the source does not list ---

LAB = next(path for path in SOURCES if "ui.dropdown(list(lab)" in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("fault", ["endless loop", "poisoned page"])
def test_the_failure_lab_runs_with_all_guards_off(fault: str) -> None:
    happened = run(LAB, fault=fault, on=())["happened"]
    assert happened(fault, ()).escaped
