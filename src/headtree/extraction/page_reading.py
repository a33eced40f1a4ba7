"""One page of a PDF -> its text lines and pictures in reading order. Needs nothing of the other pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import area, below, common, holds_centre, share_inside, union
from headtree.extraction.captions import Caption, find_captions
from headtree.extraction.crops import crop, render_page
from headtree.extraction.figures import find_floats
from headtree.extraction.floats import Float
from headtree.extraction.formulas import Formula, find_formulas, has_formulas
from headtree.extraction.layout import LayoutModel, Region
from headtree.extraction.lines import find_lines, with_underlines
from headtree.extraction.page_values import Line, PageContent, PageReading, PictureItem, Rows, TextItem, Word
from headtree.extraction.pages import load_page, read_page
from headtree.extraction.reading_order import Unit, find_gutter, reading_order
from headtree.extraction.table_cells import read_cells
from headtree.extraction.tables import find_number_tables
from headtree.types import FigureKind

_MAY_BE_CAPTION = re.compile(r"(?:Fig(?:ure|\.)|Table|Tab\.|Algorithm|Listing|Scheme|Chart)\s*[A-Z]?\d", re.IGNORECASE)
_MANY_RULES = 3
"""Wide rules outside of number tables from which a page may hold a ruled table."""
_SCAN_SHARE = 0.5
"""Share of a page that a bitmap covers on a scan."""
_FEWEST_CHARACTERS = 20
"""Characters below which a page with such a bitmap is a scan."""
_BOXED_LINES = 4
"""Lines that a frame holds at least: a coloured bar behind a heading holds one or two."""
_SENTENCE_WORDS = 6
_PAGE_SHARE = 0.7
"""Share of a page's height from which a field is the page's own background."""
_MARGIN = 0.07
"""Share of a page's height at its top and bottom where rules and small bitmaps belong to headers and footers."""


@dataclass(slots=True)
class PageReader:
    """Reads the pages of one open PDF; keeps the layout model, which is loaded when a page first needs it."""

    document: Any
    pictures: Path
    """Folder that takes the pictures."""
    recognise: Callable[[Any], list[Word]] | None = None
    """Reads the words of a scanned page."""
    threads: int = 1
    _model: LayoutModel | None = field(default=None, init=False)

    def read(self, number: int) -> PageReading:
        """Read page ``number``, 1-based.

        Raises:
            ExtractionError: pdfium cannot read the page.
            ModelUnavailableError: the layout model is needed and absent.
        """
        page, turned = load_page(self.document, number)
        try:
            content = read_page(page, number)
            if not _is_scan(content):
                return replace(self._read(page, content), turned=turned)
            words = tuple(self.recognise(page)) if self.recognise else ()
            scanned = PageContent(number, content.width, content.height, words, (), (), (), ())
            reading = self._read(page, scanned)
            return replace(reading, is_scan=True)
        finally:
            page.close()

    def _read(self, page: Any, content: PageContent) -> PageReading:
        lines = with_underlines(find_lines(content.words), content.rules)
        body_size = _body_size(lines)
        tables = _number_tables(lines)
        regions: list[Region] = []
        if needs_model(content, lines, tables):
            pixels, scale = render_page(page)
            self._model = self._model or LayoutModel(threads=self.threads)
            regions = self._model.find_regions(pixels, scale=scale)
        captions = find_captions(lines, regions, body_size=body_size)
        floats = find_floats(content, lines, regions, captions, tables, body_size=body_size)
        return _Assembly(page, content, lines, self.pictures).assemble(floats, captions, regions, body_size)


def needs_model(content: PageContent, lines: Sequence[Line], tables: Sequence[Box]) -> bool:
    """Whether a page may hold a figure, a table or a formula that its text alone does not give away."""
    page_area = content.width * content.height
    if content.shapes or any(area(image) > 0.003 * page_area for image in content.images):
        return True
    if any(_MAY_BE_CAPTION.match(line.text) for line in lines) or has_formulas(lines):
        return True
    top, bottom = _MARGIN * content.height, (1 - _MARGIN) * content.height
    drawn = [
        box
        for box in content.rules + content.panels
        if box[2] - box[0] > 0.25 * content.width
        and top < box[1] < bottom
        and not any(holds_centre((table[0], table[1] - 20, table[2], table[3] + 20), box) for table in tables)
    ]
    return len(drawn) >= _MANY_RULES


def _is_scan(content: PageContent) -> bool:
    characters = sum(len(word.text) for word in content.words)
    covered = max((area(image) for image in content.images), default=0.0)
    return characters < _FEWEST_CHARACTERS and covered > _SCAN_SHARE * content.width * content.height


def _body_size(lines: Sequence[Line]) -> float:
    """Return the type size of most running text."""
    for fewest in (6, 1):
        sizes: Counter[float] = Counter()
        for line in lines:
            if len(line.words) >= fewest:
                sizes[line.size] += len(line.text)
        if sizes:
            return sizes.most_common(1)[0][0]
    return 10.0


def _by_column(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the lines of each column of a page, and those that run over several."""
    gutter = find_gutter([Unit(line.box, line, line.word_count) for line in lines])
    if gutter is None:
        return [list(lines)]
    left = [line for line in lines if line.box[2] <= gutter + 1]
    right = [line for line in lines if line.box[0] >= gutter - 1]
    sides = {id(line) for line in left + right}
    return [left, right, [line for line in lines if id(line) not in sides]]


def _number_tables(lines: Sequence[Line]) -> list[Box]:
    columns = _by_column(lines)
    columns = columns[:2] if len(columns) > 1 else columns
    return [table for column in columns for table in find_number_tables(column)]


@dataclass(slots=True)
class _Assembly:
    """Puts the parts of one page together."""

    page: Any
    content: PageContent
    lines: Sequence[Line]
    pictures: Path
    warnings: list[str] = field(default_factory=list)
    _count: int = 0

    def assemble(
        self, floats: Sequence[Float], captions: Sequence[Caption], regions: Sequence[Region], body_size: float
    ) -> PageReading:
        bound = {id(line) for item in floats if item.caption for line in item.caption.lines}
        captioned = {id(line) for caption in captions for line in caption.lines}
        rest = [line for line in self.lines if id(line) not in bound and not _is_shown(line, floats, captioned)]
        formulas = [
            formula
            for column in _by_column(rest)
            for formula in find_formulas(
                self.content, [line for line in column if id(line) not in captioned], regions, body_size=body_size
            )
        ]
        shown = {id(line) for formula in formulas for line in formula.lines}
        units: list[Unit[Line | Float | Formula]] = [
            Unit(line.box, line, line.word_count) for line in rest if id(line) not in shown
        ]
        units += [Unit(_with_caption(item), item) for item in floats]
        units += [Unit(_with_number(formula), formula) for formula in formulas]
        items: list[TextItem | PictureItem] = []
        frames = self._frames(rest)
        for placed in reading_order(units):
            value = placed.value
            if isinstance(value, Line):
                items.append(TextItem(self.content.page, value, placed.column, _is_boxed(value, frames)))
            else:
                items.append(self._float(value) if isinstance(value, Float) else self._formula(value))
        return PageReading(
            self.content.page, self.content.width, self.content.height, tuple(items), False, tuple(self.warnings)
        )

    def _frames(self, lines: Sequence[Line]) -> list[Box]:
        """Return the frames and coloured fields that hold several lines but not the page."""
        drawn = self.content.panels + self.content.shapes
        tall = [box for box in drawn if box[3] - box[1] < _PAGE_SHARE * self.content.height]
        return [box for box in tall if _is_frame([line for line in lines if share_inside(line.box, box) > 0.9])]

    def _float(self, item: Float) -> PictureItem:
        box = item.box
        caption = item.caption
        rows: Rows = ()
        listing: tuple[Line, ...] = ()
        if item.kind is FigureKind.TABLE:
            rows = read_cells(self.lines, self.content.rules, box) or ()
            if not rows:
                name = caption.label if caption else "a table"
                self.warnings.append(
                    f"page {self.content.page}: the cells of {name} cannot be read; its picture is kept"
                )
        elif item.kind is FigureKind.ALGORITHM:
            listing = tuple(line for line in self.lines if holds_centre(box, line.box))
        return PictureItem(
            self.content.page,
            item.kind,
            box,
            self._cut(box),
            caption.label if caption else None,
            caption.lines if caption else (),
            "",
            rows,
            listing,
        )

    def _formula(self, formula: Formula) -> PictureItem:
        label = f"Equation {formula.number.strip('()')}" if formula.number else None
        return PictureItem(
            self.content.page,
            FigureKind.FORMULA,
            formula.box,
            self._cut(formula.box),
            label,
            number=formula.number,
        )

    def _cut(self, box: Box) -> Path:
        self._count += 1
        path = self.pictures / f"page-{self.content.page:05d}-{self._count:03d}.png"
        path.write_bytes(crop(self.page, box, neighbours=[line.box for line in self.lines]))
        return path


def _is_shown(line: Line, floats: Sequence[Float], captioned: set[int]) -> bool:
    """Whether a line stands in a picture, so that it is no running text; a caption always is text."""
    return id(line) not in captioned and any(share_inside(line.box, item.box) > 0.5 for item in floats)


def _is_frame(lines: Sequence[Line]) -> bool:
    """Whether a frame holds several lines, or a heading and a sentence: a warning."""
    below = [line for line in lines[1:] if line.font != lines[0].font and len(line.words) >= _SENTENCE_WORDS]
    return len(lines) >= _BOXED_LINES or bool(below)


def _is_boxed(line: Line, frames: Sequence[Box]) -> bool:
    return any(share_inside(line.box, frame) > 0.9 for frame in frames)


def _with_caption(item: Float) -> Box:
    if item.caption is None or (below(item.box, item.caption.box) < 0 and common(item.box, item.caption.box) <= 0):
        return item.box
    return union((item.box, item.caption.box))


def _with_number(formula: Formula) -> Box:
    return union((formula.box, formula.number_box)) if formula.number_box else formula.box
