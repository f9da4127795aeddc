"""Judge whether a document helps to answer a question.

The offline grader is small fitted models over readable features, not an LLM.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from ragkit.components.certain import certain_lines
from ragkit.components.features import Features, compare
from ragkit.components.lens import CorpusLens
from ragkit.components.reading import Reader
from ragkit.components.relevance_model import RelevanceModel, load_model
from ragkit.components.spelling import Speller
from ragkit.components.windows import shortened, windows
from ragkit.config import GraderConfig
from ragkit.records import Document, Grade


class RelevanceGrader:
    """A `Grader`: rules, a small embedding model and fitted numbers.

    The score is the probability that the document carries an answer. A long document is judged by
    its best window. With a `lens` the corpus is the yardstick: a text is also compared with the
    best chunks that the corpus has for the question. The same question and text always get the same
    grade, whatever else is graded beside them.
    """

    def __init__(
        self,
        reader: Reader,
        model: RelevanceModel | None = None,
        config: GraderConfig | None = None,
        lens: CorpusLens | None = None,
        speller: Speller | None = None,
    ) -> None:
        self.config = config or GraderConfig()
        self.reader = reader
        self.model = model or load_model("grader")
        self.lens = lens
        self.speller = speller
        self.probability = lru_cache(self.config.keep)(self._probability)

    def __call__(self, question: str, documents: Sequence[Document]) -> list[Grade]:
        """Return one grade a document, in their order."""
        return [self._grade(question, document) for document in documents]

    def wording(self, question: str) -> str:
        """Return the question as it is judged: of sane length, misspelt words put right."""
        asked = shortened(question)
        return self.speller.corrected(asked) if self.speller else asked

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
        asked = self.wording(question)
        cut = windows(asked, text, self.config.window_tokens, self.config.max_windows)
        judged = [self._judge(asked, window) for window in cut]
        return max(judged, key=lambda pair: pair[0], default=(0.0, "nothing to read"))

    def _judge(self, asked: str, window: str) -> tuple[float, str]:
        read = self.reader.read(window)
        values = compare(self.reader.ask(asked), read)
        model = self.model
        if self.lens is not None:
            values = {**values, **self.lens.beside(asked, window, values)}
            model = self.lens.model
        score, why = model.probability(values), explain(values)
        if lines := certain_lines(asked, read.sentences):
            return self.certain(score), f"“{lines[0][:80]}” answers by rule; {why}"
        return score, why

    def certain(self, score: float) -> float:
        """Return the probability of a text or sentence that answers by rule."""
        return self.config.certain + (1 - self.config.certain) * score


def explain(values: Features) -> str:
    """Return the plainest of the features in words."""
    said = [
        f"best sentence {values['cosine_sentence']:.2f} alike",
        f"{values['overlap']:.0%} of the question's words",
    ]
    if "cosine_pair_better" in values:
        said.append(f"{values['cosine_pair_better']:.0f} other chunks are closer")
    if values["entity_missing"]:
        said.append("a name or number of the question is missing")
    if values["type_known"]:
        said.append(
            "the kind of answer is there" if values["type_met"] else "no answer of its kind"
        )
    return "; ".join(said)


def offline_graders(
    embedder: Any, retriever: Any = None, config: GraderConfig | None = None
) -> tuple[RelevanceGrader, RelevanceGrader]:
    """Return the grader of documents and the grader of strips, which share what they have read.

    With a retriever the documents are judged against its corpus, and misspelt words are put right
    where it can list its vocabulary.
    """
    config = config or GraderConfig()
    reader = Reader(embedder)
    listing = getattr(retriever, "vocabulary", None)
    speller = Speller(listing()) if listing else None
    general = load_model("grader")
    lens = None
    if retriever is not None:
        lens = CorpusLens(retriever, reader, general, load_model("grader_corpus"), config.depth)
    return (
        RelevanceGrader(reader, general, config, lens, speller),
        RelevanceGrader(reader, load_model("strips"), config, None, speller),
    )
