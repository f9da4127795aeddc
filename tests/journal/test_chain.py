"""Any edit of an audit log is found and the first bad event is named (E10)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.checkpoint.memory import MemorySaver
from scripted import Queue, grades, scripted_kit

from ragkit.graphs.arsc import build_arsc
from ragkit.journal import AuditLog, verify
from ragkit.journal.chain import seal
from ragkit.journal.lines import canonical


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Two runs on one thread and one without checkpoints: 15 events."""
    file = tmp_path_factory.mktemp("log") / "audit.jsonl"
    log = AuditLog(file)
    kit = scripted_kit(grader=Queue([grades(), grades(a=0.9)]))
    graph = build_arsc(kit, MemorySaver())
    log.ask(graph, "first?", thread_id="t")
    log.ask(graph, "second?", thread_id="t")
    log.ask(build_arsc(scripted_kit()), "third?")
    return file.read_bytes()


@pytest.fixture
def check(tmp_path, written):
    def verified(data=None, **anchors):
        file = tmp_path / "copy.jsonl"
        file.write_bytes(written if data is None else data)
        return verify(file, **anchors)

    return verified


def lines_of(data):
    return data.splitlines(keepends=True)


def test_an_untouched_log_verifies(check):
    report = check()
    assert report.ok and len(report.events) == 15 and len(report.runs) == 3
    assert report.head == report.events[-1]["hash"] and report.recovered == 0
    assert [e["node"] for e in report.events[:5]] == [
        "input", "retriever", "grader", "rewriter", "retriever",
    ]  # fmt: skip


def test_an_empty_log_is_whole_and_a_missing_one_is_an_error(check, tmp_path):
    assert check(b"").ok
    with pytest.raises(FileNotFoundError):
        verify(tmp_path / "none.jsonl")


@settings(max_examples=300, deadline=None)
@given(data=st.data())
def test_any_changed_byte_is_found(written, tmp_path_factory, data):
    place = data.draw(st.integers(0, len(written) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != written[place]))
    file = tmp_path_factory.getbasetemp() / "edit.jsonl"
    file.write_bytes(written[:place] + bytes([byte]) + written[place + 1 :])
    report = verify(file)
    assert not report.ok
    # everything before the edited line still stands
    assert len(report.events) == written[:place].count(b"\n")


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_any_inserted_or_deleted_bytes_are_found(written, tmp_path_factory, data):
    start = data.draw(st.integers(0, len(written) - 1))
    end = data.draw(st.integers(start, min(len(written) - 1, start + 50)))
    new = data.draw(st.binary(min_size=int(start == end), max_size=20))
    edited = written[:start] + new + written[end:]
    file = tmp_path_factory.getbasetemp() / "edit.jsonl"
    file.write_bytes(edited)
    assert verify(file).ok == (edited == written)


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_deleted_doubled_or_moved_events_are_found(written, tmp_path_factory, data):
    lines = lines_of(written)
    picked = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=len(lines) + 3))
    edited = [lines[number] for number in picked]
    file = tmp_path_factory.getbasetemp() / "edit.jsonl"
    file.write_bytes(b"".join(edited))
    # only a prefix is a log; that its end is missing takes an anchor to see
    is_prefix = edited == lines[: len(edited)]
    assert verify(file).ok == is_prefix
    assert verify(file, count=len(lines)).ok == (edited == lines)


def test_an_edit_names_its_event(check, written):
    lines = lines_of(written)
    lines[2] = lines[2].replace(b'"binary_score":"no"', b'"binary_score":"yes"')
    problem = check(b"".join(lines)).problem
    assert problem.line == 3 and problem.event["node"] == "grader"
    assert "edited" in str(problem) and "seq 2" in str(problem) and "grader" in str(problem)


@pytest.mark.parametrize(
    ("change", "line", "reason"),
    [
        (lambda lines: lines[:4] + lines[5:], 5, "deleted: event 4 is missing"),
        (lambda lines: lines[1:], 1, "deleted: event 0 is missing"),
        (lambda lines: [*lines[:3], lines[4], lines[3], *lines[5:]], 4, "out of order: event 3"),
        (lambda lines: [*lines[:3], lines[2], *lines[3:]], 4, "doubled"),
        (lambda lines: [*lines[:3], b"\n", *lines[3:]], 4, "not an event"),
        (lambda lines: [*lines[:3], b'{"seq":3}\n', *lines[3:]], 4, "not an event"),
        (lambda lines: [*lines[:-1], lines[-1][:-9]], 15, "torn"),
    ],
)
def test_the_first_bad_line_is_named_with_its_kind(check, written, change, line, reason):
    problem = check(b"".join(change(lines_of(written)))).problem
    assert problem.line == line and reason in problem.reason


def test_an_event_sealed_anew_breaks_the_next_one(check, written):
    lines = lines_of(written)
    event = json.loads(lines[2])
    event["verdicts"] = {}
    del event["hash"]
    lines[2] = canonical(seal(event)) + b"\n"
    problem = check(b"".join(lines)).problem
    assert problem.line == 4 and "written anew" in problem.reason


def test_a_cut_end_needs_an_anchor(check, written):
    head = check().head
    cut = b"".join(lines_of(written)[:-2])
    assert check(cut).ok
    assert "end was cut off" in check(cut, head=head).problem.reason
    assert "13 events, not 15" in check(cut, count=15).problem.reason
    # a log that has grown since still holds the old head
    assert check(head=check(cut).head, count=13).ok
