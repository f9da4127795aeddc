"""The component figures against tables worked by hand, and their direction."""

from __future__ import annotations

import pytest
from scripted import Queue, doc, graded, scripted_kit

from ragkit.evaluation.components import (
    Judged,
    grader_figures,
    judge_pools,
    measure_components,
    retrieval_figures,
    rewriter_figures,
)
from ragkit.evaluation.questions import Question
from ragkit.records import Grade, Rewrite, Route


class Shelf:
    """A retriever that finds what its table says for a query, whatever the strategy."""

    def __init__(self, **found):
        self.found = found
        self.shelf = {name: doc(name, f"fact {name}") for names in found.values() for name in names}
        self.shelf["lost"] = doc("lost", "fact lost")

    def __call__(self, query, k, strategy="hybrid"):
        return [self.shelf[name] for name in self.found.get(query, "")][:k]

    def documents(self):
        return list(self.shelf.values())


def ask_for(name, *relevant, **gold):
    facts = tuple((f"fact {r}",) for r in relevant)
    return Question(id=name, question=name, relevant=relevant, **{"facts": facts, **gold})


def by_name(figures):
    return {figure.name: figure for figure in figures}


def judged(*cases):
    return [
        Judged(f"q{n}", f"d{n}", label, graded(f"d{n}", s)) for n, (label, s) in enumerate(cases)
    ]


def test_grader_figures_by_hand():
    # scores of relevant: .9 .6 .2, of others: .7 .1 -> pairs right: .9>.7 .9>.1 .6>.1 .2>.1 = 4/6
    figures = by_name(
        grader_figures(judged((True, 0.9), (True, 0.6), (True, 0.2), (False, 0.7), (False, 0.1)))
    )
    assert figures["AUROC of the score"].value == pytest.approx(4 / 6)
    assert figures["balanced accuracy"].value == pytest.approx((2 / 3 + 1 / 2) / 2)
    assert str(figures["relevant said yes"].result).startswith("2 of 3 ")
    assert str(figures["others said no"].result).startswith("1 of 2 ")
    # right with .9 .6 .9, wrong with .8 .7 -> gaps by bin: |1-.6|+|0-.8|+|0-.7|+2*|1-.9|
    assert figures["calibration error"].value == pytest.approx((0.4 + 0.8 + 0.7 + 0.2) / 5)


def test_a_better_grader_never_measures_worse():
    worse = by_name(grader_figures(judged((True, 0.4), (True, 0.9), (False, 0.6), (False, 0.2))))
    better = by_name(grader_figures(judged((True, 0.7), (True, 0.9), (False, 0.3), (False, 0.2))))
    for name, figure in better.items():
        change = figure.value - worse[name].value
        assert change >= 0 if figure.higher_is_better else change <= 0, name


def test_failed_grades_are_counted_apart_and_not_as_verdicts():
    failed = Judged("q9", "d9", True, Grade.failed("d9", "transport", "down"))
    figures = by_name(grader_figures([*judged((True, 0.9), (False, 0.1)), failed]))
    assert figures["AUROC of the score"].value == 1.0
    assert str(figures["failed grades"].result).startswith("1 of 3 ")


def test_nothing_graded_is_not_measured():
    assert {figure.value for figure in grader_figures([])} == {None}
    assert all(figure.text == "not measured" for figure in grader_figures([]))


def test_the_pool_is_what_search_finds_and_the_gold_it_missed():
    kit = scripted_kit(retriever=Shelf(q="ab"), grader=Queue([_by_content]))
    cases = list(judge_pools(kit, [ask_for("q", "a", "lost")]))
    assert [(c.document_id, c.relevant) for c in cases] == [
        ("a", True), ("b", False), ("lost", True),
    ]  # fmt: skip


def _by_content(_question, documents):
    return [graded(d["id"], 0.9 if d["id"] in ("a", "lost") else 0.1) for d in documents]


def test_other_editions_of_a_gold_page_are_left_out():
    shelf = Shelf(q="abc")
    for name, source in (("a", "new.md"), ("b", "old.md"), ("c", "else.md")):
        title = "Prices" if name in "ab" else "Terms"
        shelf.shelf[name]["metadata"] = {"title": title, "product": "P", "source": source}
    kit = scripted_kit(retriever=shelf, grader=Queue([_by_content]))
    assert [case.document_id for case in judge_pools(kit, [ask_for("q", "a")])] == ["a", "c"]


def test_a_follow_up_is_searched_as_the_router_words_it():
    told = Route(route="vector_search", reasoning="", rewritten_query="q")
    kit = scripted_kit(retriever=Shelf(q="a"), grader=Queue([_by_content]), router=Queue([told]))
    asked = ask_for("and then?", "a", history=({"role": "user", "content": "q?"},))
    found = by_name(measure_components(kit, [asked]))
    assert str(found["dense recall@6"].result).startswith("1 of 1 ")


def test_recall_needs_every_fact_from_relevant_chunks():
    kit = scripted_kit(retriever=Shelf(both="abx", half="ax", none="x", bare="x"))
    questions = [
        ask_for("both", "a", "b"), ask_for("half", "a", "b"), ask_for("none", "a"),
        # states the fact, but in a chunk that is not relevant by gold
        ask_for("bare", "a", facts=(("fact x",),)),
    ]  # fmt: skip
    figures = by_name(retrieval_figures(kit, questions))
    assert str(figures["hybrid recall@6"].result).startswith("1 of 4 ")
    assert str(figures["dense hit@6"].result).startswith("2 of 4 ")


def test_rescue_counts_only_what_was_rejected_whole_and_ends_on_gold():
    retriever = Shelf(good="a", saved="x", saved2="a", lost="x", lost2="y", fooled="x", fooled2="z")
    kit = scripted_kit(
        retriever=retriever,
        grader=Queue([lambda q, ds: [graded(d["id"], 0.9 * (d["id"] in "az")) for d in ds]]),
        rewriter=Queue([lambda q, failed, ds: Rewrite(query=f"{q}2")]),
    )
    questions = [
        ask_for("good", "a"), ask_for("saved", "a", trap="vocabulary"),
        ask_for("lost", "a", trap="vocabulary"), ask_for("fooled", "a"),
    ]  # fmt: skip
    figures = by_name(rewriter_figures(kit, questions))
    assert str(figures["rescue rate, vocabulary questions"].result).startswith("1 of 2 ")
    assert str(figures["rescue rate, all questions"].result).startswith("1 of 3 ")


def test_relevant_chunks_are_those_quoted_where_the_gold_names_none():
    shelf = Shelf(q="ab")
    shelf.shelf["a"]["content"] = "| *ERROR_1* | 401 |\n| ERROR_2 | 402 |"
    shelf.shelf["b"]["content"] = "| ERROR_1 | 401 |"
    kit = scripted_kit(retriever=shelf, grader=Queue([_by_content]))
    quote = {"source": "a", "quote": "| ERROR_1 | 401 |"}
    question = Question(id="q", question="q", evidence=(quote,), facts=(("401",),))
    figures = by_name(measure_components(kit, [question]))
    assert str(figures["relevant said yes"].result).startswith("1 of 1 ")
    assert str(figures["others said no"].result).startswith("1 of 1 ")
    assert str(figures["keyword recall@6"].result).startswith("1 of 1 ")


def test_unanswerable_questions_measure_the_grader_and_not_the_search():
    kit = scripted_kit(retriever=Shelf(q="a", gone="b"), grader=Queue([_by_content]))
    absent = Question(id="gone", question="gone", answered_by="none")
    figures = by_name(measure_components(kit, [ask_for("q", "a"), absent]))
    assert figures["others said no"].result.total == 1
    assert figures["hybrid recall@6"].result.total == 1
