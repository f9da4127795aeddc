"""What the tests of offline components share."""

from __future__ import annotations

from typing import Any

import pytest

from ragkit.components.graders import offline_graders
from ragkit.embedding import default_embedder


@pytest.fixture(scope="session")
def graders() -> Any:
    return offline_graders(default_embedder())


@pytest.fixture(scope="session")
def grader(graders: Any) -> Any:
    return graders[0]
