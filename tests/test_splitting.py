"""Splitting keeps tables, code and headings whole, and loses no text."""

from __future__ import annotations

import re
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.splitting import Block, estimate_tokens, read_blocks, split_markdown, split_text

SENTENCE = "The quick fox jumps over 12 lazy dogs near the river bank."
TABLE = "| Code | Meaning |\n| --- | --- |\n" + "\n".join(
    f"| ERROR_{number} | The meaning of number {number} in plain words |"
    for number in range(300, 330)
)
FENCE = "```python\n" + "\n\n".join(f"print('line {n} of the code')" for n in range(60)) + "\n```"
PAGE = (
    f"# Guide\n\nIntro.\n\n## Codes\n\n{TABLE}\n\nAfter.\n\n"
    f"## Script\n\n{FENCE}\n\n### Deep\n\n{SENTENCE}"
)

markdown_line = st.one_of(
    st.sampled_from([
        "# One", "## Two", "### Three", "", "", "- item", "  - inner", "1. first", "> quote", "---",
        "| a | b |", "| - | - |", "| 1 | 2 |", "```", "    code", "Title", "=====", "[x]: http://y",
        "<div>", "</div>", "* * *", SENTENCE, "text\u2028with odd\x0bbreaks",
    ]),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), max_size=80),
)  # fmt: skip


def words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize("limit", [20, 60, 180])
def test_a_table_keeps_its_head_and_whole_rows(limit) -> None:
    pieces = [p for p in split_markdown(PAGE, limit) if "ERROR_" in p.text]
    rows = list(chain.from_iterable(re.findall(r"^\| ERROR_.*$", p.text, re.M) for p in pieces))
    assert rows == TABLE.splitlines()[2:]
    assert all(p.text.startswith("| Code | Meaning |\n| --- | --- |\n| ERROR_") for p in pieces)
    assert [p.repeated for p in pieces] == [0] + [2] * (len(pieces) - 1)


def test_a_fence_is_never_cut_however_long() -> None:
    [piece] = [p for p in split_markdown(PAGE, 40) if "```" in p.text]
    assert FENCE in piece.text
    assert estimate_tokens(piece.text) > 40


def test_indented_code_is_not_cut_either() -> None:
    code = "\n".join(f"    step {n} of many" for n in range(60))
    pieces = split_markdown(f"Before.\n\n{code}\n\nAfter.", 40)
    assert [code in piece.text for piece in pieces].count(True) == 1


def test_a_fence_inside_a_list_is_not_cut() -> None:
    code = "\n".join(f"  step {n} of many" for n in range(60))
    text = f"- one\n- two\n\n  ```\n{code}\n  ```\n- three"
    pieces = split_markdown(text, 30)
    assert sum(p.text.count("```") for p in pieces) == 2
    assert any(p.text.count("```") == 2 for p in pieces)


def test_headings_give_the_path_and_a_bare_one_is_kept() -> None:
    text = (
        "Before.\n\n# A\n\n## B\n\nIn b.\n\n#### C\n\nIn c.\n\n## D\n\n"
        "# E ##\n\nIn `e`.\n\nF\n===\n"
    )
    assert [(p.path, p.text) for p in split_markdown(text, 100)] == [
        ((), "Before."),
        (("A", "B"), "In b."),
        (("A", "B", "C"), "In c."),
        (("A", "D"), ""),
        (("E",), "In `e`."),
        (("F",), ""),
    ]


def test_a_heading_inside_code_or_a_list_is_text() -> None:
    text = "# A\n\n```\n# not a heading\n```\n\n- # inside a list\n"
    [piece] = split_markdown(text, 100)
    assert piece.path == ("A",)
    assert "# not a heading" in piece.text
    assert "# inside a list" in piece.text


def test_a_long_list_is_cut_between_items() -> None:
    items = [f"- Item {number}: {SENTENCE}" for number in range(12)]
    pieces = split_markdown("\n".join(items), 60)
    assert len(pieces) > 2
    assert [line for p in pieces for line in p.text.splitlines()] == items


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    pieces = split_markdown(" ".join([SENTENCE] * 30), 60)
    assert len(pieces) > 5
    assert all(p.text.endswith("bank.") and p.text.startswith("The quick") for p in pieces)
    assert all(estimate_tokens(p.text) <= 60 for p in pieces)


def test_text_without_spaces_is_not_cut_inside_a_word() -> None:
    word = "x" * 5_000
    assert [p.text for p in split_text(f"before {word} after", 50)].count(word) == 1


def test_plain_text_is_not_read_as_markdown() -> None:
    [piece] = split_text("# 1 issue\n- open\n\n    indented", 100)
    assert piece.path == ()
    assert piece.text == "# 1 issue\n- open\n\n    indented"


@given(st.lists(markdown_line, max_size=40).map("\n".join), st.sampled_from([20, 50, 180]))
def test_no_text_is_lost(text, limit) -> None:
    pieces = split_markdown(text, limit)
    kept = " ".join([*chain.from_iterable(p.path for p in pieces), *(p.text for p in pieces)])
    missing = set(words(text)) - set(words(kept))
    assert not missing
    bodies = [line.strip() for p in pieces for line in p.text.split("\n")[p.repeated :]]
    blocks = [b for b in read_blocks(text) if b.kind != "heading"]
    written = [line.strip() for b in blocks for line in b.text.split("\n")]
    # every line that is not blank, in the order written (long ones may be cut at spaces)
    assert "".join("".join(bodies).split()) == "".join("".join(written).split())


@given(st.lists(markdown_line, max_size=40).map("\n".join))
def test_blocks_hold_every_line(text) -> None:
    read = "".join("".join(b.text for b in read_blocks(text)).split())
    for line in text.split("\n"):
        bare = re.sub(r"^\s*#{1,6}(\s+|$)|\s+#+\s*$|^\s*(=+|-+)\s*$", "", line)
        assert "".join(bare.split()) in read


def test_the_estimate_counts_words_numbers_and_marks() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("one two, 302") == 4
    assert estimate_tokens("internationally") == 3
    assert estimate_tokens("1234567") == 3


def test_the_estimate_is_near_the_models_count_on_prose() -> None:
    from ragkit import data_dir
    from ragkit.embedding import MiniLM

    model = MiniLM()
    text = (data_dir() / "kb" / "pricing.md").read_text(encoding="utf-8")
    paragraphs = [b.text for b in read_blocks(text) if len(b.text) > 100]
    ratio = sum(map(estimate_tokens, paragraphs)) / sum(len(model.pieces(p)) for p in paragraphs)
    assert 0.9 < ratio < 1.3


def test_a_block_says_what_it_is() -> None:
    kinds = [b.kind for b in read_blocks(PAGE + "\n\n- x\n- y\n\n1. z")]
    assert kinds == [
        "heading", "text", "heading", "table", "text", "heading", "code", "heading", "text",
        "list", "list",
    ]  # fmt: skip
    assert read_blocks("## Two ##") == [Block("heading", "Two", level=2)]
