"""Which of the offered figures are shown, without a model: few stated features and a careful threshold.

A wrong picture costs more than a missing one, so that the cap is a limit and not a target: as a rule the one best
picture of each part of the question, in each document that is asked about, is shown, and others only where they
come close to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from headtree.indexing.chunking import figure_text
from headtree.indexing.figures import parse_label
from headtree.indexing.index import Snapshot, StoredDocument
from headtree.retrieval.question import Question
from headtree.retrieval.terms import content_terms, stem_set
from headtree.synthesis.extractive import Quote
from headtree.synthesis.matching import kind_cue
from headtree.types import Evidence, Figure, FigureDecision, FigureKind, OfferedFigure

WEIGHTS = MappingProxyType(
    {
        "home": 2.8,
        "quoted": 1.5,
        "near": 1.2,
        "formula": -1.2,
        "formula_asked": 5.0,
        "part": -2.3,
        "similarity": 4.0,
        "inside": 4.5,
        "around": 1.5,
        "cue": 1.4,
    }
)
"""Fitted by ``benchmarks/fit_figures.py`` to the question sets papers and docsites (pairs of a needed and an unneeded
figure of one question), cross-validated by document, then rounded."""
_THRESHOLD = 5.5
"""Score under which nothing is shown."""
_MARGIN = 0.4
"""How far below the best of its document a further picture may lie."""
_HOME_RANGE = 6.0
"""Difference of section scores beyond which a figure's home section says nothing for it any more."""
_NEAR_LINES = 6
"""Lines between an image and a quote within which the quote speaks of it."""
_MOST_DOCUMENTS = 3
"""A question that names more documents than this compares none of them one by one."""

_FORMULA_ASKED = re.compile(
    r"\b(?:formula\w*|equations?|loss(?:es)?|objective|defined|definition|mathematical\w*|update rule|derive\w*)\b",
    re.IGNORECASE,
)


_PART_BORDER = re.compile(
    r"[?;.]\s+|,?\s+(?:and|but)\s+(?=(?:what|how|which|why|who|where|when|do(?:es)?|is|are|if|in what)\b)|:\s+"
    r"|,\s+(?=(?:how|what|which|why|when|where)\b)",
    re.IGNORECASE,
)
"""Where a compound question goes over to the next one: "..., and what do they conclude?"."""
_FEWEST_TERMS = 3
"""A part with fewer terms of its own asks for nothing in particular."""


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
    allowed = _allowed_documents(question, evidence)
    best: dict[str, _Scored] = {}
    picked: set[str] = set()
    for part in question_parts(question):
        scored = _score(part, evidence, quotes, similarities, view)
        for item in scored:
            if item.score > best.get(item.figure_id, item).score or item.figure_id not in best:
                best[item.figure_id] = item
        candidates = [item for item in scored if item.offered.figure.doc_id in allowed and _is_read(item, evidence)]
        picked |= {item.figure_id for item in _pick(candidates, question)}
    ranked = sorted(best.values(), key=_order)
    shown = [item for item in ranked if item.figure_id in picked][:most]
    return FigureChoice(
        tuple(item.offered for item in shown),
        tuple(FigureDecision(item.figure_id, item in shown, _reason(item, item in shown, allowed)) for item in ranked),
    )


def _is_read(item: _Scored, evidence: Evidence) -> bool:
    """Whether a figure came with a section that is read: a caption that matches by itself is too weak alone.

    Measured on papers: with such figures precision fell from .70 to .67 and nothing more was found.
    """
    return item.offered.section_rank <= len(evidence.sections)


def _score(
    question: Question,
    evidence: Evidence,
    quotes: Sequence[Quote],
    similarities: Mapping[str, float],
    view: Snapshot,
) -> list[_Scored]:
    scored = []
    for offered in evidence.figures:
        similarity = similarities.get(offered.figure.figure_id, 0.0)
        features = figure_features(question, evidence, offered.figure, quotes, similarity, view)
        scored.append(_Scored(offered, sum(WEIGHTS[name] * value for name, value in features.items())))
    return sorted(scored, key=_order)


def _order(item: _Scored) -> tuple[float, int, int]:
    return -item.score, item.offered.section_rank, item.offered.figure.line


def question_parts(question: Question) -> list[Question]:
    """Return the questions that a compound question asks, each with the terms that are its own; at least one."""
    parts = []
    for text in _PART_BORDER.split(question.text):
        terms = [term for term in content_terms(text) if term in question.weights]
        if len(terms) >= _FEWEST_TERMS:
            weights = {term: question.weights[term] for term in terms}
            parts.append(replace(question, text=text, terms=tuple(terms), weights=weights))
    return parts if len(parts) >= 2 else [question]


def _allowed_documents(question: Question, evidence: Evidence) -> frozenset[str]:
    """Return the documents whose figures may be shown: the few that the question names, else that of the best section.

    Where the question names a whole collection, its name does not tell one page from another.
    """
    if 1 <= len(question.documents) <= _MOST_DOCUMENTS:
        return frozenset(question.documents)
    return frozenset(section.doc_id for section in evidence.sections[:1])


def figure_features(
    question: Question,
    evidence: Evidence,
    figure: Figure,
    quotes: Sequence[Quote],
    similarity: float,
    view: Snapshot,
) -> Mapping[str, float]:
    """Return the features of one offered figure, each in [0, 1] but for ``cue`` in [-1, 1]."""
    document = view.document(figure.doc_id)
    text = figure_text(figure)
    formula = figure.kind is FigureKind.FORMULA
    return {
        "home": 1 - min(_home_gap(evidence, figure), _HOME_RANGE) / _HOME_RANGE,
        "quoted": float(
            any(mention.line in _lines(quote) for mention in figure.mentions for quote in _of(quotes, figure))
        ),
        "near": float(
            any(abs(line - figure.line) <= _NEAR_LINES for quote in _of(quotes, figure) for line in _lines(quote))
        ),
        "formula": float(formula),
        "formula_asked": float(formula and _FORMULA_ASKED.search(question.text) is not None),
        "part": float(figure.kind is FigureKind.PART),
        "similarity": max(0.0, similarity),
        "inside": _coverage(question, f"{text} {_inside(figure, document)}"),
        "around": _coverage(question, f"{text} {_around(figure, document)}"),
        "cue": 0.0 if formula else kind_cue(question.text) * (1 if figure.kind is FigureKind.TABLE else -1),
    }


# ------------------------------------------------------------------------------------------------------ picking


def _pick(scored: Sequence[_Scored], question: Question) -> list[_Scored]:
    """Pick per document where the question names a few, else over all."""
    wanted = {label.whole for label in question.labels}
    named = [item for item in scored if wanted & {label.whole for label in parse_label(item.offered.figure.label)}]
    if named:
        best = named[0].score
        return [item for item in named if item.offered.figure.group is None or item.score >= best - _MARGIN]
    documents = list(dict.fromkeys(item.offered.figure.doc_id for item in scored))
    if not 2 <= len(documents) <= _MOST_DOCUMENTS:
        return _pick_group(scored)
    groups = ([item for item in scored if item.offered.figure.doc_id == doc_id] for doc_id in documents)
    picked = [item for group in groups for item in _pick_group(group)]
    return sorted(picked, key=lambda item: -item.score)


def _pick_group(scored: Sequence[_Scored]) -> list[_Scored]:
    """Pick the best and what comes close; a screenshot brings those of its own section along."""
    if not scored or scored[0].score < _THRESHOLD:
        return []
    best = scored[0]
    picked = [item for item in scored if item.score >= max(_THRESHOLD, best.score - _MARGIN)]
    if best.offered.figure.label is None and best.offered.figure.kind is not FigureKind.FORMULA:
        # Documents without captions show one procedure in several screenshots: they belong together.
        home = (best.offered.figure.doc_id, best.offered.figure.node_id)
        series = [item for item in scored if item not in picked and _is_screenshot_of(item.offered.figure, home)]
        picked = sorted([*picked, *series], key=lambda item: item.offered.figure.line)
    return picked


def _is_screenshot_of(figure: Figure, home: tuple[str, str]) -> bool:
    plain = figure.label is None and figure.kind is not FigureKind.FORMULA
    return plain and (figure.doc_id, figure.node_id) == home


def _reason(item: _Scored, shown: bool, allowed: frozenset[str]) -> str:
    if shown:
        return f"{item.offered.reason}; score {item.score:.1f}"
    if item.offered.figure.doc_id not in allowed:
        return "it is of a document that the question does not ask about"
    if item.score < _THRESHOLD:
        return f"too little speaks for it: score {item.score:.1f} of {_THRESHOLD}"
    return f"others fit better; score {item.score:.1f}"


# ----------------------------------------------------------------------------------------------------- features


def _home_gap(evidence: Evidence, figure: Figure) -> float:
    """Return by how much the figure's own section scored below the best one."""
    best = evidence.candidates[0].score
    for candidate in evidence.candidates:
        if (candidate.doc_id, candidate.node_id) == (figure.doc_id, figure.node_id):
            return best - candidate.score
    return _HOME_RANGE


def _of(quotes: Sequence[Quote], figure: Figure) -> Iterator[Quote]:
    return (quote for quote in quotes if quote.section.doc_id == figure.doc_id)


def _lines(quote: Quote) -> range:
    return range(quote.passage.first_line, quote.passage.last_line + 1)


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
