"""Finds captions on a page: the lines that begin with "Figure 3:" and those that go on below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, holds_centre, share_inside, union
from headtree.extraction.layout import Region, RegionKind
from headtree.extraction.page_values import Line
from headtree.extraction.printed_labels import PrintedLabel, printed_label
from headtree.types import FigureKind

_LINE_STEP = 1.5
"""Share of the type size between the baselines of a caption's lines, at most."""
_WIDER_STEP, _WIDER_STEP_AFTER_END = 1.18, 1.03
"""The distance to a next line as a share of the caption's own from which that line is text: in general, and where a
short line has ended the caption's last sentence."""
_SHORT = 0.15
"""Share of a caption's width by which its last line falls short."""
_ENDS = re.compile(r"[.!?][”’\")\]]?$")


@dataclass(frozen=True, slots=True)
class Caption:
    """A caption on a page."""

    kind: FigureKind
    label: str
    """``Figure 3``, whatever the document calls it in short."""
    lines: tuple[Line, ...]
    box: Box


def find_captions(lines: Sequence[Line], regions: Sequence[Region], *, body_size: float) -> list[Caption]:
    """Return the captions of a page, top to bottom.

    Args:
        lines: of the page, by their baselines.
        regions: what the layout model found, if it ran; its boxes end a caption where the line distance does not.
        body_size: type size of the running text.
    """
    captions = []
    taken: set[int] = set()
    for index, line in enumerate(lines):
        label = printed_label(line.text)
        if label is None or index in taken or not _is_caption(line, label, lines, regions, body_size):
            continue
        members = _members(index, lines, regions)
        taken.update(members)
        own = tuple(lines[member] for member in members)
        captions.append(Caption(label.kind, label.text, own, union(item.box for item in own)))
    return captions


def _is_caption(
    line: Line, label: PrintedLabel, lines: Sequence[Line], regions: Sequence[Region], body_size: float
) -> bool:
    """Whether a line that begins with a label is a caption and not a sentence: its sign, its type, its place."""
    if line.text[label.end :].lstrip()[:1] in {",", ")", ";"}:
        return False
    marked = any(
        region.kind in (RegionKind.FIGURE_CAPTION, RegionKind.TABLE_CAPTION) and holds_centre(region.box, line.box)
        for region in regions
    )
    label_font = line.words[0].font
    set_apart = label_font.bold or line.size < body_size - 0.4 or label.end == len(line.text)
    if not label.signed and not set_apart and not marked:
        return False
    return marked or set_apart or not _continues_text(line, lines)


def _continues_text(line: Line, lines: Sequence[Line]) -> bool:
    """Whether running text stands right above a line, so that the label begins one of its sentences."""
    for other in lines:
        distance = line.baseline - other.baseline
        if 0.5 * line.size < distance <= 1.35 * line.size and abs(other.size - line.size) < 0.3:
            near = abs(other.box[0] - line.box[0]) < 2 and other.box[2] >= line.box[2] - line.size * 3
            if near and len(other.words) > 4:
                return True
    return False


def _members(start: int, lines: Sequence[Line], regions: Sequence[Region]) -> list[int]:
    """Return the indexes of a caption's lines."""
    first = lines[start]
    home = [region.box for region in regions if share_inside(first.box, region.box) > 0.6 and region.kind in _TEXTUAL]
    bottom = max((box[3] for box in home), default=None)
    members = [start]
    last = first
    step = 0.0
    for index in range(start + 1, len(lines)):
        line = lines[index]
        distance = line.baseline - last.baseline
        if distance > _LINE_STEP * first.size:
            break
        same_row = distance <= 0.3 * first.size
        if same_row or below(line.box, first.box) <= 0 or printed_label(line.text):
            continue
        set_out = line.box[0] < first.box[0] - 2 * first.size and not _is_title_below(line, first)
        if abs(line.size - first.size) > 0.6 or set_out:
            continue
        if step and distance > _WIDER_STEP * step:
            break
        if _has_ended([lines[member] for member in members], line) and (
            line.text[0].islower() or (step and distance > _WIDER_STEP_AFTER_END * step)
        ):
            break
        beyond = bottom is not None and (line.box[1] + line.box[3]) / 2 > bottom + 1
        if beyond and not _goes_on(last, line):
            break
        step = step or distance
        members.append(index)
        last = line
    return members


def _goes_on(last: Line, line: Line) -> bool:
    """Whether a line is the rest of the sentence or word above it, whatever the model's box says."""
    same_type = line.words[0].font == last.words[-1].font
    return last.words[-1].hyphen or (same_type and line.text[0].islower() and not _ENDS.search(last.text))


def _is_title_below(line: Line, label: Line) -> bool:
    """Whether a line is set round the middle of a label above it: "TABLE IV", then its title."""
    middles = [(item.box[0] + item.box[2]) / 2 for item in (line, label)]
    return abs(middles[0] - middles[1]) < label.size


def _has_ended(caption: Sequence[Line], after: Line) -> bool:
    """Whether a caption's last line ends a sentence and falls short of the lines round it."""
    last = caption[-1]
    left, _, right, _ = union(line.box for line in (*caption, after))
    return _ENDS.search(last.text) is not None and right - last.box[2] > _SHORT * (right - left)


_TEXTUAL = frozenset(
    {RegionKind.TEXT, RegionKind.FIGURE_CAPTION, RegionKind.TABLE_CAPTION, RegionKind.TITLE, RegionKind.REFERENCE}
)
