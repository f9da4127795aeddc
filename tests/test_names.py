"""Public names: a submodule of the same name, once imported, must not hide a function."""

from __future__ import annotations

from pkgutil import iter_modules

import ragkit
from ragkit import show


def modules_of(package: object) -> set[str]:
    return {module.name for module in iter_modules(package.__path__)}


def test_no_module_is_called_like_a_public_function():
    functions = set(ragkit._PUBLIC) - {"show", "ui"}
    assert not functions & modules_of(ragkit)


def test_no_picture_is_called_like_its_file():
    assert not set(dir(show)) & modules_of(show)
