"""Finds the captions of a document: the line that says "Table 7: ..." and its words up to the paragraph's end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from headtree.indexing.labels import CaptionStart, Label, caption_starts

_MOST_CHARACTERS = 500
"""Longer captions are a caption and the paragraph that an extractor joined to it; they end with a sentence."""
_LONGEST = 12
"""Lines that a caption may run over; what follows is a paragraph that an extractor joined to it."""


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption as it stands in the text."""

    line: int
    last_line: int
    label: Label
    text: str
    """Its words without the label, on one line."""
    sure: bool
    """False where only the number and a capital letter speak for it ("Table 3 Results")."""
    alone: bool
    """Whether it is the only caption of its line."""


def find_captions(lines: Sequence[str], skipped: frozenset[int], images: frozenset[int]) -> list[Caption]:
    """Return all captions in order of their lines.

    Args:
        lines: of the document.
        skipped: 1-based lines that cannot hold a caption: code, headings and images.
        images: lines of images: the text line after one holds the words of the picture, and may end in its caption.
    """
    captions: list[Caption] = []
    covered = 0
    for number, text in enumerate(lines, start=1):
        if number <= covered or number in skipped or not _may_start(text):
            continue
        starts = caption_starts(text, loose=_follows_image(lines, number, images))
        if not starts:
            continue
        last = _last_line(lines, number, skipped)
        rest = " ".join(part.strip() for part in lines[number:last])
        captions += _split(text, rest, starts, number, last)
        covered = last
    return captions


def _follows_image(lines: Sequence[str], number: int, images: frozenset[int]) -> bool:
    """Whether the last thing before a line is an image."""
    before = number - 1
    while before > 0 and not lines[before - 1].strip():
        before -= 1
    return before in images


def _may_start(text: str) -> bool:
    return any(character.isdigit() or character.isupper() for character in text)


def _last_line(lines: Sequence[str], first: int, skipped: frozenset[int]) -> int:
    """Return the last line of the paragraph that begins at ``first``."""
    last = first
    while last < len(lines) and last - first < _LONGEST:
        text = lines[last].strip()
        if not text or last + 1 in skipped or text.startswith(("|", "#", "<", "![", "```")) or caption_starts(text):
            break
        last += 1
    return last


def _split(text: str, rest: str, starts: Sequence[CaptionStart], line: int, last: int) -> Iterator[Caption]:
    """Give each caption of a line its own words; the following lines belong to the last."""
    for position, start in enumerate(starts):
        ends_here = position + 1 == len(starts)
        words = text[start.end :] if ends_here else text[start.end : starts[position + 1].start]
        words = f"{words} {rest}" if ends_here else words
        cleaned = _shorten(" ".join(words.split()).strip("*_ "))
        yield Caption(line, last, start.label, cleaned, start.sure, len(starts) == 1)


def _shorten(text: str) -> str:
    if len(text) <= _MOST_CHARACTERS:
        return text
    end = max(text.rfind(mark, 0, _MOST_CHARACTERS) for mark in (". ", "? ", "! "))
    return text[: end + 1] if end > 0 else text[:_MOST_CHARACTERS].rsplit(" ", 1)[0]
