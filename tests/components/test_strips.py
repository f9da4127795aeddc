"""Cutting documents into strips: tables, code, and not a word lost."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.strips import split_strips, tokens_saved

TABLE = "# Plans > Prices\n\n| Plan | Price |\n| --- | --- |\n" + "".join(
    f"| Plan number {n} | ${n} per month and seat |\n" for n in range(30)
)


def document(content: str, **metadata: object) -> dict[str, object]:
    return {"id": "page#0", "content": content, "metadata": {"source": "kb/page.md", **metadata}}


def test_a_table_keeps_its_head_and_whole_rows() -> None:
    strips = split_strips(document(TABLE), 60)
    assert len(strips) > 1
    rows = [
        line for strip in strips for line in strip["content"].splitlines() if "per month" in line
    ]
    assert rows == [line for line in TABLE.splitlines() if "per month" in line]
    assert all("| Plan | Price |" in strip["content"] for strip in strips)


def test_a_strip_knows_where_it_is_from() -> None:
    strips = split_strips(document(TABLE, title="Plans"), 60)
    assert [strip["id"] for strip in strips][:2] == ["page#0~0", "page#0~1"]
    metadata = strips[1]["metadata"]
    assert metadata["document_id"] == "page#0"
    assert metadata["strip"] == 1
    assert metadata["heading_path"] == "Plans > Prices"
    assert metadata["source"] == "kb/page.md"


def test_code_stays_whole_and_is_flagged_when_long() -> None:
    code = "```python\n" + "".join(f"value_{n} = compute({n})\n" for n in range(80)) + "```"
    strips = split_strips(document(f"Before it.\n\n{code}\n\nAfter it."), 60)
    holding = [strip for strip in strips if "```python" in strip["content"]]
    assert len(holding) == 1
    assert code in holding[0]["content"]
    assert holding[0]["metadata"]["oversize"] is True


def test_an_empty_document_has_no_strips() -> None:
    assert split_strips(document("  \n\n ")) == []


LINES = st.lists(
    st.sampled_from(
        ["# Head", "## Sub head", "Plain words here. And more.", "- item one", "- item two", "", "",
         "| a | b |", "| --- | --- |", "| c | d |", "```", "code = 1", "> quoted", "1. first",
         "long " * 60]
    ),
    max_size=40,
)  # fmt: skip


@given(LINES, st.integers(20, 200))
def test_no_word_is_lost(lines: list[str], tokens: int) -> None:
    text = "\n".join(lines)
    strips = split_strips(document(text), tokens)
    shown = " ".join(strip["content"] for strip in strips)
    for word in set(re.findall(r"\w+", text)):
        assert shown.count(word) >= text.count(word)


def test_tokens_saved() -> None:
    whole = [document("one two three four five six seven eight")]
    assert tokens_saved(whole, []) == 1.0
    assert tokens_saved(whole, whole) == 0.0
    assert tokens_saved([], []) == 0.0
