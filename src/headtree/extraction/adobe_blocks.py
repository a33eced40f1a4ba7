"""Turns Adobe's groups into the document's blocks: headings, text, lists, notes, pictures, in reading order."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath

import PIL.Image

from headtree.errors import ExtractionError
from headtree.extraction.adobe_archive import AdobeArchive, ArchivedImages, open_archive
from headtree.extraction.adobe_captions import Placed, bind_captions, number_of_formula, read_label
from headtree.extraction.adobe_lists import list_items
from headtree.extraction.adobe_structure import Element, Group, Role, group_elements, read_structure
from headtree.extraction.adobe_tables import Rows, rows_from_csv, rows_from_elements
from headtree.extraction.adobe_text import clean_line, join_lines, join_text
from headtree.extraction.blocks import (
    Block,
    Box,
    Code,
    ExtractedDocument,
    Footnote,
    Heading,
    Image,
    ListItem,
    Paragraph,
    Place,
)
from headtree.types import FigureKind

ENGINE = "adobe"
ENGINE_VERSION = "1"
"""A new number means that archives are converted anew; that costs no call."""

_PIXEL_BOMB = (PIL.Image.DecompressionBombWarning, PIL.Image.DecompressionBombError)
_IMAGES = frozenset({".png", ".jpg", ".jpeg"})
_DEEPEST = 6


def read_archive(source: Path) -> ExtractedDocument:
    """Read a result archive of Adobe PDF Extract; the images are read from it when they are written.

    Raises:
        ExtractionError: it is no such archive, is damaged, or holds no text and no picture.
    """
    with open_archive(source) as archive:
        structure = read_structure(archive.structure())
        reader = _Reader(archive, ArchivedImages(source))
        blocks = reader.read(group_elements(structure.elements))
        refused = [f"{clean_line(name)} in the archive is left out: its name is refused" for name in archive.refused]
    if not blocks:
        raise ExtractionError(f"{source.name}: Adobe found no text and no picture in the document", code="NO_CONTENT")
    return ExtractedDocument(
        engine=ENGINE,
        engine_version=ENGINE_VERSION,
        blocks=tuple(blocks),
        pages=structure.pages,
        warnings=(*refused, *structure.warnings, *reader.warnings),
    )


@dataclass(slots=True)
class _Reader:
    """Reads the groups of one archive and collects what could not be read."""

    archive: AdobeArchive
    images: ArchivedImages
    warnings: list[str] = field(default_factory=list)

    def read(self, groups: Sequence[Group]) -> list[Block]:
        levels = _heading_levels(groups)
        blocks = [block for group in groups for block in self._blocks_of(group, levels)]
        return _with_captions(blocks)

    def _blocks_of(self, group: Group, levels: Mapping[str, int]) -> Iterator[Block]:
        places = _places(group.elements)
        match group.role:
            case Role.TABLE:
                yield from self._table(group)
            case Role.FIGURE:
                yield from self._figure(group)
            case Role.LIST | Role.CONTENTS:
                for item in list_items(group):
                    yield ListItem(item.text, item.label, item.depth, _places(item.elements))
            case Role.PARAGRAPH if _is_code(group):
                yield Code("\n".join(join_lines(group.elements)), places)
            case role if text := join_text(group.elements):
                if role is Role.FOOTNOTE:
                    yield Footnote(text, places)
                elif role is Role.PARAGRAPH:
                    yield Paragraph(text, places)
                else:
                    yield Heading(text, levels[group.name], places)

    def _table(self, group: Group) -> Iterator[Block]:
        """Yield a table: its image and its cells, which stand in the archive a second time as elements."""
        where = f"{_where(group)}: table"
        image, rows = self._image(_own(group), where), self._rows(group, where)
        if image or rows:
            data = partial(self.images.read, image) if image else None
            places = _places(_own(group)) or _places(group.elements)
            yield Image(FigureKind.TABLE, data, rows=rows, suffix=_suffix(image), places=places)
        yield from _tagged_caption(group)
        if not image:
            yield from self._nested_images(group)

    def _figure(self, group: Group) -> Iterator[Block]:
        """Yield a figure's image and then the words that Adobe read in it; a formula keeps its number with it."""
        image = self._image(_own(group), f"{_where(group)}: figure")
        words = join_text(item for item in group.elements if not item.has("caption"))
        places = _places(_own(group)) or _places(group.elements)
        number = number_of_formula(words, places[0] if places else None)
        if image:
            picture = self._picture(image, places)
            yield _labelled(picture, number, ()) if number else picture
        else:
            yield from self._nested_images(group)
        yield from _tagged_caption(group)
        if words:
            yield Paragraph(words, places)

    def _nested_images(self, group: Group) -> Iterator[Image]:
        """Yield the images within a figure or table that has none for the whole."""
        for element in group.elements:
            if element.has("figure") and len(element.path) > group.depth:
                image = self._image([element], f"{_where(group)}: figure")
                if image:
                    yield self._picture(image, _places([element]))

    def _picture(self, image: str, places: tuple[Place, ...]) -> Image:
        data = partial(self.images.read, image)
        return Image(FigureKind.FIGURE, data, suffix=_suffix(image), places=places)

    def _image(self, elements: Sequence[Element], where: str) -> str:
        """Return the name of the first image that can be shown; empty where there is none."""
        names = [name for item in elements for name in item.files if _suffix(name) in _IMAGES]
        return next((name for name in names if self._has(name, where) and self._is_whole(name, where)), "")

    def _rows(self, group: Group, where: str) -> Rows:
        """Return a table's cells from its CSV, else from its elements; none and a warning where neither can be read."""
        names = [name for item in group.elements for name in item.files if _suffix(name) == ".csv"]
        for name in names:
            if self._has(name, where):
                try:
                    rows = rows_from_csv(self.archive.read(name))
                except (ValueError, ExtractionError) as error:
                    self.warnings.append(f"{where}: {name} cannot be read, its cells are put together anew: {error}")
                    break
                if rows:
                    return rows
        try:
            return rows_from_elements(group)
        except ValueError as error:
            self.warnings.append(f"{where}: its cells are left out: {error}")
            return ()

    def _has(self, name: str, where: str) -> bool:
        if name in self.archive:
            return True
        self.warnings.append(f"{where}: {clean_line(name)} is not in the archive, or its name is refused")
        return False

    def _is_whole(self, name: str, where: str) -> bool:
        """Whether an image can be read to its end and is no bomb of pixels."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", PIL.Image.DecompressionBombWarning)
                with PIL.Image.open(BytesIO(self.archive.read(name))) as picture:
                    picture.verify()
        except (ExtractionError, OSError, SyntaxError, ValueError, *_PIXEL_BOMB) as error:
            self.warnings.append(f"{where}: {name} is left out, it cannot be shown: {clean_line(str(error))}")
            return False
        return True


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


def _is_code(group: Group) -> bool:
    """Whether a paragraph is lines in a fixed-pitch font."""
    with_text = [item for item in group.elements if item.text.strip()]
    return all(item.monospaced for item in with_text) and len(join_lines(with_text)) > 1


def _tagged_caption(group: Group) -> Iterator[Paragraph]:
    """Yield a caption that is tagged within its figure or table."""
    elements = [item for item in group.elements if item.has("caption")]
    text = join_text(elements)
    if text:
        yield Paragraph(text, _places(elements))


def _with_captions(blocks: Sequence[Block]) -> list[Block]:
    """Put each caption, wherever it stands, into its picture."""
    placed = [
        Placed(
            block.places[0] if block.places else None,
            block.kind if isinstance(block, Image) and not block.label else None,
            block.text if isinstance(block, Paragraph | Heading) else "",
        )
        for block in blocks
    ]
    bound = bind_captions(placed)
    captions = set(bound.values())
    result: list[Block] = []
    for n, block in enumerate(blocks):
        if isinstance(block, Image) and n in bound:
            result.append(_labelled(block, placed[bound[n]].text, blocks[bound[n]].places))
        elif n not in captions:
            result.append(block)
    return result


def _labelled(picture: Image, caption: str, places: tuple[Place, ...]) -> Image:
    """Return a picture with its caption; what a figure is, its caption knows better than the extractor."""
    label = read_label(caption)
    if label is None:
        return picture
    kind = FigureKind.TABLE if picture.kind is FigureKind.TABLE else label.kind
    return replace(picture, kind=kind, label=label.text, caption=caption, caption_places=places)


def _own(group: Group) -> list[Element]:
    """Return the elements that are the block itself, without what is nested in it."""
    return [item for item in group.elements if len(item.path) == group.depth]


def _places(elements: Iterable[Element]) -> tuple[Place, ...]:
    """Return a box for each column or page that a block runs over."""
    boxes: dict[tuple[int, ...], list[Box]] = {}
    for element in elements:
        if element.page is not None and element.box is not None:
            spans = (step.number for step in element.path if step.name == "paragraphspan")
            boxes.setdefault((element.page, *spans), []).append(element.box)
    return tuple(Place(key[0], _around(found)) for key, found in boxes.items())


def _around(boxes: Sequence[Box]) -> Box:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return (min(lefts), min(tops), max(rights), max(bottoms))


def _where(group: Group) -> str:
    page = next((item.page for item in group.elements if item.page is not None), None)
    return f"page {page}" if page else "somewhere"


def _suffix(name: str) -> str:
    return PurePosixPath(name).suffix.lower() or ".png"
