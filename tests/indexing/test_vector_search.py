"""Every vector index against brute force in NumPy."""

from __future__ import annotations

from itertools import count

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headtree.indexing.milvus import MilvusIndex, _client, _make
from headtree.indexing.vectors import FaissIndex


def unit_vectors(count, dimensions, seed):
    vectors = np.random.default_rng(seed).normal(size=(count, dimensions)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def in_faiss(ids, vectors):
    return FaissIndex.from_vectors(ids, vectors)


@pytest.fixture(scope="module")
def in_milvus(tmp_path_factory):
    """Put vectors into a collection of a real server, which runs in this process."""
    pytest.importorskip("milvus_lite", reason="milvus-lite is not there for this system")
    client = _client(str(tmp_path_factory.mktemp("milvus") / "vectors.db"), "")
    numbers = count()

    def put(ids, vectors):
        name = f"c{next(numbers)}"
        _make(client, name, ids, vectors)
        client.load_collection(name)
        return MilvusIndex(client, name, len(ids))

    yield put
    client.close()
    _client.cache_clear()


def check_nearest(put, number, dimensions, k, seed, restricted):
    vectors = unit_vectors(number + 1, dimensions, seed)
    ids = np.random.default_rng(seed).permutation(1000)[:number].astype(np.int64)
    allowed = [int(i) for i in ids[::2]] if restricted else None
    found = put(ids, vectors[:-1]).search(vectors[-1:], k, allowed)
    cosines = {int(i): float(vector @ vectors[-1]) for i, vector in zip(ids, vectors[:-1], strict=True)}
    if allowed is not None:
        cosines = {i: cosine for i, cosine in cosines.items() if i in allowed}
    expected = sorted(cosines.items(), key=lambda item: -item[1])[:k]
    assert len(found) == len(expected)
    assert [score for _, score in found] == pytest.approx([score for _, score in expected], abs=1e-5)
    assert all(score == pytest.approx(cosines[i], abs=1e-5) for i, score in found)


CASES = (st.integers(1, 60), st.integers(2, 40), st.integers(1, 80), st.integers(0, 2**32 - 1), st.booleans())


@given(*CASES)
@settings(max_examples=60, deadline=None)
def test_the_nearest_by_brute_force(number, dimensions, k, seed, restricted):
    check_nearest(in_faiss, number, dimensions, k, seed, restricted)


@given(*CASES)
@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_nearest_by_brute_force_in_milvus(in_milvus, number, dimensions, k, seed, restricted):
    check_nearest(in_milvus, number, dimensions, k, seed, restricted)


def test_an_empty_choice_finds_nothing(in_milvus):
    vectors = unit_vectors(5, 8, 1)
    for put in (in_faiss, in_milvus):
        index = put(np.arange(5, dtype=np.int64), vectors)
        assert index.search(vectors[:1], 3, []) == []
        assert index.search(vectors[:1], 0) == []
        assert [number for number, _ in index.search(vectors[2:3], 99, [2, 4, 77])] == [2, 4]


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
