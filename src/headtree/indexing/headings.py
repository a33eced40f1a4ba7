"""Heading repair: numbering decides depth, and what is no heading becomes text again.

PDF extraction gives headings of one level only, column names of tables as headings, author lines as headings. Each
change is recorded with its line; the text itself is never touched.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from headtree.indexing.labels import caption_label
from headtree.indexing.markdown import Heading
from headtree.indexing.surroundings import is_cell, is_prose

_DECIMAL = re.compile(r"^(?P<number>\d{1,2}(?:\.\d{1,3})*)\.?(?:\s+|(?<=\.))(?=\S*[^\W\d])")
_LETTER_DECIMAL = re.compile(r"^(?P<letter>[A-Z])\.(?P<number>\d{1,3}(?:\.\d{1,3})*)\.?\s+(?=\S*\w)")
_LETTER = re.compile(r"^(?P<letter>[A-Z])\.\s+(?=\S*\w)")
_ROMAN = re.compile(r"^(?P<roman>[IVXLC]{1,6})\.\s+(?=\S*\w)")
_NAMED = re.compile(
    r"^(?P<name>part|item|note|chapter|appendix|article)\s+(?P<number>[IVXLC]+|\d+[A-Z]?|[A-Z])\b", re.I
)

_RANKS = {"part": 0, "chapter": 0, "item": 1, "article": 1, "note": 2}
"""Depth of named headings relative to each other, as in annual reports: PART II > ITEM 8 > NOTE 4."""
_SERIES = 3
"""A named or numbered style counts once it occurs this often; fewer may be a coincidence ("Part 1 of the kit")."""

_AFFILIATION = re.compile(r"\b(?:universit|institut|college|laborator|department|school of|academy|inc\.|@)", re.I)
_CELL_WORDS = 5
"""A table cell that became a paragraph has at most this many words."""
_LONGEST_TABLE = 400
"""Lines that the cells of a table may take, one a line, from its image to a false heading."""
_SENTENCE_WORDS = 5
"""A line above a rule that has fewer words is a title, whatever follows."""
_TITLE_WORDS = 12
"""A line above a rule that has more words is a sentence."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One change, for the build report."""

    line: int
    message: str


@dataclass(frozen=True, slots=True)
class _Number:
    style: str
    depth: int
    """1 for "3" and "A.", 2 for "3.1" and "A.1"."""


def repair_headings(headings: Sequence[Heading], lines: Sequence[str]) -> tuple[list[Heading], list[Repair]]:
    """Demote false headings, then set levels by numbering.

    Args:
        headings: as the Markdown has them, in order.
        lines: all lines of the document.

    Returns:
        The headings that remain, with their levels, and what was changed.
    """
    kept, repairs = [], []
    images_above = _images_above(lines)
    for index, heading in enumerate(headings):
        if reason := _false_heading(index, headings, lines, images_above[heading.line - 1]):
            repairs.append(Repair(heading.line, f"'{heading.title}' is text, not a heading: {reason}"))
        else:
            kept.append(heading)
    levelled = _set_levels(kept)
    repairs += [
        Repair(new.line, f"'{new.title}' moved from level {old.level} to {new.level}: its numbering says so")
        for old, new in zip(kept, levelled, strict=True)
        if old.level != new.level
    ]
    return levelled, sorted(repairs, key=lambda repair: repair.line)


# ---------------------------------------------------------------------------------------------- false headings


def _false_heading(index: int, headings: Sequence[Heading], lines: Sequence[str], image_above: int) -> str | None:
    """Return why this is no heading, or ``None``."""
    heading = headings[index]
    title = heading.title
    if not re.search(r"\w", title) or (title.replace(".", "").isdigit() and len(headings) > 1):
        return "it holds no words"
    if title.lower().startswith("denotes "):
        return "it is a footnote of a table"
    if heading.ruled and _is_sentence(heading, lines):
        return "the rule under it separates pages"
    if _number(title) is not None:
        return None
    if 0 < index < 3 and _is_author_line(title) and heading.line - headings[index - 1].line < 15:
        return "it names authors"
    below_image = 0 < image_above >= heading.line - _LONGEST_TABLE
    if len(title.split()) <= _CELL_WORDS and below_image and _among_cells(heading, lines):
        return "it stands between the cells of a table"
    if len(title.split()) <= _CELL_WORDS and _inside_figure(heading, lines):
        return "it stands between an image and its caption"
    return None


def _is_sentence(heading: Heading, lines: Sequence[str]) -> bool:
    """Whether a rule under a line is a page separator: the line is a sentence, or goes on right below."""
    words = len(heading.title.split())
    goes_on = words >= _SENTENCE_WORDS and "".join(lines[heading.last_line : heading.last_line + 1])[:1].islower()
    return goes_on or words > _TITLE_WORDS or heading.title.endswith((".", ",", ";"))


def _is_author_line(title: str) -> bool:
    words = title.split()
    names = [word for word in words if word[:1].isupper() or not word[:1].isalpha()]
    lists_people = title.count(",") >= 2 or _AFFILIATION.search(title) is not None
    return len(words) >= 4 and lists_people and len(names) >= 0.8 * len(words)


def _images_above(lines: Sequence[str]) -> list[int]:
    """Return for each line the last image line (1-based) above it with no running text between, or 0."""
    above, image = [], 0
    for number, text in enumerate(map(str.strip, lines), start=1):
        above.append(image)
        if text.startswith("!["):
            image = number
        elif image and is_prose(text):
            image = 0
    return above


def _among_cells(heading: Heading, lines: Sequence[str]) -> bool:
    """Whether a cell stands right before the heading and cells follow."""
    before = _last_words(heading, lines)
    after = [text.strip() for text in lines[heading.last_line : heading.last_line + 12] if text.strip()][:3]
    return bool(before) and is_cell(before) and sum(map(is_cell, after)) >= 2


def _last_words(heading: Heading, lines: Sequence[str]) -> str:
    """Return the last line before a heading that is not blank."""
    return next((text for number in range(heading.line - 2, -1, -1) if (text := lines[number].strip())), "")


def _inside_figure(heading: Heading, lines: Sequence[str]) -> bool:
    """Whether an image stands right before, one right after, and the caption of both follows."""
    before = _last_words(heading, lines)
    after = [text.strip() for text in lines[heading.last_line : heading.last_line + 20] if text.strip()]
    if not before.startswith("![") or not after or not after[0].startswith("!["):
        return False
    for text in after[1:6]:
        if caption_label(text) is not None:
            return True
        if text.startswith("#"):
            return False
    return False


# ------------------------------------------------------------------------------------------------------ levels


def _number(title: str) -> _Number | None:
    if match := _NAMED.match(title):
        return _Number(match["name"].lower(), 1)
    if match := _LETTER_DECIMAL.match(title):
        return _Number("letter-decimal", 2 + match["number"].count("."))
    if match := _DECIMAL.match(title):
        return _Number("decimal", 1 + match["number"].count("."))
    if match := _ROMAN.match(title):
        return _Number("roman", 1)
    if _LETTER.match(title):
        return _Number("letter", 1)
    return None


def _numbers(titles: Sequence[str]) -> list[_Number | None]:
    """Number every title; "C." and "D." are letters where a letter series reaches them, else Roman numbers."""
    numbers: list[_Number | None] = []
    last_letter = ""
    for title in titles:
        number = _number(title)
        letter = title[0] if _LETTER.match(title) else ""
        if number is not None and number.style == "roman" and letter:
            follows = ord(letter) == ord(last_letter or "\0") + 1
            number = _Number("letter", 1) if follows else number
        if number is not None and number.style == "letter":
            last_letter = letter
        elif number is not None and number.style == "roman":
            last_letter = ""
        numbers.append(number)
    return numbers


def _set_levels(headings: Sequence[Heading]) -> list[Heading]:
    """Give numbered headings the level that their number says; push unnumbered ones below the items of a form."""
    numbers = _numbers([heading.title for heading in headings])
    counts = Counter(number.style for number in numbers if number)
    if counts["item"] >= _SERIES:
        return _set_form_levels(headings, numbers)
    tops = _top_levels(headings, numbers, counts)
    levelled = []
    for heading, number in zip(headings, numbers, strict=True):
        if number is not None and number.style in tops:
            heading = replace(heading, level=tops[number.style] + number.depth - 1)
        levelled.append(heading)
    return levelled


def _top_levels(headings: Sequence[Heading], numbers: Sequence[_Number | None], counts: Counter[str]) -> dict[str, int]:
    """Level of depth 1 of each numbering style that is used as a series in this document."""
    tops = {}
    for style in ("decimal", "roman", "letter"):
        levels = [h.level for h, n in zip(headings, numbers, strict=True) if n and n.style == style and n.depth == 1]
        if len(levels) >= 2 and counts[style] >= _SERIES:
            tops[style] = min(levels)
    if "roman" in tops and "letter" in tops:
        tops["letter"] = tops["roman"] + 1
    if "letter" in tops or counts["letter-decimal"] >= 2:
        appendix = [h.level for h, n in zip(headings, numbers, strict=True) if n and n.style == "letter"]
        tops["letter-decimal"] = tops.get("letter", min(appendix, default=tops.get("decimal", 1)))
    return tops


def _set_form_levels(headings: Sequence[Heading], numbers: Sequence[_Number | None]) -> list[Heading]:
    """Levels of an annual report: PART > ITEM > NOTE, and every other heading below the one it stands in."""
    levelled, inside = [], 0
    for heading, number in zip(headings, numbers, strict=True):
        rank = _RANKS.get(number.style) if number else None
        if rank is not None:
            inside = rank + 1
            levelled.append(replace(heading, level=inside))
        else:
            levelled.append(replace(heading, level=heading.level + inside))
    return levelled
