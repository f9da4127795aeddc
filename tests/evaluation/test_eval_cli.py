"""`ragkit eval` prints figures, keeps them, and names what is wrong with its input."""

from __future__ import annotations

import json

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
    assert result.exit_code == 2 and message in " ".join(result.output.split())
