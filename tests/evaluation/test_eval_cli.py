"""`ragkit eval` prints figures, keeps them, and names what is wrong with its input."""

from __future__ import annotations

import json
import re

import pytest
from scripted import Queue, doc, grades, scripted_kit
from typer.testing import CliRunner

from ragkit.cli import eval as cli


@pytest.fixture
def kit(monkeypatch):
    found = [doc("a", "It is blue."), doc("b")]
    bag = scripted_kit(retriever=Queue([found]), grader=Queue([grades(a=0.9)]))
    monkeypatch.setattr(cli, "make_kit", lambda _name: bag)
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
