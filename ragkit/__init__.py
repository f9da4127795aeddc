"""Five published self-correcting RAG systems as one ladder.

Names are imported when first used, so that `import ragkit` stays fast.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from typing import Any

__version__ = "0.1.0"

# on import onnxruntime writes a device id to the home folder and reports events to its maker
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")

# public name -> module that defines it; add a line when a module has a name for everybody
_PUBLIC = {
    "offline_kit": "ragkit.kit",
    "chat_kit": "ragkit.kit",
    "estimate": "ragkit.estimates",
    "ask": "ragkit.runs",
    "resume": "ragkit.runs",
    "history": "ragkit.runs",
    "fork": "ragkit.runs",
    "compare": "ragkit.runs",
    "show": "ragkit.show",
    "ui": "ragkit.ui",
}
_MODULES = frozenset({"ragkit.show", "ragkit.ui"})


def data_dir() -> Path:
    """Return the folder with the company's pages, the recorded web and the questions.

    Raises:
        FileNotFoundError: neither a checkout's `data/` nor the wheel's own copy is there.
    """
    return _shipped("data", "_data")


def notebooks_dir() -> Path:
    """Return the folder with the notebooks that came with this ragkit.

    Raises:
        FileNotFoundError: neither a checkout's `notebooks/` nor the wheel's own copy is there.
    """
    return _shipped("notebooks", "_notebooks")


def _shipped(checkout_name: str, wheel_name: str) -> Path:
    package = Path(__file__).resolve().parent
    checkout = package.parent / checkout_name
    # a wheel's neighbour called `data` in site-packages belongs to somebody else
    if (package.parent / "pyproject.toml").is_file() and checkout.is_dir():
        return checkout
    if (package / wheel_name).is_dir():
        return package / wheel_name
    raise FileNotFoundError(
        f"ragkit's {checkout_name} folder is missing: looked for {checkout} (source checkout) and "
        f"{package / wheel_name} (installed wheel). Install ragkit again."
    )


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'ragkit' has no attribute {name!r}")
    module = import_module(_PUBLIC[name])
    return module if _PUBLIC[name] in _MODULES else getattr(module, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
