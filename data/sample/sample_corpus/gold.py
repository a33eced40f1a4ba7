"""What an extractor should find in a built PDF: headings, and figures, tables, formulas with boxes."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from sample_corpus.blocks import Equation, Figure, Heading, SourceDocument, Table
from sample_corpus.compiling import Mark
from sample_corpus.inline import to_plain

_INSETS = {Figure: (0.0, 0.0), Table: (6.0, 4.2), Equation: (2.0, 2.0)}
"""Points from the marks to the box: a table's marks stand at the text of its cells (``inset`` in
``theme.typ``), a formula's at its outermost glyphs."""


def write_gold(source: SourceDocument, marks: list[Mark]) -> dict[str, Any]:
    """Return the gold of one document: its number of ``pages``, its ``headings`` and its ``figures``.

    A heading has ``level`` (0 is the title), ``text`` and ``page``. A figure has ``path``, ``kind``,
    ``label``, ``caption`` and ``boxes``, each a ``page`` and a ``bbox`` ``[x0, y0, x1, y1]`` in points from
    the page's top left; a table that goes on to the next page has two.
    """
    by_id = defaultdict(list)
    for mark in marks:
        by_id[mark.id].append(mark)
    title = {"level": 0, "text": source.title, "page": by_id["title"][0].page}
    return {
        "document": source.name,
        "pages": max(mark.page for mark in marks),
        "headings": [title, *_headings(source, by_id)],
        "figures": _figures(source, by_id),
    }


def first_pages(source: SourceDocument, marks: list[Mark]) -> dict[int, int]:
    """Return the page on which each block of the source begins."""
    pages: dict[str, int] = {}
    for mark in marks:
        pages.setdefault(mark.id, mark.page)
    return {index: pages[f"b{index}"] for index in range(len(source.blocks)) if f"b{index}" in pages}


def _headings(source: SourceDocument, by_id: dict[str, list[Mark]]) -> list[dict[str, Any]]:
    return [
        {"level": block.level, "text": to_plain(block.text), "page": by_id[f"b{index}"][0].page}
        for index, block in enumerate(source.blocks)
        if isinstance(block, Heading)
    ]


def _figures(source: SourceDocument, by_id: dict[str, list[Mark]]) -> list[dict[str, Any]]:
    found = []
    for index, block in enumerate(source.blocks):
        marks = by_id[f"b{index}"]
        match block:
            case Figure():
                entry = {"kind": "figure", "label": block.label, "caption": to_plain(block.caption)}
            case Table():
                entry = {"kind": "table", "label": block.label, "caption": to_plain(block.caption)}
            case Equation():
                entry = {"kind": "formula", "label": f"Equation {block.number}", "caption": ""}
            case _:
                continue
        found.append({"path": block.path, **entry, "boxes": _boxes(marks, _INSETS[type(block)])})
    return found


def _boxes(marks: list[Mark], inset: tuple[float, float]) -> list[dict[str, Any]]:
    """Join the corners on each page to one box."""
    boxes = []
    for page in sorted({mark.page for mark in marks}):
        here = [mark for mark in marks if mark.page == page]
        xs, ys = [mark.x for mark in here], [mark.y for mark in here]
        box = (min(xs) - inset[0], min(ys) - inset[1], max(xs) + inset[0], max(ys) + inset[1])
        boxes.append({"page": page, "bbox": [round(value, 1) for value in box]})
    return boxes
