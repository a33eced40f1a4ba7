"""What leaves the chat: the ZIP of an answer, and feedback."""

from __future__ import annotations

import io
import json
import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from headtree.chat.export import export_answer
from headtree.chat.feedback import record_feedback
from headtree.chat.history import Turn, TurnState
from headtree.chat.starters import make_starters
from headtree.types import ShownFigure
from tests.chat.test_chat_history import make_answer, make_turn


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
    assert first["id"] == turn.turn_id
    assert first["query"] == turn.question
    assert first["images_found"][0] == {"label": "Figure 1", "path": "Pump/figures/normal.png", "exists": True}
    assert first["citations"][0]["doc_id"] == "Pump"
    assert first["options"]["documents"] == ["Pump"]


def test_starters_name_what_is_there(workspace: Any) -> None:
    with workspace.open().index.snapshot() as view:
        questions = make_starters(view)
        labels = {figure.label for figure in view.document("Pump").figures if figure.exists}
    assert questions
    assert len(set(questions)) == len(questions) <= 6
    named = re.findall(r"(?:Figure|Table) \d", " ".join(questions))
    assert named
    assert set(named) <= labels
