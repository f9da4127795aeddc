"""Persistent savers: a killed process loses and doubles nothing, and the run goes on (E8, E10)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from ragkit.journal import verify
from ragkit.journal.lines import read_lines

WORKER = Path(__file__).parents[1] / "killed_run.py"
POSTGRES = os.environ.get("RAGKIT_TEST_POSTGRES", "")


def postgres_address():
    if not POSTGRES:
        pytest.skip("no PostgreSQL here: set RAGKIT_TEST_POSTGRES, as .ci/run does")
    import psycopg

    with psycopg.connect(POSTGRES, autocommit=True) as connection:
        name = f"ragkit_{os.getpid()}_{os.urandom(4).hex()}"
        connection.execute(f"CREATE DATABASE {name}")
    return POSTGRES.rsplit("/", 1)[0] + f"/{name}"


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def address(request, tmp_path):
    return f"sqlite:{tmp_path / 'runs.db'}" if request.param == "sqlite" else postgres_address()


def work(address, log, mode, kill_at="nowhere"):
    return subprocess.run(
        [sys.executable, str(WORKER), address, str(log), mode, kill_at],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )


def events(log):
    return [(event["node"], event["id"]) for event in read_lines(log) if event.get("node")]


@pytest.mark.parametrize("kill_at", ["planner", "context", "verifier"])
def test_a_process_killed_between_two_nodes_goes_on_in_the_next_one(address, tmp_path, kill_at):
    log = tmp_path / "audit.jsonl"
    assert work(address, log, "ask", kill_at).returncode == 9
    assert verify(log).ok, "a crash leaves a valid prefix"
    done = work(address, log, "carry_on")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("needs_review")
    calls = Counter(Path(f"{log}.calls").read_text(encoding="utf-8").split())
    assert calls.pop(kill_at) == 2, "only the node that was cut off runs again"
    assert set(calls.values()) == {1}
    final = work(address, log, "resume")
    assert final.stdout.startswith("verified An answer [1]."), final.stderr
    assert_whole(log)


def test_a_process_killed_inside_the_review_goes_on_in_the_next_one(address, tmp_path):
    log = tmp_path / "audit.jsonl"
    assert work(address, log, "ask").stdout.startswith("needs_review")
    assert work(address, log, "resume", "review").returncode == 9
    done = work(address, log, "resume")
    if done.returncode:  # the decision had reached the saver before the process died
        assert "nothing was changed" in done.stderr
        done = work(address, log, "carry_on")
    assert done.stdout.startswith("verified An answer [1]."), done.stderr
    assert_whole(log)


def test_a_review_survives_a_restart(address, tmp_path):
    log = tmp_path / "audit.jsonl"
    assert work(address, log, "ask").stdout.startswith("needs_review")
    assert work(address, log, "resume").stdout.startswith("verified An answer [1].")
    again = work(address, log, "resume")
    assert again.returncode != 0 and "nothing was changed" in again.stderr
    assert_whole(log)


def assert_whole(log):
    assert verify(log).ok
    seen = events(log)
    assert len(seen) == len(set(seen)), "no event is doubled"
    assert [node for node, _ in seen] == [
        "input",
        "intake",
        "query_rewriter",
        "retriever",
        "retrieval_validator",
        "context_builder",
        "answer_generator",
        "citation_checker",
        "answer_verifier",
        "human_review_queue",
        "human_review",
        "final_format",
    ]
