"""Choose the two thresholds from labels: on practice, with the expected rates, scored on exam.

`pass_threshold` is the lowest score at which the documents kept are relevant often enough;
`fail_threshold` the highest one below which few enough relevant documents are lost. What lies
between goes to the strips.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import BaseModel, ConfigDict, ValidationError

from ragkit.evaluation.components import Judged
from ragkit.evaluation.figures import Figure
from ragkit.evaluation.questions import Half
from ragkit.evaluation.stats import Share, auroc, calibration_error

GRID = tuple(round(step / 100, 2) for step in range(1, 100))
FEW_LABELS = 100  # of each kind; below that a chosen threshold moves with every new label
PRECISION = 0.9
LOSS = 0.05


class Label(BaseModel):
    """A person's judgement: does the text help to answer the question?"""

    model_config = ConfigDict(frozen=True, extra="ignore")

    question: str
    text: str
    relevant: bool
    half: Half | None = None

    @property
    def part(self) -> Half:
        """Its half: as given, else by the question's hash, so that a question stays in one."""
        if self.half:
            return self.half
        return "exam" if hashlib.sha256(self.question.encode()).digest()[0] % 2 else "practice"


@dataclass(frozen=True)
class Scored:
    """One document with its gold label and the grader's score, 0..1."""

    question: str
    relevant: bool
    score: float


@dataclass(frozen=True)
class Cut:
    """What one threshold does: `kept` at or above it, and how many relevant ones on each side."""

    threshold: float
    kept: int
    kept_relevant: int
    lost_relevant: int

    @property
    def precision(self) -> float | None:
        """Relevant among the kept, None when nothing is kept."""
        return self.kept_relevant / self.kept if self.kept else None

    @property
    def recall(self) -> float | None:
        """Kept among the relevant, None when nothing is relevant."""
        relevant = self.kept_relevant + self.lost_relevant
        return self.kept_relevant / relevant if relevant else None


@dataclass(frozen=True)
class Choice:
    """The chosen pair, and what must be known before it is trusted."""

    pass_threshold: float
    fail_threshold: float
    warnings: tuple[str, ...] = ()


def sweep(cases: Sequence[Scored], grid: Iterable[float] = GRID) -> list[Cut]:
    """Return what every threshold of the grid would do."""
    scores = np.array([case.score for case in cases], dtype=float)
    truth = np.array([case.relevant for case in cases], dtype=bool)
    cuts = []
    for threshold in grid:
        above = scores >= threshold
        cuts.append(
            Cut(threshold, int(above.sum()), int((above & truth).sum()),
                int((~above & truth).sum()))
        )  # fmt: skip
    return cuts


def choose(cases: Sequence[Scored], *, precision: float = PRECISION, loss: float = LOSS) -> Choice:
    """Choose the pair: kept documents are relevant in `precision` of cases, `loss` are dropped.

    `loss` is the largest share of relevant documents that may fall below `fail_threshold`. Where a
    goal cannot be reached the nearest threshold is taken and a warning says so.
    Raises ValueError when there are not labels of both kinds.
    """
    relevant = sum(case.relevant for case in cases)
    if not 0 < relevant < len(cases):
        raise ValueError(
            f"labels of both kinds are needed: {relevant} of {len(cases)} are relevant"
        )
    warnings = [
        f"only {count} {kind} labels: take the thresholds as a first guess"
        for count, kind in ((relevant, "relevant"), (len(cases) - relevant, "other"))
        if count < FEW_LABELS
    ]
    cuts = [cut for cut in sweep(cases) if cut.kept]
    high = next((cut for cut in cuts if (cut.precision or 0) >= precision), None)
    if high is None:
        high = max(cuts, key=lambda cut: (cut.precision or 0, -cut.threshold))
        warnings.append(f"no threshold keeps {precision:.0%} relevant ones: {high.precision:.0%}")
    low = max(
        (c.threshold for c in sweep(cases) if c.lost_relevant <= loss * relevant), default=0.0
    )
    if low >= high.threshold:  # one cut does for both: leave a narrow band for what is in doubt
        low = round(high.threshold - 0.01, 2)
    elif low == 0.0:
        warnings.append(f"every threshold loses more than {loss:.0%} of the relevant documents")
    return Choice(high.threshold, low, tuple(warnings))


def expected(cases: Sequence[Scored], choice: Choice, part: str) -> list[Figure]:
    """Return what the pair does to these cases, and how well the scores order them.

    On exam these are the pair's honest rates.
    """
    labels = [case.relevant for case in cases]
    scores = [case.score for case in cases]
    return [
        *fates(cases, choice, part),
        Figure(part, "AUROC", auroc(labels, scores, [case.question for case in cases]),
               "pairs that the score orders right / pairs of a relevant and another document"),
        Figure(part, "calibration error", calibration_error(labels, scores),
               "mean gap between score and share of relevant documents, ten bins", False),
    ]  # fmt: skip


def fates(cases: Sequence[Scored], choice: Choice, part: str) -> list[Figure]:
    """Return what the pair keeps, loses and leaves in doubt of these cases."""
    kept = [case for case in cases if case.score >= choice.pass_threshold]
    dropped = [case for case in cases if case.score < choice.fail_threshold]
    relevant = sum(case.relevant for case in cases)
    between = len(cases) - len(kept) - len(dropped)
    return [
        Figure(part, "kept and relevant", Share(sum(c.relevant for c in kept), len(kept)),
               "relevant documents / documents at or above pass"),
        Figure(part, "relevant and lost", Share(sum(c.relevant for c in dropped), relevant),
               "relevant documents below fail / relevant documents", False),
        Figure(part, "kept", Share(len(kept), len(cases)), "at or above pass / documents", None),
        Figure(part, "ambiguous", Share(between, len(cases)), "between / documents", None),
        Figure(part, "dropped", Share(len(dropped), len(cases)), "below fail / documents", None),
    ]  # fmt: skip


def write_thresholds(
    path: Path, choice: Choice, figures: Sequence[Figure], about: dict[str, Any]
) -> None:
    """Write the pair so that `CragConfig.from_file(path)` takes it, with its expected rates."""
    body = {
        "pass_threshold": choice.pass_threshold,
        "fail_threshold": choice.fail_threshold,
        "about": {
            **about,
            "warnings": list(choice.warnings),
            "expected": [figure.to_json() for figure in figures],
        },
    }
    path.write_text(json.dumps(body, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def load_labels(path: str | Path) -> list[Label]:
    """Read labels of your own from JSON lines: question, text, relevant, and half if you like.

    Raises ValueError that names the file, the line and the field.
    """
    labels = []
    lines = Path(path).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            labels.append(Label.model_validate_json(line))
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"])) or "the line"
            raise ValueError(f"{path}:{number}: {field}: {first['msg']}") from None
    return labels


def score_labels(grader: Any, labels: Sequence[Label], progress: Any = iter) -> list[Scored]:
    """Grade labelled texts, all of a question in one batch; a failed grade is left out."""
    from ragkit.graphs.nodes import grade

    by_question: dict[str, list[Label]] = {}
    for label in labels:
        by_question.setdefault(label.question, []).append(label)
    scored = []
    for question, some in progress(list(by_question.items())):
        documents = [{"id": str(n), "content": label.text} for n, label in enumerate(some)]
        grades, _ = grade(grader, question, documents)
        scored += [
            Scored(question, label.relevant, verdict.score)
            for label, verdict in zip(some, grades, strict=True)
            if verdict.outcome == "ok"
        ]
    return scored


def from_judged(judged: Iterable[Judged]) -> list[Scored]:
    """Return the scores of verdicts on the company's pages; a failed grade is left out."""
    return [
        Scored(case.question_id, case.relevant, case.grade.score)
        for case in judged
        if case.grade.outcome == "ok"
    ]


def cut_rows(cuts: Sequence[Cut]) -> list[dict[str, Any]]:
    """Return the sweep as plain rows with precision and recall, for a table or a plot."""
    return [{**asdict(cut), "precision": cut.precision, "recall": cut.recall} for cut in cuts]
