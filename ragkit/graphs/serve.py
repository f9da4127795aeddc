"""Factories for LangGraph's own server (`langgraph.json`); it brings its own checkpointer.

With OPENAI_API_KEY or OPENAI_BASE_URL set the graphs think with a chat model, else offline.
"""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from ragkit.graphs import build
from ragkit.kit import Kit


@lru_cache(maxsize=1)
def serving_kit() -> Kit:
    """Return the kit that the environment asks for."""
    if os.environ.get("OPENAI_API_KEY") or os.environ.get("OPENAI_BASE_URL"):
        from ragkit import chat_kit

        return chat_kit()
    from ragkit import offline_kit

    return offline_kit()


def naive() -> Any:
    """Return naive RAG."""
    return build("naive", serving_kit())


def arsc() -> Any:
    """Return the ARSC loop."""
    return build("arsc", serving_kit())


def budgeted() -> Any:
    """Return routed self-correction within budgets."""
    return build("budgeted", serving_kit())


def corrective() -> Any:
    """Return corrective RAG by count."""
    return build("corrective", serving_kit())


def crag() -> Any:
    """Return CRAG with two thresholds, strips and grounding."""
    return build("crag", serving_kit())


def audited() -> Any:
    """Return the audited rollback loop."""
    return build("audited", serving_kit())
