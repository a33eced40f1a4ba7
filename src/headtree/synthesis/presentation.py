"""Evidence as a model reads it: sections with their figures' handles in place, then the list of figures.

No path of a file is shown, so that none can be asked for; hidden text is not in the documents' lines any more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headtree.indexing.index import Snapshot, StoredDocument
from headtree.indexing.plain import one_line
from headtree.types import Evidence, EvidenceSection, Figure, FigureKind, LineSpan, OfferedFigure

_MARKDOWN_IMAGE = re.compile(
    r"!\[(?:[^\[\]]|\[[^\[\]]*\]){0,1000}\](?:\((?:[^()]|\([^()]*\)){0,1000}\)|\[[^\]]{0,500}\])"
)
_HTML_IMAGE = re.compile(r"<img\b[^<>]{0,2000}>", re.IGNORECASE)
_HANDLE = re.compile(r"\s*\[F\d+\]")
_SHORT_PARAGRAPH = 200
"""Characters under which a paragraph is joined to the next: a citation of one cell of a table would say nothing."""
_IMAGE_WORDS = 140
"""Characters of what stands in or beside an image that are shown with it."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A piece of a section as it is sent, and the lines that it came from."""

    text: str
    span: LineSpan


def section_heading(section: EvidenceSection) -> str:
    """Return the line above a section: its handle, its place, and whether it was cut."""
    cut = f" (cut: only lines {section.span.first}-{section.span.last} of it)" if section.cut else ""
    return f"[{section.rank}] {' > '.join(section.breadcrumb)}{cut}"


def section_lines(
    section: EvidenceSection, document: StoredDocument, figures: Sequence[OfferedFigure]
) -> list[tuple[int, str]]:
    """Return (line number, text) of a section, each image replaced by its handle, or by nothing where it has none."""
    handles: dict[int, list[str]] = {}
    for offered in figures:
        if offered.figure.doc_id == section.doc_id:
            for line in (offered.figure.line, *offered.figure.also_at):
                handles.setdefault(line, []).append(f"[{offered.handle}]")
    return [
        (number, _with_handles(document.lines[number - 1], handles.get(number, ())))
        for number in range(section.span.first, section.span.last + 1)
    ]


def _with_handles(line: str, handles: Sequence[str]) -> str:
    images = [*_MARKDOWN_IMAGE.finditer(line), *_HTML_IMAGE.finditer(line)]
    if not images and not handles:
        return line
    if len(images) == len(handles):
        in_order = iter(handles)
        replaced = _MARKDOWN_IMAGE.sub(lambda match: next(in_order), line)
        return _HTML_IMAGE.sub(lambda match: next(in_order), replaced)
    return " ".join((_HTML_IMAGE.sub("", _MARKDOWN_IMAGE.sub("", line)).rstrip(), *handles)).strip()


def section_paragraphs(
    section: EvidenceSection, document: StoredDocument, figures: Sequence[OfferedFigure]
) -> tuple[Paragraph, ...]:
    """Cut a section at its blank lines and headings into pieces that can be cited one by one; none is empty."""
    headings = {heading.line for heading in document.sections.values() if heading.level > 0}
    paragraphs: list[Paragraph] = []
    lines: list[tuple[int, str]] = []
    for number, text in (*section_lines(section, document, figures), (0, "")):
        long_enough = sum(len(line) for _, line in lines) >= _SHORT_PARAGRAPH
        if lines and (number in headings or number == 0 or (long_enough and not text.strip())):
            paragraphs.append(Paragraph("\n".join(line for _, line in lines), LineSpan(lines[0][0], lines[-1][0])))
            lines = []
        if text.strip():
            lines.append((number, text))
    return tuple(paragraphs)


def without_handles(text: str) -> str:
    """Return a quote without the handles that were put into the text."""
    return _HANDLE.sub("", text).strip()


def figure_list(evidence: Evidence, view: Snapshot) -> str:
    """List the figures that may be shown: a caption once per figure, a handle per part."""
    if not evidence.figures:
        return "Figures: none."
    return "\n".join(("Figures:", *_figure_lines(evidence.figures, view)))


def _figure_lines(figures: Sequence[OfferedFigure], view: Snapshot) -> Iterator[str]:
    shown: set[tuple[str, str]] = set()
    for offered in figures:
        figure = offered.figure
        group = (figure.doc_id, figure.group or figure.fig_id)
        name = figure.label or figure.kind.value
        if figure.kind is FigureKind.PART:
            name = f"part of {figure.label or 'a figure'}"
        caption = one_line(figure.caption or figure.alt) if group not in shown else "(as above)"
        said = figure.kind is FigureKind.TABLE and not figure.description
        words = "" if said else _image_words(figure, view.document(figure.doc_id))
        shown.add(group)
        yield f"{offered.handle} | {name} | {caption or 'no caption'}{words} | {offered.reason}"


def _image_words(figure: Figure, document: StoredDocument) -> str:
    """Say what a model saw in an image, else the words that the document has in it or beside it."""
    if figure.description:
        read = f"; to be read in it: {one_line(figure.visible_text)[:_IMAGE_WORDS]}" if figure.visible_text else ""
        return f" | seen in it: {one_line(figure.description)}{read}"
    inside = document.text(figure.inside) if figure.inside else ""
    known = one_line(
        ". ".join(text for text in (figure.alt, figure.context, inside) if text and text != figure.caption)
    )
    if not known:
        return ""
    return f" | in it or beside it: {known[:_IMAGE_WORDS]}{'…' if len(known) > _IMAGE_WORDS else ''}"
