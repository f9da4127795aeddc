"""What is right in notebook 7: the labels, the editions, the way on, the broken chain."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from ragkit.exercises import exercise, expect


@exercise(
    "07-labels",
    wrong=[
        lambda draft, shown: [int(n) for n in re.findall(r"\[(\d+)\]", draft)],
        lambda draft, shown: [n for n in _labels(draft) if n >= shown],
        lambda draft, shown: [n for n in _labels(draft) if n > shown],
    ],
)
def _(fabricated: Any) -> None:
    expect(fabricated("Retry it [4].", 3), [4], "[4] of three pages")
    expect(fabricated("Retry it [1]. Wait [3].", 3), [], "the last page counts too")
    expect(fabricated("Retry it [0]. Wait [9].", 3), [0, 9], "labels begin with 1")
    expect(fabricated("Retry it.", 3), [], "no label at all is another fault")


def _labels(draft: str) -> list[int]:
    return [int(number) for number in re.findall(r"\[(\d+)\]", draft)]


@exercise(
    "07-newest",
    wrong=[
        lambda pages: pages[-1],
        lambda pages: max(pages, key=lambda page: page["version"]),
        lambda pages: max(pages, key=lambda page: page["date"] or "9999"),
        lambda pages: max(pages, key=lambda page: page["date"] or ""),
    ],
)
def _(current: Any) -> None:
    old, new = _page("9", "2023-06-01"), _page("10", "2026-02-01")
    undated = _page("11", None)
    expect(current([new, old]), new, "2026 replaces 2023, in any order")
    expect(current([old, new]), new, 'and as text "9" would come after "10"')
    expect(current([old, undated, new]), new, "an unknown date is not the newest")
    expect(current([undated]), "unknown", "and not the oldest either: nothing dates this page")


def _page(version: str, date: str | None) -> dict[str, Any]:
    return {"version": version, "date": date}


@exercise(
    "07-route",
    wrong=[
        lambda status, retries: _BACK.get(status, "human_review_queue"),
        lambda status, retries: (
            "human_review_queue" if retries >= 3 else _BACK.get(status, "answer_generator")
        ),
        lambda status, retries: (
            "human_review_queue"
            if retries > 3 and status != "passed"
            else _BACK.get(status, "human_review_queue")
        ),
        lambda status, retries: (
            "human_review_queue" if retries >= 3 else _BACK.get(status, "human_review_queue")
        ),
    ],
)
def _(way_on: Any) -> None:
    expect(way_on("passed", 0), "final_format", "all checks passed")
    expect(way_on("passed", 3), "final_format", "passed at last: the retries no longer matter")
    expect(way_on("retrieval_failed", 1), "query_rewriter", "search again, in other words")
    expect(way_on("citation_failed", 2), "answer_generator", "draft again, from the same evidence")
    expect(way_on("citation_failed", 3), "human_review_queue", "three retries are all there are")
    expect(way_on("conflict", 0), "human_review_queue", "no draft settles a hard conflict")
    expect(way_on("???", 0), "human_review_queue", "what nobody foresaw is for a person")


_BACK = {
    "passed": "final_format", "retrieval_failed": "query_rewriter",
    "citation_failed": "answer_generator",
}  # fmt: skip


@exercise(
    "07-chain",
    wrong=[
        lambda events, digest: next(
            (n for n, e in enumerate(events) if digest(e["text"], e["previous"]) != e["hash"]),
            "whole",
        ),
        lambda events, digest: next(
            (n for n in range(1, len(events)) if events[n]["previous"] != events[n - 1]["hash"]),
            "whole",
        ),
        lambda events, digest: "whole",
    ],
)
def _(first_bad: Any) -> None:
    whole = _chain("asked", "searched", "drafted", "checked")
    expect(first_bad(whole, _digest), "whole", "nothing was touched")
    edited = [*whole[:2], {**whole[2], "text": "approved"}, whole[3]]
    expect(first_bad(edited, _digest), 2, "event 2 does not match its own hash")
    expect(first_bad([whole[0], *whole[2:]], _digest), 1, "after a deletion the next is alone")
    anew = _chain("asked", "searched", "approved")[2]
    expect(first_bad([*whole[:2], anew, whole[3]], _digest), 3, "sealed anew, the next one tells")


def _digest(text: str, previous: str) -> str:
    return hashlib.sha256(f"{previous} {text}".encode()).hexdigest()


def _chain(*texts: str) -> list[dict[str, str]]:
    made, previous = [], ""
    for text in texts:
        made.append({"text": text, "previous": previous, "hash": _digest(text, previous)})
        previous = made[-1]["hash"]
    return made
