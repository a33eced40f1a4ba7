"""Which figures may be shown: those that stand in the evidence, are mentioned there, or are named in the question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from headtree.indexing.index import Snapshot
from headtree.retrieval.question import Question, named_figures
from headtree.types import Candidate, EvidenceSection, Figure, FigureKind, OfferedFigure


def offer_figures(
    question: Question, sections: Sequence[EvidenceSection], candidates: Sequence[Candidate], view: Snapshot
) -> tuple[OfferedFigure, ...]:
    """Return the figures that may be shown, in the order of the evidence, each once, with why.

    Only a figure of a document that the evidence comes from is ever offered. One without a file, and decoration, is
    not.

    Args:
        question: for the figures that it names by number.
        sections: what is read.
        candidates: all sections that were found; their captions may match although they are not read.
        view: the index.
    """
    offered: dict[str, OfferedFigure] = {}
    reasons = (
        (figure, reason, section.rank)
        for section in sections
        for figure, reason in _figures_of(question, section, view)
    )
    for figure, reason, rank in (*reasons, *_by_caption(sections, candidates, view)):
        if figure.figure_id not in offered and figure.kind is not FigureKind.JUNK and figure.exists:
            offered[figure.figure_id] = OfferedFigure(figure, f"F{len(offered) + 1}", reason, rank)
    return tuple(offered.values())


def _by_caption(
    sections: Sequence[EvidenceSection], candidates: Sequence[Candidate], view: Snapshot
) -> Iterator[tuple[Figure, str, int]]:
    """Yield figures of the documents that are read whose caption matches, wherever they stand."""
    documents = {section.doc_id for section in sections}
    for candidate in candidates:
        if candidate.captions and candidate.doc_id in documents:
            figures = view.document(candidate.doc_id).figures_by_path
            for path in candidate.captions:
                yield figures[path], "its caption matches the question", len(sections) + 1


def _figures_of(question: Question, section: EvidenceSection, view: Snapshot) -> Iterator[tuple[Figure, str]]:
    document = view.document(section.doc_id)
    for figure in document.figures:
        if any(line in section.span for line in (figure.line, *figure.also_at)):
            yield figure, f"stands in section {section.rank}"
    for figure in document.figures:
        mention = next((mention for mention in figure.mentions if mention.line in section.span), None)
        if mention is not None:
            yield figure, f"mentioned in section {section.rank} ({mention.text}, line {mention.line})"
    for figure in named_figures(question, document):
        yield figure, "the question names it"
