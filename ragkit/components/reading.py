"""Questions and texts, read once: vectors, word pieces, sentences, words and names.

Meaning comes from a small embedding model, word by word (late interaction, after ColBERT: Khattab
and Zaharia, SIGIR 2020) and sentence by sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from ragkit.components.answer_types import answer_type
from ragkit.components.sentences import Sentence, sentences, split_sentences
from ragkit.components.text import STOP_WORDS, entities, entity_key, stems, word_set, words

_FOCUS = re.compile(r"\b(?:what|which|how)\s+(?:(?:type|kind|sort)s?\s+of\s+)?(\w+)", re.IGNORECASE)
_ASKING = word_set("what when where which who whom whose why how many much long")
_SURROGATE = re.compile("[\ud800-\udfff\x00]")
_LONGEST_SENTENCE = 800
_TITLE_WORDS = 8


@dataclass(frozen=True)
class Asked:
    """A question; the index arrays name its word pieces by what they are.

    `core` is the vector of its last sentence that asks, without what was told before it.
    """

    text: str
    vector: np.ndarray
    core: np.ndarray
    rows: np.ndarray
    content: np.ndarray
    relation: np.ndarray
    named: np.ndarray
    focus: np.ndarray
    asking: np.ndarray
    weights: np.ndarray
    stem_weights: dict[str, float]
    bigrams: tuple[tuple[str, str], ...]
    entities: tuple[str, ...]
    type: str


@dataclass(frozen=True)
class Read:
    """A text of up to some hundred words.

    `single[i]` is the vector of sentence i, `pairs[i]` of it with the next; `spans[i]` are its word
    pieces in `rows`. `heading` is the vector of the headings, `leaf` of the last one; without any,
    of the text. `body` is the number of the first sentence that is no title.
    """

    text: str
    vector: np.ndarray
    rows: np.ndarray
    sentences: tuple[Sentence, ...]
    body: int
    spans: tuple[np.ndarray, ...]
    single: np.ndarray
    pairs: np.ndarray
    heading: np.ndarray
    leaf: np.ndarray
    stems: frozenset[str]
    sentence_stems: tuple[frozenset[str], ...]
    words: tuple[str, ...]
    key: str

    @property
    def bigrams(self) -> frozenset[tuple[str, str]]:
        """The pairs of neighbouring words."""
        return frozenset(pairwise(self.words))


class Reader:
    """Reads questions and texts with an embedder as in `ragkit.embedding`, and remembers them."""

    def __init__(self, embedder: Any, keep: int = 4096) -> None:
        self._embedder = embedder
        self.ask = lru_cache(keep)(self._ask)
        self.read = lru_cache(keep)(self._read)

    def _ask(self, question: str) -> Asked:
        question = clean(question)
        pieces, spans, rows = self._embedder.hidden(question)
        plain = [i for i, piece in enumerate(pieces) if _carries(piece)]
        content = plain or list(range(len(pieces)))
        names = entities(question)
        named = {i for name in names for i in _places(question, spans, name)}
        focus = _FOCUS.search(question)
        within = set(_within(spans, *focus.span(1))) if focus else set()
        return Asked(
            text=question,
            vector=np.array(self._embedder.embed_query(question)),
            core=np.array(self._embedder.embed_query(core(question))),
            rows=rows,
            content=_indices(content),
            relation=_indices(i for i in content if i not in named),
            named=_indices(i for i in content if i in named),
            focus=_indices(i for i in content if i in within),
            asking=_indices(i for i, piece in enumerate(pieces) if piece in _ASKING),
            weights=np.array([_weight(pieces[i].removeprefix("##")) for i in content]),
            stem_weights={part: _weight(part) for part in stems(question)},
            bigrams=tuple(pairwise(words(question))),
            entities=tuple(names),
            type=answer_type(question),
        )

    def _read(self, text: str) -> Read:
        text = clean(text)
        _, spans, rows = self._embedder.hidden(text, keep=True)
        headings = [s.text for s in sentences(text) if s.kind == "heading"]
        found = [s for s in sentences(text) if s.kind != "heading"] or list(sentences(text))
        titled = not headings and _is_titled(found)
        heading = " > ".join(headings) or (found[0].text if titled else "")
        singles = [s.text[:_LONGEST_SENTENCE] for s in found] or [text]
        pairs = [" ".join(singles[i : i + 2]) for i in range(len(singles))]
        leaf = heading.split(" > ")[-1]
        others = [text, heading or text, leaf or text]
        vectors = np.array(self._embedder.embed_documents([*singles, *pairs, *others]))
        return Read(
            text=text,
            vector=vectors[-3],
            rows=rows,
            sentences=tuple(found),
            body=int(titled),
            spans=tuple(_indices(_within(spans, s.start, s.end)) for s in found),
            single=vectors[: len(singles)],
            pairs=vectors[len(singles) : 2 * len(singles)],
            heading=vectors[-2],
            leaf=vectors[-1],
            stems=frozenset(stems(text)),
            sentence_stems=tuple(frozenset(stems(single)) for single in singles),
            words=tuple(words(text)),
            key=entity_key(text),
        )


def core(question: str) -> str:
    """Return the last sentence of a question that asks; the whole where none ends in "?"."""
    asking = [part for part in split_sentences(" ".join(question.split())) if part.endswith("?")]
    return asking[-1] if asking else question


def clean(text: str) -> str:
    """Return a text without NUL and lone surrogates, which no tokenizer takes."""
    return _SURROGATE.sub("\ufffd", text)


def _is_titled(found: Sequence[Sentence]) -> bool:
    first = found[0].text if found else ""
    return len(found) > 1 and len(words(first)) <= _TITLE_WORDS and not first.endswith(("?", "!"))


def _carries(piece: str) -> bool:
    return any(c.isalnum() for c in piece) and piece.lower() not in STOP_WORDS


def _weight(word: str) -> float:
    """A longer word says more; the frequencies of a corpus are not needed."""
    return 1.0 + 0.15 * min(len(word), 12)


def _indices(values: Any) -> np.ndarray:
    return np.array(sorted(values), dtype=int)


def _within(spans: Sequence[tuple[int, int]], start: int, end: int) -> list[int]:
    return [i for i, (left, right) in enumerate(spans) if left >= start and right <= end]


def _places(text: str, spans: Sequence[tuple[int, int]], name: str) -> list[int]:
    found = re.finditer(re.escape(name), text)
    return [i for match in found for i in _within(spans, *match.span())]
