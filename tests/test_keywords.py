"""Search terms: stems of words, codes in one piece, the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from ragkit.config import IndexConfig
from ragkit.keywords import KeywordIndex, keyword_tokens, words


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Refunds are refunded", ["refund", "refund"]),
        ("ERROR_302", ["error_302", "error", "302"]),
        ("v2.4.1", ["v2.4.1", "v2", "4", "1"]),
        ("2.4.1.", ["2.4.1", "2", "4", "1"]),
        ("Ops@Tarnfield.example", ["ops@tarnfield.example", "op", "tarnfield", "exampl"]),
        ("eu-1 X-RateLimit", ["eu-1", "eu", "1", "x-ratelimit", "x", "ratelimit"]),
        ("$15 (15 %)", ["15", "15"]),
        ("Straße CAFÉ", ["strass", "café"]),
        ("how do I", []),
        ("What's up?", ["what's"]),
        ("", []),
        ("!!! ??? ___", ["___"]),
    ],
)
def test_terms_of_a_text(text, tokens) -> None:
    assert keyword_tokens(text) == tokens


def test_words_are_plain_words() -> None:
    assert words("The SEAT costs $15, see ERROR_302 or v2.") == [
        "the",
        "seat",
        "costs",
        "see",
        "or",
    ]


def test_a_rare_term_counts_more_and_a_missing_one_nothing() -> None:
    index = KeywordIndex(["seat price", "seat quota", "seat zone quota"], IndexConfig())
    scores = index.scores("price")
    assert scores[0] > 0
    assert scores[1] == scores[2] == 0
    assert index.scores("price")[0] > index.scores("seat")[0]
    assert not index.scores("zebra of the").any()
    assert not index.scores("").any()


@pytest.mark.parametrize("texts", [[], [""], ["the of and"], ["!!!"]])
def test_texts_without_terms_match_nothing(texts) -> None:
    assert KeywordIndex(texts, IndexConfig()).scores("seat").tolist() == [0.0] * len(texts)


def test_many_threads_may_stem_at_once() -> None:
    texts = [f"{prefix}running {prefix}quickly" for prefix in map(str, range(500, 900))]
    texts = ["".join(chr(97 + int(d)) if d.isdigit() else d for d in text) for text in texts]
    expected = [keyword_tokens(text) for text in texts]
    from ragkit.keywords import _stem

    _stem.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(keyword_tokens, texts)) == expected


def test_scores_are_the_same_in_every_process() -> None:
    code = (
        "from ragkit.config import IndexConfig\nfrom ragkit.keywords import KeywordIndex\n"
        "texts = [f'seat price of zone {n} and meter {n % 7}' for n in range(50)]\n"
        "print(KeywordIndex(texts, IndexConfig()).scores('price of meter 3 in zone 17').tolist())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "7")
    }  # fmt: skip
    assert len(outputs) == 1
