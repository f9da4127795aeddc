"""Every rung on every question, once, kept as it goes and taken up where it stopped."""

from __future__ import annotations

import json

import pytest
from evaluation.kits import Bar, full_kit
from evaluation.sample import question
from scripted import Queue, broken_clock, grades, scripted_kit

from ragkit.config import ArscConfig
from ragkit.evaluation.ladder import climb, rung
from ragkit.evaluation.records import read_records
from ragkit.graphs import RUNGS

QUESTIONS = [question(f"q{number}") for number in range(3)]


def without_times(records):
    return [r.model_copy(update={"steps": tuple(r.path)}) for r in records]


def test_every_rung_of_the_ladder_can_be_climbed():
    records = climb(full_kit(), QUESTIONS[:1], [rung(name) for name in RUNGS])
    assert [record.rung for record in records] == list(RUNGS)
    assert all(record.tag and record.reason and not record.error for record in records)


def test_records_come_by_rung_and_question_and_twice_the_same(tmp_path):
    rungs = [rung("naive"), rung("arsc")]
    first = climb(scripted_kit(), QUESTIONS, rungs, tmp_path / "a.jsonl")
    again = climb(scripted_kit(), QUESTIONS, rungs, tmp_path / "b.jsonl", jobs=4)
    assert [(r.rung, r.question.id) for r in first] == [
        (name, q.id) for name in ("naive", "arsc") for q in QUESTIONS
    ]
    assert without_times(first) == without_times(again)
    assert len(read_records(tmp_path / "b.jsonl")) == 6


def test_a_stopped_climb_goes_on_and_asks_nothing_twice(tmp_path):
    file = tmp_path / "records.jsonl"
    retriever = Queue([scripted_kit().retriever(), KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        climb(scripted_kit(retriever=retriever), QUESTIONS, [rung("naive")], file)
    assert len(read_records(file)) == 1
    kit, bar = scripted_kit(), Bar()
    records = climb(kit, QUESTIONS, [rung("naive")], file, progress=bar)
    assert len(records) == 3 and len(kit.retriever.calls) == 2
    assert (bar.total, bar.initial, bar.count, bar.closed) == (3, 1, 2, True)
    assert climb(scripted_kit(), QUESTIONS, [rung("naive")], file) == records


def test_another_config_is_another_measurement(tmp_path):
    file, kit = tmp_path / "records.jsonl", scripted_kit()
    climb(kit, QUESTIONS[:1], [rung("arsc")], file)
    climb(kit, QUESTIONS[:1], [rung("arsc", ArscConfig(top_k=1), "arsc, one")], file)
    assert [record.rung for record in read_records(file)] == ["arsc", "arsc, one"]


def test_a_run_that_breaks_is_recorded_and_tried_again(tmp_path):
    file = tmp_path / "records.jsonl"
    kit = full_kit(clock=broken_clock)
    [record] = climb(kit, QUESTIONS[:1], [rung("budgeted")], file)
    assert record.error == "OSError: the clock is broken" and not record.released
    [record] = climb(full_kit(), QUESTIONS[:1], [rung("budgeted")], file)
    assert not record.error and record.released
    assert len(file.read_text(encoding="utf-8").splitlines()) == 2


def test_history_reaches_the_graph():
    follow_up = question(history=({"role": "user", "content": "Hello"},))
    kit = full_kit()
    climb(kit, [follow_up], [rung("crag")])
    assert kit.router.calls[0][1] == [{"role": "user", "content": "Hello"}]


def test_no_thread_is_left_behind():
    from ragkit.evaluation.ladder import run_one

    chosen = rung("audited")
    graph = chosen.build(full_kit())
    assert run_one(graph, chosen, QUESTIONS[0], "kit").tag
    assert not list(graph.checkpointer.list(None))


def test_an_unknown_rung_is_named():
    with pytest.raises(ValueError, match="no graph called 'crack'; there are naive, arsc"):
        rung("crack")


def test_records_hold_no_secret(tmp_path, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "very-secret-value")
    kit = scripted_kit(grader=Queue([ValueError("very-secret-value"), grades()]))
    climb(kit, [question(question="very-secret-value?")], [rung("arsc")], tmp_path / "r.jsonl")
    text = (tmp_path / "r.jsonl").read_text(encoding="utf-8")
    assert "very-secret-value" not in text and json.loads(text)
