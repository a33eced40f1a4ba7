"""What leaves the chat: the ZIP of an answer, and feedback."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headtree.chat.export import export_answer
from headtree.chat.feedback import record_feedback
from headtree.chat.history import Turn, TurnState, new_id, now
from headtree.chat.starters import make_starters
from headtree.errors import HeadtreeError
from headtree.evaluation.feedback_log import read_feedback
from headtree.evaluation.questions import app as questions
from headtree.evaluation.suite import read_suite
from headtree.pipeline import Watcher
from headtree.types import ShownFigure
from tests.chat.test_chat_history import OPTIONS, make_answer, make_turn


def answered(text: str = "This [1] costs $5 million; $x^2$.") -> Turn:
    figures = tuple(
        ShownFigure(f"Pump#{path}", "Pump", path, label, "Housing [of] it", "figure", "0003", True, "named")
        for path, label in (("Pump/figures/normal.png", "Figure 1"), ("Pump/figures/missing.png", "Figure 4"))
    )
    answer = replace(make_answer(), answer=text, figures=figures)
    return replace(make_turn("What about *$5*?"), state=TurnState.ANSWERED, answer=answer, generation="7")


def test_zip_is_complete_and_tells_no_paths(workspace: Any) -> None:
    documents = workspace.settings.documents
    archive = zipfile.ZipFile(io.BytesIO(export_answer(answered(), documents)))
    assert archive.namelist() == ["images/01-Figure-1.png", "answer.md"]
    assert archive.read("images/01-Figure-1.png") == (documents / "Pump/figures/normal.png").read_bytes()
    text = archive.read("answer.md").decode()
    assert re.findall(r"!\[[^\]]*\]\(([^)]+)\)", text) == ["images/01-Figure-1.png"]
    for words in ("This [1] costs $5 million; $x^2$.", "(the file is missing)", "Pump > 1.1, lines 4-5", "quote “é”"):
        assert words in text
    for setting in ("documents searched: Pump", "state of the index: 7", "answered by: local"):
        assert setting in text
    assert str(documents) not in text


def test_exported_answer_fetches_nothing(workspace: Any) -> None:
    turn = answered("![x](http://tracker.invalid/p.png)")
    text = zipfile.ZipFile(io.BytesIO(export_answer(turn, workspace.settings.documents))).read("answer.md").decode()
    assert "![x]" not in text
    assert "tracker.invalid" in text


def test_feedback_is_one_line_each(tmp_path: Path) -> None:
    turn = answered()
    record_feedback(tmp_path / "chats", "c" * 32, turn, rating=1)
    record_feedback(tmp_path / "chats", "c" * 32, turn, rating=0, note="wrong\nfigure")
    lines = [json.loads(line) for line in (tmp_path / "chats" / "feedback.jsonl").read_text().splitlines()]
    assert [(line["rating"], line["note"]) for line in lines] == [(1, ""), (0, "wrong\nfigure")]
    first = lines[0]
    assert turn.turn_id.startswith(first["id"])
    assert first["query"] == turn.question
    assert first["figures"][0]["path"] == "Pump/figures/normal.png"
    assert first["citations"][0]["doc_id"] == "Pump"
    assert first["options"]["documents"] == ["Pump"]


def test_rated_answer_becomes_a_question_with_gold(workspace: Any, home: Path) -> None:
    """A thumb and a note in the chat, then the commands that make a question set of it."""
    chat_id, turn = new_id(), Turn(new_id(), "How tight are the screws of the housing?", now(), OPTIONS)
    found = workspace.answerer()(turn, Watcher())
    asked = replace(turn, state=TurnState.ANSWERED, answer=found.answer)
    record_feedback(workspace.settings.chats, chat_id, asked, rating=0)
    record_feedback(workspace.settings.chats, chat_id, asked, rating=1, note="45 Nm is right")
    log, suite = str(workspace.settings.chats / "feedback.jsonl"), home / "questions.json"
    listed = CliRunner().invoke(questions, ["feedback"])
    assert listed.exit_code == 0, listed.output
    (line,) = listed.output.splitlines()
    assert line == f"{turn.turn_id[:12]}  good       {turn.question} (45 Nm is right)"
    unknown = CliRunner().invoke(questions, ["accept", log, "nothing", "--questions", str(suite)])
    assert turn.turn_id[:12] in str(unknown.exception)
    accepted = CliRunner().invoke(questions, ["accept", log, line.split()[0], "--questions", str(suite)])
    assert accepted.exit_code == 0, accepted.output
    (question,) = read_suite(suite).questions
    assert question.query == turn.question
    cited = {(citation.doc_id, citation.first_line) for citation in found.answer.citations}
    assert {(gold.doc_id, gold.span.first) for need in question.needs for gold in need} <= cited
    checked = CliRunner().invoke(questions, ["check", "--questions", str(suite)])
    assert checked.exit_code == 0, checked.output


@pytest.mark.parametrize("line", ["{", "[]", '{"query": "no id"}', '{"id": "1", "query": "an older version"}'])
def test_line_that_is_no_feedback_is_named(tmp_path: Path, line: str) -> None:
    (tmp_path / "feedback.jsonl").write_text(f"\n{line}\n", encoding="utf-8")
    with pytest.raises(HeadtreeError, match="line 2"):
        read_feedback(tmp_path / "feedback.jsonl")


def test_starters_name_what_is_there(workspace: Any) -> None:
    with workspace.open().index.snapshot() as view:
        starters = make_starters(view)
        labels = {figure.label for figure in view.document("Pump").figures if figure.exists}
    questions = [starter.question for starter in starters]
    assert questions
    assert all(starter.figure is None or starter.figure.exists for starter in starters)
    assert len(set(questions)) == len(questions) <= 6
    named = re.findall(r"(?:Figure|Table) \d", " ".join(questions))
    assert named
    assert set(named) <= labels
