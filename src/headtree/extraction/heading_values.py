"""A heading as it is found, and an entry of a PDF's own outline."""

from __future__ import annotations

from dataclasses import dataclass

from headtree.extraction.numbering import Numbering
from headtree.extraction.page_values import PictureItem, TextItem
from headtree.extraction.text_style import Style

Item = TextItem | PictureItem


@dataclass(frozen=True, slots=True)
class HeadingCandidate:
    """Lines that are a heading."""

    first: int
    """Index of its first item."""
    count: int
    """Number of items."""
    text: str
    numbering: Numbering | None
    style: Style
    centred: bool = False
    """Whether it stands in the middle of its column, away from both edges."""
    outline_level: int | None = None
    """Depth in the PDF's outline below the title, 1 is the top."""
    is_title: bool = False
    is_quiet: bool = False
    """Whether only italics or an underline set it apart from the text."""


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of the PDF's own outline."""

    title: str
    level: int
    """1 is the top."""
    page: int | None
    """1-based."""
