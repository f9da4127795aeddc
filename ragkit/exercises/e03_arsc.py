"""What is right in notebook 3: the first decision, the cap, the rewrite, its progress."""

from __future__ import annotations

from typing import Any

from ragkit.exercises import exercise, expect, require


def _grades(*scores: str) -> list[dict[str, Any]]:
    return [{"document_id": f"d{n}", "binary_score": s} for n, s in enumerate(scores)]


@exercise(
    "03-decide",
    wrong=[
        lambda grades: "generate" if all(g["binary_score"] == "yes" for g in grades) else "rewrite",
        lambda grades: "rewrite" if any(g["binary_score"] == "no" for g in grades) else "generate",
        lambda grades: "generate",
    ],
)
def _(decide: Any) -> None:
    expect(decide(_grades("no", "yes", "no")), "generate", "one yes is enough")
    expect(decide(_grades("no", "no")), "rewrite", "all no")
    expect(decide([]), "rewrite", "nothing was found, so nothing is relevant")


@exercise("03-off-by-one", wrong=[lambda n: n, lambda n: n - 1, lambda n: 2 * n])
def _(retrievals: Any) -> None:
    expect(retrievals(1), 2, "n = 1: 0 >= 1 is false, so the listing rewrites and retrieves again")
    expect(retrievals(3), 4, "n = 3")


@exercise(
    "03-rewrite",
    wrong=[
        lambda state, rewriter: _step(state, rewriter(state["question"], state["queries"])),
        lambda state, rewriter: {
            **state,
            **_step(state, rewriter(state["original_question"], state["queries"])),
        },
        lambda state, rewriter: _growing(state, rewriter),
    ],
)
def _(rewrite_step: Any) -> None:
    calls: list[tuple[str, list[str]]] = []

    def rewriter(question: str, failed: list[str]) -> str:
        calls.append((question, list(failed)))
        return "seat price"

    state = {"original_question": "cost of a user?", "question": "user cost", "queries": ["a", "b"]}
    update = rewrite_step(state, rewriter)
    expect(update, {"question": "seat price", "queries": ["a", "b", "seat price"]}, "the update")
    expect(calls, [("cost of a user?", ["a", "b"])], "what the rewriter was given")
    require(state["queries"] == ["a", "b"], "the list in the state was changed: return a new one")


def _step(state: dict[str, Any], query: str) -> dict[str, Any]:
    return {"question": query, "queries": [*state["queries"], query]}


def _growing(state: dict[str, Any], rewriter: Any) -> dict[str, Any]:
    query = rewriter(state["original_question"], state["queries"])
    state["queries"].append(query)
    return {"question": query, "queries": state["queries"]}


@exercise(
    "03-progress",
    wrong=[
        lambda rewrite, queries: rewrite not in queries,
        lambda rewrite, queries: rewrite.lower() not in [q.lower() for q in queries],
        lambda rewrite, queries: bool(rewrite.strip()),
    ],
)
def _(is_progress: Any) -> None:
    asked = ["What does a seat cost?"]
    expect(is_progress("price of a seat", asked), True, "another query")
    expect(is_progress("what does a seat  cost", asked), False, "only case, spaces and ? differ")
    expect(is_progress("  ", asked), False, "a blank query finds nothing")
    expect(is_progress("?", []), False, "a lone question mark is blank too")
