"""`ragkit audit` says what it found, and its exit code says whether it is well."""

from __future__ import annotations

import pytest
from langgraph.checkpoint.memory import MemorySaver
from scripted import scripted_kit
from typer.testing import CliRunner

from ragkit.cli.audit import app
from ragkit.graphs.arsc import build_arsc
from ragkit.graphs.naive import build_naive
from ragkit.journal import AuditLog


@pytest.fixture
def file(log):
    log.ask(build_arsc(scripted_kit(), MemorySaver()), "q")
    return log.path


def run(*arguments):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    return result.exit_code, " ".join(result.output.split())


def test_a_whole_log_prints_its_head(file):
    code, said = run("verify", file)
    head = AuditLog(file)
    head.sync(build_arsc(scripted_kit(), MemorySaver()), "none")
    assert code == 0 and "4 events of 1 runs" in said and f"head {head.head}" in said
    assert "anchor" in said
    assert run("verify", file, "--head", head.head)[0] == 0
    assert run("verify", file, "--count", 4)[0] == 0


def test_an_edit_a_cut_end_and_a_missing_file_fail(file):
    assert run("verify", file, "--count", 5)[0] == 1
    assert run("verify", file, "--head", "0" * 63 + "1")[0] == 1
    assert run("verify", file.with_name("none"))[0] == 2
    file.write_bytes(file.read_bytes().replace(b'"node":"grader"', b'"node":"graber"'))
    code, said = run("verify", file)
    assert code == 1 and "line 3" in said and "node graber" in said and "2 events" in said
    code, said = run("replay", file)
    assert code == 1 and "line 3" in said


def test_replay_counts_the_decisions(file):
    code, said = run("replay", file)
    assert code == 0 and "4 of 4 decisions reached again, 0 differ" in said
    AuditLog(file).ask(build_arsc(scripted_kit()), "no checkpoints")
    code, said = run("replay", file)
    assert code == 0 and "7 of 8 decisions" in said and "1 last steps" in said


def test_a_log_of_an_unknown_graph_fails_with_advice(log):
    graph = build_naive(scripted_kit())
    graph.name = "mine"
    log.ask(graph, "q")
    code, said = run("replay", log.path)
    assert code == 1 and "no graph called 'mine'" in said
