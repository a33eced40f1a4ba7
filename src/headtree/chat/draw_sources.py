"""Sources on the page: a chip for each citation with its quote, and a drawer with the section."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from headtree.chat.draw_pictures import card_of_document, draw_enlarged, draw_gallery
from headtree.chat.provenance import draw_page, find_pdf, read_provenance
from headtree.chat.safe_text import counted, escape_label, numbered_lines
from headtree.chat.sources import CitationState, PlacedCitation, excerpt, find_document, place_citation, quoted
from headtree.chat.workspace import Workspace
from headtree.errors import HeadtreeError
from headtree.indexing.index import StoredDocument
from headtree.types import Citation, FigureKind, LineSpan, Section

_NOTES = {
    CitationState.MOVED: "The document changed since this answer; the quote now stands in other lines.",
    CitationState.CHANGED: "The section changed since this answer and no longer says this; the quote is as it was.",
    CitationState.GONE: "This document is no longer in the index; the quote is kept as it was.",
}


@dataclass(frozen=True, slots=True)
class SectionLink:
    """A section to be opened, with the lines to mark."""

    doc_id: str
    node_id: str
    marked: LineSpan | None = None


def place_citations(citations: Sequence[Citation], workspace: Workspace) -> list[PlacedCitation]:
    """Find where citations stand now; as they were where the index cannot be used."""
    try:
        with workspace.open().index.snapshot() as view:
            return [place_citation(citation, view) for citation in citations]
    except HeadtreeError:
        return [
            PlacedCitation(c, CitationState.GONE, c.node_id, LineSpan(c.first_line, c.last_line)) for c in citations
        ]


def draw_sources(placed: Sequence[PlacedCitation], *, key: str) -> SectionLink | None:
    """Draw a chip for each citation; returns the section that is to be opened.

    A window opened from within an open popover would lie under it: the button closes the popover and leaves the
    section's name, and the caller opens it when all popovers are drawn.
    """
    link = f"open-section-{key}"
    with st.container(horizontal=True, gap="small", key=f"sources-{key}"):
        for one in placed:
            _draw_chip(one, key=f"source-{key}-{one.citation.number}", link=link)
    opened: SectionLink | None = st.session_state.pop(link, None)
    return opened


def _draw_chip(placed: PlacedCitation, *, key: str, link: str) -> None:
    citation = placed.citation
    outdated = placed.state is not CitationState.CURRENT
    title = escape_label(citation.breadcrumb[-1] if citation.breadcrumb else citation.doc_id, longest=46)
    popover = st.popover(
        f"\\[{citation.number}\\] {title}",
        type="secondary",
        icon=":material/history:" if outdated else None,
        key=key,
        on_change="rerun",
        wrap=False,
    )
    if popover.open:
        with popover:
            _draw_quote(placed, key=key, link=link)


def _draw_quote(placed: PlacedCitation, *, key: str, link: str) -> None:
    citation = placed.citation
    with st.container(border=True):
        st.text(quoted(citation.quote))
    span = placed.span
    st.caption(escape_label(" > ".join(citation.breadcrumb), longest=300))
    lines = f"line {span.first}" if len(span) == 1 else f"lines {span.first} to {span.last}"
    checked = "word for word in the source" if citation.verified else "not word for word in the source"
    st.caption(f"{lines}, {checked}")
    if placed.state in _NOTES:
        st.warning(_NOTES[placed.state], icon=":material/history:")
    if placed.state is not CitationState.GONE:
        target = SectionLink(citation.doc_id, placed.node_id, None if placed.state is CitationState.CHANGED else span)
        st.button(
            "Open section", icon=":material/menu_book:", key=f"{key}-open", on_click=_leave, args=(key, link, target)
        )


def _leave(popover: str, link: str, target: SectionLink) -> None:
    st.session_state[popover] = False
    st.session_state[link] = target


def open_section(link: SectionLink, workspace: Workspace) -> None:
    """Open the drawer with a section."""
    title = link.doc_id.rsplit("/", 1)[-1]

    @st.dialog(escape_label(title, longest=60), width="medium", position="right")
    def drawer() -> None:
        draw_section(link, workspace, key="drawer")

    drawer()


def draw_section(link: SectionLink, workspace: Workspace, *, key: str) -> None:
    """Draw a section: its lines with the cited ones marked, its page where there is a PDF, its pictures."""
    with workspace.open().index.snapshot() as view:
        document = find_document(view, link.doc_id)
    section = document.sections.get(link.node_id) if document else None
    if document is None or section is None:
        st.info("This section is no longer in the index; ask again to search what is there now.")
        return
    whole = st.session_state.get(f"{key}-whole", False)
    shown = excerpt(document, section, link.marked, whole=bool(whole))
    st.caption(escape_label(" > ".join(shown.breadcrumb), longest=300))
    part = "the whole section" if shown.whole else f"of {section.span.first} to {section.span.last}"
    st.caption(f"Lines {shown.span.first} to {shown.span.last}, {part}")
    with st.container(border=True):
        st.html(numbered_lines(shown.lines, first=shown.span.first, marked=link.marked))
    if not shown.whole or whole:
        st.toggle("Whole section", key=f"{key}-whole")
    _draw_page(document, link.marked or section.body, workspace, key=key)
    _draw_pictures(document, section, workspace, key=key)


def _draw_page(document: StoredDocument, span: LineSpan, workspace: Workspace, *, key: str) -> None:
    provenance = read_provenance(workspace.settings.documents, document.path)
    pdf = find_pdf(workspace.settings.documents, document.doc_id)
    places = provenance.of_lines(span) if provenance is not None else ()
    if pdf is None or not places:
        return
    if st.toggle(f"Page {places[0].page} of the PDF", key=f"{key}-page"):
        image = draw_page(pdf, places[0].page, places)
        if image is None:
            st.caption("The page cannot be drawn.")
            return
        with st.container(border=True):  # white paper on a white page needs an edge
            words = f"Page {places[0].page} with the cited lines marked"
            st.image(image, width="stretch", output_format="PNG", alt=words)


def _draw_pictures(document: StoredDocument, section: Section, workspace: Workspace, *, key: str) -> None:
    figures = [f for f in document.figures if f.line in section.span and f.kind is not FigureKind.JUNK]
    if not figures:
        return
    st.markdown("**Pictures of this section**")
    # One window at a time: an enlarged picture is drawn in this one, below its card.
    chosen: list[object] = []
    cards = [card_of_document(figure) for figure in figures[:12]]
    draw_gallery(cards, workspace.settings.documents, key=f"{key}-{section.node_id}", enlarge=chosen.append)
    for card in cards:
        if card in chosen:
            draw_enlarged(card, workspace)
    if len(figures) > len(cards):
        st.caption(f"Not drawn here: {counted(len(figures) - len(cards), 'more picture')} of this section.")
