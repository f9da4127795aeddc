"""Citation markers: every form that counts, every look-alike that does not (P46, P48)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.markers import code_spans, inside, parse_markers

SHOWN = 3


def labels(text: str) -> list[tuple[int | None, str]]:
    return [(marker.label, marker.status) for marker in parse_markers(text, SHOWN)]


@pytest.mark.parametrize(
    "text",
    [
        "A [1].",
        "A.[1]",
        "A. [1]",
        "**A [1]**",
        "*[1]*",
        "A [^1].",
        "A【1】",
        "A【1†source】",
        "A [1†source].",
        "A [1↑source].",
        "A ［1］.",
        "A ［１］.",
        "A [１].",
        "A [^1^].",
        "A [[1]].",
        "A [**1**].",
        "- A [1]",
        "| A | [1] |",
        "> A [1]",
        "# A [1]",
        "(see pricing)[1]",
        "Wow![1]",
        "It costs $49.50[1].",
        "Meter v4.2[1]",
        "价格[1]。",
        "is big[1]",
        "A 【1†L10-L15】",
        "A [ 1 ]",
        "`x` [1]",
        "<sup>[1]</sup>",
        "[1] (see pricing)",
        "A [¹].",
    ],
)
def test_every_form_of_label_one(text: str) -> None:
    assert labels(text) == [(1, "ok")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A [1, 2].", [1, 2]),
        ("A [1,2,3].", [1, 2, 3]),
        ("A [1; 3].", [1, 3]),
        ("A [1 and 2].", [1, 2]),
        ("A [1、2]。", [1, 2]),
        ("A [1-3].", [1, 2, 3]),
        ("A [1–3].", [1, 2, 3]),
        ("A [1 — 2].", [1, 2]),
        ("A [1][2].", [1, 2]),
        ("A [1] [3].", [1, 3]),
        ("A [^1, ^2].", [1, 2]),
        ("A [1†source, 2†source].", [1, 2]),
        ("A [1-2, 3].", [1, 2, 3]),
    ],
)
def test_lists_ranges_and_neighbours(text: str, expected: list[int]) -> None:
    assert labels(text) == [(label, "ok") for label in expected]


@pytest.mark.parametrize(
    "text",
    [
        "Use `items[1]` here",
        "``a`[1]``",
        "```\nx[1]\n```",
        "~~~\nx[1]",
        "\\[1\\]",
        "\\[1]",
        "[x]",
        "[ ]",
        "[TODO]",
        "[text](url)",
        "[1](https://a.example/b)",
        "[1](<a b>)",
        '[1](url "title")',
        "![1](pic.png)",
        "(1)",
        "1. step",
        "[the docs][1]\n\n[1]: https://a.example",
        "[]",
        "",
        "[the price of 2023 was announced by the team in June of that year]",
        "- ```\n  x[1]\n  ```",
    ],
)
def test_what_is_no_marker(text: str) -> None:
    assert labels(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A [4].", [(4, "out_of_range")]),
        ("A [0].", [(0, "out_of_range")]),
        ("A [-1].", [(-1, "out_of_range")]),
        ("A [01].", [(None, "out_of_range")]),
        ("A [" + "9" * 30 + "].", [(None, "out_of_range")]),
        ("A [2024].", [(2024, "out_of_range")]),
        ("A [1a].", [(None, "malformed")]),
        ("A [1.5].", [(None, "malformed")]),
        ("A [p. 5].", [(None, "malformed")]),
        ("A [source 1].", [(None, "malformed")]),
        ("A [1]⟦9⟧.", [(1, "ok"), (9, "out_of_range")]),
        ("A 〔１〕 and ❲2❳ and 〖9〗.", [(1, "ok"), (2, "ok"), (9, "out_of_range")]),
        ("A [3-1].", [(None, "malformed")]),
        ("A [1-100000].", [(None, "malformed")]),
        ("A [1, x2].", [(None, "malformed")]),
        ("A 【4:0†source】.", [(None, "malformed")]),
        ("A [2-4].", [(2, "ok"), (3, "ok"), (4, "out_of_range")]),
        ("A [1][7].", [(1, "ok"), (7, "out_of_range")]),
        ("价格[9]。", [(9, "out_of_range")]),
        ("arr[0]", [(0, "ambiguous")]),
        ("is big[7]", [(7, "ambiguous")]),
        ("get_x[1]", [(1, "ambiguous")]),
        ("config.items[1]", [(1, "ambiguous")]),
        ("f(x)[1]", [(1, "ambiguous")]),
        ("x[i+1]", [(None, "ambiguous")]),
        ("get_x[1][2]", [(1, "ambiguous"), (2, "ambiguous")]),
    ],
)
def test_labels_that_support_nothing(text: str, expected: list[tuple[int | None, str]]) -> None:
    assert labels(text) == expected


def test_markers_know_their_place() -> None:
    text = "One [1]. Two 【2†source】."
    assert [text[m.start : m.end] for m in parse_markers(text)] == ["[1]", "【2†source】"]


def test_neighbours_stay_citations_beside_their_own_source_list() -> None:
    """P50: `[1][2]` with a line "[2]: https://…" reads as one link to a renderer, as two here."""
    assert labels("On by default.[1][2]\n\n[2]: https://a.example") == [(1, "ok"), (2, "ok")]


def test_without_a_count_any_positive_label_exists() -> None:
    assert [m.status for m in parse_markers("A [2024] b [0]")] == ["ok", "out_of_range"]


def test_backticks_pair_within_a_paragraph_only() -> None:
    text = "a ` b [1]\n\nc ` d [2]"
    assert code_spans(text) == []
    assert [m.label for m in parse_markers(text)] == [1, 2]


@given(st.text(alphabet="[]()`~\\^†,-–1290aA.x \n【】｛［］１:|*_>", max_size=200))
def test_any_text_parses_and_every_marker_is_in_it(text: str) -> None:
    code = code_spans(text)
    for marker in parse_markers(text, SHOWN):
        assert text[marker.start : marker.end] == marker.text
        assert not inside(code, marker.start)
        if marker.status == "ok":
            assert marker.label is not None and 1 <= marker.label <= SHOWN


@pytest.mark.parametrize(
    "piece",
    ["[1]", "`", "` ", "a[1]", "[1](", "[", "\\[1]", "`a``b", "[1](a(b)", "x", "[1](<", "【1"],
)
def test_fifty_thousand_characters_take_less_than_a_second(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    began = time.process_time()
    parse_markers(text, SHOWN)
    assert time.process_time() - began < 1.0
