"""Which sentence of a text answers the question: a score for each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ragkit.components.answer_types import answer_met
from ragkit.components.features import Asked, Read
from ragkit.components.relevance_model import RelevanceModel, load_model
from ragkit.components.sentences import Sentence
from ragkit.components.text import entity_key, holds_entity, words


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


def sentence_features(asked: Asked, read: Read) -> list[dict[str, float]]:
    """Return the named features of each sentence, seen within its text."""
    singles = read.single @ asked.vector
    pairs = read.pairs @ asked.vector
    whole = float(read.vector @ asked.vector)
    heading = (
        float(read.heading_vector @ asked.vector) if read.heading_vector is not None else whole
    )
    similar = asked.rows @ read.rows.T
    weight = {stem: 1 + 0.15 * len(stem) for stem in asked.stems}
    total = sum(weight.values()) or 1.0
    best = float(singles.max()) if len(singles) else 0.0
    found = []
    for place, sentence in enumerate(read.sentences):
        own = read.sentence_stems[place]
        key = entity_key(sentence.text)
        span = read.spans[place]
        each = (
            similar[asked.content][:, span].max(axis=1)
            if len(span) and len(asked.content)
            else np.array([0.4])
        )
        weights = asked.weights if len(each) == len(asked.weights) else None
        found.append(
            {
                "cosine": float(singles[place]),
                "cosine_pair": float(max(pairs[max(0, place - 1)], pairs[place])),
                "cosine_text": whole,
                "cosine_heading": heading,
                "below_best": best - float(singles[place]),
                "aligned": float(np.average(each, weights=weights)),
                "aligned_least": float(each.min()),
                "aligned_asking": _asking(similar, asked, span),
                "overlap": sum(w for s, w in weight.items() if s in own) / total,
                "overlap_text": sum(w for s, w in weight.items() if s in read.stems) / total,
                "entities_held": _share([holds_entity(key, e) for e in asked.entities]),
                "type_met": answer_met(asked.type, asked.text, sentence.text),
                "row": float(sentence.kind == "row"),
                "item": float(sentence.kind == "item"),
                "short": float(len(words(sentence.text)) < 5),
            }
        )
    return found


def _asking(similar: np.ndarray, asked: Asked, span: np.ndarray) -> float:
    if not len(asked.asking) or not len(span):
        return 0.45
    return float(similar[asked.asking][:, span].max(axis=1).mean())


def _share(held: list[bool]) -> float:
    return sum(held) / len(held) if held else 0.7
