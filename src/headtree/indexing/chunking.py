"""Passages -> chunks: what is searched. A chunk never leaves its section; it points to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath

from headtree.indexing.plain import one_line, plain_text
from headtree.types import Chunk, Figure, FigureKind, Passage, PassageKind, Section

_SHORT_TAIL = 0.25
"""A last chunk under this share of the size is joined to the one before it: alone it would say too little."""


def make_chunks(
    doc_id: str,
    sections: Sequence[Section],
    passages: Mapping[str, Sequence[Passage]],
    figures: Sequence[Figure],
    *,
    size: int,
) -> tuple[Chunk, ...]:
    """Cut every indexed section into chunks of about ``size`` characters, and add one chunk per figure.

    A chunk that continues a table begins with the table's header rows. What is known about a figure (label, caption,
    alternative text) is a chunk of its own, so that a figure is found by its caption; a section that holds nothing
    but a figure is found by it too.
    """
    chunks: list[Chunk] = []
    indexed = {section.node_id: section for section in sections if section.noise is None}
    for section in indexed.values():
        for first, last, text in _pack(passages.get(section.node_id, ()), size):
            chunks.append(Chunk(doc_id, section.node_id, len(chunks), first, last, section.breadcrumb, text))
    for figure in figures:
        home = indexed.get(figure.node_id)
        if home is None or figure.kind is FigureKind.JUNK or not figure.exists:
            continue
        if text := figure_text(figure):
            chunks.append(
                Chunk(
                    doc_id,
                    home.node_id,
                    len(chunks),
                    figure.line,
                    figure.line,
                    home.breadcrumb,
                    text,
                    figure_path=figure.path,
                )
            )
    return tuple(chunks)


def figure_text(figure: Figure) -> str:
    """Return what the document says about a figure and what a model saw in it, else the words of its file name."""
    parts = [figure.label or "", figure.caption, figure.alt, figure.context, figure.description, figure.visible_text]
    words = one_line(". ".join(part for part in dict.fromkeys(parts) if part))
    return words or _name_words(figure.path)


def _name_words(path: str) -> str:
    """Read ``create-board-modal.png`` as words; a name that only counts (``fileoutpart12``) says nothing."""
    stem = PurePosixPath(path).stem
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|[-_.]+", " ", stem).split()
    return " ".join(words) if len([word for word in words if word.isalpha()]) >= 2 else ""


def chunk_prefix(breadcrumb: Sequence[str]) -> str:
    """Return the line that stands before a chunk's text when it is embedded."""
    return " > ".join(breadcrumb)


def embedding_text(chunk: Chunk) -> str:
    """Return what is embedded: the breadcrumb and context, so that a chunk knows where it stands, then its words."""
    return f"{chunk_prefix(chunk.breadcrumb)}\n{searched_text(chunk)}"


def searched_text(chunk: Chunk) -> str:
    """Return a chunk's words with its context, where it has one, in front."""
    return f"{chunk.context}\n{chunk.text}" if chunk.context else chunk.text


def _pack(passages: Sequence[Passage], size: int) -> Iterator[tuple[int, int, str]]:
    """Yield (first line, last line, text) of chunks."""
    groups: list[list[Passage]] = []
    length = 0
    for passage in passages:
        if not groups or (length + len(passage.text) > size and not _only_header(groups[-1])):
            groups.append([])
            length = 0
        groups[-1].append(passage)
        length += len(passage.text) + 1
    if len(groups) > 1 and sum(len(passage.text) for passage in groups[-1]) < _SHORT_TAIL * size:
        tail = groups.pop()
        groups[-1] += tail
    header: list[Passage] = []
    for group in groups:
        repeated = header if group[0].kind is PassageKind.ROW else []
        text = plain_text("\n".join(passage.text for passage in (*repeated, *group)))
        if text:
            yield group[0].first_line, group[-1].last_line, text
        header = _header_after(group, header)


def _only_header(group: Sequence[Passage]) -> bool:
    """Whether a chunk would end with a table's header and nothing of the table."""
    return bool(group) and all(passage.kind is PassageKind.HEADER_ROW for passage in group)


def _header_after(group: Sequence[Passage], header: list[Passage]) -> list[Passage]:
    """Return the header rows of the table that is open at the end of a chunk."""
    current = list(header) if group[0].kind is PassageKind.ROW else []
    for index, passage in enumerate(group):
        if passage.kind is PassageKind.HEADER_ROW:
            starts = index == 0 or group[index - 1].kind is not PassageKind.HEADER_ROW
            current = [passage] if starts else [*current, passage]
        elif passage.kind is not PassageKind.ROW:
            current = []
    return current
