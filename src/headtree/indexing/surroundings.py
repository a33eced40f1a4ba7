"""What stands round the images of a document: running text, cells of a table, or the words inside a picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from headtree.types import Figure, LineSpan

_FUNCTION_WORDS = """
a an and are as at be by can for from has have in is it its of on or our that the this to we which with
""".split()  # noqa: SIM905
_MARKUP = ("![", "|", "<", "```")
_FEWEST_WORDS = 9
"""Words of at least two letters that running text has in a line; labels inside a picture seldom reach it."""
_FUNCTION_SHARE = 0.17
"""Share of function words above which a line is a sentence and no list of labels (English prose: .3 to .5)."""
_CELL_WORDS = 6


def is_prose(text: str) -> bool:
    """Whether a line is running text: long enough, and with the small words that sentences have."""
    if text.startswith(_MARKUP):
        return False
    words = re.findall(r"[A-Za-z]{2,}|\ba\b", text)
    if len(words) < _FEWEST_WORDS:
        return False
    return sum(word.lower() in _FUNCTION_WORDS for word in words) >= _FUNCTION_SHARE * len(words)


def is_cell(text: str) -> bool:
    """Whether a line may be a table's cell that an extractor put on a line of its own."""
    return len(text.split()) <= _CELL_WORDS and not text.startswith(_MARKUP) and not is_prose(text)


def is_filed_as_table(image: Figure) -> bool:
    """Whether an extractor put an image into a folder of tables."""
    return "tables" in PurePosixPath(image.filename.lower()).parts[:-1]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """A document's lines with the places that matter for binding; line numbers are 1-based."""

    lines: Sequence[str]
    image_lines: frozenset[int]
    caption_lines: frozenset[int]
    """All lines of all captions."""
    heading_lines: frozenset[int]

    def between(self, first: int, last: int) -> list[tuple[int, str]]:
        """Return (line, text) of what stands between two lines, blank lines, images and captions left out."""
        skipped = self.image_lines | self.caption_lines
        return [
            (number, text)
            for number in range(first + 1, last)
            if number not in skipped and (text := self.lines[number - 1].strip().lstrip("-* ").strip())
        ]

    def prose_between(self, first: int, last: int, *, words_of_picture: bool = False) -> int:
        """Count running text and headings between two lines.

        ``words_of_picture``: the first paragraph after ``first`` may be what an extractor read in the picture there.
        """
        lines = self.between(first, last)
        if words_of_picture:
            lines = lines[self._paragraph(lines) :]
        return sum(number in self.heading_lines or is_prose(text) for number, text in lines)

    def _paragraph(self, lines: Sequence[tuple[int, str]]) -> int:
        """Count the lines that follow each other at the beginning, up to a blank one."""
        count = 0
        while count < len(lines) and lines[count][0] == lines[0][0] + count:
            if lines[count][0] in self.heading_lines:
                break
            count += 1
        return count

    def inside(self, line: int) -> LineSpan | None:
        """Return the lines after an image that hold its content: cells, labels; up to running text or another image.

        The first paragraph counts even where it reads like a sentence: it may be the words of the picture. A caption
        between the image and its cells is passed over.
        """
        last = 0
        first_paragraph = self._paragraph(self.between(line, min(len(self.lines), line + 60) + 1))
        for position, (number, text) in enumerate(self.between(line, self._next_image(line))):
            if number in self.heading_lines or (is_prose(text) and position >= first_paragraph):
                break
            last = number
        return LineSpan(line + 1, last) if last else None

    def _next_image(self, line: int) -> int:
        after = [number for number in self.image_lines if number > line]
        return min(after, default=len(self.lines) + 1)

    def after(self, line: int, most: int) -> list[str]:
        """Return what follows an image, up to the next image, caption or heading, at most so many lines."""
        found: list[str] = []
        for number in range(line + 1, min(len(self.lines), line + 60) + 1):
            if number in self.image_lines or number in self.caption_lines or number in self.heading_lines:
                break
            if text := self.lines[number - 1].strip().lstrip("-* ").strip():
                found.append(text)
                if len(found) == most:
                    break
        return found

    def looks_like_table(self, image: Figure) -> bool:
        """Whether an image is filed as a table, or cells follow it, one a line, as extractors write a table's text."""
        if is_filed_as_table(image):
            return True
        following = self.after(image.line, 8)
        filled = sum(re.search(r"[^\W\d_]{3,}|\d{2,}", text) is not None for text in following)
        return len(following) >= 4 and filled >= 2 and sum(map(is_cell, following)) >= 0.8 * len(following)
