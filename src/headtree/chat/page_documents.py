"""The documents page: what is in the index, section by section, and how to add or remove documents."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from headtree.chat.draw_sources import SectionLink, draw_section
from headtree.chat.draw_states import draw_build_outcome, draw_building, draw_no_index
from headtree.chat.library import DECISIONS, TreeRow, remove_document, stored_warnings, tree_rows
from headtree.chat.safe_text import escape_label
from headtree.chat.uploads import MOST_UPLOAD_BYTES, UPLOAD_TYPES, Stored, Upload, store_upload
from headtree.chat.workspace import Overview, Workspace
from headtree.errors import HeadtreeError
from headtree.indexing.index import StoredDocument
from headtree.types import BuildWarning

_TREE_LIMIT = 500
"""Sections up to which each gets a line of its own on the page; a table holds more."""


def draw_documents_page(workspace: Workspace) -> None:
    """Draw the page."""
    st.title("Documents", anchor=False)
    draw_building(workspace)
    draw_build_outcome(workspace.builds.last)
    if workspace.settings.chat_uploads:
        _draw_upload(workspace)
    try:
        overview = workspace.overview()
    except HeadtreeError as error:
        draw_no_index(workspace, error)
        return
    st.caption(f"{len(overview.documents)} documents, {overview.sections} sections, {overview.figures} pictures")
    names = [document.doc_id for document in overview.documents]
    if st.session_state.get("shown_document") not in names:
        st.session_state.pop("shown_document", None)
    doc_id = st.selectbox("Document", names, key="shown_document", format_func=_document_label(overview))
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


def _document_label(overview: Overview):  # type: ignore[no-untyped-def]
    counts = {d.doc_id: f"{d.doc_id} ({d.sections} sections, {d.figures} pictures)" for d in overview.documents}
    return lambda doc_id: counts.get(doc_id, doc_id)


# ---------------------------------------------------------------------------------------------------------- tree


def _draw_tree(document: StoredDocument, workspace: Workspace) -> None:
    rows = tree_rows(document)
    left, right = st.columns([2, 3], gap="medium")
    with left:
        chosen = _draw_table(rows, document.doc_id)
    with right:
        if chosen is None:
            st.info("Choose a section to read it and to see its pictures.", icon=":material/menu_book:")
            return
        st.markdown(f"**{escape_label(chosen.section.title, longest=160)}**")
        if st.button("Ask about this", icon=":material/chat_bubble:", key="ask-about"):
            st.session_state["documents"] = [document.doc_id]
            st.session_state["ask"] = f"What does the section “{chosen.section.title}” say?"
            st.switch_page(st.session_state["chat_page"])
        draw_section(SectionLink(document.doc_id, chosen.section.node_id), workspace, key="tree")


def _draw_table(rows: Sequence[TreeRow], doc_id: str) -> TreeRow | None:
    """Draw the tree as a table of indented titles and return the chosen row."""
    event = st.dataframe(
        {
            "section": ["\u2003" * row.section.level + row.section.title for row in rows],
            "pictures": [row.below or None for row in rows],
            "own": [row.counts for row in rows],
            "line": [row.section.line for row in rows],
            "not indexed": [row.section.noise or "" for row in rows],
        },
        hide_index=True,
        height=min(620, 38 + 35 * len(rows)),
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


def _draw_upload(workspace: Workspace) -> None:
    with (
        st.expander("Add documents", icon=":material/upload_file:", key="add-documents"),
        st.form("upload", border=False, clear_on_submit=True),
    ):
        files = st.file_uploader(
            "PDF, Markdown, or a ZIP with Markdown and its images",
            type=list(UPLOAD_TYPES),
            accept_multiple_files=True,
            key="files",
            max_upload_size=MOST_UPLOAD_BYTES // 1_000_000,
        )
        replace = st.checkbox("Replace documents of the same name (the old ones go to .removed)", key="replace")
        if st.form_submit_button("Add and index", icon=":material/add:", disabled=workspace.builds.running is not None):
            uploads = [Upload(file.name, file.getvalue()) for file in files or ()]
            _store_and_build(uploads, workspace, replace=replace)


def _store_and_build(uploads: Sequence[Upload], workspace: Workspace, *, replace: bool) -> None:
    """Put uploads in place, say which could not be, and index what came in."""
    stored: list[Stored] = []
    for upload in uploads:
        try:
            stored.append(store_upload(upload, workspace.settings.documents, replace=replace))
        except HeadtreeError as error:
            st.error(escape_label(str(error), longest=400), icon=":material/error:")
    for one in stored:
        if one.left_out:
            listed = "; ".join(one.left_out[:8])
            st.warning(f"{len(one.left_out)} files were left out: {escape_label(listed, longest=600)}")
    if stored:
        workspace.builds.start([one.pdf for one in stored if one.pdf is not None])
        draw_building(workspace)


def _draw_removal(document: StoredDocument, workspace: Workspace) -> None:
    with st.popover("Remove this document", icon=":material/delete:", type="tertiary", key="remove-document"):
        st.markdown("Its files are moved to `.removed` in the documents folder, and the index is brought up to date.")
        if st.button("Remove", key="remove-button", disabled=workspace.builds.running is not None):
            try:
                remove_document(workspace.settings.documents, document.path)
            except HeadtreeError as error:
                st.error(escape_label(str(error), longest=400))
            else:
                workspace.builds.start()
                st.rerun()
