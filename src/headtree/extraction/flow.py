"""Lines and pictures in reading order -> blocks: paragraphs over columns and pages, lists, footnotes, listings."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from headtree.extraction.blocks import Block, Code, Footnote, Heading, Image, ListItem, Paragraph, Place
from headtree.extraction.boxes import union
from headtree.extraction.heading_values import HeadingCandidate, Item
from headtree.extraction.joining import Vocabulary, join_lines
from headtree.extraction.lines import is_raised
from headtree.extraction.page_values import Line, PictureItem, TextItem
from headtree.extraction.text_style import BodyText
from headtree.types import FigureKind

_NEW_PARAGRAPH = 1.28
"""Distance to the line above as a share of the usual one from which a paragraph begins."""
_INDENT = 0.7
"""Share of the type size by which a paragraph's first line may be set in."""
_SHORT = 0.12
"""Share of the column by which a paragraph's last line falls short of the right edge."""
_NOTE_SIZE = 0.93
"""Size of a footnote as a share of the running text's, at most."""
_NOTE_PLACE = 0.5
"""Share of a page's height below which footnotes stand."""
_UNMARKED_NOTE_SIZE, _UNMARKED_NOTE_PLACE = 0.87, 0.75
"""The same for notes without a mark: the addresses of authors, a licence."""
_BULLET = re.compile(r"^(?P<marker>[•◦▪■●○‣⁃∙➢➤✓])\s*(?P<rest>\S.*)|^(?P<dash>[–—*·-])\s+(?P<after>\S.*)")
_ENUMERATED = re.compile(r"^(?P<marker>\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)]|\(?(?:[A-Z]|[IVX]{1,5})\))\s+(?P<rest>\S.*)")
_REFERENCE = re.compile(r"\[\d{1,3}\]\s+[^\W\d_]")
"""An entry of a list of references: "[12] A. Author"."""
_ENTRY = re.compile(r"(?:\d{1,3}(?:\.\d{1,3}){1,2}[A-Z]?|[A-Z]-\d{1,2})(?:\s+\S|$)")
_LEADERS = re.compile(r"(?:\.\s?){5,}\s*[\dA-Zivx-]{1,6}$")
"""The end of an entry of a table of contents."""
_SENTENCE_END = re.compile(r"[.!?:。][”’\")\]¹²³⁴⁵⁶⁷⁸⁹⁰\s]{0,4}$")
_GLUED_MARK = re.compile(r"^(\d{1,2})(?=[^\W\d_]{2})")
"""A note's number that is set in type of its own, which no size tells from the text."""
_NOTE_MARK = re.compile(r"^[*†‡§¶#]{1,3}\s*\S|^[¹²³⁴⁵⁶⁷⁸⁹⁰]{1,3}\s*\S")


def make_blocks(
    items: Sequence[Item],
    headings: Sequence[HeadingCandidate],
    levels: Sequence[int],
    *,
    body: BodyText,
    heights: Mapping[int, float],
) -> list[Block]:
    """Return the blocks of a document.

    A figure that stands within a paragraph comes before or after it, whichever is nearer, and a footnote after it, so
    that a sentence is never cut.

    Args:
        items: of the whole document in reading order.
        headings: which of them are headings, in order.
        levels: of the headings.
        body: what the running text looks like.
        heights: of the pages, in points.
    """
    vocabulary = Vocabulary.of(item.line for item in items if isinstance(item, TextItem))
    flow = _Flow(body, vocabulary, heights)
    starts = {heading.first: (heading, level) for heading, level in zip(headings, levels, strict=True)}
    index = 0
    while index < len(items):
        item = items[index]
        if index in starts:
            heading, level = starts[index]
            flow.add_heading(items[index : index + heading.count], level)
            index += heading.count
            continue
        if isinstance(item, TextItem):
            flow.add_line(item)
        else:
            flow.add_picture(item)
        index += 1
    flow.close()
    return flow.blocks


@dataclass(slots=True)
class _Open:
    """The block that is being read."""

    lines: list[TextItem]
    kind: type[Paragraph] | type[ListItem] | type[Footnote] | type[Code]
    marker: str = ""
    depth: int = 0


@dataclass(slots=True)
class _Flow:
    body: BodyText
    vocabulary: Vocabulary
    heights: Mapping[int, float]
    blocks: list[Block] = field(default_factory=list)
    _open: _Open | None = None
    _note: _Open | None = None
    _last_note: tuple[int, tuple[float, float]] | None = None
    """Page and column of the last footnote: small lines below it are notes too."""
    _within: list[tuple[int, list[Block]]] = field(default_factory=list)
    """Pictures that stand within the open paragraph, each with the number of its lines that stand before."""
    _waiting: list[Block] = field(default_factory=list)
    """Notes that come after the open paragraph."""
    _markers: list[float] = field(default_factory=list)
    """Left edges of the markers of the list that is open, outermost first."""

    # ------------------------------------------------------------------------------------------------- what comes

    def add_heading(self, items: Sequence[Item], level: int) -> None:
        self.close()
        self._markers.clear()
        members = [item for item in items if isinstance(item, TextItem)]
        text, _ = join_lines([member.line for member in members], self.vocabulary)
        self.blocks.append(Heading(text, level, _places(members)))

    def add_picture(self, item: PictureItem) -> None:
        self._close_note()
        block = self._image(item)
        listing = _listing(item)
        if item.kind is FigureKind.FORMULA:
            self.close()
        if self._open is not None and not self._may_end(self._open):
            self._within.append((len(self._open.lines), [block, *listing]))
            return
        self.close()
        self.blocks += [block, *listing]

    def add_line(self, item: TextItem) -> None:
        if self._note is not None:
            if self._continues_note(item):
                self._note.lines.append(item)
                return
            self._close_note()
        if self._begins_note(item):
            self._note = _Open([item], Footnote)
            self._last_note = (item.page, item.column)
            return
        if self._open is not None and self._continues(self._open, item):
            self._open.lines.append(item)
            return
        self.close()
        self._open = self._begin(item)

    def close(self) -> None:
        """End what is open."""
        self._close_note()
        lines = len(self._open.lines) if self._open else 0
        early = [block for before, blocks in self._within if 2 * before < lines for block in blocks]
        late = [block for before, blocks in self._within if 2 * before >= lines for block in blocks]
        own = [self._block(self._open)] if self._open else []
        if not own and not early and not late:  # notes of the text above the headings that have just come
            last = next((n for n in range(len(self.blocks), 0, -1) if not isinstance(self.blocks[n - 1], Heading)), 0)
            self.blocks[last:last] = self._waiting
        else:
            self.blocks += [*early, *own, *late, *self._waiting]
        self._open = None
        self._within.clear()
        self._waiting.clear()

    # -------------------------------------------------------------------------------------------------- decisions

    def _begin(self, item: TextItem) -> _Open:
        line = item.line
        if line.font.fixed_pitch and all(word.font.fixed_pitch for word in line.words):
            return _Open([item], Code)
        marker = _marker(line)
        if marker:
            return _Open([item], ListItem, marker, self._depth(line.box[0]))
        self._markers.clear()
        return _Open([item], Paragraph)

    def _depth(self, left: float) -> int:
        while self._markers and self._markers[-1] > left + 3:
            self._markers.pop()
        if not self._markers or self._markers[-1] < left - 3:
            self._markers.append(left)
        return len(self._markers) - 1

    def _continues(self, block: _Open, item: TextItem) -> bool:
        last = block.lines[-1]
        line = item.line
        code = line.font.fixed_pitch and all(word.font.fixed_pitch for word in line.words)
        if code != (block.kind is Code):
            return False
        if last.page != item.page or last.column != item.column or line.baseline < last.line.baseline - 1:
            return self._continues_elsewhere(block, item)
        if block.kind is Code:
            return line.baseline - last.line.baseline < 3 * line.size
        distance = line.baseline - last.line.baseline
        size = max(line.size, last.line.size)
        if abs(line.baseline - last.line.baseline) < 0.3 * size:
            return True
        if (
            distance > _NEW_PARAGRAPH * self.body.on(item.page).step * size
            or abs(line.size - last.line.size) > 0.12 * size
        ):
            return self._is_torn(last, item) and distance < 2 * size
        if _LEADERS.search(last.line.text):
            return False
        if block.kind is Paragraph and self._is_next_entry(block, last, item):
            return False
        if _REFERENCE.match(line.text) and line.box[0] <= block.lines[0].line.box[0] + 3:
            return False
        if _marker(line) and (line.box[0] <= block.lines[0].line.box[0] + 3 or _may_end_line(last)):
            return False
        return not self._begins_paragraph(block, last, item)

    def _is_next_entry(self, block: _Open, last: TextItem, item: TextItem) -> bool:
        """Whether a line begins the next of several entries with a number: an exhibit, a schedule."""
        line, first = item.line, block.lines[0].line
        if not _ENTRY.match(line.text) or not _ENTRY.match(first.text) or abs(line.box[0] - first.box[0]) > 3:
            return False
        left, right = item.column
        hangs = len(block.lines) > 1 and last.line.box[0] > first.box[0] + line.size
        return hangs or last.line.box[2] < right - _SHORT * (right - left)

    def _begins_paragraph(self, block: _Open, last: TextItem, item: TextItem) -> bool:
        """Whether a line at the usual distance begins a paragraph: set in, or after a line that ends early."""
        line = item.line
        if last.line.words[-1].hyphen:
            return False
        left, right = item.column
        ends_early = last.line.box[2] < right - _SHORT * (right - left) and _may_end_line(last)
        if block.kind is ListItem:
            start = block.lines[0].line.box[0]
            set_out = line.box[0] < start - 2 and _may_end_line(last)
            return set_out or (ends_early and line.box[0] <= start + 1)
        indented = line.box[0] > last.line.box[0] + _INDENT * line.size and _may_end_line(last)
        return indented or (ends_early and line.text[:1].isupper())

    def _continues_elsewhere(self, block: _Open, item: TextItem) -> bool:
        """Whether the first line of another column or page goes on with the open block."""
        last, line = block.lines[-1], item.line
        if abs(line.size - last.line.size) > 0.12 * line.size or _marker(line):
            return False
        goes_on = block.kind is not Code and line.text[:1].islower()
        return last.line.words[-1].hyphen or not _may_end_line(last) or goes_on

    def _is_torn(self, last: TextItem, item: TextItem) -> bool:
        """Whether a line's distance is only large because something stands high in it."""
        return item.line.text[:1].islower() and not _may_end_line(last)

    def _may_end(self, block: _Open) -> bool:
        return _may_end_line(block.lines[-1])

    def _begins_note(self, item: TextItem) -> bool:
        """Whether a line is small, stands low and begins with a mark, or is small below a note."""
        line = item.line
        if line.size > _NOTE_SIZE * self.body.on(item.page).size or line.baseline < _NOTE_PLACE * self.heights.get(
            item.page, 0.0
        ):
            return False
        if self._last_note == (item.page, item.column):
            return True
        lowest = line.baseline > _UNMARKED_NOTE_PLACE * self.heights.get(item.page, 0.0)
        return _has_note_mark(line) or (lowest and line.size <= _UNMARKED_NOTE_SIZE * self.body.on(item.page).size)

    def _continues_note(self, item: TextItem) -> bool:
        assert self._note is not None
        last = self._note.lines[-1]
        same_place = last.page == item.page and last.column == item.column
        distance = item.line.baseline - last.line.baseline
        near = same_place and 0 < distance < 1.6 * item.line.size and abs(item.line.size - last.line.size) < 0.6
        return near and not _has_note_mark(item.line)

    def _close_note(self) -> None:
        if self._note is not None:
            self._waiting.append(self._block(self._note))
            self._note = None

    # ----------------------------------------------------------------------------------------------------- blocks

    def _block(self, block: _Open) -> Block:
        places = _places(block.lines)
        if block.kind is Code:
            return Code(_code([item.line for item in block.lines]), places)
        text, links = join_lines([item.line for item in block.lines], self.vocabulary)
        if block.kind is ListItem:
            rest = text[len(block.marker) :]
            cut = len(block.marker) + len(rest) - len(rest.lstrip())
            moved = tuple(
                type(link)(max(link.start - cut, 0), link.end - cut, link.address) for link in links if link.end > cut
            )
            return ListItem(text[cut:], block.marker, block.depth, places, moved)
        if block.kind is Footnote:
            return Footnote(text if links else _GLUED_MARK.sub(r"\1 ", text), places, links)
        return Paragraph(text, places, links)

    def _image(self, item: PictureItem) -> Image:
        caption, _ = join_lines(item.caption, self.vocabulary)
        caption_places = (Place(item.page, union(line.box for line in item.caption)),) if item.caption else ()
        return Image(
            item.kind,
            item.picture.read_bytes,
            item.label,
            caption or item.number,
            item.rows,
            places=(Place(item.page, item.box),),
            caption_places=caption_places,
        )


def _listing(item: PictureItem) -> list[Block]:
    if not item.listing:
        return []
    return [Code(_code(item.listing), (Place(item.page, item.box),))]


def _code(lines: Sequence[Line]) -> str:
    """Return lines with their indentation, in half type sizes: the width of a fixed-pitch character."""
    left = min(line.box[0] for line in lines)
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda item: (item.baseline, item.box[0])):
        if rows and line.baseline - rows[-1][0].baseline < 0.4 * line.size:
            rows[-1].append(line)
        else:
            rows.append([line])
    texts = []
    for row in rows:
        row.sort(key=lambda line: line.box[0])
        indent = round((row[0].box[0] - left) / (0.5 * row[0].size))
        texts.append(" " * min(indent, 40) + "  ".join(line.text for line in row))
    return "\n".join(texts)


def _marker(line: Line) -> str:
    """Return the marker that a line begins with, empty where it is no list item."""
    match = _BULLET.match(line.text)
    if match:
        return match["marker"] or match["dash"]
    match = _ENUMERATED.match(line.text)
    return match["marker"] if match else ""


def _has_note_mark(line: Line) -> bool:
    return is_raised(line.words[0], line.size, line.baseline) or _NOTE_MARK.match(line.text) is not None


def _may_end_line(item: TextItem) -> bool:
    return _SENTENCE_END.search(item.line.text) is not None


def _places(items: Sequence[TextItem]) -> tuple[Place, ...]:
    """Return one box for each column of each page over which lines run."""
    groups: list[tuple[int, tuple[float, float], list[Line]]] = []
    for item in items:
        if groups and groups[-1][0] == item.page and groups[-1][1] == item.column:
            groups[-1][2].append(item.line)
        else:
            groups.append((item.page, item.column, [item.line]))
    return tuple(Place(page, union(line.box for line in lines)) for page, _, lines in groups)
