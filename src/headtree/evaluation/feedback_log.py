"""What people said of answers in the chat, ``feedback.jsonl``: read as the rows of a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson

from headtree.errors import HeadtreeError

FEEDBACK_SUFFIX = ".jsonl"
_NEEDED = ("query", "response", "mode", "citations", "figures")


def read_feedback(path: Path) -> list[dict[str, Any]]:
    """Return one row per answer that was rated: its last line is the one that counts.

    Raises:
        HeadtreeError: there is no such file, or a line of it is no feedback.
    """
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise HeadtreeError(f"there is no feedback at {path}; rate an answer in the chat first") from error
    rows: dict[str, dict[str, Any]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
            missing = [name for name in _NEEDED if name not in row]
            rows[str(row["id"])] = {"category": "chat", **row}
        except (orjson.JSONDecodeError, KeyError, TypeError) as error:
            raise HeadtreeError(f"{path}, line {number} is no feedback of the chat") from error
        if missing:
            raise HeadtreeError(f"{path}, line {number} lacks {', '.join(missing)}; rate the answer once more")
    return list(rows.values())


def list_feedback(rows: list[dict[str, Any]]) -> str:
    """Return a line for each row: its id, how it was rated, the question and the note."""
    words = {1: "good", 0: "bad", None: "not rated"}
    return "\n".join(
        f"{row['id']}  {words.get(row.get('rating'), 'not rated'):9}  {row['query']}"
        + (f" ({row['note']})" if row.get("note") else "")
        for row in rows
    )
