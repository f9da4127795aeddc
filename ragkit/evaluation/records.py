"""What evaluation knows of a run: one JSON line a question and rung, made from the run itself.

Figures, tables and plots are made from these records only, so a finished measurement can be looked
at in new ways without asking anything again.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from ragkit.config import GraphConfig, Prices
from ragkit.evaluation.gold import stated
from ragkit.evaluation.questions import Question
from ragkit.journal.lines import append_line, canonical, read_lines
from ragkit.runs import Run
from ragkit.splitting import estimate_tokens

RELEASED = frozenset({"verified", "best_effort", "direct"})
# nodes that keep the grades before theirs in front of the list
ADDS_GRADES = frozenset({"blend", "secondary_grader"})
# how a rung's reason says that a budget ended it
EXHAUSTED = ("budget exhausted", "the cap is reached", "retries are used up")


class Plain(BaseModel):
    """A frozen record of plain values."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Shown(Plain):
    """One piece of evidence as the generator saw it; label n is the n-th of them."""

    id: str
    text: str
    source: str = ""
    date: str | None = None
    web: bool = False


class Step(Plain):
    """One node of the path with its time; times are the only values that differ on a rerun."""

    node: str
    ms: float


class EvalRecord(Plain):
    """One question on one rung; `rung` is the graph's name unless it runs with several configs.

    `rounds` holds one list of grades for each grading; `claims` are the run's own last checks;
    `failures` counts verdicts by outcome other than ok; `tokens` are estimates of what the
    generator was shown: whole candidates, the strips or chunks kept of them; `facts` counts the
    gold facts that both state. `error` is set where the run broke off, everything else is then as
    far as it came.
    """

    rung: str
    graph: str
    kit: str
    config: str
    question: Question
    answer: str = ""
    tag: str = ""
    reason: str = ""
    draft: str = ""
    evidence: tuple[Shown, ...] = ()
    steps: tuple[Step, ...] = ()
    queries: tuple[str, ...] = ()
    rounds: tuple[tuple[dict[str, Any], ...], ...] = ()
    claims: tuple[dict[str, Any], ...] = ()
    conflicts: tuple[dict[str, Any], ...] = ()
    web: str = ""
    failures: dict[str, int] = {}
    verdicts: int = 0
    tokens: dict[str, int] = {}
    facts: dict[str, int] = {}
    cost_usd: float = 0.0
    error: str = ""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What makes a record one of its kind: a rerun has the same key."""
        return self.rung, self.kit, self.config, self.question.id

    @property
    def path(self) -> list[str]:
        """The nodes in the order they finished."""
        return [step.node for step in self.steps]

    @property
    def released(self) -> bool:
        """Whether the user got an answer, checked or not."""
        return self.tag in RELEASED and not self.error

    @property
    def exhausted(self) -> bool:
        """Whether a budget ended the run."""
        return any(said in self.reason for said in EXHAUSTED)

    @property
    def ms(self) -> float:
        """Wall time in milliseconds."""
        return sum(step.ms for step in self.steps)


def make_record(
    question: Question, run: Run, kit: str, config: GraphConfig, *, rung: str = "", error: str = ""
) -> EvalRecord:
    """Return the record of a finished, waiting or broken run."""
    state = run.state
    prices = config.prices
    gradings = list(_gradings(run))
    claims = state.get("citations") or (state.get("grounding") or {}).get("claims") or []
    outcomes = [grade["outcome"] for grades in gradings for grade in grades]
    outcomes += [verdict["outcome"] for step in run.steps for verdict in _checks(step["update"])]
    return EvalRecord(
        rung=rung or run.graph, graph=run.graph, kit=kit,
        config=config_hash(config), question=question,
        answer=run.answer.removesuffix(run.state.get("note", "")).rstrip(),
        tag=run.tag, reason=run.reason,
        draft=state.get("draft") or state.get("generated_draft") or "",
        evidence=tuple(_shown(document) for document in run.documents),
        steps=tuple(Step(node=s["node"], ms=round(s["ms"], 3)) for s in run.steps),
        queries=tuple(state.get("queries") or state.get("rewritten_queries") or ()),
        rounds=tuple(tuple(_grade(grade) for grade in grades) for grades in gradings),
        claims=tuple(claims), conflicts=tuple(state.get("conflicts") or ()),
        web=state.get("web_outcome", ""),
        failures={o: outcomes.count(o) for o in sorted(set(outcomes) - {"ok"})},
        verdicts=len(outcomes), tokens=_tokens(run), facts=_facts(run, question), error=error,
        cost_usd=round(_cost(run, gradings, prices), 8),
    )  # fmt: skip


def config_hash(config: GraphConfig) -> str:
    """Return twelve hex digits that name a config."""
    return hashlib.sha256(canonical(config.model_dump(mode="json"))).hexdigest()[:12]


def write_record(path: str | Path, record: EvalRecord) -> None:
    """Add a record to a JSON lines file, whole or not at all."""
    append_line(path, record.model_dump(mode="json"))


def log_run(path: str | Path, run: Run, kit: str, config: GraphConfig) -> EvalRecord:
    """Add a run that has no gold to a verdict log (D7); the five rates need none.

    Every run counts, so the same question asked twice is two records.
    """
    question = Question(id=uuid.uuid4().hex, question=run.question)
    record = make_record(question, run, kit, config)
    write_record(path, record)
    return record


def read_records(path: str | Path) -> list[EvalRecord]:
    """Read the records of a file; of two with one key the later counts.

    Raises ValueError that names the file, the line and the field.
    """
    found: dict[Any, EvalRecord] = {}
    for number, line in enumerate(read_lines(path), start=1):
        try:
            record = EvalRecord.model_validate(line)
        except ValidationError as error:
            first = error.errors()[0]
            field = ".".join(map(str, first["loc"]))
            raise ValueError(f"{path}:{number}: {field}: {first['msg']}") from None
        found[record.key] = record
    return list(found.values())


def _gradings(run: Run) -> Iterator[list[dict[str, Any]]]:
    """The new grades of each grading."""
    before = 0
    for step in run.steps:
        grades = step["update"].get("grades")
        if grades is None:
            continue
        new = grades[before:] if step["node"] in ADDS_GRADES else grades
        before = len(grades)
        if new:
            yield new


def _grade(grade: dict[str, Any]) -> dict[str, Any]:
    return {key: grade[key] for key in ("document_id", "binary_score", "score", "outcome")}


def _checks(update: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The records that grounding check, citation checker and verifier left in an update."""
    yield from update.get("citations") or ()
    for record in (update.get("grounding"), update.get("verdict")):
        if record:
            yield record
            yield from record.get("claims", ())


def _shown(document: dict[str, Any]) -> Shown:
    metadata = document.get("metadata", {})
    return Shown(
        id=document["id"], text=document["content"],
        source=str(metadata.get("source") or metadata.get("url") or ""),
        date=metadata.get("effective_date"), web=metadata.get("kind") == "web",
    )  # fmt: skip


def _tokens(run: Run) -> dict[str, int]:
    """Estimated tokens: `shown` to the generator, and `whole` and `kept` around the strips."""
    tokens = {"shown": sum(estimate_tokens(d["content"]) for d in run.documents)}
    strips = run.state.get("strips")
    if strips:
        sizes = [(estimate_tokens(strip["content"]), strip["kept"]) for strip in strips]
        tokens["whole"] = sum(size for size, _ in sizes)
        tokens["kept"] = sum(size for size, kept in sizes if kept)
    return tokens


def _facts(run: Run, question: Question) -> dict[str, int]:
    """How many gold facts all strips state between them, and the surviving ones: whole, kept."""
    strips = run.state.get("strips")
    if not strips:
        return {}
    texts = {
        "whole": "\n".join(strip["content"] for strip in strips),
        "kept": "\n".join(strip["content"] for strip in strips if strip["kept"]),
    }
    return {name: len(stated(text, question.facts)) for name, text in texts.items()}


def _cost(run: Run, gradings: Sequence[Iterable[Any]], prices: Prices) -> float:
    """What the run cost: as it metered itself, else by the article's price of each operation."""
    metered = run.state.get("metrics", {}).get("estimated_cost")
    if metered is not None:
        return float(metered)
    strips = sum(len(step["update"].get("strips") or ()) for step in run.steps)
    count = run.path.count
    return (
        prices.route * (count("router") + count("intake"))
        + prices.grade * (sum(len(list(grades)) for grades in gradings) + strips)
        + prices.rewrite * (count("rewriter") + count("query_rewriter"))
        + prices.generate
        * (count("generator") + count("answer_generator") + count("direct_answer"))
        + prices.check * sum(map(count, ("grounding_check", "hallucination_guard",
                                         "citation_checker", "answer_verifier")))
    )  # fmt: skip
