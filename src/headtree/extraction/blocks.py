"""What an engine reads from a source: the blocks of a document in reading order, before they become Markdown.

Text is plain: no engine writes Markdown. ``writing`` escapes it and decides every convention, so that nothing after
it can tell which engine ran.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from headtree.types import FigureKind

Box = tuple[float, float, float, float]
"""``(x0, y0, x1, y1)`` in points, origin at the top left of the page as it is shown."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in the source."""

    page: int
    """1-based."""
    box: Box


@dataclass(frozen=True, slots=True)
class Page:
    """A page's number, 1-based, and its size as it is shown, in points."""

    page: int
    width: float
    height: float


@dataclass(frozen=True, slots=True)
class Link:
    """Characters ``start`` to ``end`` (half-open) of a block's text lead to an address."""

    start: int
    end: int
    address: str


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the document's title or its top headings, 6 the deepest."""

    text: str
    level: int
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text; ``places`` has one entry for each column or page that it runs over."""

    text: str
    places: tuple[Place, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class ListItem:
    """An item of a list."""

    text: str
    """Without its marker."""
    marker: str = ""
    """As printed (``1.``, ``(a)``); empty or a bullet where the item has no number."""
    depth: int = 0
    """0 for the outer list."""
    places: tuple[Place, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Footnote:
    """A note that stands apart from the text; its mark, if it has one, is the first word."""

    text: str
    places: tuple[Place, ...] = ()
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True)
class Code:
    """Lines whose line breaks and spaces matter."""

    text: str
    places: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Image:
    """A figure, table, algorithm or formula that is shown as a picture, with what belongs to it."""

    kind: FigureKind
    data: bytes | Callable[[], bytes] | None
    """The file's bytes, or a call that reads them as they are written; ``None``: only a table's cells are known."""
    label: str | None = None
    """The printed number: ``Figure 3``, ``Table IV``, ``Equation 5``."""
    caption: str = ""
    """The whole caption line as printed, with its label; of a formula, its number as printed: ``(5)``."""
    rows: tuple[tuple[str, ...], ...] = ()
    """The cells of a table, the header first; rows may differ in length."""
    suffix: str = ".png"
    places: tuple[Place, ...] = ()
    """The image's own, without the caption."""
    caption_places: tuple[Place, ...] = ()


Block = Heading | Paragraph | ListItem | Footnote | Code | Image


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """Everything an engine read from one source."""

    engine: str
    """``local``, ``adobe``, ``html``."""
    engine_version: str
    """Raised when an engine's results change: a source that an older version read is read anew."""
    blocks: tuple[Block, ...]
    pages: tuple[Page, ...] = ()
    warnings: tuple[str, ...] = ()
    """What could not be read and what was done instead, with the page."""
