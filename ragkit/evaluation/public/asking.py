"""Sets with questions for whole rungs (qa, routing), and queries to be written anew (rewrite)."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from ragkit.config import CragConfig, GraphConfig
from ragkit.evaluation.figures import Figure
from ragkit.evaluation.gold import plain
from ragkit.evaluation.ladder import Rung, run_one, rung
from ragkit.evaluation.metrics import metric
from ragkit.evaluation.questions import Question
from ragkit.evaluation.records import EvalRecord
from ragkit.evaluation.report import by_rung, difference
from ragkit.evaluation.stats import SEED, Share
from ragkit.graphs.nodes import attempt
from ragkit.keywords import keyword_tokens
from ragkit.kit import Kit
from ragkit.records import Rewrite, Route

Row = dict[str, Any]
OTHERS = 20  # documents of other questions that a question's own ones lie among
RUNGS = ("naive", "audited")
KitFor = Callable[[Any], Kit]


def qa(
    kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, kit_for: KitFor | None = None
) -> list[Figure]:
    """Run naive and audited on each question over its own documents and 20 of others."""
    records = ask_all(rows, progress, kit_for, corpus=lambda row: with_others(row, rows))
    names = ("answered and supported", "unsupported answers", "answer correctness",
             "correct abstention", "false abstention", "escalation rate",
             "groundedness")  # fmt: skip
    return [*_figures(part, records, names), *_differences(part, records, names[:2])]


def routing(
    kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, kit_for: KitFor | None = None
) -> list[Figure]:
    """Run the rungs over all documents of the set as one corpus: answer, ask back or abstain.

    Questions to be answered in part count as questions with an answer; what the answer says is not
    judged here.
    """
    pool = list({doc["id"]: doc for row in rows for doc in row["docs"]}.values())
    records = ask_all(rows, progress, kit_for, corpus=lambda _row: pool)
    figures = []
    for name, some in by_rung(records).items():
        for label, wanted in (
            ("answer", ("answer", "answer_partial")), ("abstain", ("abstain",)),
            ("clarify", ("clarify",)),
        ):  # fmt: skip
            chosen = [r for r in some if r.question.trap in wanted]
            right = sum(r.released == (label == "answer") for r in chosen)
            said = "answered" if label == "answer" else "held back or asked back"
            figures.append(
                Figure(part, f"{name}: to {label}, {said}", Share(right, len(chosen)),
                       f"{said} / questions to {label}")
            )  # fmt: skip
    return figures


def ask_all(
    rows: Sequence[Row], progress: Any, kit_for: KitFor | None, corpus: Callable[[Row], list[Row]]
) -> list[EvalRecord]:
    """Ask every row on every rung, each over its corpus, with the web closed."""
    from ragkit.index import build_index

    make = kit_for or _offline
    chosen = [_closed(rung(name)) for name in RUNGS]
    records, built, known = [], None, None
    for row in progress(rows):
        documents = corpus(row)
        names = [document["id"] for document in documents]
        if names != known:
            known, built = names, make(build_index(map(_document, documents), name="public"))
        question = as_question(row)
        for one in chosen:
            records.append(run_one(one.build(built), one, question, built.name))
    return records


def as_question(row: Row) -> Question:
    """Return a row as a question with gold: any of its answers counts, a wrong one as past."""
    answers, wrong = row.get("answers") or [], row.get("wrong_answers") or []
    turns = [{"role": t["role"], "content": t["text"]} for t in row.get("history", ())]
    answerable = row.get("answerable", row.get("expected") != "abstain")
    return Question(
        id=row["id"], question=row["question"], history=tuple(turns),
        trap=row.get("expected", "ambiguous" if row.get("ambiguous") else ""),
        answered_by="kb" if answerable else "none",
        expected_tag="verified" if answerable else "abstained",
        facts=(tuple(answers),) if answers and answerable else (),
        stale_facts=(tuple(wrong),) if wrong else (),
    )  # fmt: skip


def corpus_of(row: Row, rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Return the documents that a question is asked over: its own among 20 of others."""
    return [_document(document) for document in with_others(row, rows)]


def with_others(row: Row, rows: Sequence[Row], seed: int = SEED) -> list[Row]:
    """Return a question's documents and 20 of other questions, drawn by the question's id."""
    own = {document["id"] for document in row["docs"]}
    others = [d for other in rows for d in other["docs"]
              if other["group"] != row["group"] and d["id"] not in own]  # fmt: skip
    drawn = random.Random(f"{seed} {row['id']}").sample(others, min(OTHERS, len(others)))
    return [*row["docs"], *drawn]


def rewrite(kit: Kit, rows: Sequence[Row], part: str, *, progress: Any = iter, **_: Any) -> Any:
    """Measure rewriting: are the terms kept, and does the query come nearer to a person's rewrite?

    Follow-ups go to the router, which makes them self-contained; lone queries to the rewriter.
    Nearness is the F1 of word stems against the best of the people's rewrites.
    """
    kept = terms = changed = nearer = farther = 0
    before, after = [], []
    for row in progress(rows):
        query = _rewritten(kit, row) or row["query"]
        terms += len(row["keep_terms"])
        kept += sum(plain(term) in plain(query) for term in row["keep_terms"])
        changed += plain(query) != plain(row["query"])
        before.append(_nearness(row["query"], row["rewrites"]))
        after.append(_nearness(query, row["rewrites"]))
        nearer += after[-1] > before[-1]
        farther += after[-1] < before[-1]
    count = len(rows)
    return [
        Figure(part, "terms kept", Share(kept, terms), "terms in the query / terms to keep"),
        Figure(part, "rewritten", Share(changed, count), "changed queries / queries", None),
        Figure(part, "nearer to a person's rewrite", Share(nearer, count), "nearer / queries"),
        Figure(part, "farther from it", Share(farther, count), "farther / queries", False),
        Figure(part, "F1 of the query as typed", sum(before) / count if count else None, "", None),
        Figure(part, "F1 of the rewrite", sum(after) / count if count else None),
    ]


def _rewritten(kit: Kit, row: Row) -> str:
    history = row.get("history") or []
    if history and kit.router is not None:
        turns = [{"role": ("user", "assistant")[n % 2], "content": text}
                 for n, text in enumerate(history)]  # fmt: skip
        route, _error = attempt(kit.router, row["query"], turns)
        return (route.rewritten_query or "") if isinstance(route, Route) else ""
    result, _error = attempt(kit.rewriter, row["query"], [row["query"]], [])
    return result.query if isinstance(result, Rewrite) and result.outcome == "ok" else ""


def _nearness(query: str, rewrites: Sequence[str]) -> float:
    return max((_f1(query, wanted) for wanted in rewrites), default=0.0)


def _f1(first: str, second: str) -> float:
    one, two = set(keyword_tokens(first)), set(keyword_tokens(second))
    return 2 * len(one & two) / (len(one) + len(two)) if one or two else 0.0


def _figures(part: str, records: Sequence[EvalRecord], names: Sequence[str]) -> list[Figure]:
    return [
        Figure(part, f"{rung_name}: {name}", metric(name).measure(some), metric(name).definition,
               metric(name).higher_is_better)
        for name in names
        for rung_name, some in by_rung(records).items()
    ]  # fmt: skip


def _differences(part: str, records: Sequence[EvalRecord], names: Sequence[str]) -> list[Figure]:
    first, last = RUNGS[0], RUNGS[-1]
    return [
        Figure(part, f"{name}: {last} minus {first}",
               difference(metric(name), by_rung(records), first, last),
               "paired bootstrap over questions", metric(name).higher_is_better)
        for name in names
    ]  # fmt: skip


def _document(row: Row) -> dict[str, Any]:
    metadata = {"id": row["id"], "source": row["id"], "title": row["id"], "position": 0}
    return {"id": row["id"].replace("\\", "/"), "content": row["text"], "metadata": metadata}


def _closed(one: Rung) -> Rung:
    config: GraphConfig = one.config
    if isinstance(config, CragConfig):
        config = config.model_copy(update={"web_fallback": False})
    return Rung(one.name, one.build, config)


def _offline(index: Any) -> Kit:
    from ragkit import offline_kit

    return offline_kit(index).replace(clock=lambda: 0.0)
