"""The rules themselves: a good notebook passes, and each fault is found by its rule."""

# ruff: noqa: E501
from __future__ import annotations

from pathlib import Path

import notebook_rules as rules
import pytest

SAMPLE = Path(__file__).parent / "sample_notebooks" / "01_sample.py"


def read(source: str, tmp_path: Path) -> rules.Notebook:
    path = tmp_path / "01_broken.py"
    path.write_text(source, encoding="utf-8")
    return rules.Notebook(path)


def test_the_sample_lacks_only_two_exercises():
    assert rules.complaints(rules.Notebook(SAMPLE)) == ["1 exercises, at least 3"]


def test_the_sample_is_read_as_it_is():
    notebook = rules.Notebook(SAMPLE)
    [exercise] = notebook.exercises
    assert (exercise.id, exercise.answer) == ("03-off-by-one", "retrievals")
    assert exercise.solution == "def retrievals(max_iterations):\n    return max_iterations + 1\n"
    assert set(notebook.controls) == {"threshold", "cuts"}


LONG = "    x = [\n" + "        1,\n" * 30 + "    ]\n    return"
FAULTS = {
    "other mo": ("ui.live(lambda threshold", "mo.vstack([]); ui.live(lambda threshold", "mo.vstack"),
    "from marimo": ("import marimo as mo\n", "import marimo as mo\n    from marimo import ui as u\n", "from marimo"),
    "long cell": ("    scores = [{", LONG.removesuffix("return") + "scores = [{", "cell with 33 lines"),
    "no title": ("    # A sample\n", "    A sample\n", "must begin with a title"),
    "no card": ("[tool.ragkit]", "[tool.other]", "tool.ragkit"),
    "dependencies": ("# [tool.ragkit]", "# dependencies = []\n# [tool.ragkit]", "sandbox"),
    "prompt": ("    scores = [{", "    name = input()\n    scores = [{", "input()"),
    "shell": ("assert kept(scores, 0.5)", "os.system('ls'); assert kept(scores, 0.5)", "os.system"),
    "encoding": ("    scores = [{", "    text = open('x')\n    scores = [{", "without encoding="),
    "file": ("    scores = [{", "    here = __file__\n    scores = [{", "__file__"),
    "star": ("import show, ui", "import show, ui\n    from math import *", "import *"),
    "no hint": ("<summary>Hint</summary>", "<summary>Note</summary>", "no folded hint"),
    "no solution": ("<summary>Solution</summary>", "<summary>End</summary>", "no folded solution"),
    "markdown in a fold": ("compare 0 with 1", "compare `0` with 1", "leaves as it is: `0`"),
    "prose solution": ("```python", "```text", "holds no ```python"),
    "no test": ("def test_kept", "def shown", "no cell is called test_"),
    "no assert": ("assert kept(scores, 0.5) == 11, ", "kept(scores, 0.5), ", "asserts nothing"),
    "moving test": ("assert kept(scores, 0.5) == 11", "assert threshold and kept(scores, 0.5) == 11", "which the reader moves"),
    "shared control": ("    threshold = ui.slider", "    other = 1\n    threshold = ui.slider", "shares a cell"),
    "graph output": ("    show.threshold_map(", "    g = build_arsc(1)\n    g\n    return\n\n\n@app.cell\ndef _(scores):\n    show.threshold_map(", "compiled graph g"),
}  # fmt: skip


@pytest.mark.parametrize(("old", "new", "words"), FAULTS.values(), ids=FAULTS)
def test_each_fault_is_found(tmp_path, old, new, words):
    source = SAMPLE.read_text(encoding="utf-8")
    assert old in source
    found = rules.complaints(read(source.replace(old, new, 1), tmp_path))
    assert any(words in problem for problem in found), found


def test_a_name_of_the_tests_own_is_no_control(tmp_path):
    source = SAMPLE.read_text(encoding="utf-8")
    own = "assert (lambda threshold: threshold)(1) and kept(scores, 0.5) == 11"
    notebook = read(source.replace("assert kept(scores, 0.5) == 11", own), tmp_path)
    assert rules.complaints(notebook) == ["1 exercises, at least 3"]


def test_a_notebook_without_prose_or_controls_is_refused(tmp_path):
    bare = "import marimo\napp = marimo.App()\n\n@app.cell\ndef _():\n    x = 1\n    return (x,)\n"
    found = " ".join(rules.complaints(read(bare, tmp_path)))
    assert "0 words for 1 lines" in found and "nothing for the reader to move" in found
