"""What the local engine knows of one page. Boxes are in points, origin at the top left."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headtree.extraction.blocks import Box
from headtree.types import FigureKind


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
    underlined: bool = False
    """Whether a rule right below it runs under most of it and no further."""

    @property
    def word_count(self) -> int:
        """Number of words; scripts that set no spaces count by their signs, two to a word."""
        count = len(self.words)
        if self.text.isascii():
            return count
        return count + sum(is_unspaced(sign) for sign in self.text) // 2


def is_unspaced(sign: str) -> bool:
    """Whether a character belongs to a script that sets no spaces between words: Chinese, Japanese, Thai."""
    return "\u3040" <= sign <= "\u30ff" or "\u3400" <= sign <= "\u9fff" or "\u0e00" <= sign <= "\u0eff"


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


Rows = tuple[tuple[str, ...], ...]
"""The cells of a table, row by row."""


@dataclass(frozen=True, slots=True)
class TextItem:
    """A line of text in its place in the reading order."""

    page: int
    line: Line
    column: tuple[float, float]
    """Left and right edge of its column."""
    in_box: bool = False
    """Whether a frame or a coloured field holds it together with other lines: an example, a remark."""


@dataclass(frozen=True, slots=True)
class PictureItem:
    """A figure, table, algorithm or formula in its place in the reading order."""

    page: int
    kind: FigureKind
    box: Box
    picture: Path
    label: str | None = None
    caption: tuple[Line, ...] = ()
    number: str = ""
    """Of a formula, as printed."""
    rows: Rows = ()
    listing: tuple[Line, ...] = ()
    """The lines of an algorithm."""


@dataclass(frozen=True, slots=True)
class PageReading:
    """A page that has been read."""

    page: int
    width: float
    height: float
    items: tuple[TextItem | PictureItem, ...] = ()
    is_scan: bool = False
    """Whether it has no text of its own; ``items`` then come from character recognition, if it ran."""
    warnings: tuple[str, ...] = ()
    turned: int = 0
    """By how many quarters to the right the page was turned for its text to stand upright; boxes are as it then is."""
