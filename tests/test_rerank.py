"""Late interaction: each word of the query looks for its nearest, rare words count more."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

from ragkit.components.passages import passages
from ragkit.config import IndexConfig
from ragkit.rerank import LateInteraction

AXES = {"seat": 0, "price": 1, "zone": 2, "cost": 1}


class WordEmbedder:
    """A word is a piece; each has its own axis, two share one."""

    def pieces(self, text: str) -> list[str]:
        return text.split()

    def hidden(self, text: str, *, keep: bool = False) -> tuple[list[str], list, np.ndarray]:
        found = list(re.finditer(r"\S+", text))
        rows = np.zeros((len(found), 4))
        for row, match in enumerate(found):
            rows[row, AXES.get(match.group().strip("."), 3)] = 1.0
        return text.split(), [match.span() for match in found], rows

    def embed_query(self, text: str) -> list[float]:
        mean = self.hidden(text)[2].mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()


def document(text: str, source: str | None = None) -> dict:
    return {"id": text, "content": text, "metadata": {"source": source or text}}


def scores(
    query: str, *documents: dict, share: float = 0.0, passage: float = 0.0, corpus: tuple = ()
) -> list[float]:
    texts = corpus or [d["content"] for d in documents]
    config = IndexConfig(page_share=share, passage_share=passage)
    return LateInteraction(WordEmbedder(), texts, config)(query, documents)


def test_the_score_is_the_share_of_the_query_that_is_met() -> None:
    corpus = ("seat price", "seat price")  # both words weigh the same
    found = scores("seat price", document("seat zone"), document("cost seat"), corpus=corpus)
    assert found == pytest.approx([0.5, 1.0])


def test_a_rare_word_weighs_more_by_the_root_of_its_idf() -> None:
    corpus = ("seat", "seat", "seat zone")
    common, rare = (math.sqrt(math.log(1 + (3 - n + 0.5) / (n + 0.5))) for n in (3, 1))
    found = scores("seat zone", document("seat"), document("zone"), corpus=corpus)
    assert found == pytest.approx([common / (common + rare), rare / (common + rare)])
    assert found[1] > found[0]


def test_marks_do_not_count_unless_there_is_nothing_else() -> None:
    assert scores("seat ?", document("seat")) == pytest.approx([1.0])
    assert scores("? !", document("seat"), document("?")) == pytest.approx([0.0, 1.0])


def test_a_page_lends_to_its_other_chunks() -> None:
    corpus = ("seat price", "seat price")
    same, other = document("seat zone", "a.md"), document("seat x", "b.md")
    best = document("price seat", "a.md")
    found = scores("seat price", same, other, best, share=0.25, corpus=corpus)
    assert found == pytest.approx([(0.5 + 0.25) / 1.25, (0.5 + 0.125) / 1.25, 1.0])


def test_a_sentence_that_says_it_all_beats_words_strewn_over_a_text() -> None:
    together = document("The seat price. Zone x x. Zone x x.")
    strewn = document("The seat x. Zone x x. Price x price.".replace("Price", "price"))
    corpus = ("seat price", "seat price")
    assert len(set(scores("seat price", together, strewn, corpus=corpus))) == 1
    one, other = scores("seat price", together, strewn, passage=0.5, corpus=corpus)
    assert one > other


def test_passages_are_sentences_and_neighbours_as_unit_vectors() -> None:
    text = "The seat. The price."
    _, spans, rows = WordEmbedder().hidden(text)
    found = passages(text, spans, rows)
    assert found.shape == (3, 4)
    assert np.linalg.norm(found, axis=1) == pytest.approx([1.0, 1.0, 1.0])
    assert found[0, AXES["seat"]] > 0 == found[0, AXES["price"]]
    assert found[2, AXES["seat"]] == pytest.approx(found[2, AXES["price"]])


def test_nothing_to_compare_scores_nothing() -> None:
    assert scores("", document("seat"), document("zone")) == [0.0, 0.0]
    assert scores("seat", document("")) == [-1.0]
    assert scores("seat") == []
