"""What a notebook of this project must be, read from its source. Each rule returns complaints."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from inspect import cleandoc
from pathlib import Path

MOST_LINES = 25
PROSE = (4.0, 14.0)  # words of prose a line of code; the aim is 5 to 7
LEAST_EXERCISES = 3
_FOLD = re.compile(
    r"<details>\s*<summary>(?P<summary>.*?)</summary>(?P<body>.*?)</details>", re.DOTALL
)
_CODE = re.compile(r"```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Cell:
    """One cell: its name, its code without the closing return, its prose if it is only prose."""

    name: str
    nodes: tuple[ast.stmt, ...]
    code: str
    prose: str = ""

    @property
    def lines(self) -> int:
        """Lines of code that are not blank."""
        return 0 if self.prose else sum(bool(line.strip()) for line in self.code.splitlines())


@dataclass(frozen=True)
class Exercise:
    """A call of `exercises.check`: its id, what it checks, the folds of the prose before it."""

    id: str
    answer: str
    folds: dict[str, str]

    @property
    def solution(self) -> str:
        """The code of the folded solution."""
        return "\n".join(_CODE.findall(self.folds.get("solution", "")))


class Notebook:
    """A marimo notebook read as text, without running it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.raw = path.read_bytes()
        self.source = self.raw.decode("utf-8")
        self.tree = ast.parse(self.source)

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells in reading order, the setup cell first."""
        return list(self._cells())

    def _cells(self) -> Iterator[Cell]:
        for node in self.tree.body:
            if isinstance(node, ast.With) and ast.unparse(node.items[0]).startswith("app.setup"):
                yield self._cell("setup", node.body)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef) and node.decorator_list:
                decorator = ast.unparse(node.decorator_list[0])
                if decorator.startswith("app.cell"):
                    yield self._cell(node.name, node.body)
                elif decorator.startswith(("app.function", "app.class_definition")):
                    yield self._cell(node.name, [node])

    def _cell(self, name: str, nodes: list[ast.stmt]) -> Cell:
        kept = [node for node in nodes if not isinstance(node, ast.Return)]
        if not kept:
            return Cell(name, (), "")
        lines = self.source.splitlines()[kept[0].lineno - 1 : kept[-1].end_lineno]
        return Cell(name, tuple(kept), "\n".join(lines), _prose(kept))

    @property
    def exercises(self) -> list[Exercise]:
        """The checked exercises, each with the nearest folds before it."""
        found, folds = [], {}
        for cell in self.cells:
            if cell.prose:
                found_here = _FOLD.finditer(cell.prose)
                folds = {m["summary"].strip().lower(): m["body"] for m in found_here} or folds
            for call in _calls(cell.nodes):
                if ast.unparse(call.func) in ("check", "exercises.check") and len(call.args) == 2:
                    name, answer = call.args
                    found.append(Exercise(ast.literal_eval(name), ast.unparse(answer), folds))
        return found

    @property
    def controls(self) -> dict[str, ast.Call]:
        """The names that hold a `ui` control, with the call that makes it."""
        return {
            node.targets[0].id: node.value
            for cell in self.cells
            for node in cell.nodes
            if isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Call)
            and ast.unparse(node.value.func).startswith("ui.")
        }


def complaints(notebook: Notebook) -> list[str]:
    """Return everything that is wrong with a notebook's source."""
    return [problem for rule in RULES for problem in rule(notebook)]


def only_markdown_of_marimo(notebook: Notebook) -> Iterator[str]:
    """Anything else of `mo` is blank in Jupyter, or breaks the widgets made after it."""
    for node in ast.walk(notebook.tree):
        marimo = isinstance(node, ast.Attribute) and ast.unparse(node.value) in ("mo", "marimo")
        if marimo and node.attr not in ("md", "App"):
            yield f"line {node.lineno}: mo.{node.attr}; notebooks call mo.md, the rest is in ui"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("marimo"):
            yield f"line {node.lineno}: from marimo import; notebooks call mo.md only"


def short_cells(notebook: Notebook) -> Iterator[str]:
    """Code cells a class can read in one look."""
    for cell in notebook.cells:
        if cell.lines > MOST_LINES:
            start = cell.code.splitlines()[0].strip()
            yield f"cell with {cell.lines} lines (at most {MOST_LINES}): {start}"
        if not cell.nodes:
            yield f"cell {cell.name} is empty"


def enough_prose(notebook: Notebook) -> Iterator[str]:
    """Words around the code, neither a listing nor an essay. Folded hints do not count."""
    words = sum(len(_FOLD.sub("", cell.prose).split()) for cell in notebook.cells)
    lines = sum(cell.lines for cell in notebook.cells)
    share = words / max(lines, 1)
    if not PROSE[0] <= share <= PROSE[1]:
        least, most = PROSE
        yield f"{words} words for {lines} lines of code: {share:.1f} a line, not {least}-{most}"


def begins_with_a_title(notebook: Notebook) -> Iterator[str]:
    """The first prose is a title; the gallery has one too."""
    first = next((cell.prose for cell in notebook.cells if cell.prose), "")
    if not first.lstrip().startswith("# "):
        yield "the first prose cell must begin with a title"
    if "# [tool.ragkit]" not in notebook.source:
        yield "the header lacks [tool.ragkit] with title and description for the gallery"
    if "[tool.marimo.opengraph]" in notebook.source:
        yield "marimo warns of [tool.marimo.opengraph] at every run; the table is [tool.ragkit]"
    if re.search(r"(?m)^# dependencies", notebook.source):
        yield "dependencies in the header make marimo ask for a sandbox"


def no_surprises(notebook: Notebook) -> Iterator[str]:
    """No shell, no magic, no prompt, no unnamed encoding, no place that moves with the notebook."""
    banned = {
        "input": "nobody can answer in a run-through", "exec": "exec", "eval": "eval",
        "os.system": "shell", "get_ipython": "a front end's own commands",
    }  # fmt: skip
    for node in ast.walk(notebook.tree):
        if isinstance(node, ast.Call):
            name = ast.unparse(node.func)
            if name in banned or name.startswith("subprocess."):
                yield f"line {node.lineno}: {name}() ({banned.get(name, 'shell')})"
            named = any(keyword.arg == "encoding" for keyword in node.keywords)
            if name.rpartition(".")[2] in ("open", "read_text", "write_text") and not named:
                yield f"line {node.lineno}: {name}() without encoding="
        if isinstance(node, ast.Name) and node.id == "__file__":
            yield f"line {node.lineno}: __file__ moves with the notebook; ask ragkit.data_dir()"
        if isinstance(node, ast.Import | ast.ImportFrom) and "*" in [a.name for a in node.names]:
            yield f"line {node.lineno}: import *"


def exercises_are_whole(notebook: Notebook) -> Iterator[str]:
    """Three exercises at least, each with a folded hint, a folded solution and its own check."""
    exercises = notebook.exercises
    if len(exercises) < LEAST_EXERCISES:
        yield f"{len(exercises)} exercises, at least {LEAST_EXERCISES}"
    seen: list[dict[str, str]] = []
    for exercise in exercises:
        for part in ("hint", "solution"):
            if not exercise.folds.get(part, "").strip():
                yield f"exercise {exercise.id} has no folded {part}"
        if not exercise.solution:
            yield f"exercise {exercise.id}'s solution holds no ```python code"
        if exercise.folds in seen:
            yield f"exercise {exercise.id} shares the hint of the one before"
        seen.append(exercise.folds)


def folds_are_html(notebook: Notebook) -> Iterator[str]:
    """marimo shows Markdown between HTML tags as it is typed; code blocks alone come out right."""
    for cell in notebook.cells:
        for fold in _FOLD.finditer(cell.prose):
            words = _CODE.sub("", fold["body"])
            for mark in re.findall(r"`[^`\n]+`|\*\*[^*\n]+\*\*|(?m:^[-*] .*)", words):
                yield f"a fold holds Markdown, which marimo leaves as it is: {mark}"


def has_a_test(notebook: Notebook) -> Iterator[str]:
    """A cell named test_... that asserts, on fixed inputs."""
    tests = [cell for cell in notebook.cells if cell.name.startswith("test_")]
    if not tests:
        yield "no cell is called test_..."
    for cell in tests:
        if not any(isinstance(node, ast.Assert) for part in cell.nodes for node in ast.walk(part)):
            yield f"{cell.name} asserts nothing"
        nodes = [node for part in cell.nodes for node in ast.walk(part)]
        used = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
        own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
        if moved := sorted((used - own) & set(notebook.controls)):
            yield f"{cell.name} depends on {', '.join(moved)}, which the reader moves"


def something_moves(notebook: Notebook) -> Iterator[str]:
    """At least one control, and each in a cell of its own so that a test can move it."""
    if not notebook.controls:
        yield "nothing for the reader to move"
    for cell in notebook.cells:
        assigned = [node for node in cell.nodes if isinstance(node, ast.Assign)]
        held = [n.targets[0].id for n in assigned if isinstance(n.targets[0], ast.Name)]
        controls = [name for name in held if name in notebook.controls]
        if controls and len(controls) != len(held):
            yield f"{', '.join(controls)} shares a cell with other names"


def no_graph_as_output(notebook: Notebook) -> Iterator[str]:
    """A compiled graph's own display calls a web service: draw it with show.graph."""
    graphs = {
        node.targets[0].id
        for cell in notebook.cells
        for node in cell.nodes
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
        and re.search(r"(^|\.)(build_\w+|compile)\(", ast.unparse(node.value))
    }  # fmt: skip
    for cell in notebook.cells:
        last = cell.nodes[-1] if cell.nodes else None
        if isinstance(last, ast.Expr) and ast.unparse(last.value) in graphs:
            yield f"a cell ends with the compiled graph {ast.unparse(last.value)}"


RULES = (
    only_markdown_of_marimo, short_cells, enough_prose, begins_with_a_title, no_surprises,
    exercises_are_whole, folds_are_html, has_a_test, something_moves, no_graph_as_output,
)  # fmt: skip


def _prose(nodes: list[ast.stmt]) -> str:
    if len(nodes) == 1 and isinstance(nodes[0], ast.Expr) and isinstance(nodes[0].value, ast.Call):
        call = nodes[0].value
        if ast.unparse(call.func) == "mo.md" and isinstance(call.args[0], ast.Constant):
            return cleandoc(str(call.args[0].value))
    return ""


def _calls(nodes: tuple[ast.stmt, ...]) -> Iterator[ast.Call]:
    for part in nodes:
        yield from (node for node in ast.walk(part) if isinstance(node, ast.Call))
