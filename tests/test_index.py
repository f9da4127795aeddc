"""The index: what goes in comes out unchanged, in the same order, once."""

from __future__ import annotations

import pytest

from ragkit.index import build_index

DOCUMENTS = [
    {
        "id": "pricing#0-00000001",
        "content": "An additional seat costs $15 per month on Growth.",
        "metadata": {"source": "kb/pricing.md", "position": 0},
    },
    {
        "id": "errors#0-00000002",
        "content": "ERROR_302 needs manual inspection by an operator.",
        "metadata": {"source": "kb/errors.md", "position": 0},
    },
]


@pytest.fixture(scope="module")
def index():
    return build_index(DOCUMENTS)


@pytest.mark.parametrize("strategy", ["dense", "keyword", "hybrid"])
def test_each_strategy_finds_the_document_and_returns_it_unchanged(index, strategy) -> None:
    found = index.search("What does ERROR_302 need?", 1, strategy)
    assert [(d["id"], d["content"]) for d in found] == [
        (DOCUMENTS[1]["id"], DOCUMENTS[1]["content"])
    ]
    assert found[0]["metadata"] == {
        "id": DOCUMENTS[1]["id"],
        "source": "kb/errors.md",
        "position": 0,
    }
