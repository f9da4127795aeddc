"""Thresholds are chosen on practice, checked on exam, and loaded by the graphs."""

from __future__ import annotations

import json

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scripted import Queue, graded
from sklearn.metrics import precision_score, recall_score

from ragkit.config import AuditedConfig, CragConfig
from ragkit.evaluation.calibration import (
    Label,
    Scored,
    choose,
    cut_rows,
    expected,
    load_labels,
    score_labels,
    sweep,
    write_thresholds,
)
from ragkit.evaluation.stats import Share
from ragkit.records import Grade


def cases(*scored, copies=1):
    return [Scored(f"q{n}", rel, score) for n, (rel, score) in enumerate(scored * copies)]


# relevant: .9 .8 .5 .2, others: .6 .3 .1 .1
TABLE = cases(
    (True, 0.9), (True, 0.8), (True, 0.5), (True, 0.2),
    (False, 0.6), (False, 0.3), (False, 0.1), (False, 0.1), copies=25,
)  # fmt: skip


def test_the_sweep_equals_scikit_learn():
    truth = [case.relevant for case in TABLE]
    for cut in sweep(TABLE, [0.15, 0.5, 0.55, 0.85]):
        said = [case.score >= cut.threshold for case in TABLE]
        assert cut.precision == pytest.approx(precision_score(truth, said))
        assert cut.recall == pytest.approx(recall_score(truth, said))
    assert cut_rows(sweep(TABLE, [0.95]))[0]["precision"] is None


def test_the_pair_by_hand():
    # kept at .61: .9 .8, all relevant; below .2 nothing relevant, at .21 a quarter is lost
    choice = choose(TABLE, precision=0.9, loss=0.05)
    assert (choice.pass_threshold, choice.fail_threshold) == (0.61, 0.2)
    assert choice.warnings == ()
    # .9 .8 .6 .5 are kept at .31, three of the four are relevant
    assert choose(TABLE, precision=0.75, loss=0.25).pass_threshold == 0.31


def test_expected_rates_by_hand():
    found = {f.name: f.result for f in expected(TABLE, choose(TABLE), "exam")}
    assert found["kept and relevant"] == Share(50, 50)
    assert found["relevant and lost"] == Share(0, 100)
    assert (found["kept"], found["ambiguous"], found["dropped"]) == (
        Share(50, 200), Share(100, 200), Share(50, 200),
    )  # fmt: skip


def test_few_labels_and_goals_out_of_reach_are_said():
    few = choose(cases((True, 0.9), (False, 0.1)))
    assert [text[:6] for text in few.warnings] == ["only 1", "only 1"]
    mixed = choose(cases((True, 0.5), (False, 0.5), copies=200), precision=0.9)
    assert any("no threshold keeps 90%" in text for text in mixed.warnings)
    lost = choose(cases((True, 0.001), (False, 0.9), (True, 0.95), copies=100), loss=0.0)
    assert any("every threshold loses" in text for text in lost.warnings)


@pytest.mark.parametrize("rows", [[], [(True, 0.5)], [(False, 0.5), (False, 0.1)]])
def test_one_kind_of_label_is_refused(rows):
    with pytest.raises(ValueError, match="labels of both kinds"):
        choose(cases(*rows))


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), min_size=2, max_size=60))
def test_any_labels_give_a_pair_that_a_graph_accepts(rows):
    assume(0 < sum(rel for rel, _ in rows) < len(rows) and any(s >= 0.01 for _, s in rows))
    choice = choose(cases(*rows))
    config = CragConfig(pass_threshold=choice.pass_threshold, fail_threshold=choice.fail_threshold)
    assert config.fail_threshold < config.pass_threshold
    relevant = sum(rel for rel, _ in rows)
    lost = sum(rel for rel, score in rows if score < choice.fail_threshold)
    assert lost <= 0.05 * relevant or choice.fail_threshold == choice.pass_threshold - 0.01


def test_the_file_is_what_the_graphs_load(tmp_path):
    file = tmp_path / "thresholds.json"
    choice = choose(TABLE)
    write_thresholds(file, choice, expected(TABLE, choice, "practice"), {"seed": 0})
    for config in (CragConfig, AuditedConfig):
        loaded = config.from_file(file)
        assert (loaded.pass_threshold, loaded.fail_threshold) == (0.61, 0.2)
    assert CragConfig.from_file(file, top_k=3).top_k == 3
    about = json.loads(file.read_text(encoding="utf-8"))["about"]
    assert about["seed"] == 0 and about["expected"][0]["name"] == "kept and relevant"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"pass_threshold": 0.2, "fail_threshold": 0.3}', "must be below"),
        ('{"pas_threshold": 0.2}', "pas_threshold"),
        ('{"pass_threshold": 2}', "pass_threshold"),
    ],
)
def test_a_broken_file_is_named_with_its_field(tmp_path, text, message):
    file = tmp_path / "thresholds.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=message) as caught:
        CragConfig.from_file(file)
    assert "thresholds.json" in str(caught.value)


def test_labels_of_ones_own_are_read_split_and_scored(tmp_path):
    file = tmp_path / "labels.jsonl"
    rows = [{"question": f"q{n % 10}", "text": f"t{n}", "relevant": n % 2 == 0} for n in range(40)]
    file.write_text("\n".join(map(json.dumps, rows)) + "\n\n", encoding="utf-8")
    labels = load_labels(file)
    halves = {}
    for label in labels:
        halves.setdefault(label.question, set()).add(label.part)
    assert all(len(parts) == 1 for parts in halves.values())
    assert {part for parts in halves.values() for part in parts} == {"practice", "exam"}
    grader = Queue([lambda q, ds: [graded(d["id"], int(d["content"][1:]) / 40) for d in ds]])
    scored = score_labels(grader, labels)
    assert sorted(case.score for case in scored) == pytest.approx([n / 40 for n in range(40)])
    assert Label(question="q", text="t", relevant=True, half="exam").part == "exam"


def test_a_failed_grade_is_no_score():
    failing = Queue([lambda q, ds: [Grade.failed("0", "transport", ""), graded("1", 0.3)]])
    labels = [Label(question="q", text=t, relevant=True) for t in "ab"]
    assert [case.score for case in score_labels(failing, labels)] == [pytest.approx(0.3)]


def test_a_bad_label_is_named(tmp_path):
    file = tmp_path / "labels.jsonl"
    file.write_text('{"question": "q", "text": "t", "relevant": "perhaps"}\n', encoding="utf-8")
    with pytest.raises(ValueError, match=r"labels\.jsonl:1: relevant"):
        load_labels(file)
