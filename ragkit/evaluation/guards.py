"""The guards of the audited loop, each with the way to switch it off.

A guard that is off lets everything through; what then reaches the reader is what it was worth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from ragkit.config import AuditedConfig
from ragkit.evaluation.ablation import BLIND, OPEN
from ragkit.kit import Kit
from ragkit.records import Rewrite

Setting = tuple[Kit, AuditedConfig]


class Uncapped(AuditedConfig):
    """The loop without a retry cap: only LangGraph's own alarm ends it."""

    max_retries: int = 1_000
    steps: int = 60

    @property
    def recursion_limit(self) -> int:
        return self.steps


@dataclass(frozen=True)
class Guard:
    """A guard by name: the node it sits in, what it does, and what is left without it."""

    name: str
    node: str
    does: str
    off: Callable[[Kit, AuditedConfig], Setting]


def without(kit: Kit, names: Iterable[str], config: AuditedConfig | None = None) -> Setting:
    """Return kit and config with the named guards switched off.

    Raises KeyError that lists the guards for a name that is none.
    """
    setting = kit, config or AuditedConfig()
    for name in names:
        if name not in GUARDS:
            raise KeyError(f"no guard called {name!r}; there are {', '.join(GUARDS)}")
        setting = GUARDS[name].off(*setting)
    return setting


def _blind(name: str, kit: Kit, config: AuditedConfig) -> Setting:
    return kit.replace(**BLIND[name]), config


def _open(name: str, kit: Kit, config: AuditedConfig) -> Setting:
    return kit, config.model_copy(update=OPEN[name])


def _unvetted(kit: Kit, config: AuditedConfig) -> Setting:
    def planner(question: str, limit: int, failed: Sequence[str] = ()) -> list[Rewrite]:
        return [kit.rewriter(question, [question, *failed], [])][:limit]

    return kit.replace(planner=planner), config


def _uncapped(kit: Kit, config: AuditedConfig) -> Setting:
    return kit, Uncapped(**config.model_dump(exclude={"max_retries"}))


GUARDS: dict[str, Guard] = {
    guard.name: guard
    for guard in (
        Guard("vague questions", "intake", "asks back instead of guessing",
              partial(_blind, "vague questions")),
        Guard("drift check", "query_rewriter", "refuses a query that lost the question's names",
              _unvetted),
        Guard("grader", "retrieval_validator", "lets no page pass that was not judged relevant",
              partial(_blind, "grader")),
        Guard("entity coverage", "retrieval_validator", "wants the question's names on the pages",
              partial(_open, "entity coverage")),
        Guard("context builder", "context_builder", "sets old editions aside, stops at a conflict",
              partial(_blind, "context builder")),
        Guard("citation checker", "citation_checker", "holds every claim against its page",
              partial(_blind, "citation checker")),
        Guard("verifier", "answer_verifier", "asks whether the question is answered",
              partial(_blind, "verifier")),
        Guard("sensitive terms", "human_review_queue", "shows a person what only a person decides",
              partial(_open, "sensitive terms")),
        Guard("retry cap", "human_review_queue", "ends every loop at a person's desk", _uncapped),
    )
}  # fmt: skip
