"""What is right in notebook 0: chunks, fused ranks, recall, the company's words."""

from __future__ import annotations

from typing import Any

from ragkit.exercises import exercise, expect, require

_BEFORE = [{"id": "prices#0-aaaa1111"}, {"id": "prices#1-bbbb2222"}]
_AFTER = [{"id": "prices#0-aaaa1111"}, {"id": "prices#1-cccc3333"}, {"id": "prices#2-dddd4444"}]
_NEW = {"prices#1-cccc3333", "prices#2-dddd4444"}


@exercise(
    "00-update",
    wrong=[
        lambda before, after: ({c["id"] for c in before}, {c["id"] for c in after}),
        lambda before, after: (_NEW, {"prices#1-bbbb2222"}),
    ],
)
def _(to_update: Any) -> None:
    expect(to_update(_BEFORE, _AFTER), ({"prices#1-bbbb2222"}, _NEW), "one chunk changed, one came")
    expect(to_update(_AFTER, _AFTER), (set(), set()), "an unchanged page needs no work")
    expect(to_update([], _BEFORE)[0], set(), "a new page has nothing to remove")


@exercise(
    "00-fusion",
    wrong=[
        lambda rankings, rrf_k: {n: 1 / (rrf_k + i) for r in rankings for i, n in enumerate(r, 1)},
        lambda rankings, rrf_k: _fused(rankings, rrf_k, first=0),
    ],
)
def _(fuse_yourself: Any) -> None:
    expect(fuse_yourself([["a", "b"]], 60), {"a": 1 / 61, "b": 1 / 62}, "one ranking, ranks from 1")
    both = {"a": 1 / 11, "b": 1 / 12 + 1 / 11}
    expect(
        fuse_yourself([["a", "b"], ["b"]], 10), both, "b is in both rankings, so it has two parts"
    )
    expect(fuse_yourself([], 60), {}, "no rankings, no scores")


@exercise(
    "00-recall",
    wrong=[
        lambda k, ranks: sum(r is not None and r < k for r in ranks) / max(len(ranks), 1),
        lambda k, ranks: (
            sum(r <= k for r in ranks if r) / max(sum(r is not None for r in ranks), 1)
        ),
        lambda k, ranks: sum(r is not None and r <= k for r in ranks) / max(len(ranks), 1),
    ],
)
def _(recall_at: Any) -> None:
    expect(recall_at(4, [1, 4, 5, None]), 0.5, "ranks 1 and 4 are among the first 4, out of four")
    expect(recall_at(1, [None, None]), 0.0, "nothing was found, and two were asked")
    expect(recall_at(3, []), None, "nothing was asked, so nothing was measured")


@exercise("00-words", wrong=["Does the sandbox get emptied automatically?", "rehearsal", ""])
def _(my_query: Any) -> None:
    from ragkit.index import company_index

    require(isinstance(my_query, str) and bool(my_query.strip()), "a query is text")
    require(len(my_query.split()) <= 12, "a query of at most 12 words, not a page")
    first = company_index().search(my_query, 1, "keyword")
    require(bool(first), "the keyword search finds nothing: no page has any of these words")
    about = first[0]["metadata"]
    right = about["source"] == "kb/rehearsal.md" and "What is different" in about["heading_path"]
    found = f"{about['title']}, {about['heading_path']}"
    require(right, f"the first chunk is `{found}`, and that is not the one which answers")


def _fused(rankings: Any, rrf_k: int, first: int) -> dict[str, float]:
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, name in enumerate(ranking, first):
            scores[name] = scores.get(name, 0.0) + 1 / (rrf_k + rank)
    return scores
