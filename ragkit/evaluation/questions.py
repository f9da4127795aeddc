"""Questions with gold: what should be found, said and not said. JSON lines, one question a line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from ragkit.records import Tag

Half = Literal["practice", "exam"]
FactList = tuple[tuple[str, ...], ...]


class Question(BaseModel):
    """One question and its gold. Only `id` and `question` are needed; the rest is scored if given.

    `facts` and `stale_facts` hold one list of spellings a fact; `evidence` quotes the pages that
    answer, `relevant` names the chunks that do; `absent` lists spellings that no page holds.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    question: str
    history: tuple[dict[str, str], ...] = ()
    half: Half | None = None
    trap: str = ""
    route: str | None = None
    answered_by: Literal["kb", "web", "direct", "none"] | None = None
    evidence: tuple[dict[str, str], ...] = ()
    relevant: tuple[str, ...] = ()
    facts: FactList = ()
    stale_facts: FactList = ()
    absent: tuple[str, ...] = ()
    expected_tag: Tag | None = None
    note: str = ""

    @property
    def answerable(self) -> bool | None:
        """Whether there is an answer to give; None when the gold does not say."""
        if self.absent or self.answered_by == "none" or self.expected_tag == "abstained":
            return False
        return True if self.facts else None


def load_questions(path: str | Path | None = None, half: Half | None = None) -> list[Question]:
    """Read questions from JSON lines; the company's own when no path is given.

    Raises ValueError that names the file, the line and the field, FileNotFoundError for no file.
    """
    from ragkit import data_dir

    file = Path(path) if path else data_dir() / "questions.jsonl"
    questions = list(_read(file))
    seen: set[str] = set()
    for question in questions:
        if question.id in seen:
            raise ValueError(f"{file}: two questions have the id {question.id!r}")
        seen.add(question.id)
    return [q for q in questions if half is None or q.half == half]


def _read(file: Path) -> Iterable[Question]:
    with file.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, start=1):
            if not line.strip():
                continue
            try:
                yield Question.model_validate(json.loads(line))
            except json.JSONDecodeError as error:
                raise ValueError(f"{file}:{number}: not JSON ({error.msg})") from None
            except ValidationError as error:
                first = error.errors()[0]
                field = ".".join(str(part) for part in first["loc"]) or "the line"
                raise ValueError(f"{file}:{number}: {field}: {first['msg']}") from None


def of_trap(questions: Sequence[Question], *traps: str) -> list[Question]:
    """Return the questions that test one of the traps."""
    return [question for question in questions if question.trap in traps]
