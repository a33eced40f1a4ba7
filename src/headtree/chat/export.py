"""An answer as a ZIP: ``answer.md`` with its sources and settings, and the pictures beside it."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path

from headtree.chat.history import Turn
from headtree.chat.pictures import file_name, find_picture
from headtree.types import Answer, ShownFigure


def export_answer(turn: Turn, documents: Path) -> bytes:
    """Return a ZIP of an answered question; it names documents and lines, never a path of this machine."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        names: dict[str, str] = {}
        for number, figure in enumerate(turn.answer.figures if turn.answer else (), start=1):
            found = find_picture(documents, figure.path)
            if found.file is not None:
                names[figure.figure_id] = f"images/{file_name(number, figure.label, figure.path)}"
                archive.writestr(names[figure.figure_id], found.file.read_bytes())
        archive.writestr("answer.md", answer_markdown(turn, names))
    return raw.getvalue()


def answer_markdown(turn: Turn, names: dict[str, str]) -> str:
    """Return an answer as Markdown.

    Args:
        turn: the question and its answer.
        names: the pictures' files by figure id, relative to the Markdown file; those that are missing are said so.
    """
    answer = turn.answer
    parts = [f"# {' '.join(turn.question.split())}", _without_pictures(answer.answer if answer else turn.text)]
    if answer is not None:
        parts += [*_pictures(answer, names), *_sources(answer), *_warnings(answer)]
    parts.append("\n".join(("## Made with", "", *_settings(turn))))
    return "\n\n".join(parts) + "\n"


def _without_pictures(text: str) -> str:
    """Keep a picture's Markdown visible but unloaded: an exported file must fetch nothing either."""
    return re.sub(r"!\[", r"!\\[", text)


def _pictures(answer: Answer, names: dict[str, str]) -> Iterator[str]:
    for figure in answer.figures:
        name = names.get(figure.figure_id)
        title = _title(figure)
        yield f"![{re.sub(r'[][]', '', title)}]({name})\n\n*{title}*" if name else f"*{title}* (the file is missing)"


def _title(figure: ShownFigure) -> str:
    return " ".join((f"{figure.label}: {figure.caption}" if figure.label else figure.caption or "Picture").split())


def _sources(answer: Answer) -> Iterator[str]:
    if not answer.citations:
        return
    lines = ["## Sources", ""]
    for citation in answer.citations:
        place = f"{' > '.join(citation.breadcrumb)}, lines {citation.first_line}-{citation.last_line}"
        quote = _without_pictures(" ".join(citation.quote.split()))
        lines.append(f"{citation.number}. {place}: “{quote}”" + ("" if citation.verified else " (not verbatim)"))
    yield "\n".join(lines)


def _warnings(answer: Answer) -> Iterator[str]:
    if answer.warnings:
        yield "\n".join(("## Notes", "", *(f"- {warning}" for warning in answer.warnings)))


def _settings(turn: Turn) -> Iterator[str]:
    options = turn.options
    yield f"- asked: {turn.asked_at}"
    yield f"- answered by: {turn.answer.mode if turn.answer else turn.state.value}"
    yield f"- asked with: {options.words}"
    yield f"- documents searched: {', '.join(options.documents) or 'all'}"
    yield f"- state of the index: {turn.generation or 'not known'}"
