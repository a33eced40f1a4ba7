"""Puts the pieces of formulas within running text into its lines: fractions, big signs, limits above and below."""

from __future__ import annotations

from collections.abc import Sequence

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, beside, union
from headtree.extraction.page_values import Word

_FEWEST_WORDS = 2
"""Words of at least two letters that make a piece running text."""
_LONGEST = 24
"""Characters of a formula's piece."""
_GAP = 0.75
"""Share of the type size that may lie between a piece and its line."""
_BESIDE = 0.3
"""Share of a piece's height that its line shares."""
_COVERED = 0.5
"""Share of a piece's width over which no word of its line may stand."""


def with_inline_formulas(pieces: Sequence[list[Word]]) -> list[list[Word]]:
    """Return the pieces of a page with each short one that touches a line of text put into that line.

    A sum within a sentence has its sign, its limits and its terms on four baselines; apart, each would be a line of
    its own between the lines of the text.
    """
    texts = [piece for piece in pieces if _is_text(piece)]
    short = (piece for piece in pieces if not _is_text(piece) and sum(len(word.text) for word in piece) <= _LONGEST)
    free = [(piece, union(word.box for word in piece)) for piece in short]
    taken: set[int] = set()
    grown = {id(text): _grown(text, free, taken) for text in texts}
    return [grown.get(id(piece), piece) for piece in pieces if id(piece) not in taken]


def _is_text(piece: Sequence[Word]) -> bool:
    return sum(len(word.text) > 1 and word.text.isalpha() for word in piece) >= _FEWEST_WORDS


def _grown(text: list[Word], free: Sequence[tuple[list[Word], Box]], taken: set[int]) -> list[Word]:
    """Return a line with all that touches it, directly or through another piece; ``taken`` holds what is used."""
    line, whole = list(text), union(word.box for word in text)
    while True:
        near = ((piece, box) for piece, box in free if id(piece) not in taken and beside(box, whole) > 0)
        found = next(((piece, box) for piece, box in near if _belongs(piece, box, line, whole)), None)
        if found is None:
            return line
        taken.add(id(found[0]))
        line = sorted([*line, *found[0]], key=lambda word: word.box[0])
        whole = union((whole, found[1]))


def _belongs(piece: Sequence[Word], box: Box, line: Sequence[Word], whole: Box) -> bool:
    size = max(word.size for word in line)
    if piece[0].size > 1.1 * size or beside(box, whole) < _BESIDE * (box[3] - box[1]):
        return False
    if below(box, whole) < -_GAP * size:
        return False
    covered = sum(max(below(word.box, box), 0.0) for word in line)
    return covered <= _COVERED * (box[2] - box[0])
