"""An answer without a model: quotes, pictures, or the statement that the documents do not answer."""

from __future__ import annotations

from headtree.indexing.index import Snapshot
from headtree.models.protocols import Vectors
from headtree.retrieval.question import Question
from headtree.settings import Settings
from headtree.synthesis.choice import FigureChoice, choose_figures
from headtree.synthesis.cosines import figure_cosines
from headtree.synthesis.extractive import answer_by_quotes
from headtree.types import (
    Answer,
    Citation,
    Evidence,
    FigureDecision,
    OfferedFigure,
    ShownFigure,
    SourceSection,
)

NOT_ANSWERED = "The documents do not answer this."


def synthesise_locally(
    question: Question, evidence: Evidence, query_vector: Vectors | None, view: Snapshot, settings: Settings
) -> Answer:
    """Answer from the evidence by quoting; abstain, with no picture, where it does not bear on the question."""
    if reason := _no_answer(question, evidence):
        decisions = tuple(FigureDecision(o.figure.figure_id, False, reason) for o in evidence.figures)
        return compose_answer(
            question, evidence, f"{NOT_ANSWERED} {reason}", FigureChoice((), decisions), answerable=False
        )
    written = answer_by_quotes(question, evidence, view)
    cosines = figure_cosines((offered.figure for offered in evidence.figures), query_vector, view)
    choice = choose_figures(question, evidence, written.quotes, cosines, view, most=settings.max_figures)
    return compose_answer(question, evidence, written.text, choice, answerable=True, citations=written.citations)


def _no_answer(question: Question, evidence: Evidence) -> str | None:
    """Say why the evidence does not answer, or return ``None``."""
    if not evidence.sections:
        return "Nothing in them bears on the question."
    if evidence.absent_terms:
        terms = ", ".join(f"“{term}”" for term in evidence.absent_terms)
        return f"Nowhere in what was searched: {terms}."
    return None


def compose_answer(
    question: Question,
    evidence: Evidence,
    text: str,
    choice: FigureChoice,
    *,
    answerable: bool,
    citations: tuple[Citation, ...] = (),
    mode: str = "local",
) -> Answer:
    """Put an answer together from its text, its sources and its figures, whoever wrote it."""
    reasons = {decision.figure_id: decision.reason for decision in choice.decisions}
    return Answer(
        question=question.text,
        answer=text,
        answerable=answerable,
        mode=mode,
        citations=citations,
        sections=tuple(
            SourceSection(s.rank, s.doc_id, s.node_id, s.breadcrumb, s.span.first, s.span.last, s.score)
            for s in evidence.sections
        ),
        figures=tuple(_shown(offered, reasons[offered.figure.figure_id]) for offered in choice.shown),
        figure_decisions=choice.decisions,
        warnings=tuple(
            f"section {s.rank} ({' > '.join(s.breadcrumb)}) was read in part: lines {s.span.first}-{s.span.last}"
            for s in evidence.sections
            if s.cut
        ),
    )


def _shown(offered: OfferedFigure, reason: str) -> ShownFigure:
    figure = offered.figure
    return ShownFigure(
        figure_id=figure.figure_id,
        doc_id=figure.doc_id,
        path=figure.path,
        label=figure.label or "",
        caption=figure.caption or figure.alt,
        kind=figure.kind.value,
        node_id=figure.node_id,
        exists=figure.exists,
        reason=reason,
        description=figure.description,
    )
