"""The chat page: ask, watch, read, go on asking."""

from __future__ import annotations

import streamlit as st

from headtree.chat.answering import LONGEST_QUESTION, AnswerJob
from headtree.chat.browser import browser_id
from headtree.chat.draw_answer import AVATAR, draw_outcome, draw_question, prepare_answers
from headtree.chat.draw_pictures import draw_preview
from headtree.chat.draw_sidebar import draw_sidebar
from headtree.chat.draw_states import draw_building, draw_no_index, overview_line
from headtree.chat.history import Chat, TurnState
from headtree.chat.safe_text import escape_label, render_markdown
from headtree.chat.session import SHOWN_TURNS, ask, ask_next, current_chat, take_asked
from headtree.chat.starters import Starter
from headtree.chat.trace import Step
from headtree.chat.workspace import Overview, Workspace
from headtree.errors import HeadtreeError

_FRAME_SECONDS = 0.2
"""Between two drawings of a text that is being written: 5 a second read as steady and cost little traffic."""
_STARTERS_IN_A_ROW = 3
_STEP_NAMES = {
    "searching": "Searching",
    "ranking": "Ranking sections",
    "reading": "Reading",
    "writing": "Writing the answer",
    "choosing pictures": "Choosing pictures",
    "looking at pictures": "Looking at pictures",
}


def draw_chat_page(workspace: Workspace) -> None:
    """Draw the page of the current conversation."""
    browser_id()
    try:
        overview = workspace.overview()
    except HeadtreeError as error:
        draw_no_index(workspace, error)
        st.chat_input("Ask about the documents", disabled=True, key="question-disabled")
        return
    chat_id, chat, job = current_chat(workspace)
    draw_sidebar(workspace, overview, chat_id)
    typed = _draw_first_visit(overview, workspace) if chat is None else _draw_chat(chat, job, workspace)
    question, options = (typed, None) if typed else take_asked()
    if question:
        ask(workspace, overview, chat_id, question, options)


def _draw_first_visit(overview: Overview, workspace: Workspace) -> str:
    """Draw what can be asked, for somebody who has not asked yet, and return what was typed."""
    st.title("Ask the documents", anchor=False)
    st.caption(overview_line(overview))
    draw_building(workspace)
    _draw_not_asked()
    with st.container():  # in its place, not below: a page with its input below is scrolled to its end
        typed = _draw_question_box(disabled=False)
    if overview.starters:
        st.markdown("For example:")
    for first in range(0, len(overview.starters), _STARTERS_IN_A_ROW):
        row = overview.starters[first : first + _STARTERS_IN_A_ROW]
        for number, (starter, column) in enumerate(zip(row, st.columns(_STARTERS_IN_A_ROW), strict=False), start=first):
            with column:
                _draw_starter(starter, workspace, key=f"starter-{number}")
    return typed


def _draw_starter(starter: Starter, workspace: Workspace, *, key: str) -> None:
    with st.container(border=True, height="stretch", gap="xsmall"):
        if starter.figure is not None:
            draw_preview(starter.figure, workspace.settings.documents)
        st.button(escape_label(starter.question), key=key, type="tertiary", on_click=ask_next, args=(starter.question,))


def _draw_chat(chat: Chat, job: AnswerJob | None, workspace: Workspace) -> str:
    """Draw a conversation and return what was typed."""
    draw_building(workspace)
    _draw_turns(chat, workspace, running=job is not None)
    if job is not None:
        _draw_running(workspace, chat.chat_id)
    _draw_not_asked()
    return _draw_question_box(disabled=job is not None)


def _draw_question_box(*, disabled: bool) -> str:
    return st.chat_input("Ask about the documents", key="question", max_chars=LONGEST_QUESTION, disabled=disabled) or ""


def _draw_turns(chat: Chat, workspace: Workspace, *, running: bool) -> None:
    """Draw the last turns; the one that is being answered gets its outcome from its job."""
    shown = int(st.session_state.get("shown_turns", SHOWN_TURNS))
    hidden = max(0, len(chat.turns) - shown)
    if hidden and st.button(f"Show earlier ({hidden})", icon=":material/expand_less:", type="tertiary", key="earlier"):
        st.session_state["shown_turns"] = shown + 2 * SHOWN_TURNS
        st.rerun()
    whole = len(chat.turns) - SHOWN_TURNS
    prepare_answers(chat.turns[hidden:], workspace)
    for number, turn in enumerate(chat.turns[hidden:], start=hidden):
        draw_question(turn)
        if not (running and turn.state is TurnState.ANSWERING):
            draw_outcome(turn, chat.chat_id, workspace, brief=number < whole)


@st.fragment(run_every=_FRAME_SECONDS)
def _draw_running(workspace: Workspace, chat_id: str) -> None:
    """Draw what the job has done so far; when it has ended, the whole page is drawn with its outcome."""
    job = workspace.answers.job(chat_id)
    if job is None:
        st.rerun()
    with st.chat_message("assistant", avatar=AVATAR):
        _draw_steps(job)
        if job.text:
            st.markdown(render_markdown(job.text) + " ▌")
        # As a callback it stops the job before anything is drawn.
        st.button("Stop", icon=":material/stop_circle:", key="stop", on_click=job.cancel)


def _draw_steps(job: AnswerJob) -> None:
    """Draw a line for each step, the last one as running."""
    steps = job.steps or (Step("searching", "", 0.0),)
    for step in steps[:-1]:
        st.status(_step_line(step), type="step", state="complete")
    seconds = int(job.seconds)
    st.status(f"{_step_line(steps[-1])}{f' ({seconds} s)' if seconds >= 2 else ''}", type="step", state="running")


def _step_line(step: Step) -> str:
    name = _STEP_NAMES.get(step.stage, escape_label(step.stage))
    return f"{name}: {escape_label(step.detail)}" if step.detail else name


def _draw_not_asked() -> None:
    """Say what was not asked and why, and keep its words."""
    reason, question = st.session_state.pop("not_asked", ("", ""))
    if reason:
        st.warning(f"Not asked: {escape_label(reason)} Your question was:", icon=":material/undo:")
        st.code(str(question)[:LONGEST_QUESTION], language=None, wrap_lines=True)
