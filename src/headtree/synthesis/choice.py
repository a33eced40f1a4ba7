"""Which of the offered figures are shown, without a model: few stated features and a careful threshold.

A wrong picture costs more than a missing one, so that the cap is a limit and not a target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from headtree.indexing.chunking import figure_text
from headtree.indexing.figures import parse_label
from headtree.retrieval.question import Question
from headtree.retrieval.terms import stems
from headtree.synthesis.extractive import Quote
from headtree.types import Evidence, FigureDecision, FigureKind, OfferedFigure

WEIGHTS = MappingProxyType(
    {"named": 4.0, "words": 3.0, "dense": 3.0, "quoted": 1.0, "cue": 1.0, "rank": 1.0, "formula": -1.0}
)
THRESHOLD = 2.6


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """The figures that are shown, best first, and a decision on every offered one."""

    shown: tuple[OfferedFigure, ...]
    decisions: tuple[FigureDecision, ...]


def choose_figures(
    question: Question,
    evidence: Evidence,
    quotes: Sequence[Quote],
    similarities: Mapping[str, float],
    *,
    most: int,
) -> FigureChoice:
    """Choose by features.

    Args:
        question: what is asked.
        evidence: the sections and the figures offered with them.
        quotes: what the answer quotes.
        similarities: cosine of question and figure text, by figure id.
        most: how many may be shown.
    """
    scored = []
    for offered in evidence.figures:
        features = figure_features(question, offered, quotes, similarities.get(offered.figure.figure_id, 0.0))
        scored.append((sum(WEIGHTS[name] * value for name, value in features.items()), offered))
    scored.sort(key=lambda item: (-item[0], item[1].section_rank, item[1].figure.line))
    shown = [offered for score, offered in scored if score >= THRESHOLD][:most]
    decisions = tuple(
        FigureDecision(
            offered.figure.figure_id, offered in shown, _reason(score, offered, offered in shown, len(shown), most)
        )
        for score, offered in scored
    )
    return FigureChoice(tuple(shown), decisions)


def figure_features(
    question: Question, offered: OfferedFigure, quotes: Sequence[Quote], similarity: float
) -> Mapping[str, float]:
    """Return the features of one offered figure, each in [0, 1]."""
    figure = offered.figure
    labels = {label.whole for label in parse_label(figure.label)}
    total = sum(question.weights.values()) or 1.0
    found = frozenset(stems(figure_text(figure)))
    return {
        "named": float(any(label.whole in labels for label in question.labels)),
        "words": sum(weight for term, weight in question.weights.items() if term in found) / total,
        "dense": max(0.0, similarity),
        "quoted": float(any(mention.line in _lines(quote) for mention in figure.mentions for quote in quotes)),
        "cue": float(figure.kind in _cued_kinds(question.text)),
        "rank": 1.0 / offered.section_rank,
        "formula": float(figure.kind is FigureKind.FORMULA),
    }


_CUES = {
    FigureKind.FORMULA: r"\b(?:formula\w*|equation|loss|objective|defined|definition|mathematical\w*|update rule)\b",
    FigureKind.TABLE: r"\b(?:tables?|scores?|values?|numbers?|accurac\w+|hyperparameters?|results?"
    r"|how (?:much|many))\b",
    FigureKind.FIGURE: r"\b(?:figures?|diagrams?|pipeline|architecture|framework|illustrat\w+|drawing|look\w*|visual\w*"
    r"|chart|plot|screenshot|curve|flow|overview|panels?)\b",
    FigureKind.ALGORITHM: r"\b(?:algorithms?|pseudo-?code|steps?|procedure|loop)\b",
}


def _cued_kinds(text: str) -> frozenset[FigureKind]:
    """Return the kinds of picture that a question's words ask for."""
    kinds = {kind for kind, pattern in _CUES.items() if re.search(pattern, text, re.IGNORECASE)}
    return frozenset(kinds | ({FigureKind.PART} if FigureKind.FIGURE in kinds else set()))


def _lines(quote: Quote) -> range:
    return range(quote.passage.first_line, quote.passage.last_line + 1)


def _reason(score: float, offered: OfferedFigure, shown: bool, shown_count: int, most: int) -> str:
    if shown:
        return f"{offered.reason}; score {score:.2f}"
    if score >= THRESHOLD and shown_count == most:
        return f"{most} better ones are shown; score {score:.2f}"
    return f"too little speaks for it: score {score:.2f} of {THRESHOLD}"
