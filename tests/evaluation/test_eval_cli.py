"""`ragkit eval` prints figures, keeps them, and names what is wrong with its input."""

from __future__ import annotations

import json
import re

import pytest
from scripted import Queue, doc, graded, grades, scripted_kit
from typer.testing import CliRunner

from ragkit.cli import eval as cli
from ragkit.cli import options
from ragkit.config import CragConfig


@pytest.fixture
def kit(monkeypatch):
    found = [doc("a", "It is blue."), doc("b")]
    bag = scripted_kit(retriever=Queue([found]), grader=Queue([grades(a=0.9)]))
    monkeypatch.setattr(options, "make_kit", lambda _name, corpus=None: bag)
    return bag


@pytest.fixture
def questions(tmp_path):
    row = {"id": "1", "question": "which?", "half": "exam", "relevant": ["a"], "facts": [["blue"]]}
    file = tmp_path / "questions.jsonl"
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return file


def plain(output):
    """The words of a message, without the box drawn around it."""
    return " ".join(re.sub("[│╭╰─╮╯]", " ", output).split())


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def test_components_prints_counts_and_keeps_the_result(kit, questions, tmp_path):
    kept = tmp_path / "r.json"
    result = run("components", "--questions", questions, "--out", kept)
    assert result.exit_code == 0, result.output
    assert "1 of 1" in result.output and "not measured" in result.output
    figures = {f["name"]: f for f in json.loads(kept.read_text(encoding="utf-8"))["figures"]}
    assert figures["AUROC of the score"]["value"] == 1.0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--half", "practice"], "no question of half"),
        (["--questions", "/no/such"], "No such file"),
    ],
)
def test_a_wrong_input_is_named(kit, questions, options, message):
    result = run("components", "--questions", questions, *options)
    assert result.exit_code == 2 and message in plain(result.output)


def test_the_ladder_is_kept_shown_and_shown_again(kit, questions, tmp_path):
    runs, out = tmp_path / "runs.jsonl", tmp_path / "ladder.json"
    command = ["ladder", "--questions", questions, "--rungs", "naive, arsc", "--records", runs]
    result = run(*command, "--out", out)
    assert result.exit_code == 0, result.output
    assert "answer correctness" in result.output and "latency" in result.output
    kept = json.loads(out.read_text(encoding="utf-8"))
    assert kept["rungs"] == ["naive", "arsc"] and kept["about"]["seed"] == 0
    again = run("report", runs, "--out", tmp_path / "again.json")
    assert again.exit_code == 0, again.output
    assert json.loads((tmp_path / "again.json").read_text(encoding="utf-8"))["rows"] == kept["rows"]
    assert run("report", runs, "--out", tmp_path / "t.md").exit_code == 0
    assert "| answer correctness |" in (tmp_path / "t.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["ladder", "--half", "all", "--rungs", "naive,up"], "no graph called 'up'"),
        (["report", "{empty}"], "holds no runs"),
        (["report", "{bad}"], "not a JSON record"),
    ],
)
def test_a_wrong_rung_or_file_is_named(kit, questions, tmp_path, command, message):
    (tmp_path / "empty").touch()
    (tmp_path / "bad").write_text("x\n", encoding="utf-8")
    command = [c.format(empty=tmp_path / "empty", bad=tmp_path / "bad") for c in command]
    result = run(*command, *(["--questions", questions] if command[0] == "ladder" else []))
    assert result.exit_code == 2 and message in plain(result.output)


def test_public_sets_are_measured_or_politely_missed(kit, tmp_path):
    result = run("public", "--data", tmp_path / "none")
    assert result.exit_code == 0 and "nothing to measure" in result.output
    assert run("public", "--data", tmp_path, "--task", "chess").exit_code == 2
    rows = [
        {"id": n, "question": "q", "text": n, "relevant": n == "a", "group": n} for n in ("a", "b")
    ]
    (tmp_path / "relevance").mkdir()
    file = tmp_path / "relevance/mine.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    result = run("public", "--data", tmp_path, "--task", "relevance", "--out", tmp_path / "r.json")
    assert result.exit_code == 0, result.output
    figures = json.loads((tmp_path / "r.json").read_text(encoding="utf-8"))["figures"]
    assert [f["value"] for f in figures if f["name"] == "AUROC of the grader"] == [1.0]


def test_calibrate_writes_what_ask_takes(kit, tmp_path):
    rows = [
        {"question": f"q{n}", "text": name, "relevant": name == "a", "half": half}
        for half in ("practice", "exam") for n, name in enumerate("ab" * 3)
    ]  # fmt: skip
    labels, out = tmp_path / "labels.jsonl", tmp_path / "thresholds.json"
    labels.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    # a label is graded as document 0 of its question
    kit.grader.replies = [
        lambda q, ds: [graded(d["id"], 0.8 if d["content"] == "a" else 0.2) for d in ds]
    ]
    result = run("calibrate", "--labels", labels, "--out", out)
    assert result.exit_code == 0, result.output
    assert "only 3 relevant labels" in plain(result.output)
    config = CragConfig.from_file(out)
    assert 0.2 <= config.pass_threshold <= 0.8 and config.fail_threshold < config.pass_threshold
    labels.write_text(json.dumps(rows[0]), encoding="utf-8")
    assert "labels of both kinds" in plain(run("calibrate", "--labels", labels).output)


def test_calibrate_takes_the_companys_gold(kit, questions, tmp_path, monkeypatch):
    practice = {
        "id": "2",
        "question": "p?",
        "half": "practice",
        "relevant": ["a"],
        "facts": [["x"]],
    }
    with questions.open("a", encoding="utf-8") as file:
        file.write(json.dumps(practice) + "\n")
    out = tmp_path / "t.json"
    result = run("calibrate", "--questions", questions, "--out", out)
    assert result.exit_code == 0, result.output
    expected = json.loads(out.read_text(encoding="utf-8"))["about"]["expected"]
    assert {figure["part"] for figure in expected} == {"practice (chosen on)", "exam"}


@pytest.mark.parametrize("name", ["shadow.html", "shadow.csv"])
def test_shadow_lists_the_differences(kit, questions, tmp_path, name):
    out = tmp_path / name
    command = ["shadow", "--after", "arsc", "--half", "exam", "--questions", questions]
    result = run(*command, "--out", out, "--records", tmp_path / "runs.jsonl")
    assert result.exit_code == 0, result.output
    assert "another answer" in result.output and "which?" in out.read_text(encoding="utf-8")
