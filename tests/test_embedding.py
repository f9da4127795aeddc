"""The small embedding model: right numbers, the same everywhere, kept on disk."""

from __future__ import annotations

import numpy as np
import pytest

from ragkit.embedding import DIMENSION, MiniLM

TEXTS = ["ERROR_302 needs manual inspection.", "A seat costs $15 per month.", "", "½ café 🙂"]


@pytest.fixture
def model(tmp_path) -> MiniLM:
    return MiniLM(tmp_path)


def test_vectors_are_unit_length_in_the_order_given(model) -> None:
    vectors = np.array(model.embed_documents(TEXTS))
    assert vectors.shape == (len(TEXTS), DIMENSION)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)
    assert vectors[1].tolist() == model.embed_query(TEXTS[1])
