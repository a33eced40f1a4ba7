"""Finds which paragraph is the caption of which figure or table, by where they stand on the page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from headtree.extraction.blocks import Place
from headtree.extraction.printed_labels import printed_label
from headtree.types import FigureKind

_EQUATION_NUMBER = re.compile(r"\((?P<number>[A-Z]{0,2}\.?\d{1,3}(?:[.-]\d{1,3})*[a-z]?)\)")
_FARTHEST = 60.0
"""Points between a caption and its figure: four lines of text; what lies farther off belongs to another one."""
_FARTHEST_NUMBER = 300.0
"""Points between a formula and its number, which stands at the end of the column."""
_LARGEST_FORMULA = 150.0
"""Points from top to bottom: about ten lines."""
_MOST = 300
"""Pictures, and captions, of one page that are looked at; only a made-up page has more."""


@dataclass(frozen=True, slots=True)
class Label:
    """A printed number: ``Table 3``."""

    text: str
    kind: FigureKind


@dataclass(frozen=True, slots=True)
class Placed:
    """A block as far as its place and first words matter."""

    place: Place | None
    picture: FigureKind | None = None
    """What the extractor takes it for; ``None`` for text."""
    text: str = ""


def read_label(text: str) -> Label | None:
    """Return the printed label with which a paragraph begins as captions do, or which it is: ``(5)``; else ``None``."""
    label = printed_label(text)
    if label is not None:
        rest = text[label.end :].lstrip()
        opens = label.signed or not rest or rest[0].isupper() or rest[0] in '(“"'
        return Label(label.text, label.kind) if opens else None
    match = _EQUATION_NUMBER.fullmatch(text)
    return Label(f"Equation {match['number']}", FigureKind.FORMULA) if match else None


def number_of_formula(words: str, place: Place | None) -> str | None:
    """Return the number at the end of a formula's own words, ``(5)``; ``None`` where this is none or has none."""
    number = words[words.rfind("(") :] if " (" in words else ""
    if not _EQUATION_NUMBER.fullmatch(number) or not re.search(r"[=<>≤≥≈∝∈→←]", words):
        return None
    height = place.box[3] - place.box[1] if place else 0.0
    return number if height <= _LARGEST_FORMULA else None


def bind_captions(blocks: Sequence[Placed]) -> dict[int, int]:
    """Return for the index of each picture that has a caption the caption's index.

    A caption goes to a picture of its own kind before one of another, then to the nearest; each is given away once.
    """
    labels = {
        n: label
        for n, block in enumerate(blocks)
        if not block.picture and (label := read_label(block.text)) is not None
    }
    bound: dict[int, int] = {}
    given: set[int] = set()
    for *_, picture, caption in sorted(_pairs(blocks, labels)):
        if picture not in bound and caption not in given:
            bound[picture] = caption
            given.add(caption)
    return bound


def _pairs(blocks: Sequence[Placed], labels: Mapping[int, Label]) -> Iterator[tuple[bool, float, int, int, int]]:
    """Yield the pairs that are near enough: other kind, points apart, blocks apart, picture, caption."""
    on_page: defaultdict[int | None, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for n, block in enumerate(blocks):
        page = block.place.page if block.place else None
        if block.picture:
            on_page[page][0].append(n)
        elif n in labels:
            on_page[page][1].append(n)
    for page, (pictures, captions) in on_page.items():
        if page is None:  # no boxes: only neighbours in the list
            near = [(picture, picture + step) for picture in pictures for step in (1, -1)]
            pairs = [pair for pair in near if pair[1] in labels]
        else:
            pairs = list(product(pictures[:_MOST], captions[:_MOST]))
        for picture, caption in pairs:
            label, kind = labels[caption], blocks[picture].picture
            apart = abs(picture - caption)
            distance = _distance(blocks[picture].place, blocks[caption].place, label)
            if distance is not None:
                yield (
                    (label.kind is FigureKind.TABLE) != (kind is FigureKind.TABLE),
                    distance,
                    apart,
                    picture,
                    caption,
                )


def _distance(picture: Place | None, caption: Place | None, label: Label) -> float | None:
    """Return the points between a picture and a caption, ``None`` where they do not belong together."""
    if picture is None or caption is None:
        return 0.0 if picture is caption else None
    left, top, right, bottom = picture.box
    x0, y0, x1, y1 = caption.box
    if label.kind is FigureKind.FORMULA:
        beside = top <= (y0 + y1) / 2 <= bottom and bottom - top <= _LARGEST_FORMULA
        gap = max(x0 - right, left - x1, 0.0)
        return gap if beside and gap <= _FARTHEST_NUMBER else None
    if min(right, x1) - max(left, x0) < 0.3 * min(right - left, x1 - x0):
        return None
    gap = max(y0 - bottom, top - y1, 0.0)
    return gap if gap <= _FARTHEST else None
