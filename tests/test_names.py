"""Public names: a submodule of the same name, once imported, must not hide a function."""

from __future__ import annotations

from pathlib import Path

import ragkit
from ragkit import show


def test_no_module_is_called_like_a_public_function():
    functions = set(ragkit._PUBLIC) - {"show", "ui"}
    modules = {path.stem for path in Path(ragkit.__file__).parent.iterdir()}
    assert not functions & modules


def test_no_picture_is_called_like_its_file():
    modules = {path.stem for path in Path(show.__file__).parent.iterdir()}
    assert not set(dir(show)) & modules
