"""What is told to the browser once per page: the id that it makes and keeps, and looks that the theme cannot set.

By its random id a browser's list of chats is its own. Without accounts, this is what keeps visitors apart. The id comes
from outside: only its form is trusted, and it opens nothing but a list of titles whose owner it is.
"""

from __future__ import annotations

import streamlit as st

from headtree.chat.history import is_id

_SCRIPT = """
// Windows and menus stand outside of the part of the page that Streamlit gives the theme's light or dark.
function spreadScheme() {
  const app = document.querySelector('[data-testid="stApp"]');
  if (app) { document.documentElement.style.colorScheme = getComputedStyle(app).colorScheme; }
}
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => setTimeout(spreadScheme, 300));

export default function(component) {
  spreadScheme();
  const key = "headtree-browser";
  let id = null;
  try { id = window.localStorage.getItem(key); } catch (error) { return; }
  if (!/^[0-9a-f]{32}$/.test(id || "")) {
    const bytes = window.crypto.getRandomValues(new Uint8Array(16));
    id = Array.from(bytes, byte => byte.toString(16).padStart(2, "0")).join("");
    try { window.localStorage.setItem(key, id); } catch (error) { return; }
  }
  if (component.data !== id) { component.setStateValue("id", id); }
}
"""
_LOOKS = """
/* Streamlit writes white on the primary colour, which in the dark theme is a light one. */
[data-testid="stBaseButton-primary"], [data-testid="stMultiSelectTagsContainer"] [data-tag] {
  color: light-dark(#ffffff, #10201a);
}
/* A table that is wider than the page can be moved under it. */
[data-testid="stMarkdownContainer"] table { display: block; max-width: 100%; overflow-x: auto; }
/* On a phone the sign of who speaks stands above the words, which need the width. */
@media (max-width: 640px) {
  [data-testid="stChatMessage"] { flex-direction: column; gap: 0.5rem; }
  [data-testid="stChatMessageContent"] { width: 100%; }
}
/* Words that are a button stand under the words above them. */
[class*="st-key-starter-"] button, [class*="st-key-starter-"] button p {
  text-align: left;
  justify-content: flex-start;
}
"""
"""What the theme has no setting for. Where a later Streamlit names its parts otherwise, it looks as it did without."""


def browser_id() -> str:
    """Return the id of the browser; empty in the first moment, and where it may keep nothing.

    What is drawn for it brings the styles of the page along, so that each page calls this once.
    """
    known = str(st.session_state.get("browser", ""))
    component = st.components.v2.component(
        "headtree_browser", html="<span></span>", css=_LOOKS, js=_SCRIPT, isolate_styles=False
    )
    result = component(key="browser-id", data=known, on_id_change=lambda: None, height=1)
    told = str(getattr(result, "id", "") or "")
    if is_id(told):
        st.session_state["browser"] = told
    return str(st.session_state.get("browser", ""))
