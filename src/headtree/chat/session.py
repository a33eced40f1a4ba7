"""One visitor's session: the conversation in the address, the settings of the next question, what is to be opened."""

from __future__ import annotations

from dataclasses import fields

import streamlit as st

from headtree.chat.answering import AnswerJob
from headtree.chat.history import AnswerOptions, Chat, is_id, new_id
from headtree.chat.workspace import Overview, Workspace
from headtree.errors import HeadtreeError
from headtree.settings import load_settings

SHOWN_TURNS = 10
"""Turns that are drawn at first, and whole; earlier ones come when they are asked for, and without their details."""


@st.cache_resource(show_spinner=False)
def shared_workspace() -> Workspace:
    """Return what all visitors share."""
    return Workspace(load_settings())


def current_chat(workspace: Workspace) -> tuple[str, Chat | None, AnswerJob | None]:
    """Return the conversation with its running job: that of the address, else the one that was left for another page.

    An id that this server did not make opens nothing and is never used for a new chat.
    """
    named = st.query_params.get("chat")
    asked = str(st.session_state.get("chat", "")) if named is None else named
    if is_id(asked):
        chat, job = workspace.answers.look(asked)
        if chat is not None:
            st.session_state["chat"] = asked
            if named is None:
                st.query_params["chat"] = asked
            return asked, chat, job
    if named is not None or "chat" not in st.session_state:
        st.session_state["chat"] = new_id()
        st.query_params.clear()
    return str(st.session_state["chat"]), None, None


def begin_new_chat() -> None:
    """Leave the conversation; the next question begins another one."""
    st.query_params.clear()
    st.session_state["chat"] = new_id()
    st.session_state.pop("shown_turns", None)


def open_chat(chat_id: str) -> None:
    """Go to a conversation."""
    st.query_params.from_dict({"chat": chat_id})
    st.session_state.pop("shown_turns", None)


def chosen_options(workspace: Workspace, overview: Overview) -> AnswerOptions:
    """Return the settings of the next question, as the side bar has them."""
    start = AnswerOptions.from_settings(workspace.settings)
    existing = {document.doc_id for document in overview.documents}
    documents = tuple(name for name in st.session_state.get("documents", ()) if name in existing)
    named = {option.name: st.session_state.get(option.name, getattr(start, option.name)) for option in fields(start)}
    return AnswerOptions(**{**named, "documents": documents})


def ask_next(question: str, options: AnswerOptions | None = None) -> None:
    """Have a question asked by the next run of the page; with the settings of the side bar where none are given."""
    st.session_state["ask"] = (question, options)


def take_asked() -> tuple[str, AnswerOptions | None]:
    """Return the question that ``ask_next`` left, once; empty where there is none."""
    asked: tuple[str, AnswerOptions | None] = st.session_state.pop("ask", ("", None))
    return asked


def ask(
    workspace: Workspace, overview: Overview, chat_id: str, question: str, options: AnswerOptions | None = None
) -> None:
    """Begin to answer a question and draw the page anew; what cannot be asked is said, with the question kept."""
    try:
        begun = workspace.answers.ask(
            chat_id,
            str(st.session_state.get("browser", "")),
            question,
            options or chosen_options(workspace, overview),
            workspace.answerer(),
        )
    except HeadtreeError as error:
        st.session_state["not_asked"] = (str(error), question)
    else:
        if not begun:
            st.session_state["not_asked"] = ("The last answer is still being written.", question)
        st.query_params["chat"] = chat_id
    st.rerun()
