"""The chat with a scripted answerer: the words of a question decide what happens. Run by the browser tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import streamlit as st

from headtree.chat.answering import Answerer, Found
from headtree.chat.history import Turn
from headtree.chat.page_chat import draw_chat_page
from headtree.chat.page_documents import draw_documents_page
from headtree.chat.trace import Trace, TracedFigure
from headtree.chat.workspace import Workspace
from headtree.errors import ModelCallError
from headtree.pipeline import Watcher, build_index
from headtree.settings import load_settings
from headtree.types import Answer, AnswerEvent, AnswerStage, Citation, FigureDecision, ShownFigure, SourceSection
from tests.chat.corpus import LABELS

MONEY = r"cost $5 million and $6 million; $L=x^2$; \(a\)"
HOSTILE = (
    "<script>window.hacked = 1</script> <style>body{display:none}</style> ![x](http://tracker.invalid/a.png) "
    "![y][r] :red[colour] [click](javascript:alert(1)) <img src=x onerror='window.hacked=2'>\n\n"
    "[r]: http://tracker.invalid/b.png\n\n:material/delete: :+1: # not a heading"
)
LONG = "With $a + b$: " + " ".join(f"Sentence number {number} costs $5 and ${number}." for number in range(60))
WIDE = "\n".join(
    f"| {' | '.join(cells)} |"
    for cells in ([f"Column{n}" for n in range(12)], ["---"] * 12, [f"value-{n}" for n in range(12)])
)


class ScriptedWorkspace(Workspace):
    """A workspace whose answers are written in this file."""

    def answerer(self) -> Answerer:
        real = super().answerer()

        def answerer(turn: Turn, watcher: Watcher) -> Found:
            watcher.step(AnswerStage.SEARCHING)
            word = turn.question.split()[0].lower()
            if word == "slow":
                _write_slowly(watcher)
                return _found(turn, LONG)
            if word == "block":
                _block(watcher, self.settings.chats.parent)
                return _found(turn, "The words that come at last.")
            if word == "fail":
                raise ModelCallError("the model's quota is used up; wait until tomorrow or set another key")
            if word == "defect":
                raise RuntimeError("/secret/path must not be shown")
            if word in _ANSWERS:
                return _ANSWERS[word](turn)
            return real(turn, watcher)

        return answerer


def _write_slowly(watcher: Watcher) -> None:
    words = LONG.split(" ")
    for end in range(0, len(words), 8):
        watcher.step(AnswerStage.WRITING)
        watcher.tell(AnswerEvent(AnswerStage.WRITING, text=" ".join(words[:end])))
        time.sleep(0.05)


def _block(watcher: Watcher, home: Path) -> None:
    """Wait as a call to a provider does, which looks at nothing, until the test lets it go; then say what it saw."""
    (home / "provider.log").unlink(missing_ok=True)
    watcher.tell(AnswerEvent(AnswerStage.WRITING, text="The first words"))
    end = time.monotonic() + 60
    while not (home / "reply").exists() and time.monotonic() < end:
        time.sleep(0.02)
    (home / "provider.log").write_text(f"stop was set: {watcher.stop is not None and watcher.stop.is_set()}")


def _figure(name: str) -> ShownFigure:
    path = f"Pump/figures/{name}.png"
    label = LABELS[name]
    return ShownFigure(f"Pump#{path}", "Pump", path, label, f"The {name} one", "figure", "0003", True, "it was named")


def _hostile(turn: Turn) -> Found:
    """Return an answer of which all that came from a document or a model is hostile."""
    found = _found(turn, HOSTILE, figures=("normal",), note=HOSTILE)
    answer = found.answer
    figure = replace(answer.figures[0], caption=HOSTILE, reason=HOSTILE, description=HOSTILE)
    citation = replace(answer.citations[0], quote=HOSTILE, breadcrumb=(HOSTILE, HOSTILE), verified=False)
    return replace(found, answer=replace(answer, figures=(figure,), citations=(citation,)))


def _found(turn: Turn, text: str, *, figures: tuple[str, ...] = (), answerable: bool = True, note: str = "") -> Found:
    shown = tuple(_figure(name) for name in figures)
    citation = Citation(
        1, "Pump", "0003", ("Pump", "Pump manual", "1 Setup", "1.1 Housing"), 10, 10,
        "The screws are tightened crosswise to 45 Nm.", True,
    )  # fmt: skip
    section = SourceSection(1, "Pump", "0003", citation.breadcrumb, 7, 14, 1.0)
    answer = Answer(
        question=turn.question,
        answer=text,
        answerable=answerable,
        mode="local",
        citations=(citation,) if answerable else (),
        sections=(section,),
        figures=shown,
        figure_decisions=(
            *(FigureDecision(figure.figure_id, True, figure.reason) for figure in shown),
            FigureDecision("Pump#other", False, "too little speaks for it"),
        ),
        warnings=(note,) if note else (),
    )
    traced = TracedFigure("Pump#other", "Pump", "other.png", "F9", "Figure 9", "Other", "stands there", False, "weak")
    return Found(answer, Trace(figures=(traced,)), "1")


_ANSWERS: dict[str, Callable[[Turn], Found]] = {
    "money": lambda turn: _found(turn, MONEY),
    "wide": lambda turn: _found(turn, WIDE),
    "hostile": _hostile,
    "six": lambda turn: _found(turn, "All six [1].", figures=tuple(LABELS)),
    "abstain": lambda turn: _found(turn, "The documents do not answer this.", answerable=False),
    "fallback": lambda turn: _found(turn, "Quotes [1].", note="no key for gemini: answered by the local reader "),
    "unchecked": lambda turn: _found(
        turn, "With one [1].", figures=("normal",), note="the pictures were not looked at"
    ),
}


@st.cache_resource
def workspace() -> ScriptedWorkspace:
    """Index the corpus once and share it."""
    settings = load_settings()
    build_index(settings)
    return ScriptedWorkspace(settings)


def chat() -> None:
    st.set_page_config(layout="centered")
    draw_chat_page(workspace())


def documents() -> None:
    st.set_page_config(layout="wide")
    draw_documents_page(workspace())


st.set_page_config(page_title="headtree", page_icon="🌳")
chat_page = st.Page(chat, title="Chat", default=True)
st.session_state["chat_page"] = chat_page
st.navigation([chat_page, st.Page(documents, title="Documents", url_path="documents")], position="top").run()
