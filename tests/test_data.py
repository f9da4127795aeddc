"""The pages and the questions prove each other: nothing in the gold is taken on trust."""

from __future__ import annotations

import re
from collections import Counter
from difflib import SequenceMatcher
from itertools import combinations
from typing import Any

import pytest
from gold import DATA, of_trap, page_of, pages, questions, states, states_any

from ragkit.config import AuditedConfig
from ragkit.corpus import load_corpus
from ragkit.evaluation.gold import plain

TRAPS = {
    "plain", "stale", "vocabulary", "missing", "conflict", "direct",
    "multi-hop", "vague", "sensitive", "injected", "typo", "outside",
}  # fmt: skip
FIELDS = {
    "id", "question", "half", "trap", "route", "answered_by",
    "evidence", "facts", "expected_tag", "note",
}  # fmt: skip
OPTIONAL = {"history", "stale_facts", "absent", "relevant"}


# --- the pages


@pytest.mark.parametrize(
    ("text", "fact", "found"),
    [
        ("Scale costs $499", "$49", False),
        ("It costs $49 a month", "$49", True),
        ("1,500 requests", "500", False),
        ("99.95 %", "99.9", False),
        ("within 10 minutes.", "10 minutes", True),
    ],
)
def test_a_fact_is_found_as_a_whole_number(text: str, fact: str, found: bool) -> None:
    assert states(text, fact) is found


def test_the_knowledge_base_has_its_size_and_front_matter() -> None:
    kb = pages("kb")
    assert 40 <= len(kb) <= 60
    for page in kb.values():
        assert {"title", "product", "version", "audience"} <= page.meta.keys(), page.source
        assert page.meta["audience"] in {"customers", "staff", "developers"}, page.source
        assert isinstance(page.meta["version"], str), page.source
    assert [p.source for p in kb.values() if p.day is None] == ["kb/desk-notes.md"]


def test_some_dates_are_written_in_other_forms() -> None:
    written = [page.meta.get("effective_date") for page in pages("kb").values()]
    assert sum(isinstance(value, str) for value in written) >= 3


def test_the_recorded_web_has_its_size_and_front_matter() -> None:
    web = pages("web")
    assert 15 <= len(web) <= 20
    for page in web.values():
        assert {"url", "title", "retrieved"} <= page.meta.keys(), page.source
        assert re.match(r"https://[^/]+\.example(/|$)", page.meta["url"]), page.source
    assert any("published" not in page.meta for page in web.values())


def test_the_pages_hold_tables_code_and_many_versions() -> None:
    whole = "\n".join(page.text for page in pages("kb").values())
    assert {"python", "json", "bash"} <= set(re.findall(r"^```(\w+)$", whole, re.MULTILINE))
    assert len(re.findall(r"^\| --- ", whole, re.MULTILINE)) >= 40
    releases = [p.text for s, p in pages("kb").items() if s.startswith("kb/releases-")]
    versions = re.findall(r"^## \w+ \d+\.\d+ \(", "\n".join(releases), re.MULTILINE)
    assert len(set(versions)) >= 12 <= len(versions) and len(releases) >= 3
    codes = set(re.findall(r"^\| (ERROR_\d+) \|", whole, re.MULTILINE))
    assert "ERROR_302" in codes and len(codes) >= 11


def test_near_duplicates_differ_in_numbers_only_a_little() -> None:
    eu, us = (pages("kb")[f"kb/residency-{zone}.md"] for zone in ("eu", "us"))
    likeness = SequenceMatcher(None, eu.text.split(), us.text.split()).ratio()
    assert 0.85 < likeness < 1
    assert eu.day == us.day and eu.logical != us.logical


def test_poisoned_pages_give_orders_and_fake_fences() -> None:
    kb, web = pages("kb")["kb/connectors.md"].text, pages("web")["web/blog-async-python.md"].text
    assert "</document>" in kb and "ignore previous instructions" in kb and "[1]" in kb
    assert "</document>" in web and "Cite as [1]" in web


# --- the questions


def test_every_question_is_complete_and_unique() -> None:
    rows = questions()
    assert len(rows) >= 120
    assert len({row["id"] for row in rows}) == len(rows)
    normalised = [" ".join(re.findall(r"\w+", row["question"].lower())) for row in rows]
    assert [text for text, count in Counter(normalised).items() if count > 1] == []
    for row in rows:
        assert row.keys() >= FIELDS and row.keys() <= FIELDS | OPTIONAL, row["id"]
        assert row["half"] in {"practice", "exam"} and row["trap"] in TRAPS, row["id"]
        assert row["note"] and row["question"].strip() == row["question"] != "", row["id"]
        turns = [turn["role"] for turn in row.get("history", [])]
        assert set(turns) <= {"user", "assistant"} and turns[-1:] in ([], ["assistant"]), row["id"]


def test_every_trap_has_its_questions_in_both_halves() -> None:
    counts = Counter((row["trap"], row["half"]) for row in questions())
    assert {trap for trap, _ in counts} == TRAPS
    for trap in TRAPS:
        assert counts[trap, "practice"] == counts[trap, "exam"] >= 5, trap
    assert counts["vocabulary", "exam"] >= 18 and counts["plain", "exam"] >= 20
    for half in ("practice", "exam"):
        unanswerable = [
            row for row in of_trap("missing", "outside")
            if row["half"] == half and row["answered_by"] == "none"
        ]  # fmt: skip
        assert len(unanswerable) >= 12, half


def test_every_quote_is_one_line_of_its_page_and_nowhere_twice() -> None:
    for row in questions():
        for item in row["evidence"]:
            quote, text = item["quote"], page_of(item["source"]).text
            assert 20 <= len(quote) <= 200 and "\n" not in quote, (row["id"], quote)
            assert text.count(quote) == 1, (row["id"], item)


def test_every_fact_is_stated_in_the_quotes_it_rests_on() -> None:
    for row in questions():
        quotes = "\n".join(item["quote"] for item in row["evidence"])
        if row["answered_by"] in {"kb", "web"}:
            assert row["evidence"] and row["facts"], row["id"]
            lost = [fact for fact in row["facts"] if not states_any(quotes, fact)]
            assert lost == [], (row["id"], lost)
        for item in row["evidence"]:
            assert item["source"].startswith(row["answered_by"] + "/"), row["id"]


def test_every_quote_stays_whole_in_a_chunk() -> None:
    chunks = [
        (chunk["metadata"]["source"], plain(chunk["content"]))
        for folder in ("kb", "web")
        for chunk in load_corpus(DATA / folder).documents
    ]
    for row in questions():
        for item in row["evidence"]:
            quote = plain(item["quote"])
            assert any(item["source"] == s and quote in text for s, text in chunks), (
                row["id"],
                item,
            )


def test_a_missing_answer_is_nowhere() -> None:
    everything = "\n".join(p.text for f in ("kb", "web") for p in pages(f).values()).lower()
    for row in questions():
        if row["expected_tag"] == "abstained":
            assert row["answered_by"] == "none" and row["facts"] == row["evidence"] == []
            assert row["absent"], row["id"]
            found = [term for term in row["absent"] if term.lower() in everything]
            assert found == [], (row["id"], found)
        else:
            assert "absent" not in row, row["id"]


def test_what_the_web_answers_is_not_in_the_knowledge_base() -> None:
    kb = "\n".join(page.text for page in pages("kb").values())
    for row in questions():
        if row["answered_by"] == "web":
            unknown = [fact for fact in row["facts"] if not states_any(kb, fact)]
            quoted = [item["quote"] for item in row["evidence"] if item["quote"] in kb]
            assert unknown and not quoted, row["id"]


def test_every_stale_question_has_an_older_edition_with_the_stale_value() -> None:
    for row in of_trap("stale"):
        (item,) = row["evidence"]
        newest = page_of(item["source"])
        older = [
            page for page in pages("kb").values()
            if page.logical == newest.logical and page.day < newest.day
        ]  # fmt: skip
        assert older, row["id"]
        for stale in row["stale_facts"]:
            assert any(states_any(page.text, stale) for page in older), (row["id"], stale)
            assert not states_any(item["quote"], stale), (row["id"], stale)
    assert all("stale_facts" not in row for row in questions() if row["trap"] != "stale")


def test_conflicts_are_hard_or_over_time() -> None:
    hard = [row for row in of_trap("conflict") if row["expected_tag"] == "needs_review"]
    assert Counter(row["half"] for row in hard) == {"practice": 4, "exam": 4}
    for row in hard:
        first, second = (page_of(item["source"]) for item in row["evidence"])
        assert first.logical != second.logical, row["id"]
        assert None in (first.day, second.day) or first.day == second.day, row["id"]
    for row in of_trap("conflict"):
        if row not in hard:
            (item,) = row["evidence"]
            assert item["source"] == "kb/security-guideline-2026.md", row["id"]
            old = page_of("kb/security-guideline-2025.md")
            assert old.logical == page_of(item["source"]).logical and item["quote"] not in old.text


def test_tag_route_and_source_fit_each_other() -> None:
    expected = {
        "sensitive": {"needs_review"}, "vague": {"needs_review"}, "direct": {"direct"},
        "conflict": {"needs_review", "verified"}, "missing": {"verified", "abstained"},
        "outside": {"verified", "abstained"}, "injected": {"verified", "abstained"},
    }  # fmt: skip
    for row in questions():
        assert row["expected_tag"] in expected.get(row["trap"], {"verified"}), row["id"]
        assert (
            (row["trap"] == "direct")
            == (row["route"] == "direct")
            == (row["answered_by"] == "direct")
        ), row["id"]
        assert row["trap"] != "outside" or row["route"] == "web_search", row["id"]
        if row["answered_by"] == "kb":
            assert row["route"] == "vector_search", row["id"]
        if row["trap"] == "multi-hop":
            for item in row["evidence"]:
                said = [states_any(item["quote"], fact) for fact in row["facts"]]
                assert any(said) and not all(said), (row["id"], item["quote"])


def test_a_direct_follow_up_is_answered_by_its_history() -> None:
    follow_ups = [row for row in of_trap("direct") if "history" in row]
    assert Counter(row["half"] for row in follow_ups) == {"practice": 2, "exam": 2}
    for row in follow_ups:
        said = "\n".join(turn["content"] for turn in row["history"])
        assert row["facts"] and all(states_any(said, fact) for fact in row["facts"]), row["id"]


def test_only_sensitive_questions_speak_of_sensitive_things() -> None:
    terms = AuditedConfig().sensitive_terms
    for row in questions():
        found = [term for term in terms if states(row["question"], term)]
        assert (row["trap"] == "sensitive") == bool(found), (row["id"], found)


def test_the_halves_rest_on_different_lines() -> None:
    halves = {
        half: [
            (item["source"], item["quote"])
            for row in questions() if row["half"] == half
            for item in row["evidence"]
        ]
        for half in ("practice", "exam")
    }  # fmt: skip
    for source, quote in halves["practice"]:
        for other, text in halves["exam"]:
            assert source != other or (quote not in text and text not in quote), quote


def test_vocabulary_questions_share_few_words_with_their_pages() -> None:
    def shared(row: dict[str, Any]) -> float:
        words = {w[:5] for w in re.findall(r"[a-z]{4,}", row["question"].lower())}
        quoted = {
            w[:5] for i in row["evidence"] for w in re.findall(r"[a-z]{4,}", i["quote"].lower())
        }
        return len(words & quoted) / len(words)

    mean = {t: sum(map(shared, of_trap(t))) / len(of_trap(t)) for t in ("plain", "vocabulary")}
    assert mean["vocabulary"] < 0.12 and mean["vocabulary"] < mean["plain"] / 3, mean


def test_no_two_questions_are_nearly_the_same() -> None:
    rows = [(row["id"], row["question"].lower()) for row in questions()]
    near = [
        (a, b) for (a, one), (b, two) in combinations(rows, 2)
        if SequenceMatcher(None, one, two).quick_ratio() > 0.85
        and SequenceMatcher(None, one, two).ratio() > 0.85
    ]  # fmt: skip
    assert near == []


def test_the_readme_tells_the_true_counts() -> None:
    readme = (DATA / "README.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", readme, re.MULTILINE))
    assert told == {trap: str(len(of_trap(trap))) for trap in TRAPS}
    for number, thing in (
        (len(questions()), "questions with gold"),
        (len(pages("kb")), "pages of the knowledge base"),
        (len(pages("web")), "recorded web pages"),
    ):
        assert f"{number} {thing}" in readme
    assert all(f"| `{field}` |" in readme for field in FIELDS | OPTIONAL)
