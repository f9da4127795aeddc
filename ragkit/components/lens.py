"""A text beside the best that the corpus has for the same question.

Whether a text answers is easier to tell when one knows what else there is: the same cosine means
little where ten chunks reach it and much where none does. What counts is the question and the
corpus, never the other documents of the same batch.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from ragkit.components.features import Features, compare
from ragkit.components.reading import Reader
from ragkit.components.relevance_model import RelevanceModel
from ragkit.records import Document

COMPARED = (
    "general", "cosine_pair", "cosine_sentence", "cosine_text", "cosine_core_pair",
    "cosine_core_sentence", "cosine_heading", "cosine_leaf", "aligned", "aligned_mean",
    "aligned_least", "aligned_sentence", "aligned_pair", "overlap", "overlap_sentence",
    "answer_cosine", "answer_overlap", "cosine_passage", "cosine_core_passage",
    "cosine_words_passage", "relation_passage", "aligned_passage",
)  # fmt: skip
_THIRD = 3


class CorpusLens:
    """Compares a text's features with those of the `depth` chunks that search finds first.

    `general` scores any text by itself; `model` decides from all features together.
    """

    def __init__(
        self,
        retriever: Callable[..., list[Document]],
        reader: Reader,
        general: RelevanceModel,
        model: RelevanceModel,
        depth: int,
        keep: int = 1024,
    ) -> None:
        self._retriever = retriever
        self._reader = reader
        self._general = general
        self._depth = depth
        self.model = model
        self.rivals = lru_cache(keep)(self._rivals)

    def beside(self, question: str, text: str, values: Features) -> Features:
        """Return `general` and how far a text is ahead of the corpus's best for the question."""
        others = [found for known, found in self.rivals(question) if not _overlap(known, text)]
        return gaps({**values, "general": self._general.raw(values)}, others)

    def _rivals(self, question: str) -> tuple[tuple[str, Features], ...]:
        if not question.strip():
            return ()
        asked = self._reader.ask(question)
        rivals = []
        for document in self._retriever(question, self._depth, "hybrid"):
            values = compare(asked, self._reader.read(document["content"]))
            rivals.append((document["content"], {**values, "general": self._general.raw(values)}))
        return tuple(rivals)


def _overlap(known: str, text: str) -> bool:
    """Tell whether one text is the other or a strip of it, their headings aside."""
    one, other = _body(known), _body(text)
    return one in other or other in one


def _body(text: str) -> str:
    first, _, rest = text.partition("\n")
    return " ".join((rest if first.startswith("#") and rest.strip() else text).split())


def gaps(values: Features, others: Sequence[Features]) -> Features:
    """Compare by each measure: ahead of the best other, of the third best, how many are better."""
    found = {"general": values["general"]}
    for key in COMPARED:
        own = values[key]
        ordered = sorted((other[key] for other in others), reverse=True) or [own]
        found[f"{key}_ahead"] = own - ordered[0]
        found[f"{key}_ahead_of_third"] = own - ordered[min(_THIRD, len(ordered)) - 1]
        found[f"{key}_better"] = float(sum(other > own for other in ordered))
    return found
