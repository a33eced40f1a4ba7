"""Answers as jobs: they end once, whoever comes first."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from headtree.chat.answering import LONGEST_QUESTION, AnswerBoard, Found, answer_from
from headtree.chat.history import AnswerOptions, Chat, ChatStore, Turn, TurnState, new_id
from headtree.chat.trace import Trace
from headtree.errors import HeadtreeError, ModelCallError
from headtree.models.registry import Registry
from headtree.pipeline import Watcher
from headtree.types import AnswerEvent, AnswerStage
from tests.chat.corpus import wait_until
from tests.chat.test_chat_history import OPTIONS, make_answer


class Gate:
    """An answerer that waits until it is let through, as a provider's call does."""

    def __init__(self) -> None:
        self.open = threading.Event()
        self.begun = threading.Event()
        self.ended = threading.Event()
        self.stop_seen: bool | None = None

    def __call__(self, turn: Turn, watcher: Watcher) -> Found:
        watcher.tell(AnswerEvent(AnswerStage.WRITING, text="so far"))
        self.begun.set()
        self.open.wait(10)
        assert watcher.stop is not None
        self.stop_seen = watcher.stop.is_set()
        self.ended.set()
        return Found(make_answer(), Trace(), "1")


def outcome(store: ChatStore, chat_id: str) -> Turn:
    chat = store.load(chat_id)
    assert chat is not None
    return chat.turns[-1]


def test_second_question_waits_for_the_first(tmp_path: Path) -> None:
    """D-U01: the history stays in turns, and the second question is refused with its words, not lost."""
    store, gate, chat_id = ChatStore(tmp_path), Gate(), new_id()
    board = AnswerBoard(store)
    assert board.ask(chat_id, "", "one", OPTIONS, gate)
    assert not board.ask(chat_id, "", "two", OPTIONS, gate)
    gate.open.set()
    wait_until(lambda: board.job(chat_id) is None)
    chat = store.load(chat_id)
    assert chat is not None
    assert [(turn.question, turn.state) for turn in chat.turns] == [("one", TurnState.ANSWERED)]
    assert board.ask(chat_id, "", "two", OPTIONS, gate)
    wait_until(lambda: board.job(chat_id) is None)
    chat = store.load(chat_id)
    assert chat is not None
    assert [turn.question for turn in chat.turns] == ["one", "two"]


def test_question_that_ends_while_its_chat_is_read_does_not_look_interrupted(tmp_path: Path) -> None:
    """A chat that says "answering" without a job is one whose server was stopped: a job that just ends is none."""

    class SlowDisk(ChatStore):
        def load(self, chat_id: str) -> Chat | None:
            chat = super().load(chat_id)
            if threading.current_thread() is threading.main_thread() and gate.begun.is_set():
                gate.open.set()
                wait_until(lambda: board.job(chat_id) is None)
            return chat

    store, gate, chat_id = SlowDisk(tmp_path), Gate(), new_id()
    board = AnswerBoard(store)
    board.ask(chat_id, "", "one", OPTIONS, gate)
    gate.begun.wait(10)
    chat, job = board.look(chat_id)
    assert chat is not None
    assert chat.turns[-1].state is TurnState.ANSWERING
    assert job is not None
    chat, job = board.look(chat_id)
    assert chat is not None
    assert (chat.turns[-1].state, job) == (TurnState.ANSWERED, None)


def test_stop_wins_over_a_late_reply(tmp_path: Path) -> None:
    store, gate, chat_id = ChatStore(tmp_path), Gate(), new_id()
    board = AnswerBoard(store)
    board.ask(chat_id, "", "one", OPTIONS, gate)
    gate.begun.wait(10)
    job = board.job(chat_id)
    assert job is not None
    job.cancel()
    assert board.job(chat_id) is None
    assert (outcome(store, chat_id).state, outcome(store, chat_id).text) == (TurnState.STOPPED, "so far")
    gate.open.set()
    gate.ended.wait(10)
    wait_until(lambda: not [t for t in threading.enumerate() if t.name.startswith("answer-")])
    assert gate.stop_seen is True
    assert outcome(store, chat_id).state is TurnState.STOPPED


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ModelCallError("the quota is used up; wait"), "the quota is used up; wait"),
        (RuntimeError("/secret/path"), "unexpected RuntimeError; the server's log says more"),
    ],
)
def test_failure_is_kept_with_the_question(tmp_path: Path, error: Exception, words: str) -> None:
    store, chat_id = ChatStore(tmp_path), new_id()
    board = AnswerBoard(store)

    def answerer(turn: Turn, watcher: Watcher) -> Found:
        raise error

    board.ask(chat_id, "", " one ", OPTIONS, answerer)
    wait_until(lambda: board.job(chat_id) is None)
    turn = outcome(store, chat_id)
    assert (turn.question, turn.state, turn.error) == ("one", TurnState.FAILED, words)


def test_question_that_the_server_left_open_is_closed(tmp_path: Path) -> None:
    store, chat_id, gate = ChatStore(tmp_path), new_id(), Gate()
    AnswerBoard(store).ask(chat_id, "", "one", OPTIONS, gate)
    gate.begun.wait(10)
    after_restart = AnswerBoard(store)
    gate_two = Gate()
    gate_two.open.set()
    assert after_restart.ask(chat_id, "", "two", OPTIONS, gate_two)
    wait_until(lambda: after_restart.job(chat_id) is None)
    chat = store.load(chat_id)
    assert chat is not None
    assert [turn.state for turn in chat.turns] == [TurnState.STOPPED, TurnState.ANSWERED]
    gate.open.set()
    gate.ended.wait(10)


@pytest.mark.parametrize("question", ["", "  \n", "x" * (LONGEST_QUESTION + 1)])
def test_unusable_question_is_refused(tmp_path: Path, question: str) -> None:
    board = AnswerBoard(ChatStore(tmp_path))
    with pytest.raises(HeadtreeError):
        board.ask(new_id(), "", question, OPTIONS, Gate())
    assert list(tmp_path.iterdir()) == []


def test_real_answer_has_its_steps_and_its_trace(workspace: Any) -> None:
    chat_id = new_id()
    options = AnswerOptions(sections=2, max_figures=1, documents=("Pump",))
    workspace.answers.ask(chat_id, "", "How tight are the screws of the housing?", options, workspace.answerer())
    wait_until(lambda: workspace.answers.job(chat_id) is None)
    turn = outcome(workspace.store, chat_id)
    assert turn.state is TurnState.ANSWERED, turn.error
    assert turn.answer is not None
    assert turn.trace is not None
    assert len(turn.answer.sections) <= 2
    assert len(turn.answer.figures) <= 1
    assert turn.trace.searched == ("Pump",)
    assert [step.stage for step in turn.trace.steps][:4] == ["searching", "ranking", "reading", "writing"]
    assert any(candidate.read_as == 1 for candidate in turn.trace.candidates)
    decided = {decision.figure_id: decision.shown for decision in turn.answer.figure_decisions}
    assert {figure.figure_id: figure.shown for figure in turn.trace.figures} == decided


def test_this_machine_asks_no_model_though_a_key_is_set(workspace: Any) -> None:
    registry = Registry(workspace.settings.model_copy(update={"gemini_api_key": SecretStr("no key of any service")}))
    local = {"rerank_model": "local", "synthesis_model": "local", "vision_model": "local", "vision_filter": True}
    options = replace(OPTIONS, documents=("Garden",), **local)
    found = answer_from(workspace.open(), registry)(Turn(new_id(), "When are hedges cut?", "", options), Watcher())
    assert found.answer.mode == "local"
    assert found.answer.requests == ()


def test_unknown_document_is_a_failure_that_says_what_to_do(workspace: Any) -> None:
    chat_id = new_id()
    workspace.answers.ask(chat_id, "", "What?", AnswerOptions(5, 6, ("Gone",)), workspace.answerer())
    wait_until(lambda: workspace.answers.job(chat_id) is None)
    turn = outcome(workspace.store, chat_id)
    assert turn.state is TurnState.FAILED
    assert "headtree info" in turn.error
