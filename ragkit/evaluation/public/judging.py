"""Sets with a verdict: relevance, support, conflict, strips, answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragkit.config import CragConfig
from ragkit.evaluation.figures import Figure
from ragkit.evaluation.public.baselines import (
    baseline_figures,
    cosine,
    recall_at,
    word_overlap,
)
from ragkit.evaluation.stats import Share, auroc, balanced_accuracy, calibration_error
from ragkit.graphs.nodes import attempt, grade, ground
from ragkit.kit import Kit
from ragkit.records import Grade, Support
from ragkit.splitting import estimate_tokens

Row = dict[str, Any]


def relevance(kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, **_: Any) -> Any:
    """Measure the grader: question and text, relevant or not; all texts of a question together."""
    grades: dict[str, Grade] = {}
    questions: dict[str, list[Row]] = {}
    for row in rows:
        questions.setdefault(row["question"], []).append(row)
    for question, some in progress(list(questions.items())):
        documents = [_document(row["id"], row["text"]) for row in some]
        verdicts, _flags = grade(kit.grader, question, documents)
        grades |= {verdict.document_id: verdict for verdict in verdicts}
    # texts that occur twice are graded once
    sound = [row for row in rows if row["id"] in grades and grades[row["id"]].outcome == "ok"]
    labels = [row["relevant"] for row in sound]
    groups = [row["group"] for row in sound]
    verdicts = [grades[row["id"]] for row in sound]
    yes = [verdict.binary_score == "yes" for verdict in verdicts]
    right = [said == label for said, label in zip(yes, labels, strict=True)]
    scores = [verdict.score for verdict in verdicts]
    pairs = [(row["question"], row["text"]) for row in sound]
    return [
        Figure(part, "AUROC of the grader", auroc(labels, scores, groups)),
        *baseline_figures(part, pairs, labels, groups),
        Figure(part, "balanced accuracy", balanced_accuracy(labels, yes, groups)),
        Figure(part, "calibration error",
               calibration_error(right, [v.confidence for v in verdicts]), "", False),
        Figure(part, "failed grades", Share(len(rows) - len(sound), len(rows)), "", False),
    ]  # fmt: skip


def support(kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, **_: Any) -> Any:
    """Measure the citation checker: a claim that cites one piece of evidence, supported or not.

    An escape is an unsupported claim that passes, a false alarm a supported one that does not. Of
    a claim in several sentences the lowest score counts.
    """
    if kit.checker is None:
        return _absent(part, "a citation checker")
    scored: list[tuple[Row, float, bool]] = []
    for row in progress(rows):
        found = _checked(kit, row.get("question") or row["claim"], row["claim"], row["evidence"])
        if found:
            scored.append((row, *found))
    labels = [row["supported"] for row, _, _ in scored]
    groups = [row["group"] for row, _, _ in scored]
    passed = [ok for _, _, ok in scored]
    pairs = [(row["claim"], row["evidence"]) for row, _, _ in scored]
    return [
        Figure(part, "AUROC of the checker", auroc(labels, [s for _, s, _ in scored], groups)),
        *baseline_figures(part, pairs, labels, groups),
        Figure(part, "balanced accuracy", balanced_accuracy(labels, passed, groups)),
        Figure(part, "escapes", _rate(passed, [not label for label in labels]),
               "unsupported claims that pass / unsupported claims", False),
        Figure(part, "false alarms", _rate([not ok for ok in passed], labels),
               "supported claims that do not pass / supported claims", False),
        Figure(part, "failed checks", Share(len(rows) - len(scored), len(rows)), "", False),
    ]  # fmt: skip


def _checked(kit: Kit, question: str, claim: str, evidence: str) -> tuple[float, bool] | None:
    cited = f"{claim.rstrip().rstrip('.')} [1]."
    records, error = attempt(kit.checker, question, cited, [_document("evidence", evidence)])
    sound = [r for r in records or [] if isinstance(r, Support) and r.outcome == "ok"]
    if error or not sound:
        return None
    return min(record.score for record in sound), not any(record.fix_required for record in sound)


def conflict(kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, **_: Any) -> Any:
    """Measure the conflict detector, by kind; baselines at the same share of false alarms."""
    if kit.conflicts is None:
        return _absent(part, "a conflict detector")
    said: list[bool] = []
    judged: list[Row] = []
    for row in progress(rows):
        documents = [_document("a", row["doc_a"]), _document("b", row["doc_b"])]
        found, error = attempt(kit.conflicts, row["question"] or "", documents)
        if not error and all(record.outcome == "ok" for record in found):
            said.append(bool(found))
            judged.append(row)
    labels = [row["conflict"] for row in judged]
    alarms = _rate(said, [not label for label in labels])
    pairs = [(row["doc_a"], row["doc_b"]) for row in judged]
    groups = [row["group"] for row in judged]
    figures = [
        Figure(part, "recall", _rate(said, labels), "conflicts found / conflicts"),
        Figure(part, "false alarms", alarms, "pairs without conflict reported / such pairs", False),
        Figure(part, "balanced accuracy", balanced_accuracy(labels, said, groups)),
    ]
    for name, score in (("word overlap", word_overlap), ("cosine", cosine)):
        values = [-score(first, second) for first, second in pairs]
        recall = recall_at(labels, values, alarms.value or 0.0)
        figures.append(Figure(part, f"recall of {name} at the same false alarms", recall, "", None))
    for kind, true in sorted({(row["kind"], row["conflict"]) for row in judged}):
        chosen = [(row["kind"], row["conflict"]) == (kind, true) for row in judged]
        name = "recall" if true else "false alarms"
        figures.append(Figure(part, f"{name}: {kind}", _rate(said, chosen), "", true))
    figures.append(
        Figure(part, "failed checks", Share(len(rows) - len(judged), len(rows)), "", False)
    )
    return figures


def strips(kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, **_: Any) -> Any:
    """Measure the strip grader: which sentences of a page to keep, and the tokens that saves.

    A baseline keeps as many strips of each page, those with the most common words or the highest
    cosine. Strips that nobody judged make precision a lower bound.
    """
    threshold = CragConfig().strip_threshold
    grader = kit.strip_grader or kit.grader
    hits = kept = wanted = whole = shown = by_words = by_cosine = 0
    for row in progress(rows):
        documents = [_document(str(n), text) for n, text in enumerate(row["strips"])]
        grades, _flags = grade(grader, row["query"], documents)
        chosen = {int(g.document_id) for g in grades if g.score >= threshold}
        keep = set(row["keep"])
        hits, kept, wanted = hits + len(chosen & keep), kept + len(chosen), wanted + len(keep)
        sizes = [estimate_tokens(text) for text in row["strips"]]
        whole, shown = whole + sum(sizes), shown + sum(sizes[n] for n in chosen)
        by_words += len(_best(row, word_overlap, len(chosen)) & keep)
        by_cosine += len(_best(row, cosine, len(chosen)) & keep)
    return [
        Figure(part, "recall", Share(hits, wanted), "kept and wanted / wanted strips"),
        Figure(part, "recall of word overlap, as many kept", Share(by_words, wanted), "", None),
        Figure(part, "recall of cosine, as many kept", Share(by_cosine, wanted), "", None),
        Figure(part, "precision", Share(hits, kept), "kept and wanted / kept strips"),
        Figure(part, "tokens saved", Share(whole - shown, whole), "dropped / all tokens"),
    ]


def _best(row: Row, score: Any, count: int) -> set[int]:
    ranked = sorted(
        range(len(row["strips"])), key=lambda n: (-score(row["query"], row["strips"][n]), n)
    )
    return set(ranked[:count])


def answers(kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, **_: Any) -> Any:
    """Measure the grounding check on whole answers that people rated."""
    if kit.grounder is None:
        return _absent(part, "a grounding check")
    judged = []
    for row in progress(rows):
        documents = [_document(item["id"], item["text"]) for item in row["docs"]]
        found = ground(kit, row["question"], row["answer"], documents)
        if found.outcome == "ok":
            score = min((claim.score for claim in found.claims), default=float(found.grounded))
            judged.append((row, score, found.grounded))
    labels = [row["grounded"] for row, _, _ in judged]
    groups = [row["group"] for row, _, _ in judged]
    pairs = [(row["answer"], "\n".join(d["text"] for d in row["docs"])) for row, _, _ in judged]
    said = [grounded for _, _, grounded in judged]
    return [
        Figure(part, "AUROC of the grounding check",
               auroc(labels, [score for _, score, _ in judged], groups)),
        *baseline_figures(part, pairs, labels, groups),
        Figure(part, "balanced accuracy", balanced_accuracy(labels, said, groups)),
        Figure(part, "escapes", _rate(said, [not label for label in labels]),
               "ungrounded answers that pass / ungrounded answers", False),
        Figure(part, "false alarms", _rate([not s for s in said], labels),
               "grounded answers that do not pass / grounded answers", False),
        Figure(part, "failed checks", Share(len(rows) - len(judged), len(rows)), "", False),
    ]  # fmt: skip


def _document(name: str, text: str) -> dict[str, Any]:
    return {"id": name, "content": text, "metadata": {"id": name, "source": name}}


def _rate(hits: Sequence[bool], among: Sequence[bool]) -> Share:
    chosen = [hit for hit, counted in zip(hits, among, strict=True) if counted]
    return Share(sum(chosen), len(chosen))


def _absent(part: str, what: str) -> list[Figure]:
    return [Figure(part, f"needs {what}", None)]
