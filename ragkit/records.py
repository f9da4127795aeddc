"""What components return and what a run leaves behind, as small validated records.

In a graph's state the same records appear as plain dictionaries (`model_dump()`), so that any
checkpointer can store them.
"""

from __future__ import annotations

import unicodedata
from typing import Annotated, Any, Literal, NotRequired

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    computed_field,
    model_validator,
)
from typing_extensions import TypedDict  # pydantic reads typing's own from 3.12 on

Outcome = Literal["ok", "refused", "filtered", "truncated", "invalid", "missing", "transport"]
Tag = Literal["verified", "best_effort", "abstained", "needs_review", "direct"]
RouteName = Literal["direct", "vector_search", "web_search"]


class Document(TypedDict):
    """A chunk, a section, a strip or a web page: the one shape of evidence."""

    id: str
    content: str
    metadata: NotRequired[dict[str, Any]]


def _real_number(value: Any) -> Any:
    if isinstance(value, bool):
        raise ValueError("a yes/no value is not a number")
    return value


Probability = Annotated[
    float, BeforeValidator(_real_number), Field(ge=0.0, le=1.0, allow_inf_nan=False)
]


class Record(BaseModel):
    """Base of all records: frozen, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Usage(Record):
    """Tokens that a chat model reported for the work behind a record."""

    model: str
    input_tokens: int = Field(0, ge=0)
    output_tokens: int = Field(0, ge=0)
    cached_tokens: int = Field(0, ge=0)
    calls: int = Field(1, ge=0)


class Grade(Record):
    """A grader's verdict on one document (ARSC protocol, section 2.2).

    `confidence` is the grader's confidence in its own `binary_score`, 0..1. A grade whose `outcome`
    is not "ok" is always "no": a failed grade never lets a document in.
    """

    document_id: str
    binary_score: Literal["yes", "no"]
    confidence: Probability
    explanation: str = ""
    outcome: Outcome = "ok"
    usage: Usage | None = None

    @model_validator(mode="before")
    @classmethod
    def _score_is_derived(cls, data: Any) -> Any:
        return {k: v for k, v in data.items() if k != "score"} if isinstance(data, dict) else data

    @computed_field  # type: ignore[prop-decorator]
    @property
    def score(self) -> float:
        """Relevance 0..1 for the two thresholds. A "no" never scores above one half."""
        if self.outcome != "ok":
            return 0.0
        if self.binary_score == "yes":
            return self.confidence
        return min(1.0 - self.confidence, 0.5)

    @classmethod
    def failed(cls, document_id: str, outcome: Outcome, explanation: str, **more: Any) -> Grade:
        """Return the closed verdict for a document that could not be graded."""
        return cls(
            document_id=document_id, binary_score="no", confidence=0.0,
            explanation=explanation, outcome=outcome, **more,
        )  # fmt: skip


class Route(Record):
    """Where a question goes before any retrieval (budgeted article)."""

    route: RouteName
    reasoning: str
    rewritten_query: str | None = None
    outcome: Outcome = "ok"
    usage: Usage | None = None


class Rejected(Record):
    """A rewrite that was made and not used, with the reason."""

    query: str
    reason: str


class Rewrite(Record):
    """A new search query; `query` is "" when nothing better was found."""

    query: str
    explanation: str = ""
    rejected: tuple[Rejected, ...] = ()
    outcome: Outcome = "ok"
    usage: Usage | None = None


class Generation(Record):
    """A draft answer. `answerable` is False when the documents do not hold the answer."""

    text: str
    answerable: bool
    outcome: Outcome = "ok"
    usage: Usage | None = None


class WebResult(Record):
    """What a web search brought: documents, nothing, or a failure (never a document made of it)."""

    outcome: Literal["found", "empty", "failed"]
    documents: tuple[dict[str, Any], ...] = ()
    detail: str = ""


class Support(Record):
    """One claim against one cited source (audited-rollback article, section 5).

    `citation_id` is the label as written, 1-based; None for a claim without a marker.
    """

    claim: str
    citation_id: int | None
    support_status: Literal["supported", "unsupported", "fabricated", "uncited", "ambiguous"]
    evidence_text: str = ""
    risk_level: Literal["low", "medium", "high"] = "low"
    fix_required: bool = False
    score: Probability = 0.0
    reasons: tuple[str, ...] = ()
    outcome: Outcome = "ok"
    usage: Usage | None = None


class Grounding(Record):
    """Whether an answer's claims stand in its evidence and whether the question is answered."""

    grounded: bool
    useful: bool
    claims: tuple[Support, ...] = ()
    explanation: str = ""
    outcome: Outcome = "ok"
    usage: Usage | None = None

    @property
    def passed(self) -> bool:
        """True only for a judged answer that is both grounded and useful."""
        return self.outcome == "ok" and self.grounded and self.useful


class Conflict(Record):
    """Two documents that cannot both hold.

    "temporal" when their dates or versions order them, "hard" when nothing does.
    """

    kind: Literal["temporal", "hard"]
    subject: str
    document_ids: tuple[str, str]
    statements: tuple[str, str]
    dates: tuple[str | None, str | None] = (None, None)
    explanation: str = ""
    outcome: Outcome = "ok"


class Context(Record):
    """What the generator may use, newest first where time decides, and what that replaced."""

    documents: tuple[dict[str, Any], ...]
    superseded: tuple[dict[str, Any], ...] = ()
    conflicts: tuple[Conflict, ...] = ()


def _shown(text: str) -> bool:
    """Tell whether a reader sees anything: blanks and characters without a width do not count."""
    return any(not c.isspace() and unicodedata.category(c) not in ("Cf", "Cc") for c in text)


class Decision(Record):
    """A reviewer's decision. An edit brings its text, a rejection its reason as the comment."""

    action: Literal["approve", "edit", "reject"]
    reviewer: str = Field(min_length=1)
    comment: str = ""
    text: str = ""

    @model_validator(mode="after")
    def _is_complete(self) -> Decision:
        if not _shown(self.reviewer):
            raise ValueError("reviewer: who decides? a name is needed")
        if self.action == "edit" and not _shown(self.text):
            raise ValueError("text: an edit needs the edited answer")
        if self.action == "reject" and not _shown(self.comment):
            raise ValueError("comment: a rejection needs its reason")
        return self


def decision_fault(decision: Any, draft: str) -> str:
    """Say why a decision on a draft will not do, naming the field, "" if it will."""
    try:
        decided = Decision.model_validate(decision)
    except ValidationError as error:
        first = error.errors()[0]
        field = str(first["loc"][0]) if first["loc"] else ""
        return _ASKED.get(field) or str(first["msg"]).removeprefix("Value error, ")
    if decided.action == "approve" and not draft.strip():
        return "action: there is no draft to approve; edit it or reject it"
    return ""


_ASKED = {
    "action": "action: choose approve, edit or reject",
    "reviewer": "reviewer: who decides? a name is needed",
}


class Verdict(Record):
    """The verifier's last word on a draft (audited-rollback article, section 6)."""

    status: Literal["passed", "retrieval_failed", "citation_failed", "conflict"]
    resolved: bool
    complete: bool
    explanation: str = ""
    outcome: Outcome = "ok"
    usage: Usage | None = None
