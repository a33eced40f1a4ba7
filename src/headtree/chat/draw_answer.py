"""One question and its outcome on the page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from headtree.chat.draw_pictures import Card, card_of_answer, draw_enlarged, draw_gallery, prepare_galleries
from headtree.chat.draw_settings import draw_filter, draw_options
from headtree.chat.draw_sources import SectionLink, draw_sources, open_section, place_citations
from headtree.chat.draw_trace import draw_trace, trace_title
from headtree.chat.export import export_answer
from headtree.chat.feedback import LONGEST_NOTE, record_feedback
from headtree.chat.history import Turn, TurnState
from headtree.chat.safe_text import counted, escape_label, render_markdown
from headtree.chat.session import ask_next
from headtree.chat.workspace import Workspace
from headtree.types import Answer

AVATAR = ":material/account_tree:"
_ASKER = ":material/person:"
_SHOWN_WARNINGS = 3
"""Fallbacks and doubts that stand right below the answer; all of them are in how it was found."""


def draw_question(turn: Turn) -> None:
    """Draw what was asked, letter by letter as it was typed."""
    with st.chat_message("user", avatar=_ASKER):
        st.text(turn.question)


def prepare_answers(turns: Sequence[Turn], workspace: Workspace) -> None:
    """Draw the pictures of several answers ahead."""
    galleries = [[card_of_answer(figure) for figure in turn.answer.figures] for turn in turns if turn.answer]
    prepare_galleries(galleries, workspace.settings.documents)


@st.fragment
def draw_outcome(turn: Turn, chat_id: str, workspace: Workspace, *, brief: bool = False) -> None:
    """Draw how a question ended; a fragment, so that a click in one answer draws only that one anew.

    Args:
        turn: the question.
        chat_id: its conversation.
        workspace: has the documents.
        brief: draw text and pictures, and the rest when it is asked for: a long conversation stays quick.
    """
    with st.chat_message("assistant", avatar=AVATAR):
        match turn.state:
            case TurnState.FAILED:
                st.error(
                    f"This could not be answered: {escape_label(turn.error, longest=600)}", icon=":material/error:"
                )
                _ask_again(turn, "Try again")
            case TurnState.STOPPED | TurnState.ANSWERING:
                _draw_stopped(turn)
            case TurnState.ANSWERED:
                _draw_answered(turn, chat_id, workspace, brief=brief)


def _draw_stopped(turn: Turn) -> None:
    if turn.text:
        st.markdown(render_markdown(turn.text))
    by_user = turn.state is TurnState.STOPPED
    st.info(
        "Stopped before it was complete." if by_user else "Interrupted: the server was stopped.",
        icon=":material/stop_circle:",
    )
    _ask_again(turn, "Ask again")


def _draw_answered(turn: Turn, chat_id: str, workspace: Workspace, *, brief: bool) -> None:
    answer = turn.answer
    if answer is None:
        st.error("The answer is missing from the chat's file.", icon=":material/error:")
        _ask_again(turn, "Ask again")
        return
    _draw_text(turn, answer)
    for warning in answer.warnings[:_SHOWN_WARNINGS]:
        st.caption(f":orange[:material/warning:] {escape_label(warning, longest=300)}")
    windows: list[Card] = []
    key = turn.turn_id[:12]

    def whole() -> None:
        st.session_state[f"whole-{key}"] = True

    if answer.figures:
        cards = [card_of_answer(figure) for figure in answer.figures]
        draw_gallery(cards, workspace.settings.documents, key=key, enlarge=windows.append)
    if brief and not st.session_state.get(f"whole-{key}"):
        label = escape_label(_rest_of(answer))
        st.button(label, icon=":material/unfold_more:", type="tertiary", key=f"rest-{key}", on_click=whole)
        if windows:
            _enlarge(windows[0], workspace)
        return
    _draw_left_out(answer)
    link = draw_sources(place_citations(answer.citations, workspace), key=key) if answer.citations else None
    link = _draw_nearest(answer, key=key) or link
    _draw_trace_below(turn, key=key)
    asked_otherwise = _draw_actions(turn, chat_id, workspace, key=key)
    # One window at a time, and drawn last, so that the answer stands behind it whole.
    if windows:
        _enlarge(windows[0], workspace)
    elif link is not None:
        open_section(link, workspace)
    elif asked_otherwise:
        _ask_otherwise(turn, workspace, key=key)


def _rest_of(answer: Answer) -> str:
    """Return what a brief answer leaves out, as the words of the button that draws it."""
    return f"{counted(len(answer.citations), 'source')} and more" if answer.citations else "More about this answer"


def _draw_text(turn: Turn, answer: Answer) -> None:
    if answer.answerable:
        st.markdown(render_markdown(answer.answer))
        return
    st.info(render_markdown(answer.answer), icon=":material/search_off:")
    if turn.options.documents:
        names = escape_label(", ".join(turn.options.documents), longest=300)
        st.caption(f"Searched only: {names}. Clear “Search in” to search all documents.")


def _draw_left_out(answer: Answer) -> None:
    left_out = sum(not decision.shown for decision in answer.figure_decisions)
    if answer.figures and left_out:
        st.caption(f"Left out: {counted(left_out, 'picture')}. The reasons are below, in how this was found.")


def _draw_nearest(answer: Answer, *, key: str) -> SectionLink | None:
    """Where nothing answers, offer the sections that came nearest."""
    if answer.answerable or not answer.sections:
        return None
    st.caption("The nearest sections:")
    opened = None
    with st.container(horizontal=True, gap="small"):
        for section in answer.sections[:4]:
            title = escape_label(section.breadcrumb[-1] if section.breadcrumb else section.doc_id, longest=46)
            if st.button(title, icon=":material/menu_book:", key=f"near-{key}-{section.rank}", wrap=False):
                opened = SectionLink(section.doc_id, section.node_id)
    return opened


def _draw_trace_below(turn: Turn, *, key: str) -> None:
    below = st.expander(trace_title(turn), key=f"trace-{key}", type="compact", on_change="rerun")
    if below.open:
        with below:
            draw_trace(turn)


def _draw_actions(turn: Turn, chat_id: str, workspace: Workspace, *, key: str) -> bool:
    """Draw thumbs, export and the way to ask again with other settings; returns whether that is wished."""
    chats, documents = workspace.settings.chats, workspace.settings.documents

    def rate() -> None:
        rating = st.session_state.get(f"thumbs-{key}")
        record_feedback(chats, chat_id, turn, rating=rating)

    def note() -> None:
        text = str(st.session_state.get(f"note-{key}", "")).strip()
        record_feedback(chats, chat_id, turn, rating=st.session_state.get(f"thumbs-{key}"), note=text)
        st.session_state[f"noted-{key}"] = True

    with st.container(horizontal=True, gap="small", vertical_alignment="center", key=f"actions-{key}"):
        st.feedback("thumbs", key=f"thumbs-{key}", on_change=rate)
        st.download_button(
            "Save",
            lambda: export_answer(turn, documents),
            file_name="answer.zip",
            mime="application/zip",
            icon=":material/download:",
            key=f"save-{key}",
            type="tertiary",
            on_click="ignore",
            help="The answer as Markdown with its pictures, as a ZIP",
        )
        asked_otherwise = st.button("Ask again", icon=":material/refresh:", type="tertiary", key=f"otherwise-{key}")
    if st.session_state.get(f"thumbs-{key}") is not None:
        if st.session_state.get(f"noted-{key}"):
            st.caption("Thank you, the note is kept.")
        else:
            st.text_input(
                "What was right or wrong? (optional; Enter keeps it)",
                key=f"note-{key}",
                max_chars=LONGEST_NOTE,
                on_change=note,
            )
    return asked_otherwise


def _ask_again(turn: Turn, button_label: str) -> None:
    """Draw the button that asks again as the side bar says now: what failed may be mended by other settings."""
    key = f"again-{turn.turn_id[:12]}"
    if st.button(
        button_label, icon=":material/refresh:", key=key, type="tertiary", help="With the settings of the side bar"
    ):
        ask_next(turn.question)
        st.rerun()


def _ask_otherwise(turn: Turn, workspace: Workspace, *, key: str) -> None:
    """Open a window with the settings that a question was asked with, to be changed, and the button that asks it."""

    @st.dialog("Ask again", width="small")
    def window() -> None:
        st.text(turn.question)
        st.caption("These are the settings of this answer; change what another one shall be made with.")
        documents = draw_filter(workspace.overview(), turn.options.documents, key=f"{key}-")
        options = draw_options(workspace, replace(turn.options, documents=documents), key=f"{key}-")
        if st.button("Ask with these settings", icon=":material/refresh:", type="primary", key=f"so-{key}"):
            ask_next(turn.question, options)
            st.rerun()

    window()


def _enlarge(card: Card, workspace: Workspace) -> None:
    @st.dialog(escape_label(card.name, longest=80), width="large")
    def window() -> None:
        draw_enlarged(card, workspace)

    window()
