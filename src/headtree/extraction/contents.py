"""Tables of contents: pages that list headings but hold none."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from headtree.extraction.heading_values import HeadingCandidate, Item
from headtree.extraction.page_values import TextItem
from headtree.extraction.text_style import BodyText

_SHARE = 0.5
"""Share of a page's lines that end in a page number on a table of contents."""
_FEWEST_ENTRIES = 5
_REPEATED = 2
"""Headings of a page with a contents' title that come again later, from which it is a table of contents."""
_TITLE = re.compile(r"(?:table of )?contents\b|index\b|inhalt", re.IGNORECASE)
_PAGE_AT_END = re.compile(r"(?:\.\s?){4,}|\s(?:\d{1,3}|[A-Z]-\d{1,3}|[ivx]{1,5})$")
_LETTER = re.compile(r"[^\W\d_]")


def contents_pages(items: Sequence[Item]) -> set[int]:
    """Return the pages most of whose lines end in a page number."""
    lines: Counter[int] = Counter()
    entries: Counter[int] = Counter()
    for item in items:
        if isinstance(item, TextItem) and _LETTER.search(item.line.text):
            lines[item.page] += 1
            entries[item.page] += bool(_PAGE_AT_END.search(item.line.text))
    return {page for page, count in entries.items() if count >= max(_FEWEST_ENTRIES, _SHARE * lines[page])}


def without_contents(
    found: Sequence[HeadingCandidate], items: Sequence[Item], body: BodyText
) -> list[HeadingCandidate]:
    """Leave out the entries of contents that are set as a table: below their title stand numbers and no text."""
    pages: dict[int, list[HeadingCandidate]] = defaultdict(list)
    for heading in found:
        pages[items[heading.first].page].append(heading)
    prose = {item.page for item in items if isinstance(item, TextItem) and body.is_prose(item.line)}
    dropped: set[int] = set()
    for page, headings in pages.items():
        title = next((heading for heading in headings if _TITLE.match(heading.text)), None)
        if title is None:
            continue
        entries = [heading for heading in headings if heading.first > title.first]
        if page not in prose or sum(_comes_again(heading, found) for heading in entries) >= _REPEATED:
            dropped |= {heading.first for heading in entries if not heading.is_title}
    return [heading for heading in found if heading.first not in dropped]


def _comes_again(heading: HeadingCandidate, found: Sequence[HeadingCandidate]) -> bool:
    number = heading.numbering
    return number is not None and any(
        other.first > heading.first
        and other.numbering is not None
        and (other.numbering.scheme, other.numbering.parts) == (number.scheme, number.parts)
        for other in found
    )
