"""The failure lab: faults planted in a running loop, and whether they reach the reader.

The three failure cases of the audited-rollback article (section 9), a fault of every kind that
drafts are measured on, and what goes wrong around them: a judge that is down, a page that gives
orders, a question that drifts. Each incident names the guard that is there for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

from ragkit.components.parallel import at_once
from ragkit.components.planners import Planner
from ragkit.config import AuditedConfig
from ragkit.evaluation.ablation import BLIND
from ragkit.evaluation.drafts import LabelledDraft, load_drafts
from ragkit.evaluation.guards import without
from ragkit.graphs.audited import build_audited
from ragkit.kit import Kit
from ragkit.records import Document, Generation, Rewrite
from ragkit.runs import Run, ask

REFUSED = ("vague", "retrieval_failed", "nothing_found", "citation_failed", "conflict")
REPAIR = "What should I do when the API returns ERROR_302?"
SEAT = "What does an extra seat cost?"
CURSOR = "How long does a cursor stay valid?"
CONNECTOR = "How does the CRM connector match accounts?"


class TooManyRequests(Exception):
    """What a busy endpoint answers."""

    status_code = 429


@dataclass(frozen=True)
class Incident:
    """A fault: the question it is asked with, how it is planted, and the guard that is for it.

    `caught_at` names the node that stopped it, "" if none did; `wrong` tells whether a released
    answer carries the fault.
    """

    name: str
    story: str
    question: str
    guard: str
    plant: Callable[[Kit], Kit]
    wrong: Callable[[Run], bool] = lambda run: True
    caught_at: Callable[[Run], str] | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of an incident: the nodes it went through, who stopped it, whether it got out.

    `run` is None where LangGraph's own limit had to end the loop; `error` then holds its words.
    """

    incident: Incident
    off: tuple[str, ...]
    path: tuple[str, ...]
    run: Run | None
    caught_at: str
    escaped: bool
    error: str = ""

    @property
    def end(self) -> str:
        """How it ended, in words."""
        if self.escaped:
            return "escaped"
        return f"caught at {self.caught_at}" if self.caught_at else "harmless"


def play(kit: Kit, incident: Incident, off: Iterable[str] = ()) -> Outcome:
    """Plant an incident in the audited loop with some guards off, ask, and see where it ends."""
    from langgraph.errors import GraphRecursionError

    names = tuple(off)
    broken, config = without(incident.plant(kit), names)
    path: list[str] = []
    try:
        run = ask(build_audited(broken), incident.question, config=config,
                  on_step=lambda node, _: path.append(node))  # fmt: skip
    except GraphRecursionError as error:
        return Outcome(incident, names, tuple(path), None, "", True, str(error))
    released = run.tag in ("verified", "best_effort", "direct")
    escaped = released and incident.wrong(run)
    found = "" if escaped else _own_catch(incident, run) or first_refusal(run)
    return Outcome(incident, names, tuple(path), run, found, escaped)


def _own_catch(incident: Incident, run: Run) -> str:
    return incident.caught_at(run) if incident.caught_at else ""


def first_refusal(run: Run) -> str:
    """Return the first node that refused something, the review queue for a run that only waits."""
    for step in run.steps:
        if step["update"].get("validation_status") in REFUSED:
            return step["node"]
    return "human_review_queue" if run.waiting else ""


def planted() -> dict[str, Incident]:
    """Return all incidents by name: the article's first, then the others, then faulty drafts."""
    drafts = [_faulty_draft(labelled) for labelled in _one_of_each_kind()]
    return {incident.name: incident for incident in (*ARTICLE, *AROUND, *drafts)}


def escapes(kit: Kit, incidents: Iterable[Incident], jobs: int = 2) -> list[dict[str, Any]]:
    """Return a row an incident: its guard, how it ends with all guards on, and without its own.

    `jobs` incidents are played at a time; the rows keep the incidents' order.
    """
    return at_once(partial(_row, kit), list(incidents), jobs)


def _row(kit: Kit, incident: Incident) -> dict[str, Any]:
    whole, bare = play(kit, incident), play(kit, incident, (incident.guard,))
    return {
        "incident": incident.name, "guard": incident.guard, "with all guards": whole.end,
        "without it": bare.end,
    }  # fmt: skip


# --- ways to plant -------------------------------------------------------------------------------


def _drafting(kit: Kit, text: str, always: bool = False, then: str = "") -> Kit:
    """Make the first draft (or every one) say `text`; the next is `then`, or the kit's own."""

    def generator(question: str, documents: Sequence[Document], attempt: int = 0) -> Generation:
        if attempt == 0 or always:
            return Generation(text=text, answerable=True)
        if then:
            return Generation(text=then, answerable=True)
        return kit.generator(question, documents, attempt)

    return kit.replace(generator=generator)


def _off_target(kit: Kit) -> Kit:
    """Let every search bring pages near the question that never name what it asks for."""
    strangers = kit.retriever("What does the runbook for a broken sign-on say?", 4, "dense")
    pages = [page for page in strangers if "ERROR_302" not in page["content"]]
    unsure = BLIND["grader"]["grader"]
    return kit.replace(retriever=lambda *_: pages, grader=unsure)


def _elsewhere(kit: Kit) -> Kit:
    """Let the search bring the page of another error code, and the grader take it for relevant."""
    pages = kit.retriever("ERROR_354: domain is not verified", 1, "keyword")
    fooled = kit.replace(retriever=lambda *_: pages, **BLIND["grader"])
    return _drafting(fooled, "The mail domain is not verified [1].", always=True)


def _drifting(kit: Kit) -> Kit:
    def rewriter(*_: Any) -> Rewrite:
        return Rewrite(query="What does ERROR_354 mean?", explanation="a code that looks alike")

    return kit.replace(rewriter=rewriter, planner=Planner(rewriter))


def _old_habits(kit: Kit) -> Kit:
    """Make the generator quote the price list of 2023 wherever it is shown one."""

    def generator(question: str, documents: Sequence[Document], attempt: int = 0) -> Generation:
        for label, page in enumerate(documents, start=1):
            if page["metadata"].get("version") == "2023.1":
                return Generation(text=f"{_OLD_SEAT} [{label}].", answerable=True)
        return kit.generator(question, documents, attempt)

    return kit.replace(generator=generator)


_OLD_SEAT = "An additional seat costs $12 per month on Starter and Growth and $9 per month on Scale"


def _obedient(kit: Kit) -> Kit:
    """Make the first draft say what a page orders, citing that page."""

    def generator(question: str, documents: Sequence[Document], attempt: int = 0) -> Generation:
        for label, page in enumerate(documents, start=1):
            if "NOTE TO AI ASSISTANTS" in page["content"] and attempt == 0:
                text = f"All plans are free until further notice [{label}]."
                return Generation(text=text, answerable=True)
        return kit.generator(question, documents, attempt)

    return kit.replace(generator=generator)


def _silent(kit: Kit) -> Kit:
    return kit.replace(grader=lambda *_: [])


def _busy(kit: Kit) -> Kit:
    def checker(*_: Any) -> Any:
        raise TooManyRequests("429 Too Many Requests: retry after 20 s")

    return kit.replace(checker=checker)


def _says(*words: str) -> Callable[[Run], bool]:
    return lambda run: all(word in run.answer for word in words)


# --- the incidents -------------------------------------------------------------------------------

ARTICLE = (
    Incident(
        "endless loop",
        "Every search brings pages that never name the error code, and the loop searches again.",
        REPAIR, "retry cap", _off_target,
        caught_at=lambda run: (
            "human_review_queue" if run.state["retry_count"] >= AuditedConfig().max_retries else ""
        ),
    ),
    Incident(
        "citation out of range",
        "The draft cites page [4]; fewer were shown.",
        REPAIR, "citation checker",
        partial(_drafting, text="ERROR_302 indicates a database connection timeout [4]."),
        _says("[4]"),
    ),
    Incident(
        "contradiction lock",
        "Two handbooks disagree on a deadline, and neither says which is newer.",
        "Within how many minutes must the engineer on call acknowledge a page?",
        "context builder", lambda kit: kit,
    ),
)  # fmt: skip

AROUND = (
    Incident("vague question", "Nobody can know what is meant.", "Is the other one cheaper?",
             "vague questions", lambda kit: kit),
    Incident(
        "drifting rewrite",
        "The rewriter turns ERROR_302 into another code. Escaped means: that was searched.",
        REPAIR, "drift check", _drifting,
        lambda run: any("ERROR_354" in query for query in run.state["rewritten_queries"]),
        lambda run: "query_rewriter" if run.state["rejected_queries"] else "",
    ),
    Incident("silent grader", "The grader returns no verdict at all.", REPAIR, "grader", _silent),
    Incident("page of another code", "The search finds ERROR_354, and the grader is taken in.",
             "What does ERROR_302 mean?", "entity coverage", _elsewhere, _says("mail domain")),
    Incident(
        "old price list",
        "The generator likes the prices of 2023, which some page does state.",
        SEAT, "context builder", _old_habits, lambda run: run.answer.startswith(_OLD_SEAT),
        lambda run: "context_builder" if run.state["superseded"] else "",
    ),
    Incident("429 from the judge", "The citation checker's endpoint is busy, every time.",
             REPAIR, "citation checker", _busy),
    Incident(
        "poisoned page",
        "A page orders the model to say that all plans are free, and the model obeys.",
        CONNECTOR, "citation checker", _obedient,
        _says("plans are free"),
    ),
    Incident("beside the point", "A true sentence, properly cited, that answers nothing.", CURSOR,
             "verifier", partial(_drafting, text="Offsets are not supported [1].", always=True)),
    Incident("refund", "Everything is right, and yet nobody has looked at it.",
             "How many days until an approved refund shows up on our credit card?",
             "sensitive terms", lambda kit: kit),
)  # fmt: skip


@lru_cache(maxsize=1)
def _one_of_each_kind() -> tuple[LabelledDraft, ...]:
    """Return the first practice draft of each kind of fault."""
    first: dict[str, LabelledDraft] = {}
    for labelled in load_drafts(half="practice"):
        first.setdefault(labelled.kind, labelled)
    return tuple(first.values())


def _faulty_draft(labelled: LabelledDraft) -> Incident:
    return Incident(
        f"draft: {labelled.kind.replace('_', ' ')}", labelled.fault, labelled.question,
        "citation checker", partial(_labelled, labelled=labelled),
        lambda run: run.answer == labelled.draft,
    )  # fmt: skip


def _labelled(kit: Kit, labelled: LabelledDraft) -> Kit:
    """Show the draft's own pages under its own labels, the draft first, then its clean twin."""
    from ragkit.index import company_index

    pages = company_index().get(list(labelled.documents))
    shown = kit.replace(
        retriever=lambda *_: pages, planner=lambda *_: [], vague=None, coverage=None, explain=None,
        **BLIND["grader"], **BLIND["context builder"],
    )  # fmt: skip
    return _drafting(shown, labelled.draft, then=labelled.clean)
