"""Soft alignment: each word of a claim beside the word of the evidence that means it best.

A word's vector is the mean of its pieces in the last layer of the small embedding model, so it
knows its sentence. Similarity is the cosine; a rare word weighs more than a common one.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from ragkit.components.checks import Unit
from ragkit.components.evidence import text_units
from ragkit.components.text import STOP_WORDS
from ragkit.config import SupportConfig
from ragkit.splitting import estimate_tokens

_WORD = re.compile(r"\w+|[$€£%]")
_CONFIG = SupportConfig()


class Aligned(NamedTuple):
    """A claim word, its best evidence word ("" if there is none), their cosine, and the weight."""

    claim_token: str
    evidence_token: str
    similarity: float
    weight: float


@dataclass(frozen=True, eq=False)
class Encoded:
    """A text as words: vectors `[words, 384]` of unit length, weights 0..1, and the text's mean."""

    words: tuple[str, ...]
    vectors: np.ndarray
    weights: np.ndarray
    content: np.ndarray
    mean: np.ndarray


@dataclass(frozen=True, eq=False)
class EncodedEvidence:
    """Evidence as one row of words; `unit_of` tells the unit of each; one mean a window."""

    units: tuple[Unit, ...]
    words: tuple[str, ...]
    vectors: np.ndarray
    content: np.ndarray
    unit_of: np.ndarray
    means: np.ndarray


def align(claim: str, evidence: str, embedder: Any = None) -> list[Aligned]:
    """Return the claim's content words, each with its best word in the evidence, in reading order.

    Raises TypeError when the embedder gives no token vectors (`hidden`).
    """
    encoder = Encoder(embedder)
    mine, theirs = encoder.encode(claim), encoder.evidence(text_units(evidence))
    found = []
    for index in np.flatnonzero(mine.content):
        word, similarity = "", 0.0
        if len(theirs.words):
            row = mine.vectors[index] @ theirs.vectors.T
            word, similarity = theirs.words[int(row.argmax())], float(row.max())
        found.append(Aligned(mine.words[index], word, similarity, float(mine.weights[index])))
    return found


class Encoder:
    """Turns text into word vectors, keeping the last ones in memory."""

    def __init__(self, embedder: Any = None, config: SupportConfig = _CONFIG) -> None:
        if embedder is None:
            from ragkit.embedding import default_embedder

            embedder = default_embedder()
        if not hasattr(embedder, "hidden"):
            raise TypeError(
                f"{type(embedder).__name__} gives no token vectors: the citation checker needs "
                "an embedder with `hidden`, such as ragkit.embedding.MiniLM"
            )
        self.embedder = embedder
        self.config = config
        self.encode = lru_cache(config.texts_in_memory)(self._encode)
        self.evidence = lru_cache(config.texts_in_memory)(self._evidence)
        self.alone = lru_cache(16 * config.texts_in_memory)(self._alone)

    def likeness(self, word: str, others: Iterable[str]) -> float:
        """Return the best cosine of a word by itself with others by themselves, 0 with none."""
        return max((float(self.alone(word) @ self.alone(other)) for other in others), default=0.0)

    def _alone(self, word: str) -> np.ndarray:
        return np.array(self.embedder.embed_query(word.lower()))

    def _encode(self, text: str) -> Encoded:
        pieces, spans, rows = self.embedder.hidden(text)
        starts = np.array([start for start, _ in spans], dtype=int)
        words, vectors, weights = [], [], []
        for match in _WORD.finditer(text):
            left, right = np.searchsorted(starts, match.span())
            if right > left:
                words.append(match[0])
                vectors.append(rows[left:right].mean(axis=0))
                weights.append(_weight(tuple(pieces[left:right])))
        content = np.array([word.lower() not in STOP_WORDS for word in words], dtype=bool)
        if words and not content.any():
            content[:] = True
        return Encoded(
            words=tuple(words),
            vectors=_unit(np.array(vectors).reshape(len(words), rows.shape[1])),
            weights=np.array(weights),
            content=content,
            mean=_unit(rows.mean(axis=0)) if len(rows) else np.zeros(rows.shape[1]),
        )

    def _evidence(self, units: tuple[Unit, ...]) -> EncodedEvidence:
        windows = [
            (first, self.encode(" ".join(unit.text for unit in units[first:last])))
            for first, last in self._windows(units)
        ]
        owners = [
            owner for first, encoded in windows for owner in _owners(units, first, encoded.words)
        ]
        width = windows[0][1].mean.shape[0] if windows else 1
        return EncodedEvidence(
            units=units,
            words=tuple(word for _, encoded in windows for word in encoded.words),
            vectors=np.vstack([e.vectors for _, e in windows if e.words] or [np.zeros((0, width))]),
            content=np.concatenate([e.content for _, e in windows] or [np.zeros(0, dtype=bool)]),
            unit_of=np.array(owners, dtype=int),
            means=np.array([encoded.mean for _, encoded in windows]).reshape(-1, width),
        )

    def _windows(self, units: Sequence[Unit]) -> list[tuple[int, int]]:
        """Cut a long text into runs of whole units that the model can read."""
        windows, first, size = [], 0, 0
        for index, unit in enumerate(units):
            tokens = estimate_tokens(unit.text) + 1
            if size and size + tokens > self.config.window_tokens:
                windows.append((first, index))
                first, size = index, 0
            size += tokens
        return [*windows, (first, len(units))] if units else []


def _owners(units: Sequence[Unit], first: int, words: Sequence[str]) -> list[int]:
    """Tell which unit each word of a window comes from; the model may have cut the end."""
    owners: list[int] = []
    for index in range(first, len(units)):
        owners += [index] * len(_WORD.findall(units[index].text))
        if len(owners) >= len(words):
            break
    return owners[: len(words)]


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.maximum(np.linalg.norm(rows, axis=-1, keepdims=True), 1e-9)


@lru_cache(maxsize=65_536)
def _weight(pieces: tuple[str, ...]) -> float:
    """Weigh a word by how rare it is: a WordPiece vocabulary is in order of frequency (Zipf)."""
    common, rare = 1_000, 40_000
    rank = max(_ranks().get(piece, rare) for piece in pieces) + 3_000 * (len(pieces) - 1)
    rank = min(max(rank, common), rare)
    return 0.2 + 0.8 * math.log(rank / common) / math.log(rare / common)


@lru_cache(maxsize=1)
def _ranks() -> dict[str, int]:
    from tokenizers import Tokenizer

    from ragkit.embedding import tokenizer_path

    return Tokenizer.from_file(str(tokenizer_path())).get_vocab()
