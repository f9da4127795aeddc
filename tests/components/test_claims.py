"""Drafts taken apart into claims (P50, P53, P54)."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragkit.components.blocks import split_blocks, without_sources
from ragkit.components.claims import split_claims, split_segments

Pairs = list[tuple[str, list[int]]]


def claims(text: str) -> Pairs:
    return [(claim.text, claim.labels) for claim in split_claims(text, 3)]


def kinds(text: str) -> list[str]:
    return [part.kind for part in split_segments(text, 3) if part.kind not in ("blank", "claim")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A is true. [1] B is true. [2]", [("A is true.", [1]), ("B is true.", [2])]),
        ("A is true.[1] B is true.[2]", [("A is true.", [1]), ("B is true.", [2])]),
        ("A is true [1]. B is true.", [("A is true.", [1]), ("B is true.", [])]),
        ("A is true. B is true [1][2].", [("A is true.", []), ("B is true.", [1, 2])]),
        ("Read e.g. the docs [2].", [("Read e.g. the docs.", [2])]),
        ("Dr. Lee et al. measured it [1].", [("Dr. Lee et al. measured it.", [1])]),
        ("See No. 5 and Sec. 3b [1].", [("See No. 5 and Sec. 3b.", [1])]),
        (
            "J. R. Smith left [1]. He was 3.5 m.",
            [("J. R. Smith left.", [1]), ("He was 3.5 m.", [])],
        ),
        ("Take plan B. The price is low [1].", [("Take plan B.", []), ("The price is low.", [1])]),
        ("Use v2.0.1 at 10.0.0.1 [1].", [("Use v2.0.1 at 10.0.0.1.", [1])]),
        (
            "It is at https://a.example/b.c?d=1. Go [1].",
            [("It is at https://a.example/b.c?d=1.", []), ("Go.", [1])],
        ),
        ("The U.S. Government rules [1].", [("The U.S. Government rules.", [1])]),
        (
            "Paid by Acme Inc. The rest is free [1].",
            [("Paid by Acme Inc.", []), ("The rest is free.", [1])],
        ),
        ("Yahoo! is big [1].", [("Yahoo! is big.", [1])]),
        (
            'He said "Stop." [1] Then he left [2].',
            [('He said "Stop."', [1]), ("Then he left.", [2])],
        ),
        ("价格是49美元[1]。席位是五个。[2]", [("价格是49美元。", [1]), ("席位是五个。", [2])]),
        ("本当です。[1]次も本当です！", [("本当です。", [1]), ("次も本当です！", [])]),
        ("Run `a. b. c` first [1].", [("Run a. b. c first.", [1])]),
        ("See [the page](https://a.example/x.y) now [1].", [("See the page now.", [1])]),
        (
            "**Growth costs $189. [1]** It is new [2].",
            [("Growth costs $189.", [1]), ("It is new.", [2])],
        ),
        (
            "Growth costs $189 [1]\nScale costs $640 [2]",
            [("Growth costs $189", [1]), ("Scale costs $640", [2])],
        ),
        ("It grows from 3\nto 7 days [1].", [("It grows from 3 to 7 days.", [1])]),
    ],
)
def test_sentences(text: str, expected: Pairs) -> None:
    assert claims(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Growth costs $189 [1], and Scale costs $640 [2].",
            [("Growth costs $189", [1]), ("Scale costs $640.", [2])],
        ),
        (
            "It has 15 seats [1]; a seat costs $15 [2].",
            [("It has 15 seats", [1]), ("a seat costs $15.", [2])],
        ),
        (
            "Growth costs $189 and Scale costs $640 [1].",
            [("Growth costs $189 and Scale costs $640.", [1])],
        ),
        ("Growth [1] costs $189 [2].", [("Growth costs $189.", [1, 2])]),
        ("According to [1], it is free [2].", [("it is free.", [1, 2])]),
        ("It is free [1] and has 99 seats.", [("It is free and has 99 seats.", [1])]),
    ],
)
def test_merged_claims_part_where_each_has_its_own_marker(text: str, expected: Pairs) -> None:
    assert claims(text) == expected


def test_each_list_item_is_a_claim() -> None:
    draft = "The plan includes:\n\n- 5 seats [1]\n- **SSO** [2]\n- audit logs\n  for a year\n"
    draft += "1) one [3]"
    assert claims(draft) == [
        ("5 seats", [1]),
        ("SSO", [2]),
        ("audit logs for a year", []),
        ("one", [3]),
    ]
    assert split_claims(draft)[0].context == "The plan includes:"


def test_a_cited_lead_in_covers_its_list_but_no_later_one() -> None:
    draft = "The plan includes [1]:\n- 5 seats\n- SSO [2]\n\nOther text [3].\n- a new list"
    assert claims(draft) == [
        ("5 seats", [1]),
        ("SSO", [2]),
        ("Other text.", [3]),
        ("a new list", []),
    ]


def test_each_table_body_row_is_a_claim_with_its_header_words() -> None:
    draft = "| Plan | Price |\n| --- | ---: |\n| Growth | $189 [1] |\n| Scale | $640 |\n"
    assert claims(draft) == [("Plan: Growth; Price: $189", [1]), ("Plan: Scale; Price: $640", [])]


def test_table_cells_with_their_own_markers_are_judged_by_themselves() -> None:
    draft = "Plan | Price | Seats\n---|---|---\nGrowth | $189 [1] | 15 [2]"
    found = split_claims(draft)
    assert [(c.text, c.labels) for c in found] == [
        ("Plan: Growth; Price: $189", [1]),
        ("Seats: 15", [2]),
    ]
    assert found[1].context == "Plan: Growth"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("# What it costs in 2026", "heading"),
        ("Prices\n======", "heading"),
        ("**Pricing**", "heading"),
        ("**Pricing of today:**", "heading"),
        ("```\nthe price is 5. x[1]\n```", "code"),
        ("What does it cost?", "question"),
        ("费用是多少？", "question"),
        ("I do not know.", "no_answer"),
        ("I could not find this in the documents.", "no_answer"),
        ("The documents do not say.", "no_answer"),
        ("There is not enough information to answer.", "no_answer"),
        ("Sure!", "remark"),
        ("Let me know if you need more.", "remark"),
        ("---", "rule"),
    ],
)
def test_what_is_no_claim(text: str, kind: str) -> None:
    assert claims(text) == []
    assert kinds(text)[0] == kind


@pytest.mark.parametrize(
    "text",
    [
        "I do not know, but Growth costs $999.",
        "**Growth costs $999.**",
        "**Growth includes everything**",
        "The documents do not allow more than 15 seats.",
        "Does it? [1]",
        "[1] The price is $999.",
        "- [x] Growth is free",
        "> Growth is free.",
    ],
)
def test_a_claim_does_not_hide(text: str) -> None:
    assert len(claims(text)) == 1


@pytest.mark.parametrize(
    ("tail", "is_cut"),
    [
        ("Sources:\n[1] pricing.md\n[2] Rate limits", True),
        ("## References\n- [1] Plans and pricing\n- [2] Rate limits", True),
        ("**Sources**\n1. pricing.md\n2. rate-limits.md", True),
        ("[1] Plans and pricing\n[2] Rate limits", True),
        ("[^1]: Plans and pricing", True),
        ("[1]: https://a.example", True),
        ("【1】 pricing.md", True),
        ("[1] The Growth plan costs $999.", False),
        ("- Growth is free", False),
        ("Sources of data are listed on the page.", False),
        ("Sources:\n- Growth costs $999 [1]", False),
    ],
)
def test_a_trailing_source_list_is_cut_off(tail: str, is_cut: bool) -> None:
    draft = f"Growth costs $189 [1].\n\n{tail}\n"
    body, sources = without_sources(draft)
    assert body + sources == draft
    assert bool(sources) == is_cut
    assert (len(claims(draft)) == 1) == is_cut


def test_pronouns_lean_on_the_sentence_before() -> None:
    found = split_claims("Growth costs $189 [1]. It includes 15 seats [1]. Scale costs more [1].")
    assert [claim.context for claim in found] == ["", "Growth costs $189.", ""]


def test_headings_are_context() -> None:
    assert split_claims("## Starter\n\n- $49 per month [1]")[0].context == "Starter"


@given(st.text(alphabet="abA .!?。\n-*#|`[]123:>_~()【】^\t\r\\", max_size=300))
def test_no_character_is_lost(text: str) -> None:
    for parts in (split_segments(text, 3), split_blocks(text)):
        assert "".join(text[part.start : part.end] for part in parts) == text


@given(st.text(max_size=300))
def test_any_text_is_taken_apart(text: str) -> None:
    parts = split_segments(text, 3)
    assert "".join(text[part.start : part.end] for part in parts) == text


@pytest.mark.parametrize(
    "piece",
    [
        "a. ",
        "A b [1]. ",
        "- a [1]\n",
        "a | b\n",
        "|a|b [1]\n|-|-|\n",
        "x",
        "[1]. ",
        "a\n",
        "> ",
        "**a** ",
        "`a. ` ",
        "a, and b [1] ",
        "。",
        "e.g. ",
        "# a\n",
        "\n",
        "[1] a\n",
        "[a](b) ",
        "<a ",
        "_a ",
        "...",
        "1. ",
    ],
)
def test_fifty_thousand_characters_take_less_than_a_second(piece: str) -> None:
    text = piece * (50_000 // len(piece))
    began = time.process_time()
    split_segments(text, 3)
    assert time.process_time() - began < 1.0
