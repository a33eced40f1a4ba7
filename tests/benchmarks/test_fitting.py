"""The fitting scripts' own arithmetic, against numbers made by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.pairwise import Item, fit, folds, pairs, scaled_like, score


def test_pairs_are_differences_within_a_question_and_each_question_counts_once():
    first = [Item({"a": 3.0}, True), Item({"a": 1.0}, False), Item({"a": 2.0}, False)]
    second = [Item({"a": 5.0}, True), Item({"a": 1.0}, False), Item({"a": 9.0}, False, neutral=True)]
    differences, shares = pairs([first, second, [Item({"a": 7.0}, True)]], ["a"])
    assert differences.tolist() == [[2.0], [1.0], [4.0]]
    assert shares.tolist() == [0.5, 0.5, 1.0]


def test_no_pair_still_has_the_shape_of_the_features():
    differences, shares = pairs([], ["a", "b"])
    assert differences.shape == (0, 2)
    assert shares.shape == (0,)


def test_fitted_weights_put_what_is_wanted_first():
    pytest.importorskip("sklearn", reason="scikit-learn is in the extra `bench`")
    random = np.random.default_rng(7)
    groups = []
    for _ in range(40):
        rows = random.normal(size=(6, 3))
        best = int(np.argmax(rows @ np.array([2.0, -1.0, 0.0])))
        groups.append([Item(dict(zip("abc", row, strict=True)), i == best) for i, row in enumerate(rows.tolist())])
    weights = fit(groups, ["a", "b", "c"], strength=1000.0)
    assert weights["a"] > 0 > weights["b"]
    assert abs(weights["c"]) < abs(weights["b"])
    first = [max(items, key=lambda item: score(item.features, weights)).wanted for items in groups]
    assert sum(first) >= 38


@given(st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60), st.integers(2, 6))
def test_a_document_lies_in_one_fold(documents, count):
    chosen = folds(documents, count)
    assert len(chosen) == len(documents)
    assert len({(document, fold) for document, fold in zip(documents, chosen, strict=True)}) == len(set(documents))
    assert all(0 <= fold < count for fold in chosen)


def test_folds_are_of_about_equal_size():
    chosen = folds([*"aaaa", *"bb", *"cc", *"d"], 2)
    assert sorted((chosen.count(0), chosen.count(1))) == [4, 5]


def test_scaling_keeps_proportions_and_takes_the_size_of_the_constants():
    scaled = scaled_like({"a": 1.0, "b": -3.0}, {"a": 2.0, "b": -2.0, "c": 9.0})
    assert scaled == {"a": 1.0, "b": -3.0}
    assert scaled_like({"a": 0.5, "b": -1.5}, {"a": 2.0, "b": -2.0}) == scaled
