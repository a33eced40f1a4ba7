"""Binds captions to images: which number, which words and which kind belong to each image of a document.

The rules come from how documents are set: a table's caption stands above it and a figure's below, panels of one
figure stand together before its caption, a displayed formula is followed by its number in parentheses.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headtree.indexing.captions import Caption
from headtree.indexing.formulas import Formula, find_formulas
from headtree.indexing.labels import LabelKind, caption_start
from headtree.types import Figure, FigureKind, Section

_KINDS = {
    LabelKind.FIGURE: FigureKind.FIGURE,
    LabelKind.TABLE: FigureKind.TABLE,
    LabelKind.ALGORITHM: FigureKind.ALGORITHM,
    LabelKind.EQUATION: FigureKind.FORMULA,
}
_TINY = 24
"""Pixels: an image no larger than this in both directions is a glyph or a bullet."""
_PROSE_WORDS = 14
"""A line of at least this many words is running text: it separates a figure's panels from what came before."""


@dataclass(frozen=True, slots=True)
class Binding:
    """What is known about one image."""

    kind: FigureKind
    label: str | None = None
    caption: str = ""
    group: str | None = None
    context: str = ""


def bind_captions(
    images: Sequence[Figure], captions: Sequence[Caption], lines: Sequence[str], sections: Sequence[Section]
) -> tuple[dict[str, Binding], list[Caption]]:
    """Return bindings by ``fig_id`` and the captions for which there is no image."""
    del sections
    bindings: dict[str, Binding] = {}
    free = []
    for image in images:
        if binding := _from_own_words(image):
            bindings[image.fig_id] = binding
        elif image.exists and 0 < max(image.width, image.height) <= _TINY:
            bindings[image.fig_id] = Binding(FigureKind.JUNK)
        else:
            free.append(image)
    formulas = find_formulas(free, captions, lines)
    bindings |= {fig_id: _formula(formula) for fig_id, formula in formulas.items()}
    free = [image for image in free if image.fig_id not in formulas]
    unbound = []
    for caption in captions:
        chosen = _images_of(caption, captions, free, bindings, lines)
        if not chosen:
            unbound.append(caption)
        bindings |= _caption_bindings(caption, chosen)
    return bindings, unbound


def _from_own_words(image: Figure) -> Binding | None:
    """Read a label from the image's figcaption or alternative text."""
    for words in (image.caption, image.alt):
        start = caption_start(words)
        if start is not None:
            return Binding(_KINDS[start.label.kind], str(start.label), words[start.end :].strip())
    return None


def _formula(formula: Formula) -> Binding:
    numbers = formula.numbers
    label = None
    if len(numbers) == 1:
        label = f"Equation {numbers[0]}"
    elif numbers:
        label = f"Equations {', '.join(numbers[:-1])} and {numbers[-1]}"
    return Binding(FigureKind.FORMULA, label, context=formula.text)


def _caption_bindings(caption: Caption, chosen: Sequence[Figure]) -> dict[str, Binding]:
    kind = _KINDS[caption.label.kind]
    label = str(caption.label)
    if len(chosen) == 1:
        return {chosen[0].fig_id: Binding(kind, label, caption.text)}
    group = chosen[0].fig_id if chosen else None
    return {image.fig_id: Binding(FigureKind.PART, label, caption.text, group) for image in chosen}


def _images_of(
    caption: Caption,
    captions: Sequence[Caption],
    free: Sequence[Figure],
    bindings: Mapping[str, Binding],
    lines: Sequence[str],
) -> list[Figure]:
    """Choose the images of one caption among those that have none yet."""
    open_images = [image for image in free if image.fig_id not in bindings]
    before = [image for image in open_images if image.line < caption.line]
    after = [image for image in open_images if image.line > caption.last_line]
    near_before = before[-1:] if before and _near(before[-1].line, caption.line, captions, lines) else []
    near_after = after[:1] if after and _near(caption.last_line, after[0].line, captions, lines) else []
    if caption.label.kind is LabelKind.FIGURE:
        if near_before:
            return _panels(before, lines)
        return near_after if caption.sure else []
    return near_after or near_before


def _near(first: int, last: int, captions: Sequence[Caption], lines: Sequence[str]) -> bool:
    """Whether an image and a caption stand together: no other caption and little running text between them."""
    if any(first < caption.line < last for caption in captions):
        return False
    between = [text for text in lines[first : last - 1] if text.strip()]
    return len(between) <= 12 and sum(len(text.split()) >= _PROSE_WORDS for text in between) <= 1


def _panels(before: Sequence[Figure], lines: Sequence[str]) -> list[Figure]:
    """Return the run of images that ends at the last one: only short lines stand between them."""
    run = [before[-1]]
    for image in reversed(before[:-1]):
        between = [text.strip() for text in lines[image.line : run[0].line - 1] if text.strip()]
        if any(_is_prose(text) for text in between):
            break
        run.insert(0, image)
    return run


def _is_prose(text: str) -> bool:
    return text.startswith("#") or len(text.split()) >= _PROSE_WORDS or re.search(r"[a-z]{3}[.;:]$", text) is not None
