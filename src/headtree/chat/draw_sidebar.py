"""The side bar: conversations, what is searched, the settings of the next question, the state of the index."""

from __future__ import annotations

import streamlit as st

from headtree.chat.safe_text import escape_label
from headtree.chat.session import begin_new_chat, open_chat
from headtree.chat.workspace import Overview, Workspace
from headtree.settings import MAX_FIGURES

_LISTED_CHATS = 15


def draw_sidebar(workspace: Workspace, overview: Overview, chat_id: str) -> None:
    """Draw the side bar of the chat page."""
    with st.sidebar:
        st.button("New chat", icon=":material/add:", on_click=begin_new_chat, width="stretch", key="new-chat-button")
        _draw_chats(workspace, chat_id)
        _draw_filter(overview)
        _draw_settings(workspace)
        search = "by words only" if overview.embedder == "none" else f"by words and {escape_label(overview.embedder)}"
        st.caption(f"Index: {len(overview.documents)} documents, state {escape_label(overview.generation)}, {search}")


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


def _draw_filter(overview: Overview) -> None:
    ids = [document.doc_id for document in overview.documents]
    kept = [name for name in st.session_state.get("documents", []) if name in ids]
    if kept != st.session_state.get("documents", []):
        st.session_state["documents"] = kept  # a document that was removed meanwhile
    st.multiselect(
        "Search in",
        ids,
        key="documents",
        placeholder="All documents",
        on_change="ignore",
        persist_state="session",
        help="Only these documents are searched; the choice counts from the next question on",
    )


def _draw_settings(workspace: Workspace) -> None:
    settings = workspace.settings
    with st.expander("Settings of the next question", type="compact", key="settings"):
        st.slider(
            "Sections that are read",
            1,
            20,
            settings.sections,
            key="sections",
            on_change="ignore",
            persist_state="session",
            help="More sections find more and take longer; with a model, each adds some 700 tokens to what is sent",
        )
        st.slider(
            "Most pictures",
            0,
            MAX_FIGURES,
            settings.max_figures,
            key="max_figures",
            on_change="ignore",
            persist_state="session",
        )
        _draw_models(workspace)
        st.caption("The settings are kept with each answer.")


def _draw_models(workspace: Workspace) -> None:
    """Say who answers, and let a question stay on this machine where a model is configured."""
    models = workspace.open().models
    roles = {"ranks sections": models.rerank, "writes": models.synthesis, "looks at pictures": models.vision}
    named = [f"{model.name} {role}" for role, model in roles.items() if model is not None]
    if not named:
        st.caption("Answered on this machine: no tokens, no cost. `config.py` and `.env` can name a model.")
        return
    st.caption(escape_label("; ".join(named), longest=300))
    st.toggle("Answer on this machine only", key="local_only", on_change="ignore", persist_state="session")
