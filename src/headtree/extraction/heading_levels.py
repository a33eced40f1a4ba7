"""Gives each heading its level: numbers decide, then the type of numbered headings, then what is nested."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from headtree.extraction.heading_values import HeadingCandidate
from headtree.extraction.numbering import NAMED, Numbering, Scheme
from headtree.extraction.text_style import Style

_DEEPEST = 6
_FEW_ITEMS = 3
"""Items from which a document is an annual report, in which numbers without a name are lists and exhibits."""
_LONGEST_NAME, _NEAR = 5, 6
"""Letters of a name that may be written in capitals for itself, and headings round it that tell."""
_FEW_CHAPTERS = 3
"""Chapters or articles from which a number without a name and without a point counts within one of them."""


def assign_levels(headings: Sequence[HeadingCandidate]) -> list[int]:
    """Return a level for each heading, 1 at the top; a title stands alone there, and no level is left out."""
    headings = _without_capitals_of_names(headings)
    base = 1 if any(heading.is_title for heading in headings) else 0
    depths = _Depths(headings)
    levels: list[int] = []
    for heading in headings:
        level = 1 if heading.is_title else base + depths.of(heading)
        highest = levels[-1] + 1 if levels else 1
        levels.append(max(1, min(level, highest, _DEEPEST)))
    return levels


def _without_capitals_of_names(headings: Sequence[HeadingCandidate]) -> list[HeadingCandidate]:
    """Let a short name in capitals ("APAC") count as set like the next longer heading of its type ("Latin America")."""
    result = list(headings)
    for index, heading in enumerate(headings):
        if heading.style.capitals and len(heading.text) <= _LONGEST_NAME and heading.numbering is None:
            plain = replace(heading.style, capitals=False)
            alike = [
                (abs(other - index), headings[other].style)
                for other in range(max(0, index - _NEAR), min(len(headings), index + _NEAR + 1))
                if len(headings[other].text) > _LONGEST_NAME and replace(headings[other].style, capitals=False) == plain
            ]
            if alike:
                result[index] = replace(heading, style=min(alike)[1])
    return result


class _Depths:
    """Depth below the title, 1 for the top, while going through the headings in order."""

    def __init__(self, headings: Sequence[HeadingCandidate]) -> None:
        schemes = Counter(heading.numbering.scheme for heading in headings if heading.numbering)
        self._schemes = schemes
        self._letters_below = schemes[Scheme.ROMAN] > 1
        self._named: dict[Scheme, int] = {}
        """Depth of the first heading of a scheme that its number does not give: all of its kind have it."""
        self._above: list[tuple[HeadingCandidate, int]] = []
        """The headings that are open and their depths, outermost first."""
        self._by_style = self._styles_of_numbers(headings)

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
            for open_heading, depth in self._above:
                if open_heading.numbering and _follows(heading.numbering, open_heading.numbering):
                    return depth
        if heading.style in self._by_style and not self._is_annual_report:
            return self._by_style[heading.style]
        depth = self._nested_depth(heading)
        if heading.numbering is not None and heading.numbering.scheme in NAMED:
            self._named[heading.numbering.scheme] = depth
        return depth

    def _nested_depth(self, heading: HeadingCandidate) -> int:
        """Return the depth below the innermost open heading that must hold this one: a keyword's or a stronger one."""
        depth = 0
        for open_heading, open_depth in self._above:
            scheme = open_heading.numbering.scheme if open_heading.numbering else None
            alike = heading.numbering is not None and heading.numbering.scheme is scheme
            if (
                (scheme in NAMED and not alike and not _ends_note(heading, open_heading))
                or open_heading.style > heading.style
                or _is_part(heading, open_heading)
            ):
                depth = open_depth
        return depth + 1

    def _numbered_depth(self, numbering: Numbering) -> int | None:
        """Return the depth that a number alone gives, ``None`` where it depends on what is round it."""
        parts = 1 if self._schemes[Scheme.PART] > (0 if self._schemes[Scheme.ITEM] else 1) else 0
        match numbering.scheme:
            case Scheme.PART:
                return 1
            case Scheme.ITEM:
                return 1 + parts
            case Scheme.EXHIBIT:
                return 1
            case Scheme.CHAPTER | Scheme.APPENDIX:
                return numbering.depth + self._exhibit
            case Scheme.DECIMAL:
                return self._decimal_depth(numbering)
            case Scheme.LETTER if self._schemes[Scheme.LETTER] > 1 or numbering.depth > 1:
                if (numbering.depth == 1 and self._has_chapters) or self._is_annual_report:
                    return None
                return numbering.depth + (1 if self._letters_below and numbering.depth == 1 else 0)
            case Scheme.ROMAN if self._schemes[Scheme.ROMAN] > 1 and not self._has_chapters:
                return 1 + parts + self._exhibit
            case Scheme.SECTION:
                depth = numbering.depth if self._schemes[Scheme.CHAPTER] else max(1, numbering.depth - 1)
                return depth + self._exhibit
        return None

    @property
    def _has_chapters(self) -> bool:
        return self._schemes[Scheme.CHAPTER] >= _FEW_CHAPTERS

    @property
    def _exhibit(self) -> int:
        """1 within an exhibit of an annual report, which is a document of its own with chapters of its own."""
        within = any(heading.numbering and heading.numbering.scheme is Scheme.EXHIBIT for heading, _ in self._above)
        return 1 if within and self._is_annual_report else 0

    @property
    def _is_annual_report(self) -> bool:
        return self._schemes[Scheme.ITEM] >= _FEW_ITEMS

    def _decimal_depth(self, numbering: Numbering) -> int | None:
        if self._is_annual_report:  # "1. General" within an Item: what is round it decides
            return None
        return None if numbering.depth == 1 and self._has_chapters else numbering.depth

    def _styles_of_numbers(self, headings: Sequence[HeadingCandidate]) -> dict[Style, int]:
        """Return for each style of numbered headings the depth that most of them have."""
        votes: dict[Style, Counter[int]] = defaultdict(Counter)
        for heading in headings:
            if heading.numbering is not None and heading.numbering.scheme not in NAMED:
                depth = self._numbered_depth(heading.numbering)
                if depth is not None:
                    votes[heading.style][depth] += 1
        return {style: counts.most_common(1)[0][0] for style, counts in votes.items()}


def _ends_note(heading: HeadingCandidate, open_heading: HeadingCandidate) -> bool:
    """Whether a heading is set stronger than the note above it: an auditor's report, a glossary."""
    if open_heading.numbering is None or open_heading.numbering.scheme is not Scheme.NOTE:
        return False
    return (heading.style, heading.centred) > (open_heading.style, open_heading.centred)


def _follows(number: Numbering, before: Numbering) -> bool:
    """Whether a number counts on from another: 2.15 from 2.14."""
    if number.scheme is not before.scheme or number.scheme is Scheme.BRACKET or number.depth != before.depth:
        return False
    first, second = before.parts[-1], number.parts[-1]
    counts_on = int(first) < int(second) if first.isdigit() and second.isdigit() else first < second
    return counts_on and number.parts[:-1] == before.parts[:-1]


def _is_part(heading: HeadingCandidate, of: HeadingCandidate) -> bool:
    """Whether a number is a part of another: 4.1 of 4."""
    part, whole = heading.numbering, of.numbering
    if part is None or whole is None or part.scheme is not whole.scheme:
        return False
    return part.depth > whole.depth and part.parts[: whole.depth] == whole.parts
