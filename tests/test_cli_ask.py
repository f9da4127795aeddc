"""`ragkit ask` shows the steps, the answer with its sources and the tag; or one JSON object."""

from __future__ import annotations

import json

import pytest
from evaluation.kits import full_kit
from scripted import Queue, broken_clock, doc, grades
from typer.testing import CliRunner

from ragkit.cli import app, options
from ragkit.cli.ask import said
from ragkit.evaluation.metrics import metric
from ragkit.evaluation.rates import RATES
from ragkit.evaluation.records import read_records
from ragkit.evaluation.stats import Share
from ragkit.graphs import RUNGS
from ragkit.journal import verify
from ragkit.records import Context

PAGE = doc(
    "a", "It is [bold]blue[/bold].", title="Colours [of] things", effective_date="2026-01-02"
)


@pytest.fixture
def kit(monkeypatch):
    bag = full_kit(
        retriever=Queue([[PAGE, doc("b")]]), grader=Queue([grades(), grades(a=0.9), grades(a=0.9)])
    )
    monkeypatch.setattr(options, "make_kit", lambda *_, **__: bag)
    return bag


def run(*arguments):
    result = CliRunner().invoke(app, ["ask", *map(str, arguments)])
    return result.exit_code, result.output


def test_the_steps_the_answer_its_source_and_the_tag(kit):
    code, said = run("which colour?")
    assert code == 0
    lines = said.splitlines()
    assert [line.split()[0] for line in lines[:6]] == [
        "retriever", "grader", "rewriter", "retriever", "grader", "generator",
    ]  # fmt: skip
    assert "0 of 2 relevant" in lines[1] and "query: which colour? v1" in lines[2]
    assert "An answer [1]." in said and "best_effort" in said
    assert "[1] Colours [of] things (a, 2026-01-02)" in said


@pytest.mark.parametrize("graph", RUNGS)
def test_every_rung_answers_or_says_why_not(kit, graph):
    code, said = run("which colour?", "--graph", graph, "--json")
    found = json.loads(said)
    assert code == 0 and found["graph"] == graph
    assert found["tag"] and found["reason"] and found["answer"] and found["path"]


def test_a_review_shows_the_draft_to_be_decided(kit, monkeypatch):
    monkeypatch.setattr(options, "make_kit", lambda *_, **__: kit.replace(
        grader=Queue([grades(a=0.9)]), context=Queue([Context(documents=(PAGE,))])))  # fmt: skip
    code, said = run("can I get a refund?", "--graph", "audited")
    assert code == 0 and "draft for the reviewer" in said and "needs_review" in said
    assert "An answer [1]." in said and "sensitive: refund" in said


def test_the_log_is_a_valid_audit_log(kit, tmp_path):
    code, _ = run("which colour?", "--graph", "crag", "--log", tmp_path / "audit.jsonl")
    assert code == 0
    assert [e["node"] for e in verify(tmp_path / "audit.jsonl").events][:3] == [
        "input", "router", "retriever",
    ]  # fmt: skip


def test_the_verdict_log_gives_the_rates(kit, tmp_path):
    file = tmp_path / "verdicts.jsonl"
    for _ in range(2):
        assert run("which colour?", "--verdicts", file)[0] == 0
    records = read_records(file)
    rates = {rate.name: rate.measure(records) for rate in RATES}
    # the first run was rejected once and rewritten, the second found it at once
    assert rates["rewrite rate"] == Share(1, 2) and rates["rejection rate"] == Share(4, 6)
    assert metric("answer correctness").measure(records) is None
    result = CliRunner().invoke(app, ["eval", "report", str(file)])
    assert result.exit_code == 0 and "1 of 2" in result.output


def test_a_missing_key_and_folder_are_one_line(monkeypatch):
    code, said = run("q", "--kit", "chat")
    assert code == 1 and "OPENAI_API_KEY" in said and "Traceback" not in said
    result = CliRunner().invoke(app, ["eval", "components", "--kit", "chat"])
    assert result.exit_code == 1 and "OPENAI_API_KEY" in result.output


def test_settings_come_from_a_file_and_its_faults_are_named(kit, tmp_path):
    file = tmp_path / "c.json"
    file.write_text('{"max_iterations": 1}', encoding="utf-8")
    code, said = run("q", "--config", file, "--json")
    assert code == 0 and json.loads(said)["path"] == ["retriever", "grader", "rewriter"]
    file.write_text('{"max_iterations": 0}', encoding="utf-8")
    code, said = run("q", "--config", file)
    assert code == 1 and "max_iterations" in said and "c.json" in said


def test_an_unknown_graph_and_a_broken_run_are_one_line(kit, monkeypatch):
    code, said = run("q", "--graph", "crack")
    assert code == 2 and "crack" in said and "Traceback" not in said
    broken = kit.replace(clock=broken_clock)
    monkeypatch.setattr(options, "make_kit", lambda *_, **__: broken)
    code, said = run("q", "--graph", "budgeted")
    assert code == 1 and said.startswith("the run broke off: ") and "Traceback" not in said


def test_a_step_is_told_in_a_few_words():
    assert said({}) == ""
    assert said({"documents": [1, 2], "grades": []}) == "2 documents"
    assert said({"draft": "x", "tag": "verified"}) == "draft written · verified"
    assert said({"route": "direct", "queries": ["q"]}) == "query: q · route: direct"
