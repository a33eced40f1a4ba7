"""Finds what repeats from page to page: running headers and footers, page numbers, logos."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from headtree.extraction.page_values import PageReading, PictureItem, TextItem

_EDGE = 0.12
"""Share of a page's height at its top and bottom in which running lines stand."""
_SAME_HEIGHT = 6.0
"""Points by which the place of a running line may differ between pages."""
_PAGE_NUMBER = re.compile(
    r"[-–—|\s]*(?:(?:page|p\.)\s*)?(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]{1,3}-\d{1,3}(?:-\d{1,3})?)(?:\s*(?:of|/)\s*\d{1,4})?[-–—|\s]*",
    re.IGNORECASE,
)
_FEWEST_LOGOS = 3
_FEWEST_NUMBERED, _NUMBERED_SHARE = 3, 0.2
"""Pages, and share of all pages, from which lines that count on with the pages are running lines."""


def without_furniture(pages: Sequence[PageReading]) -> list[list[TextItem | PictureItem]]:
    """Return the items of each page without running headers, footers, page numbers and repeated pictures."""
    running = _running_lines(pages)
    logos = _logos(pages)
    return [
        [
            item
            for item in page.items
            if id(item) not in running and id(item) not in logos and not _is_number(item, page)
        ]
        for page in pages
    ]


def _running_lines(pages: Sequence[PageReading]) -> set[int]:
    """Return the ids of lines near an edge that another page has at the same place, but for the page's own number."""
    places: dict[tuple[str, int], list[tuple[int, float, int]]] = defaultdict(list)
    for page in pages:
        for item in page.items:
            if isinstance(item, TextItem) and _at_edge(item, page):
                key = _without_page_number(item.line.text.casefold(), page.page)
                places[key, round(item.line.size)].append((page.page, item.line.baseline, id(item)))
    running = set()
    numbered = max(_FEWEST_NUMBERED, _NUMBERED_SHARE * len(pages))
    for (key, _), found in places.items():
        if "#" in key and len(found) < numbered:  # "Note 5" and "Note 6" on pages that follow each other
            continue
        for number, height, identity in found:
            if any(other != number and abs(height - there) <= _SAME_HEIGHT for other, there, _ in found):
                running.add(identity)
    return running


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


def _is_number(item: TextItem | PictureItem, page: PageReading) -> bool:
    """Whether an item is a page number: nothing of the page stands beyond it."""
    if not isinstance(item, TextItem) or not _PAGE_NUMBER.fullmatch(item.line.text):
        return False
    heights = [other.line.baseline for other in page.items if isinstance(other, TextItem)]
    above = sum(height < item.line.baseline - 2 for height in heights)
    below = sum(height > item.line.baseline + 2 for height in heights)
    return min(above, below) <= 1 and _near_edge(item, page)


def _near_edge(item: TextItem, page: PageReading) -> bool:
    """Wider than `_at_edge`: some filings print a page's number right below a short text."""
    middle = (item.line.box[1] + item.line.box[3]) / 2
    return middle < 1.5 * _EDGE * page.height or middle > 0.6 * page.height
