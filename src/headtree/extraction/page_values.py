"""What the local engine knows of one page: words, lines, drawings. Boxes are in points, origin at the top left."""

from __future__ import annotations

from dataclasses import dataclass

from headtree.extraction.blocks import Box


@dataclass(frozen=True, slots=True)
class Font:
    """A typeface as a PDF names it."""

    name: str
    """Without the subset prefix."""
    bold: bool = False
    italic: bool = False
    fixed_pitch: bool = False


@dataclass(frozen=True, slots=True)
class Word:
    """Characters without a gap, in one font."""

    text: str
    box: Box
    baseline: float
    size: float
    """Height of the type in points, as it is shown."""
    font: Font
    space_after: bool = True
    """Whether a gap follows, or the next word of the line belongs to this one."""
    hyphen: bool = False
    """Whether it was broken at the end of its line: ``text`` comes without the hyphen."""
    address: str = ""
    """Where a link on it leads."""


@dataclass(frozen=True, slots=True)
class Line:
    """Words on one baseline without a wide gap: a line of text, a cell of a table, a label in a figure."""

    words: tuple[Word, ...]
    box: Box
    baseline: float
    size: float
    """Of the type that most of its characters have."""
    font: Font
    """That most of its characters have."""
    text: str
    """Its words; raised and lowered ones are set apart from the words they follow."""


@dataclass(frozen=True, slots=True)
class PageContent:
    """All that stands on a page."""

    page: int
    """1-based."""
    width: float
    height: float
    words: tuple[Word, ...]
    """In the order of the file."""
    rules: tuple[Box, ...]
    """Thin straight lines."""
    shapes: tuple[Box, ...]
    """Drawn shapes that are neither rules nor plain rectangles."""
    panels: tuple[Box, ...]
    """Filled or stroked rectangles."""
    images: tuple[Box, ...]
    """Bitmaps."""
