"""What led to an answer: the candidates, the pictures that were offered, and the numbers that were read and cited."""

from __future__ import annotations

from typing import Any

from headtree.evaluation.gold import SuiteQuestion
from headtree.evaluation.measures import numbers_in
from headtree.indexing.index import Snapshot
from headtree.types import Answer, Candidate, Citation, Evidence


def trail_of(question: SuiteQuestion, answer: Answer, evidence: Evidence, view: Snapshot) -> dict[str, Any]:
    """Return the fields of a result that the answer itself does not have.

    ``read_numbers`` are those of the gold's numbers that stand in the sections that were read, ``cited_numbers`` those
    of the answer's that stand in the sections it cites.
    """
    read = numbers_in("\n".join(section.text for section in evidence.sections))
    cited = numbers_in("\n".join(_cited_text(citation, view) for citation in answer.citations))
    wanted = numbers_in("\n".join((*question.numbers, *question.computed)))
    return {
        "candidates": candidate_rows(evidence, view),
        "offered": offered_rows(evidence),
        "read_numbers": sorted(read & wanted),
        "cited_numbers": sorted(cited & numbers_in(answer.answer)),
    }


def candidate_rows(evidence: Evidence, view: Snapshot) -> list[dict[str, Any]]:
    """Return the candidates, best first, each with the lines of its own text."""
    return [_candidate(candidate, view) for candidate in evidence.candidates]


def offered_rows(evidence: Evidence) -> list[dict[str, Any]]:
    """Return the pictures that could be shown, in the order of the evidence."""
    return [
        {"figure_id": o.figure.figure_id, "path": o.figure.path, "handle": o.handle, "reason": o.reason}
        for o in evidence.figures
    ]


def _cited_text(citation: Citation, view: Snapshot) -> str:
    """Return a cited section with its titles, which answers name too ("NOTE 7")."""
    document = view.document(citation.doc_id)
    return "\n".join((*citation.breadcrumb, document.text(document.sections[citation.node_id].span)))


def _candidate(candidate: Candidate, view: Snapshot) -> dict[str, Any]:
    body = view.document(candidate.doc_id).sections[candidate.node_id].body
    return {
        "doc_id": candidate.doc_id,
        "node_id": candidate.node_id,
        "first_line": body.first,
        "last_line": body.last,
        "score": candidate.score,
    }
