"""Figures print counts and intervals, and are kept with what they were measured with."""

from __future__ import annotations

import io
import json

from rich.console import Console

from ragkit.evaluation.about import about_run
from ragkit.evaluation.figures import Figure, markdown, table, write
from ragkit.evaluation.stats import Estimate, Share

FIGURES = [
    Figure("a", "share", Share(3, 4), "hits | all"),
    Figure("a", "area", Estimate(0.9, 0.8, 0.95, 50)),
    Figure("b", "plain", 0.25, higher_is_better=False),
    Figure("b", "nothing", None),
]


def test_the_table_shows_counts_intervals_and_what_is_missing():
    console = Console(file=io.StringIO(), width=100)
    console.print(table(FIGURES, "title"))
    text = console.file.getvalue()
    for shown in ("3 of 4 [30%, 95%]", "0.900 [0.800, 0.950] (n=50)", "0.250", "not measured"):
        assert shown in text


def test_markdown_keeps_its_columns():
    lines = markdown(FIGURES).splitlines()
    assert lines[2] == r"| a | share | 3 of 4 [30%, 95%] | hits \| all |"
    assert len(lines) == 2 + len(FIGURES)


def test_a_kept_result_says_what_it_was_measured_with(tmp_path):
    write(FIGURES, tmp_path / "r.json", about_run("parts", half="exam"))
    kept = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))
    assert {"seed", "date", "ragkit", "langgraph", "half"} <= kept["about"].keys()
    assert kept["figures"][0]["hits"] == 3 and kept["figures"][0]["total"] == 4
    assert kept["figures"][3]["value"] is None
    write(FIGURES, tmp_path / "r.md", about_run("parts"))
    assert "| a | share |" in (tmp_path / "r.md").read_text(encoding="utf-8")
