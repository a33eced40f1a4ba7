"""Which of the offered figures are shown, without a model: few stated features and a careful threshold.

A wrong picture costs more than a missing one, so that the cap is a limit and not a target: shown is what probably
answers, each figure for itself, and of a document without captions the other screenshots of the same section.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from headtree.indexing.chunking import figure_text
from headtree.indexing.figures import has_number
from headtree.indexing.index import Snapshot, StoredDocument
from headtree.retrieval.question import Question
from headtree.retrieval.terms import stem_set
from headtree.synthesis.extractive import Quote
from headtree.synthesis.matching import Described, kind_cue, match_features
from headtree.types import Evidence, Figure, FigureDecision, FigureKind, OfferedFigure

WEIGHTS = MappingProxyType(
    {
        "home": 3.0,
        "rank": -0.3,
        "crowd": -0.5,
        "near": 1.0,
        "formula_asked": 1.3,
        "similarity": 2.8,
        "grams": 1.4,
        "around": 2.6,
        "inside_gap": 2.6,
        "cue": 1.1,
    }
)
_BIAS = -5.2
"""With ``WEIGHTS`` a logistic regression, fitted by ``benchmarks/fit_figures.py`` to whether a figure is needed (the
question sets papers, docsites and sample), cross-validated by document, then rounded."""
_THRESHOLD = -0.8
"""Log odds under which a figure is not shown: where F1 is best on those sets."""
_TYPICAL_SIMILARITY = 0.45
"""Cosine that is taken where there are no vectors, so that the other features decide: on those sets the mean of the
figures that are not needed is .42, that of the needed ones .55."""
_HOME_RANGE = 6.0
"""Difference of section scores beyond which a figure's home section says nothing for it any more."""
_NEAR_LINES = 6
"""Lines between an image and a quote within which the quote speaks of it."""
_MOST_DOCUMENTS = 3
"""A question that names more documents than this compares none of them one by one."""

_FORMULA_ASKED = re.compile(
    r"\b(?:formula\w*|equations?|loss(?:es)?|objective|defined|definition|mathematical\w*|update rule|derive\w*"
    r"|work(?:ed)? out|calculat\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FigureChoice:
    """The figures that are shown, best first, and a decision on every offered one."""

    shown: tuple[OfferedFigure, ...]
    decisions: tuple[FigureDecision, ...]


@dataclass(frozen=True, slots=True)
class _Scored:
    offered: OfferedFigure
    score: float

    @property
    def figure_id(self) -> str:
        return self.offered.figure.figure_id


def choose_figures(
    question: Question,
    evidence: Evidence,
    quotes: Sequence[Quote],
    similarities: Mapping[str, float],
    view: Snapshot,
    *,
    most: int,
) -> FigureChoice:
    """Choose by features; a figure that the question names by number is shown, and then no other.

    Args:
        question: what is asked.
        evidence: the sections and the figures offered with them.
        quotes: what the answer quotes.
        similarities: cosine of question and figure text, by figure id.
        view: the index.
        most: how many may be shown.
    """
    allowed = allowed_documents(question, evidence)
    ranked = sorted(_score(question, evidence, quotes, similarities, view), key=_order)
    shown = _pick([item for item in ranked if item.offered.figure.doc_id in allowed], question)[:most]
    return FigureChoice(
        tuple(item.offered for item in shown),
        tuple(FigureDecision(item.figure_id, item in shown, _reason(item, item in shown, allowed)) for item in ranked),
    )


def _score(
    question: Question,
    evidence: Evidence,
    quotes: Sequence[Quote],
    similarities: Mapping[str, float],
    view: Snapshot,
) -> Iterator[_Scored]:
    features = figure_features(question, evidence, quotes, similarities, view)
    for offered, values in zip(evidence.figures, features, strict=True):
        yield _Scored(offered, _BIAS + sum(WEIGHTS[name] * value for name, value in values.items()))


def _order(item: _Scored) -> tuple[float, int, int]:
    return -item.score, item.offered.section_rank, item.offered.figure.line


def allowed_documents(question: Question, evidence: Evidence) -> frozenset[str]:
    """Return the documents whose figures may be shown: the few that the question names, else that of the best section.

    Where the question names a whole collection, its name does not tell one page from another.
    """
    if 1 <= len(question.documents) <= _MOST_DOCUMENTS:
        return frozenset(question.documents)
    return frozenset(section.doc_id for section in evidence.sections[:1])


def figure_features(
    question: Question,
    evidence: Evidence,
    quotes: Sequence[Quote],
    similarities: Mapping[str, float],
    view: Snapshot,
) -> list[Mapping[str, float]]:
    """Return the features of each offered figure.

    Returns:
        Per figure: ``home``, how close its own section's score comes to the best one, in [0, 1]; ``rank`` of the
        section that it is offered with, from 1; ``crowd``, the logarithm of the figures offered from its section;
        ``near``, 1 where a quote of the answer stands by it; ``formula_asked``, 1 for a formula where one is asked
        for; ``similarity``, the cosine of question and figure text; ``grams``, see ``match_features``; ``around``,
        the share of the question's weight in its text and the paragraphs round it; ``inside_gap``, how far its text
        and cells stay behind those of the document's best figure in that share; ``cue`` in [-1, 1], whether the
        question asks for its kind.
    """
    figures = [offered.figure for offered in evidence.figures]
    described = [Described(figure_text(f), f.kind, _similarity(f, similarities)) for f in figures]
    matches = match_features(question.text, question.weights, described)
    inside = [_coverage(question, f"{figure_text(f)} {_inside(f, view.document(f.doc_id))}") for f in figures]
    most_inside: dict[str, float] = {}
    for figure, share in zip(figures, inside, strict=True):
        most_inside[figure.doc_id] = max(share, most_inside.get(figure.doc_id, 0.0))
    crowds = Counter((figure.doc_id, figure.node_id) for figure in figures)
    return [
        {
            "home": 1 - min(_home_gap(evidence, figure), _HOME_RANGE) / _HOME_RANGE,
            "rank": float(offered.section_rank),
            "crowd": math.log1p(crowds[(figure.doc_id, figure.node_id)]),
            "near": float(_is_near_a_quote(figure, quotes)),
            "formula_asked": float(_is_formula(figure) and _FORMULA_ASKED.search(question.text) is not None),
            "similarity": _similarity(figure, similarities),
            "grams": match["grams"],
            "around": _coverage(question, f"{figure_text(figure)} {_around(figure, view.document(figure.doc_id))}"),
            "inside_gap": share - most_inside[figure.doc_id],
            "cue": _cue(question, figure),
        }
        for offered, figure, match, share in zip(evidence.figures, figures, matches, inside, strict=True)
    ]


# ------------------------------------------------------------------------------------------------------ picking


def _pick(scored: Sequence[_Scored], question: Question) -> list[_Scored]:
    """Pick the figures that the question names by number, and then no other; else those over the threshold."""
    if named := [item for item in scored if has_number(item.offered.figure, question.labels)]:
        return named
    picked = [item for item in scored if item.score >= _THRESHOLD]
    if picked and _is_plain(picked[0].offered.figure):
        # Documents without captions show one procedure in several screenshots: they belong together.
        first = picked[0].offered.figure
        series = [item for item in scored if item not in picked and _is_beside(item.offered.figure, first)]
        picked = sorted([*picked, *series], key=lambda item: item.offered.figure.line)
    return picked


def _is_plain(figure: Figure) -> bool:
    """Whether a figure has no number: a screenshot."""
    return figure.label is None and not _is_formula(figure)


def _is_beside(figure: Figure, other: Figure) -> bool:
    return _is_plain(figure) and (figure.doc_id, figure.node_id) == (other.doc_id, other.node_id)


def _reason(item: _Scored, shown: bool, allowed: frozenset[str]) -> str:
    if shown:
        return f"{item.offered.reason}; score {item.score:.1f}"
    if item.offered.figure.doc_id not in allowed:
        return "it is of a document that the question does not ask about"
    if item.score < _THRESHOLD:
        return f"too little speaks for it: score {item.score:.1f}, shown from {_THRESHOLD}"
    return f"others fit better: score {item.score:.1f}"


# ----------------------------------------------------------------------------------------------------- features


def _home_gap(evidence: Evidence, figure: Figure) -> float:
    """Return by how much the figure's own section scored below the best one."""
    best = evidence.candidates[0].score
    for candidate in evidence.candidates:
        if (candidate.doc_id, candidate.node_id) == (figure.doc_id, figure.node_id):
            return best - candidate.score
    return _HOME_RANGE


def _similarity(figure: Figure, similarities: Mapping[str, float]) -> float:
    return max(0.0, similarities.get(figure.figure_id, _TYPICAL_SIMILARITY))


def _is_formula(figure: Figure) -> bool:
    return figure.kind is FigureKind.FORMULA


def _cue(question: Question, figure: Figure) -> float:
    if _is_formula(figure):
        return 0.0
    return kind_cue(question.text) * (1 if figure.kind is FigureKind.TABLE else -1)


def _is_near_a_quote(figure: Figure, quotes: Sequence[Quote]) -> bool:
    return any(
        quote.passage.first_line - _NEAR_LINES <= figure.line <= quote.passage.last_line + _NEAR_LINES
        for quote in quotes
        if quote.section.doc_id == figure.doc_id
    )


def _coverage(question: Question, text: str) -> float:
    """Return the share of the question's weight that a text holds."""
    found = stem_set(text)
    total = sum(question.weights.values()) or 1.0
    return sum(weight for term, weight in question.weights.items() if term in found) / total


def _inside(figure: Figure, document: StoredDocument) -> str:
    return document.text(figure.inside) if figure.inside else ""


def _around(figure: Figure, document: StoredDocument) -> str:
    """Return the two paragraphs before an image and the two after it."""
    before = [text for text in document.lines[max(0, figure.line - 25) : figure.line - 1] if text.strip()]
    after = [text for text in document.lines[figure.line : figure.line + 25] if text.strip()]
    return " ".join((*before[-2:], *after[:2]))
