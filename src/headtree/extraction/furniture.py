"""Finds what repeats from page to page: running headers and footers, page numbers, logos."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence, Set

from headtree.extraction.numbering import NAMED, Scheme, read_numbering
from headtree.extraction.page_values import PageReading, PictureItem, TextItem

_EDGE = 0.12
"""Share of a page's height at its top and bottom in which running lines stand."""
_SAME_HEIGHT = 6.0
"""Points by which the place of a running line may differ between pages."""
_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*(?:(?:page|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]{1,3}-\d{1,3}(?:-\d{1,3})?)(?:\s*(?:of|/)\s*\d{1,4})?[-–—|\s]*",
    re.IGNORECASE,
)
_NEXT_PAGES, _FEWEST_APART = 4, 3
"""Pages within which two alike are running lines, and further pages that make them so wherever they are: two exhibits
may have the same heading at the same height."""
_UNTITLED = frozenset({Scheme.CHAPTER, Scheme.SECTION})
"""Schemes whose number alone at a page's edge names what runs there and begins nothing."""
_FEWEST_LOGOS = 3
_FEWEST_NUMBERED, _NUMBERED_SHARE = 3, 0.2
"""Pages, and share of all pages, from which lines that count on with the pages are running lines."""


def without_furniture(pages: Sequence[PageReading]) -> list[list[TextItem | PictureItem]]:
    """Return the items of each page without running headers, footers, page numbers and repeated pictures."""
    left_out = _running_lines(pages) | _logos(pages) | _page_numbers(pages)
    kept = [[item for item in page.items if id(item) not in left_out] for page in pages]
    return kept if any(kept) else [list(page.items) for page in pages]  # pages that are alike, of labels or forms


def _running_lines(pages: Sequence[PageReading]) -> set[int]:
    """Return the ids of lines near an edge that another page has at the same place, but for the page's own number."""
    places: dict[tuple[str, int], list[tuple[int, float, int]]] = defaultdict(list)
    for page in pages:
        for item in page.items:
            if isinstance(item, TextItem) and _at_edge(item, page):
                text = item.line.text.casefold()
                for key in {text, _without_page_number(text, page.page)}:
                    places[key, round(item.line.size)].append((page.page, item.line.baseline, id(item)))
    named = _named_headings(pages)
    running = set()
    numbered = max(_FEWEST_NUMBERED, _NUMBERED_SHARE * len(pages))
    for (key, _), found in places.items():
        if "#" in key and len(found) < numbered:  # "Note 5" and "Note 6" on pages that follow each other
            continue
        for number, height, identity in found:
            alike = [other for other, there, _ in found if other != number and abs(height - there) <= _SAME_HEIGHT]
            if len(alike) >= _FEWEST_APART or any(abs(other - number) <= _NEXT_PAGES for other in alike):
                running.add(identity)
    return running - _first_of_named(running, named)


def _named_headings(pages: Sequence[PageReading]) -> list[TextItem]:
    """Return the lines that name a part, an item, a chapter: running lines may repeat them."""
    lines = [item for page in pages for item in page.items if isinstance(item, TextItem)]
    numbers = ((line, read_numbering(line.line.text)) for line in lines)
    return [line for line, number in numbers if number is not None and number.scheme in NAMED]


def _first_of_named(running: Set[int], named: Sequence[TextItem]) -> set[int]:
    """Return the first of the running lines that name a part, an item, a chapter which nothing else names."""
    elsewhere = {_words(item) for item in named if id(item) not in running}
    first: dict[str, int] = {}
    for item in named:
        number = read_numbering(item.line.text)
        titled = number is not None and (number.rest or number.scheme not in _UNTITLED)
        if titled and id(item) in running and _words(item) not in elsewhere:
            first.setdefault(_words(item), id(item))
    return set(first.values())


def _words(item: TextItem) -> str:
    return re.sub(r"[\W_]+", " ", item.line.text).casefold().strip()


def _without_page_number(text: str, page: int) -> str:
    """Replace a number at either end by its distance to the page, which is the same on all pages."""
    return re.sub(r"^\d{1,4}\b|\b\d{1,4}$", lambda match: f"#{int(match.group()) - page}", text)


def _logos(pages: Sequence[PageReading]) -> set[int]:
    pictures = [item for page in pages for item in page.items if isinstance(item, PictureItem) and not item.label]
    boxes = Counter(tuple(round(side / 3) for side in item.box) for item in pictures)
    return {id(item) for item in pictures if boxes[tuple(round(side / 3) for side in item.box)] >= _FEWEST_LOGOS}


def _at_edge(item: TextItem, page: PageReading) -> bool:
    middle = (item.line.box[1] + item.line.box[3]) / 2
    return middle < _EDGE * page.height or middle > (1 - _EDGE) * page.height


def _page_numbers(pages: Sequence[PageReading]) -> set[int]:
    """Return the ids of page numbers: numbers at a page's end or top, near the edge or counting on with the pages."""
    found: list[tuple[int, int | None, bool]] = []
    for page in pages:
        for item in _outermost(page):
            if _PAGE_NUMBER.fullmatch(item.line.text):
                digits = re.search(r"\d+", item.line.text)
                offset = int(digits.group()) - page.page if digits else None
                found.append((id(item), offset, _is_near_edge(item, page)))
    offsets = Counter(offset for _, offset, _ in found if offset is not None)
    fewest = max(_FEWEST_NUMBERED, _NUMBERED_SHARE * len(pages))
    counting = {offset for offset, count in offsets.items() if count >= fewest}
    return {identity for identity, offset, near in found if near or offset in counting}


def _outermost(page: PageReading) -> list[TextItem]:
    """Return the lines above or below which at most one other stands."""
    lines = [item for item in page.items if isinstance(item, TextItem)]
    heights = sorted(item.line.baseline for item in lines)
    if not heights:
        return []
    top, bottom = heights[:2][-1], heights[-2:][0]
    return [item for item in lines if item.line.baseline <= top + 2 or item.line.baseline >= bottom - 2]


def _is_near_edge(item: TextItem, page: PageReading) -> bool:
    """Wider than `_at_edge`: some filings print a page's number right below a short text."""
    middle = (item.line.box[1] + item.line.box[3]) / 2
    return middle < 1.5 * _EDGE * page.height or middle > 0.6 * page.height
