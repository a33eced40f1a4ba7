"""What the page shows when there is nothing to ask yet, or a build is at work: each state with one next step."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from headtree.chat.building import BuildJob
from headtree.chat.draw_upload import draw_upload
from headtree.chat.safe_text import counted, escape_label
from headtree.chat.workspace import Overview, Workspace
from headtree.errors import HeadtreeError, IndexDamagedError, IndexMismatchError, IndexMissingError
from headtree.indexing.documents import find_documents

_STAGES = {
    "starting": "Starting",
    "extracting": "Reading PDFs",
    "reading": "Reading documents",
    "judging": "Finding parts that answer nothing",
    "estimating": "Reckoning what it costs",
    "describing": "Looking at pictures",
    "placing": "Placing passages in their documents",
    "embedding": "Preparing the search",
    "writing": "Writing the index",
}


def overview_line(overview: Overview) -> str:
    """Return how much the index holds, as safe text."""
    return ", ".join(
        (
            counted(len(overview.documents), "document"),
            counted(overview.sections, "section"),
            counted(overview.figures, "picture"),
        )
    )


def draw_no_index(workspace: Workspace, error: HeadtreeError) -> None:
    """Draw why the index cannot be used, and the one button that mends it."""
    if workspace.builds.running is not None:
        st.title("The index is being built", anchor=False)
        draw_building(workspace)
        return
    waiting = _documents_waiting(workspace.settings.documents)
    if not isinstance(error, IndexMissingError):
        st.title("The index cannot be used", anchor=False)
        st.error(escape_label(str(error), longest=600), icon=":material/error:")
    elif waiting:
        st.title("The documents are not indexed yet", anchor=False)
        st.markdown(f"{counted(waiting, 'Markdown document')} found here. Indexing takes about a minute for 200 pages.")
    else:
        st.title("No documents yet", anchor=False)
        st.markdown("Add some here, or put Markdown documents with their images into the folder below.")
    st.caption(f"Folder: {escape_label(str(workspace.settings.documents), longest=300)}")
    draw_build_outcome(workspace.builds.last)
    if not workspace.settings.chat_uploads:
        st.caption("On the command line: `headtree index`")
    elif not waiting:
        if draw_upload(workspace):
            draw_building(workspace)
    elif st.button("Build the index", icon=":material/construction:", type="primary", key="build"):
        workspace.builds.start(fresh=isinstance(error, IndexDamagedError | IndexMismatchError))
        st.rerun()


def _documents_waiting(documents: Path) -> int:
    try:
        return len(find_documents(documents))
    except HeadtreeError:
        return 0


def draw_building(workspace: Workspace) -> None:
    """Draw the progress of a build that is at work; nothing where there is none."""
    if workspace.builds.running is not None:
        _draw_progress(workspace)


@st.fragment(run_every=0.5)
def _draw_progress(workspace: Workspace) -> None:
    job = workspace.builds.running
    if job is None:
        st.rerun()
    with st.container(border=True):
        text = f"{_STAGES.get(job.stage, escape_label(job.stage))} {escape_label(job.detail)} ({int(job.seconds)} s)"
        st.progress(min(1.0, job.fraction), text=text)
        st.caption("Questions are answered from the old index until this is complete.")
        if st.button("Stop building", icon=":material/stop_circle:", key="stop-build", disabled=job.stop.is_set()):
            job.stop.set()


def draw_build_outcome(job: BuildJob | None) -> None:
    """Draw how the last build ended: what went wrong until the next build, what went well for a while."""
    if job is None or not job.done.is_set():
        return
    if job.error:
        st.error(f"The build ended: {escape_label(job.error, longest=600)}", icon=":material/error:")
    for problem in job.problems:
        st.warning(escape_label(problem, longest=400), icon=":material/picture_as_pdf:")
    if job.report is not None and job.is_news:
        changes = job.report.documents
        st.success(
            f"Built in {job.report.seconds:.1f} s: {len(changes.added)} new, {len(changes.changed)} changed, "
            f"{len(changes.removed)} removed, {changes.unchanged} as they were",
            icon=":material/check_circle:",
        )
