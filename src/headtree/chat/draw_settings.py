"""What a question is asked with, as controls that say what they cost: of the next question, or to ask one again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

from headtree.chat.costs import list_choices, missing, question_cost
from headtree.chat.history import AnswerOptions
from headtree.chat.safe_text import escape_label
from headtree.chat.workspace import Overview, Workspace
from headtree.models.registry import LOCAL, Role
from headtree.settings import MAX_FIGURES, MAX_IMAGE_SIDE

_IMAGE_SIDES = (512, 768, 1024, MAX_IMAGE_SIDE)
"""Pixels. The words of most charts are readable from 768 on."""
_LABELS = {
    Role.RERANK: "Chooses the sections",
    Role.SYNTHESIS: "Writes the answer",
    Role.VISION: "Looks at the pictures",
}
_PURPOSES = {
    Role.RERANK: "Picks those that answer out of what the search found.",
    Role.SYNTHESIS: "This machine answers with quotes; a model writes sentences.",
    Role.VISION: "Drops pictures that do not show what was asked.",
}


def draw_filter(overview: Overview, chosen: Sequence[str], *, key: str = "") -> tuple[str, ...]:
    """Draw the choice of documents and return it; none chosen means all."""
    ids = [document.doc_id for document in overview.documents]
    name = f"{key}documents"
    given: dict[str, Any] = {"default": [doc_id for doc_id in chosen if doc_id in ids]}
    if name in st.session_state:
        given = {}
        kept = [doc_id for doc_id in st.session_state[name] if doc_id in ids]
        if kept != st.session_state[name]:
            st.session_state[name] = kept  # a document was removed meanwhile
    selected = st.multiselect(
        "Search in",
        ids,
        key=name,
        placeholder="All documents",
        help="Only these documents are searched",
        **given,
        **_kept(key),
    )
    return tuple(selected)


def draw_options(workspace: Workspace, start: AnswerOptions, *, key: str = "") -> AnswerOptions:
    """Draw the controls and return what they say; the documents are those of ``start``.

    Args:
        workspace: has the settings and the models.
        start: what the controls say at first.
        key: makes the controls' keys unique on the page; empty for those of the next question, which are kept.
    """
    sections = st.slider(
        "Sections that are read",
        1,
        20,
        start.sections,
        key=f"{key}sections",
        help="More sections find more and take longer; with a model, each adds about 1,000 tokens to what it reads",
        **_kept(key),
    )
    figures = st.slider("Most pictures", 0, MAX_FIGURES, start.max_figures, key=f"{key}max_figures", **_kept(key))
    options = replace(start, sections=sections, max_figures=figures)
    options = replace(options, rerank_model=_draw_role(Role.RERANK, workspace, options, key))
    options = replace(options, synthesis_model=_draw_role(Role.SYNTHESIS, workspace, options, key))
    options = _draw_vision(workspace, options, key)
    st.caption(f":material/payments: {escape_label(question_cost(options, workspace.settings, workspace.registry))}")
    for lack in () if key else missing(workspace.registry):
        st.caption(escape_label(lack, longest=200))
    return options


def _draw_role(role: Role, workspace: Workspace, options: AnswerOptions, key: str) -> str:
    """Draw who takes a step, each with its price; greyed out, with the reason, where there is no choice."""
    choices = {one.value: one for one in list_choices(role, options, workspace.settings, workspace.registry)}
    values = list(choices)
    start = str(getattr(options, role.value))
    lone = all(choice.model == LOCAL for choice in choices.values())
    value = st.selectbox(
        _LABELS[role],
        values,
        index=values.index(start) if start in values else 0,
        format_func=lambda value: choices[value].label if value in choices else value,
        key=f"{key}{role.value}",
        disabled=lone,
        help=f"{_PURPOSES[role]}{' No other can be chosen: no key of a model is set.' if lone else ''}",
        **_kept(key),
    )
    return str(value)


def _draw_vision(workspace: Workspace, options: AnswerOptions, key: str) -> AnswerOptions:
    """Draw whether a model looks at the pictures, how sharp they are for it, and which one."""
    choices = list_choices(Role.VISION, options, workspace.settings, workspace.registry)
    possible = any(choice.model != LOCAL for choice in choices)
    filtering = st.toggle(
        "Check the pictures by looking at them",
        value=options.vision_filter and possible,
        key=f"{key}vision_filter",
        disabled=not possible,
        help=f"{_PURPOSES[Role.VISION]}{'' if possible else ' It takes a model, and no key of one is set.'}",
        **_kept(key),
    )
    options = replace(options, vision_filter=bool(filtering and possible))
    if not options.vision_filter:
        return options
    side = st.select_slider(
        "Pixels of a picture's longest side",
        sorted({*_IMAGE_SIDES, options.image_side}),
        value=options.image_side,
        key=f"{key}image_side",
        help="Claude is paid by the pixel, Gemini by the picture",
        **_kept(key),
    )
    options = replace(options, image_side=int(side))
    return replace(options, vision_model=_draw_role(Role.VISION, workspace, options, key))


def _kept(key: str) -> dict[str, Any]:
    """Keep the controls of the next question while another page is shown."""
    return {} if key else {"persist_state": "session"}
