"""FAISS against brute force in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtree.indexing.vectors import FaissIndex


def unit_vectors(count, dimensions, seed):
    vectors = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@given(st.integers(1, 60), st.integers(2, 40), st.integers(1, 80), st.integers(0, 2**32 - 1), st.booleans())
@settings(max_examples=60, deadline=None)
def test_the_nearest_by_brute_force(count, dimensions, k, seed, restricted):
    vectors = unit_vectors(count + 1, dimensions, seed)
    ids = np.random.default_rng(seed).permutation(1000)[:count].astype(np.int64)
    allowed = [int(i) for i in ids[::2]] if restricted else None
    found = FaissIndex.from_vectors(ids, vectors[:-1]).search(vectors[-1:], k, allowed)
    cosines = {int(i): float(vector @ vectors[-1]) for i, vector in zip(ids, vectors[:-1], strict=True)}
    if allowed is not None:
        cosines = {i: cosine for i, cosine in cosines.items() if i in allowed}
    expected = sorted(cosines.items(), key=lambda item: -item[1])[:k]
    assert len(found) == len(expected)
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-5)
    assert all(score == pytest.approx(cosines[i], abs=1e-5) for i, score in found)


def test_saved_and_read_again(tmp_path):
    vectors = unit_vectors(20, 8, 1)
    index = FaissIndex.from_vectors(np.arange(20, dtype=np.int64), vectors)
    folder = tmp_path / "索引 é"
    folder.mkdir()
    index.save(folder / "vectors-1.faiss")
    again = FaissIndex.read(folder / "vectors-1.faiss")
    assert again is not None
    assert again.search(vectors[3:4], 5) == index.search(vectors[3:4], 5)
    assert again.search(vectors[3:4], 1)[0][0] == 3
    assert [file.name for file in folder.iterdir()] == ["vectors-1.faiss"]


def test_nothing_to_search():
    empty = FaissIndex.from_vectors(np.zeros(0, np.int64), np.zeros((0, 8), np.float32))
    assert empty.search(unit_vectors(1, 8, 1), 200) == []
