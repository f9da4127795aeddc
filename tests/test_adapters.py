"""Any LangChain vector store as a retriever."""

from __future__ import annotations

import pytest
from embedders import HashEmbedder
from langchain_core.documents import Document as LangChainDocument
from langchain_core.vectorstores import InMemoryVectorStore

from ragkit.adapters import index_from_vectorstore
from ragkit.metadata import to_metadata


@pytest.fixture
def retriever():
    store = InMemoryVectorStore(HashEmbedder())
    store.add_documents(
        [
            LangChainDocument("Seats cost $15.", metadata={"source": "a.md", "page": 3}, id="one"),
            LangChainDocument("ERROR_302 means timeout.", metadata={"tags": [], "note": None}),
            LangChainDocument("Seats  cost $15.", metadata={}),
        ]
    )
    return index_from_vectorstore(store)


@pytest.mark.parametrize("strategy", ["dense", "keyword", "hybrid"])
def test_a_vector_store_gives_plain_documents_once(retriever, strategy) -> None:
    found = retriever("Seats cost $15.", 5, strategy)
    assert found[0] == {
        "id": "one",
        "content": "Seats cost $15.",
        "metadata": {"id": "one", "source": "a.md", "page": 3},
    }
    assert [d["content"] for d in found[1:]] == ["ERROR_302 means timeout."]
    assert found[1]["metadata"] == to_metadata({"id": found[1]["id"]})


def test_the_order_is_the_stores_and_k_holds(retriever) -> None:
    assert [d["id"] for d in retriever("Seats cost $15.", 1)] == ["one"]
    assert retriever("seats", 0) == retriever("  ", 5) == []


def test_a_document_without_an_id_gets_a_stable_one() -> None:
    class Nameless:
        def similarity_search(self, query: str, k: int) -> list[LangChainDocument]:
            return [LangChainDocument("Text.", metadata={"source": "a.md"})]

    first, second = (index_from_vectorstore(Nameless())("text", 1)[0] for _ in range(2))
    assert first["id"] == second["id"] == first["metadata"]["id"]
    assert first["id"].startswith("text-")


def test_metadata_that_no_state_can_hold_is_named() -> None:
    class Odd:
        def similarity_search(self, query: str, k: int) -> list[LangChainDocument]:
            return [LangChainDocument("Text.", metadata={"score": float("nan")}, id="odd")]

    with pytest.raises(ValueError, match=r"'odd'.*'score'"):
        index_from_vectorstore(Odd())("text", 1)


@pytest.mark.parametrize(("query", "k"), [(None, 1), ("x", 1.5)])
def test_what_cannot_be_searched_is_said(retriever, query, k) -> None:
    with pytest.raises(TypeError):
        retriever(query, k)
    with pytest.raises(ValueError, match="k is -1"):
        retriever("x", -1)


def test_what_is_no_vector_store_is_named() -> None:
    with pytest.raises(TypeError, match=r"HashEmbedder.*no vector store"):
        index_from_vectorstore(HashEmbedder())
