"""Which of the offered figures are shown, without a model: few stated features and a careful threshold.

A wrong picture costs more than a missing one, so that the cap is a limit and not a target: shown is what probably
answers, each figure for itself, and of a document without captions the other screenshots of the same section.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from headtree.indexing.figures import has_number
from headtree.indexing.index import Snapshot
from headtree.retrieval.question import Question
from headtree.synthesis.cosines import FigureCosines
from headtree.synthesis.extractive import Quote
from headtree.synthesis.figure_features import figure_features
from headtree.types import Evidence, Figure, FigureDecision, FigureKind, OfferedFigure

WEIGHTS = MappingProxyType(
    {
        "fused": 2.37,
        "passage": 4.7,
        "home": 2.79,
        "section": 1.8,
        "near": 1.0,
        "around": 1.95,
        "inside_gap": 3.1,
        "crowd": -0.66,
        "cue": 0.86,
        "formula_asked": 1.34,
    }
)
_BIAS = -7.2
"""With ``WEIGHTS`` a logistic regression, fitted by ``benchmarks/fit_figures.py`` to whether a figure is needed,
cross-validated by document, then rounded."""
_THRESHOLD = -0.6
"""Log odds under which a figure is not shown: where F1 is best on those question sets."""
_MOST_DOCUMENTS = 3
"""A question that names more documents than this compares none of them one by one."""


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
    cosines: Mapping[str, FigureCosines],
    view: Snapshot,
    *,
    most: int,
) -> FigureChoice:
    """Choose by features; what the question names is shown, and then no other figure.

    Args:
        question: what is asked.
        evidence: the sections and the figures offered with them.
        quotes: what the answer quotes.
        cosines: of the question with what is said of each figure, by figure id; empty without vectors.
        view: the index.
        most: how many may be shown.
    """
    allowed = allowed_documents(question, evidence)
    ranked = sorted(_score(question, evidence, quotes, cosines, view), key=_order)
    shown = _pick([item for item in ranked if item.offered.figure.doc_id in allowed], question, view)[:most]
    return FigureChoice(
        tuple(item.offered for item in shown),
        tuple(FigureDecision(item.figure_id, item in shown, _reason(item, item in shown, allowed)) for item in ranked),
    )


def _score(
    question: Question,
    evidence: Evidence,
    quotes: Sequence[Quote],
    cosines: Mapping[str, FigureCosines],
    view: Snapshot,
) -> Iterator[_Scored]:
    features = figure_features(question, evidence, quotes, cosines, view)
    for offered, values in zip(evidence.figures, features, strict=True):
        yield _Scored(offered, _BIAS + values.weighted(WEIGHTS))


def _order(item: _Scored) -> tuple[float, int, int]:
    return -item.score, item.offered.section_rank, item.offered.figure.line


def allowed_documents(question: Question, evidence: Evidence) -> frozenset[str]:
    """Return the documents whose figures may be shown: the few that the question names, else that of the best section.

    Where the question names a whole collection, its name does not tell one page from another.
    """
    if 1 <= len(question.documents) <= _MOST_DOCUMENTS:
        return frozenset(question.documents)
    return frozenset(section.doc_id for section in evidence.sections[:1])


# ------------------------------------------------------------------------------------------------------ picking


def _pick(scored: Sequence[_Scored], question: Question, view: Snapshot) -> list[_Scored]:
    """Pick the figures that the question names, and then no other; else those over the threshold.

    They are named by number, or as a section whose title is quoted: "What does “Wiring” say?".
    """
    if named := [item for item in scored if has_number(item.offered.figure, question.labels)]:
        return named
    if named := [item for item in scored if question.quotes_title(_home_title(item.offered.figure, view))]:
        return named
    picked = [item for item in scored if item.score >= _THRESHOLD]
    if picked and _is_plain(picked[0].offered.figure):
        # Documents without captions show one procedure in several screenshots: they belong together.
        first = picked[0].offered.figure
        series = [item for item in scored if item not in picked and _is_beside(item.offered.figure, first)]
        picked = sorted([*picked, *series], key=lambda item: item.offered.figure.line)
    return picked


def _home_title(figure: Figure, view: Snapshot) -> str:
    return view.document(figure.doc_id).sections[figure.node_id].title


def _is_plain(figure: Figure) -> bool:
    """Whether a figure has no number: a screenshot."""
    return figure.label is None and figure.kind is not FigureKind.FORMULA


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
