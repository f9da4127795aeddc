"""Small embedders whose numbers are known, in LangChain's form."""

from __future__ import annotations

import hashlib

import numpy as np
from langchain_core.embeddings import Embeddings


class HashEmbedder(Embeddings):
    """A fixed direction a text; counts the texts it embeds."""

    def __init__(self, dimension: int = 8, model: str = "hash") -> None:
        self.dimension = dimension
        self.model = model
        self.embedded: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.embedded.extend(texts)
        return [self._vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self._vector(text)

    def _vector(self, text: str) -> list[float]:
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
        return np.random.default_rng(seed).normal(size=self.dimension).tolist()


class FixedEmbedder(HashEmbedder):
    """The vector of a text is looked up; unknown texts get the first axis."""

    def __init__(self, **vectors: list[float]) -> None:
        super().__init__(2, "fixed")
        self.vectors = vectors

    def _vector(self, text: str) -> list[float]:
        return self.vectors.get(text, [1.0, 0.0])
