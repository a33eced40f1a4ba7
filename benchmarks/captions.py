"""How well captions match questions: the right figure first among those of its paper (SPIQA test A, 118 papers)."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np
from numpy.typing import NDArray

from benchmarks.corpora import SHARED
from benchmarks.pairwise import Item, Weights, fit, folds, score
from headtree.models.protocols import Embedder, Vectors
from headtree.retrieval.terms import content_terms, stems
from headtree.synthesis.matching import WEIGHTS, Described, match_features
from headtree.types import FigureKind

FOLDS = 5
STRENGTH = 10_000.0
FOLDER = SHARED / "figureqa"


@dataclass(frozen=True, slots=True)
class CaptionQuestion:
    """A question whose answer is one figure of a known paper."""

    paper: str
    items: tuple[Item, ...]
    """One per figure of the paper; one of them is wanted."""
    bm25: tuple[float, ...]
    """For comparison: BM25 of the captions."""


def load(embedder: Embedder, folder: Path = FOLDER) -> list[CaptionQuestion]:
    """Read the questions, with the features that the package gives each figure of the paper."""
    figures = [json.loads(line) for line in (folder / "figures.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = json.loads((folder / "questions.json").read_text(encoding="utf-8"))["test_queries"]
    vectors = dict(zip((f["file"] for f in figures), _embed(embedder, [f["caption"] for f in figures]), strict=True))
    by_paper: dict[str, list[Mapping[str, str]]] = defaultdict(list)
    for figure in figures:
        by_paper[figure["doc"]].append(figure)
    bm25 = Bm25([figure["caption"] for figure in figures])
    asked = _embed(embedder, [question["query"] for question in questions])
    found = []
    for question, vector in zip(questions, asked, strict=True):
        competing = by_paper[question["docs"][0]]
        described = [_described(figure, vector, vectors) for figure in competing]
        weights = {term: bm25.weight(term) for term in content_terms(question["query"])}
        features = match_features(question["query"], weights, described)
        gold = question["must_images"][0]
        items = tuple(Item(f, figure["file"] == gold) for f, figure in zip(features, competing, strict=True))
        scores = tuple(bm25.score(weights, figure["caption"]) for figure in competing)
        found.append(CaptionQuestion(question["docs"][0], items, scores))
    return found


def _embed(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    return embedder.embed_documents(texts)


def _described(
    figure: Mapping[str, str], question: NDArray[np.float32], vectors: Mapping[str, NDArray[np.float32]]
) -> Described:
    kind = FigureKind.TABLE if figure["content_type"] == "table" else FigureKind.FIGURE
    return Described(figure["caption"], kind, float(question @ vectors[figure["file"]]))


class Bm25:
    """BM25 with the usual constants (k1 = 1.2, b = .75), as a measure of what words alone give."""

    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(stems(text)) for text in texts]
        self._frequencies = Counter(term for counts in counted for term in counts)
        self._number = len(texts)
        self._mean_length = mean(sum(counts.values()) for counts in counted)

    def weight(self, term: str) -> float:
        """Return the inverse document frequency of a stem."""
        frequency = self._frequencies[term]
        return math.log1p((self._number - frequency + 0.5) / (frequency + 0.5))

    def score(self, weights: Mapping[str, float], text: str) -> float:
        """Score a text for the weighted stems of a question."""
        counts = Counter(stems(text))
        norm = 1.2 * (0.25 + 0.75 * sum(counts.values()) / self._mean_length)
        return sum(weight * counts[term] * 2.2 / (counts[term] + norm) for term, weight in weights.items())


def first_right(items: Sequence[Item], scores: Sequence[float]) -> bool:
    """Whether the best item is the wanted one; of equals the first counts."""
    return items[max(range(len(scores)), key=lambda i: scores[i])].wanted


def accuracy(questions: Sequence[CaptionQuestion], weights: Weights) -> float:
    """Return the share of questions whose figure comes first."""
    return mean(first_right(q.items, [score(item.features, weights) for item in q.items]) for q in questions)


def cross_validated(questions: Sequence[CaptionQuestion], names: Sequence[str]) -> float:
    """Return the accuracy with weights that were fitted without the question's paper."""
    fold_of = folds([question.paper for question in questions], FOLDS)
    right = 0.0
    for fold in range(FOLDS):
        kept = [q.items for q, f in zip(questions, fold_of, strict=True) if f != fold]
        held = [q for q, f in zip(questions, fold_of, strict=True) if f == fold]
        right += accuracy(held, fit(kept, names, strength=STRENGTH)) * len(held)
    return right / len(questions)


def bm25_accuracy(questions: Sequence[CaptionQuestion]) -> float:
    """Return the accuracy of BM25 alone."""
    return mean(first_right(question.items, question.bm25) for question in questions)


def refitted(questions: Sequence[CaptionQuestion]) -> dict[str, float]:
    """Return weights fitted to all questions."""
    return fit([question.items for question in questions], list(WEIGHTS), strength=STRENGTH)
