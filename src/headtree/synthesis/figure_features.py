"""What speaks for each offered figure: the stated features of the choice, each a few lines of code.

Three orders of a document's figures are fused by reciprocal ranks (Cormack et al., 2009): how well the caption
matches, how close the passage is that the image stands by, and how close the passage is that mentions it.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headtree.indexing.chunking import figure_text
from headtree.indexing.index import Snapshot, StoredDocument
from headtree.retrieval.question import Question
from headtree.retrieval.terms import stem_set
from headtree.synthesis.cosines import FigureCosines
from headtree.synthesis.extractive import Quote
from headtree.synthesis.matching import Described, kind_cue, match_scores
from headtree.types import Candidate, Evidence, Figure, FigureKind

_NO_VECTORS = FigureCosines(text=0.0, passage=0.0, mention=0.0)
_TYPICAL_PASSAGE = 0.9
"""``passage`` of every figure where there are no vectors. Measured on five question sets: F1 .62, and .03 pictures a
question of a wrong document; with 1 instead F1 is .62 too, with .07 of a wrong document."""
_FUSED_FROM = 5
"""Added to each rank before its reciprocal is taken: between 2 and 5 it made no difference in F1."""
_HOME_RANGE = 6.0
"""Difference of section scores beyond which a figure's home section says nothing for it any more."""
_NEAR_LINES = 6
"""Lines between an image and a quote within which the quote speaks of it."""
_FORMULA_ASKED = re.compile(
    r"\b(?:formula\w*|equations?|loss(?:es)?|objective|defined|definition|mathematical\w*|update rule|derive\w*"
    r"|work(?:ed)? out|calculat\w*)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FigureFeatures:
    """What speaks for a figure, beside what speaks for the others of its document."""

    fused: float
    """How far the sum of its reciprocal ranks stays behind the best one of its document, in [-1, 0]."""
    passage: float
    """Cosine of the passage that it stands by, as a share of the highest one among its document's figures."""
    home: float
    """How close the best section that holds or mentions it comes to the best of all, by score, in [0, 1]."""
    section: float
    """The share of the question's weight that a section holds which holds or mentions it, in [0, 1]."""
    near: float
    """1 / rank of the section of a quote that stands by the image or mentions it; 0 where none does."""
    around: float
    """The share of the question's weight that its words and the paragraphs round it hold, in [0, 1]."""
    inside_gap: float
    """How far its words and cells stay behind those of its document's best figure in that share, in [-1, 0]."""
    crowd: float
    """The logarithm of the number of its document's figures that are offered."""
    cue: float
    """Whether the question asks for its kind, in [-1, 1]; 0 for a formula."""
    formula_asked: float
    """1 for a formula where one is asked for."""

    def weighted(self, weights: Mapping[str, float]) -> float:
        """Return the sum of the features by their weights."""
        return sum(weight * float(getattr(self, name)) for name, weight in weights.items())


def figure_features(
    question: Question,
    evidence: Evidence,
    quotes: Sequence[Quote],
    cosines: Mapping[str, FigureCosines],
    view: Snapshot,
) -> list[FigureFeatures]:
    """Return the features of each offered figure, in the order of the offer.

    Args:
        question: what is asked.
        evidence: the sections and the figures offered with them.
        quotes: what the answer quotes.
        cosines: of the question with what is said of each figure, by figure id; empty without vectors.
        view: the index.
    """
    figures = [offered.figure for offered in evidence.figures]
    among = _among_its_document(question, figures, cosines, view)
    sections = [_sections(evidence, figure) for figure in figures]
    formula_asked = _FORMULA_ASKED.search(question.text) is not None
    return [
        FigureFeatures(
            fused=beside.fused,
            passage=beside.passage,
            home=_home(evidence, own),
            section=max((section.features.get("coverage", 0.0) for section in own), default=0.0),
            near=max((1 / quote.section.rank for quote in quotes if _speaks_of(quote, figure)), default=0.0),
            around=_share(question, _around(figure, view.document(figure.doc_id))),
            inside_gap=beside.inside_gap,
            crowd=beside.crowd,
            cue=_cue(question, figure),
            formula_asked=float(formula_asked and figure.kind is FigureKind.FORMULA),
        )
        for figure, beside, own in zip(figures, among, sections, strict=True)
    ]


# ------------------------------------------------------------------------------- beside the others of its document


@dataclass(frozen=True, slots=True)
class _Beside:
    """The features that compare a figure with the others of its document."""

    fused: float
    passage: float
    inside_gap: float
    crowd: float


def _among_its_document(
    question: Question, figures: Sequence[Figure], cosines: Mapping[str, FigureCosines], view: Snapshot
) -> list[_Beside]:
    places: defaultdict[str, list[int]] = defaultdict(list)
    for place, figure in enumerate(figures):
        places[figure.doc_id].append(place)
    compared: dict[int, _Beside] = {}
    for doc_id, mine in places.items():
        own = [figures[place] for place in mine]
        beside = _compare(question, own, [cosines.get(f.figure_id, _NO_VECTORS) for f in own], view.document(doc_id))
        compared |= dict(zip(mine, beside, strict=True))
    return [compared[place] for place in range(len(figures))]


def _compare(
    question: Question, figures: Sequence[Figure], cosines: Sequence[FigureCosines], document: StoredDocument
) -> list[_Beside]:
    passages = [known.passage for known in cosines]
    fused = _fused(
        _caption_scores(question, figures, cosines),
        passages,
        [known.mention for known in cosines],
    )
    inside = [_share(question, f"{figure_text(figure)} {_inside(figure, document)}") for figure in figures]
    highest = max(passages)
    return [
        _Beside(
            fused=fused[i] - max(fused),
            passage=passages[i] / highest if highest > 0 else _TYPICAL_PASSAGE,
            inside_gap=inside[i] - max(inside),
            crowd=math.log1p(len(figures)),
        )
        for i in range(len(figures))
    ]


def _fused(*orders: Sequence[float]) -> list[float]:
    """Return each item's reciprocal ranks, averaged over some orders, in (0, 1]; 1 is first in all."""
    sums = [0.0] * len(orders[0])
    for scores in orders:
        for rank, i in enumerate(sorted(range(len(scores)), key=lambda i: -scores[i]), start=1):
            sums[i] += (_FUSED_FROM + 1) / (_FUSED_FROM + rank) / len(orders)
    return sums


def _caption_scores(question: Question, figures: Sequence[Figure], cosines: Sequence[FigureCosines]) -> list[float]:
    described = [
        Described(figure_text(figure), figure.kind, known.text) for figure, known in zip(figures, cosines, strict=True)
    ]
    return match_scores(question.text, question.weights, described)


def _inside(figure: Figure, document: StoredDocument) -> str:
    return document.text(figure.inside) if figure.inside else ""


# -------------------------------------------------------------------------------------------------- each for itself


def _home(evidence: Evidence, sections: Sequence[Candidate]) -> float:
    if not sections:
        return 0.0
    gap = evidence.candidates[0].score - max(section.score for section in sections)
    return 1 - min(gap, _HOME_RANGE) / _HOME_RANGE


def _sections(evidence: Evidence, figure: Figure) -> list[Candidate]:
    """Return the sections that hold the image or mention it: extractors put images on either side of a heading."""
    nodes = {figure.node_id, *(mention.node_id for mention in figure.mentions)}
    return [item for item in evidence.candidates if item.doc_id == figure.doc_id and item.node_id in nodes]


def _speaks_of(quote: Quote, figure: Figure) -> bool:
    """Whether a quote stands by the image or mentions it."""
    if quote.section.doc_id != figure.doc_id:
        return False
    first, last = quote.passage.first_line, quote.passage.last_line
    beside = first - _NEAR_LINES <= figure.line <= last + _NEAR_LINES
    return beside or any(first <= mention.line <= last for mention in figure.mentions)


def _around(figure: Figure, document: StoredDocument) -> str:
    """Return the figure's words, the two paragraphs before the image and the two after it; a listing counts as one."""
    before = _paragraphs(document.lines[max(0, figure.line - 25) : figure.line - 1])
    after = _paragraphs(document.lines[figure.line : figure.line + 25])
    return " ".join((figure_text(figure), *before[-2:], *after[:2]))


def _paragraphs(lines: Sequence[str]) -> list[str]:
    """Return the lines with words, those of a fenced listing joined."""
    found: list[str] = []
    fenced = False
    for line in lines:
        if line.lstrip().startswith("```"):
            fenced = not fenced
            if fenced:
                found.append("")
        elif fenced and found:
            found[-1] += f"{line} "
        elif line.strip():
            found.append(line)
    return [text for text in found if text.strip()]


def _share(question: Question, text: str) -> float:
    """Return the share of the question's weight that a text holds."""
    found = stem_set(text)
    total = sum(question.weights.values()) or 1.0
    return sum(weight for term, weight in question.weights.items() if term in found) / total


def _cue(question: Question, figure: Figure) -> float:
    if figure.kind is FigureKind.FORMULA:
        return 0.0
    return kind_cue(question.text) * (1 if figure.kind is FigureKind.TABLE else -1)
