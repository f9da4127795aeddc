"""Passages: sentences and pairs as unit vectors of token rows; features that compare them."""

from __future__ import annotations

import numpy as np
import pytest

from ragkit.components.features import in_context
from ragkit.components.passages import passages, pooled, with_pairs
from ragkit.components.reading import Reader
from ragkit.embedding import default_embedder


def test_sentences_then_pairs_and_never_an_empty_one() -> None:
    assert with_pairs([[0, 1], [], [2]], 3) == [[0, 1], [2], [0, 1, 2]]
    assert with_pairs([], 2) == [[0, 1]]


def test_a_passage_is_the_unit_mean_of_its_rows() -> None:
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    found = pooled(rows, [[0], [0, 1], [1, 2]])
    assert found == pytest.approx(np.array([[1, 0], [0.5**0.5, 0.5**0.5], [0, 1]]))


def test_a_text_without_sentences_is_one_passage() -> None:
    assert passages("", [(0, 1), (1, 2)], np.eye(2)).shape == (1, 2)


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(default_embedder())


def test_an_answer_within_other_sentences_is_closer_than_none(reader: Reader) -> None:
    asked = reader.ask("How long are events kept on Growth?")
    around = "The office is in Dublin. It opens at nine. {} Lunch is at noon."
    answer = reader.read(around.format("Growth keeps events for 90 days."))
    other = reader.read(around.format("The lift is slow."))
    with_answer, without = in_context(asked, answer), in_context(asked, other)
    assert with_answer.keys() == without.keys()
    assert all(with_answer[name] > without[name] for name in with_answer)


def test_a_text_without_words_is_far(reader: Reader) -> None:
    assert set(in_context(reader.ask("How long?"), reader.read(" ")).values()) == {0.0}
