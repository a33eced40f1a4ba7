"""What the speed benchmark computes, on corpora small enough to check by hand."""

import numpy as np
import pytest

from benchmarks.captions import Bm25, first_right
from benchmarks.corpora import present
from benchmarks.fit_figures import f1
from benchmarks.growth import HashingEmbedder, measure, write_corpus
from benchmarks.measuring import percentile
from benchmarks.pairwise import Item
from headtree.errors import HeadtreeError


def test_percentiles_are_values_that_were_measured():
    assert percentile([5.0, 1.0, 3.0], 0.5) == 3.0
    assert percentile([float(n) for n in range(100)], 0.95) == 95.0
    assert percentile([2.0], 0.95) == 2.0


def test_bm25_weighs_rare_words_more_and_long_texts_less():
    bm25 = Bm25(["cat sat", "cat ran far away home", "cat dog"])
    assert bm25.weight("dog") == pytest.approx(np.log1p(2.5 / 1.5))
    assert bm25.weight("dog") > bm25.weight("cat")
    weights = {"cat": 1.0}
    assert bm25.score(weights, "cat sat") > bm25.score(weights, "cat ran far away home") > 0
    assert bm25.score(weights, "dog") == 0


def test_of_equal_scores_the_first_counts():
    items = [Item({}, False), Item({}, True)]
    assert not first_right(items, [1.0, 1.0])
    assert first_right(items, [1.0, 1.1])


def test_f1_of_nothing_is_nothing():
    assert f1(0.0, 0.0) == 0.0
    assert f1(0.5, 1.0) == pytest.approx(2 / 3)


def test_hashed_vectors_are_unit_and_near_where_words_are_shared():
    embedder = HashingEmbedder()
    vectors = embedder.embed_documents(["low rank gradient projection", "gradient rank", "boiler pump valve"])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx([1, 1, 1])
    assert vectors[0] @ vectors[1] > vectors[0] @ vectors[2]


def test_the_generated_corpus_is_the_same_every_time(tmp_path):
    assert write_corpus(tmp_path / "a", 2) == write_corpus(tmp_path / "b", 2)
    texts = [[file.read_text() for file in sorted((tmp_path / name).rglob("*.md"))] for name in "ab"]
    assert texts[0] == texts[1]
    assert len(set(texts[0])) == 2


def test_one_step_of_growth_measures_what_it_says(tmp_path):
    measured = measure(tmp_path, 1)
    assert measured["documents"] == 1
    assert measured["chunks"] > 20
    assert measured["index_mb"] > 0
    assert measured["total_p50_ms"] <= measured["total_p95_ms"]


def test_absent_sets_are_named():
    with pytest.raises(HeadtreeError, match="none of these question sets"):
        present([])
