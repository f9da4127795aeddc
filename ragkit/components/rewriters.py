"""Make a new search query when a retrieval failed. The offline rewriter borrows the corpus's words.

Always made from the user's question and the queries that failed, never from the last rewrite alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ragkit.components.glossary import Glossary
from ragkit.components.question_parts import parts
from ragkit.components.reading import core
from ragkit.components.sentences import sentences
from ragkit.components.spelling import Speller
from ragkit.components.text import (
    content_words,
    entities,
    missing_entities,
    normalised,
    stem,
    stems,
)
from ragkit.components.windows import shortened
from ragkit.config import RewriterConfig
from ragkit.records import Document, Rejected, Rewrite

_WANTED = 6  # words of what is asked in a phrase
Judge = Callable[[str, str], tuple[float, str]]


@dataclass(frozen=True)
class Proposal:
    """A query that could be tried, why, and the chunk it is meant to bring (None: any new one)."""

    query: str
    reason: str
    target: str | None = None


class VocabularyRewriter:
    """A `Rewriter` that turns the user's words into the corpus's words.

    Words that the corpus defines by a term of its own get that term. Then it looks past the
    rejected documents (pseudo relevance feedback: the good example is the likeliest chunk not yet
    seen, after Rocchio, 1971), makes a short phrase of that chunk's headings and the question's own
    words, and checks that the phrase brings it. A proposal that drops an entity of the question or
    repeats a query is rejected, with the reason.
    """

    def __init__(
        self,
        retriever: Callable[..., list[Document]],
        judge: Judge,
        config: RewriterConfig | None = None,
    ) -> None:
        self.retriever = retriever
        self.judge = judge
        self.config = config or RewriterConfig()

    @cached_property
    def speller(self) -> Speller | None:
        """What puts misspelt words right; None for a retriever that lists no vocabulary."""
        listing = getattr(self.retriever, "vocabulary", None)
        return Speller(listing()) if listing else None

    @cached_property
    def glossary(self) -> Glossary | None:
        """The corpus's own definitions; None for a retriever that lists no documents."""
        listing = getattr(self.retriever, "documents", None)
        return Glossary(listing(), self.config.foreign) if listing else None

    def __call__(
        self, question: str, failed_queries: Sequence[str], documents: Sequence[Document]
    ) -> Rewrite:
        """Return a new query, or `query=""` with the reason when nothing better is left."""
        asked = shortened(question).strip()
        if not asked:
            return Rewrite(query="", explanation="the question is empty")
        tried = {normalised(query) for query in [*failed_queries, asked]}
        rejected: list[Rejected] = []
        for proposal in self._proposals(asked, failed_queries, documents):
            if reason := self._fault(asked, proposal, tried, documents):
                rejected.append(Rejected(query=proposal.query, reason=reason))
                continue
            return Rewrite(
                query=proposal.query, explanation=proposal.reason, rejected=tuple(rejected)
            )
        return Rewrite(
            query="", explanation="no other words of the corpus come closer to the question",
            rejected=tuple(rejected),
        )  # fmt: skip

    def _proposals(
        self, question: str, failed: Sequence[str], documents: Sequence[Document]
    ) -> Iterator[Proposal]:
        corrected = self.speller.corrected(question) if self.speller else question
        if corrected != question:
            yield Proposal(corrected, "misspelt words put right")
        if self.glossary and (terms := self.glossary.translations(corrected)):
            said = ", ".join(f"“{term}” for “{word}”" for word, term in terms.items())
            query = self.glossary.translated(corrected)
            yield Proposal(query, f"the corpus's own definitions say {said}")
        seen = {d["id"] for d in documents} | self._seen(failed, len(documents))
        for chance, document in self._unseen(corrected, seen):
            if chance < self.config.floor:
                break
            yield from worded(corrected, document)
        for part in parts(corrected):
            yield Proposal(part, "one part of the question by itself")

    def _unseen(self, question: str, seen: set[str]) -> list[tuple[float, Document]]:
        """Chunks that no failed query brought, likeliest first."""
        depth = self.config.depth
        found: dict[str, Document] = {}
        for query in [question, *parts(question)]:
            for strategy in ("dense", "hybrid", "keyword"):
                for document in self.retriever(query, depth, strategy):
                    if document["id"] not in seen:
                        found.setdefault(document["id"], document)
        judged = [(self.judge(question, d["content"])[0], d) for d in found.values()]
        return sorted(judged, key=lambda pair: (-pair[0], pair[1]["id"]))

    def _seen(self, failed: Sequence[str], shown: int) -> set[str]:
        return {
            document["id"]
            for query in failed
            if query.strip()
            for document in self.retriever(query, min(shown, self.config.check), "hybrid")
        }

    def _fault(
        self, question: str, proposal: Proposal, tried: set[str], documents: Sequence[Document]
    ) -> str:
        """Say why a proposal may not be used, or ""."""
        if not normalised(proposal.query) or normalised(proposal.query) in tried:
            return "repeats an earlier query"
        if lost := missing_entities(question, proposal.query):
            return f"drops {', '.join(lost)}"
        brought = {d["id"] for d in self.retriever(proposal.query, self.config.check, "hybrid")}
        if proposal.target and proposal.target not in brought:
            return "does not bring the chunk whose words it takes"
        if brought <= {d["id"] for d in documents}:
            return "brings nothing new"
        return ""


def worded(question: str, document: Document) -> Iterator[Proposal]:
    """Propose what one would type who knows the corpus's words, from short to long.

    A phrase is the document's headings and the words of what is asked, the question's names among
    them; then with the document's own key terms, then without the question's other words, at last
    the whole question beside the headings.
    """
    known = set(stems(document["content"]))
    asked = list(dict.fromkeys(content_words(question)))
    foreign = [word for word in asked if stem(word) not in known]
    topic = heading(document)
    said = f"the corpus speaks of “{topic}”" + (
        f" where the question says {', '.join(foreign[:5])}" if foreign else ""
    )
    names = entities(question)
    wanted = phrase(topic, [*names, *content_words(core(question))[:_WANTED]])
    for query in (
        wanted,
        phrase(wanted, key_terms(document)),
        phrase(topic, [*names, *key_terms(document)]),
        f"{topic}: {question}",
    ):
        yield Proposal(query, said, document["id"])


def phrase(start: str, more: Sequence[str]) -> str:
    """Return the start followed by those of the words that are not said yet, each once."""
    said, known = [start], set(stems(start))
    for word in more:
        new = set(stems(word)) - known
        if new or (missing_entities(word, " ".join(said))):
            said.append(word)
            known |= new
    return " ".join(said).strip()


def heading(document: Document) -> str:
    """Return what a chunk is about in the corpus's words: the last two headings above it."""
    path = str(document.get("metadata", {}).get("heading_path") or "").split(" > ")
    found = [part for part in path if part.strip()][-2:]
    if not found:
        found = [s.text for s in sentences(document["content"])[:1]]
    return phrase(found[0], [_inside(part) for part in found[1:]])[:120] if found else ""


def _inside(title: str) -> str:
    """Return a heading as within a sentence: "When the network is down" starts small."""
    rest = title[1:]
    return title[:1].lower() + rest if rest == rest.lower() else title


def key_terms(document: Document, count: int = 3) -> list[str]:
    """Return the words that a chunk uses most, in order of their first use."""
    words = content_words(document["content"])
    often = sorted(set(words), key=lambda word: (-words.count(word), words.index(word)))[:count]
    return sorted(often, key=words.index)
