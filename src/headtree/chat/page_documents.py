"""The documents page: what is in the index, section by section, and how to add or remove documents."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from headtree.chat.browser import browser_id
from headtree.chat.draw_sources import SectionLink, draw_section
from headtree.chat.draw_states import draw_build_outcome, draw_building, draw_no_index, overview_line
from headtree.chat.draw_upload import draw_upload
from headtree.chat.library import DECISIONS, TreeRow, remove_document, stored_warnings, tree_rows
from headtree.chat.safe_text import counted, escape_label
from headtree.chat.session import ask_next
from headtree.chat.workspace import Workspace
from headtree.errors import HeadtreeError
from headtree.indexing.index import StoredDocument
from headtree.types import BuildWarning

_LIST_LIMIT = 250
"""Sections up to which each gets a button, which a keyboard and a screen reader can use; a table holds more."""
_TREE_HEIGHT = 520
"""Pixels; on a phone the chosen section follows below."""
_ROW_HEIGHT = 40


def draw_documents_page(workspace: Workspace) -> None:
    """Draw the page."""
    browser_id()
    try:
        overview = workspace.overview()
    except HeadtreeError as error:
        draw_no_index(workspace, error)
        return
    st.title("Documents", anchor=False)
    if workspace.settings.chat_uploads:
        with st.expander("Add documents", icon=":material/upload_file:", key="add-documents"):
            draw_upload(workspace)
    draw_building(workspace)
    draw_build_outcome(workspace.builds.last)
    st.caption(overview_line(overview))
    names = [document.doc_id for document in overview.documents]
    if st.session_state.get("shown_document") not in names:
        # Set, not only forgotten: the browser would go on showing the name of a document that was removed.
        st.session_state["shown_document"] = next(iter(names), None)
    labels = {
        d.doc_id: f"{d.doc_id} ({counted(d.sections, 'section')}, {counted(d.figures, 'picture')})"
        for d in overview.documents
    }
    doc_id = st.selectbox("Document", names, key="shown_document", format_func=lambda name: labels.get(name, name))
    if doc_id is None:
        return
    with workspace.open().index.snapshot() as view:
        document = view.document(doc_id)
    tree, report = st.tabs(["Sections and pictures", "What the build says"])
    with tree:
        _draw_tree(document, workspace)
    with report:
        _draw_report(stored_warnings(workspace.settings, doc_id))
    if workspace.settings.chat_uploads:
        _draw_removal(document, workspace)


# ---------------------------------------------------------------------------------------------------------- tree


@st.fragment
def _draw_tree(document: StoredDocument, workspace: Workspace) -> None:
    """Draw the tree beside the chosen section; a fragment, for a click in the tree concerns nothing else."""
    rows = tree_rows(document)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        chosen = _draw_list(rows, document.doc_id) if len(rows) <= _LIST_LIMIT else _draw_table(rows, document.doc_id)
    with right:
        if chosen is None:
            st.info("Choose a section to read it and to see its pictures.", icon=":material/menu_book:")
            return
        st.markdown(f"**{escape_label(chosen.section.title, longest=160)}**")
        if chosen.section.noise:
            st.caption(f"Not searched: {escape_label(chosen.section.noise)}")
        if st.button("Ask about this", icon=":material/chat_bubble:", key="ask-about"):
            st.session_state["documents"] = [document.doc_id]
            ask_next(f"What does the section “{chosen.section.title}” say?")
            st.switch_page(st.session_state["chat_page"])
        draw_section(SectionLink(document.doc_id, chosen.section.node_id), workspace, key="tree")


def _draw_list(rows: Sequence[TreeRow], doc_id: str) -> TreeRow | None:
    """Draw a button for each section, indented by its depth, and return the row that was chosen last."""
    state = f"section-{doc_id}"
    with st.container(height=min(_TREE_HEIGHT, _ROW_HEIGHT * len(rows) + 34), gap=None, key="tree-list"):
        for row in rows:
            section = row.section
            pictures = f" :gray-badge[{row.below}]" if row.below else ""
            noise = " :gray[:material/visibility_off:]" if section.noise else ""
            # A word joiner keeps the indentation: leading space alone would be trimmed.
            indent = "\u2060" + "\u2003" * section.level
            title = escape_label(section.title, longest=60)
            chosen = st.session_state.get(state) == section.node_id
            label = f"{indent}:primary[**{title}**]{pictures}{noise}" if chosen else f"{indent}{title}{pictures}{noise}"
            if st.button(label, key=f"row-{section.node_id}", type="tertiary", wrap=False):
                st.session_state[state] = section.node_id
                st.rerun(scope="fragment")
    return next((row for row in rows if row.section.node_id == st.session_state.get(state)), None)


def _draw_table(rows: Sequence[TreeRow], doc_id: str) -> TreeRow | None:
    """Draw a large tree as a table of indented titles and return the chosen row."""
    event = st.dataframe(
        {
            "section": ["\u2003" * row.section.level + row.section.title for row in rows],
            "pictures": [row.below or None for row in rows],
            "own": [row.counts for row in rows],
            "line": [row.section.line for row in rows],
            "not searched": [row.section.noise or "" for row in rows],
        },
        hide_index=True,
        height=_TREE_HEIGHT,
        on_select="rerun",
        selection_mode="single-row",
        key=f"tree-{doc_id}",
        column_config={"section": st.column_config.TextColumn(width="medium")},
    )
    selected = event.selection.rows
    return rows[selected[0]] if selected and selected[0] < len(rows) else None


# -------------------------------------------------------------------------------------------------------- report


def _draw_report(warnings: Sequence[BuildWarning]) -> None:
    problems = [warning for warning in warnings if warning.kind not in DECISIONS]
    decisions = [warning for warning in warnings if warning.kind in DECISIONS]
    if not warnings:
        st.success(
            "Nothing to report: all pictures were found, no heading was changed.", icon=":material/check_circle:"
        )
    if problems:
        st.markdown(f"**Problems** ({len(problems)})")
        _draw_warnings(problems)
    if decisions:
        st.markdown(f"**Decisions** ({len(decisions)}): repaired headings and sections that are not searched")
        _draw_warnings(decisions)


def _draw_warnings(warnings: Sequence[BuildWarning]) -> None:
    st.dataframe(
        {
            "line": [warning.line or None for warning in warnings],
            "kind": [warning.kind.value for warning in warnings],
            "message": [warning.message for warning in warnings],
        },
        hide_index=True,
        height=min(400, 38 + 35 * len(warnings)),
        column_config={"message": st.column_config.TextColumn(width="large")},
    )


# ------------------------------------------------------------------------------------------------ adding, removing


def _draw_removal(document: StoredDocument, workspace: Workspace) -> None:
    # By document: what was opened to remove one document must not stay open over the next.
    key = f"remove-{document.doc_id}"
    with st.popover("Remove this document", icon=":material/delete:", type="tertiary", key=key):
        st.markdown("Its files are moved to `.removed` in the documents folder, and the index is brought up to date.")
        if st.button("Remove", key=f"{key}-button", disabled=workspace.builds.running is not None):
            try:
                remove_document(workspace.settings.documents, document.path)
            except HeadtreeError as error:
                st.error(escape_label(str(error), longest=400))
            else:
                workspace.builds.start()
                st.rerun()
