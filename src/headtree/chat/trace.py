"""How an answer was found: what recall gave, what was read, which pictures were offered and the decision on each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headtree.indexing.index import Snapshot
from headtree.types import Answer, Evidence, FigureDecision, OfferedFigure


@dataclass(frozen=True, slots=True)
class Step:
    """A step of the pipeline, as it was reported."""

    stage: str
    detail: str
    seconds: float
    """Since the question was asked, when the step began."""


@dataclass(frozen=True, slots=True)
class TracedCandidate:
    """A section that recall found."""

    rank: int
    """By the re-ranker; 1 is the best."""
    doc_id: str
    node_id: str
    breadcrumb: tuple[str, ...]
    score: float
    reason: str
    read_as: int | None
    """The number of the section that was read and holds this one; ``None`` where it was not read."""
    features: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TracedFigure:
    """A picture that was offered, and what was decided."""

    figure_id: str
    doc_id: str
    path: str
    handle: str
    label: str
    caption: str
    offered: str
    """Why it was offered."""
    shown: bool
    decision: str


@dataclass(frozen=True, slots=True)
class Trace:
    """All that an answer was made from."""

    steps: tuple[Step, ...] = ()
    candidates: tuple[TracedCandidate, ...] = ()
    figures: tuple[TracedFigure, ...] = ()
    absent_terms: tuple[str, ...] = ()
    named_documents: tuple[str, ...] = ()
    searched: tuple[str, ...] = ()
    """The documents that were searched: those of the filter, or all."""


def make_trace(
    answer: Answer, evidence: Evidence, view: Snapshot, steps: tuple[Step, ...], searched: tuple[str, ...]
) -> Trace:
    """Put together what an answer was made from, while the index still is in the state that was searched."""
    decisions = {decision.figure_id: decision for decision in answer.figure_decisions}
    return Trace(
        steps=steps,
        candidates=tuple(_candidates(evidence, view)),
        figures=tuple(_figure(offered, decisions.get(offered.figure.figure_id)) for offered in evidence.figures),
        absent_terms=evidence.absent_terms,
        named_documents=evidence.named_documents,
        searched=searched,
    )


def _candidates(evidence: Evidence, view: Snapshot) -> list[TracedCandidate]:
    traced = []
    for rank, candidate in enumerate(evidence.candidates, start=1):
        section = view.document(candidate.doc_id).sections.get(candidate.node_id)
        if section is None:  # the index was built anew between the answer and its trace
            continue
        read_as = next(
            (s.rank for s in evidence.sections if s.doc_id == candidate.doc_id and section.line in s.span), None
        )
        traced.append(
            TracedCandidate(
                rank=rank,
                doc_id=candidate.doc_id,
                node_id=candidate.node_id,
                breadcrumb=section.breadcrumb,
                score=round(candidate.score, 4),
                reason=candidate.reason,
                read_as=read_as,
                features={name: round(value, 3) for name, value in candidate.features.items()},
            )
        )
    return traced


def _figure(offered: OfferedFigure, decision: FigureDecision | None) -> TracedFigure:
    figure = offered.figure
    return TracedFigure(
        figure_id=figure.figure_id,
        doc_id=figure.doc_id,
        path=figure.path,
        handle=offered.handle,
        label=figure.label or "",
        caption=figure.caption or figure.alt,
        offered=offered.reason,
        shown=decision.shown if decision else False,
        decision=decision.reason if decision else "no decision was recorded",
    )
