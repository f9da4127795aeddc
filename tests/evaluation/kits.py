"""A scripted kit with every component, and a progress bar that remembers."""

from __future__ import annotations

from typing import Any

from scripted import Queue, doc, graded, scripted_kit

from ragkit.kit import Kit
from ragkit.records import Context, Grounding, Rewrite, Route, Support, Verdict, WebResult

CLAIM = Support(claim="An answer", citation_id=1, support_status="supported", score=0.9)


def halves(document: dict[str, Any], _tokens: int) -> list[dict[str, Any]]:
    return [doc(f"{document['id']}/{n}", text) for n, text in enumerate(("kept", "dropped text"))]


def full_kit(**components: Any) -> Kit:
    """Return a kit for every rung: the first half of each document is kept, all checks pass."""
    keep_first = Queue([lambda _q, ds: [graded(d["id"], 0.9 * d["id"].endswith("0")) for d in ds]])
    defaults = {
        "router": Queue([Route(route="vector_search", reasoning="")]),
        "web": Queue(
            [WebResult(outcome="found", documents=(doc("w", "from the web", kind="web"),))]
        ),
        "split": halves,
        "strip_grader": keep_first,
        "grounder": Queue([Grounding(grounded=True, useful=True, claims=(CLAIM,))]),
        "checker": Queue([[CLAIM]]),
        "context": Queue([lambda _q, documents: Context(documents=tuple(documents))]),
        "verifier": Queue([Verdict(status="passed", resolved=True, complete=True)]),
        "planner": Queue([lambda q, _n, _failed: [Rewrite(query=f"{q} again")]]),
    }
    return scripted_kit(**{**defaults, **components})


class Bar:
    """What `climb` asks of tqdm."""

    def __call__(self, total: int, initial: int) -> Bar:
        self.total, self.initial, self.count, self.closed = total, initial, 0, False
        return self

    def update(self) -> None:
        self.count += 1

    def close(self) -> None:
        self.closed = True
