"""Conversations on disk: nothing lost, nothing doubled, nothing outside of the folder."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from headtree.chat.history import AnswerOptions, ChatStore, Turn, TurnState, is_id, new_id, now
from headtree.chat.trace import Step, Trace, TracedCandidate
from headtree.types import Answer, Citation, FigureDecision, ShownFigure, SourceSection, Timings, Usage

OPTIONS = AnswerOptions(sections=5, max_figures=6, documents=("Pump",))


def make_turn(question: str = "What?") -> Turn:
    return Turn(new_id(), question, now(), OPTIONS)


def make_answer() -> Answer:
    return Answer(
        question="What?",
        answer="This [1], $5.",
        answerable=True,
        mode="local",
        citations=(Citation(1, "Pump", "0003", ("Pump", "1.1"), 4, 5, "quote “é”", True),),
        sections=(SourceSection(1, "Pump", "0003", ("Pump", "1.1"), 1, 9, 0.5),),
        figures=(ShownFigure("Pump#a.png", "Pump", "a.png", "Figure 1", "Cap", "figure", "0003", True, "named"),),
        figure_decisions=(FigureDecision("Pump#a.png", True, "named"),),
        usage=Usage(1, 2, 3, 0.5),
        timings=Timings(0.1, 0.2, 0.3, 0.4, 1.0),
        warnings=("careful",),
    )


def test_round_trip(tmp_path: Path) -> None:
    store, chat_id = ChatStore(tmp_path / "chats"), new_id()
    turn = make_turn()
    assert store.begin(chat_id, new_id(), turn)
    candidate = TracedCandidate(1, "Pump", "0003", ("Pump",), 0.5, "words", 1, {"dense": 0.25})
    done = replace(
        turn,
        state=TurnState.ANSWERED,
        answer=make_answer(),
        trace=Trace(steps=(Step("searching", "", 0.0),), candidates=(candidate,), searched=("Pump",)),
        generation="3",
    )
    store.finish(chat_id, done)
    chat = ChatStore(tmp_path / "chats").load(chat_id)
    assert chat is not None
    assert chat.turns == (done,)
    assert chat.title == "What?"
    assert [path.name for path in (tmp_path / "chats").iterdir()] == [f"{chat_id}.json"]


def test_one_question_at_a_time(tmp_path: Path) -> None:
    store, chat_id, owner = ChatStore(tmp_path), new_id(), new_id()
    first, second = make_turn("one"), make_turn("two")
    assert store.begin(chat_id, owner, first)
    assert not store.begin(chat_id, owner, second)
    store.finish(chat_id, replace(first, state=TurnState.STOPPED))
    assert store.begin(chat_id, owner, second)
    chat = store.load(chat_id)
    assert chat is not None
    assert [turn.question for turn in chat.turns] == ["one", "two"]


def test_list_is_the_owners_own(tmp_path: Path) -> None:
    store, mine, yours = ChatStore(tmp_path), new_id(), new_id()
    ids = [new_id() for _ in range(3)]
    for chat_id, owner, question in zip(ids, (mine, yours, mine), ("a", "b", "c"), strict=True):
        store.begin(chat_id, owner, make_turn(question))
    assert {summary.title for summary in store.summaries(mine)} == {"a", "c"}
    assert {summary.title for summary in store.summaries(yours)} == {"b"}
    for nobody in ("", "x", new_id()):
        assert store.summaries(nobody) == []
    store.remove(ids[0])
    assert {summary.title for summary in store.summaries(mine)} == {"c"}


@pytest.mark.parametrize("raw", [b"", b"{", b"[]", b'{"chat_id": 5}', b"\xff\xfe"])
def test_broken_file_is_set_aside(tmp_path: Path, raw: bytes) -> None:
    store, chat_id = ChatStore(tmp_path), new_id()
    (tmp_path / f"{chat_id}.json").write_bytes(raw)
    assert store.summaries(new_id()) == []
    assert store.load(chat_id) is None
    (kept,) = tmp_path.iterdir()
    assert ".broken-" in kept.name
    assert kept.read_bytes() == raw


@pytest.mark.parametrize("wrong", ["../x", "", "a" * 31, "A" * 32, "a" * 33, "..%2f", "a" * 32 + "\n"])
def test_other_ids_never_become_files(tmp_path: Path, wrong: str) -> None:
    assert not is_id(wrong)
    with pytest.raises(ValueError, match="no chat id"):
        ChatStore(tmp_path).load(wrong)


def test_outcome_of_a_removed_chat_is_dropped(tmp_path: Path) -> None:
    store, chat_id, turn = ChatStore(tmp_path), new_id(), make_turn()
    store.begin(chat_id, "", turn)
    store.remove(chat_id)
    store.finish(chat_id, replace(turn, state=TurnState.ANSWERED))
    assert store.load(chat_id) is None


def test_many_threads_lose_nothing(tmp_path: Path) -> None:
    store, owner = ChatStore(tmp_path), new_id()
    chat_id = new_id()

    def work(number: int) -> None:
        turn = make_turn(f"q{number}")
        while not store.begin(chat_id, owner, turn):
            pass
        store.finish(chat_id, replace(turn, state=TurnState.ANSWERED))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    chat = store.load(chat_id)
    assert chat is not None
    assert sorted(turn.question for turn in chat.turns) == [f"q{number}" for number in range(8)]
    assert {turn.state for turn in chat.turns} == {TurnState.ANSWERED}


def test_chat_that_another_process_changed_is_read_anew(tmp_path: Path) -> None:
    here, there, chat_id = ChatStore(tmp_path), ChatStore(tmp_path), new_id()
    turn = make_turn()
    assert here.begin(chat_id, "", turn)
    first = there.load(chat_id)
    assert there.load(chat_id) is first  # kept as it was read
    here.finish(chat_id, replace(turn, state=TurnState.STOPPED))
    second = there.load(chat_id)
    assert second is not None
    assert second.turns[0].state is TurnState.STOPPED
    here.remove(chat_id)
    assert there.load(chat_id) is None
