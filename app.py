"""The chat in a browser: ``make app``, or ``streamlit run app.py``. What it draws with is in ``headtree.chat``."""

from __future__ import annotations

import streamlit as st

from headtree.chat.page_chat import draw_chat_page
from headtree.chat.page_documents import draw_documents_page
from headtree.chat.safe_text import escape_label
from headtree.chat.session import shared_workspace
from headtree.errors import SettingsError


def chat() -> None:
    """Ask and read answers."""
    st.set_page_config(layout="centered")  # said again: another page's layout would stay
    draw_chat_page(shared_workspace())


def documents() -> None:
    """Look at the documents, add and remove some."""
    st.set_page_config(layout="wide")
    draw_documents_page(shared_workspace())


def main() -> None:
    """Draw the page that the address names."""
    st.set_page_config(page_title="headtree", page_icon="🌳")
    try:
        shared_workspace()
    except SettingsError as error:
        st.error(escape_label(str(error), longest=600), icon=":material/error:")
        st.caption("Mend `config.py`, `.env` or the environment, then load the page again.")
        st.stop()
    pages = {
        "chat": st.Page(chat, title="Chat", icon=":material/forum:", default=True),
        "documents": st.Page(documents, title="Documents", icon=":material/folder_open:", url_path="documents"),
    }
    st.session_state["chat_page"] = pages["chat"]
    st.navigation(list(pages.values()), position="top").run()


main()
