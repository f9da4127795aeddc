"""Kept results are found by name, and a ladder's rows become one row a rung."""

from __future__ import annotations

import json

import pytest
from evaluation.sample import FALSE, GOOD, record

from ragkit.evaluation import kept
from ragkit.evaluation.about import about_run
from ragkit.evaluation.kept import load_results, wide
from ragkit.evaluation.report import ladder_rows, write_ladder

RECORDS = [record(FALSE), record(GOOD, rung="audited")]


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    monkeypatch.setattr(kept.ragkit, "data_dir", lambda: tmp_path)
    (tmp_path / "results").mkdir()
    return tmp_path / "results"


def test_results_come_back_as_they_were_written(shelf):
    write_ladder(RECORDS, shelf / "ladder.json", about_run("ladder · exam"))
    found = load_results("ladder")
    assert found["about"]["title"] == "ladder · exam" and found["rungs"] == ["naive", "audited"]
    assert found["rows"] == json.loads(json.dumps(ladder_rows(RECORDS)))


def test_a_name_that_is_none_is_told_with_those_there_are(shelf):
    with pytest.raises(ValueError, match="no kept results called 'x'; there are: none yet"):
        load_results("x")
    (shelf / "ladder.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ValueError, match="there are: ladder"):
        load_results("x")


def test_each_rung_is_a_row_and_what_was_not_measured_is_none():
    rows = wide(ladder_rows(RECORDS), ["groundedness", "false alarms", "steps"])
    assert [row["rung"] for row in rows] == ["naive", "audited"]
    assert set(rows[0]) == {"rung", "groundedness", "false alarms", "steps"}
    assert any(value is None for row in rows for value in row.values())
    with pytest.raises(KeyError):
        wide(ladder_rows(RECORDS), ["goodness"])
