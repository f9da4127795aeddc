"""A question beside a text, as a few readable numbers: what the offline grader decides from.

Meaning comes from a small embedding model, word by word (late interaction: ColBERT, Khattab and
Zaharia, SIGIR 2020) and sentence by sentence; the rest is rules on words, names and numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from ragkit.components.answer_types import answer_met, answer_type
from ragkit.components.sentences import Sentence, sentences
from ragkit.components.text import (
    STOP_WORDS,
    entities,
    entity_key,
    holds_entity,
    stems,
    words,
)

_WORD_PIECE = re.compile(r"\w")
_FOCUS = re.compile(r"\b(?:what|which|how)\s+(?:(?:type|kind|sort)s?\s+of\s+)?(\w+)", re.IGNORECASE)
_ASKING = frozenset(["what", "when", "where", "which", "who", "whom", "whose", "why", "how", "many", "much", "long"])
_SNIPPET_DATE = re.compile(r"^\s*\w{3,9}\.? \d{1,2}, \d{4}\s*(?:\.\.\.|…|—|-)\s*")


@dataclass(frozen=True)
class Asked:
    """A question as the features see it."""

    text: str
    vector: np.ndarray
    rows: np.ndarray
    content: np.ndarray
    relation: np.ndarray
    named: np.ndarray
    focus: np.ndarray
    asking: np.ndarray
    weights: np.ndarray
    stems: tuple[str, ...]
    entities: tuple[str, ...]
    type: str


@dataclass(frozen=True)
class Passage:
    """One or two neighbouring sentences of a text, embedded with nothing else."""

    text: str
    vector: np.ndarray
    stems: frozenset[str]
    first: int
    last: int


@dataclass(frozen=True)
class Read:
    """A text as the features see it; `spans` are the word pieces of each sentence."""

    text: str
    heading: str
    vector: np.ndarray
    rows: np.ndarray
    sentences: tuple[Sentence, ...]
    spans: tuple[np.ndarray, ...]
    single: np.ndarray
    pairs: np.ndarray
    heading_vector: np.ndarray | None
    stems: frozenset[str]
    sentence_stems: tuple[frozenset[str], ...]
    bigrams: frozenset[tuple[str, str]]
    key: str


class FeatureReader:
    """Reads questions and texts once and compares them; `embedder` as in `ragkit.embedding`."""

    def __init__(self, embedder: Any, keep: int = 4096) -> None:
        self._embedder = embedder
        self.asked = lru_cache(keep)(self._asked)
        self.read = lru_cache(keep)(self._read)

    def features(self, question: str, text: str) -> dict[str, float]:
        """Return the named features of one text of up to a few hundred words."""
        return compare(self.asked(question), self.read(text))

    def _asked(self, question: str) -> Asked:
        pieces, spans, rows = self._embedder.hidden(question)
        plain = [i for i, piece in enumerate(pieces) if _carries(piece)]
        content = plain or list(range(len(pieces)))
        names = entities(question)
        named = _pieces_of(question, spans, names)
        focus = _FOCUS.search(question)
        within = _pieces_within(spans, *focus.span(1)) if focus else set()
        return Asked(
            question,
            np.array(self._embedder.embed_query(question)),
            rows,
            np.array(content, dtype=int),
            np.array([i for i in content if i not in named], dtype=int),
            np.array([i for i in content if i in named], dtype=int),
            np.array([i for i in content if i in within], dtype=int),
            np.array([i for i, piece in enumerate(pieces) if piece in _ASKING], dtype=int),
            np.array([_weight(pieces[i]) for i in content]),
            tuple(dict.fromkeys(stems(question))),
            tuple(names),
            answer_type(question),
        )

    def _read(self, text: str) -> Read:
        _, spans, rows = self._embedder.hidden(text)
        found = [s for s in sentences(text) if s.kind != "heading"] or list(sentences(text))
        headings = [s.text for s in sentences(text) if s.kind == "heading"]
        heading, found = _heading(headings, found)
        singles = [s.text[:800] for s in found] or [text]
        pairs = [" ".join(singles[i : i + 2]) for i in range(len(singles))]
        vectors = np.array(self._embedder.embed_documents([*singles, *pairs, heading or text]))
        lower = words(text)
        return Read(
            text, heading, np.array(self._embedder.embed_documents([text])[0]), rows,
            tuple(found), tuple(_rows_within(spans, s.start, s.end) for s in found),
            vectors[: len(singles)], vectors[len(singles) : -1],
            vectors[-1] if heading else None,
            frozenset(stems(text)), tuple(frozenset(stems(s)) for s in singles),
            frozenset(zip(lower, lower[1:], strict=False)), entity_key(text),
        )  # fmt: skip


def compare(asked: Asked, read: Read) -> dict[str, float]:
    values: dict[str, float] = {}
    singles, pairs = read.single @ asked.vector, read.pairs @ asked.vector
    values["cosine_text"] = float(read.vector @ asked.vector)
    values["cosine_sentence"] = float(singles.max())
    values["cosine_pair"] = float(pairs.max())
    values["cosine_spread"] = float(singles.std())
    values["cosine_heading"] = (
        float(read.heading_vector @ asked.vector)
        if read.heading_vector is not None
        else values["cosine_text"]
    )
    similar = (
        asked.rows @ read.rows.T
        if len(asked.rows) and len(read.rows)
        else np.zeros((max(1, len(asked.rows)), 1))
    )
    content = asked.content if len(asked.content) else np.array([0])
    weights = asked.weights if len(asked.weights) else np.array([1.0])
    best = similar[content].max(axis=1)
    values["aligned"] = float(np.average(best, weights=weights))
    values["aligned_mean"] = float(best.mean())
    values["aligned_least"] = float(best.min())
    values["aligned_relation"] = _mean(similar, asked.relation, values["aligned"])
    values["aligned_named"] = _mean(similar, asked.named, values["aligned"])
    values["aligned_focus"] = _mean(similar, asked.focus, values["aligned_relation"])
    values["aligned_asking"] = _mean(similar, asked.asking, 0.45)
    spans = [s for s in read.spans if len(s)] or [np.arange(similar.shape[1])]
    each = [similar[content][:, s].max(axis=1) for s in spans]
    values["aligned_sentence"] = float(max(np.average(e, weights=weights) for e in each))
    values["aligned_sentence_least"] = float(max(e.min() for e in each))
    order = [float(np.average(e, weights=weights)) for e in each]
    top = int(np.argmax(order))
    values["aligned_asking_sentence"] = _mean(similar[:, spans[top]], asked.asking, 0.45)
    rank = int(np.argmax(singles + (pairs if len(pairs) == len(singles) else 0)))
    values["position"] = rank / max(1, len(singles))
    weight = {s: 1 + 0.15 * len(s) for s in asked.stems}
    total = sum(weight.values()) or 1.0
    values["overlap"] = sum(w for s, w in weight.items() if s in read.stems) / total
    values["overlap_sentence"] = max(
        sum(w for s, w in weight.items() if s in x) / total for x in read.sentence_stems
    )
    values["words_missing"] = float(sum(s not in read.stems for s in asked.stems))
    lower = words(asked.text)
    both = list(zip(lower, lower[1:], strict=False))
    values["bigrams"] = sum(b in read.bigrams for b in both) / max(1, len(both))
    held = [holds_entity(read.key, e) for e in asked.entities]
    values["entities_held"] = sum(held) / len(held) if held else 0.7
    values["entity_missing"] = float(not all(held))
    numbers = [h for h, e in zip(held, asked.entities, strict=True) if any(c.isdigit() for c in e)]
    values["number_missing"] = float(not all(numbers))
    body = _SNIPPET_DATE.sub("", read.text)
    top2 = [
        read.sentences[i].text for i in np.argsort(-(singles))[:2] if i < len(read.sentences)
    ] or [read.text]
    known = asked.type not in ("what", "how", "why", "yes_no")
    values["type_known"] = float(known)
    values["type_met"] = answer_met(asked.type, asked.text, body) if known else 0.5
    values["type_met_best"] = (
        max(answer_met(asked.type, asked.text, _SNIPPET_DATE.sub("", s)) for s in top2)
        if known
        else 0.5
    )
    for kind in ("when", "money", "number", "who", "where", "why", "how", "yes_no"):
        values["asks_" + kind] = float(asked.type == kind)
    lower_text = words(read.text)
    values["function_words"] = sum(w in STOP_WORDS for w in lower_text) / max(1, len(lower_text))
    values["words_log"] = math.log1p(len(lower_text))
    values["sentence_words_log"] = math.log1p(len(lower_text) / max(1, len(read.sentences)))
    values["question_words_log"] = math.log1p(len(lower))
    return values


def _heading(headings: Sequence[str], found: list[Sentence]) -> tuple[str, list[Sentence]]:
    if headings:
        return " > ".join(headings), found
    first = found[0].text if found else ""
    if len(found) > 1 and len(words(first)) <= 8 and not first.rstrip().endswith(("?", "!")):
        return first, found[1:]
    return "", found


def _mean(similar: np.ndarray, rows: np.ndarray, default: float) -> float:
    return float(similar[rows].max(axis=1).mean()) if len(rows) else default


def _carries(piece: str) -> bool:
    return bool(_WORD_PIECE.search(piece)) and piece.lower() not in STOP_WORDS


def _weight(piece: str) -> float:
    return 1.0 + 0.15 * min(len(piece.removeprefix("##")), 10)


def _pieces_within(spans: Sequence[tuple[int, int]], start: int, end: int) -> set[int]:
    return {i for i, (a, b) in enumerate(spans) if a >= start and b <= end}


def _rows_within(spans: Sequence[tuple[int, int]], start: int, end: int) -> np.ndarray:
    return np.array(sorted(_pieces_within(spans, start, end)), dtype=int)


def _pieces_of(text: str, spans: Sequence[tuple[int, int]], names: Sequence[str]) -> set[int]:
    found: set[int] = set()
    for name in names:
        for match in re.finditer(re.escape(name), text):
            found |= _pieces_within(spans, *match.span())
    return found
