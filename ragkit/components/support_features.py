"""What tells a supported claim from an unsupported one, as numbers: one row a claim and evidence.

Six groups: how well each word finds its like (soft alignment), the same for two and three words in
a row and for the sentences of a claim, shared words and word pairs, facts (numbers, names), what is
denied, and words that stand where the evidence has another.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from ragkit.components.alignment import Encoded, EncodedEvidence, Encoder
from ragkit.components.checks import Unit, denials, modalities, opposites
from ragkit.components.quantities import missing
from ragkit.components.sentences import split_sentences
from ragkit.components.statements import Statement, canonical, parse_statement

WORD_FEATURES = (
    "one", "matched", "matched_exactly", "matched_in_best", "matched_similarity", "similarity",
    "rare", "name", "number", "last", "first", "substituted", "neighbours", "matched_rare",
    "matched_name", "matched_number", "matched_last", "weight", "similarity_squared",
    "matched_share",
)  # fmt: skip
# a cosine of 0.8 weighs e² times as much as one of 0.7
_SHARPNESS = 20.0


@dataclass(frozen=True, eq=False)
class Pair:
    """A claim and its evidence, encoded and parsed, with what all features need."""

    claim: Encoded
    evidence: EncodedEvidence
    claim_stems: tuple[str, ...]
    evidence_stems: tuple[str, ...]
    similarities: np.ndarray
    by_unit: np.ndarray
    best: int
    said: Statement
    best_unit: Statement
    everything: Statement
    sentences: tuple[Pair, ...] = ()

    @property
    def chosen(self) -> np.ndarray:
        """The positions of the claim's content words."""
        return np.flatnonzero(self.claim.content)


def make_pair(claim: str, units: Sequence[Unit], encoder: Encoder) -> Pair | None:
    """Encode and align a claim with evidence; None where one of them has no words.

    The sentences of a claim that has several are paired by themselves too.
    """
    pair = _pair(claim, units, encoder)
    parts = split_sentences(claim)
    if pair is None or len(parts) < 2:
        return pair
    found = (_pair(part, units, encoder) for part in parts)
    return replace(pair, sentences=tuple(part for part in found if part and len(part.chosen) > 1))


def _pair(claim: str, units: Sequence[Unit], encoder: Encoder) -> Pair | None:
    mine, theirs = encoder.encode(claim), encoder.evidence(tuple(units))
    if not mine.words or not theirs.words:
        return None
    similarities = mine.vectors @ theirs.vectors.T
    rows = similarities[np.flatnonzero(mine.content)]
    by_unit = np.full((len(rows), len(units)), -1.0)
    for unit in np.unique(theirs.unit_of):
        by_unit[:, unit] = rows[:, theirs.unit_of == unit].max(axis=1)
    weights = mine.weights[mine.content]
    best = int(np.argmax(weights @ by_unit))
    return Pair(
        claim=mine,
        evidence=theirs,
        claim_stems=tuple(_stem(word) for word in mine.words),
        evidence_stems=tuple(_stem(word) for word in theirs.words),
        similarities=similarities,
        by_unit=by_unit,
        best=best,
        said=parse_statement(claim),
        best_unit=parse_statement(units[best].text),
        everything=parse_statement(" ".join(unit.text for unit in units)),
    )


def features(pair: Pair) -> dict[str, float]:
    """Return the features of a pair by name."""
    found = {
        **_soft(pair), **_shared(pair), **_facts(pair), **_denied(pair), **_slots(pair),
        **_sentences(pair), **_phrases(pair),
    }  # fmt: skip
    return {name: float(value) for name, value in found.items()}


def products(pair: Pair) -> np.ndarray:
    """Return how the words agree with what they attend to, dimension by dimension: `[2 * 384]`.

    Each content word meets the mean of the evidence's words, the likest weighing most. First the
    products of the vectors, then their distances, as means over the words; a linear model on them
    learns which directions of the embedding matter.
    """
    mine = pair.claim.vectors[pair.chosen]
    likeness = np.exp(_SHARPNESS * pair.similarities[pair.chosen])
    met = (likeness / likeness.sum(axis=1, keepdims=True)) @ pair.evidence.vectors
    met /= np.maximum(np.linalg.norm(met, axis=1, keepdims=True), 1e-9)
    return np.concatenate([(mine * met).mean(axis=0), np.abs(mine - met).mean(axis=0)])


def word_features(pair: Pair) -> np.ndarray:
    """Return a row for each content word of the claim, `[words, len(WORD_FEATURES)]`."""
    held = set(pair.evidence_stems)
    in_best = _stems_of(pair, pair.best)
    exact = {_folded(word) for word in pair.evidence.words}
    chosen = pair.chosen
    share = np.mean([pair.claim_stems[i] in held for i in chosen])
    substituted = {i for i, _ in _substitutions(pair)}
    rows = []
    for position, i in enumerate(chosen):
        stem, word = pair.claim_stems[i], pair.claim.words[i]
        matched = stem in held
        open_ = not matched
        similarity = pair.similarities[i].max()
        same = [pair.similarities[i, j] for j, s in enumerate(pair.evidence_stems) if s == stem]
        weight = pair.claim.weights[i]
        is_name = word[:1].isupper() and i > 0
        is_number = any(char.isdigit() for char in word)
        last, first = position == len(chosen) - 1, position == 0
        around = sum(
            pair.claim_stems[k] in held for k in (i - 1, i + 1) if 0 <= k < len(pair.claim_stems)
        )
        rows.append([
            1, matched, matched and _folded(word) in exact, matched and stem in in_best,
            max(same, default=0), open_ * similarity, open_ * weight, open_ and is_name,
            open_ and is_number, open_ and last, open_ and first, open_ and i in substituted,
            open_ * around, matched * weight, matched and is_name, matched and is_number,
            matched and last, weight, open_ * similarity**2, open_ * share,
        ])  # fmt: skip
    return np.array(rows, dtype=float)


def _soft(pair: Pair) -> dict[str, float]:
    chosen = pair.chosen
    weights = pair.claim.weights[chosen]
    total = weights.sum()
    best_of_all = pair.similarities[chosen].max(axis=1)
    in_best = pair.by_unit[:, pair.best]
    beside = [
        weights @ np.maximum(pair.by_unit[:, k], pair.by_unit[:, k + 1])
        for k in range(pair.by_unit.shape[1] - 1)
    ]
    held = set(pair.evidence_stems)
    own = _stems_of(pair, pair.best)
    open_ = np.array([pair.claim_stems[i] not in held for i in chosen])
    open_in_best = np.array([pair.claim_stems[i] not in own for i in chosen])
    back = pair.similarities[:, (pair.evidence.unit_of == pair.best) & pair.evidence.content]
    return {
        "align": weights @ best_of_all / total,
        "align_unit": weights @ in_best / total,
        "align_pair": max([*beside, weights @ in_best]) / total,
        "align_all_words": pair.similarities.max(axis=1).mean(),
        "worst": best_of_all.min(),
        "worst_in_unit": in_best.min(),
        "worst_three": np.sort(best_of_all)[:3].mean(),
        "worst_three_in_unit": np.sort(in_best)[:3].mean(),
        "quartile": np.quantile(best_of_all, 0.25),
        "open_similarity": best_of_all[open_].mean() if open_.any() else 1.0,
        "open_worst": best_of_all[open_].min() if open_.any() else 1.0,
        "open_gap": ((1 - best_of_all) * weights)[open_].sum(),
        "open_gap_in_unit": ((1 - in_best) * weights)[open_in_best].sum(),
        "back": back.max(axis=0).mean() if back.size else 0.0,
        "cosine": (pair.evidence.means @ pair.claim.mean).max(),
    }


def _shared(pair: Pair) -> dict[str, float]:
    chosen = pair.chosen
    weights = pair.claim.weights[chosen]
    held, own = set(pair.evidence_stems), _stems_of(pair, pair.best)
    matched = np.array([pair.claim_stems[i] in held for i in chosen])
    in_best = np.array([pair.claim_stems[i] in own for i in chosen])
    return {
        "shared": weights @ matched / weights.sum(),
        "shared_in_unit": weights @ in_best / weights.sum(),
        "open": (~matched).sum(),
        "open_share": (~matched).mean(),
        "open_weight": weights[~matched].sum(),
        "all_shared": matched.all(),
        "last_open": not matched[-1],
        "first_open": not matched[0],
        "pairs": _ngram_share(pair, 2),
        "triples": _ngram_share(pair, 3),
        "claim_length": math.log1p(len(pair.claim.words)),
        "evidence_length": math.log1p(len(pair.evidence.words)),
        "units": math.log(len(pair.evidence.units)),
    }


def _sentences(pair: Pair) -> dict[str, float]:
    """What the weakest sentence of the claim finds: a claim holds no better than that."""
    parts = pair.sentences or (pair,)
    return {
        "sentences": len(parts),
        "weakest_align": min(_aligned(part) for part in parts),
        "weakest_shared": min(_shared_weight(part) for part in parts),
    }


def _aligned(pair: Pair) -> float:
    weights = pair.claim.weights[pair.chosen]
    return weights @ pair.similarities[pair.chosen].max(axis=1) / weights.sum()


def _shared_weight(pair: Pair) -> float:
    held, weights = set(pair.evidence_stems), pair.claim.weights[pair.chosen]
    return weights @ [pair.claim_stems[i] in held for i in pair.chosen] / weights.sum()


def _phrases(pair: Pair) -> dict[str, float]:
    """How well two and three words in a row find their like in a row."""
    two, three = (_in_a_row(pair.similarities, size).max(axis=1) for size in (2, 3))
    return {
        "phrase_two": two.mean(),
        "phrase_three": three.mean(),
        "phrase_worst": three.min(),
        "phrase_quartile": np.quantile(three, 0.25),
    }


def _in_a_row(similarities: np.ndarray, size: int) -> np.ndarray:
    size = min(size, *similarities.shape)
    rows, columns = (length - size + 1 for length in similarities.shape)
    return sum(similarities[k : rows + k, k : columns + k] for k in range(size)) / size


def _facts(pair: Pair) -> dict[str, float]:
    numbers = pair.said.quantities
    held = {token.text.lower() for token in pair.everything.tokens}
    names = pair.said.names
    lost = [name for name in names if name not in held]
    return {
        "numbers": len(numbers),
        "numbers_missing": len(missing(numbers, pair.everything.quantities)),
        "numbers_missing_in_unit": len(missing(numbers, pair.best_unit.quantities)),
        "names": len(names),
        "names_missing": len(lost),
        "names_missing_share": len(lost) / max(1, len(names)),
    }


def _denied(pair: Pair) -> dict[str, float]:
    said, source = pair.said, pair.best_unit
    votes = denials(said, source)
    total = max(1, len(votes))
    denied = {token.stem for token in said.tokens if token.denied and token.content}
    covered = len(denied & source.stems) / len(denied) if denied else 0.0
    mine = any(token.denied for token in said.tokens)
    theirs = any(token.denied for token in source.tokens)
    return {
        "denies": mine,
        "is_denied": theirs,
        "one_denies": mine != theirs,
        "denial_clash": sum(vote < 0 for vote in votes) / total,
        "denial_agree": sum(vote > 0 for vote in votes) / total,
        "denies_known": mine * covered,
        "denies_unknown": mine * (1 - covered),
        "opposites": len(opposites(said, source)),
        "opposites_anywhere": len(opposites(said, pair.everything)),
        "modality_clash": len(modalities(said, source)),
    }


def _slots(pair: Pair) -> dict[str, float]:
    found = _substitutions(pair)
    return {
        "substituted": bool(found),
        "substitutions": len(found),
        "substitute_similarity": min((pair.similarities[i, j] for i, j in found), default=1.0),
    }


def _substitutions(pair: Pair) -> list[tuple[int, int]]:
    """Find claim words that stand where the evidence has another: same neighbour on one side."""
    mine, theirs = pair.claim_stems, pair.evidence_stems
    held, claimed = set(theirs), set(mine)
    before: dict[str, list[int]] = {}
    after: dict[str, list[int]] = {}
    for j in np.flatnonzero(pair.evidence.content):
        if theirs[j] not in claimed:
            before.setdefault(theirs[j - 1] if j else "^", []).append(int(j))
            after.setdefault(theirs[j + 1] if j + 1 < len(theirs) else "$", []).append(int(j))
    found = set()
    for i in pair.chosen:
        if mine[i] not in held:
            left = before.get(mine[i - 1], []) if i else []
            right = after.get(mine[i + 1], []) if i + 1 < len(mine) else []
            found |= {(int(i), j) for j in (*left, *right)}
    return sorted(found)


def _stems_of(pair: Pair, unit: int) -> set[str]:
    return {pair.evidence_stems[j] for j in np.flatnonzero(pair.evidence.unit_of == unit)}


def _ngram_share(pair: Pair, size: int) -> float:
    mine, theirs = (
        list(zip(*(stems[k:] for k in range(size)), strict=False))
        for stems in (pair.claim_stems, pair.evidence_stems)
    )
    known = set(theirs)
    return sum(gram in known for gram in mine) / len(mine) if mine else 0.0


@lru_cache(maxsize=65_536)
def _folded(word: str) -> str:
    """Drop case and accents, so that Noël is Noel."""
    decomposed = unicodedata.normalize("NFKD", word.lower())
    return "".join(char for char in decomposed if not unicodedata.combining(char))


@lru_cache(maxsize=65_536)
def _stem(word: str) -> str:
    return canonical(_folded(word)).stem
