"""The audit log is the run's record: nothing lost, nothing doubled, no secret, no page text."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from scripted import Queue, doc, grades, scripted_kit

from ragkit.config import ArscConfig
from ragkit.graphs.arsc import build_arsc
from ragkit.graphs.naive import build_naive
from ragkit.journal import AuditLog, append_line, read_lines, replay, verify
from ragkit.runs import ask

ROOT = Path(__file__).parents[2]


def events(log):
    report = verify(log.path)
    assert report.ok, report.problem
    return report.events


def looping_kit(**components):
    return scripted_kit(grader=Queue([grades(), grades(a=0.9)]), **components)


def test_an_event_holds_what_happened(log):
    graph = build_arsc(looping_kit(), MemorySaver())
    run = log.ask(graph, "why?", thread_id="t", config=ArscConfig(top_k=2))
    first, *rest = events(log)
    assert [event["node"] for event in rest] == run.path
    assert first["inputs"]["question"] == "why?" and first["inputs"]["config"]["top_k"] == 2
    graded = rest[1]
    assert graded["thread"] == "t" and graded["graph"] == "arsc" and graded["step"] == 2
    assert [verdict["binary_score"] for verdict in graded["verdicts"]["grades"]] == ["no", "no"]
    assert [item["id"] for item in graded["evidence"]] == ["a", "b"]
    assert {event["config"] for event in rest} == {first["config"]}
    assert rest[-1]["next"] == [] and rest[-1]["changed"]["tag"] == "best_effort"
    assert {event["run"] for event in rest} == {first["run"]}


def test_another_config_has_another_hash(log):
    graph = build_arsc(scripted_kit())
    log.ask(graph, "q", config=ArscConfig(top_k=2))
    log.ask(graph, "q", config=ArscConfig(top_k=3))
    assert len({event["config"] for event in events(log)}) == 2


def test_page_texts_are_hashes(log):
    kit = scripted_kit(retriever=Queue([[doc("a", "a page nobody may copy")]]))
    log.ask(build_arsc(kit, MemorySaver()), "q")
    log.ask(build_naive(kit), "q")
    assert b"nobody may copy" not in log.path.read_bytes()
    assert all(len(item["sha256"]) == 64 for e in events(log) for item in e["evidence"])


def test_secrets_are_masked(log, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "my-own-password")
    kit = scripted_kit(retriever=Queue([ValueError("no sk-abcdefgh12345678")]))
    log.ask(build_naive(kit), "my key is my-own-password, or Bearer abc.def")
    text = log.path.read_text(encoding="utf-8")
    for secret in ("my-own-password", "abcdefgh12345678", "abc.def"):
        assert secret not in text
    assert "***" in text and events(log)


def test_odd_values_are_logged_as_what_they_are(log):
    kit = scripted_kit(retriever=Queue([[doc("ü", "text \ud800 \x00 “…”", x=1)]]))
    log.ask(build_naive(kit), "é\u2028\udc00?")
    assert events(log)[0]["inputs"]["question"] == "é\u2028\udc00?"


def test_a_second_sync_writes_nothing(log):
    graph = build_arsc(looping_kit(), MemorySaver())
    log.ask(graph, "q", thread_id="t")
    before = log.path.read_bytes()
    assert log.sync(graph, "t") == 0 and AuditLog(log.path).sync(graph, "t") == 0
    assert log.path.read_bytes() == before


def test_a_run_that_breaks_off_is_logged_up_to_there_and_goes_on(log):
    class Stop(BaseException):
        """What no component may catch, like a stopped process."""

    generator = Queue([Stop(), lambda *_: scripted_kit().generator()])
    graph = build_arsc(scripted_kit(generator=generator), MemorySaver())
    with pytest.raises(Stop):
        log.ask(graph, "q", thread_id="t")
    assert [event["node"] for event in events(log)] == ["input", "retriever", "grader"]
    graph.invoke(None, {"configurable": {"thread_id": "t"}})
    assert log.sync(graph, "t") == 1
    assert [event["node"] for event in events(log)][-1] == "generator"
    assert len({event["run"] for event in events(log)}) == 1


def test_two_questions_in_a_thread_are_two_runs(log):
    graph = build_arsc(scripted_kit(), MemorySaver())
    log.ask(graph, "one", thread_id="t")
    log.ask(graph, "two", thread_id="t")
    runs = verify(log.path).runs
    assert len(runs) == 2
    asked = [e["inputs"]["question"] for e in events(log) if e["node"] == "input"]
    assert asked == ["one", "two"]


def test_a_fork_is_logged_as_a_branch_of_its_run(log):
    graph = build_arsc(looping_kit(), MemorySaver())
    log.ask(graph, "q", thread_id="t")
    past = [s for s in graph.get_state_history({"configurable": {"thread_id": "t"}})
            if s.next == ("grader",)][-1]  # fmt: skip
    forked = graph.update_state(past.config, {"flags": ["looked at"]})
    graph.invoke(None, forked)
    log.sync(graph, "t")
    found = events(log)
    [edit] = [event for event in found if event["kind"] == "update"]
    assert edit["changed"]["flags"] == ["looked at"] and edit["parent"] in {e["id"] for e in found}
    assert len(verify(log.path).runs) == 1
    assert all(decision.same for decision in replay(log.path))


def test_the_listener_still_hears(log):
    heard = []
    log.ask(build_naive(scripted_kit()), "q", on_step=lambda node, _: heard.append(node))
    assert heard == ["retriever", "generator"]


@settings(max_examples=40, deadline=None)
@given(cut=st.integers(0, 10_000))
def test_a_crash_in_a_write_leaves_a_prefix_and_the_log_goes_on(tmp_path_factory, cut):
    file = tmp_path_factory.mktemp("torn") / "audit.jsonl"
    graph = build_arsc(looping_kit(), MemorySaver())
    AuditLog(file).ask(graph, "q", thread_id="t")
    whole = file.read_bytes()
    kept = whole[: cut % len(whole)]
    file.write_bytes(kept)
    torn = kept[kept.rfind(b"\n") + 1 :]
    assert len(verify(file).events) == kept.count(b"\n") and verify(file).ok == (not torn)
    log = AuditLog(file)
    log.sync(graph, "t")
    steps = [event["id"] for event in events(log) if event["kind"] == "step"]
    assert steps == [json.loads(line)["id"] for line in whole.splitlines()]
    assert verify(file).recovered == bool(torn)
    if torn:
        assert Path(f"{file}.torn").read_bytes() == torn + b"\n"


def test_nothing_is_added_to_a_log_that_was_edited(log):
    graph = build_naive(scripted_kit())
    log.ask(graph, "q")
    data = log.path.read_bytes()
    log.path.write_bytes(data.replace(b'"retriever"', b'"retrieved"'))
    with pytest.raises(ValueError, match="ragkit audit verify"):
        AuditLog(log.path).ask(graph, "q")
    log.path.write_bytes(data[:100])
    with pytest.raises(ValueError, match="was cut"):
        log.ask(graph, "q")


def _ask_many(path, name, times):
    log = AuditLog(path)
    for number in range(times):
        log.ask(build_arsc(looping_kit(), MemorySaver()), f"{name} {number}?")


def test_concurrent_processes_neither_tear_nor_mix(tmp_path):
    file = tmp_path / "audit.jsonl"
    spawn = multiprocessing.get_context("fork")
    workers = [spawn.Process(target=_ask_many, args=(file, name, 4)) for name in "abc"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    report = verify(file)
    assert report.ok and len(report.runs) == 12
    for run in report.runs:
        nodes = [event["node"] for event in report.events if event["run"] == run]
        assert nodes == [
            "input", "retriever", "grader", "rewriter", "retriever", "grader", "generator",
        ]  # fmt: skip
    assert all(decision.same for decision in replay(file))


KILLED = """
    import sys
    from scripted import scripted_kit, Queue, grades
    from ragkit.graphs.naive import build_naive
    from ragkit.journal import AuditLog
    log = AuditLog(sys.argv[1])
    print("up", flush=True)
    while True:
        log.ask(build_naive(scripted_kit()), "q")
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_process_leaves_a_valid_log_that_the_next_one_adds_to(tmp_path):
    file = tmp_path / "audit.jsonl"
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'tests'}"}
    command = [sys.executable, "-c", textwrap.dedent(KILLED), str(file)]
    for _ in range(2):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE)
        process.stdout.readline()
        time.sleep(0.4)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
    log = AuditLog(file)
    log.ask(build_naive(scripted_kit()), "after")
    assert len(events(log)) > 3


def test_lines_are_added_whole_and_read_back(tmp_path):
    file = tmp_path / "deep" / "telemetry.jsonl"
    append_line(file, {"query": "é", "latency_ms": float("nan")})
    with file.open("ab") as torn:
        torn.write(b'{"query": "half')
    assert [record["query"] for record in read_lines(file)] == ["é"]
    append_line(file, {"query": "key sk-abcdefgh12345678"})
    assert list(read_lines(file)) == [
        {"query": "é", "latency_ms": "nan"}, {"query": "key ***"},
    ]  # fmt: skip
    file.write_text("[1]\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"telemetry\.jsonl:1"):
        list(read_lines(file))


def test_a_full_disk_leaves_nothing_half_written(log, monkeypatch):
    graph = build_naive(scripted_kit())
    log.ask(graph, "q")
    whole = log.path.read_bytes()
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, line: write(file, line[:10]))
    with pytest.raises(OSError, match="only 10 of"):
        log.ask(graph, "q")
    monkeypatch.undo()
    assert log.path.read_bytes() == whole
    log.ask(graph, "q")
    assert len(events(log)) == 6


def test_telemetry_of_a_budgeted_run_is_one_line(tmp_path):
    from ragkit.graphs.budgeted import build_budgeted
    from ragkit.records import Route

    router = Queue([Route(route="vector_search", reasoning="")])
    run = ask(build_budgeted(scripted_kit(router=router)), "q")
    append_line(tmp_path / "t.jsonl", run.state["telemetry"])
    [line] = read_lines(tmp_path / "t.jsonl")
    assert line["query"] == "q" and line["query_versions"] == ["q"]
