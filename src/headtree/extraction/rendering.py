"""Blocks -> the lines of a Markdown file, the image files it references, and where each line comes from.

Conventions, the same for every engine: an image, then its caption on a line of its own, then a table's cells as a
pipe table; a formula's number ``(5)`` alone on the line below its image; a footnote is a quotation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from headtree.extraction.blocks import (
    Block,
    Box,
    Code,
    Footnote,
    Heading,
    Image,
    Link,
    ListItem,
    Paragraph,
    Place,
)
from headtree.extraction.markdown_text import (
    escape_alt,
    escape_heading,
    escape_line,
    fenced_lines,
    one_line,
    table_lines,
)
from headtree.types import FigureKind

_LONGEST_ALT = 300
"""Characters; the whole caption stands below the image."""
_DEEPEST_HEADING = 6
_BULLETS = frozenset("•◦▪■●○‣⁃-–—*·+")


@dataclass(frozen=True, slots=True)
class ImageFile:
    """An image to be written."""

    path: str
    """Below the document's folder: ``figures/figure-003.png``."""
    image: Image


@dataclass(frozen=True, slots=True)
class LineOrigin:
    """Lines ``first_line`` to ``last_line`` (1-based, inclusive) come from this box."""

    first_line: int
    last_line: int
    page: int
    bbox: Box


@dataclass(frozen=True, slots=True)
class RenderedDocument:
    """A document as it is written."""

    markdown: str
    images: tuple[ImageFile, ...]
    origins: tuple[LineOrigin, ...]


def render_document(blocks: Iterable[Block]) -> RenderedDocument:
    """Turn blocks into Markdown; pure, writes nothing."""
    page = _Rendering()
    for block in blocks:
        match block:
            case Heading():
                page.add_heading(block)
            case ListItem():
                page.add_item(block)
            case Code():
                page.add(fenced_lines(block.text), block.places)
            case Image():
                page.add_image(block)
            case Footnote():
                page.add_text(block.text, block.links, block.places, prefix="> ")
            case Paragraph():
                page.add_text(block.text, block.links, block.places)
    markdown = "\n".join(page.lines) + "\n" if page.lines else ""
    return RenderedDocument(markdown, tuple(page.images), tuple(page.origins))


@dataclass(slots=True)
class _Rendering:
    lines: list[str] = field(default_factory=list)
    images: list[ImageFile] = field(default_factory=list)
    origins: list[LineOrigin] = field(default_factory=list)
    counts: Counter[FigureKind] = field(default_factory=Counter)
    indents: list[int] = field(default_factory=list)
    """Column at which the text of the open list items begins, outermost first; empty outside of a list."""

    def add(self, lines: Sequence[str], places: Sequence[Place], *, tight: bool = False) -> None:
        if not lines:
            return
        if not tight:
            self.indents.clear()
            if self.lines:
                self.lines.append("")
        first = len(self.lines) + 1
        self.lines += lines
        for place in places:
            box = tuple(round(value, 1) for value in place.box)
            self.origins.append(LineOrigin(first, len(self.lines), place.page, (box[0], box[1], box[2], box[3])))

    def add_heading(self, block: Heading) -> None:
        if text := one_line(block.text):
            level = min(max(block.level, 1), _DEEPEST_HEADING)
            self.add(["#" * level + " " + escape_heading(text)], block.places)

    def add_text(self, text: str, links: Sequence[Link], places: Sequence[Place], *, prefix: str = "") -> None:
        if words := _line(text, links):
            self.add([prefix + words], places)

    def add_item(self, block: ListItem) -> None:
        words = _line(block.text, block.links)
        if not words:
            return
        depth = min(block.depth, len(self.indents))
        inside = bool(self.indents)
        outer = self.indents[:depth]
        marker, rest = _marker(block.marker)
        indent = outer[-1] if outer else 0
        line = " " * indent + f"{marker} {rest}{words}"
        self.add([line], block.places, tight=inside)
        self.indents[:] = [*outer, indent + len(marker) + 1]

    def add_image(self, block: Image) -> None:
        if block.data is not None:
            path = self._name(block)
            self.images.append(ImageFile(path, block))
            self.add([f"![{_alt(block)}]({path})"], block.places)
        if caption := one_line(block.caption):
            self.add([escape_line(caption)], block.caption_places)
        self.add(table_lines(block.rows), block.places if block.data is None else ())

    def _name(self, block: Image) -> str:
        kind = block.kind if block.kind in _STEMS else FigureKind.FIGURE
        self.counts[kind] += 1
        folder = "tables" if kind is FigureKind.TABLE else "figures"
        return f"{folder}/{_STEMS[kind]}-{self.counts[kind]:03d}{block.suffix}"


_STEMS = {
    FigureKind.FIGURE: "figure",
    FigureKind.TABLE: "table",
    FigureKind.FORMULA: "formula",
    FigureKind.ALGORITHM: "algorithm",
}


def _line(text: str, links: Sequence[Link]) -> str:
    """Return text as one line; links are kept where the text is one line already, as `Link` counts characters."""
    cleaned = one_line(text)
    return escape_line(cleaned, links if cleaned == text else ())


def _marker(printed: str) -> tuple[str, str]:
    """Return a Markdown list marker and what of the printed one stands in the text: only ``1.`` and ``1)`` are both."""
    printed = printed.strip()
    number = printed[:-1]
    if printed[-1:] in (".", ")") and number.isascii() and number.isdigit() and len(number) < 10:
        return printed, ""
    if not printed or printed in _BULLETS:
        return "-", ""
    return "-", escape_line(one_line(printed)) + " "


def _alt(image: Image) -> str:
    """Return the caption of an image, shortened; none for a formula, which is known by the number below it."""
    words = "" if image.kind is FigureKind.FORMULA else one_line(image.caption) or image.label or ""
    if len(words) > _LONGEST_ALT:
        words = words[:_LONGEST_ALT].rsplit(" ", 1)[0] + " …"
    return escape_alt(words)


def image_bytes(image: Image) -> bytes:
    """Return the file's bytes; ``image.data`` must not be ``None``."""
    if isinstance(image.data, bytes):
        return image.data
    assert image.data is not None
    return image.data()
