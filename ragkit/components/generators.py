"""Answer from documents. The offline generator quotes whole sentences with their labels.

Nothing in a document is an instruction here: text is scored and quoted, never followed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragkit.components.certain import certain_lines
from ragkit.components.coverage import entity_coverage
from ragkit.components.graders import RelevanceGrader
from ragkit.components.orders import gives_orders
from ragkit.components.question_parts import parts
from ragkit.components.sentence_scores import ScoredSentence, score_sentences
from ragkit.components.windows import windows
from ragkit.config import GeneratorConfig
from ragkit.records import Document, Generation

Page = tuple[int, Document, float]  # its label, itself, how likely it answers
NO_ANSWER = "I could not find the answer in the documents."

_MARKER_LIKE = re.compile(r"\[\s*(\^?\d[^\[\]\n]*)\]|【\s*(\d[^】\n]*)】")
_ENDING = re.compile(r"\s*\.\s*$")


@dataclass(frozen=True)
class Quote:
    """A sentence picked for the answer: its words, the label of its document, how well it fits.

    `row` tells that it is a row of a table, which says nothing of the rows around it.
    """

    text: str
    label: int
    score: float
    row: bool = False


class ExtractiveGenerator:
    """A `Generator` that quotes up to `max_sentences` sentences, each with its `[n]`.

    A sentence counts by the probability that it is the answer times the one that its document
    holds an answer. With `guarded=False` it answers from whatever it is given, old editions too, as
    naive RAG.
    """

    def __init__(
        self,
        grader: RelevanceGrader,
        config: GeneratorConfig | None = None,
        guarded: bool = True,
    ) -> None:
        self.grader = grader
        self.config = config or GeneratorConfig()
        self.guarded = guarded

    def __call__(
        self, question: str, documents: Sequence[Document], attempt: int = 0
    ) -> Generation:
        """Answer from the documents; `attempt` > 0 is stricter and quotes less.

        `answerable` is False, with a fixed text, when no sentence is a likely answer or the
        documents do not name what the question names.
        """
        asked = self.grader.wording(question)
        pages = self._weighed(asked, documents) if asked.strip() else []
        found = self._ranked(asked, pages)
        if not found or (self.guarded and not self._likely(asked, documents, found, attempt)):
            return Generation(text=NO_ANSWER, answerable=False)
        chosen = self._chosen(asked, pages, found, attempt)
        text = " ".join(render(quote.text, quote.label) for quote in chosen)
        return Generation(text=text, answerable=True)

    def _weighed(self, question: str, documents: Sequence[Document]) -> list[Page]:
        """The current documents by relevance; unguarded, all documents are taken alike."""
        pages = [(label, document, 1.0) for label, document in enumerate(documents, start=1)]
        if not self.guarded:
            return pages
        current = current_documents(documents)
        return [
            (label, document, self.grader.probability(question, document["content"])[0])
            for label, document, _ in pages
            if document["id"] in current and document["content"].strip()
        ]

    def _ranked(self, question: str, pages: Sequence[Page]) -> list[Quote]:
        """Every quotable sentence, best first; of equal texts the first document's."""
        quotes: dict[str, Quote] = {}
        for label, document, weight in pages:
            lines = self._sentences(question, document)
            sure = certain_lines(question, [line.sentence for line in lines])
            for scored in lines:
                text = scored.sentence.text
                if quotable(text, scored) and text not in quotes:
                    row = scored.sentence.kind == "row"
                    score = self.grader.certain(scored.score) if text in sure else scored.score
                    quotes[text] = Quote(text, label, score * weight, row)
        return sorted(quotes.values(), key=lambda quote: (-quote.score, quote.label, quote.text))

    def _sentences(self, question: str, document: Document) -> list[ScoredSentence]:
        config = self.grader.config
        cut = windows(question, document["content"], config.window_tokens, config.max_windows)
        reader = self.grader.reader
        asked = reader.ask(question)
        return [s for window in cut for s in score_sentences(asked, reader.read(window))]

    def _likely(
        self, question: str, documents: Sequence[Document], found: Sequence[Quote], attempt: int
    ) -> bool:
        named = entity_coverage(question, documents) >= self.config.least_coverage
        return named and found[0].score >= self._least(attempt)

    def _least(self, attempt: int = 0) -> float:
        return self.config.answer_threshold + self.config.stricter * attempt

    def _chosen(
        self, question: str, pages: Sequence[Page], found: Sequence[Quote], attempt: int
    ) -> list[Quote]:
        """The best sentence, those nearly as good, and the best for each part of the question."""
        limit = max(1, self.config.max_sentences - attempt)
        floor = found[0].score - self.config.margin
        chosen = [quote for quote in found if quote.score >= floor][:limit]
        if self.guarded:
            room = max(0, self.config.sure_sentences - attempt - len(chosen))
            chosen += self._more_of_it(pages, found, chosen)[:room]
        for part in parts(question):
            best = self._best_for(part, pages, found)
            if best.score >= self._least() and best not in chosen:
                chosen.append(best)
        return chosen

    def _more_of_it(
        self, pages: Sequence[Page], found: Sequence[Quote], chosen: Sequence[Quote]
    ) -> list[Quote]:
        """More of the best sentence's document, where the grader is sure of that document."""
        sure = {label for label, _, weight in pages if weight >= self.config.sure_document}
        label, floor = found[0].label, found[0].score - self.config.sure_margin
        near = [q for q in found if q.label == label and q.score >= floor and not q.row]
        return [quote for quote in near if quote not in chosen] if label in sure else []

    def _best_for(self, part: str, pages: Sequence[Page], found: Sequence[Quote]) -> Quote:
        """The sentence that fits a part best, judged by the part and by the whole question."""
        alone = {quote.text: quote.score for quote in self._ranked(part, pages)}
        return max(found, key=lambda quote: (alone.get(quote.text, 0.0) + quote.score, quote.text))


def quotable(text: str, scored: ScoredSentence) -> bool:
    """Tell whether a sentence may stand in an answer: no heading, code, question or order."""
    if scored.sentence.kind in ("heading", "code") or not 8 <= len(text) <= 700:
        return False
    columns, cells = scored.sentence.columns, scored.sentence.cells
    return not text.rstrip().endswith("?") and not gives_orders(text, columns, cells)


def render(text: str, label: int) -> str:
    """Return a quoted sentence with its marker; brackets that look like markers become round."""
    quiet = _MARKER_LIKE.sub(lambda match: f"({(match[1] or match[2]).rstrip()})", text)
    if quiet.rstrip()[-1:] in '!?…"”’)':
        return f"{quiet.rstrip()} [{label}]."
    return f"{_ENDING.sub('', quiet).rstrip(' :;,')} [{label}]."


def current_documents(documents: Sequence[Document]) -> set[str]:
    """Return the ids of all documents but those of which a newer edition is among them.

    Editions share title and product; a document without a date is neither older nor newer.
    """
    newest: dict[tuple[str, str], int] = {}
    for document in documents:
        family, day = _edition(document)
        if family and day:
            newest[family] = max(newest.get(family, 0), day)
    kept = set()
    for document in documents:
        family, day = _edition(document)
        if not family or not day or day >= newest[family]:
            kept.add(document["id"])
    return kept


def _edition(document: Document) -> tuple[tuple[str, str] | None, int]:
    metadata = document.get("metadata", {})
    title = str(metadata.get("title", "")).strip().casefold()
    family = (title, str(metadata.get("product", "")).casefold()) if title else None
    day = metadata.get("effective_day")
    return family, day if isinstance(day, int) else 0
