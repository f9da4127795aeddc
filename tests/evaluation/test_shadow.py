"""Two rungs side by side: every difference named, texts escaped, nothing asked of the network."""

from __future__ import annotations

import csv
import io
import re
import shutil
from html.parser import HTMLParser

import pytest
from evaluation.sample import FALSE, GOOD, NO_ANSWER, REVIEW, STALE, record

from ragkit.evaluation.shadow import KINDS, counts, pairs, to_csv, to_html, write_shadow

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
EVIL = "<script>alert(1)</script> & \"quoted\" <img src=x onerror='go()'> {{ 7 * 7 }}"


def both(name, before, after, **gold):
    gold = {"id": name, **gold}
    left = before.model_copy(update={"question": record(gold=gold).question})
    right = after.model_copy(update={"question": left.question, "rung": "audited"})
    return [left, right]


RECORDS = [
    *both("a", record(FALSE), record(GOOD)),
    *both("b", record(FALSE), record("none", tag="abstained"), **NO_ANSWER),
    *both("c", record(GOOD), record("none", tag="abstained")),
    *both("d", record(GOOD, tag="best_effort"), record(GOOD)),
    *both("e", record(STALE), record("…", tag="needs_review", draft=GOOD), **REVIEW),
    *both("f", record(GOOD), record(GOOD)),
    *both("g", record("none", tag="abstained"), record(GOOD)),
]


def test_each_question_has_its_kind_and_its_gain():
    found = {pair.id: (pair.kind, pair.gain) for pair in pairs(RECORDS, "naive", "audited")}
    assert found == {
        "a": ("another answer", "better"),
        "b": ("held back instead of answered", "better"),
        "c": ("held back instead of answered", "worse"),
        "d": ("the same answer, another tag", ""),
        "e": ("sent to review", "better"),
        "f": ("the same", ""),
        "g": ("answered instead of held back", "better"),
    }
    table = counts(pairs(RECORDS, "naive", "audited"))
    assert (table["better"], table["worse"], sum(table[kind] for kind in KINDS)) == (4, 1, 7)


def test_a_side_shows_draft_evidence_and_what_is_unsupported():
    found = {pair.id: pair for pair in pairs(RECORDS, "naive", "audited")}
    assert found["a"].before.unsupported == ("The Scale plan comes with 12 free parrots.",)
    assert found["a"].before.evidence[0]["id"] == "new"
    assert found["e"].after.answer == GOOD and found["e"].after.right is True


def test_a_rung_without_records_is_named():
    with pytest.raises(ValueError, match="no records of 'crag'; there are naive, audited"):
        pairs(RECORDS, "naive", "crag")


class Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.links = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href")]


def test_the_page_is_whole_escaped_and_alone(tmp_path):
    evil = record(EVIL, gold={"id": "x", "question": EVIL, "trap": EVIL}, reason=EVIL)
    found = pairs([evil, evil.model_copy(update={"rung": "audited"}), *RECORDS], "naive", "audited")
    write_shadow(found, tmp_path / "s.html", EVIL)
    page = (tmp_path / "s.html").read_text(encoding="utf-8")
    reader = Tags()
    reader.feed(page)
    assert reader.tags.count("article") == 8 and reader.tags.count("script") == 1
    assert (
        reader.links == []
        and "img" not in reader.tags
        and "http" not in page.replace("http-equiv", "")
    )
    assert "<script>alert" not in page and "&lt;script&gt;alert(1)" in page
    assert "{{ 7 * 7 }}" in page and "default-src &#39;none" not in page
    assert all(f'value="{kind}"' in page for kind in KINDS)


def test_the_csv_reads_back_and_starts_no_formula(tmp_path):
    evil = record('=HYPERLINK("http://x")\n"two" lines, ü', gold={"id": "x", "question": "+1?"})
    found = pairs([evil, evil.model_copy(update={"rung": "audited"})], "naive", "audited")
    [row] = csv.DictReader(io.StringIO(to_csv(found)))
    assert row["before_answer"] == '\'=HYPERLINK("http://x")\n"two" lines, ü'
    assert row["question"] == "'+1?" and row["after_right"] == "False"
    write_shadow(found, tmp_path / "s.csv", "")
    assert (tmp_path / "s.csv").read_bytes().startswith(b"\xef\xbb\xbfid,")


def test_an_empty_comparison_is_an_empty_page():
    assert re.search(r"0 questions", to_html([], "nothing"))


@pytest.mark.browser
def test_the_filters_work_in_a_browser(tmp_path):
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "chromium is missing: apt install chromium"
    write_shadow(pairs(RECORDS, "naive", "audited"), tmp_path / "s.html", "naive and audited")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM)
        page = browser.new_page()
        errors = []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((tmp_path / "s.html").as_uri())
        visible = page.locator("article:visible")
        assert visible.count() == 6  # the same answers are hidden at first
        page.get_by_label("only better or worse").check()
        assert visible.count() == 5 and page.locator("#shown").inner_text() == "5 shown"
        page.get_by_label("Search").fill("parrots")
        assert visible.count() == 2
        page.get_by_label("another answer").uncheck()
        assert visible.count() == 1
        browser.close()
    assert not errors
