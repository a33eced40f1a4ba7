"""Adding documents: a form for PDF, Markdown and ZIP files."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from headtree.chat.safe_text import counted, escape_label
from headtree.chat.uploads import MOST_UPLOAD_BYTES, UPLOAD_TYPES, Stored, Upload, store_upload
from headtree.chat.workspace import Workspace
from headtree.errors import HeadtreeError


def draw_upload(workspace: Workspace) -> bool:
    """Draw the form that takes in files, checks them and starts a build; returns whether one was started."""
    with st.form("upload", border=False, clear_on_submit=True):
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
            return _store_and_build(uploads, workspace, replace=replace)
    return False


def _store_and_build(uploads: Sequence[Upload], workspace: Workspace, *, replace: bool) -> bool:
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
            left_out = counted(len(one.left_out), "file")
            st.warning(f"Left out {left_out}: {escape_label(listed, longest=600)}", icon=":material/filter_alt_off:")
    if stored and not workspace.builds.start([one.pdf for one in stored if one.pdf is not None]):
        st.info("Added. They are indexed as soon as the build that is at work has ended.", icon=":material/schedule:")
    return bool(stored)
