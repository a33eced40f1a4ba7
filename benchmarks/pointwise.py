"""Logistic regression of whether each item is wanted, whatever else competes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks.pairwise import Item, Weights
from headtree.errors import HeadtreeError


@dataclass(frozen=True, slots=True)
class Fitted:
    """A regression: log odds are the weighted features plus the bias."""

    weights: Weights
    bias: float


def fit_pointwise(groups: Sequence[Sequence[Item]], names: Sequence[str], *, strength: float) -> Fitted:
    """Return the regression over the items of all questions, neutral ones left out.

    Features are brought to unit deviation before, so that the penalty weighs on all alike.

    Args:
        groups: the items of each question.
        names: which features are used.
        strength: inverse of the L2 penalty; the larger, the freer the weights.

    Raises:
        HeadtreeError: scikit-learn is not installed, or all items are wanted, or none.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise HeadtreeError("fitting needs scikit-learn: pip install 'headtree[bench]'") from error

    items = [item for group in groups for item in group if not item.neutral]
    wanted = np.asarray([item.wanted for item in items])
    if wanted.all() or not wanted.any():
        raise HeadtreeError("nothing to fit: the questions need all of the figures, or none")
    values = np.asarray([[item.features[name] for name in names] for item in items], dtype=np.float64)
    mean, deviation = values.mean(axis=0), values.std(axis=0) + 1e-6
    model = LogisticRegression(C=strength, max_iter=3000).fit((values - mean) / deviation, wanted)
    weights = model.coef_[0] / deviation
    return Fitted(
        {name: float(weight) for name, weight in zip(names, weights, strict=True)},
        float(model.intercept_[0] - weights @ mean),
    )
