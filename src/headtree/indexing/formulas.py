"""Finds displayed formulas among images, and the numbers that are printed beside them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from headtree.indexing.surroundings import Surroundings, is_filed_as_table, is_prose
from headtree.types import Figure

_RELATION = re.compile(r"[=≤≥≪≫∈∉≈∼∝≡≠←↦⊂⊆]|:=")
_MATHS = re.compile(r"[=∈∉≤≥≪≫∑∏∫∥⊤⊥√∂∇≈∼⊗⊕←↦⟨⟩∞∀∃∆ΔφϕθλαβγδεησκμρτωΩΣΠ−⋅\ue000-\uf8ff˜ˆ˙¯ℓ]")
_NUMBER_LINE = re.compile(r"^\(([A-Z]{0,2}\.?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?)\)$")
_NUMBER_AT_END = re.compile(r"\(([A-Z]{0,2}\.?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?)\)(?=\s*$|\s+where\b)")
_NUMBER_INSIDE = re.compile(r"\((\d{1,3})\)")

_STRIP = 0.35
"""Height of a line of text as a share of its width, at most; a figure is rarely so flat."""
_SMALL = 0.12
"""Share of the widest image's width that a fragment of a formula may have in both directions."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula image: the numbers that belong to it and the text that an extractor read from it."""

    figure: Figure
    numbers: tuple[str, ...]
    text: str


def find_formulas(images: Sequence[Figure], around: Surroundings) -> list[Formula]:
    """Return the formulas among the images that have no words of their own, in order, with their numbers.

    A formula is told by its text, where an extractor left one (a relation, Greek letters, private-use glyphs), by a
    number in parentheses below it, and by its shape: a flat strip or a small piece.
    """
    widest = max((image.width for image in images), default=0)
    found = [
        Formula(image, (), following[0])
        for image in images
        if (following := around.after(image.line, 8)) and _is_formula(image, following, widest)
    ]
    return _number(found, images, around)


def _is_formula(image: Figure, following: Sequence[str], widest: int) -> bool:
    if not image.width or image.alt or is_filed_as_table(image):
        return False
    text = following[0]
    if _NUMBER_LINE.match(text):  # the extractor read nothing but the number; only formulas are numbered so
        return True
    strip = image.height <= _STRIP * image.width
    small = max(image.width, image.height) <= _SMALL * widest
    if small and not strip and is_prose(text):  # a sign at the end of a proof, a logo
        return False
    numbered = any(_NUMBER_LINE.match(line) for line in following[1:3]) or _NUMBER_AT_END.search(text) is not None
    if _RELATION.search(text) and numbered and not is_prose(text):
        return True
    if _is_maths(text) and (strip or small):
        return True
    return (strip or small) and _is_fragment(text)


def _is_maths(text: str) -> bool:
    """Whether a text holds a relation or several mathematical signs."""
    return _RELATION.search(text) is not None or len(_MATHS.findall(text)) >= 2


def _is_fragment(text: str) -> bool:
    """Whether a text is a piece of a formula: an index, a sign, a letter with its accent."""
    return len(text) <= 7 and " " not in text and not re.fullmatch(r"[A-Za-z]{3,}|\d{2,}", text)


# ------------------------------------------------------------------------------------------------------ numbers


def _number(formulas: Sequence[Formula], images: Sequence[Figure], around: Surroundings) -> list[Formula]:
    """Give each run of formulas the numbers that stand after it."""
    numbered: list[Formula] = []
    run: list[Formula] = []
    last_number = 0
    ends = {image.line: index for index, image in enumerate(images)}
    for position, formula in enumerate(formulas):
        run.append(formula)
        numbers = _numbers_of(formula, around, last_number)
        is_last = position + 1 == len(formulas)
        joined = not is_last and not numbers and _adjoins(formula, formulas[position + 1], images, ends, around)
        if joined:
            continue
        numbered += _share(run, numbers)
        last_number = next((int(number) for number in reversed(numbers) if number.isdigit()), last_number)
        run = []
    return numbered


def _adjoins(
    formula: Formula, following: Formula, images: Sequence[Figure], order: dict[int, int], around: Surroundings
) -> bool:
    """Whether the next image is a formula with nothing but this one's text between."""
    neighbours = order[following.figure.line] == order[formula.figure.line] + 1
    return neighbours and len(around.between(formula.figure.line, following.figure.line)) <= 1


def _numbers_of(formula: Formula, around: Surroundings, last_number: int) -> list[str]:
    """Return the numbers in or right after the formula's text; one inside of it counts if it is the next in turn."""
    alone = _NUMBER_LINE.match(formula.text) is not None
    if not alone and (match := _NUMBER_AT_END.search(formula.text)):
        return [match[1]]
    numbers = []
    for text in around.after(formula.figure.line, 8)[0 if alone else 1 :]:
        match = _NUMBER_LINE.match(text)
        if match is None:
            break
        numbers.append(match[1])
    if not numbers:
        inside = [match[1] for match in _NUMBER_INSIDE.finditer(formula.text)]
        numbers = [number for number in inside if int(number) == last_number + 1][:1]
    return numbers


def _share(run: Sequence[Formula], numbers: Sequence[str]) -> list[Formula]:
    """Divide numbers among the formulas of a run: one each, from the last one up; what is left over to the tallest."""
    if not numbers:
        return list(run)
    shares: list[list[str]] = [[] for _ in run]
    displayed = [index for index, formula in enumerate(run) if _RELATION.search(formula.text)] or [len(run) - 1]
    receivers = displayed[-len(numbers) :]
    extra = len(numbers) - len(receivers)
    tallest = max(receivers, key=lambda index: run[index].figure.height)
    left = list(numbers)
    for index in receivers:
        count = 1 + (extra if index == tallest else 0)
        shares[index], left = left[:count], left[count:]
    return [replace(formula, numbers=tuple(share)) for formula, share in zip(run, shares, strict=True)]
