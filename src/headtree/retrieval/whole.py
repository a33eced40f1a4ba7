"""Whole documents as evidence, where all that is asked about fits into the model's context."""

from __future__ import annotations

from headtree.indexing.index import Snapshot
from headtree.models.envelopes import estimate_tokens
from headtree.retrieval.offer import offer_figures
from headtree.retrieval.question import Question
from headtree.types import Evidence, EvidenceSection


def read_whole_documents(question: Question, view: Snapshot, *, tokens: int) -> Evidence | None:
    """Return the chosen documents (all where none was chosen) whole; ``None`` where they do not fit.

    They come in the order of their ids, whatever the question, so that a service keeps them between questions.

    Args:
        question: what is asked.
        view: the index.
        tokens: most of all documents together, estimated.
    """
    sections: list[EvidenceSection] = []
    left = tokens
    for doc_id in question.documents if question.restricted else view.document_ids():
        document = view.document(doc_id)
        root = next(iter(document.sections.values()))
        text = document.text(root.span)
        left -= estimate_tokens(text)
        if left < 0:
            return None
        sections.append(
            EvidenceSection(
                rank=len(sections) + 1,
                doc_id=doc_id,
                node_id=root.node_id,
                breadcrumb=root.breadcrumb,
                span=root.span,
                score=0.0,
                text=text,
                reason="read whole",
            )
        )
    return Evidence(
        question=question.text,
        sections=tuple(sections),
        figures=offer_figures(question, sections, (), view),
        named_documents=question.documents,
    )
