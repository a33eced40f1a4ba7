"""Second copies of headings: a section that goes on on another page, an index that repeats a report's items."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence

from headtree.extraction.heading_values import HeadingCandidate, Item
from headtree.extraction.numbering import NAMED, Scheme
from headtree.extraction.page_values import TextItem
from headtree.extraction.text_style import BodyText

_CONTINUED = re.compile(r"[\s\-–—(\[,]*\b(?:continued|cont[’']?d\.?|cont\.)\s*[)\]]?\s*$", re.IGNORECASE)


def without_copies(found: Sequence[HeadingCandidate], items: Sequence[Item], body: BodyText) -> list[HeadingCandidate]:
    """Leave out "Note 5 (continued)" behind Note 5, and items of an index that stand again above their text."""
    kept = _without_continued(found)
    return _without_indexed(kept, items, body)


def _without_continued(found: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    seen: set[str] = set()
    numbers: set[tuple[Scheme, tuple[str, ...]]] = set()
    kept = []
    for heading in found:
        rest = _CONTINUED.sub("", heading.text)
        number = heading.numbering
        named = (number.scheme, number.parts) if number and number.scheme in NAMED else None
        if rest != heading.text and (_key(rest) in seen or named in numbers):
            continue
        seen.add(_key(rest))
        if named:
            numbers.add(named)
        kept.append(heading)
    return kept


def _without_indexed(
    found: Sequence[HeadingCandidate], items: Sequence[Item], body: BodyText
) -> list[HeadingCandidate]:
    """Keep one of the headings that number the same item of the same part: the first that has text below it."""
    places: dict[tuple[tuple[str, ...], tuple[str, ...]], list[int]] = defaultdict(list)
    part: tuple[str, ...] = ()
    for index, heading in enumerate(found):
        number = heading.numbering
        if number and number.scheme is Scheme.PART:
            part = number.parts
        elif number and number.scheme is Scheme.ITEM:
            places[part, number.parts].append(index)
    dropped: set[int] = set()
    for copies in places.values():
        with_text = [index for index in copies if _has_text(index, found, items, body)]
        best = (with_text or copies)[0]
        dropped |= set(copies) - {best}
    if dropped:
        dropped |= _empty_parts(found, dropped)
    return [heading for index, heading in enumerate(found) if index not in dropped]


def _has_text(index: int, found: Sequence[HeadingCandidate], items: Sequence[Item], body: BodyText) -> bool:
    start = found[index].first + found[index].count
    end = found[index + 1].first if index + 1 < len(found) else len(items)
    return any(isinstance(item, TextItem) and body.on(item.page).is_prose(item.line) for item in items[start:end])


def _empty_parts(found: Sequence[HeadingCandidate], dropped: set[int]) -> set[int]:
    """Return the parts whose items are all left out and that stand once more."""
    parts: dict[tuple[str, ...], list[int]] = defaultdict(list)
    items_left: dict[int, bool] = {}
    current = -1
    for index, heading in enumerate(found):
        scheme = heading.numbering.scheme if heading.numbering else None
        if heading.numbering and scheme is Scheme.PART:
            current = index
            parts[heading.numbering.parts].append(index)
            items_left[index] = False
        elif scheme is Scheme.ITEM and current >= 0 and index not in dropped:
            items_left[current] = True
    return {
        index
        for copies in parts.values()
        if any(items_left[index] for index in copies)
        for index in copies
        if not items_left[index]
    }


def _key(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
