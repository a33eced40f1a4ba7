"""Places on pages that were read turned, back on the pages as every viewer shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from headtree.extraction.blocks import Block, Box, Image, Page, Place
from headtree.extraction.page_values import PageReading


def shown_page(page: PageReading) -> Page:
    """Return a page's number and size as viewers show it."""
    width, height = (page.height, page.width) if page.turned % 2 else (page.width, page.height)
    return Page(page.page, round(width, 1), round(height, 1))


def on_shown_pages(blocks: Sequence[Block], pages: Sequence[PageReading]) -> list[Block]:
    """Return the blocks with their boxes where viewers show them."""
    turned = {page.page: page for page in pages if page.turned}
    return [_moved(block, turned) for block in blocks] if turned else list(blocks)


def _moved(block: Block, turned: Mapping[int, PageReading]) -> Block:
    moved = replace(block, places=_places(block.places, turned))
    return replace(moved, caption_places=_places(moved.caption_places, turned)) if isinstance(moved, Image) else moved


def _places(places: Sequence[Place], turned: Mapping[int, PageReading]) -> tuple[Place, ...]:
    return tuple(
        Place(place.page, turned_back(place.box, turned[place.page])) if place.page in turned else place
        for place in places
    )


def turned_back(box: Box, page: PageReading) -> Box:
    """Return a box of a page that was turned ``page.turned`` quarters to the right as it lay before."""
    x0, y0, x1, y1 = box
    match page.turned:
        case 1:
            return y0, page.width - x1, y1, page.width - x0
        case 2:
            return page.width - x1, page.height - y1, page.width - x0, page.height - y0
        case 3:
            return page.height - y1, x0, page.height - y0, x1
    return box
