"""Reads Adobe's ``structuredData.json`` into flat elements and pages, and into groups that form one block each.

The list is in reading order; the tree is only in each element's ``Path`` (``//Document/Sect[2]/Table/TR[3]/TD/P``).
Facts: Adobe's JSON schema of the PDF Extract API (1.1.0) and results that users have published.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from types import MappingProxyType
from typing import Any

from headtree.extraction.blocks import Box, Page

_CONTAINERS = frozenset({"document", "sect", "part", "art", "div", "nonstruct", "private", "aside", "blockquote"})
"""Steps that hold blocks and say nothing of the text itself."""
_STEP = re.compile(r"([A-Za-z]\w*)(?:\[(\d+)\])?", re.ASCII)


class Role(Enum):
    """What a group of elements is."""

    TITLE = auto()
    HEADING = auto()
    PARAGRAPH = auto()
    LIST = auto()
    CONTENTS = auto()
    FOOTNOTE = auto()
    TABLE = auto()
    FIGURE = auto()


_ROLES: Mapping[str, Role] = MappingProxyType(
    {
        "title": Role.TITLE,
        **dict.fromkeys(("h", "h1", "h2", "h3", "h4", "h5", "h6"), Role.HEADING),
        "l": Role.LIST,
        "toc": Role.CONTENTS,
        "footnote": Role.FOOTNOTE,
        "table": Role.TABLE,
        "figure": Role.FIGURE,
    }
)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a path: ``TD[2]`` is the second TD of its parent."""

    name: str
    """Lower case: Adobe writes ``LBody`` and ``Lbody``."""
    number: int = 1


@dataclass(frozen=True, slots=True)
class Element:
    """One entry of the list."""

    path: tuple[Step, ...]
    text: str = ""
    """As it came: it normally ends with a space where a word ends."""
    page: int | None = None
    """1-based."""
    box: Box | None = None
    files: tuple[str, ...] = ()
    """Entries of the archive: images, and the cells of a table as CSV."""
    attributes: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    text_size: float = 0.0
    """Points; 0 where not said."""
    monospaced: bool = False

    def has(self, name: str) -> bool:
        """Whether a step of the path has this name."""
        return any(step.name == name for step in self.path)


@dataclass(frozen=True, slots=True)
class Group:
    """The elements of one block, in reading order, wherever in the list they stand."""

    role: Role
    name: str
    """The step that decided the role: ``h2``, ``p``, ``table``."""
    depth: int
    """Steps of the paths down to that one."""
    aside: bool
    elements: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class Structure:
    """What the file says."""

    pages: tuple[Page, ...]
    elements: tuple[Element, ...]
    warnings: tuple[str, ...]


def read_structure(content: Mapping[str, Any]) -> Structure:
    """Read the parsed JSON; an element that is not understood becomes a warning, never an error."""
    pages = tuple(_read_pages(content.get("pages")))
    heights = {page.page: page.height for page in pages}
    elements: list[Element] = []
    warnings: list[str] = []
    for position, raw in enumerate(content["elements"]):
        for item in _with_kids(raw):
            element = _read_element(item, heights)
            if element is not None:
                elements.append(element)
            else:
                warnings.append(f"element {position + 1} of the list has no path and is left out")
    return Structure(pages, tuple(elements), tuple(warnings))


def group_elements(elements: Sequence[Element]) -> list[Group]:
    """Put together what forms one block: spans of a paragraph, items of a list, cells of a table.

    A group stands where its first element stands, so that a paragraph which goes on after a figure or a page break
    is one again.
    """
    members: dict[tuple[Step, ...], list[Element]] = {}
    for element in elements:
        if not element.has("watermark"):
            members.setdefault(element.path[: _block_depth(element.path)], []).append(element)
    return [_group(key, tuple(items)) for key, items in members.items()]


def _group(key: tuple[Step, ...], elements: tuple[Element, ...]) -> Group:
    name = key[-1].name
    aside = any(step.name == "aside" for step in key)
    return Group(_ROLES.get(name, Role.PARAGRAPH), name, len(key), aside, elements)


def _block_depth(path: Sequence[Step]) -> int:
    """Return how many steps lead to the block: the outermost table or figure, else the first that is no container."""
    for depth, step in enumerate(path, start=1):
        if step.name in {"table", "figure"}:
            return depth
    inside = next((n for n, step in enumerate(path) if step.name not in _CONTAINERS), len(path))
    is_block = inside < len(path) and (path[inside].name in _ROLES or path[inside].name == "p")
    if is_block:
        return inside + 1
    # Text right in a container, or a tag that is not known: on its own, unless it is a span of the container's text.
    if inside < len(path) and path[inside].name not in {
        "paragraphspan",
        "sub",
        "stylespan",
        "span",
        "reference",
    }:
        return inside + 1
    return max(inside, 1)


def _with_kids(raw: object) -> Iterator[object]:
    """Yield an element and then those nested in it, in order, however deep."""
    waiting = [raw]
    while waiting:
        item = waiting.pop()
        yield item
        kids = item.get("Kids") if isinstance(item, dict) else None
        if isinstance(kids, list):
            waiting.extend(reversed(kids))


def _read_element(raw: object, heights: Mapping[int, float]) -> Element | None:
    if not isinstance(raw, dict) or not isinstance(raw.get("Path"), str):
        return None
    path = _read_path(raw["Path"])
    if not path:
        return None
    number = raw.get("Page")
    page = number + 1 if isinstance(number, int) and number >= 0 else None
    text, files, attributes, font = (
        raw.get("Text"),
        raw.get("filePaths"),
        raw.get("attributes"),
        raw.get("Font"),
    )
    return Element(
        path=path,
        text=text if isinstance(text, str) else "",
        page=page,
        box=_read_box(raw.get("Bounds"), heights.get(page) if page else None),
        files=tuple(name for name in files if isinstance(name, str)) if isinstance(files, list) else (),
        attributes=MappingProxyType(attributes) if isinstance(attributes, dict) else MappingProxyType({}),
        text_size=_number(raw.get("TextSize")),
        monospaced=isinstance(font, dict) and font.get("monospaced") is True,
    )


def _read_path(path: str) -> tuple[Step, ...]:
    """Read ``//Document/Sect[2]/P``; an index of 0, as some tools write it, is the first as well."""
    steps = (_STEP.fullmatch(part) for part in path.split("/") if part)
    return tuple(Step(step[1].lower(), max(int(step[2] or 1), 1)) for step in steps if step)


def _read_box(bounds: object, height: float | None) -> Box | None:
    """Turn left, bottom, right, top from the bottom left corner into our box."""
    if not isinstance(bounds, list) or len(bounds) != 4 or height is None:
        return None
    numbers = [_number(value, absent=math.nan) for value in bounds]
    if any(math.isnan(number) for number in numbers):
        return None
    left, bottom, right, top = numbers
    return (min(left, right), height - max(top, bottom), max(left, right), height - min(top, bottom))


def _read_pages(pages: object) -> Iterator[Page]:
    for page in pages if isinstance(pages, list) else ():
        number = page.get("page_number") if isinstance(page, dict) else None
        if isinstance(number, int) and number >= 0:
            yield Page(number + 1, _number(page.get("width")), _number(page.get("height")))


def _number(value: object, *, absent: float = 0.0) -> float:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else absent  # type: ignore[arg-type]
