"""A writer that is always wrong: each draft holds one fault, so what gets out is an escape."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragkit.components.claims import split_claims
from ragkit.evaluation.faults import FAULTS, Draft, Fault, Sentence
from ragkit.evaluation.stats import SEED
from ragkit.records import Document, Generation


class FaultyWriter:
    """Puts one fault into each draft of another generator, chosen by seed, question and attempt.

    Drafts that answer nothing are passed on as they are.
    """

    def __init__(
        self,
        write: Callable[..., Generation],
        faults: Mapping[str, Fault] = FAULTS,
        seed: int = SEED,
    ) -> None:
        self.write = write
        self.faults = dict(faults)
        self.seed = seed

    def __call__(
        self, question: str, documents: Sequence[Document], attempt: int = 0
    ) -> Generation:
        """Return the draft with one thing wrong.

        Raises ValueError where no rule applies, so that no good draft counts as a faulty one.
        """
        draft = self.write(question, documents, attempt)
        if not draft.answerable:
            return draft
        rng = random.Random(f"{self.seed}:{question}:{attempt}")
        parts = _parts(draft.text, documents)
        for kind in rng.sample(sorted(self.faults), len(self.faults)):
            changed = self.faults[kind](parts, rng) if parts.sentences else None
            if changed:
                return draft.model_copy(update={"text": changed[0].text()})
        raise ValueError(f"none of {', '.join(sorted(self.faults))} fits the draft {draft.text!r}")


def _parts(text: str, documents: Sequence[Document]) -> Draft:
    sentences: list[Any] = []
    for claim in split_claims(text, len(documents)):
        label = claim.labels[0] if claim.labels else None
        source = documents[label - 1]["id"] if label else ""
        sentences.append(Sentence(claim.text, label, source))
    return Draft(tuple(sentences), tuple(documents))
