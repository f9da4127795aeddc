"""Evidence, claims, timelines and charts: what they say is what the records hold, as text."""

from __future__ import annotations

import re
from datetime import date
from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from ragkit import show
from ragkit.records import Grade, Support
from ragkit.runs import Run
from ragkit.show.answers import marked
from ragkit.show.bars import wilson
from ragkit.show.changes import difference
from ragkit.show.charts import binned, tally
from ragkit.show.documents import age, verdict_of
from ragkit.show.history import steps_of
from ragkit.show.page import COLOURS, long_text, short_id, style
from ragkit.show.plot import ticks_for

TODAY = date(2026, 11, 30)
NASTY = '<script>alert(1)</script></div><img src=x onerror="go()"> **bold** [1] </details>'


class Seen(HTMLParser):
    """Collect the tags and the text of a page, as a browser would."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.text, self.attributes, self.open = [], "", set(), []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attributes}
        if tag not in ("img", "br", "hr", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"

    def handle_data(self, data):
        if not self.open or self.open[-1] != "style":
            self.text += data


def seen(picture) -> Seen:
    page = Seen(picture._repr_html_())
    assert page.open == [], "every element is closed"
    return page


def document(name, content="A seat costs 29 USD.", **metadata):
    return {"id": name, "content": content, "metadata": metadata}


def grade(name, score, **more):
    verdict = "yes" if score > 0.5 else "no"
    return {
        "document_id": name, "binary_score": verdict, "confidence": score, "score": score, **more
    }  # fmt: skip


# --- untrusted text ---

HOSTILE = {
    "evidence": lambda: show.evidence(
        [document(NASTY, NASTY, title=NASTY, heading_path=NASTY, source=NASTY, version=NASTY,
                  effective_date=NASTY, audience=NASTY, kind="web", url=NASTY)],
        [grade(NASTY, 0.9, explanation=NASTY)],
        strips=[{"document_id": NASTY, "content": NASTY, "kept": True, "score": 0.5}], title=NASTY,
    ),
    "opened": lambda: show.evidence([document("a", NASTY)], opened=True),
    "long": lambda: show.evidence([document("a", NASTY * 20)]),
    "sources": lambda: show.sources([document(NASTY, title=NASTY, url=NASTY)]),
    "claims": lambda: show.claims(
        NASTY,
        [{"claim": NASTY, "citation_id": 1, "support_status": "supported", "evidence_text": NASTY,
          "reasons": [NASTY], "score": 0.4}],
        [document("a", title=NASTY)], NASTY,
    ),
    "alignment": lambda: show.alignment([NASTY], [NASTY], [[0.5]], NASTY),
    "timeline": lambda: show.timeline(
        [{"node": NASTY, "update": {NASTY: NASTY, "docs": [{"id": NASTY}], "list": [NASTY],
                                    "grades": [grade(NASTY, 0.9, explanation=NASTY)],
                                    "tag": NASTY}, "ms": 1}], title=NASTY,
    ),
    "map": lambda: show.threshold_map(
        [{"score": 0.5, "relevant": True, "question": NASTY, "document_id": NASTY}], 0.2, 0.7, NASTY
    ),
    "rates": lambda: show.rates([{"rate": NASTY, "numerator": 1, "denominator": 2}], NASTY),
    "ladder": lambda: show.ladder([{"rung": NASTY, NASTY: 1}], [NASTY]),
    "front": lambda: show.front([{"rung": NASTY, "c": 1, "q": 2}], "c", "q"),
}  # fmt: skip


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_untrusted_text_stays_text(make):
    page = seen(make())
    assert not {"script", "img", "strong", "a", "iframe"} & set(page.tags)
    assert not {name for name in page.attributes if name.startswith("on")}
    assert "alert(1)" in page.text


# --- evidence ---


@pytest.mark.parametrize(
    ("score", "verdict"),
    [(0.7, "kept"), (0.69, "ambiguous"), (0.35, "ambiguous"), (0.34, "dropped"), (0, "dropped")],
)
def test_thresholds_cut_as_the_article_says(score, verdict):
    assert verdict_of(grade("a", score), (0.35, 0.7)) == verdict


def test_a_failed_grade_is_dropped_whatever_its_score():
    failed = Grade.failed("a", "transport", "no reply")
    assert verdict_of(failed, (0.0, 0.1)) == "dropped"
    assert "grade transport" in seen(show.evidence([document("a")], [failed])).text


def test_verdicts_join_by_id_not_by_place():
    shown = repr(show.evidence([document("a"), document("b")], [grade("b", 0.9), grade("a", 0.1)]))
    assert shown.splitlines() == ["[1] dropped: a (a)", "[2] kept: b (b)"]


def test_every_verdict_has_a_word_and_an_icon_besides_its_colour():
    verdicts = dict(zip("abcd", ("kept", "ambiguous", "dropped", "superseded"), strict=True))
    text = seen(show.evidence([document(name) for name in "abcde"], verdicts=verdicts)).text
    for mark in ("✓kept", "≈ambiguous", "✕dropped", "↺superseded", "·ungraded"):
        assert mark in text


def test_an_unknown_verdict_is_named():
    with pytest.raises(ValueError, match="no verdict called 'good'"):
        show.evidence([document("a")], verdicts={"a": "good"})


def test_strips_show_inside_their_document():
    strips = [
        {"document_id": "a", "content": "stays", "kept": True, "score": 0.9},
        {"document_id": "a", "content": "goes", "kept": False, "score": 0.1},
    ]
    text = seen(show.evidence([document("a"), document("b")], strips=strips)).text
    assert "1 of 2 strips kept" in text and "dropped 0.10" in text and text.count("strips") == 1


@pytest.mark.parametrize(
    ("day", "words"),
    [
        ("2026-11-20", "10 days old"), ("2026-03-01", "9 months old"), ("2023-01-15", "3.9 years"),
        ("2026-12-10", "in 10 days"), (None, "undated"), ("last week", "undated"), ("", "undated"),
    ],
)  # fmt: skip
def test_age_is_said_in_words(day, words):
    assert words in age(day, TODAY)


def finished(**state):
    return Run("crag", None, "How much?", {"tag": "verified", "reason": "2 claims", **state}, STEPS)


def test_a_run_brings_verdicts_strips_and_superseded_along():
    strip = document("b~0", "kept text", document_id="b")
    run = finished(
        documents=[document("a"), document("b"), document("old")], evidence=[strip],
        grades=[grade("a", 0.1), grade("b", 0.9)], verdicts={"a": "dropped", "b": "ambiguous"},
        superseded=["old"],
        strips=[{**strip, "document_id": "b", "kept": True, "score": 1.0}],
    )  # fmt: skip
    shown = show.evidence(run)
    assert [line.split(":")[0] for line in repr(shown).splitlines()] == [
        "dropped", "ambiguous", "superseded",
    ]  # fmt: skip
    text = seen(shown).text
    assert text.count("kept text") == 1 and "[1] kept 1.00" in text, "the answer counts strips"


def test_the_whole_story_of_a_run():
    claim = {"claim": "29 USD", "citation_id": 1, "support_status": "supported", "score": 0.9}
    run = finished(answer="It costs 29 USD [1].", evidence=[document("a", title="Pricing")],
                   citations=[claim])  # fmt: skip
    page = seen(show(run))
    for words in (
        "How much?",
        "29 USD",
        "✓verified",
        "2 claims",
        "Pricing",
        "1 supported",
        "4 steps",
    ):
        assert words in page.text
    assert repr(show(run)).splitlines()[-1] == "verified: 2 claims"


def test_a_run_without_answer_or_documents_still_tells_its_story():
    run = finished(tag="abstained", reason="no documents")
    text = seen(show(run)).text
    assert "abstained" in text and "no documents" in text and "Sources" not in text


# --- claims ---


def support(status, number, **more):
    return Support(claim=f"claim {status}", citation_id=number, support_status=status, **more)


def test_claims_carry_their_status_in_words():
    records = [support("supported", 1), support("unsupported", 2), support("fabricated", 7),
               support("uncited", None), support("ambiguous", 1)]  # fmt: skip
    text = seen(show.claims("Answer [1][2].", records, [document("a"), document("b")])).text
    for words in ("1 supported", "1 unsupported", "1 fabricated", "1 uncited", "1 ambiguous"):
        assert words in text
    assert "[7] stands for no document" in text and "no citation" in text


def test_a_citation_takes_the_worst_of_its_claims():
    records = [support("supported", 1), support("unsupported", 1)]
    html = show.claims("One [1] and two [2, 3].", records).html
    assert re.search(r'title="unsupported[^>]* class="rk-chip rk-bad">.*?\[1\]</span>', html)
    assert re.search(r'class="rk-chip rk-path">\[2, 3\]</span>', html)


def test_an_answer_keeps_its_bold_and_code_and_nothing_else():
    html = show.claims("Press **Request** in `Ledger` # not a title <b>x</b> [1].", []).html
    assert "<b>Request</b>" in html and '<code class="rk-mono">Ledger</code>' in html
    assert "# not a title &lt;b&gt;x&lt;/b&gt;" in html


def test_a_heading_path_does_not_say_the_title_again():
    made = document("a", title="Pricing", heading_path="Pricing > Team > Seats")
    assert seen(show.sources([made])).text.count("Pricing") == 1
    made["content"] = "# Pricing > Team > Seats\n\nA seat costs 29 USD."
    assert seen(show.evidence([made])).text.count("Seats") == 1


def test_alignment_picks_the_nearest_token():
    shown = repr(show.alignment(["29", "usd"], ["usd", "29"], [[0.1, 0.9], [1.0, 0.2]]))
    assert shown.splitlines() == ["29 ~ 29 0.90", "usd ~ usd 1.00"]


def test_alignment_refuses_a_wrong_shape():
    with pytest.raises(ValueError, match="similarity must be 2 x 1"):
        show.alignment(["a", "b"], ["c"], [[0.1, 0.2]])


# --- timeline ---


def step(node, **update):
    return {"node": node, "update": update, "ms": 12.0}


STEPS = [
    step("retriever", question="cost", documents=[document("a"), document("b")], n=0, max_n=3),
    step("grader", grades=[grade("a", 0.1), grade("b", 0.2)], question="cost"),
    step("rewriter", question="price of a seat", n=1),
    step("retriever", documents=[document("b"), document("c")]),
]


def test_a_step_shows_only_what_it_changed():
    made = steps_of(STEPS)
    assert list(made[1].changed) == ["grades"]
    assert made[2].changed == {"question": ("cost", "price of a seat"), "n": (0, 1)}
    assert set(made[3].values) == {"question", "documents", "n", "max_n", "grades"}


def test_a_run_and_its_steps_give_the_same_timeline():
    assert show.timeline(SimpleNamespace(steps=STEPS)).html == show.timeline(STEPS).html


def test_documents_show_what_came_and_went():
    text = re.sub(
        "<[^>]+>", "", difference([document("a"), document("b")], [document("b"), document("c")])
    )
    assert "1 stay" in text and "+c" in text and "−a" in text


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (0, 1, "0 → 1"), (None, 0, "0"), ("a", "", "emptied"), (["x"], [], "cleared (1 before)"),
        (["x"], ["x", "y"], "1 as before, and + y"), ({"a": 1}, None, "gone"),
        (False, True, "False → True"),
        (None, {"reason": "cap", "left": 0, "by": None}, "reason: cap; left: 0"),
        ([], [{"query": "q", "kept": False}], "+ query: q; kept: no"),
        ([], [{"claim": "It is free.", "citation_id": 2, "support_status": "unsupported",
               "reasons": ["no number"]}],
         "✕unsupported It is free. [2]reasons: no number"),
    ],
)  # fmt: skip
def test_changes_are_said(before, after, words):
    assert re.sub("<[^>]+>", "", difference(before, after)) == words


def test_a_counter_is_a_gauge_against_its_limit():
    html = show.timeline(STEPS, limits={"n": 1}).html
    assert "n 1 of 1" in html and "rk-fill rk-bad" in html


def snapshot(name, parent, node, **values):
    changed = {key: (None, value) for key, value in values.items()}
    return SimpleNamespace(
        id=name, parent=parent, node=node, values=values, changed=changed, next=(),
        created_at=f"2026-11-30T10:00:0{name}+00:00",
    )  # fmt: skip


HISTORY = [
    snapshot("1", None, "input"), snapshot("2", "1", "retrieve", n=1),
    snapshot("3", "2", "generate", n=1, draft="x"), snapshot("4", "1", "retrieve", n=2),
]  # fmt: skip


def test_going_back_is_marked_with_the_step_it_went_to():
    html = show.timeline(HISTORY).html
    assert html.count("back to step") == 1 and "back to step 0" in html


def test_a_branch_says_what_it_went_back_to_and_what_was_changed_by_hand():
    back, fork = snapshot("5", "3", "rollback", n=2), snapshot("6", "2", "retrieve", n=9)
    back.returns_to, fork.forked = "2", True
    html = show.timeline([*HISTORY[:3], back], [*HISTORY[:2], fork]).html
    assert html.count("back to step 1") == 1 and html.count("fork: changed by hand") == 1


def test_branches_part_where_their_checkpoints_do():
    left, right = HISTORY[:3], [*HISTORY[:2], snapshot("5", "2", "generate", n=1, draft="y")]
    shown = show.timeline(left, right, names=("as it was", "forked"))
    assert repr(shown).splitlines()[0] == "2 steps in common"
    text = seen(shown).text
    assert "at the end" in text and text.count("draft") == 3 and "forked" in text


def test_equal_branches_say_so():
    assert "end in the same state" in show.timeline(HISTORY[:3], HISTORY[:3]).html


# --- charts ---

SCORES = [{"score": s / 10, "relevant": s > 4} for s in range(11)]


def test_the_map_counts_every_pair_once():
    counts = tally(SCORES, 0.35, 0.7)
    assert sum(counts.values()) == len(SCORES)
    assert counts["relevant", "kept"] == 4 and counts["not relevant", "dropped"] == 4
    html = show.threshold_map(SCORES, 0.35, 0.7).html
    assert html.count("<circle") == 2 * len(SCORES), "each dot once wide, once narrow"


def test_the_names_of_close_thresholds_stand_back_to_back():
    near, apart = (show.threshold_map(SCORES, 0.5, p).html for p in (0.55, 1.0))
    name = '<text [^>]*text-anchor="{}"[^>]*>{} 0.5'
    assert re.search(name.format("end", "fail"), near)
    assert not re.search(name.format("end", "fail"), apart)


@pytest.mark.parametrize(("fail", "passing"), [(0.7, 0.35), (0.5, 0.5), (-0.1, 0.5), (0.5, 1.1)])
def test_crossed_thresholds_are_refused(fail, passing):
    with pytest.raises(ValueError, match="must be below pass"):
        show.threshold_map(SCORES, fail, passing)


def test_the_map_redraws_within_a_blink():
    from time import perf_counter

    rows = [{"score": (n * 37 % 100) / 100, "relevant": n % 3 == 0} for n in range(720)]
    show.threshold_map(rows, 0.3, 0.7)
    began = perf_counter()
    show.threshold_map(rows, 0.35, 0.7)._repr_html_()
    assert perf_counter() - began < 0.5


def test_reliability_bins_hold_every_case():
    rows = binned([0.05, 0.06, 0.95, 1.0], [False, True, True, True], 10)
    assert [(row["n"], row["right"]) for row in rows] == [(2, 0.5), (2, 1.0)]
    assert seen(show.reliability([0.2, 0.8], [False, True])).tags.count("circle") == 4
    with pytest.raises(ValueError, match="2 confidences but 1 outcomes"):
        binned([0.1, 0.2], [True], 10)


@pytest.mark.parametrize(
    ("hits", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (10, 10, 0.7225, 1.0)],
)
def test_wilson_interval(hits, n, low, high):
    assert wilson(hits, n) == pytest.approx((low, high), abs=1e-4)


def test_rates_say_their_counts_and_nothing_measured_is_not_zero():
    shown = show.rates([{"rate": "rewrite", "numerator": 22, "denominator": 120},
                        {"rate": "regeneration", "numerator": 0, "denominator": 0}])  # fmt: skip
    assert repr(shown).splitlines() == ["rewrite: 18%, 22 of 120", "regeneration: not measured"]


def test_the_ladder_marks_the_best_in_the_metrics_own_direction():
    rows = [{"rung": "a", "right": 0.5, "cost": 10}, {"rung": "b", "right": 0.9, "cost": 20},
            {"rung": "c", "right": None, "cost": 30}]  # fmt: skip
    html = show.ladder(rows, ["right", "cost"], lower_is_better=["cost"], percent=["right"]).html
    assert re.findall(r"<b[^>]*>([^<]+)</b>", html) == ["10 ✓", "90% ✓"]
    assert html.count("not measured") == 1


def test_the_front_leaves_beaten_points_hollow():
    rows = [
        {"rung": "a", "c": 1, "q": 1},
        {"rung": "b", "c": 2, "q": 3},
        {"rung": "c", "c": 3, "q": 2},
    ]
    assert show.front(rows, "c", "q").html.count("rk-hollow") == 2, "c, wide and narrow"


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(0, 1, [0, 0.2, 0.4, 0.6, 0.8, 1]), (0, 5000, [0, 1000, 2000, 3000, 4000, 5000]), (2, 2, [2])],
)
def test_ticks_are_round(low, high, ticks):
    assert ticks_for(low, high) == ticks


# --- the whole ---


def luminance(colour):
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize("ground", ["#ffffff", "#181c1a", "#111111"])
@pytest.mark.parametrize("tone", COLOURS)
def test_colours_hold_on_light_and_dark(tone, ground):
    one, two = sorted((luminance(COLOURS[tone]), luminance(ground)))
    assert (two + 0.05) / (one + 0.05) >= 3


def test_the_style_sheet_names_the_same_colours():
    for tone, colour in COLOURS.items():
        assert f"--rk-{tone}:{colour}" in style()


def test_a_picture_saves_as_a_page_that_needs_nothing(tmp_path):
    page = show.sources([document("a")]).save(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "http" not in page and page.startswith("<!doctype html>")


def test_chunk_ids_lose_their_hash_only():
    assert short_id("pricing-2026#3-9f2c01ab") == "pricing-2026#3" and short_id("a#b") == "a#b"


def test_show_lists_what_it_has():
    for name in dir(show):
        assert callable(getattr(show, name)), name
    with pytest.raises(AttributeError, match=r"ragkit\.show has no 'piechart'; it has graph"):
        show.piechart  # noqa: B018


def test_the_head_of_a_long_text_reads_without_the_marks_of_its_table():
    table = "| Code | Status |\n| :--- | ---: |\n| E_1 | 403 |\n\n```json\n{}\n```\n- [ ] to do\n"
    table += "word " * 40
    made = long_text(table, 60)
    assert "Code, Status; E_1, 403; {} to do" in made.split("</summary>")[0]
    assert "| :--- |" in made, "opened, it is the text as it is"


def test_a_head_leaves_no_mark_open():
    assert "<summary>a b c …</summary>" in long_text("a **b c d** e", 8)


def test_two_claims_on_one_source_have_their_own_colours():
    records = [
        {"claim": "It is valid.", "citation_id": 1, "support_status": "supported"},
        {"claim": "It is free.", "citation_id": 1, "support_status": "unsupported"},
    ]
    first, second = marked("It is valid [1]. It is free [1].", records).split("It is free")
    assert "rk-good" in first and "rk-bad" not in first
    assert "rk-bad" in second and "rk-good" not in second
    assert "rk-bad" in marked("Both, said otherwise [1].", records), "else the worst of the label"


def test_a_strip_is_shown_below_its_heading_path():
    strip = {"document_id": "d", "content": "# Plans > Seats\n\nFive seats.", "kept": True}
    document = {"id": "d", "content": "Five seats.", "metadata": {}}
    made = show.evidence([document], strips=[strip])
    assert "Five seats." in made.html and "# Plans" not in made.html
