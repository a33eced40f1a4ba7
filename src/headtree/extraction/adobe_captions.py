"""Finds which paragraph is the caption of which figure or table, by where they stand on the page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headtree.extraction.adobe_structure import Box

_CAPTION = re.compile(
    r"(?P<word>fig(?:ure|\.)?|table|tab\.|algorithm|alg\.|chart|exhibit|scheme|plate|listing)\s*"
    r"(?P<number>[A-Z]{0,2}\.?\d{1,3}(?:[.-]\d{1,3})*[a-z]?|(?-i:[IVXL]{1,6}))"
    r"(?P<sign>\s*[.:|—–]|\s*$|(?=\s+(?-i:[A-Z(“\"])))",
    re.IGNORECASE,
)
_KINDS = {"fig": "Figure", "tab": "Table", "alg": "Algorithm", "lis": "Algorithm"}
_FARTHEST = 60.0
"""Points between a caption and its figure: four lines of text; what lies farther off belongs to another one."""


@dataclass(frozen=True, slots=True)
class Placed:
    """A block as far as its place matters."""

    page: int | None
    box: Box | None
    picture: bool = False
    table: bool = False
    text: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """What a caption says: ``Table 3`` and where its words begin."""

    text: str
    end: int

    @property
    def is_table(self) -> bool:
        """Whether it names a table."""
        return self.text.startswith("Table")


def read_label(text: str) -> Label | None:
    """Return the printed label with which a paragraph begins as captions do, else ``None``."""
    match = _CAPTION.match(text)
    if match is None:
        return None
    kind = _KINDS.get(match["word"][:3].lower(), match["word"].capitalize())
    return Label(f"{kind} {match['number']}", match.end())


def bind_captions(blocks: Sequence[Placed]) -> dict[int, int]:
    """Return for the index of each picture that has a caption the caption's index, nearest pairs first.

    A caption of a table prefers tables, one of a figure prefers what is no table; each is given away once.
    """
    captions = {n: label for n, block in enumerate(blocks) if not block.picture and (label := read_label(block.text))}
    pairs = []
    for caption, label in captions.items():
        for picture, block in enumerate(blocks):
            distance = _distance(blocks, picture, caption) if block.picture else None
            if distance is not None:
                pairs.append((label.is_table != block.table, distance, abs(picture - caption), picture, caption))
    bound: dict[int, int] = {}
    for *_, picture, caption in sorted(pairs):
        if picture not in bound and caption not in bound.values():
            bound[picture] = caption
    return bound


def _distance(blocks: Sequence[Placed], picture: int, caption: int) -> float | None:
    """Return the points between a picture and a caption, ``None`` where they do not belong together."""
    first, second = blocks[picture], blocks[caption]
    if first.page != second.page:
        return None
    if first.box is None or second.box is None:  # no boxes: only the list's order speaks
        return 0.0 if abs(picture - caption) == 1 else None
    left, top, right, bottom = first.box
    overlap = min(right, second.box[2]) - max(left, second.box[0])
    if overlap < 0.3 * min(right - left, second.box[2] - second.box[0]):
        return None
    gap = max(second.box[1] - bottom, top - second.box[3], 0.0)
    return gap if gap <= _FARTHEST else None
