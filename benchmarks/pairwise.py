"""Pairwise logistic regression: weights under which what is wanted scores above what is not, question by question."""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headtree.errors import HeadtreeError

Weights = Mapping[str, float]
Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that is ranked."""

    features: Weights
    wanted: bool
    neutral: bool = False
    """Neither wanted nor unwanted: it takes part in no pair."""


def score(features: Weights, weights: Weights) -> float:
    """Return the weighted sum over the named features."""
    return sum(weight * features[name] for name, weight in weights.items())


def fit(groups: Sequence[Sequence[Item]], names: Sequence[str], *, strength: float) -> dict[str, float]:
    """Return weights fitted to all pairs of a wanted and an unwanted item of one group.

    Features are brought to unit deviation before, so that the penalty weighs on all alike. Each group counts once,
    however many pairs it has.

    Args:
        groups: the items of each question.
        names: which features are used.
        strength: inverse of the L2 penalty over the mean loss of a pair; the larger, the freer the weights.

    Raises:
        HeadtreeError: scikit-learn is not installed, or no group holds a pair.
    """
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError as error:
        raise HeadtreeError("fitting needs scikit-learn: pip install 'headtree[bench]'") from error

    differences, shares = pairs(groups, names)
    if not len(differences):
        raise HeadtreeError("no question has both a wanted and an unwanted item: nothing to fit")
    deviation = differences.std(axis=0) + 1e-6
    scaled = differences / deviation
    shares = shares / shares.mean()
    # Each pair once either way round, so that both classes are there.
    model = LogisticRegression(fit_intercept=False, C=strength / len(scaled), max_iter=3000)
    model.fit(
        np.vstack([scaled, -scaled]),
        np.repeat([1, 0], len(scaled)),
        sample_weight=np.concatenate([shares, shares]),
    )
    fitted: Matrix = model.coef_[0] / deviation
    return {name: float(weight) for name, weight in zip(names, fitted, strict=True)}


def pairs(groups: Sequence[Sequence[Item]], names: Sequence[str]) -> tuple[Matrix, Matrix]:
    """Return feature differences, shape (pairs, names), and how much each pair counts, shape (pairs,)."""
    differences: list[list[float]] = []
    shares: list[float] = []
    for items in groups:
        wanted = [item for item in items if item.wanted]
        unwanted = [item for item in items if not item.wanted and not item.neutral]
        for better in wanted:
            for worse in unwanted:
                differences.append([better.features[name] - worse.features[name] for name in names])
                shares.append(1 / (len(wanted) * len(unwanted)))
    return np.asarray(differences, dtype=np.float64).reshape(-1, len(names)), np.asarray(shares, dtype=np.float64)


def folds(groups: Sequence[Hashable], count: int, *, seed: int | None = None) -> list[int]:
    """Return each entry's fold: entries of one group (a document) share it.

    Args:
        groups: of each entry.
        count: how many folds.
        seed: assign the groups by chance; without one they are assigned so that folds are of about equal size.
    """
    names = sorted(dict.fromkeys(groups), key=str)
    if seed is not None:
        random.Random(seed).shuffle(names)
        place = {name: number % count for number, name in enumerate(names)}
        return [place[group] for group in groups]
    sizes = {group: groups.count(group) for group in names}
    filled = [0] * count
    chosen: dict[Hashable, int] = {}
    for group in sorted(sizes, key=lambda group: (-sizes[group], str(group))):
        chosen[group] = filled.index(min(filled))
        filled[chosen[group]] += sizes[group]
    return [chosen[group] for group in groups]


def scaled_like(weights: Weights, constants: Weights) -> dict[str, float]:
    """Return weights multiplied so that their sizes add up to those of the constants: only proportions rank."""
    size = sum(abs(weight) for weight in weights.values()) or 1.0
    factor = sum(abs(constants[name]) for name in weights) / size
    return {name: weight * factor for name, weight in weights.items()}
