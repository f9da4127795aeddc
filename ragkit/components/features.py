"""A question beside a text as a few readable numbers: what the offline grader decides from."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from ragkit.components.answer_types import answer_met, counted_met
from ragkit.components.passages import pooled, with_pairs
from ragkit.components.reading import Asked, Read
from ragkit.components.text import STOP_WORDS, entity_key, holds_entity

Features = dict[str, float]

_UNKNOWN = 0.5
_TYPED = frozenset({"money", "span", "when", "number", "who", "where"})
_SNIPPET_DATE = re.compile(r"^\s*\w{3,9}\.? \d{1,2}, \d{4}\s*(?:\.\.\.|…|—|-)\s*")
_BEST = 2  # sentences that are looked at for the kind of answer


def compare(asked: Asked, read: Read) -> Features:
    """Return the named features of one text for one question."""
    return {
        **closeness(asked, read),
        **alignment(asked, read),
        **in_context(asked, read),
        **wording(asked, read),
        **answer_kind(asked, read),
        **form(asked, read),
    }


def closeness(asked: Asked, read: Read) -> Features:
    """Cosines of the question with the text, its heading, its sentences and pairs of sentences."""
    singles = read.single[read.body :] @ asked.vector
    pairs = read.pairs[read.body :] @ asked.vector
    return {
        "cosine_text": float(read.vector @ asked.vector),
        "cosine_sentence": float(singles.max()),
        "cosine_pair": float(pairs.max()),
        "cosine_spread": float(singles.std()),
        "cosine_heading": float(read.heading @ asked.vector),
        "cosine_leaf": float(read.leaf @ asked.vector),
        "cosine_core_sentence": float((read.single[read.body :] @ asked.core).max()),
        "cosine_core_pair": float((read.pairs[read.body :] @ asked.core).max()),
        "position": int(np.argmax(singles + pairs)) / len(singles),
    }


def alignment(asked: Asked, read: Read) -> Features:
    """How well each word of the question finds a word alike in the text, and in one sentence."""
    if not len(asked.rows) or not len(read.rows):
        return dict.fromkeys(_ALIGNED, 0.0)
    similar = asked.rows @ read.rows.T
    best = similar[asked.content].max(axis=1)
    spans = [span for span in read.spans if len(span)] or [np.arange(similar.shape[1])]
    each = [similar[asked.content][:, span].max(axis=1) for span in spans]
    means = [_mean(row, asked.weights) for row in each]
    joined = [np.maximum(a, b) for a, b in pairwise(each)] or each
    aligned = _mean(best, asked.weights)
    relation = _some(similar, asked.relation, aligned)
    return {
        "aligned": aligned,
        "aligned_mean": float(best.mean()),
        "aligned_least": float(best.min()),
        "aligned_relation": relation,
        "aligned_named": _some(similar, asked.named, aligned),
        "aligned_focus": _some(similar, asked.focus, relation),
        "aligned_asking": _some(similar, asked.asking, _UNKNOWN),
        "aligned_sentence": max(means),
        "aligned_sentence_least": float(max(row.min() for row in each)),
        "aligned_pair": max(_mean(row, asked.weights) for row in joined),
        "aligned_asking_sentence": _some(
            similar[:, spans[int(np.argmax(means))]], asked.asking, _UNKNOWN
        ),
    }


_ALIGNED = (
    "aligned", "aligned_mean", "aligned_least", "aligned_relation", "aligned_named",
    "aligned_focus", "aligned_asking", "aligned_sentence", "aligned_sentence_least",
    "aligned_pair", "aligned_asking_sentence",
)  # fmt: skip


def in_context(asked: Asked, read: Read) -> Features:
    """How close the nearest sentence or pair of sentences is, read within its text.

    Compared with the whole question, its core, its content words, what it asks of the names in it
    (`relation`), and word by word.
    """
    if not len(asked.rows) or not len(read.rows):
        return dict.fromkeys(_IN_CONTEXT, 0.0)
    places = with_pairs(read.spans, len(read.rows))
    found, content = pooled(read.rows, places), asked.rows[asked.content]
    weights = asked.weights / asked.weights.sum()
    similar = content @ read.rows.T
    whole = found @ asked.vector
    relation = found @ pooled(asked.rows, [asked.relation])[0] if len(asked.relation) else whole
    return {
        "cosine_passage": float(whole.max()),
        "cosine_core_passage": float((found @ asked.core).max()),
        "cosine_words_passage": float((found @ _unit(weights @ content)).max()),
        "relation_passage": float(relation.max()),
        "aligned_passage": max(float(similar[:, place].max(axis=1) @ weights) for place in places),
    }


_IN_CONTEXT = (
    "cosine_passage", "cosine_core_passage", "cosine_words_passage", "relation_passage",
    "aligned_passage",
)  # fmt: skip


def wording(asked: Asked, read: Read) -> Features:
    """Words, names, codes and numbers of the question that the text holds."""
    held = [holds_entity(read.key, name) for name in asked.entities]
    digits = [any(c.isdigit() for c in name) for name in asked.entities]
    codes = [digit and any(c.isalpha() for c in name)
             for digit, name in zip(digits, asked.entities, strict=True)]  # fmt: skip
    found = read.bigrams
    return {
        "overlap": covered(asked, read.stems),
        "overlap_sentence": max(covered(asked, own) for own in read.sentence_stems),
        "words_missing": float(sum(stem not in read.stems for stem in asked.stem_weights)),
        "bigrams": sum(pair in found for pair in asked.bigrams) / max(1, len(asked.bigrams)),
        "entities_held": share(held),
        "entity_missing": float(not all(held)),
        "number_missing": float(not all(h for h, d in zip(held, digits, strict=True) if d)),
        "code_held": float(any(h for h, c in zip(held, codes, strict=True) if c)),
    }


def answer_kind(asked: Asked, read: Read) -> Features:
    """Whether the text, and its likeliest sentences, hold the kind of answer that is asked for.

    `answer_cosine` and `answer_overlap` are those of the best sentence that holds one, the `lost`
    ones how much better a sentence without one would be.
    """
    known = asked.type in _TYPED
    cosines = read.single @ asked.vector
    shares = [covered(asked, own) for own in read.sentence_stems]
    met = [_met(asked, sentence.text) for sentence in read.sentences] or [_UNKNOWN]
    order = np.argsort(-cosines, kind="stable")[:_BEST]
    wanted = met if known else [1.0] * len(met)
    close = max(float(m * c) for m, c in zip(wanted, cosines, strict=False))
    said = max(m * c for m, c in zip(wanted, shares, strict=False))
    return {
        "type_known": float(known),
        "type_met": max(met) if known else _UNKNOWN,
        "type_met_best": max(met[i] for i in order if i < len(met)) if known else _UNKNOWN,
        "answer_cosine": close,
        "answer_overlap": said,
        "answer_cosine_lost": float(cosines.max()) - close,
        "answer_overlap_lost": max(shares) - said,
        "counted_met": counted_met(asked.text, read.text),
        "named_early": _named_early(asked, read),
    }


def _met(asked: Asked, line: str) -> float:
    return answer_met(asked.type, asked.text, _SNIPPET_DATE.sub("", line))


def _named_early(asked: Asked, read: Read) -> float:
    """Return how early the text names what the question names: 1 at the start, 0 never."""
    if not asked.entities:
        return _UNKNOWN
    places = [read.key.find(entity_key(name)) for name in asked.entities]
    return float(np.mean([0.0 if at < 0 else 1 - at / len(read.key) for at in places]))


def form(asked: Asked, read: Read) -> Features:
    """How long the texts are, and whether this is running text or the scraps of a menu."""
    body = " ".join(sentence.text for sentence in read.sentences).split() or [""]
    size = max(1, len(read.words))
    return {
        "marks": sum(not any(c.isalnum() for c in word) for word in body) / len(body),
        "distinct_words": len(set(read.words)) / size,
        "function_words": sum(word in STOP_WORDS for word in read.words) / size,
        "words_log": math.log1p(len(read.words)),
        "sentence_words_log": math.log1p(len(read.words) / max(1, len(read.sentences))),
        "question_words_log": math.log1p(len(asked.bigrams)),
    }


def covered(asked: Asked, stems: frozenset[str]) -> float:
    """Return the weighted share of the question's words that are among the stems, 0..1."""
    total = math.fsum(asked.stem_weights.values())
    held = math.fsum(weight for stem, weight in asked.stem_weights.items() if stem in stems)
    return held / total if total else 0.0


def share(held: Sequence[bool]) -> float:
    """Return the share of names that are held; a middling value where there are none."""
    return sum(held) / len(held) if held else _UNKNOWN


def _unit(vector: np.ndarray) -> np.ndarray:
    return vector / max(float(np.linalg.norm(vector)), 1e-9)


def _mean(values: np.ndarray, weights: np.ndarray) -> float:
    return float(values @ weights / weights.sum())


def _some(similar: np.ndarray, rows: np.ndarray, default: float) -> float:
    return float(similar[rows].max(axis=1).mean()) if len(rows) else default
