"""Public sets by path, on small ones made up here; nothing is measured where none lies."""

from __future__ import annotations

import json

import pytest
from evaluation.kits import full_kit
from scripted import Queue, graded
from sklearn.metrics import roc_auc_score, roc_curve

from ragkit.evaluation.public import TASKS, find_sets, load_rows, measure_sets
from ragkit.evaluation.public.asking import as_question, with_others
from ragkit.evaluation.public.baselines import recall_at, word_overlap
from ragkit.evaluation.stats import Share
from ragkit.records import Conflict, Generation, Grade, Grounding, Rewrite, Route, Support


def put(folder, task, *rows, name="made_up"):
    (folder / task).mkdir(exist_ok=True)
    file = folder / task / f"{name}.jsonl"
    file.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    return folder


def measured(kit, folder, **options):
    return {
        part: {figure.name: figure for figure in figures}
        for part, figures in measure_sets(kit, folder, **options)
    }


def test_absent_sets_are_skipped(tmp_path):
    assert find_sets(tmp_path / "nowhere") == []
    assert measured(full_kit(), tmp_path) == {}


def test_an_unknown_task_and_a_bad_record_are_named(tmp_path):
    with pytest.raises(ValueError, match="no task called chess; there are relevance, support"):
        find_sets(tmp_path, ["chess"])
    put(tmp_path, "relevance", {"id": "1", "question": "q"})
    with pytest.raises(ValueError, match=r"made_up\.jsonl: a record has no field 'text'"):
        measured(full_kit(), tmp_path)
    (tmp_path / "relevance/made_up.jsonl").write_text("{\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"made_up\.jsonl:1: not JSON"):
        measured(full_kit(), tmp_path)


def test_a_limit_draws_whole_groups_by_seed(tmp_path):
    rows = [{"id": f"{g}{n}", "group": g} for g in "abcdef" for n in range(3)]
    file = put(tmp_path, "qa", *rows) / "qa/made_up.jsonl"
    drawn = load_rows(file, 7)
    assert len(drawn) == 9 and drawn == load_rows(file, 7) != load_rows(file, 7, seed=1)
    assert all(sum(row["group"] == g for row in drawn) in (0, 3) for g in "abcdef")
    assert load_rows(file) == rows


def test_baselines_by_hand():
    assert word_overlap("seats in the plan", "The plan includes seats.") == 1.0
    assert word_overlap("seats and prices", "Prices of today") == 0.5
    assert word_overlap("", "text") == 0.0


def test_recall_at_equals_the_roc_curve():
    labels = [True, False, True, False, True, False, False, True]
    scores = [0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2]
    rates, recalls, _ = roc_curve(labels, scores, drop_intermediate=False)
    for alarms in (0.0, 0.25, 0.5, 1.0):
        best = max(r for f, r in zip(rates, recalls, strict=True) if f <= alarms)
        assert recall_at(labels, scores, alarms) == pytest.approx(best)
    assert recall_at([True], [0.5], 0.1) is None


def test_relevance_grades_a_question_at_once(tmp_path):
    texts = {"a": 0.9, "b": 0.3, "c": 0.6, "d": 0.2}
    rows = [
        {"id": f"{g}:{t}", "question": g, "text": t, "relevant": t in "ad", "group": g}
        for g in ("one", "two") for t in texts
    ]  # fmt: skip
    grader = Queue([lambda q, ds: [graded(d["id"], texts[d["content"]]) for d in ds]])
    found = measured(full_kit(grader=grader), put(tmp_path, "relevance", *rows))
    figures = found["relevance/made_up"]
    labels, scores = [row["relevant"] for row in rows], [texts[row["text"]] for row in rows]
    assert figures["AUROC of the grader"].value == pytest.approx(roc_auc_score(labels, scores))
    assert figures["AUROC of the grader"].result.n == 2 and len(grader.calls) == 2
    assert figures["balanced accuracy"].value == 0.5
    assert {"AUROC of word overlap", "AUROC of cosine"} <= figures.keys()


def test_failed_grades_are_left_out_and_counted(tmp_path):
    rows = [
        {"id": t, "question": "q", "text": t, "relevant": t == "a", "group": "q"} for t in "abc"
    ]

    def reply(_question, documents):
        return [graded("a", 0.9), graded("b", 0.1), Grade.failed("c", "transport", "")]

    found = measured(full_kit(grader=Queue([reply])), put(tmp_path, "relevance", *rows))
    figures = found["relevance/made_up"]
    assert figures["AUROC of the grader"].value == 1.0
    assert figures["failed grades"].result == Share(1, 3)


def claim_rows(*supported):
    return [
        {"id": str(n), "claim": f"Claim {n}.", "evidence": "text", "supported": s, "group": str(n)}
        for n, s in enumerate(supported)
    ]


def check(score, ok=True, outcome="ok"):
    return Support(
        claim="c", citation_id=1, score=score, fix_required=not ok, outcome=outcome,
        support_status="supported" if ok else "unsupported",
    )  # fmt: skip


def test_support_counts_escapes_and_false_alarms(tmp_path):
    checker = Queue([
        [check(0.9)], [check(0.2, False)], [check(0.8)], [check(0.95), check(0.1, False)],
        [check(0.9, outcome="invalid")],
    ])  # fmt: skip
    folder = put(tmp_path, "support", *claim_rows(True, True, False, False, True))
    figures = measured(full_kit(checker=checker), folder)["support/made_up"]
    assert checker.calls[0][1] == "Claim 0 [1]."
    # pairs: .9>.8 .9>.1 .2<.8 .2>.1
    assert figures["AUROC of the checker"].value == 0.75
    assert figures["escapes"].result == Share(1, 2)
    assert figures["false alarms"].result == Share(1, 2)
    assert figures["failed checks"].result == Share(1, 5)


def test_a_kit_without_the_part_measures_nothing(tmp_path):
    put(tmp_path, "support", *claim_rows(True))
    figures = measured(full_kit(checker=None), tmp_path)["support/made_up"]
    assert figures["needs a citation checker"].value is None


def test_conflicts_by_kind_beside_baselines_at_the_same_false_alarms(tmp_path):
    rows = [
        {"id": str(n), "question": "q", "doc_a": "it is red", "doc_b": text, "conflict": clash,
         "kind": kind, "group": str(n)}
        for n, (text, clash, kind) in enumerate([
            ("it is blue", True, "value"), ("a green sea", True, "value"),
            ("it is red", False, "agree"), ("it is red too", False, "agree"),
        ])
    ]  # fmt: skip
    clash = Conflict(kind="hard", subject="colour", document_ids=("a", "b"), statements=("", ""))
    detector = Queue([[clash], [], [], [clash]])
    folder = put(tmp_path, "conflict", *rows)
    figures = measured(full_kit(conflicts=detector), folder)["conflict/made_up"]
    assert figures["recall"].result == figures["recall: value"].result == Share(1, 2)
    assert figures["false alarms"].result == figures["false alarms: agree"].result == Share(1, 2)
    assert figures["recall of word overlap at the same false alarms"].value == 1.0


def test_a_kind_with_both_labels_is_shown_for_each_and_no_question_is_an_empty_one(tmp_path):
    rows = [
        {"id": str(n), "question": None, "doc_a": "it is red", "doc_b": text, "conflict": clash,
         "kind": "statement", "group": str(n)}
        for n, (text, clash) in enumerate([("it is blue", True), ("it is red", False)])
    ]  # fmt: skip
    asked = []

    def detect(question, documents):
        asked.append(question)
        return []

    folder = put(tmp_path, "conflict", *rows)
    figures = measured(full_kit(conflicts=detect), folder)["conflict/made_up"]
    assert asked == ["", ""]
    assert figures["recall: statement"].result == Share(0, 1)
    assert figures["false alarms: statement"].result == Share(0, 1)


def test_strips_beside_baselines_that_keep_as_many(tmp_path):
    row = {"id": "1", "query": "price of seats", "keep": [0, 2], "group": "1",
           "strips": ["seats cost a price", "a long story of other things entirely",
                      "it is five"]}  # fmt: skip
    grader = Queue([lambda q, ds: [graded(d["id"], 0.9 if d["id"] in "01" else 0.1) for d in ds]])
    folder = put(tmp_path, "strips", row)
    figures = measured(full_kit(strip_grader=grader), folder)["strips/made_up"]
    assert figures["recall"].result == Share(1, 2) and figures["precision"].result == Share(1, 2)
    assert figures["recall of word overlap, as many kept"].result.total == 2
    assert 0 < figures["tokens saved"].value < 0.5


def test_answers_are_judged_whole(tmp_path):
    common = {"question": "q", "answer": "It is. [1]", "docs": [{"id": "d", "text": "It is."}]}
    rows = [{**common, "id": g, "group": g, "grounded": g == "good"} for g in ("good", "bad")]
    grounder = Queue([
        Grounding(grounded=True, useful=True, claims=(check(0.9),)),
        Grounding(grounded=False, useful=True, claims=(check(0.2, False),)),
    ])  # fmt: skip
    figures = measured(full_kit(grounder=grounder), put(tmp_path, "answers", *rows))
    figures = figures["answers/made_up"]
    assert figures["AUROC of the grounding check"].value == 1.0
    assert figures["escapes"].result == Share(0, 1)


def test_rewrites_keep_terms_and_come_nearer(tmp_path):
    rows = [
        {"id": "1", "query": "did he win", "history": ["Who is Ann?", "A runner."],
         "rewrites": ["did Ann win"], "keep_terms": ["Ann"], "group": "1"},
        {"id": "2", "query": "lawers near me", "rewrites": ["lawyers near me"],
         "keep_terms": ["near", "free"], "group": "2"},
    ]  # fmt: skip
    router = Queue([Route(route="vector_search", reasoning="", rewritten_query="did Ann win")])
    kit = full_kit(router=router, rewriter=Queue([Rewrite(query="lawyers near me")]))
    figures = measured(kit, put(tmp_path, "rewrite", *rows))["rewrite/made_up"]
    assert router.calls[0][1][0] == {"role": "user", "content": "Who is Ann?"}
    assert figures["terms kept"].result == Share(2, 3)
    assert figures["nearer to a person's rewrite"].result == Share(2, 2)
    assert figures["F1 of the rewrite"].value > figures["F1 of the query as typed"].value


QA = [
    {"id": f"q{n}", "question": f"What colour is thing {n}?", "answers": ["blue", "azure"],
     "wrong_answers": ["red"], "answerable": n != 2, "group": f"g{n}",
     "docs": [{"id": f"d{n}", "text": f"Thing {n} is blue.", "relevant": True}]}
    for n in range(3)
]  # fmt: skip


def answering(index):
    def answer(_question, documents, *_):
        return Generation(text=f"{documents[0]['content'].rstrip('.')} [1].", answerable=True)

    return full_kit(
        retriever=index, generator=Queue([answer]),
        grader=Queue([lambda q, ds: [graded(d["id"], 0.9 * (q[-2] in d["content"])) for d in ds]]),
        planner=Queue([lambda q, *_: [Rewrite(query=q)]]),
    )  # fmt: skip


def test_qa_asks_both_rungs_over_own_and_other_documents(tmp_path):
    folder = put(tmp_path, "qa", *QA)
    figures = measured(full_kit(), folder, kit_for=answering)["qa/made_up"]
    assert figures["audited: answered and supported"].result == Share(2, 2)
    assert figures["naive: unsupported answers"].result.total == 3
    assert figures["audited: correct abstention"].result.total == 1
    assert "answered and supported: audited minus naive" in figures


def test_a_public_question_takes_any_answer_and_no_wrong_one():
    first, last = as_question(QA[0]), as_question(QA[2])
    assert first.facts == (("blue", "azure"),) and first.stale_facts == (("red",),)
    assert first.answerable is True and last.answerable is False and last.facts == ()
    assert as_question({"id": "1", "question": "q", "expected": "abstain"}).answerable is False


def test_the_others_are_drawn_by_question():
    rows = [
        {**QA[0], "id": f"q{n}", "group": f"g{n}", "docs": [{"id": f"d{n}"}]} for n in range(40)
    ]
    drawn = with_others(rows[0], rows)
    assert drawn[0]["id"] == "d0" and len({d["id"] for d in drawn}) == 21
    assert drawn == with_others(rows[0], rows) != with_others(rows[0], rows, seed=1)


def test_routing_pools_the_documents(tmp_path):
    rows = [
        {"id": str(n), "question": f"thing {n}?", "history": [{"role": "user", "text": "hi"}],
         "docs": [{"id": f"d{n}", "text": f"Thing {n} is blue."}], "expected": wanted,
         "group": str(n)}
        for n, wanted in enumerate(["answer", "abstain", "clarify", "answer_partial"])
    ]  # fmt: skip
    figures = measured(full_kit(), put(tmp_path, "routing", *rows), kit_for=answering)
    figures = figures["routing/made_up"]
    assert figures["naive: to answer, answered"].result == Share(2, 2)
    assert figures["naive: to abstain, held back or asked back"].result.total == 1


def test_every_task_has_its_measure():
    assert set(TASKS) == {
        "relevance", "support", "conflict", "strips", "answers", "qa", "routing", "rewrite",
    }  # fmt: skip
