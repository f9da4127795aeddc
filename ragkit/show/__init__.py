"""Pictures of what a graph is and of what a run did.

`show(run)` tells a run's whole story; `show.graph`, `show.timeline` and the others draw one part.
Each takes plain records and is imported when first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any

# no file may be called like the function in it: importing it would hide the function
_PUBLIC = {
    "graph": "drawing",
    "edges_of": "drawing",
    "hits": "found",
    "rankings": "found",
    "beside_gold": "verdict",
    "timeline": "history",
    "evidence": "documents",
    "sources": "documents",
    "claims": "answers",
    "alignment": "answers",
    "story": "whole_run",
    "threshold_map": "charts",
    "reliability": "charts",
    "rates": "bars",
    "ladder": "bars",
    "front": "charts",
}


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"ragkit.show has no {name!r}; it has {', '.join(_PUBLIC)}")
    return getattr(import_module(f"ragkit.show.{_PUBLIC[name]}"), name)


def __dir__() -> list[str]:
    return list(_PUBLIC)


class _Callable(ModuleType):
    def __call__(self, run: Any, graph: Any = None) -> Any:
        """Show a run from question to tagged answer; with its compiled graph, draw that too."""
        from ragkit.show.whole_run import story

        return story(run, graph)


sys.modules[__name__].__class__ = _Callable
