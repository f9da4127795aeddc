"""Which sentence of a text answers the question: a score for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragkit.components.answer_types import answer_met, counted_met
from ragkit.components.features import Features, covered, share
from ragkit.components.reading import Asked, Read
from ragkit.components.relevance_model import RelevanceModel, load_model
from ragkit.components.sentences import Sentence
from ragkit.components.text import entity_key, holds_entity, words

_FEW_WORDS = 5
_UNKNOWN = 0.45


@dataclass(frozen=True)
class ScoredSentence:
    """A sentence and the probability 0..1 that it is (part of) the answer."""

    sentence: Sentence
    score: float


def score_sentences(
    asked: Asked, read: Read, model: RelevanceModel | None = None
) -> list[ScoredSentence]:
    """Score every sentence of a text, in its order; headings are left out."""
    model = model or load_model("sentences")
    rows = sentence_features(asked, read)
    return [
        ScoredSentence(sentence, model.probability(values))
        for sentence, values in zip(read.sentences, rows, strict=True)
    ]


def sentence_features(asked: Asked, read: Read) -> list[Features]:
    """Return the named features of each sentence, seen within its text."""
    singles, pairs = read.single @ asked.vector, read.pairs @ asked.vector
    core = read.single @ asked.core
    around = {
        "cosine_text": float(read.vector @ asked.vector),
        "cosine_heading": float(read.heading @ asked.vector),
        "overlap_text": covered(asked, read.stems),
    }
    similar = asked.rows @ read.rows.T
    return [
        {
            **around,
            "cosine": float(singles[place]),
            "cosine_core": float(core[place]),
            "cosine_pair": float(pairs[max(0, place - 1) : place + 1].max()),
            "below_best": float(singles.max() - singles[place]),
            **_alignment(asked, similar, read.spans[place]),
            **_own(asked, sentence, read.sentence_stems[place]),
        }
        for place, sentence in enumerate(read.sentences)
    ]


def _alignment(asked: Asked, similar: np.ndarray, span: np.ndarray) -> Features:
    if not len(span) or not len(asked.content):
        return dict.fromkeys(("aligned", "aligned_least", "aligned_asking"), _UNKNOWN)
    best = similar[:, span].max(axis=1)
    content = best[asked.content]
    return {
        "aligned": float(content @ asked.weights / asked.weights.sum()),
        "aligned_least": float(content.min()),
        "aligned_asking": float(best[asked.asking].mean()) if len(asked.asking) else _UNKNOWN,
    }


def _own(asked: Asked, sentence: Sentence, stems: frozenset[str]) -> Features:
    key = entity_key(sentence.text)
    return {
        "overlap": covered(asked, stems),
        "entities_held": share([holds_entity(key, name) for name in asked.entities]),
        "type_met": answer_met(asked.type, asked.text, sentence.text),
        "counted_met": counted_met(asked.text, sentence.text),
        "row": float(sentence.kind == "row"),
        "item": float(sentence.kind == "item"),
        "short": float(len(words(sentence.text)) < _FEW_WORDS),
    }
