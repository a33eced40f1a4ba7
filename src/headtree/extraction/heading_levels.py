"""Gives each heading its level: numbers decide, then the type of numbered headings, then what is nested."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from headtree.extraction.heading_values import HeadingCandidate
from headtree.extraction.numbering import Numbering, Scheme
from headtree.extraction.text_style import Style

_DEEPEST = 6
_FEW_ITEMS = 3
"""Items from which a document is an annual report, in which numbers without a name are lists and exhibits."""
_NAMED = frozenset({Scheme.PART, Scheme.ITEM, Scheme.NOTE, Scheme.CHAPTER, Scheme.SECTION})
"""Schemes that name what they number; a heading without a number that is set like them stands below them."""


def assign_levels(headings: Sequence[HeadingCandidate]) -> list[int]:
    """Return a level for each heading, 1 at the top; a title stands alone there, and no level is left out."""
    base = 1 if any(heading.is_title for heading in headings) else 0
    depths = _Depths(headings)
    levels: list[int] = []
    for heading in headings:
        level = 1 if heading.is_title else base + depths.of(heading)
        highest = levels[-1] + 1 if levels else 1
        levels.append(max(1, min(level, highest, _DEEPEST)))
    return levels


class _Depths:
    """Depth below the title, 1 for the top, while going through the headings in order."""

    def __init__(self, headings: Sequence[HeadingCandidate]) -> None:
        schemes = Counter(heading.numbering.scheme for heading in headings if heading.numbering)
        self._schemes = schemes
        self._letters_below = schemes[Scheme.ROMAN] > 1
        self._by_style = self._styles_of_numbers(headings)
        self._named: dict[Scheme, int] = {}
        """Depth of the first heading of a scheme that its number does not give: all of its kind have it."""
        self._above: list[tuple[HeadingCandidate, int]] = []
        """The headings that are open and their depths, outermost first."""

    def of(self, heading: HeadingCandidate) -> int:
        depth = self._depth(heading)
        while self._above and self._above[-1][1] >= depth:
            self._above.pop()
        self._above.append((heading, depth))
        return depth

    def _depth(self, heading: HeadingCandidate) -> int:
        if heading.outline_level is not None:
            return heading.outline_level
        if heading.numbering is not None:
            known = self._numbered_depth(heading.numbering)
            if known is not None:
                return known
            if heading.numbering.scheme in self._named:
                return self._named[heading.numbering.scheme]
        if heading.style in self._by_style and self._schemes[Scheme.ITEM] < _FEW_ITEMS:
            return self._by_style[heading.style]
        depth = self._nested_depth(heading)
        if heading.numbering is not None and heading.numbering.scheme in _NAMED:
            self._named[heading.numbering.scheme] = depth
        return depth

    def _nested_depth(self, heading: HeadingCandidate) -> int:
        """Return the depth below the innermost open heading that must hold this one: a keyword's or a stronger one."""
        depth = 0
        for open_heading, open_depth in self._above:
            scheme = open_heading.numbering.scheme if open_heading.numbering else None
            alike = heading.numbering is not None and heading.numbering.scheme is scheme
            if (
                (scheme in _NAMED and not alike)
                or open_heading.style > heading.style
                or _is_part(heading, open_heading)
            ):
                depth = open_depth
        return depth + 1

    def _numbered_depth(self, numbering: Numbering) -> int | None:
        """Return the depth that a number alone gives, ``None`` where it depends on what is round it."""
        parts = 1 if self._schemes[Scheme.PART] > 1 else 0
        match numbering.scheme:
            case Scheme.PART:
                return 1
            case Scheme.ITEM:
                return 1 + parts
            case Scheme.CHAPTER:
                return numbering.depth
            case Scheme.DECIMAL:
                return self._decimal_depth(numbering)
            case Scheme.LETTER if self._schemes[Scheme.LETTER] > 1 or numbering.depth > 1:
                return numbering.depth + (1 if self._letters_below and numbering.depth == 1 else 0)
            case Scheme.ROMAN:
                return 1 + parts if self._schemes[Scheme.ROMAN] > 1 else None
            case Scheme.SECTION:
                return numbering.depth if self._schemes[Scheme.CHAPTER] else max(1, numbering.depth - 1)
        return None

    def _decimal_depth(self, numbering: Numbering) -> int | None:
        if self._schemes[Scheme.ITEM] >= _FEW_ITEMS:
            return (
                None  # "1. General" within an Item, "2.1 Account" within an exhibit's article: what is round it decides
            )
        return numbering.depth

    def _styles_of_numbers(self, headings: Sequence[HeadingCandidate]) -> dict[Style, int]:
        """Return for each style of numbered headings the depth that most of them have."""
        votes: dict[Style, Counter[int]] = defaultdict(Counter)
        for heading in headings:
            if heading.numbering is not None and heading.numbering.scheme not in _NAMED:
                depth = self._numbered_depth(heading.numbering)
                if depth is not None:
                    votes[heading.style][depth] += 1
        return {style: counts.most_common(1)[0][0] for style, counts in votes.items()}


def _is_part(heading: HeadingCandidate, of: HeadingCandidate) -> bool:
    """Whether a number is a part of another: 4.1 of 4."""
    part, whole = heading.numbering, of.numbering
    if part is None or whole is None or part.scheme is not whole.scheme:
        return False
    return part.depth > whole.depth and part.parts[: whole.depth] == whole.parts
