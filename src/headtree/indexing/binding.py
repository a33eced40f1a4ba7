"""Binds captions to images: which number, which words and which kind belong to each image of a document.

The rules come from how documents are set: a table's caption stands above it and a figure's below, panels of one
figure stand together before its caption, a displayed formula is followed by its number in parentheses. Only a
document's text and the images' sizes are used, sizes relative to the document's widest image.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from headtree.indexing.captions import Caption
from headtree.indexing.formulas import Formula, find_formulas
from headtree.indexing.labels import LabelKind, caption_start
from headtree.indexing.surroundings import Surroundings, is_prose
from headtree.types import Figure, FigureKind, Section

_KINDS = {
    LabelKind.FIGURE: FigureKind.FIGURE,
    LabelKind.CHART: FigureKind.FIGURE,
    LabelKind.SCHEME: FigureKind.FIGURE,
    LabelKind.PLATE: FigureKind.FIGURE,
    LabelKind.EXHIBIT: FigureKind.FIGURE,
    LabelKind.TABLE: FigureKind.TABLE,
    LabelKind.ALGORITHM: FigureKind.ALGORITHM,
    LabelKind.LISTING: FigureKind.ALGORITHM,
    LabelKind.EQUATION: FigureKind.FORMULA,
}
_TINY = 24
"""Pixels: an image no larger than this in both directions is a glyph or a bullet."""
_ICON = 0.055
"""Share of the widest image's width: an image without words that is smaller both ways is a sign or a logo."""
_TEXT_STRIP = 0.12
"""Height by width of a line of running text that was cut out as an image."""
_PANEL_MARK = re.compile(r"^\(([a-h])\)")


@dataclass(frozen=True, slots=True)
class Binding:
    """What is known about one image."""

    kind: FigureKind
    label: str | None = None
    caption: str = ""
    group: str | None = None
    context: str = ""


@dataclass(frozen=True, slots=True)
class Bindings:
    """The outcome for a document."""

    by_image: dict[str, Binding]
    """By ``fig_id``; an image that is not in it is a figure without a number."""
    doubts: list[tuple[int, str]]
    """(line, what is doubtful)."""


def bind_captions(
    images: Sequence[Figure], captions: Sequence[Caption], around: Surroundings, sections: Sequence[Section]
) -> Bindings:
    """Bind in order of certainty: an image's own words, formulas, captions close by, captions left over."""
    bound = {image.fig_id: binding for image in images if (binding := _from_own_words(image))}
    bound |= {image.fig_id: Binding(FigureKind.JUNK) for image in images if _is_glyph(image)}
    free = [image for image in images if image.fig_id not in bound]
    claimed = _claimed_by_figures(free, captions, around)
    formulas = find_formulas([image for image in free if image.fig_id not in claimed], around)
    bound |= {formula.figure.fig_id: _formula(formula) for formula in formulas}
    taken = {binding.label for binding in bound.values()}
    unbound: list[Caption] = []
    for position, caption in enumerate(captions):
        open_images = [image for image in free if image.fig_id not in bound]
        chosen = _images_of(caption, captions[position + 1 :], open_images, around)
        bound |= _caption_bindings(caption, chosen, around)
        if not chosen and str(caption.label) not in taken:
            unbound.append(caption)
    noise = {section.node_id for section in sections if section.noise}
    left = [image for image in free if image.fig_id not in bound]
    doubts = _bind_detached(unbound, [image for image in left if image.node_id not in noise], bound, around)
    bound |= _leftovers([image for image in left if image.fig_id not in bound], images, around, noise)
    return Bindings(bound, doubts)


def _from_own_words(image: Figure) -> Binding | None:
    """Read a label from the image's figcaption or alternative text."""
    for words in (image.caption, image.alt):
        start = caption_start(words)
        if start is not None:
            return Binding(_KINDS[start.label.kind], str(start.label), words[start.end :].strip())
    return None


def _is_glyph(image: Figure) -> bool:
    return image.exists and 0 < max(image.width, image.height) <= _TINY


def _formula(formula: Formula) -> Binding:
    numbers = formula.numbers
    label = None
    if len(numbers) == 1:
        label = f"Equation {numbers[0]}"
    elif numbers:
        label = f"Equations {', '.join(numbers[:-1])} and {numbers[-1]}"
    return Binding(FigureKind.FORMULA, label, context=formula.text)


# ------------------------------------------------------------------------------------------- captions close by


def _is_of_figure(caption: Caption) -> bool:
    return _KINDS[caption.label.kind] is FigureKind.FIGURE


def _claimed_by_figures(images: Sequence[Figure], captions: Sequence[Caption], around: Surroundings) -> Collection[str]:
    """Return images that a figure's caption follows with no running text between: they are no formulas."""
    claimed = set()
    for caption in captions:
        before = [image for image in images if image.line < caption.line]
        is_figure = _is_of_figure(caption) and caption.sure
        if is_figure and before and _captioned(before[-1], caption, around):
            claimed |= {image.fig_id for image in _panels(before, around)}
    return claimed


def _images_of(
    caption: Caption, later: Sequence[Caption], images: Sequence[Figure], around: Surroundings
) -> list[Figure]:
    """Choose the images of one caption among those that have none yet."""
    before = [image for image in images if image.line < caption.line]
    after = [image for image in images if image.line > caption.last_line]
    previous = before[-1:] if before and _captioned(before[-1], caption, around) else []
    following = after[:1] if after and _connected(caption.last_line, after[0].line, around) else []
    if not caption.sure:  # "Table 3 Results": only right beside an image is it a caption
        previous = [image for image in previous if not around.between(image.line, caption.line)]
        following = [image for image in following if not around.between(caption.last_line, image.line)]
    if _is_of_figure(caption):
        if previous:
            return _with_late_panel(_panels(before, around), caption, later, after, around)
        return following
    if previous and following and _captions_stand_below(caption, later, after, around):
        return previous
    if following and not _belongs_to_next(following[0], later, around):
        return _sub_tables(caption, after, around) or following
    return previous


def _captioned(image: Figure, caption: Caption, around: Surroundings) -> bool:
    """Whether a caption below an image belongs to it; the words of the picture may stand between."""
    if any(line in around.caption_lines for line in range(image.line + 1, caption.line)):
        return False
    return around.prose_between(image.line, caption.line, words_of_picture=True) == 0


def _connected(first: int, last: int, around: Surroundings) -> bool:
    """Whether an image and a caption stand together: no running text, and no other caption, between them."""
    if any(line in around.caption_lines for line in range(first + 1, last)):
        return False
    return around.prose_between(first, last) == 0


def _captions_stand_below(
    caption: Caption, later: Sequence[Caption], after: Sequence[Figure], around: Surroundings
) -> bool:
    """Whether a run of images and table captions by turns ends with a caption; an image stands before it."""
    remaining = iter(after)
    while (image := next(remaining, None)) and _connected(caption.last_line, image.line, around):
        following = next((item for item in later if item.line > image.line), None)
        if _belongs_to_next(image, later, around):
            return True
        if following is None or following.label.kind is not LabelKind.TABLE or not _captioned(image, following, around):
            return False
        caption = following
    return True


def _belongs_to_next(image: Figure, later: Sequence[Caption], around: Surroundings) -> bool:
    """Whether a figure's caption follows the image closer than the table's caption stands before it."""
    following = next((caption for caption in later if caption.line > image.line), None)
    if following is None or not _is_of_figure(following):
        return False
    return _captioned(image, following, around) and not around.looks_like_table(image)


def _panels(before: Sequence[Figure], around: Surroundings) -> list[Figure]:
    """Return the run of images that ends at the last one: no running text and no caption between them."""
    run = [before[-1]]
    for image in reversed(before[:-1]):
        if not _same_figure(image, run[0], around):
            break
        run.insert(0, image)
    return run


def _same_figure(image: Figure, following: Figure, around: Surroundings) -> bool:
    """Whether two images stand together but for the words of the first, which make no sentence."""
    between = around.between(image.line, following.line)
    whole_sentence = bool(between) and is_prose(between[0][1]) and between[0][1].endswith((".", "!", "?", ":"))
    if whole_sentence or any(line in around.caption_lines for line in range(image.line + 1, following.line)):
        return False
    return around.prose_between(image.line, following.line, words_of_picture=True) == 0


def _with_late_panel(
    run: list[Figure], caption: Caption, later: Sequence[Caption], after: Sequence[Figure], around: Surroundings
) -> list[Figure]:
    """Add a panel that stands behind the caption, where the figure has panels and no other caption wants it."""
    if len(run) < 2 or not after or not _connected(caption.last_line, after[0].line, around):
        return run
    image = after[0]
    wanted = later and _connected(image.line, later[0].line, around)
    largest = max(panel.width * panel.height for panel in run)
    return run if wanted or image.width * image.height < 0.25 * largest else [*run, image]


def _sub_tables(caption: Caption, after: Sequence[Figure], around: Surroundings) -> list[Figure]:
    """Return the tables "(a)", "(b)" ... of one caption: each has its letter right before it."""
    found = []
    start = caption.last_line
    for image, letter in zip(after, "abcdefgh", strict=False):
        marks = [_PANEL_MARK.match(text) for _, text in around.between(start, image.line)]
        if not any(mark and mark[1] == letter for mark in marks[-3:]) or not _connected(start, image.line, around):
            break
        found.append(image)
        start = image.line
    return found if len(found) > 1 else []


def _caption_bindings(caption: Caption, chosen: Sequence[Figure], around: Surroundings) -> dict[str, Binding]:
    kind = _KINDS[caption.label.kind]
    label = str(caption.label)
    if len(chosen) == 1:
        return {chosen[0].fig_id: Binding(kind, label, caption.text)}
    group = chosen[0].fig_id if chosen else None
    if kind is FigureKind.TABLE:
        return {
            image.fig_id: Binding(kind, f"{label}{letter}", caption.text, group)
            for image, letter in zip(chosen, "abcdefgh", strict=False)
        }
    return {
        image.fig_id: Binding(FigureKind.PART, label, caption.text, group, context=_words_of(image, around))
        for image in chosen
    }


def _words_of(image: Figure, around: Surroundings) -> str:
    """Return the short words after a panel: its own title."""
    following = around.after(image.line, 2)
    return next((text for text in following if not is_prose(text) and len(text) <= 120), "")


# ---------------------------------------------------------------------------------------------------- the rest


def _bind_detached(
    captions: Sequence[Caption], images: Sequence[Figure], bound: dict[str, Binding], around: Surroundings
) -> list[tuple[int, str]]:
    """Bind a caption that stands far from its image where only one image of its kind is left; list the others."""
    doubts = []
    for kind in LabelKind:
        left = [caption for caption in captions if caption.label.kind is kind and caption.sure]
        candidates = [image for image in images if around.looks_like_table(image) is (kind is LabelKind.TABLE)]
        if len(left) == len(candidates) == 1 and kind is LabelKind.TABLE:
            bound[candidates[0].fig_id] = Binding(_KINDS[kind], str(left[0].label), left[0].text)
            doubts.append((left[0].line, f"{left[0].label}: its caption stands apart from the image"))
        else:
            doubts += [(caption.line, f"no image was found for the caption of {caption.label}") for caption in left]
    return sorted(doubts)


def _leftovers(
    left: Sequence[Figure], images: Sequence[Figure], around: Surroundings, noise: Collection[str]
) -> dict[str, Binding]:
    """Tell decoration from figures without a number."""
    widest = max((image.width for image in images), default=0)
    bindings = {}
    for image in left:
        if image.alt or image.caption or not image.width:
            continue
        icon = max(image.width, image.height) <= _ICON * widest
        following = around.after(image.line, 1)
        text_strip = image.height <= _TEXT_STRIP * image.width and bool(following) and is_prose(following[0])
        if icon or text_strip or image.node_id in noise:
            bindings[image.fig_id] = Binding(FigureKind.JUNK)
        elif around.looks_like_table(image):
            bindings[image.fig_id] = Binding(FigureKind.TABLE)
    return bindings
