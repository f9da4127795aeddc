"""The index: what goes in comes out unchanged, in the same order, once."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from embedders import FixedEmbedder, HashEmbedder
from hypothesis import given, settings
from hypothesis import strategies as st

from ragkit.config import IndexConfig
from ragkit.index import build_index, company_index, fuse

STRATEGIES = ["dense", "keyword", "hybrid"]


def document(name: str, content: str, **metadata: object) -> dict:
    return {"id": name, "content": content, "metadata": {"source": f"kb/{name}.md", **metadata}}


DOCUMENTS = [
    document("seat", "An additional seat costs $15 per month on Growth.", position=0),
    document("code", "ERROR_302 needs manual inspection by an operator.", position=0, tags=["a"]),
    document("mail", "Write to ops@tarnfield.example about version v2.4.1.", position=0, rate=0.5),
]


@pytest.fixture(scope="module")
def index():
    return build_index(DOCUMENTS)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_strategy_finds_the_document_and_returns_it_unchanged(index, strategy) -> None:
    [found] = index.search("What does ERROR_302 need?", 1, strategy)
    assert found == {
        "id": "code",
        "content": "ERROR_302 needs manual inspection by an operator.",
        "metadata": {"id": "code", "source": "kb/code.md", "position": 0, "tags": ["a"]},
    }


@pytest.mark.parametrize("query", ["ops@tarnfield.example", "V2.4.1", "who writes about v2.4.1?"])
def test_keyword_search_finds_whole_codes(index, query) -> None:
    assert index.search(query, 1, "keyword")[0]["id"] == "mail"


def test_keyword_search_finds_nothing_where_no_word_matches(index) -> None:
    assert index.search("zebra", 5, "keyword") == []
    assert index.search("the of and", 5, "keyword") == []


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("query", ["", "   ", "\n\t"])
def test_a_blank_query_finds_nothing_and_asks_nothing(strategy, query, monkeypatch) -> None:
    embedder = HashEmbedder()
    index = build_index(DOCUMENTS, embedder=embedder)
    monkeypatch.setattr(embedder, "embed_query", lambda text: pytest.fail("was asked"))
    assert index.search(query, 5, strategy) == []


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_k_of_0_and_k_above_the_size(index, strategy) -> None:
    assert index.search("seat", 0, strategy) == []
    found = index.search("seat cost ERROR_302 version", 1_000, strategy)
    assert sorted(d["id"] for d in found) == ["code", "mail", "seat"]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (("seat", -1), ValueError, "k is -1"),
        (("seat", 1.5), TypeError, "whole number"),
        (("seat", True), TypeError, "whole number"),
        (("seat", "3"), TypeError, "whole number"),
        ((None, 3), TypeError, "a query is text"),
        (("seat", 3, "semantic"), ValueError, "'semantic'; use dense, keyword, hybrid"),
    ],
)
def test_what_cannot_be_searched_is_said(index, call, error, message) -> None:
    with pytest.raises(error, match=message):
        index.search(*call)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_an_empty_corpus_finds_nothing(strategy) -> None:
    index = build_index([])
    assert index.search("seat", 5, strategy) == []
    assert (len(index), index.documents(), index.vocabulary()) == (0, [], {})


def test_the_index_is_a_retriever(index) -> None:
    assert index("seat price", 2) == index.search("seat price", 2, "hybrid")


def test_what_is_returned_is_a_copy(index) -> None:
    found = index.search("ERROR_302", 1)[0]
    found["metadata"]["tags"].append("mine")
    found["metadata"]["source"] = found["content"] = "changed"
    again = index.search("ERROR_302", 1)[0]
    assert again["metadata"]["tags"] == ["a"]
    assert again["content"].startswith("ERROR_302")


def test_documents_are_got_by_id_in_the_order_asked(index) -> None:
    assert [d["id"] for d in index.get(["seat", "code", "seat"])] == ["seat", "code", "seat"]
    with pytest.raises(KeyError, match="nobody"):
        index.get(["seat", "nobody"])


def test_vocabulary_counts_documents_a_word(index) -> None:
    words = index.vocabulary()
    assert words["seat"] == 1
    assert words["about"] == 1
    assert "error_302" not in words
    assert list(words) == sorted(words)


def test_the_parent_is_the_section_around_a_chunk() -> None:
    chunks = [
        document("a", "# P\n\nIntro.", position=0, parent_id="s"),
        document("b", "# P > Q\n\nMore.", position=1, parent_id="s"),
        document("c", "# R\n\nElse."),
    ]
    for chunk in chunks[:2]:
        chunk["metadata"]["source"] = "kb/p.md"
    index = build_index(chunks[::-1], embedder=HashEmbedder())
    for chunk in index.get(["a", "b"]):
        assert index.parent(chunk)["content"] == "# P\n\nIntro.\n\n# P > Q\n\nMore."
        assert index.parent(chunk)["id"] == "s"
    assert index.parent(chunks[2])["content"] == "# R\n\nElse."


def test_equal_texts_are_returned_once_by_the_lower_id() -> None:
    copies = [document(name, "Seats cost $15.") for name in ("b", "a")]
    copies.append(document("c", "Seats  cost\n$15."))
    index = build_index(copies, embedder=FixedEmbedder())
    assert len(index) == 3
    for strategy in STRATEGIES:
        assert [d["id"] for d in index.search("seats cost", 5, strategy)] == ["a"]


def test_ties_are_broken_by_id() -> None:
    embedder = FixedEmbedder(near=[0.9, 0.1])
    tied = [document(name, f"text {name}") for name in ("c", "a", "b")]
    index = build_index([*tied, document("z", "near")], embedder=embedder)
    assert [d["id"] for d in index.search("anything", 4, "dense")] == ["a", "b", "c", "z"]
    assert [d["id"] for d in index.search("text", 4, "keyword")] == ["a", "b", "c"]


def test_scores_are_the_cosine_and_fall() -> None:
    embedder = FixedEmbedder(east=[2.0, 0.0], north=[0.0, 3.0], west=[-1.0, 0.0], query=[1.0, 1.0])
    index = build_index([document(n, n) for n in ("east", "north", "west")], embedder=embedder)
    scores = {d["id"]: score for d, score in index.scored("query", 3, "dense")}
    assert scores == pytest.approx({"east": 0.5**0.5, "north": 0.5**0.5, "west": -(0.5**0.5)})


def test_fusion_adds_reciprocal_ranks() -> None:
    assert fuse([["a", "b"], ["b", "c"]], 60) == pytest.approx(
        {"a": 1 / 61, "b": 1 / 62 + 1 / 61, "c": 1 / 62}
    )
    assert fuse([], 60) == {}


def test_hybrid_is_the_fusion_of_both_where_nothing_reranks() -> None:
    embedder = HashEmbedder()
    documents = [document(f"d{n}", f"seat number {n} of {n % 3} kinds") for n in range(30)]
    index = build_index(documents, embedder=embedder)
    query = "seat number 3"
    rankings = [[d["id"] for d in index.search(query, 50, s)] for s in ("dense", "keyword")]
    scores = fuse(rankings, 60)
    expected = sorted(scores, key=lambda name: (-scores[name], name))[:7]
    found = index.scored(query, 7, "hybrid")
    assert [d["id"] for d, _ in found] == expected
    assert [score for _, score in found] == pytest.approx([scores[name] for name in expected])


def test_a_reranker_orders_the_hybrid_search_only() -> None:
    asked: list[int] = []

    def longest_first(query: str, documents: list) -> list[float]:
        asked.append(len(documents))
        return [float(len(d["content"])) for d in documents]

    documents = [document(f"d{n:02}", "seat " * (n + 1)) for n in range(20)]
    config = IndexConfig(rerank_pool=8)
    index = build_index(documents, embedder=HashEmbedder(), rerank=longest_first, config=config)
    plain = build_index(documents, embedder=HashEmbedder())
    for strategy in ("dense", "keyword"):
        assert index.search("seat", 3, strategy) == plain.search("seat", 3, strategy)
    assert asked == []
    pool = [len(d["content"]) for d in plain.search("seat", 8)]
    found = index.scored("seat", 3)
    assert [score for _, score in found] == sorted(pool, reverse=True)[:3]
    assert asked == [8]
    index.search("seat", 12)
    assert asked == [8, 12]


def test_the_last_searches_are_remembered_and_cannot_be_spoilt() -> None:
    asked: list[str] = []

    def as_found(query: str, documents: list) -> list[float]:
        asked.append(query)
        return [0.0] * len(documents)

    config = IndexConfig(searches_in_memory=2)
    index = build_index(DOCUMENTS, embedder=HashEmbedder(), rerank=as_found, config=config)
    first = index.search("seat", 2)
    first[0]["metadata"]["source"] = "spoilt"
    again = index.search("seat", 2)
    assert asked == ["seat"]
    assert [d["id"] for d in again] == [d["id"] for d in first]
    assert again[0]["metadata"]["source"] != "spoilt"
    for query in ("mail", "code", "seat"):
        index.search(query, 2)
    assert asked == ["seat", "mail", "code", "seat"]
    index.search("seat", 2, where={"source": "kb/seat.md"})
    assert asked == ["seat", "mail", "code", "seat", "seat"]


def test_a_reranker_that_loses_documents_is_refused() -> None:
    index = build_index(DOCUMENTS, embedder=HashEmbedder(), rerank=lambda query, documents: [1.0])
    with pytest.raises(ValueError, match="1 scores for 3 documents"):
        index.search("seat", 3)
    nan = build_index(DOCUMENTS, embedder=HashEmbedder(), rerank=lambda q, d: [float("nan")] * 3)
    with pytest.raises(ValueError, match="no number"):
        nan.search("seat", 3)


def test_late_interaction_sees_words_that_the_whole_text_hides(index) -> None:
    plain = build_index(DOCUMENTS, config=IndexConfig(rerank_pool=0))
    assert [d["id"] for d, _ in index.scored("inspection by hand", 1)] == ["code"]
    reranked = {d["id"]: score for d, score in index.scored("manual inspection", 3)}
    assert reranked["code"] > 0.6
    assert max(score for _, score in plain.scored("manual inspection", 3)) < 0.05


def test_filters_hold_for_every_strategy(index) -> None:
    for strategy in STRATEGIES:
        query = "seat ERROR_302 version"
        found = index.search(query, 9, strategy, where={"source": ["kb/seat.md", "kb/mail.md"]})
        assert {d["id"] for d in found} == {"seat", "mail"}
        assert index.search(query, 9, strategy, where={"rate": {"min": 0.4}})[0]["id"] == "mail"
        assert index.search(query, 9, strategy, where={"position": 7}) == []


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        ([document("a", "  ")], "'a' has no text"),
        ([{"id": "a", "content": None}], "'a' has no text"),
        ([{"id": "", "content": "x"}], "needs an id"),
        ([{"content": "x"}], "needs an id"),
        ([document("a", "one"), document("a", "two")], "two different documents have the id 'a'"),
        ([document("a", "x", id="b")], "'a' has another id, 'b'"),
        ([document("a", "x", rate=float("nan"))], "document 'a', metadata 'rate'"),
        ([document("a", "half \ud83d")], "'a'.*cannot be stored"),
    ],
)
def test_a_document_that_cannot_be_kept_is_named(documents, message) -> None:
    with pytest.raises(ValueError, match=message):
        build_index([document("fine", "Fine."), *documents], embedder=HashEmbedder())


def test_the_same_document_twice_is_one() -> None:
    assert len(build_index([*DOCUMENTS, *DOCUMENTS], embedder=HashEmbedder())) == 3


@pytest.mark.parametrize(
    "vectors", [[[0.0, 0.0]] * 3, [[float("nan"), 1.0]] * 3, [[1.0, 0.0]], [1.0, 0.0, 1.0]]
)
def test_an_embedder_that_gives_nonsense_is_refused(vectors, monkeypatch) -> None:
    embedder = HashEmbedder()
    monkeypatch.setattr(embedder, "embed_documents", lambda texts: vectors)
    with pytest.raises(ValueError, match="the embedder gave"):
        build_index(DOCUMENTS, embedder=embedder)


def test_odd_texts_come_back_as_they_went_in() -> None:
    texts = ["nul \x00 inside", "“½ €”\r\n\ttabbed ", "\u2028 🙂 é", "{a} {{b}} %s $x </document>"]
    documents = [document(f"d{n}", text, note=text) for n, text in enumerate(texts)]
    index = build_index(documents, embedder=HashEmbedder())
    found = {d["id"]: d for d in index.search("inside", 9, "dense")}
    for wanted in documents:
        assert found[wanted["id"]]["content"] == wanted["content"]
        assert found[wanted["id"]]["metadata"]["note"] == wanted["content"]


def test_two_indexes_of_one_name_never_mix() -> None:
    one = build_index([document("a", "Apples.")], embedder=HashEmbedder(), name="same")
    two = build_index([document("b", "Bananas.")], embedder=HashEmbedder(), name="same")
    assert [d["id"] for d in one.search("fruit", 5, "dense")] == ["a"]
    assert [d["id"] for d in two.search("fruit", 5, "dense")] == ["b"]


def test_building_twice_doubles_nothing_and_frees_the_first() -> None:
    import chromadb

    settings = chromadb.config.Settings(anonymized_telemetry=False)
    client = chromadb.EphemeralClient(settings=settings)
    names = []
    for _ in range(3):
        index = build_index(DOCUMENTS, embedder=HashEmbedder(), name="twice")
        assert len(index.search("seat", 50, "dense")) == 3
        names.append([c.name for c in client.list_collections() if c.name.startswith("twice")])
    del index
    assert [len(found) for found in names] == [1, 2, 2] or [len(f) for f in names] == [1, 1, 1]
    assert not [c for c in client.list_collections() if c.name.startswith("twice")]


def test_a_deleted_row_leaves_nothing_to_a_later_one() -> None:
    for _ in range(3):
        tagged = [document(f"d{n}", f"text {n}", tags=["old"], flag=True) for n in range(5)]
        build_index(tagged, embedder=HashEmbedder())
        index = build_index([document("new", "text")], embedder=HashEmbedder())
        assert index.get(["new"])[0]["metadata"] == {"id": "new", "source": "kb/new.md"}


@pytest.mark.filterwarnings("ignore:legacy embedding function config")
def test_the_space_is_cosine_and_the_embedding_ours() -> None:
    index = build_index(DOCUMENTS, embedder=HashEmbedder())
    configuration = index._store._collection.configuration
    assert configuration["hnsw"]["space"] == "cosine"
    assert configuration["embedding_function"] is None


def test_many_threads_may_search_one_index(index) -> None:
    queries = ["seat price", "ERROR_302", "version", "operator"] * 10
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda query: index.search(query, 3), queries))
    assert found == [index.search(query, 3) for query in queries]


def test_a_large_corpus_is_searched_by_candidates_and_ordered_exactly() -> None:
    embedder = HashEmbedder(16)
    documents = [document(f"d{n:03}", f"text number {n}") for n in range(600)]
    config = IndexConfig(exact_below=0, pool=5, oversample=10)
    index = build_index(documents, embedder=embedder, config=config)
    asked: list[int] = []
    nearest = index._store.nearest
    index._store.nearest = lambda vector, count, where=None: (
        asked.append(count) or nearest(vector, count, where)
    )
    vectors = np.array([embedder._vector(d["content"]) for d in documents])
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    right = 0
    for query in ("one", "two", "three", "four", "five"):
        vector = np.array(embedder.embed_query(query))
        best = [documents[row]["id"] for row in np.argsort(-(vectors @ vector))[:4]]
        found = index.scored(query, 4, "dense")
        scores = [score for _, score in found]
        assert scores == sorted(scores, reverse=True)
        right += len(set(best) & {d["id"] for d, _ in found})
    assert asked == [40] * 5
    assert right >= 19


words = st.sampled_from(
    ["seat", "price", "month", "error", "code", "zone", "event", "meter", "quota", "drawer"]
)
texts = st.lists(words, min_size=1, max_size=6).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(texts, max_size=12), texts, st.integers(0, 15), st.sampled_from(STRATEGIES), st.data()
)
def test_results_hold_no_text_twice_and_do_not_depend_on_the_order_in(
    contents, query, k, strategy, data
) -> None:
    documents = [document(f"d{n}", content) for n, content in enumerate(contents)]
    shuffled = data.draw(st.permutations(documents))
    found = build_index(documents, embedder=HashEmbedder()).scored(query, k, strategy)
    again = build_index(shuffled, embedder=HashEmbedder()).scored(query, k, strategy)
    assert found == again
    assert len(found) <= k
    assert max(Counter(d["content"] for d, _ in found).values(), default=1) == 1
    assert len({d["id"] for d, _ in found}) == len(found)
    if strategy == "dense":
        assert len(found) == min(k, len(set(contents)))


def test_the_company_is_indexed_once_a_process() -> None:
    assert company_index() is company_index()
    assert company_index().search("What does ERROR_302 mean?", 1)[0]["metadata"]["kind"] == "kb"
