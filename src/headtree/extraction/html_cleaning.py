"""Makes an HTML page plain before it is converted: what belongs to the site is left out, tables become regular.

Works on BeautifulSoup's tree and changes it.
"""

from __future__ import annotations

import re
from typing import Any

from headtree.extraction.raised_type import lowered_text, raised_text

_DROPPED = ("script", "style", "noscript", "template", "iframe", "object", "embed", "svg", "form", "nav", "head")
_SITE_ROLES = frozenset({"navigation", "banner", "contentinfo", "search"})
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_PERMALINK = re.compile(r"[¶#§🔗]?")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_PLACEHOLDER = re.compile(r"data:image/(?:gif|svg\+xml)", re.IGNORECASE)
_LAZY = ("data-src", "data-original", "data-lazy-src", "data-lazy")
_MOST_SPANNED = 100
"""Columns or rows that a cell of a table may span; the page is untrusted."""


def clean_page(soup: Any) -> None:
    """Leave out scripts, hidden parts and what the site repeats on every page; set raised and lowered type apart."""
    for tag in soup(list(_DROPPED)):
        tag.decompose()
    for tag in soup(lambda item: item.has_attr("hidden") or _HIDDEN.search(str(item.get("style") or "")) is not None):
        if not tag.decomposed:
            tag.decompose()
    for tag in soup(["header", "footer", "aside", "div", "section"]):
        if not tag.decomposed and _is_of_site(tag, soup):
            tag.decompose()
    for heading in soup(_HEADINGS):
        for link in heading("a"):
            if _PERMALINK.fullmatch(link.get_text(strip=True)) and not link.find("img"):
                link.decompose()
    for tag in soup(["sub", "sup"]):
        text = tag.get_text()
        tag.replace_with(lowered_text(text) if tag.name == "sub" else raised_text(text, before=""))


def _is_of_site(tag: Any, soup: Any) -> bool:
    """Whether a part stands outside of the page's own text: its site's header, footer or column of links."""
    if str(tag.get("role") or "").lower() in _SITE_ROLES:
        return True
    if tag.name in ("div", "section") or tag.find_parent(["main", "article", "section"]):
        return False
    if str(tag.get("role") or "").startswith("doc-"):
        return False
    if tag.name == "header":  # the header of a page without a site holds its title
        return (bool(tag.find("h1")) and len(soup("h1")) > len(tag("h1"))) or not tag.find(_HEADINGS)
    links = sum(len(link.get_text(strip=True)) for link in tag("a"))
    return tag.name == "footer" or 2 * links >= len(tag.get_text(strip=True)) or bool(soup.find(["main", "article"]))


def image_source(image: Any) -> str:
    """Return where an image lies: of a lazy one the picture itself, of several sizes the largest."""
    own = str(image.get("src") or "").strip()
    if own and not _PLACEHOLDER.match(own):
        return own
    for name in _LAZY:
        if source := str(image.get(name) or "").strip():
            return source
    picture = image.find_parent("picture")
    sets = [image, *(picture("source") if picture else ())]
    candidates = [
        candidate
        for tag in sets
        for name in ("srcset", "data-srcset")
        for candidate in _candidates(str(tag.get(name) or ""))
    ]
    return max(candidates, default=(0.0, own))[1]


def _candidates(srcset: str) -> list[tuple[float, str]]:
    """Return the sizes and addresses of a ``srcset``."""
    found = []
    for part in re.split(r",\s+|,(?=\S+\s+[\d.]+[wx])", srcset):
        words = part.split()
        if words and not words[0].startswith("data:"):
            size = re.fullmatch(r"([\d.]+)[wx]", words[-1])
            found.append((float(size[1]) if size and size[1].count(".") < 2 else 1.0, words[0]))
    return found


def make_regular(table: Any, soup: Any) -> None:
    """Give each row of a table all its columns: a cell that spans is repeated; the header becomes one row.

    Tables that hold tables are left as they are: they only place things on the page.
    """
    if table.find("table"):
        return
    rows = [row for row in table("tr") if row.find(["td", "th"])]
    grid: dict[tuple[int, int], Any] = {}
    for number, row in enumerate(rows):
        column = 0
        for cell in row(["td", "th"]):
            while (number, column) in grid:
                column += 1
            for down in range(_span(cell, "rowspan")):
                for right in range(_span(cell, "colspan")):
                    grid.setdefault((number + down, column + right), cell)
    width = 1 + max((column for _, column in grid), default=0)
    if not rows or (all(len(row(["td", "th"])) == width for row in rows) and _header_rows(rows) <= 1):
        return
    head = _header_rows(rows)
    lines = [[grid.get((number, column)) for column in range(width)] for number in range(len(rows))]
    fresh = [_joined(lines[:head], soup)] if head > 1 else []
    for number, line in enumerate(lines[head if head > 1 else 0 :]):
        fresh.append(_row(line, soup, header=number == 0 and head == 1))
    caption = table.find("caption")
    if caption is not None:
        caption.name = "p"
        table.insert_before(caption.extract())
    table.clear()
    for item in fresh:
        table.append(item)


def _span(cell: Any, name: str) -> int:
    value = str(cell.get(name) or "1").strip()
    return min(max(int(value), 1), _MOST_SPANNED) if value.isdigit() else 1


def _header_rows(rows: list[Any]) -> int:
    """Return how many of the first rows are header cells only."""
    count = 0
    for row in rows:
        if row.find("td") is not None:
            break
        count += 1
    return count if count < len(rows) else min(count, 1)


def _row(cells: list[Any], soup: Any, *, header: bool = False) -> Any:
    row = soup.new_tag("tr")
    for cell in cells:
        copy = soup.new_tag("th" if header else "td")
        if cell is not None:
            for child in cell.contents:
                copy.append(child.__copy__())
        row.append(copy)
    return row


def _joined(lines: list[list[Any]], soup: Any) -> Any:
    """Put the rows of a header into one, each title once in a column."""
    row = soup.new_tag("tr")
    for column in range(len(lines[0])):
        texts: list[str] = []
        for line in lines:
            cell = line[column]
            text = " ".join(cell.get_text(" ", strip=True).split()) if cell is not None else ""
            if text and text not in texts:
                texts.append(text)
        title = soup.new_tag("th")
        title.string = " ".join(texts)
        row.append(title)
    return row
