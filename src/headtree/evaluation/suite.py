"""Question set -> questions with their gold: read, checked, and one message per row that is not right.

Two formats are one: rows with ``id``, ``category`` and ``query`` only, and rows that also say what is right (needed
sections as line ranges, needed and acceptable pictures, printed numbers). What a row does not say is not scored.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from headtree.errors import HeadtreeError
from headtree.evaluation.gold import RowProblem, Suite, SuiteQuestion
from headtree.evaluation.rows import read_row


def read_suite(path: Path, *, split: str | None = None) -> Suite:
    """Read a question set.

    A row that is not right stays in its place with a ``problem``, so that nothing is left out in silence. A
    ``figures.jsonl`` beside the file (``doc``, ``file``, ``label``) gives the printed numbers of all pictures.

    Args:
        path: JSON: ``{"test_queries": [...]}`` or the list alone.
        split: take the rows of this split only.

    Raises:
        HeadtreeError: the file is missing, is no JSON, or holds no question (of this split).
    """
    rows = _read_rows(path)
    figure_map = _read_figure_map(path.with_name("figures.jsonl"))
    questions: list[SuiteQuestion] = []
    problems: list[RowProblem] = []
    taken: set[str] = set()
    for position, row in enumerate(rows, start=1):
        if split and not (isinstance(row, dict) and row.get("split") == split):
            continue
        question, messages = read_row(row, position, figure_map)
        if question.key in taken:
            messages.append(f"the id {question.key} is used before; this row is called {question.key}#{position}")
            question = replace(question, key=f"{question.key}#{position}", id=f"{question.id}#{position}")
        taken.add(question.key)
        questions.append(question)
        problems += [RowProblem(position, question.key, message) for message in messages]
    if not questions:
        known = sorted({str(row["split"]) for row in rows if isinstance(row, dict) and row.get("split")})
        wanted = f" of the split {split!r} (it has: {', '.join(known) or 'none'})" if split else ""
        raise HeadtreeError(f"{path} holds no questions{wanted}")
    return Suite(_suite_name(path, questions, split), tuple(questions), tuple(problems))


def _suite_name(path: Path, questions: Sequence[SuiteQuestion], split: str | None) -> str:
    """Name a set by its file; where that says nothing, by its folder or by the one split of its rows."""
    if path.stem == "questions":
        name = path.resolve().parent.name
    else:
        splits = {question.split for question in questions}
        only = splits.pop() if len(splits) == 1 else ""
        name = only if path.stem == "test_queries" and only else path.stem
    return f"{name}-{split}" if split and split != name else name


def _read_rows(path: Path) -> list[Any]:
    if not path.is_file():
        raise HeadtreeError(
            f"there is no question set at {path}; name one with --questions, "
            "or make one with: headtree questions new DOC"
        )
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise HeadtreeError(f"{path} is not JSON: {error}") from error
    rows = content.get("test_queries") if isinstance(content, dict) else content
    if not isinstance(rows, list):
        raise HeadtreeError(f'{path} must hold {{"test_queries": [...]}} or a list of questions')
    return rows


def _read_figure_map(path: Path) -> Mapping[str, str]:
    """Return printed numbers by picture; empty where there is no such file."""
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found[f"{row['doc']}/{row['file']}"] = row["label"] or ""
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise HeadtreeError(f"{path}:{number}: not an object with doc, file and label ({error})") from error
    return found
