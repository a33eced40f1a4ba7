"""Thumbs and notes as JSON lines: from them, questions with gold can be made."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import orjson

from headtree.chat.history import Turn, now

_LOCK = threading.Lock()
LONGEST_NOTE = 2000
ID_DIGITS = 12
"""Of a question's id, hexadecimal: people type it."""


def record_feedback(chats: Path, chat_id: str, turn: Turn, *, rating: int | None, note: str = "") -> None:
    """Append a line to ``feedback.jsonl``; the last line of a turn is the one that counts.

    Args:
        chats: folder of the chats.
        chat_id: the conversation.
        turn: what is rated.
        rating: 1 for good, 0 for bad, ``None`` where it was taken back.
        note: in the user's words.
    """
    line = orjson.dumps(_line(chat_id, turn, rating, note[:LONGEST_NOTE]), option=orjson.OPT_APPEND_NEWLINE)
    chats.mkdir(parents=True, exist_ok=True)
    with _LOCK, (chats / "feedback.jsonl").open("ab") as file:
        file.write(line)


def _line(chat_id: str, turn: Turn, rating: int | None, note: str) -> dict[str, Any]:
    """Name the fields as a benchmark run does: ``headtree questions accept`` makes an answer a question with gold."""
    answer = turn.answer
    return {
        "time": now(),
        "chat_id": chat_id,
        "id": turn.turn_id[:ID_DIGITS],
        "query": turn.question,
        "docs": list(turn.options.documents),
        "rating": rating,
        "note": note,
        "options": turn.options,
        "generation": turn.generation,
        "mode": answer.mode if answer else "",
        "response": answer.answer if answer else turn.text,
        "answerable": answer.answerable if answer else None,
        "citations": answer.citations if answer else (),
        "figures": answer.figures if answer else (),
    }
