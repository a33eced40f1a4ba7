"""Decides which lines are headings: by their number, their type, the PDF's outline and what stands round them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from headtree.extraction.numbering import Numbering, Scheme, read_numbering
from headtree.extraction.page_values import PictureItem, TextItem
from headtree.extraction.text_style import BodyText, Style, is_capitals, style_of

Item = TextItem | PictureItem

_MOST_LINES = 4
"""Lines of a heading."""
_MOST_WORDS = 26
_MOST_WORDS_ITEM = 50
"""Of the title of an annual report's item, which may name several items at once."""
_MOST_WORDS_NUMBERED = 18
_MOST_WORDS_UNNUMBERED = 16
_TITLE_DISTANCE = 2.8
"""Share of the type size within which the title of a number that stands alone lies below it."""
_TITLE_SIZE = 1.15
"""Size of a title as a share of the running text's, at least."""
_TITLE_PLACE = 0.6
"""Share of the first page's height in which a title begins."""
_GAP = 1.18
"""Distance to the line above as a share of the usual one from which a heading stands apart."""
_NO_GAP = 1.06
"""Distance to the line below as a share of the usual one up to which that line goes on with the one above."""
_CONTENTS_SHARE = 0.5
"""Share of a page's lines that end in a page number on a table of contents."""
_FEWEST_ENTRIES = 5
_REPEATED = 2
"""Headings of a page with a contents' title that come again later, from which it is a table of contents."""
_SET_IN, _OFF_CENTRE = 0.3, 0.12
"""Shares of the column's width by which a heading may be set in or stand beside the middle."""
_LEADER = re.compile(r"(?:\.\s?){4,}|\s(?:\d{1,3}|[A-Z]-\d{1,3}|[ivx]{1,5})$")
_KNOWN = re.compile(
    r"(?:abstract|introduction|background|related works?|methods?|methodology|results?|discussion|conclusions?"
    r"|references|bibliography|acknowledge?ments?|appendi(?:x|ces)|contents|table of contents|summary|executive summary"
    r"|impact statement|supplementary material|preface|foreword|glossary|index|signatures?|limitations"
    r"|ethics statement|broader impact|zusammenfassung|einleitung|literatur(?:verzeichnis)?)",
    re.IGNORECASE,
)
_CONTENTS_TITLE = re.compile(r"(?:table of )?contents\b|index\b|inhalt", re.IGNORECASE)
_CONNECTING = re.compile(
    r"\b(?:and|or|of|the|a|an|for|in|to|with|by|on|from|at|as|our|its|their|&|,|-)$", re.IGNORECASE
)
_UNFINISHED = re.compile(rf"{_CONNECTING.pattern}|[,;:–—]$", re.IGNORECASE)
_SENTENCE = re.compile(r"[a-z]{2,}[.;,]$|[:;,]$")
_LETTERS = re.compile(r"[^\W\d_]")
_NO_HEADING = re.compile(
    r"^[(\[•◦▪*†‡§©®]|^\W*$|@|https?://|\bwww\.|^\$|^(?:Figure|Fig\.|Table|Algorithm)\s*\d", re.IGNORECASE
)
_KEYWORD_SCHEMES = frozenset({Scheme.PART, Scheme.CHAPTER, Scheme.ITEM, Scheme.NOTE, Scheme.SECTION})


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
    outline_level: int | None = None
    """Depth in the PDF's outline, 1 is the top."""
    is_title: bool = False


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """An entry of the PDF's own outline."""

    title: str
    level: int
    """1 is the top."""
    page: int | None
    """1-based."""


def find_headings(
    items: Sequence[Item], body: BodyText, outline: Sequence[OutlineEntry] = ()
) -> list[HeadingCandidate]:
    """Return the headings in reading order.

    Args:
        items: of the whole document, in reading order, without running headers and page numbers.
        body: what the running text looks like.
        outline: the PDF's own; where a line is one of its entries, it is a heading of that level.
    """
    finder = _Finder(items, body, outline)
    return finder.find()


class _Finder:
    def __init__(self, items: Sequence[Item], body: BodyText, outline: Sequence[OutlineEntry]) -> None:
        self._items = items
        self._body = body
        self._outline = _by_title(outline)
        self._contents = _contents_pages(items)
        self._rows = _shared_rows(items)

    def find(self) -> list[HeadingCandidate]:
        found: list[HeadingCandidate] = []
        title = self._title()
        if title is not None:
            found.append(title)
        start = self._end_of_front_matter(title)
        index = 0
        while index < len(self._items):
            if title is not None and title.first <= index < title.first + title.count:
                index = title.first + title.count
                continue
            candidate = self._candidate(index, in_front=index < start)
            if candidate is None:
                index += 1
            else:
                found.append(candidate)
                index += candidate.count
        found = self._with_titles(sorted(found, key=lambda candidate: candidate.first))
        return self._without_contents(found)

    def _with_titles(self, found: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
        """Join a number that stands alone ("Note 1") and the title right below it."""
        joined: list[HeadingCandidate] = []
        for heading in found:
            above = joined[-1] if joined else None
            if above is not None and self._is_title_of(heading, above):
                text = f"{above.text} {heading.text}"
                count = heading.first + heading.count - above.first
                style = max(above.style, heading.style)
                joined[-1] = replace(above, count=count, text=text, numbering=read_numbering(text), style=style)
            else:
                joined.append(heading)
        return joined

    def _is_title_of(self, heading: HeadingCandidate, above: HeadingCandidate) -> bool:
        number = above.numbering
        if number is None or number.rest or number.scheme is Scheme.PART or heading.numbering is not None:
            return False
        last, item = self._items[heading.first - 1], self._items[heading.first]
        if heading.first != above.first + above.count or item.page != last.page:
            return False
        if not isinstance(last, TextItem) or not isinstance(item, TextItem):
            return False
        return 0 < item.line.baseline - last.line.baseline < _TITLE_DISTANCE * item.line.size

    # ------------------------------------------------------------------------------------------------ the title

    def _title(self) -> HeadingCandidate | None:
        """Return the largest lines at the top of the first page, if they are larger than the text."""
        first = [
            (index, item)
            for index, item in enumerate(self._items[:120])
            if isinstance(item, TextItem) and item.page == self._items[0].page
        ]
        lines = [(index, item) for index, item in first if len(_LETTERS.findall(item.line.text)) >= 3]
        if not lines:
            return None
        largest = max(item.line.size for _, item in lines)
        if largest < _TITLE_SIZE * self._body.size:
            return None
        start, item = next((index, item) for index, item in lines if item.line.size >= 0.97 * largest)
        if _prose_before(first, start, self._body):
            return None
        members = self._lines_of_style(start, item, limit=_MOST_LINES)
        text = " ".join(member.line.text for member in members)
        numbering = read_numbering(text)
        if len(text.split()) > 40 or (numbering is not None and numbering.scheme is not Scheme.LETTER):
            return None  # "A survey of ..." has no number
        return HeadingCandidate(start, len(members), text, None, style_of(item.line), is_title=True)

    def _end_of_front_matter(self, title: HeadingCandidate | None) -> int:
        """Return the index at which authors, addresses and the like end: the first prose or known heading."""
        if title is None:
            return 0
        page = self._items[title.first].page
        for index in range(title.first + title.count, len(self._items)):
            item = self._items[index]
            if item.page != page:
                return index
            if isinstance(item, TextItem) and _KNOWN.fullmatch(_bare(item.line.text)):
                return index
            if isinstance(item, TextItem) and _is_prose(item, self._body):
                above = self._items[index - 1]
                larger = isinstance(above, TextItem) and self._body.is_larger(above.line)
                return index - 1 if larger else index
        return len(self._items)

    # --------------------------------------------------------------------------------------------- all the others

    def _candidate(self, index: int, *, in_front: bool) -> HeadingCandidate | None:
        item = self._items[index]
        if not isinstance(item, TextItem) or (
            item.page in self._contents and not _KNOWN.fullmatch(_bare(item.line.text))
        ):
            return None
        if id(item) in self._rows or item.in_box or not self._stands_apart(index, item):
            return None
        entry = self._outline_entry(item)
        members = self._members(index, item)
        text = _joined(member.line.text for member in members)
        numbering = read_numbering(text)
        style = style_of(item.line)
        if entry is not None and self._fits_outline(entry, text):
            return HeadingCandidate(index, len(members), text, numbering, style, entry.level)
        most = _MOST_WORDS_ITEM if numbering and numbering.scheme is Scheme.ITEM else _MOST_WORDS
        if len(members) > _MOST_LINES or len(text.split()) > most or not self._ends_apart(index, members):
            return None
        if in_front and numbering is None and not _KNOWN.fullmatch(_bare(text)):
            return None
        if numbering is None and not self._body.is_larger(item.line) and self._runs_in(index, members):
            return None
        if not self._is_heading(item, text, numbering):
            return None
        return HeadingCandidate(index, len(members), text, numbering, style)

    def _is_heading(self, item: TextItem, text: str, numbering: Numbering | None) -> bool:
        line = item.line
        if (
            _NO_HEADING.search(text)
            or len(_LETTERS.findall(text)) < 3
            or (_LEADER.search(text) and numbering is None and len(text.split()) > 3 and "...." in text)
        ):
            return False
        apart = self._body.is_set_apart(line)
        strong = self._body.is_larger(line) or (
            all(word.font.bold for word in line.words if _LETTERS.search(word.text)) and not self._body.bold
        )
        if numbering is not None:
            return self._is_numbered_heading(text, numbering, apart=apart, strong=strong)
        if _KNOWN.fullmatch(_bare(text)) and not text.endswith((".", ",")):
            return apart or line.font.name != self._body.font
        if (
            len(text.split()) > _MOST_WORDS_UNNUMBERED
            or _SENTENCE.search(text)
            or (not text[0].isupper() and not text[0].isdigit())
        ):
            return False
        if text[0].isdigit() and len(_LETTERS.findall(text)) < 0.5 * len(text):
            return False
        return strong and line.size >= 0.92 * self._body.size and _is_placed_like_heading(item)

    def _is_numbered_heading(self, text: str, numbering: Numbering, *, apart: bool, strong: bool) -> bool:
        rest = numbering.rest
        if not rest:
            return numbering.scheme in (Scheme.PART, Scheme.CHAPTER, Scheme.NOTE) and apart
        if not re.match(r"[^\W\d_]|[“\"‘'(\[\d]", rest) or len(_LETTERS.findall(rest)) < 2:
            return False
        if rest[0].islower() and numbering.scheme in _KEYWORD_SCHEMES:
            return False
        if re.search(r"[a-z]{2,}[;,]$", text):
            return False
        if numbering.scheme not in _KEYWORD_SCHEMES:
            words = len(rest.split())
            if words > _MOST_WORDS_NUMBERED or (text.endswith(".") and words > 12):
                return False
        if numbering.scheme is Scheme.BRACKET:
            return strong and len(rest.split()) <= 12
        return apart

    # ---------------------------------------------------------------------------------------- what stands round it

    def _stands_apart(self, index: int, item: TextItem) -> bool:
        """Whether a line begins something new: a gap above it, another style or a column's top."""
        if index == 0:
            return True
        above = self._items[index - 1]
        if not isinstance(above, TextItem) or above.page != item.page or above.column != item.column:
            return True
        distance = item.line.baseline - above.line.baseline
        if distance < 0:
            return True
        size = max(item.line.size, above.line.size)
        if distance > _GAP * self._body.step * size:
            return True
        return style_of(above.line) != style_of(item.line) and _ends(above, item)

    def _ends_apart(self, index: int, members: Sequence[TextItem]) -> bool:
        """Whether what follows is something else than the rest of the heading's own sentence."""
        after = index + len(members)
        if after >= len(self._items):
            return True
        item = self._items[after]
        last = members[-1]
        if not isinstance(item, TextItem) or item.page != last.page or item.column != last.column:
            return True
        distance = item.line.baseline - last.line.baseline
        close = 0 < distance <= _GAP * self._body.step * last.line.size
        same = style_of(item.line).size == style_of(last.line).size and item.line.font == last.line.font
        goes_on = item.line.words[0].font == last.line.words[-1].font and item.line.text[0].islower()
        return not (close and (same or goes_on))

    def _runs_in(self, index: int, members: Sequence[TextItem]) -> bool:
        """Whether text follows a line in body size without a gap: bold words that open a paragraph."""
        after = index + len(members)
        if after >= len(self._items):
            return False
        item, last = self._items[after], members[-1]
        if not isinstance(item, TextItem) or item.page != last.page or item.column != last.column:
            return last.line.words[-1].hyphen
        distance = item.line.baseline - last.line.baseline
        return 0 < distance <= _NO_GAP * self._body.step * last.line.size and _is_prose(item, self._body)

    def _members(self, index: int, item: TextItem) -> list[TextItem]:
        return self._lines_of_style(index, item, limit=_MOST_LINES + 1)

    def _lines_of_style(self, index: int, item: TextItem, *, limit: int) -> list[TextItem]:
        """Return the lines from ``index`` that go on in the same style at a heading's line distance."""
        members = [item]
        for other in self._items[index + 1 : index + limit]:
            last = members[-1]
            if not isinstance(other, TextItem) or other.page != item.page or id(other) in self._rows:
                break
            distance = other.line.baseline - last.line.baseline
            if not 0.6 * item.line.size < distance <= 1.45 * item.line.size:
                break
            if abs(other.line.size - item.line.size) > 0.3 or other.line.font.bold != item.line.font.bold:
                break
            if other.line.font.italic != item.line.font.italic or is_capitals(other.line.text) != is_capitals(
                item.line.text
            ):
                break
            if read_numbering(other.line.text) is not None and not _CONNECTING.search(last.line.text):
                break
            if not self._goes_on(last, other):
                break
            members.append(other)
        return members

    def _goes_on(self, last: TextItem, other: TextItem) -> bool:
        """Whether a line is the rest of the heading above: that one is full, or it cannot end there."""
        left, right = last.column
        if last.line.words[-1].hyphen or other.line.text[0].islower() or _UNFINISHED.search(last.line.text):
            return True
        centred = abs((last.line.box[0] + last.line.box[2]) - (other.line.box[0] + other.line.box[2])) < 6
        set_in = other.line.box[0] - left > 0.1 * (right - left)
        if centred and (set_in or abs(last.line.box[0] - other.line.box[0]) > 3):
            return True
        first_word = other.line.words[0]
        return last.line.box[2] + (first_word.box[2] - first_word.box[0]) > right - 0.08 * (right - left)

    # -------------------------------------------------------------------------------------------------- the outline

    def _outline_entry(self, item: TextItem) -> OutlineEntry | None:
        entries = self._outline.get(_key(item.line.text)[:24], ())
        return next((entry for entry in entries if entry.page in (None, item.page)), None)

    def _fits_outline(self, entry: OutlineEntry, text: str) -> bool:
        title, found = _key(entry.title), _key(text)
        return title == found or (len(title) > 8 and (found.startswith(title) or title.startswith(found)))


def _by_title(outline: Sequence[OutlineEntry]) -> Mapping[str, list[OutlineEntry]]:
    entries: dict[str, list[OutlineEntry]] = defaultdict(list)
    for entry in outline:
        if key := _key(entry.title):
            entries[key[:24]].append(entry)
    return entries


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _bare(text: str) -> str:
    """Return a heading's words without its number and closing sign."""
    numbering = read_numbering(text)
    return (numbering.rest if numbering and numbering.rest else text).strip(" .:")


def _joined(texts: Iterator[str]) -> str:
    return " ".join(" ".join(texts).split())


def _comes_again(heading: HeadingCandidate, found: Sequence[HeadingCandidate]) -> bool:
    """Whether a later heading has the same number, as the headings have that a table of contents lists."""
    number = heading.numbering
    return number is not None and any(
        other.first > heading.first
        and other.numbering is not None
        and (other.numbering.scheme, other.numbering.parts) == (number.scheme, number.parts)
        for other in found
    )


def _is_placed_like_heading(item: TextItem) -> bool:
    """Whether a line begins near the left edge of its column or stands in its middle; what else is a column's title."""
    (left, right), box = item.column, item.line.box
    width = right - left
    return box[0] - left < _SET_IN * width or abs((box[0] + box[2]) - (left + right)) < _OFF_CENTRE * width


def _is_prose(item: TextItem, body: BodyText) -> bool:
    line = item.line
    return (
        len(line.words) >= 8
        and abs(line.size - body.size) <= 0.6
        and line.text[-1:] != ","
        and not is_capitals(line.text)
    )


def _prose_before(first: Sequence[tuple[int, TextItem]], start: int, body: BodyText) -> bool:
    return sum(index < start and _is_prose(item, body) for index, item in first) > 3


def _ends(above: TextItem, item: TextItem) -> bool:
    """Whether the text above may end there: with a sentence's end, or because the new line is larger or bolder."""
    return bool(re.search(r"[.!?:”\")]$", above.line.text)) or item.line.size > 1.06 * above.line.size


def _contents_pages(items: Sequence[Item]) -> set[int]:
    """Return the pages most of whose lines end in a page number."""
    lines: Counter[int] = Counter()
    entries: Counter[int] = Counter()
    for item in items:
        if isinstance(item, TextItem) and _LETTERS.search(item.line.text):
            lines[item.page] += 1
            entries[item.page] += bool(_LEADER.search(item.line.text))
    return {page for page, count in entries.items() if count >= max(_FEWEST_ENTRIES, _CONTENTS_SHARE * lines[page])}


def _shared_rows(items: Sequence[Item]) -> set[int]:
    """Return the ids of lines beside which another stands in their column: cells, not headings."""
    shared = set()
    for index, item in enumerate(items):
        for other in items[index + 1 : index + 8]:
            if not isinstance(item, TextItem) or not isinstance(other, TextItem) or other.page != item.page:
                break
            if other.column == item.column and abs(other.line.baseline - item.line.baseline) < 2.5:
                shared |= {id(item), id(other)}
    return shared
