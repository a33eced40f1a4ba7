"""The values a source text consists of, in reading order."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

CONTENTS_TITLE = "Contents"
"""The heading over a table of contents, which does not list itself."""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; level 1 is the highest below the document's title."""

    level: int
    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text in one line, with inline markup (bold, italic, code, ``$formula$``)."""

    text: str


@dataclass(frozen=True, slots=True)
class ItemList:
    """Bullets, or numbered steps."""

    items: tuple[str, ...]
    ordered: bool


@dataclass(frozen=True, slots=True)
class Callout:
    """A boxed warning or note; ``kind`` is the word that it opens with."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing; ``name`` is its file name without ending, ``caption`` is empty for an unnumbered picture."""

    name: str
    label: str | None
    caption: str
    width: int
    """Per cent of the text's width."""
    options: frozenset[str] = frozenset()

    @property
    def path(self) -> str:
        """The image below the document's folder."""
        return f"figures/{self.name}.png"


@dataclass(frozen=True, slots=True)
class Table:
    """A numbered table."""

    label: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    align: str
    """One of ``l``, ``c``, ``r`` for each column."""
    widths: tuple[str, ...]
    """Share of the width for each column, in fractions; ``auto`` for as wide as the content."""
    options: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The image's file name without ending."""
        return self.label.lower().replace(" ", "-")

    @property
    def path(self) -> str:
        """The image below the document's folder."""
        return f"tables/{self.name}.png"


@dataclass(frozen=True, slots=True)
class Equation:
    """A displayed formula in the typesetter's notation, with its printed number."""

    source: str
    number: str

    @property
    def name(self) -> str:
        """The image's file name without ending."""
        return f"equation-{self.number.lower().replace('.', '')}"

    @property
    def path(self) -> str:
        """The image below the document's folder."""
        return f"figures/{self.name}.png"


@dataclass(frozen=True, slots=True)
class Layout:
    """An order to the typesetter that is no text: ``page``, ``landscape``, ``portrait`` or ``contents``."""

    order: str


Block = Heading | Paragraph | ItemList | Callout | Figure | Table | Equation | Layout


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One parsed source."""

    name: str
    """Name of the PDF, and of the Markdown document's folder."""
    title: str
    meta: dict[str, Any]
    """The front matter: theme, date, what stands on the cover and in the page's head and foot."""
    blocks: tuple[Block, ...] = field(default=())

    @property
    def contents_depth(self) -> int:
        """Levels of headings in the table of contents."""
        return int(self.meta.get("contents_depth", 2))
