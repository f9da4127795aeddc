"""The rungs of the ladder, by name."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ragkit.config import (
    ArscConfig,
    AuditedConfig,
    BudgetedConfig,
    CorrectiveConfig,
    CragConfig,
    GraphConfig,
    NaiveConfig,
)
from ragkit.kit import Kit

CONFIGS: dict[str, type[GraphConfig]] = {
    "naive": NaiveConfig,
    "arsc": ArscConfig,
    "budgeted": BudgetedConfig,
    "corrective": CorrectiveConfig,
    "crag": CragConfig,
    "audited": AuditedConfig,
}
RUNGS = tuple(CONFIGS)


def build(name: str, kit: Kit, checkpointer: Any = None) -> Any:
    """Compile the rung called `name`: naive, arsc, budgeted, corrective, crag or audited.

    Raises KeyError that lists the names for an unknown one.
    """
    if name not in CONFIGS:
        raise KeyError(f"no graph called {name!r}; there are {', '.join(RUNGS)}")
    module = import_module(f"ragkit.graphs.{name}")
    return getattr(module, f"build_{name}")(kit, checkpointer)
