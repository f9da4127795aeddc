"""The fitted support model: its votes, and what the length of the evidence does to them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragkit.components.alignment import Encoder
from ragkit.components.evidence import text_units
from ragkit.components.support_features import features, make_pair, products
from ragkit.components.support_model import fitted_model, joint_vote, read_model

SHORT, PASSAGE, PAGE = (math.log1p(words) for words in (12, 120, 900))


def test_a_short_evidence_trusts_the_linear_model_and_a_passage_the_directions() -> None:
    linear, trees, words, directions = (
        [joint_vote(*vote, length) for length in (SHORT, PASSAGE, PAGE)] for vote in np.eye(4)
    )
    assert linear[0] > linear[1] > 0.25
    assert trees[0] < trees[1] < 0.75
    assert 0 < words[0] == words[1] == words[2] < 0.5
    assert directions[1] > 5 * directions[0] > 0 and directions[1] > 5 * directions[2] > 0
    assert np.allclose(np.add(linear, trees), 1.0)
    lengths = np.array([SHORT, PASSAGE, PAGE])
    assert np.allclose(joint_vote(1.0, 0.0, 0.0, 0.0, lengths), linear)


@pytest.mark.parametrize(
    ("evidence", "other"),
    [
        ("The lake freezes in January and thaws in April.", "The lake is fished from April on."),
        ("In winter the lake is frozen from January to April.", "The road is closed in winter."),
    ],
)
def test_what_the_evidence_says_is_likelier_than_what_it_does_not(
    evidence: str, other: str
) -> None:
    encoder, model = Encoder(), fitted_model()
    claim = "The lake is frozen in January."
    said, unsaid = (
        model.probability(make_pair(claim, text_units(text), encoder)) for text in (evidence, other)
    )
    assert 0.0 < unsaid < said < 1.0
    assert model.probability(make_pair(claim, text_units("..."), encoder)) == 0.0


def test_words_that_meet_themselves_agree_in_every_direction() -> None:
    encoder = Encoder()
    pair = make_pair("Alpine lakes freeze.", text_units("Alpine lakes freeze."), encoder)
    assert pair is not None
    alike, apart = np.split(products(pair), 2)
    assert alike.shape == apart.shape == (384,)
    assert alike.sum() > 0.95 and apart.mean() < 0.02


def test_a_claim_of_several_sentences_is_as_strong_as_its_weakest() -> None:
    encoder = Encoder()
    evidence = text_units("The lake freezes in January. Boats are rented in summer.")
    both = make_pair("The lake freezes in January. The castle burned down.", evidence, encoder)
    first = make_pair("The lake freezes in January.", evidence, encoder)
    last = make_pair("The castle burned down.", evidence, encoder)
    assert both and first and last
    assert (features(both)["sentences"], features(first)["sentences"]) == (2, 1)
    for name in ("weakest_align", "weakest_shared"):
        assert features(both)[name] == pytest.approx(features(last)[name])
        assert features(both)[name] < features(first)[name]


def test_words_in_a_row_agree_only_in_their_order() -> None:
    encoder = Encoder()
    evidence = text_units("Old castles guard alpine lakes.")
    same = make_pair("Old castles guard alpine lakes.", evidence, encoder)
    turned = make_pair("Lakes alpine guard castles old.", evidence, encoder)
    short = make_pair("Castles.", evidence, encoder)
    assert same and turned and short
    assert features(same)["phrase_three"] > 0.9 > features(turned)["phrase_three"] + 0.2
    assert 0 < features(short)["phrase_worst"] <= 1


def test_numbers_fitted_for_other_features_are_refused() -> None:
    with pytest.raises(ValueError, match="fit_support"):
        read_model({"word_names": ["one"]})
