"""Measure the parts before the whole: the grader, the retriever and the rewriter, against gold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from ragkit.config import ArscConfig, Strategy
from ragkit.evaluation.cases import was_rejected, was_rescued
from ragkit.evaluation.figures import Figure
from ragkit.evaluation.gold import relevant_ids, stated
from ragkit.evaluation.questions import Question
from ragkit.evaluation.stats import Share, auroc, balanced_accuracy, calibration_error
from ragkit.graphs.arsc import build_arsc
from ragkit.graphs.nodes import grade, route
from ragkit.kit import Kit
from ragkit.records import Document, Grade
from ragkit.runs import ask

POOL = 6  # chunks a question that the grader is measured on, as many as CRAG grades
Progress = Any


@dataclass(frozen=True)
class Judged:
    """One document that the grader judged, with the gold label."""

    question_id: str
    document_id: str
    relevant: bool
    grade: Grade


def measure_components(
    kit: Kit, questions: Sequence[Question], progress: Progress = iter
) -> list[Figure]:
    """Measure grader, retriever and rewriter on questions with gold; `progress` wraps the loops."""
    named = prepare(kit, questions)
    searched = [q for q in named if q.relevant and q.answerable is not False]
    graded = _gradable(named)
    return [
        *grader_figures(list(judge_pools(kit, graded, progress))),
        *retrieval_figures(kit, searched, progress),
        *rewriter_figures(kit, searched, progress),
    ]


def prepare(kit: Kit, questions: Sequence[Question]) -> list[Question]:
    """Fill in the relevant chunks from the quotes; let the router make follow-ups self-contained.

    The parts see no conversation, so a follow-up as typed would measure nothing of theirs.
    """
    shelf = _shelf(kit)
    return [
        q.model_copy(update={"relevant": _relevant(q, shelf), "question": _alone(kit, q)})
        for q in questions
    ]


def _alone(kit: Kit, question: Question) -> str:
    if not question.history or kit.router is None:
        return question.question
    chosen, _ = route(kit, question.question, question.history)
    return chosen.rewritten_query or question.question


def judged_by_half(
    kit: Kit, questions: Sequence[Question], progress: Progress = iter
) -> dict[str, list[Judged]]:
    """Return the grader's verdicts on the practice and on the exam half."""
    named = _gradable(prepare(kit, questions))
    halves = {half: [q for q in named if q.half == half] for half in ("practice", "exam")}
    return {half: list(judge_pools(kit, some, progress)) for half, some in halves.items()}


def _gradable(questions: Sequence[Question]) -> list[Question]:
    return [q for q in questions if q.relevant or q.answerable is False]


def _shelf(kit: Kit) -> dict[str, Document]:
    """Every document, where the retriever can list them; a plain function need not."""
    listing = getattr(kit.retriever, "documents", None)
    return {document["id"]: document for document in listing()} if listing else {}


def _relevant(question: Question, shelf: dict[str, Document]) -> tuple[str, ...]:
    return tuple(sorted(relevant_ids(question, shelf.values())))


def judge_pools(
    kit: Kit, questions: Sequence[Question], progress: Progress = iter
) -> Iterator[Judged]:
    """Grade the hybrid top 6 of every question, and its gold chunks where search missed them.

    Other editions of a gold page are left out: they are on the subject, and which one counts is
    told by date, not by the grader.
    """
    by_id = _shelf(kit)
    for question in progress(questions):
        pool = kit.retriever(question.question, POOL, "hybrid")
        found = {document["id"] for document in pool}
        missed = [by_id[name] for name in question.relevant if name not in found and name in by_id]
        gold = [by_id[name] for name in question.relevant if name in by_id]
        documents = [d for d in [*pool, *missed] if not _is_other_edition(d, gold)]
        grades, _ = grade(kit.grader, question.question, documents)
        for verdict in grades:
            label = verdict.document_id in question.relevant
            yield Judged(question.id, verdict.document_id, label, verdict)


def _is_other_edition(document: Document, gold: Sequence[Document]) -> bool:
    page = _page(document)
    if page[0] is None or document["id"] in {other["id"] for other in gold}:
        return False
    return any(_page(other)[:2] == page[:2] and _page(other) != page for other in gold)


def _page(document: Document) -> tuple[Any, Any, Any]:
    metadata = document.get("metadata", {})
    return metadata.get("title"), metadata.get("product"), metadata.get("source")


def grader_figures(judged: Sequence[Judged]) -> list[Figure]:
    """Return how well scores order, verdicts separate and confidences tell the truth.

    A grade that failed is left out of these and counted apart.
    """
    sound = [case for case in judged if case.grade.outcome == "ok"]
    labels = [case.relevant for case in sound]
    groups = [case.question_id for case in sound]
    said = [case.grade.binary_score == "yes" for case in sound]
    right = [label == yes for label, yes in zip(labels, said, strict=True)]
    scores = [case.grade.score for case in sound]
    confidence = [case.grade.confidence for case in sound]
    return [
        Figure("grader", "AUROC of the score", auroc(labels, scores, groups),
               "pairs of a relevant and another document that the score orders right / all pairs"),
        Figure("grader", "balanced accuracy", balanced_accuracy(labels, said, groups),
               "mean of (relevant said yes / relevant) and (others said no / others)"),
        Figure("grader", "relevant said yes", _share(said, labels),
               "relevant documents graded yes / relevant documents"),
        Figure("grader", "others said no", _share([not s for s in said], [not x for x in labels]),
               "other documents graded no / other documents"),
        Figure("grader", "calibration error", calibration_error(right, confidence),
               "mean gap between stated confidence and share of right verdicts, ten bins", False),
        Figure("grader", "failed grades", Share(len(judged) - len(sound), len(judged)),
               "grades with an outcome other than ok / grades", False),
    ]  # fmt: skip


def retrieval_figures(
    kit: Kit, questions: Sequence[Question], progress: Progress = iter
) -> list[Figure]:
    """Return recall of each strategy on questions that have an answer.

    A question counts as found when its relevant chunks among the top k state every gold fact
    between them (one relevant chunk is enough where the gold lists no facts).
    """
    figures = []
    for strategy in get_args(Strategy):
        tops = [
            [d for d in kit.retriever(q.question, POOL, strategy) if d["id"] in q.relevant]
            for q in progress(questions)
        ]
        found = [_holds_answer(q, top) for q, top in zip(questions, tops, strict=True)]
        figures.append(
            Figure("retriever", f"{strategy} recall@{POOL}", Share(sum(found), len(found)),
                   "questions whose relevant chunks in the top k state every fact / questions")
        )  # fmt: skip
        figures.append(
            Figure("retriever", f"{strategy} hit@{POOL}", Share(sum(map(bool, tops)), len(tops)),
                   "questions with a relevant chunk in the top k / questions")
        )  # fmt: skip
    return figures


def _holds_answer(question: Question, relevant: Sequence[Document]) -> bool:
    if not question.facts:
        return bool(relevant)
    text = "\n\n".join(document["content"] for document in relevant)
    return len(stated(text, question.facts)) == len(question.facts)


def rewriter_figures(
    kit: Kit, questions: Sequence[Question], progress: Progress = iter
) -> list[Figure]:
    """Return how often the ARSC loop's rewrites bring what the first retrieval did not.

    Counted are questions whose first retrieval the grader rejected whole; rescued are those of
    them whose run ends with a chunk that is graded yes and is relevant by gold.
    """
    graph = build_arsc(kit)
    runs = [(q, ask(graph, q.question, config=ArscConfig())) for q in progress(questions)]
    rejected = [(q, run) for q, run in runs if was_rejected(run)]
    figures = []
    for name, some in (
        ("vocabulary", [pair for pair in rejected if pair[0].trap == "vocabulary"]),
        ("all", rejected),
    ):
        hits = sum(was_rescued(q, run) for q, run in some)
        figures.append(
            Figure("rewriter", f"rescue rate, {name} questions", Share(hits, len(some)),
                   "rejected whole at first, ended on a chunk that is graded yes and relevant "
                   "/ rejected whole at first")
        )  # fmt: skip
    return figures


def _share(hits: Iterable[bool], among: Sequence[bool]) -> Share:
    chosen = [hit for hit, counted in zip(hits, among, strict=True) if counted]
    return Share(sum(chosen), len(chosen))
