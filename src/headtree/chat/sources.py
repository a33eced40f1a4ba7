"""Citations and sections as the page shows them: which lines, and whether they still say what was quoted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from headtree.indexing.index import Snapshot, StoredDocument
from headtree.synthesis.citations import quote_stands_in
from headtree.types import Citation, LineSpan, Section

WINDOW_LINES = 8
"""Lines that are shown before and after the cited ones."""


class CitationState(StrEnum):
    """Whether a citation's lines still say what was quoted when the answer was made."""

    CURRENT = "current"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class PlacedCitation:
    """A citation and where it stands in the index as it is now."""

    citation: Citation
    state: CitationState
    node_id: str
    span: LineSpan
    """The cited lines now; as they were where the source is changed or gone."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a section to be shown."""

    breadcrumb: tuple[str, ...]
    span: LineSpan
    lines: tuple[str, ...]
    whole: bool
    """Whether this is all of the section."""


def place_citation(citation: Citation, view: Snapshot) -> PlacedCitation:
    """Find a citation's quote in the index: where it was, elsewhere in the same section, or not any more."""
    span = LineSpan(citation.first_line, citation.last_line)
    document = find_document(view, citation.doc_id)
    if document is None:
        return PlacedCitation(citation, CitationState.GONE, citation.node_id, span)
    if citation.quote and quote_stands_in(citation.quote, document.lines[span.first - 1 : span.last]):
        node_id = (
            citation.node_id if citation.node_id in document.sections else section_at(document, span.first).node_id
        )
        return PlacedCitation(citation, CitationState.CURRENT, node_id, span)
    if not citation.verified and _breadcrumb(document, citation.node_id) == citation.breadcrumb:
        # It never stood there word for word, so that its absence says nothing about a change.
        return PlacedCitation(citation, CitationState.CURRENT, citation.node_id, span)
    for section in document.sections.values():
        if section.breadcrumb == citation.breadcrumb:
            moved = _find_quote(citation, document, section, len(span))
            if moved is not None:
                return PlacedCitation(citation, CitationState.MOVED, section.node_id, moved)
    return PlacedCitation(citation, CitationState.CHANGED, citation.node_id, span)


def find_document(view: Snapshot, doc_id: str) -> StoredDocument | None:
    """Return a document; ``None`` where the index has it no more."""
    try:
        return view.document(doc_id)
    except KeyError:
        return None


def section_at(document: StoredDocument, line: int) -> Section:
    """Return the section in whose own text a line lies."""
    inside = [section for section in document.sections.values() if line in section.body]
    return inside[-1] if inside else next(iter(document.sections.values()))


def excerpt(document: StoredDocument, section: Section, marked: LineSpan | None, *, whole: bool) -> Excerpt:
    """Return a section's lines: those around the marked ones, or all with the sections below it."""
    span = section.span
    if not whole and marked is not None and span.first <= marked.first <= span.last:
        span = LineSpan(max(span.first, marked.first - WINDOW_LINES), min(span.last, marked.last + WINDOW_LINES))
    elif not whole:
        span = LineSpan(span.first, min(span.last, span.first + 5 * WINDOW_LINES - 1))
    return Excerpt(section.breadcrumb, span, document.lines[span.first - 1 : span.last], whole=span == section.span)


def _breadcrumb(document: StoredDocument, node_id: str) -> tuple[str, ...] | None:
    section = document.sections.get(node_id)
    return section.breadcrumb if section else None


def _find_quote(citation: Citation, document: StoredDocument, section: Section, length: int) -> LineSpan | None:
    """Slide a window of the citation's length over a section."""
    for first in range(section.span.first, max(section.span.first, section.span.last - length + 1) + 1):
        window = LineSpan(first, min(section.span.last, first + length - 1))
        if quote_stands_in(citation.quote, document.lines[window.first - 1 : window.last]):
            return window
    return None


def quoted(quote: str) -> str:
    """Return a quote as it is read: rows of a table without the bars at their edges.

    >>> quoted("| Separator vessel lid | 120 |")
    'Separator vessel lid | 120'
    """
    lines = quote.split("\n")
    rows = [line.strip().strip("|").strip() if line.strip().startswith("|") else line for line in lines]
    return "\n".join(rows)
