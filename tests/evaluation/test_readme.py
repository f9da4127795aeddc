"""The README's table is the one that its results file gives."""

from __future__ import annotations

from pathlib import Path

import pytest
from evaluation.sample import FALSE, GOOD, record
from typer.testing import CliRunner

from ragkit.cli.eval import app
from ragkit.evaluation.about import about_run
from ragkit.evaluation.readme import HEADLINES, insert_table, readme_table
from ragkit.evaluation.report import write_ladder

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "data/results/ladder.json"


@pytest.fixture
def results(tmp_path):
    records = [record(FALSE), record(GOOD, rung="audited")]
    write_ladder(records, tmp_path / "ladder.json", about_run("ladder · exam"))
    return tmp_path / "ladder.json"


def test_the_table_has_its_headlines_and_says_what_it_was_measured_with(results):
    table = readme_table(results)
    assert all(f"| {name} |" in table for name in HEADLINES)
    assert "| metric | naive | audited |" in table and "ladder · exam" in table


def test_the_command_writes_it_between_the_marks(results, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- ladder -->\nold\n<!-- /ladder -->\nb\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["table", str(results), "--write", str(page)])
    assert result.exit_code == 0, result.output
    text = page.read_text(encoding="utf-8")
    assert text == f"a\n<!-- ladder -->\n{readme_table(results)}<!-- /ladder -->\nb\n"
    assert insert_table(text, readme_table(results)) == text
    page.write_text("no marks", encoding="utf-8")
    assert CliRunner().invoke(app, ["table", str(results), "--write", str(page)]).exit_code == 2


def test_the_readme_shows_its_results_file():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    has_marks = "<!-- ladder -->" in readme
    assert has_marks == RESULTS.exists(), "README marks and data/results/ladder.json go together"
    if has_marks:
        assert readme == insert_table(readme, readme_table(RESULTS)), (
            "run: ragkit eval table data/results/ladder.json --write README.md"
        )
