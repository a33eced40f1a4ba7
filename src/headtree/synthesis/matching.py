"""How well a figure's words (label, caption, alternative text) match a question.

Weights come from ``benchmarks/fit_figures.py``: a softmax over the figures of one paper, fitted to 666 questions
about captions of 118 papers (SPIQA test A), cross-validated by paper: the right figure is first in .72 of them
(BM25 over captions alone: .65).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from headtree.retrieval.terms import stems
from headtree.types import FigureKind

WEIGHTS = MappingProxyType({"words": 4.0, "grams": 4.0, "dense": 4.0, "length": -1.2, "cue": 0.7})

_GRAM = 4
"""Length of the character runs that match across word forms and inside compounds."""

_TABLE_CUE = re.compile(
    r"\b(?:overall|achiev\w*|compar\w*|datasets?|across|highest|lowest|best|worst|baselines?|perform\w*|outperform\w*"
    r"|scores?|f1|accurac\w*|metrics?|tests?|settings?|sizes?|how (?:many|much)|percent\w*|averages?|statistics|values?"
    r"|results?|tables?|numbers?|hyper-?parameters?|improve\w*|ablation|combin\w*)\b",
    re.IGNORECASE,
)
_PICTURE_CUE = re.compile(
    r"\b(?:purpose|roles?|steps?|relationships?|networks?|process\w*|architectur\w*|modules?|frameworks?|graphs?|maps?"
    r"|functions?|affects?|connect\w*|algorithms?|illustrat\w*|look\w*|visual\w*|diagrams?|pipelines?|flow\w*"
    r"|structures?|components?|curves?|plots?|trends?|figures?|examples?|generat\w*|reconstruct\w*|distribution"
    r"|drawings?|over time|changes?)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Described:
    """A figure as matching sees it."""

    text: str
    kind: FigureKind
    similarity: float
    """Cosine of the question and the text; 0 where there are no vectors."""


def match_scores(question: str, weights: Mapping[str, float], figures: Sequence[Described]) -> list[float]:
    """Return how well each figure matches, higher is better; see ``match_features``."""
    features = match_features(question, weights, figures)
    return [sum(weight * values[name] for name, weight in WEIGHTS.items()) for values in features]


def match_features(
    question: str, weights: Mapping[str, float], figures: Sequence[Described]
) -> list[Mapping[str, float]]:
    """Return the features of each figure; comparable among them, and roughly between questions.

    Args:
        question: the text of the question.
        weights: inverse document frequency of the question's stems.
        figures: all that compete: the figures of a document.

    Returns:
        Per figure: ``words`` and ``grams``, the share of the question's weight that its text holds, by stems and by
        runs of characters; ``dense``, a cosine; ``length``, the logarithm of its words; ``cue`` in [-1, 1], whether
        the question asks for its kind. All 0 for a figure without words.
    """
    total = sum(weights.values()) or 1.0
    gram_weights = _gram_weights(question, figures)
    total_grams = sum(gram_weights.values()) or 1.0
    cue = kind_cue(question)
    features: list[Mapping[str, float]] = []
    for figure in figures:
        found = _stem_counts(figure.text)
        if not found:
            features.append(dict.fromkeys(WEIGHTS, 0.0))
            continue
        grams = _grams(figure.text)
        features.append(
            {
                "words": sum(weight for term, weight in weights.items() if term in found) / total,
                "grams": sum(weight for gram, weight in gram_weights.items() if gram in grams) / total_grams,
                "dense": figure.similarity,
                "length": math.log(1 + sum(found.values())),
                "cue": cue if figure.kind is FigureKind.TABLE else -cue,
            }
        )
    return features


def kind_cue(question: str) -> float:
    """Return 1 where the words of a question ask for a table, -1 for a picture, something between where unclear."""
    table = len({word.lower() for word in _TABLE_CUE.findall(question)})
    picture = len({word.lower() for word in _PICTURE_CUE.findall(question)})
    return max(-2, min(2, table - picture)) / 2


def _gram_weights(question: str, figures: Sequence[Described]) -> Mapping[str, float]:
    """Weigh the question's character runs by how few of the competing figures hold them; 0 for none."""
    wanted = _grams(question)
    counts: Counter[str] = Counter()
    for figure in figures:
        counts.update(wanted & _grams(figure.text))
    number = len(figures)
    return {gram: math.log1p((number - count + 0.5) / (count + 0.5)) for gram, count in counts.items()}


@lru_cache(maxsize=20_000)
def _grams(text: str) -> frozenset[str]:
    padded = f" {re.sub(r'[^0-9a-zA-Z_]+', ' ', text.lower())} "
    return frozenset(padded[start : start + _GRAM] for start in range(len(padded) - _GRAM + 1))


@lru_cache(maxsize=20_000)
def _stem_counts(text: str) -> Mapping[str, int]:
    return Counter(stems(text))
