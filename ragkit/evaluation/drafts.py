"""Labelled drafts made from the gold of the company's questions: faulty ones with clean twins.

`make_drafts` is deterministic: the same pages, questions and seed give the same drafts in the same
order. Every draft shows its documents in an order of its own; label n is document n.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict

from ragkit.components.markers import parse_markers
from ragkit.components.sentences import Sentence as Piece
from ragkit.components.sentences import sentences
from ragkit.components.text import content_words
from ragkit.corpus import Corpus
from ragkit.evaluation.faults import FAULTS, Draft, Sentence
from ragkit.evaluation.gold import states
from ragkit.evaluation.paraphrase import reworded
from ragkit.evaluation.questions import Question
from ragkit.records import Document

SEED = 20_260_101
PER_KIND = 26
SHOWN = 5
NEAR = 40
TRIED = 60
STALE = "stale_value"
_PRONOUNS = ("it", "they", "this", "these", "those", "that", "each", "its", "there", "then", "both")


class LabelledDraft(BaseModel):
    """A faulty draft and its clean twin over the same documents; label n is `documents[n - 1]`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    half: Literal["practice", "exam"]
    kind: str
    question_id: str
    question: str
    documents: tuple[str, ...]
    draft: str
    clean: str
    fault: str


def load_drafts(
    path: str | Path | None = None, half: Literal["practice", "exam"] | None = None
) -> list[LabelledDraft]:
    """Read labelled drafts from JSON lines; the company's own when no path is given."""
    from ragkit import data_dir

    file = Path(path) if path else data_dir() / "drafts.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    drafts = [LabelledDraft.model_validate_json(line) for line in lines if line.strip()]
    return [draft for draft in drafts if half is None or draft.half == half]


def write_drafts(drafts: Iterable[LabelledDraft], path: Path) -> None:
    """Write drafts as JSON lines."""
    lines = [json.dumps(draft.model_dump(), ensure_ascii=False) for draft in drafts]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")


def make_drafts(
    corpus: Corpus, questions: Sequence[Question], per_kind: int = PER_KIND, seed: int = SEED
) -> list[LabelledDraft]:
    """Make up to `per_kind` drafts of each kind of fault and half from questions with evidence."""
    made: list[LabelledDraft] = []
    maker = _Maker(corpus)
    for half in ("practice", "exam"):
        usable = [q for q in questions if q.half == half and maker.gold(q)]
        for kind in [*FAULTS, STALE]:
            order = random.Random(f"{seed}:{half}:{kind}")
            found = []
            for question in order.sample(usable, len(usable)):
                rng = random.Random(f"{seed}:{question.id}:{kind}")
                found += maker.faulty(question, kind, rng)
                if len(found) >= per_kind:
                    break
            made += found[:per_kind]
    return made


class _Maker:
    """Builds drafts over one corpus."""

    def __init__(self, corpus: Corpus) -> None:
        self.documents = corpus.documents
        self.words = {d["id"]: set(content_words(d["content"])) for d in self.documents}

    def gold(self, question: Question) -> list[tuple[Piece, Document]]:
        """Return the pieces that hold the quoted evidence, each with its chunk."""
        found = []
        for evidence in question.evidence:
            piece = self._piece(evidence["source"], evidence["quote"])
            if piece:
                found.append(piece)
        return found if len(found) == len(question.evidence) else []

    def faulty(self, question: Question, kind: str, rng: random.Random) -> list[LabelledDraft]:
        """Return the drafts of one kind of fault for a question: none, one, or two stale ones.

        Statements beside the answer are tried in turn until the rule finds something to change.
        """
        for filler in self._fillers(question, rng):
            clean = self._clean(question, filler, rng)
            if kind == STALE:
                faults = self._stale(question, clean)
            else:
                fault = FAULTS[kind](clean, rng)
                faults = [fault] if fault else []
            if faults or kind == STALE:
                return [self._labelled(question, kind, clean, *fault) for fault in faults]
        return []

    def _labelled(
        self, question: Question, kind: str, clean: Draft, faulty: Draft, said: str
    ) -> LabelledDraft:
        text = faulty.text()
        return LabelledDraft(
            id=f"{question.id}-{kind}-{sha256(text.encode()).hexdigest()[:6]}",
            half=question.half or "practice",
            kind=kind,
            question_id=question.id,
            question=question.question,
            documents=tuple(document["id"] for document in faulty.documents),
            draft=text,
            clean=clean.text(),
            fault=said,
        )

    def _piece(self, source: str, quote: str) -> tuple[Piece, Document] | None:
        wanted = _squeezed(quote)
        for document in self.documents:
            if document["metadata"]["source"] != source:
                continue
            for piece in sentences(document["content"]):
                if wanted in _squeezed(piece.text) or wanted in _row_key(piece):
                    return piece, document
        return None

    def _clean(
        self, question: Question, filler: tuple[Piece, Document], rng: random.Random
    ) -> Draft:
        """Answer with the gold pieces and one more statement of another page, lightly reworded."""
        gold = self.gold(question)
        near = self._near(question)
        older = self._older(gold[0][1])[:1] if question.stale_facts else []
        shown = [*(document for _, document in gold), filler[1], *older, *near]
        shown = list({document["id"]: document for document in shown}.values())[:SHOWN]
        rng.shuffle(shown)
        labels = {document["id"]: number for number, document in enumerate(shown, start=1)}
        told = [(_told(piece, question, rng), document) for piece, document in gold]
        told.append((filler[0].text, filler[1]))
        return Draft(
            tuple(
                Sentence(reworded(text, rng), labels[document["id"]], document["id"])
                for text, document in told
            ),
            tuple(shown),
        )

    def _near(self, question: Question) -> list[Document]:
        """Return chunks close to the question by words, of current editions only, nearest first."""
        gold = {document["id"]: document for _, document in self.gold(question)}
        asked = set(content_words(question.question))
        for document in gold.values():
            asked |= set(content_words(document["metadata"].get("heading_path", "")))
        others = (
            d
            for d in self.documents
            if d["id"] not in gold and self._is_current(d) and not _gives_orders(d)
        )
        ranked = sorted(others, key=lambda d: (-len(asked & self.words[d["id"]]), d["id"]))
        return ranked[:NEAR]

    @cached_property
    def _editions(self) -> dict[tuple[str, str], int]:
        newest: dict[tuple[str, str], int] = {}
        for document in self.documents:
            meta = document["metadata"]
            key = (meta.get("title", ""), meta.get("product", ""))
            newest[key] = max(newest.get(key, 0), meta.get("effective_day", 0))
        return newest

    def _is_current(self, document: Document) -> bool:
        meta = document["metadata"]
        key = (meta.get("title", ""), meta.get("product", ""))
        return meta.get("effective_day", 0) == self._editions[key]

    def _older(self, document: Document) -> list[Document]:
        """Return the chunks of older editions under the same heading."""
        meta = document["metadata"]
        keys = ("title", "product", "heading_path")
        return [
            other
            for other in self.documents
            if all(other["metadata"].get(key) == meta.get(key) for key in keys)
            and other["metadata"].get("effective_day", 0) < meta.get("effective_day", 0)
        ]

    def _fillers(self, question: Question, rng: random.Random) -> list[tuple[Piece, Document]]:
        """Return statements of other pages that stand alone, in a random order."""
        options = [
            (piece, document)
            for document in self._near(question)
            for piece in sentences(document["content"])
            if _stands_alone(piece)
        ]
        return rng.sample(options, min(len(options), TRIED))

    def _stale(self, question: Question, clean: Draft) -> list[tuple[Draft, str]]:
        """Say what an older edition says: under the label of today's page, and under its own."""
        made: list[tuple[Draft, str]] = []
        for facts, stale in zip(question.facts, question.stale_facts, strict=False):
            for index, sentence in enumerate(clean.sentences):
                now = next((fact for fact in facts if fact in sentence.text), None)
                if now is None or not stale:
                    continue
                text = sentence.text.replace(now, stale[0], 1)
                said = f"“{now}” became “{stale[0]}” of an older edition"
                made.append((clean.with_sentence(index, text=text), said))
                for label, document in enumerate(clean.documents, start=1):
                    older = document in self._older(clean.documents[(sentence.label or 1) - 1])
                    if older and states(document["content"], stale):
                        changed = clean.with_sentence(index, text=text, label=label)
                        made.append((changed, f"{said}, cited as [{label}]"))
        return made[:2]


def _told(piece: Piece, question: Question, rng: random.Random) -> str:
    """Return a piece as a sentence; of a table row, mostly the cell that was asked for."""
    if not piece.cells:
        return piece.text if piece.text[-1:] in ".!?" else f"{piece.text}."
    whole = f"{piece.text}."
    first, rest = piece.cells[0], list(zip(piece.columns, piece.cells, strict=False))[1:]
    asked = [
        (column, cell)
        for column, cell in rest
        if any(states(cell, spellings) for spellings in question.facts)
    ]
    if not asked or not asked[0][0]:
        return whole
    column, cell = asked[0]
    name = column[0].lower() + column[1:]
    return rng.choice(
        [whole, f"For {first}, the {name} is {cell}.", f"{column} of {first}: {cell}."]
    )


def _gives_orders(document: Document) -> bool:
    """Tell a page that speaks to the machine: it brings citation markers of its own."""
    return bool(parse_markers(document["content"]))


def _stands_alone(piece: Piece) -> bool:
    words = piece.text.split()
    return (
        piece.kind == "prose"
        and 8 <= len(words) <= 30
        and piece.text[-1] == "."
        and words[0].lower() not in _PRONOUNS
        and bool(re.search(r"\d|\bnot\b|\bmust\b|\bmay\b|[A-Z]{2}", piece.text))
    )


def _squeezed(text: str) -> str:
    return " ".join(text.strip("|- ").split()).casefold()


def _row_key(piece: Piece) -> str:
    return _squeezed(" | ".join(piece.cells)) if piece.cells else ""
