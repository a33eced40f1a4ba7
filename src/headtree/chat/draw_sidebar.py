"""The side bar: conversations, what is searched, the settings of the next question, the state of the index."""

from __future__ import annotations

import streamlit as st

from headtree.chat.draw_settings import draw_filter, draw_options
from headtree.chat.history import AnswerOptions
from headtree.chat.safe_text import counted, escape_label
from headtree.chat.session import begin_new_chat, open_chat
from headtree.chat.workspace import Overview, Workspace

_LISTED_CHATS = 15


def draw_sidebar(workspace: Workspace, overview: Overview, chat_id: str) -> None:
    """Draw the side bar of the chat page."""
    with st.sidebar:
        st.button("New chat", icon=":material/add:", on_click=begin_new_chat, width="stretch", key="new-chat-button")
        _draw_chats(workspace, chat_id)
        _draw_settings(workspace, overview)
        how = "by words only" if overview.embedder == "none" else "by words and by meaning"
        st.caption(
            f"{counted(len(overview.documents), 'document')}, searched {how}",
            help=f"Index state {escape_label(overview.generation)}, vectors: {escape_label(overview.embedder)}",
        )


def _draw_chats(workspace: Workspace, chat_id: str) -> None:
    summaries = workspace.store.summaries(str(st.session_state.get("browser", "")))
    shown = len(summaries) if st.session_state.get("all_chats") else _LISTED_CHATS
    for summary in summaries[:shown]:
        st.button(
            escape_label(summary.title, longest=34),
            key=f"chat-{summary.chat_id}",
            type="secondary" if summary.chat_id == chat_id else "tertiary",
            icon=":material/chat_bubble:",
            on_click=open_chat,
            args=(summary.chat_id,),
            wrap=False,
        )
    if len(summaries) > shown:
        st.button(f"All {len(summaries)} chats", key="all-chats-button", type="tertiary", on_click=_show_all)
    if any(summary.chat_id == chat_id for summary in summaries):
        with st.popover("Delete this chat", icon=":material/delete:", type="tertiary", key="delete-chat"):
            st.markdown("The conversation is removed from the disk.")
            st.button("Delete", key="delete-chat-button", on_click=_delete, args=(workspace, chat_id))


def _show_all() -> None:
    st.session_state["all_chats"] = True


def _delete(workspace: Workspace, chat_id: str) -> None:
    job = workspace.answers.job(chat_id)
    if job is not None:
        job.cancel()
    workspace.store.remove(chat_id)
    begin_new_chat()


@st.fragment
def _draw_settings(workspace: Workspace, overview: Overview) -> None:
    """Draw what the next question is asked with; a fragment: its cost is said anew at once, and nothing else."""
    draw_filter(overview, ())
    with st.expander("Settings of the next question", type="compact", key="settings"):
        draw_options(workspace, AnswerOptions.from_settings(workspace.settings))
        st.caption("They are kept with each answer.")
