"""Silent validation (audited-rollback article, E12): two rungs side by side on the same questions.

Users still get the old one; the differences say whether the new one may take over.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragkit.evaluation.judge import is_correct, is_stale, judge
from ragkit.evaluation.records import EvalRecord
from ragkit.evaluation.report import by_rung

KINDS = (
    "answered instead of held back", "held back instead of answered", "sent to review",
    "another answer", "the same answer, another tag", "the same",
)  # fmt: skip


@dataclass(frozen=True)
class Side:
    """What one rung did, as a reader compares it. `right` is None where the gold does not say."""

    rung: str
    answer: str
    tag: str
    reason: str
    right: bool | None
    unsupported: tuple[str, ...]
    evidence: tuple[dict[str, str], ...]


@dataclass(frozen=True)
class Pair:
    """One question with both sides; `kind` is one of KINDS, `gain` "better", "worse" or ""."""

    id: str
    question: str
    trap: str
    kind: str
    gain: str
    before: Side
    after: Side


def pairs(records: Sequence[EvalRecord], before: str, after: str) -> list[Pair]:
    """Return the questions that both rungs have, sorted by id.

    Raises ValueError that names a rung without records.
    """
    rungs = by_rung(records)
    for name in (before, after):
        if name not in rungs:
            raise ValueError(f"no records of {name!r}; there are {', '.join(rungs) or 'none'}")
    old = {record.question.id: record for record in rungs[before]}
    return [_pair(old[r.question.id], r) for r in rungs[after] if r.question.id in old]


def _pair(old: EvalRecord, new: EvalRecord) -> Pair:
    before, after = _side(old), _side(new)
    gain = ""
    if before.right is not None and before.right != after.right:
        gain = "better" if after.right else "worse"
    question = new.question
    return Pair(question.id, question.question, question.trap, _kind(old, new), gain, before, after)


def _kind(old: EvalRecord, new: EvalRecord) -> str:
    if new.tag == "needs_review" and old.tag != "needs_review":
        return "sent to review"
    if old.released != new.released:
        return KINDS[0] if new.released else KINDS[1]
    if old.released and " ".join(old.answer.split()) != " ".join(new.answer.split()):
        return "another answer"
    return "the same" if old.tag == new.tag else "the same answer, another tag"


def _side(record: EvalRecord) -> Side:
    text = record.answer if record.released else record.draft or record.answer
    unsupported = [c.text for c in judge(record) if not c.supported] if record.released else []
    return Side(
        record.rung, text, record.tag, record.reason or record.error, _right(record),
        tuple(unsupported),
        tuple({"id": e.id, "text": e.text, "source": e.source, "date": e.date or ""}
              for e in record.evidence),
    )  # fmt: skip


def _right(record: EvalRecord) -> bool | None:
    """Whether the run did as the gold asks: answered rightly, held back, asked a person."""
    question = record.question
    if question.expected_tag == "needs_review":
        return record.tag == "needs_review"
    if question.answerable is None:
        return None
    if not question.answerable:
        return not record.released
    good = is_correct(record.answer, question) and not is_stale(record.answer, question)
    return record.released and good


def counts(found: Sequence[Pair]) -> dict[str, int]:
    """Return how many questions are of each kind, and how many got better and worse."""
    table = {kind: sum(pair.kind == kind for pair in found) for kind in KINDS}
    gains = {gain: sum(pair.gain == gain for pair in found) for gain in ("better", "worse")}
    return {**table, **gains}


def to_csv(found: Sequence[Pair]) -> str:
    """Return the pairs as CSV, one question a row; a cell never starts a spreadsheet formula."""
    text = io.StringIO()
    sides = ("answer", "tag", "reason", "right", "unsupported", "sources")
    columns = ["id", "question", "trap", "kind", "gain"]
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*columns, *(f"{w}_{s}" for w in ("before", "after") for s in sides)])
    for pair in found:
        row = [pair.id, pair.question, pair.trap, pair.kind, pair.gain]
        for side in (pair.before, pair.after):
            row += [
                side.answer,
                side.tag,
                side.reason,
                "" if side.right is None else side.right,
                " | ".join(side.unsupported),
                " | ".join(e["source"] for e in side.evidence),
            ]
        writer.writerow([_cell(value) for value in row])  # fmt: skip
    return text.getvalue()


def _cell(value: Any) -> str:
    text = str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def to_html(found: Sequence[Pair], title: str) -> str:
    """Return one page that needs no other file: both sides, filters, search; texts are escaped."""
    from jinja2 import Environment

    template = Path(__file__).with_name("shadow.html").read_text(encoding="utf-8")
    page = Environment(autoescape=True).from_string(template)
    return page.render(title=title, pairs=found, counts=counts(found), kinds=KINDS)


def write_shadow(found: Sequence[Pair], path: Path, title: str) -> None:
    """Write the pairs: CSV by suffix `.csv`, else an HTML page."""
    text = to_csv(found) if path.suffix == ".csv" else to_html(found, title)
    # the mark tells spreadsheets that the file is UTF-8
    path.write_text(text, encoding="utf-8-sig" if path.suffix == ".csv" else "utf-8", newline="")
