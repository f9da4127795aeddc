"""Tables come from records only, are the same on every rerun, and name better and worse."""

from __future__ import annotations

import io
import random

import pytest
from evaluation.sample import FALSE, GOOD, NO_ANSWER, question, record
from rich.console import Console

from ragkit.evaluation.metrics import metric
from ragkit.evaluation.report import (
    by_rung,
    by_trap,
    changes,
    difference,
    ladder_markdown,
    ladder_rows,
    ladder_table,
    latency_rows,
    results_markdown,
    verdict,
    write_ladder,
)

# naive is wrong on the first ten of forty questions, crag on the last one only
NAIVE = [record(FALSE if n < 10 else GOOD, gold={"id": f"q{n:02}"}) for n in range(40)]
CRAG = [record(FALSE if n > 38 else GOOD, gold={"id": f"q{n:02}"}, rung="crag") for n in range(40)]
RECORDS = [*NAIVE, *CRAG]


def row(name, rung, rows=None):
    found = rows if rows is not None else ladder_rows(RECORDS)
    return next(r for r in found if r["metric"] == name and r["rung"] == rung)


def test_values_counts_and_paired_differences():
    crag = row("answer correctness", "crag")
    assert (crag["hits"], crag["total"], crag["text"]) == (39, 40, "97.5%")
    assert crag["change"] == pytest.approx(9 / 40) and crag["change_low"] > 0
    assert crag["verdict"] == "better" and row("escape rate", "crag")["verdict"] == "better"
    assert row("answer correctness", "naive")["change"] is None
    assert row("correct abstention", "crag")["text"] == "–"
    assert row("correct abstention", "crag")["value"] is None


def test_a_worse_rung_is_called_worse():
    rungs = by_rung([*CRAG, *NAIVE])
    for name in ("answer correctness", "escape rate"):
        change = difference(metric(name), rungs, "crag", "naive")
        assert verdict(metric(name), change) == "worse"
    assert verdict(metric("steps"), difference(metric("steps"), rungs, "crag", "naive")) == (
        "no clear difference"
    )


def test_only_shared_questions_are_paired():
    rungs = by_rung([*NAIVE, *CRAG[:20]])
    found = difference(metric("answer correctness"), rungs, "naive", "crag")
    assert found.n == 20 and found.value == pytest.approx(0.5)


def test_the_order_of_the_records_changes_nothing():
    mixed = RECORDS.copy()
    random.Random(3).shuffle(mixed)
    mixed.sort(key=lambda r: r.rung != "naive")
    assert ladder_rows(mixed) == ladder_rows(RECORDS)


def test_the_tables_hold_every_metric_and_mark_gains():
    markdown = ladder_markdown(RECORDS)
    line = next(line for line in markdown.splitlines() if "answer correctness" in line)
    assert line == "| answer correctness | 75.0% | 97.5% ▲ |"
    console = Console(file=io.StringIO(), width=120)
    console.print(ladder_table(RECORDS))
    text = console.file.getvalue()
    assert all(name in text for name in ("groundedness", "rewrite rescue rate", "USD a question"))


def test_a_kept_file_gives_the_same_table_as_the_records(tmp_path):
    write_ladder(RECORDS, tmp_path / "results.json", {"seed": 0})
    names = ["answer correctness", "escape rate"]
    chosen = [metric(name) for name in names]
    table = results_markdown(tmp_path / "results.json", names)
    assert table == ladder_markdown(RECORDS, chosen)
    with pytest.raises(KeyError, match="accuracy"):
        results_markdown(tmp_path / "results.json", ["accuracy"])


def test_few_cases_are_counts():
    few = [record(gold={"id": str(n), **NO_ANSWER}, tag="abstained") for n in range(3)]
    assert row("correct abstention", "naive", ladder_rows(few))["text"] == "3 of 3"


def test_latency_is_by_step_and_apart():
    rows = latency_rows([*NAIVE, record(path=("retriever",), gold={"id": "x"}, rung="crag")])
    assert rows[0] == {
        "rung": "naive", "node": "whole run", "n": 40, "p50_ms": 2.0, "p95_ms": 2.0,
    }  # fmt: skip
    assert {r["node"] for r in rows if r["rung"] == "naive"} == {
        "whole run", "retriever", "generator",
    }  # fmt: skip
    assert not any("ms" in key for key in ladder_rows(RECORDS)[0])


def test_where_a_rung_helps_and_hurts():
    found = changes(RECORDS, "naive", "crag", metric("answer correctness"))
    assert [c.question for c in found if c.hurt] == ["q39"]
    assert len([c for c in found if not c.hurt]) == 10
    escaped = changes(RECORDS, "naive", "crag", metric("escape rate"))
    assert [c.question for c in escaped if c.hurt] == ["q39"]


def test_values_by_trap():
    mixed = [
        record(gold={"id": "a", "trap": "stale"}),
        record(FALSE, gold={"id": "b", "trap": "typo"}),
    ]
    rows = by_trap(mixed, metric("answer correctness"))
    assert [(r["trap"], r["text"]) for r in rows] == [("stale", "1 of 1"), ("typo", "0 of 1")]
    assert question().trap == ""
