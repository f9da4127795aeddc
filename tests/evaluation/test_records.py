"""Records are made from runs, kept as JSON lines and read back whole."""

from __future__ import annotations

import pytest
from evaluation.kits import full_kit
from evaluation.sample import question, record
from scripted import Queue, doc, grades, scripted_kit

from ragkit.config import ArscConfig, BudgetedConfig, CorrectiveConfig, CragConfig, Prices
from ragkit.evaluation.records import config_hash, make_record, read_records, write_record
from ragkit.graphs.arsc import build_arsc
from ragkit.graphs.budgeted import build_budgeted
from ragkit.graphs.corrective import build_corrective
from ragkit.graphs.crag import build_crag
from ragkit.records import Generation, Grade, Grounding, Rewrite
from ragkit.runs import ask


def recorded(build, kit, config):
    return make_record(question(), ask(build(kit), "q", config=config), kit.name, config)


def test_an_arsc_run_gives_its_rounds_queries_and_evidence():
    kit = scripted_kit(grader=Queue([grades(), grades(a=0.8)]))
    found = recorded(build_arsc, kit, ArscConfig())
    assert [[g["score"] for g in grades] for grades in found.rounds] == [[0.0, 0.0], [0.8, 0.0]]
    assert found.queries == ("q", "q v1") and [shown.id for shown in found.evidence] == ["a"]
    assert found.path == ["retriever", "grader", "rewriter", "retriever", "grader", "generator"]
    prices = Prices()
    assert found.cost_usd == pytest.approx(4 * prices.grade + prices.rewrite + prices.generate)
    assert found.tag == "best_effort" and not found.exhausted and found.verdicts == 4


def test_the_same_grades_twice_are_two_rounds():
    found = recorded(build_arsc, scripted_kit(grader=Queue([grades()])), ArscConfig())
    assert len(found.rounds) == 3 and found.exhausted and found.tag == "abstained"


def test_a_web_search_adds_a_round_of_its_own():
    mixed = Queue([grades(a=0.9), grades(w=0.9)])
    found = recorded(build_crag, full_kit(grader=mixed), CragConfig())
    flat = [[g["document_id"] for g in grades] for grades in found.rounds]
    # crag may grade one document a call: the rounds are told apart by node all the same
    assert flat == [["a", "b"], ["w"]] and found.web == "found"
    none = full_kit(grader=Queue([grades()]))
    found = recorded(build_corrective, none, CorrectiveConfig())
    assert [[g["document_id"] for g in grades] for grades in found.rounds] == [["a", "b"], ["w"]]


def test_strips_are_counted_whole_and_kept():
    found = recorded(build_crag, full_kit(), CragConfig(web_fallback=False))
    assert found.tokens == {"shown": 1, "whole": 8, "kept": 2}
    assert found.claims[0]["claim"] == "An answer" and found.draft == "An answer [1]."


def test_gold_facts_are_counted_in_all_strips_and_in_the_kept_ones():
    kit, gold = full_kit(), question(facts=(("a left",), ("a right",)))
    cut = [doc("a.1", "the a left part"), doc("a.2", "the a right part")]
    kit = kit.replace(split=lambda _document, _tokens: cut)
    kit = kit.replace(strip_grader=Queue([grades(**{"a.1": 0.9})]))
    run = ask(build_crag(kit), "q", config=CragConfig(web_fallback=False))
    found = make_record(gold, run, kit.name, CragConfig())
    assert found.facts == {"whole": 2, "kept": 1}


def test_a_rung_that_meters_itself_says_what_it_cost():
    found = recorded(build_budgeted, full_kit(), BudgetedConfig())
    assert found.cost_usd == pytest.approx(0.0002 + 2 * 0.0002 + 0.002)


def test_failed_verdicts_are_counted_by_outcome():
    failing = Queue([[Grade.failed("a", "refused", ""), Grade.failed("b", "transport", "")]])
    found = recorded(build_arsc, scripted_kit(grader=failing), ArscConfig(max_iterations=1))
    assert found.failures == {"refused": 1, "transport": 1} and found.verdicts == 2
    guard = Queue([Grounding(grounded=False, useful=False, outcome="invalid")])
    found = recorded(build_corrective, full_kit(grounder=guard), CorrectiveConfig())
    assert found.failures == {"invalid": 1} and found.verdicts == 3


@pytest.mark.parametrize(
    ("build", "kit", "config"),
    [
        (build_arsc, scripted_kit(grader=Queue([grades()])), ArscConfig()),
        (build_arsc, scripted_kit(grader=Queue([grades()])), ArscConfig(max_iterations=1)),
        (build_budgeted, full_kit(grader=Queue([grades()])), BudgetedConfig()),
        (build_crag, full_kit(grader=Queue([grades()])), CragConfig()),
    ],
)
def test_every_rung_says_when_a_budget_ended_it(build, kit, config):
    assert recorded(build, kit, config).exhausted


def test_no_progress_is_not_an_exhausted_budget():
    stuck = scripted_kit(grader=Queue([grades()]), rewriter=Queue([Rewrite(query="")]))
    assert not recorded(build_arsc, stuck, ArscConfig()).exhausted


def test_a_run_without_an_answer_is_recorded_too():
    silent = scripted_kit(generator=Queue([Generation(text="", answerable=False)]))
    found = recorded(build_arsc, silent, ArscConfig())
    assert found.tag == "abstained" and not found.released and found.answer


def test_records_are_read_back_as_they_were_and_the_later_counts(tmp_path):
    file = tmp_path / "records.jsonl"
    for answer in ("first", "second ü \u2028"):
        write_record(file, record(answer))
    write_record(file, record(rung="crag"))
    assert read_records(file) == [record("second ü \u2028"), record(rung="crag")]


def test_a_bad_record_is_named(tmp_path):
    file = tmp_path / "records.jsonl"
    write_record(file, record())
    file.write_bytes(file.read_bytes().replace(b'"graph":"naive"', b'"graph":7'))
    with pytest.raises(ValueError, match=r"records\.jsonl:1: graph: "):
        read_records(file)


def test_a_config_has_one_name():
    assert config_hash(ArscConfig()) == config_hash(ArscConfig(top_k=4))
    assert config_hash(ArscConfig()) != config_hash(ArscConfig(top_k=5))
