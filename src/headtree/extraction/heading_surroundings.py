"""What stands round a line: whether it is set apart as a heading is, and which lines go on with it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headtree.extraction.heading_values import Item
from headtree.extraction.numbering import read_numbering
from headtree.extraction.page_values import Line, TextItem
from headtree.extraction.text_style import BodyText, is_capitals, style_of

_GAP = 1.18
"""Distance to the line above as a share of the usual one from which a heading stands apart."""
_NO_GAP = 1.06
"""Distance to the line below as a share of the usual one up to which that line goes on with the one above."""
_CENTRE, _AWAY = 0.02, 0.1
"""Shares of a column's width: off its middle at most, away from its left edge at least."""
_BELOW = 2.6
"""The same up to which running text stands below a heading that only its italics set apart."""
_UNFILLED = 0.25
"""Share of the column by which a line falls short that does not run into the text below."""
_HEADING_STEP = 1.45
"""Share of the type size between the baselines of a heading's lines, at most."""
_LARGER = 1.06
_SAME_ROW = 2.5
"""Points by which baselines of one row differ at most."""
_CONNECTING = re.compile(
    r"\b(?:and|or|of|the|a|an|for|in|to|with|by|on|from|at|as|our|its|their|&|,|-)$", re.IGNORECASE
)
_UNFINISHED = re.compile(rf"{_CONNECTING.pattern}|[,;:–—]$", re.IGNORECASE)
_BEGINS_TEXT = re.compile(r"[“\"‘'(\[]?[A-Z]|\([a-z]\)|[•–-] ")
_FEWEST_TEXT_WORDS, _PROSE_WORDS = 4, 8
_SENTENCE_END = re.compile(r"[.!?:”\")]$")


class Surroundings:
    """The items of a document, by their indexes."""

    def __init__(self, items: Sequence[Item], body: BodyText) -> None:
        self._items = items
        self._body = body
        self._rows = _shared_rows(items)

    def shares_row(self, item: TextItem) -> bool:
        """Whether another line stands beside one in its column: cells of a table, no heading."""
        return id(item) in self._rows

    def stands_apart(self, index: int) -> bool:
        """Whether a line begins something new: a gap above it, another style or a column's top."""
        item = self._items[index]
        above = self._items[index - 1] if index else None
        if not isinstance(item, TextItem) or not isinstance(above, TextItem) or not _same_column(above, item):
            return True
        distance = item.line.baseline - above.line.baseline
        size = max(item.line.size, above.line.size)
        if distance < 0 or distance > _GAP * self._body.on(item.page).step * size:
            return True
        below_heading = self._body.on(item.page).is_larger(above.line)
        may_end = below_heading or _SENTENCE_END.search(above.line.text) or item.line.size > _LARGER * above.line.size
        return style_of(above.line) != style_of(item.line) and bool(may_end)

    def stands_off(self, index: int) -> bool:
        """Whether a gap is above a line, or its column's top."""
        item = self._items[index]
        above = self._items[index - 1] if index else None
        if not isinstance(item, TextItem) or not isinstance(above, TextItem) or not _same_column(above, item):
            return True
        distance = item.line.baseline - above.line.baseline
        return distance < 0 or distance > _GAP * self._body.on(item.page).step * item.line.size

    def ends_apart(self, index: int, members: Sequence[TextItem]) -> bool:
        """Whether what follows ``members``, which begin at ``index``, is not the rest of their own sentence."""
        last = members[-1]
        item = self._after(index, members)
        if item is None or not _same_column(last, item):
            return True
        distance = item.line.baseline - last.line.baseline
        if all(map(is_centred, members)) and not is_centred(item):
            return True
        close = 0 < distance <= _GAP * self._body.on(item.page).step * last.line.size
        same = style_of(item.line) == style_of(last.line) and item.line.font == last.line.font
        goes_on = item.line.words[0].font == last.line.words[-1].font and item.line.text[0].islower()
        return not (close and (same or goes_on))

    def heads_text(self, index: int, members: Sequence[TextItem]) -> bool:
        """Whether lines stand apart, right above running text that is set in another way: a quiet heading."""
        last = members[-1]
        item = self._after(index, members)
        if item is None or not _begins_text(item.line.text):
            return False
        if item.line.word_count < _FEWEST_TEXT_WORDS and item.line.text[0] != "(":
            return False
        body = self._body.on(item.page)
        if body.is_strong(item.line) or self.shares_row(item) or _is_set_like(item.line, last.line):
            return False
        distance = item.line.baseline - last.line.baseline
        if last.page == item.page and not 0 < distance < _BELOW * body.step * last.line.size:
            return False
        return self.stands_off(index)

    def runs_in(self, index: int, members: Sequence[TextItem]) -> bool:
        """Whether text follows lines in body size without a gap: bold words that open a paragraph."""
        last = members[-1]
        item = self._after(index, members)
        if item is None or not _same_column(last, item):
            return last.line.words[-1].hyphen
        left, right = last.column
        if right - last.line.box[2] > _UNFILLED * (right - left):
            return False
        body = self._body.on(item.page)
        distance = item.line.baseline - last.line.baseline
        return 0 < distance <= _NO_GAP * body.step * last.line.size and body.is_prose(item.line)

    def lines_of_heading(self, index: int, *, limit: int) -> list[TextItem]:
        """Return the line at ``index`` and those that go on with it in its style, ``limit`` in all at most."""
        first = self._items[index]
        assert isinstance(first, TextItem)
        members = [first]
        for other in self._items[index + 1 : index + limit]:
            last = members[-1]
            if not isinstance(other, TextItem) or other.page != first.page or self.shares_row(other):
                break
            distance = other.line.baseline - last.line.baseline
            if not 0.6 * first.line.size < distance <= _HEADING_STEP * first.line.size:
                break
            if not _looks_alike(first.line, other.line) or not _goes_on(last, other):
                break
            if read_numbering(other.line.text) is not None and not _CONNECTING.search(last.line.text):
                break
            members.append(other)
        return members

    def _after(self, index: int, members: Sequence[TextItem]) -> TextItem | None:
        after = index + len(members)
        item = self._items[after] if after < len(self._items) else None
        return item if isinstance(item, TextItem) else None


def is_centred(item: TextItem) -> bool:
    """Whether a line stands in the middle of its column, away from both edges."""
    (left, right), box = item.column, item.line.box
    off = abs((box[0] + box[2]) - (left + right)) / 2
    return off < _CENTRE * (right - left) and box[0] - left > _AWAY * (right - left)


def _begins_text(text: str) -> bool:
    """Whether a line begins as running text does; letters of some scripts have no case."""
    return _BEGINS_TEXT.match(text) is not None or (text[:1].isalpha() and text[0].upper() == text[0])


def _is_set_like(first: Line, second: Line) -> bool:
    return style_of(first) == style_of(second) and first.underlined == second.underlined


def _same_column(first: TextItem, second: TextItem) -> bool:
    return first.page == second.page and first.column == second.column


def _looks_alike(first: Line, second: Line) -> bool:
    same_cut = first.font.bold == second.font.bold and first.font.italic == second.font.italic
    same_case = is_capitals(first.text) == is_capitals(second.text)
    return same_cut and same_case and abs(first.size - second.size) <= 0.3


def _goes_on(last: TextItem, other: TextItem) -> bool:
    """Whether a line is the rest of the heading above: that one is full, or it cannot end there."""
    left, right = last.column
    upper, lower = last.line, other.line
    if upper.words[-1].hyphen or lower.text[0].islower() or _UNFINISHED.search(upper.text):
        return True
    centred = abs((upper.box[0] + upper.box[2]) - (lower.box[0] + lower.box[2])) < 6
    set_in = lower.box[0] - left > 0.1 * (right - left)
    fills = left + 0.02 * (right - left) > lower.box[0] and lower.box[2] > right - 0.02 * (right - left)
    if (
        centred
        and not (fills and lower.word_count >= _PROSE_WORDS and upper.word_count < _PROSE_WORDS)
        and (set_in or abs(upper.box[0] - lower.box[0]) > 3)
    ):
        return True
    first_word = lower.words[0]
    return upper.box[2] + (first_word.box[2] - first_word.box[0]) > right - 0.08 * (right - left)


def _shared_rows(items: Sequence[Item]) -> set[int]:
    shared = set()
    for index, item in enumerate(items):
        for other in items[index + 1 : index + 8]:
            if not isinstance(item, TextItem) or not isinstance(other, TextItem) or other.page != item.page:
                break
            if other.column == item.column and abs(other.line.baseline - item.line.baseline) < _SAME_ROW:
                shared |= {id(item), id(other)}
    return shared
