"""Arithmetic on boxes ``(x0, y0, x1, y1)``, origin at the top left."""

from __future__ import annotations

from collections.abc import Iterable

from headtree.extraction.blocks import Box


def area(box: Box) -> float:
    """Return the area of a box, 0 where it is empty."""
    return max(0.0, box[2] - box[0]) * max(0.0, box[3] - box[1])


def common(first: Box, second: Box) -> float:
    """Return the area that two boxes share."""
    width = min(first[2], second[2]) - max(first[0], second[0])
    height = min(first[3], second[3]) - max(first[1], second[1])
    return width * height if width > 0 and height > 0 else 0.0


def overlap(first: Box, second: Box) -> float:
    """Return the intersection over union of two boxes, 0 to 1."""
    both = common(first, second)
    return both / (area(first) + area(second) - both) if both else 0.0


def share_inside(box: Box, outer: Box) -> float:
    """Return which share of ``box`` lies in ``outer``, 0 to 1."""
    return common(box, outer) / (area(box) or 1.0)


def holds_centre(outer: Box, box: Box) -> bool:
    """Whether the centre of ``box`` lies in ``outer``."""
    return outer[0] <= (box[0] + box[2]) / 2 <= outer[2] and outer[1] <= (box[1] + box[3]) / 2 <= outer[3]


def union(boxes: Iterable[Box]) -> Box:
    """Return the smallest box round all boxes, of which there is at least one."""
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def beside(first: Box, second: Box) -> float:
    """Return the height that two boxes share, negative: the gap between them."""
    return min(first[3], second[3]) - max(first[1], second[1])


def below(first: Box, second: Box) -> float:
    """Return the width that two boxes share, negative: the gap between them."""
    return min(first[2], second[2]) - max(first[0], second[0])


def grown(box: Box, margin: float) -> Box:
    """Return a box with a margin on all sides."""
    return box[0] - margin, box[1] - margin, box[2] + margin, box[3] + margin
