"""Whatever a component of one's own returns or raises, a run ends tagged and passes nothing on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import MemorySaver

from ragkit.graphs import build
from ragkit.graphs.nodes import attempt
from ragkit.kit import Kit, offline_kit
from ragkit.records import Conflict, Document, Probability, Rewrite
from ragkit.runs import Run, ask

QUESTION = "What does the Scale plan cost per month?"


def _raises(*_: Any) -> Any:
    raise ValueError("it broke {here}")


def _yields(*_: Any) -> Iterator[int]:
    yield 1


def _returns(value: Any) -> Callable[..., Any]:
    return lambda *_, **__: value


WRONG = {
    "raises": _raises, "a generator": _yields, "None": _returns(None), "text": _returns("yes"),
    "a number": _returns(3), "NaN": _returns(float("nan")), "True": _returns(True),
    "dicts": _returns([{"a": 1}]), "nested": _returns([[None]]), "an object": _returns(object()),
}  # fmt: skip
# what a run leans on: a component that fails may cost an answer, and never lets one through
GUARDS = [
    ("arsc", "retriever"), ("arsc", "grader"), ("arsc", "generator"),
    ("budgeted", "retriever"), ("budgeted", "grader"), ("budgeted", "generator"),
    ("corrective", "retriever"), ("corrective", "grader"), ("corrective", "grounder"),
    ("crag", "retriever"), ("crag", "grader"), ("crag", "strip_grader"),
    ("audited", "retriever"), ("audited", "grader"), ("audited", "generator"),
    ("audited", "coverage"), ("audited", "context"), ("audited", "conflicts"),
    ("audited", "checker"), ("audited", "verifier"),
]  # fmt: skip
# what helps on the way: a run does without it, and says so
HELPERS = [
    ("arsc", "rewriter"), ("budgeted", "router"), ("corrective", "section"), ("crag", "split"),
    ("crag", "router"), ("crag", "web"), ("audited", "planner"), ("audited", "router"),
]  # fmt: skip


@pytest.fixture(scope="module")
def kit() -> Kit:
    return offline_kit()


def run(kit: Kit, rung: str, component: str, wrong: Callable[..., Any]) -> Run:
    saver = {"checkpointer": MemorySaver()} if rung == "audited" else {}
    return ask(build(rung, kit.replace(**{component: wrong}), **saver), QUESTION)


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize(("rung", "component"), GUARDS)
def test_a_guard_that_fails_lets_nothing_through(
    kit: Kit, rung: str, component: str, wrong: Callable[..., Any]
) -> None:
    ended = run(kit, rung, component, wrong)
    assert ended.tag in {"abstained", "needs_review"}
    assert "$640" not in ended.answer


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_without_a_judge_an_answer_is_only_an_attempt(kit: Kit, wrong: Callable[..., Any]) -> None:
    assert run(kit, "crag", "grounder", wrong).tag == "best_effort"


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
@pytest.mark.parametrize(("rung", "component"), HELPERS)
def test_a_helper_that_fails_is_done_without(
    kit: Kit, rung: str, component: str, wrong: Callable[..., Any]
) -> None:
    assert "$640" in run(kit, rung, component, wrong).answer


@pytest.mark.parametrize(
    ("component", "said"),
    [
        ("retriever", "retriever failed: it did not return list[Document] (str: "),
        ("vague", "nobody saw whether the question is vague: "),
        ("planner", "planner failed: it did not return list[Rewrite] ("),
        ("coverage", "(the check failed: it did not return "),
    ],
)
def test_the_log_says_what_came_instead(kit: Kit, component: str, said: str) -> None:
    wrong = _returns("yes") if component == "retriever" else _returns(object())
    state = run(kit, "audited", component, wrong).state
    assert said in f"{state['flags']} {state['rollbacks']} {state['reason']}"


def test_a_document_that_cannot_be_cut_stays_whole(kit: Kit) -> None:
    ended = run(kit, "crag", "split", _returns([]))
    assert "$640" in ended.answer
    assert any("was not cut: no strips" in flag for flag in ended.state["flags"])


def test_a_conflict_detector_of_ones_own_is_asked(kit: Kit) -> None:
    def always(_question: str, documents: list[Document]) -> list[Conflict]:
        # one of them in force: a conflict of old editions alone does not count
        current = next(d for d in documents if d["metadata"]["source"] == "kb/pricing.md")
        other = next(d for d in documents if d["id"] != current["id"])
        ids = (other["id"], current["id"])
        return [Conflict(kind="hard", subject="ours", document_ids=ids, statements=("a", "b"))]

    ended = run(kit, "audited", "conflicts", always)
    assert ended.tag == "needs_review" and "ours" in ended.state["reason"]


@pytest.mark.parametrize(
    ("value", "kind", "passes"),
    [
        ([{"id": "a", "content": "x"}], list[Document], True),
        (({"id": "a", "content": "x"},), list[Document], True),
        ([{"id": "a"}], list[Document], False),
        ([{"id": 1, "content": "x"}], list[Document], False),
        ([Rewrite(query="q")], list[Rewrite], True),
        ([Rewrite(query="q"), "q"], list[Rewrite], False),
        (0.5, Probability, True),
        (True, Probability, False),
        (1.5, Probability, False),
        (float("nan"), Probability, False),
    ],
)
def test_a_value_counts_only_when_all_of_it_fits(value: Any, kind: Any, passes: bool) -> None:
    found, error = attempt(_returns(value), returns=kind)
    assert (error == "") is passes
    assert (found is not None) is passes
