"""How close a question is, by its vector, to what the documents say of each figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headtree.indexing.index import Snapshot
from headtree.models.protocols import Vectors
from headtree.types import Figure, LineSpan

_BESIDE = 3
"""Lines before and after a passage in which an image still stands by it."""
_NO_PASSAGE = 0.2
"""Cosine of an image that no indexed text stands by: three quarters of the passages have more than .28."""


@dataclass(frozen=True, slots=True)
class FigureCosines:
    """Cosines of a question with what is said of one figure, in [-1, 1]."""

    text: float
    """Its own words: label, caption, alternative text; 0 where it has none."""
    passage: float
    """The closest passage that it stands by."""
    mention: float
    """The closest passage that mentions it; that which it stands by where none does."""


def figure_cosines(
    figures: Iterable[Figure], query_vector: Vectors | None, view: Snapshot
) -> Mapping[str, FigureCosines]:
    """Return the cosines of each figure by its id; nothing where there are no vectors.

    Args:
        figures: of any documents of the index.
        query_vector: of the question, shape (1, dimensions).
        view: the index, for the vectors of figures and chunks.
    """
    if query_vector is None:
        return {}
    query = query_vector[0]
    wanted = list(figures)
    texts = {figure_id: float(vector @ query) for figure_id, vector in view.figure_vectors(wanted).items()}
    passages = {doc_id: _passages(doc_id, query, view) for doc_id in {figure.doc_id for figure in wanted}}
    return {
        figure.figure_id: _of_figure(figure, texts.get(figure.figure_id, 0.0), passages[figure.doc_id])
        for figure in wanted
    }


def _passages(doc_id: str, query: NDArray[np.float32], view: Snapshot) -> list[tuple[LineSpan, float]]:
    """Return where a document's passages stand, and their cosines."""
    spans, vectors = view.passage_vectors(doc_id)
    return [(span, float(cosine)) for span, cosine in zip(spans, vectors @ query, strict=True)] if spans else []


def _of_figure(figure: Figure, text: float, passages: Sequence[tuple[LineSpan, float]]) -> FigureCosines:
    stands = [cosine for span, cosine in passages if span.first - _BESIDE <= figure.line <= span.last + _BESIDE]
    mentions = [cosine for span, cosine in passages if any(mention.line in span for mention in figure.mentions)]
    passage = max(stands, default=_NO_PASSAGE)
    return FigureCosines(text, passage, max(mentions, default=passage))
