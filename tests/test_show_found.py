"""Pictures of what was found, and of a run beside its gold."""

from __future__ import annotations

import pytest

from ragkit import show
from ragkit.evaluation.questions import Question
from ragkit.runs import Run


def document(name: str, text: str = "Some text.", **metadata: object) -> dict[str, object]:
    return {"id": name, "content": text, "metadata": metadata}


PRICES = document(
    "prices#1-aaaaaaaa", "# Prices > Plans\n\nScale costs $640.", title="Prices",
    heading_path="Prices > Plans", effective_date="2026-02-01",
)  # fmt: skip
SEATS = document("seats#0-bbbbbbbb", "<b>A seat</b> is a licence.", title="Seats")


def test_hits_come_in_order_with_scores_and_the_gold_marked():
    picture = show.hits([(SEATS, 0.5), (PRICES, 0.25)], {PRICES["id"]}, "A question")
    assert picture.text == (
        "1. 0.500 seats#0-bbbbbbbb\n2. 0.250 prices#1-aaaaaaaa (holds the answer)"
    )
    assert picture.html.index("Seats") < picture.html.index("Prices")
    assert picture.html.count("holds the answer") == 1
    assert "width:100.0%" in picture.html and "width:50.0%" in picture.html
    assert "2026-02-01" in picture.html and "undated" in picture.html


def test_the_heading_path_is_said_once_and_pages_cannot_bring_markup():
    picture = show.hits([PRICES, SEATS])
    assert "# Prices" not in picture.html and "Scale costs $640." in picture.html
    assert "<b>A seat" not in picture.html and "&lt;b&gt;A seat" in picture.html


@pytest.mark.parametrize(
    ("found", "gold", "said"),
    [
        ([], None, "Nothing was found."),
        ([SEATS], None, ""),
        ([SEATS], {PRICES["id"]}, "None of these holds the answer."),
        ([SEATS], set(), "None of these holds the answer, and no page does."),
        ([SEATS, PRICES], {PRICES["id"], "another"}, ""),
    ],
)
def test_a_miss_is_said(found, gold, said):
    text = show.hits(found, gold).text
    assert said in text and ("None" in text) is said.startswith("None")


def test_rankings_stand_side_by_side():
    picture = show.rankings({"dense": [SEATS, PRICES], "keyword": [SEATS]}, {PRICES["id"]})
    assert "dense: holds the answer at 2 of 2" in picture.text
    assert "keyword: holds the answer at none of 1" in picture.text
    assert picture.html.count("prices#1<") == 1 and "aaaaaaaa" not in picture.html


def ended(answer: str, **state: object) -> Run:
    known = {"answer": answer, "tag": "best_effort", "reason": "nothing was checked"}
    return Run("naive", None, "What does Scale cost?", {**known, "documents": [PRICES], **state})


STALE = Question(id="q", question="?", facts=[["$640"]], stale_facts=[["$499"]])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("It costs $640 [1].", "gold: $640: stated\n"),
        ("It costs $499 [1].", "gold: $640: absent; $499: out of date\n"),
        ("It costs $6400 [1].", "gold: $640: absent\n"),
    ],
)
def test_a_run_is_held_against_its_gold(answer, said):
    picture = show.beside_gold(ended(answer), STALE, {PRICES["id"]})
    assert said in picture.text and "best_effort: nothing was checked" in picture.text
    assert "holds the answer" in picture.html and "best effort" in picture.html


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        ({"expected_tag": "abstained"}, "there is no answer to give"),
        ({"expected_tag": "needs_review"}, "a person decides"),
        ({"expected_tag": "direct"}, "needs no search"),
        ({"answered_by": "web"}, "only the web has it"),
    ],
)
def test_what_a_good_run_would_do_is_said(gold, said):
    picture = show.beside_gold(ended("Yes [1]."), Question(id="q", question="?", **gold))
    assert said in picture.text and said in picture.html


def test_two_prices_are_no_formula():
    picture = show.beside_gold(ended("It costs $499, not $640 [1]."), STALE)
    assert picture._repr_html_().startswith('<div class="rk mathjax_ignore">')
