"""Decides which lines are headings: by their number, their type, the PDF's outline and what stands round them."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from headtree.extraction.contents import contents_pages, without_contents
from headtree.extraction.heading_copies import without_copies
from headtree.extraction.heading_surroundings import Surroundings, is_centred
from headtree.extraction.heading_values import HeadingCandidate, Item, OutlineEntry
from headtree.extraction.heading_words import (
    is_known_title,
    is_never_heading,
    is_quiet_heading,
    is_title_case,
    may_be_heading,
)
from headtree.extraction.numbering import Scheme, read_numbering
from headtree.extraction.page_values import TextItem
from headtree.extraction.text_style import BodyText, style_of

_MOST_LINES = 4
"""Lines of a heading."""
_TITLE_DISTANCE = 2.8
"""Share of the type size within which the title of a number that stands alone lies below it."""
_TITLE_SIZE = 1.15
"""Size of a document's title as a share of the running text's, at least."""
_MOST_WORDS_TITLE = 40
_PROSE_ABOVE_TITLE = 3
"""Lines of running text that may stand above a document's title."""
_PAGES_OF_CHAPTERS = 2
"""Further pages with lines set like a document's title from which it is no title."""
_KEY = 24
"""Letters of an outline's entry by which it is looked up; a heading of two lines has more."""


def find_headings(
    items: Sequence[Item], body: BodyText, outline: Sequence[OutlineEntry] = ()
) -> list[HeadingCandidate]:
    """Return the headings in reading order.

    Args:
        items: of the whole document, in reading order, without running headers and page numbers.
        body: what the running text looks like.
        outline: the PDF's own; where a line is one of its entries, it is a heading of that level.
    """
    return _Finder(items, body, outline).find()


class _Finder:
    def __init__(self, items: Sequence[Item], body: BodyText, outline: Sequence[OutlineEntry]) -> None:
        self._items = items
        self._body = body
        self._outline = _by_title(outline)
        self._contents = contents_pages(items)
        self._around = Surroundings(items, body)

    def find(self) -> list[HeadingCandidate]:
        title = self._title()
        if title and self._is_one_of_many(title):
            title = None
        found = [title] if title else []
        in_front = self._front_matter(title)
        index = 0
        while index < len(self._items):
            candidate = title if title and title.first == index else self._candidate(index, in_front=index in in_front)
            if candidate is not None and candidate is not title:
                found.append(candidate)
            index += candidate.count if candidate else 1
        found.sort(key=lambda heading: heading.first)
        found = without_contents(self._below_title(found), self._items, self._body)
        found = without_copies(_without_single_quiet(found), self._items, self._body)
        if title is None and found and _is_exhibit_of_its_own(found[0], self._items):
            found[0] = replace(found[0], is_title=True)
        return found

    # -------------------------------------------------------------------------------------------------- the title

    def _title(self) -> HeadingCandidate | None:
        """Return the largest lines at the top of the first page, if they are larger than the text."""
        page = [
            (index, item)
            for index, item in enumerate(self._items)
            if isinstance(item, TextItem) and item.page == self._items[0].page
        ]
        lines = [
            (index, item)
            for index, item in page
            if len(re.findall(r"[^\W\d_]", item.line.text)) >= 3 and not is_never_heading(item.line.text)
        ]
        largest = max((item.line.size for _, item in lines), default=0.0)
        if largest < _TITLE_SIZE * self._body.size:
            return None
        start, item = next((index, item) for index, item in lines if item.line.size >= 0.97 * largest)
        if sum(index < start and self._body.is_prose(other.line) for index, other in page) > _PROSE_ABOVE_TITLE:
            return None
        members = self._around.lines_of_heading(start, limit=_MOST_LINES)
        text = " ".join(member.line.text for member in members)
        numbering = read_numbering(text)
        if len(text.split()) > _MOST_WORDS_TITLE or (numbering and numbering.scheme is not Scheme.LETTER):
            return None  # "A survey of ..." has no number
        return HeadingCandidate(start, len(members), text, None, style_of(item.line), is_title=True)

    def _is_one_of_many(self, title: HeadingCandidate) -> bool:
        """Whether the first page's largest line is set like headings of other pages: a chapter, not the title.

        Numbered ones may be set like the title: nobody takes it for one of them.
        """
        texts = [item for item in self._items if isinstance(item, TextItem)]
        alike = [item for item in texts if style_of(item.line) == title.style and not read_numbering(item.line.text)]
        others = {item.page for item in alike}
        below = {item.line.text for item in alike if item.page == self._items[title.first].page}
        return len(others) > _PAGES_OF_CHAPTERS or len(below) - title.count > _PAGES_OF_CHAPTERS

    def _front_matter(self, title: HeadingCandidate | None) -> range:
        """Return the indexes up to the first text or known heading: authors, addresses and the like."""
        if title is None:
            return range(0)
        page = self._items[title.first].page
        for index in range(title.first + title.count, len(self._items)):
            item, above = self._items[index], self._items[index - 1]
            if item.page != page or (isinstance(item, TextItem) and is_known_title(item.line.text)):
                return range(index)
            if isinstance(item, TextItem) and self._body.is_prose(item.line):
                heads_text = isinstance(above, TextItem) and self._body.is_larger(above.line)
                heads_text = heads_text and isinstance(above, TextItem) and above.column == item.column
                return range(index - 1 if heads_text else index)
        return range(len(self._items))

    # -------------------------------------------------------------------------------------------------- all others

    def _candidate(self, index: int, *, in_front: bool) -> HeadingCandidate | None:
        item = self._items[index]
        if not isinstance(item, TextItem) or item.in_box or self._around.shares_row(item):
            return None
        if item.page in self._contents and not is_known_title(item.line.text):
            return None
        if not self._around.stands_apart(index):
            return None
        members = self._around.lines_of_heading(index, limit=_MOST_LINES + 1)
        text = " ".join(" ".join(member.line.text for member in members).split())
        numbering = read_numbering(text)
        heading = HeadingCandidate(
            index, len(members), text, numbering, style_of(item.line), centred=all(map(is_centred, members))
        )
        level = self._outline_level(item, text)
        if level is not None:
            return replace(heading, outline_level=level)
        if in_front and numbering is None and not is_known_title(text):
            return None
        body = self._body.on(item.page)
        is_number = numbering is not None and not numbering.rest
        if len(members) > _MOST_LINES or not (is_number or self._around.ends_apart(index, members)):
            return None
        if numbering is None and not body.is_larger(item.line) and self._around.runs_in(index, members):
            return None
        heads_text = self._around.heads_text(index, members)
        alone = (heads_text and item.line.underlined) or (heading.centred and self._around.stands_off(index))
        if may_be_heading(item, text, numbering, body, alone=alone):
            heading = self._with_title(heading)
            number = heading.numbering
            return None if number and number.scheme is Scheme.SECTION and not number.rest else heading
        quiet = numbering is None and heads_text and is_quiet_heading(item, text, body)
        return replace(heading, is_quiet=True) if quiet else None

    def _with_title(self, heading: HeadingCandidate) -> HeadingCandidate:
        """Join a number that stands alone ("Note 1", "ARTICLE 2.") and the title right below it."""
        number = heading.numbering
        after = heading.first + heading.count
        if number is None or number.rest or number.scheme is Scheme.PART or after >= len(self._items):
            return heading
        last, item = self._items[after - 1], self._items[after]
        if not isinstance(last, TextItem) or not isinstance(item, TextItem) or item.page != last.page:
            return heading
        if not 0 < item.line.baseline - last.line.baseline < _TITLE_DISTANCE * item.line.size:
            return heading
        members = self._around.lines_of_heading(after, limit=_MOST_LINES)
        title = " ".join(member.line.text for member in members)
        if read_numbering(title) is not None or not is_title_case(title):
            return heading
        style = max(heading.style, style_of(item.line))
        text = f"{heading.text} {title}"
        count = heading.count + len(members)
        return replace(heading, count=count, text=text, numbering=read_numbering(text), style=style)

    # -------------------------------------------------------------------------------------------------- the outline

    def _outline_level(self, item: TextItem, text: str) -> int | None:
        """Return the level of the outline's entry that a heading on this page is."""
        found = _key(text)
        for entry in self._outline.get(_key(item.line.text)[:_KEY], ()):
            title = _key(entry.title)
            alike = title == found or (len(title) > 8 and (found.startswith(title) or title.startswith(found)))
            if alike and entry.page in (None, item.page):
                return entry.level
        return None

    def _below_title(self, found: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
        """Count the outline's levels from below the title, where that is an entry of it."""
        title = next((heading for heading in found if heading.is_title), None)
        if title is None or not any(entry.level == 1 for entry in self._outline.get(_key(title.text)[:_KEY], ())):
            return list(found)
        return [
            replace(heading, outline_level=max(heading.outline_level - 1, 1)) if heading.outline_level else heading
            for heading in found
        ]


def _without_single_quiet(found: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Leave out a line in italics or with an underline where no other heading of the document is set like it."""
    quiet = Counter(heading.style for heading in found if heading.is_quiet)
    return [heading for heading in found if not heading.is_quiet or quiet[heading.style] > 1]


def _is_exhibit_of_its_own(first: HeadingCandidate, items: Sequence[Item]) -> bool:
    """Whether a document begins with its number as an exhibit, which stands for its title."""
    exhibit = first.numbering is not None and first.numbering.scheme is Scheme.EXHIBIT
    return exhibit and items[first.first].page == items[0].page


def _by_title(outline: Sequence[OutlineEntry]) -> Mapping[str, list[OutlineEntry]]:
    entries: dict[str, list[OutlineEntry]] = defaultdict(list)
    for entry in outline:
        if key := _key(entry.title):
            entries[key[:_KEY]].append(entry)
    return entries


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
