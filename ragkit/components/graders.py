"""Judge whether a document helps to answer a question.

The offline grader is a small fitted model over readable features, not an LLM.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ragkit.components.features import FeatureReader
from ragkit.components.relevance_model import RelevanceModel, load_model
from ragkit.components.windows import shortened, windows
from ragkit.config import GraderConfig
from ragkit.records import Document, Grade


class RelevanceGrader:
    """A `Grader`: rules, a small embedding model and fitted weights.

    The score is the probability that the document carries an answer. A long document is judged by
    its best window. The same question and text always get the same grade.
    """

    def __init__(
        self,
        reader: FeatureReader,
        model: RelevanceModel | None = None,
        config: GraderConfig | None = None,
    ) -> None:
        self.config = config or GraderConfig()
        self.reader = reader
        self.model = model or load_model()
        self.probability = lru_cache(self.config.keep)(self._probability)

    def __call__(self, question: str, documents: Sequence[Document]) -> list[Grade]:
        """Return one grade a document, in their order."""
        return [self._grade(question, document) for document in documents]

    def _grade(self, question: str, document: Document) -> Grade:
        if not question.strip() or not document["content"].strip():
            what = "question" if not question.strip() else "document"
            return Grade(
                document_id=document["id"], binary_score="no", confidence=1.0,
                explanation=f"the {what} is empty",
            )  # fmt: skip
        score, why = self.probability(question, document["content"])
        yes = score >= self.config.threshold
        return Grade(
            document_id=document["id"],
            binary_score="yes" if yes else "no",
            confidence=round(score if yes else 1 - score, 6),
            explanation=why,
        )

    def _probability(self, question: str, text: str) -> tuple[float, str]:
        asked = shortened(question)
        cut = windows(asked, text, self.config.window_tokens, self.config.max_windows)
        judged = [(self.reader.features(asked, window), window) for window in cut]
        if not judged:
            return 0.0, "nothing to read"
        scored = [(self.model.probability(values), values) for values, _ in judged]
        score, values = max(scored, key=lambda pair: pair[0])
        return score, explain(values)


def explain(values: dict[str, float]) -> str:
    """Return the plainest of the features in words."""
    said = [
        f"best sentence {values['cosine_sentence']:.2f} alike",
        f"{values['overlap']:.0%} of the question's words",
        f"weakest word {values['aligned_least']:.2f} aligned",
    ]
    if values["entity_missing"]:
        said.append("a name or number of the question is missing")
    if values["type_known"]:
        said.append(
            "the kind of answer is there" if values["type_met"] else "no answer of its kind"
        )
    return "; ".join(said)


def offline_graders(
    embedder: Any, config: GraderConfig | None = None
) -> tuple[RelevanceGrader, RelevanceGrader]:
    """Return the grader of documents and the grader of strips, which share what they have read."""
    reader = FeatureReader(embedder)
    return (
        RelevanceGrader(reader, load_model("grader"), config),
        RelevanceGrader(reader, load_model("strips"), config),
    )
