"""Turns Adobe's groups into the document's blocks: headings, text, lists, notes, pictures, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath

from headtree.errors import ExtractionError
from headtree.extraction.adobe_archive import AdobeArchive
from headtree.extraction.adobe_captions import Placed, bind_captions
from headtree.extraction.adobe_lists import list_items
from headtree.extraction.adobe_structure import Box, Element, Group, Role
from headtree.extraction.adobe_tables import Rows, rows_from_csv, rows_from_elements
from headtree.extraction.adobe_text import clean_line, join_lines, join_text

_IMAGES = frozenset({".png", ".jpg", ".jpeg"})
_DEEPEST = 6


class Kind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    TEXT = "text"
    CODE = "code"
    ITEM = "item"
    NOTE = "note"
    PICTURE = "picture"


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the document."""

    kind: Kind
    lines: tuple[str, ...] = ()
    page: int | None = None
    box: Box | None = None
    level: int = 0
    """Of a heading from 1, of an item from 0."""
    marker: str = ""
    """Of an item, as printed."""
    image: str = ""
    """Entry of the archive."""
    table: bool = False
    rows: Rows = ()


def read_blocks(groups: Sequence[Group], archive: AdobeArchive) -> tuple[list[Block], list[str]]:
    """Return the blocks and, as warnings, what could not be read."""
    warnings: list[str] = []
    levels = _heading_levels(groups)
    blocks: list[Block] = []
    for group in groups:
        match group.role:
            case Role.TITLE | Role.HEADING:
                blocks += _blocks_of(group, Kind.HEADING, level=levels[group.name])
            case Role.LIST | Role.CONTENTS:
                blocks += _items(group)
            case Role.TABLE | Role.FIGURE:
                blocks += _picture(group, archive, warnings)
            case Role.FOOTNOTE:
                blocks += _blocks_of(group, Kind.NOTE)
            case Role.PARAGRAPH:
                blocks += _blocks_of(group, Kind.TEXT)
    return _with_captions_in_place(blocks), warnings


def _heading_levels(groups: Sequence[Group]) -> Mapping[str, int]:
    """Return the level of each heading tag: H1 comes right below the title, tags that do not occur leave no gap.

    An ``H``, which has no level of its own, takes that of the tag whose type size is nearest.
    """
    sizes: dict[str, float] = {}
    for group in groups:
        if group.role in (Role.TITLE, Role.HEADING):
            sizes[group.name] = max(sizes.get(group.name, 0.0), max(item.text_size for item in group.elements))
    used = [name for name in ("title", "h1", "h2", "h3", "h4", "h5", "h6") if name in sizes]
    levels: dict[str, int] = {name: min(level, _DEEPEST) for level, name in enumerate(used, start=1)}
    if "h" in sizes:
        ranked = [name for name in used if name != "title"]
        nearest = min(ranked, key=lambda name: abs(sizes[name] - sizes["h"]), default=None)
        levels["h"] = levels[nearest] if nearest else len(used) + 1
    return levels


def _blocks_of(group: Group, kind: Kind, *, level: int = 0) -> Iterator[Block]:
    """Yield a block of text; lines in a fixed-pitch font are code."""
    lines = join_lines(group.elements)
    if kind is Kind.HEADING or (kind is Kind.NOTE and lines):
        lines = [join_text(group.elements)]
    if kind is Kind.TEXT and len(lines) > 1 and all(item.monospaced for item in group.elements if item.text.strip()):
        kind = Kind.CODE
    if any(lines):
        page, box = _place(group.elements)
        yield Block(kind, tuple(lines), page, box, level=level)


def _items(group: Group) -> Iterator[Block]:
    for item in list_items(group):
        page, box = _place(item.elements)
        yield Block(Kind.ITEM, (item.text,), page, box, level=item.depth, marker=item.label)


def _picture(group: Group, archive: AdobeArchive, warnings: list[str]) -> Iterator[Block]:
    """Yield the image of a figure or table with a table's cells, then the words that Adobe read in a figure.

    A caption that is tagged within the figure is text of its own.
    """
    page, box = _place([item for item in group.elements if len(item.path) == group.depth] or group.elements)
    is_table = group.role is Role.TABLE
    files = [name for item in group.elements for name in item.files]
    where = f"page {page}: {'table' if is_table else 'figure'}"
    image = next((name for name in files if _is_image(name) and _is_there(name, archive, where, warnings)), "")
    captions = [item for item in group.elements if item.has("caption")]
    rows = _rows(group, files, archive, where, warnings) if is_table else ()
    if image or rows:
        yield Block(Kind.PICTURE, (), page, box, image=image, table=is_table, rows=rows)
    if not is_table:
        inside = join_text(item for item in group.elements if not item.has("caption"))
        if inside:
            yield Block(Kind.TEXT, (inside,), page, box)
    if captions:
        yield Block(Kind.TEXT, (join_text(captions),), *_place(captions))


def _rows(group: Group, files: Sequence[str], archive: AdobeArchive, where: str, warnings: list[str]) -> Rows:
    """Return a table's cells from its CSV, else from its elements; where neither can be read, none and a warning."""
    for name in files:
        if name.lower().endswith(".csv") and _is_there(name, archive, where, warnings):
            try:
                rows = rows_from_csv(archive.read(name))
            except (ValueError, ExtractionError) as error:
                warnings.append(f"{where}: {name} cannot be read ({error}); the cells are taken from the structure")
                break
            if rows:
                return rows
    try:
        return rows_from_elements(group)
    except ValueError as error:
        warnings.append(f"{where}: its cells are left out: {error}")
        return ()


def _is_image(name: str) -> bool:
    return PurePosixPath(name).suffix.lower() in _IMAGES


def _is_there(name: str, archive: AdobeArchive, where: str, warnings: list[str]) -> bool:
    if name in archive:
        return True
    warnings.append(f"{where}: {clean_line(name)} is not in the archive or has a name that is refused")
    return False


def _place(elements: Sequence[Element]) -> tuple[int | None, Box | None]:
    """Return the page on which a block begins and the box round its part there."""
    page = next((item.page for item in elements if item.page is not None), None)
    boxes = [item.box for item in elements if item.box is not None and item.page == page]
    if not boxes:
        return page, None
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return page, (min(lefts), min(tops), max(rights), max(bottoms))


def _with_captions_in_place(blocks: Sequence[Block]) -> list[Block]:
    """Move a caption that stands apart in the reading order next to its picture, on the side where it is printed."""
    placed = [
        Placed(block.page, block.box, block.kind is Kind.PICTURE, block.table, " ".join(block.lines))
        for block in blocks
    ]
    bound = bind_captions(placed)
    order: list[float] = [float(n) for n in range(len(blocks))]
    for picture, caption in bound.items():
        if abs(picture - caption) > 2:  # one further block is the figure's own words
            above = _is_above(blocks[caption].box, blocks[picture].box)
            order[caption] = picture - 0.5 if above else picture + 1.5
    return [blocks[n] for n in sorted(range(len(blocks)), key=order.__getitem__)]


def _is_above(first: Box | None, second: Box | None) -> bool:
    return first is not None and second is not None and first[1] < second[1]
