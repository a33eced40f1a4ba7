"""Finds displayed formulas among images, and the number that is printed beside each."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headtree.indexing.captions import Caption
from headtree.types import Figure

_MATHS = re.compile(r"[=∈∉≤≥≪≫∑∏∫∥⊤⊥√∂∇≈∼⊗⊕→←↦±×·⟨⟩∞∀∃∆ΔφϕθλαβγδεησκμρτωΩΣΠ\ue000-\uf8ff˜ˆ˙¯]")
_NUMBER_LINE = re.compile(r"^\(([A-Z]{0,2}\.?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?)\)$")
_NUMBER_IN_LINE = re.compile(r"\(([A-Z]{0,2}\.?\d{1,3}(?:[.\-]\d{1,3})*[a-z]?)\)(?=\s*$|\s+where\b)")


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula image: the numbers that belong to it and the text that an extractor read from it."""

    numbers: tuple[str, ...]
    text: str


def find_formulas(images: Sequence[Figure], captions: Sequence[Caption], lines: Sequence[str]) -> Mapping[str, Formula]:
    """Return the formulas among ``images`` by ``fig_id``."""
    caption_lines = {caption.line for caption in captions}
    widest = max((image.width for image in images), default=0)
    formulas: dict[str, Formula] = {}
    for index, image in enumerate(images):
        end = images[index + 1].line if index + 1 < len(images) else len(lines) + 1
        following = _following(image.line, end, lines, caption_lines)
        if _is_formula(image, following, widest):
            numbers, text = _read(following)
            formulas[image.fig_id] = Formula(numbers, text)
    return formulas


def _following(line: int, end: int, lines: Sequence[str], caption_lines: set[int]) -> list[str]:
    """Return the non-blank lines after an image up to the next image, caption or heading, at most eight."""
    following = []
    for number in range(line + 1, min(end, line + 40)):
        text = lines[number - 1].strip()
        if number in caption_lines or text.startswith("#"):
            break
        if text:
            following.append(text)
        if len(following) == 8:
            break
    return following


def _is_formula(image: Figure, following: Sequence[str], widest: int) -> bool:
    if not following or not image.width or (image.height > 0.45 * image.width and image.height > 0.1 * widest):
        return False
    first = following[0]
    numbered = any(_NUMBER_LINE.match(text) for text in following[:3])
    return numbered or _is_maths(first) or len(first) <= 2


def _is_maths(text: str) -> bool:
    words = re.findall(r"[A-Za-z]{4,}", text)
    return bool(_MATHS.search(text)) and len(words) <= 12


def _read(following: Sequence[str]) -> tuple[tuple[str, ...], str]:
    first = following[0]
    if match := _NUMBER_IN_LINE.search(first):
        return (match[1],), first
    numbers = [match[1] for text in following[1:4] if (match := _NUMBER_LINE.match(text))]
    return tuple(numbers[:1]), first
