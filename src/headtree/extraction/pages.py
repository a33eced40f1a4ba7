"""Reads a page of a PDF with pdfium: words with their fonts and places, rules, shapes, bitmaps and links."""

from __future__ import annotations

import ctypes
import math
import re
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from headtree.errors import ExtractionError
from headtree.extraction.annotations import annotation_words
from headtree.extraction.blocks import Box
from headtree.extraction.boxes import union
from headtree.extraction.drawings import View, drawings_of
from headtree.extraction.page_values import Font, PageContent, Word

_LIGATURES = str.maketrans(
    {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st", "\u00ad": "", "\xa0": " "}
)
_BIG_SIGNS = str.maketrans("PXQYRZ", "∑∑∏∏∫∫")
"""Letters of TeX's font of large signs (CMEX), which has no other names for them."""
_HYPHENS = "\ufffe\u0002"
"""pdfium's marks for a hyphen at the end of a line."""
_GAP = 0.11
"""Share of the type size, beyond a character's own advance, from which a gap separates words; a space is a quarter.
pdfium misses spaces that are narrowed by kerning ("L A")."""
_SHIFT = 0.12
"""Share of the type size by which a baseline may differ within a word; an exponent is raised by a third."""
_BOLD = re.compile(r"bold|black|heavy|demi|medi(?!um)|cmbx|sfbx|bx\d|-bd|\bbd\b", re.IGNORECASE)
_ITALIC = re.compile(r"ital|obli|slant|cmti|sfti|-it\b", re.IGNORECASE)
_FIXED = re.compile(r"courier|mono|typewriter|cmtt|sftt|consol|nimbusmonl|inconsol|menlo", re.IGNORECASE)
_FIXED_PITCH_FLAG, _ITALIC_FLAG, _FORCE_BOLD_FLAG = 1, 1 << 6, 1 << 18
_BOLD_WEIGHT = 600
_FILL_AND_STROKE = 2


@contextmanager
def open_pdf(path: Path) -> Iterator[Any]:
    """Open a PDF for reading.

    Raises:
        ExtractionError: it is empty, no PDF, damaged or needs a password.
    """
    if not path.stat().st_size:
        raise ExtractionError(f"{path.name} is empty (0 bytes)")
    with path.open("rb") as file:
        if b"%PDF" not in file.read(1024):
            raise ExtractionError(f"{path.name} is not a PDF: it does not begin with %PDF")
    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise ExtractionError(f"{path.name} is protected by a password; save an unprotected copy") from error
        raise ExtractionError(f"{path.name} is damaged or cut off ({error}); get the file again") from error
    try:
        if not len(document):
            raise ExtractionError(f"{path.name} has no pages")
        yield document
    finally:
        document.close()


def load_page(document: Any, number: int) -> tuple[Any, int]:
    """Return page ``number`` (1-based) of an open PDF, turned so that most of its text stands upright.

    Returns:
        The page, and by how many quarters to the right it was turned for that.

    Raises:
        ExtractionError: pdfium cannot read the page.
    """
    try:
        page = document[number - 1]
        text = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise ExtractionError(f"page {number} cannot be read: {error}") from error
    turned = [0, 0, 0, 0]
    for index in range(0, text.count_chars(), 7):  # a sample suffices
        turned[_quarter_turns(text, index)] += 1
    upright = (page.get_rotation() // 90) % 4
    quarter = max(range(4), key=lambda turn: (turned[turn], turn == upright))
    if sum(turned) and quarter != upright and turned[quarter] > sum(turned) * 0.6:
        page.set_rotation(quarter * 90)
    else:
        quarter = upright
    text.close()
    return page, (quarter - upright) % 4


def _quarter_turns(text: Any, index: int) -> int:
    """Return by how many quarters to the right a page must be turned for a character to stand upright.

    pdfium's angle runs to the right: text that runs upwards has three quarters.
    """
    angle: float = pdfium.FPDFText_GetCharAngle(text, index)
    return -round(angle / (math.pi / 2)) % 4


def read_page(page: Any, number: int) -> PageContent:
    """Return everything that stands on a page."""
    view = View.of(page)
    words = [*_Words(page, view).read(), *annotation_words(page, view)]
    links = list(_links(page, view))
    if links:
        words = [_linked(word, links) for word in words]
    drawn = drawings_of(page, view)
    width, height = page.get_size()
    return PageContent(
        number,
        width,
        height,
        tuple(words),
        *(tuple(boxes) for boxes in (drawn.rules, drawn.shapes, drawn.panels, drawn.images)),
    )


# ------------------------------------------------------------------------------------------------------- words


@dataclass(frozen=True, slots=True)
class _Style:
    """Of one text object: all its characters share it."""

    font: Font
    size: float
    quarter: int
    """Quarters to the right by which a page must be turned for the text to stand upright."""


@dataclass(slots=True)
class _Open:
    """The word that is being read."""

    text: str
    box: Box
    baseline: float
    style: _Style
    end: float
    """Where the next character of the word is expected."""


class _Words:
    """Reads the characters of one page into words."""

    def __init__(self, page: Any, view: View) -> None:
        self._text = page.get_textpage()
        self._view = view
        self._fonts: dict[int, Font] = {}
        self._styles: dict[int, _Style] = {}
        self._words: list[Word] = []
        self._open: _Open | None = None

    def read(self) -> list[Word]:
        sides = [ctypes.c_double() for _ in range(4)]
        x, y = ctypes.c_double(), ctypes.c_double()
        loose = pdfium.FS_RECTF()
        high = 0
        for index in range(self._text.count_chars()):
            code = pdfium.FPDFText_GetUnicode(self._text, index)
            if high and 0xDC00 <= code < 0xE000:  # pdfium counts a character beyond U+FFFF as two
                code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00
            high = code if 0xD800 <= code < 0xDC00 else 0
            if high:
                continue
            character = _character(code)
            if character in _HYPHENS:
                self._close(space=False, hyphen=True)
                continue
            if character.isspace():
                self._close(space=True)
                continue
            style = self._style(index)
            if style.quarter != self._view.quarter:
                continue  # a stamp along the margin, the label of an axis
            pdfium.FPDFText_GetCharBox(self._text, index, sides[0], sides[1], sides[2], sides[3])
            pdfium.FPDFText_GetCharOrigin(self._text, index, x, y)
            left, right, bottom, top = (side.value for side in sides)
            pdfium.FPDFText_GetLooseCharBox(self._text, index, loose)
            advance = self._view.box(loose.left, loose.bottom, loose.right, loose.top)
            start, baseline = self._view.point(x.value, y.value)
            box = self._view.box(left, bottom, right, top)
            character = character.translate(_BIG_SIGNS if style.font.name.startswith("CMEX") else _LIGATURES)
            self._add(character, box, baseline, style, start, advance[2])
        self._close(space=True)
        self._text.close()
        return self._words

    def _add(self, text: str, box: Box, baseline: float, style: _Style, start: float, end: float) -> None:
        """Add a character that begins at ``start`` and after which the next one is expected at ``end``."""
        word = self._open
        if word is not None:
            size = max(word.style.size, style.size)
            same_line = abs(word.baseline - baseline) <= _SHIFT * size
            gap = min(start - word.end, box[0] - word.box[2])
            if same_line and word.style == style and -size < gap < _GAP * size:
                word.text += text
                word.end = end
                word.box = union((word.box, box))
                return
            near = abs(word.baseline - baseline) < size and -0.5 * size < gap < _GAP * size
            self._close(space=not near)
        self._open = _Open(text, box, baseline, style, end)

    def _close(self, *, space: bool, hyphen: bool = False) -> None:
        word = self._open
        self._open = None
        if word is not None:
            text = word.text if word.text.isascii() else word.text.replace("\u2010", "-")
            size, font = word.style.size, word.style.font
            # The height is that of the type, so that "x" and "X" stand in equal boxes.
            box = (word.box[0], min(word.box[1], word.baseline - 0.74 * size), word.box[2], word.baseline + 0.22 * size)
            self._words.append(Word(text, box, word.baseline, size, font, space, hyphen))
        elif space and self._words and not self._words[-1].space_after:
            self._words[-1] = replace(self._words[-1], space_after=True)

    def _style(self, index: int) -> _Style:
        handle = pdfium.FPDFText_GetTextObject(self._text, index)
        address = ctypes.addressof(handle.contents) if handle else 0
        style = self._styles.get(address)
        if style is None:
            style = self._styles[address] = self._read_style(handle, index)
        return style

    def _read_style(self, handle: Any, index: int) -> _Style:
        matrix = pdfium.FS_MATRIX()
        pdfium.FPDFText_GetMatrix(self._text, index, matrix)
        scale = (matrix.c**2 + matrix.d**2) ** 0.5 or 1.0
        size = round(pdfium.FPDFText_GetFontSize(self._text, index) * scale, 1)
        quarter = _quarter_turns(self._text, index)
        if not handle:
            return _Style(Font(""), size, quarter)
        pointer = pdfium.FPDFTextObj_GetFont(handle)
        address = ctypes.addressof(pointer.contents) if pointer else 0
        if address not in self._fonts:
            self._fonts[address] = _read_font(pointer)
        font = self._fonts[address]
        if not font.bold and pdfium.FPDFTextObj_GetTextRenderMode(handle) == _FILL_AND_STROKE:
            font = replace(font, bold=True)
        return _Style(font, max(size, 1.0), quarter)


def _character(code: int) -> str:
    """Return a character; letters of mathematics and radicals that stand for a sign become the sign itself."""
    character = chr(code) if code and not 0xD800 <= code < 0xE000 else "\ufffd"
    plain = 0x1D400 <= code < 0x1D800 or 0x2E80 <= code < 0x2FE0
    return unicodedata.normalize("NFKC", character) if plain else character


def _read_font(pointer: Any) -> Font:
    if not pointer:
        return Font("")
    length = pdfium.FPDFFont_GetBaseFontName(pointer, None, 0)
    buffer = ctypes.create_string_buffer(max(length, 1))
    pdfium.FPDFFont_GetBaseFontName(pointer, buffer, length)
    name = buffer.value.decode("utf-8", errors="replace")
    name = re.sub(r"^[A-Z]{6}\+", "", name)
    flags = pdfium.FPDFFont_GetFlags(pointer)
    flags = flags if flags > 0 else 0
    bold = bool(_BOLD.search(name)) or bool(flags & _FORCE_BOLD_FLAG)
    if not bold and not name:
        bold = pdfium.FPDFFont_GetWeight(pointer) >= _BOLD_WEIGHT
    italic = bool(_ITALIC.search(name)) or bool(flags & _ITALIC_FLAG)
    return Font(name, bold, italic, bool(_FIXED.search(name)) or bool(flags & _FIXED_PITCH_FLAG))


# ------------------------------------------------------------------------------------------------------- links


def _links(page: Any, view: View) -> Iterator[tuple[Box, str]]:
    """Yield the box and address of each link annotation that leads to the web."""
    position = ctypes.c_int(0)
    link = pdfium.FPDF_LINK()
    while pdfium.FPDFLink_Enumerate(page, position, link):
        action = pdfium.FPDFLink_GetAction(link)
        if not action or pdfium.FPDFAction_GetType(action) != pdfium.PDFACTION_URI:
            continue
        length = pdfium.FPDFAction_GetURIPath(page.pdf, action, None, 0)
        buffer = ctypes.create_string_buffer(max(length, 1))
        pdfium.FPDFAction_GetURIPath(page.pdf, action, buffer, length)
        address = buffer.value.decode("utf-8", errors="replace").strip()
        rectangle = pdfium.FS_RECTF()
        if address and pdfium.FPDFLink_GetAnnotRect(link, rectangle):
            yield view.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top), address


def _linked(word: Word, links: list[tuple[Box, str]]) -> Word:
    x, y = (word.box[0] + word.box[2]) / 2, (word.box[1] + word.box[3]) / 2
    for box, address in links:
        if box[0] <= x <= box[2] and box[1] <= y <= box[3]:
            return replace(word, address=address)
    return word
