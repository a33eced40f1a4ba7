"""Puts what stands on a page into the order in which it is read: columns first, wide things between them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Generic, TypeVar

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, union

T = TypeVar("T")

_FEWEST_LINES = 3
"""Lines of text on each side of a gutter without which there are no columns."""
_CROSSING = 0.3
"""Lines on each side as a share of those that run over the gutter, at least: a table in running text is no column."""
_FEWEST_WORDS = 4
_NARROWEST = 0.27
"""Width of a column's lines as a share of the width that is divided; a column of numbers is narrower."""
_FLUSH = 0.3
"""Share of a right column's lines that begin at its left edge."""
_OVER = 0.12
"""Share of a column's width by which something may reach over the gutter and still belong to its column."""
_MANY_LINES, _SUPPORT = 12, 0.15
"""Lines from which a column's edge is where many of them end, and the share of them that must."""
_CENTRED, _LARGE = 0.02, 1.6
"""Share of the width by which a title over several columns stands off their middle at most, and its height as a share
of the usual one from which it may stand anywhere."""
_STEP = 2.0
"""Points between the places that are tried as gutter."""
_DEEPEST = 3
_ROW_GAP = 3.0
"""Share of the line height within which a piece belongs to a row that runs over the gutter."""


@dataclass(frozen=True, slots=True)
class Unit(Generic[T]):
    """Something on a page that is read in one go."""

    box: Box
    value: T
    words: int = 0
    """Number of words; 0 for a figure, which says nothing about columns."""


@dataclass(frozen=True, slots=True)
class Placed(Generic[T]):
    """A unit in its place in the reading order."""

    value: T
    column: tuple[float, float]
    """Left and right edge of the column it stands in."""


def reading_order(units: Sequence[Unit[T]], *, depth: int = 0) -> list[Placed[T]]:
    """Return the units in reading order, each with the edges of its column."""
    if not units:
        return []
    title = _title_over_columns(units) if depth == 0 else None
    if title is not None:
        whole = union(unit.box for unit in units)
        rest = [unit for unit in units if unit is not title]
        return [Placed(title.value, (whole[0], whole[2])), *reading_order(rest, depth=depth)]
    gutter = find_gutter(units) if depth < _DEEPEST else None
    if gutter is None:
        column = _edges(units)
        return [Placed(unit.value, column) for unit in _by_rows(units)]
    wide = _by_rows(_with_neighbours([unit for unit in units if _spans(unit.box, gutter, units)], units))
    taken = {id(unit) for unit in wide}
    narrow = [unit for unit in units if id(unit) not in taken]
    order: list[Placed[T]] = []
    for number in range(len(wide) + 1):
        top = _middle(wide[number - 1].box) if number else float("-inf")
        bottom = _middle(wide[number].box) if number < len(wide) else float("inf")
        band = [unit for unit in narrow if top <= _middle(unit.box) < bottom]
        for side in (True, False):
            inside = [unit for unit in band if ((unit.box[0] + unit.box[2]) / 2 < gutter) is side]
            order += reading_order(inside, depth=depth + 1)
        if number < len(wide):
            edges = union(unit.box for unit in wide)
            order.append(Placed(wide[number].value, (edges[0], edges[2])))
    return order


def _title_over_columns(units: Sequence[Unit[T]]) -> Unit[T] | None:
    """Return the topmost unit if it stands alone, large or over the middle of all: a title over three columns."""
    first = min(units, key=lambda unit: unit.box[1])
    others = [unit.box for unit in units if unit is not first]
    if not first.words or not others or min(box[1] for box in others) < first.box[3] - _ROW_GAP:
        return None
    left, _, right, _ = union(others)
    off = abs((first.box[0] + first.box[2]) - (left + right)) / 2
    large = first.box[3] - first.box[1] > _LARGE * median(box[3] - box[1] for box in others)
    over = large or off < _CENTRED * (right - left)
    return first if over and find_gutter(units) is not None else None


def _edges(units: Sequence[Unit[T]]) -> tuple[float, float]:
    """Return the edges of a column; what few lines reach, notes in its margin, lies outside of it."""
    left, _, right, _ = union(unit.box for unit in units)
    lines = [unit.box for unit in units if unit.words >= _FEWEST_WORDS]
    if len(lines) < _MANY_LINES:
        return left, right
    near = 0.05 * (right - left)
    for edge in sorted((box[2] for box in lines), reverse=True):
        if sum(edge - near <= box[2] <= edge for box in lines) >= _SUPPORT * len(lines):
            beyond = [unit.box for unit in units if unit.box[2] > edge + near]
            return (left, edge) if all(box[0] > edge - near for box in beyond) else (left, right)
    return left, right


def find_gutter(units: Sequence[Unit[T]]) -> float | None:
    """Return the x of the gap between two columns of text, ``None`` where the text has one column."""
    texts = [unit.box for unit in units if unit.words >= _FEWEST_WORDS]
    if len(texts) < 2 * _FEWEST_LINES:
        return None
    left, _, right, _ = union(texts)
    width = right - left
    best: tuple[float, float] | None = None
    x = left + _NARROWEST * width
    while x <= right - _NARROWEST * width:
        crossing = sum(1 for box in texts if box[0] < x - 1 and box[2] > x + 1)
        gap = _gap_round(x, texts)
        score = crossing - gap / 100
        if best is None or score < best[0]:
            best = (score, x)
        x += _STEP
    if best is None or not _has_columns(best[1], texts, width):
        return None
    return best[1]


def _gap_round(x: float, boxes: Sequence[Box]) -> float:
    """Return the width of the empty strip round ``x`` among boxes that do not cross it."""
    before = max((box[2] for box in boxes if box[2] <= x + 1), default=x)
    after = min((box[0] for box in boxes if box[0] >= x - 1), default=x)
    return after - before


def _has_columns(x: float, texts: Sequence[Box], width: float) -> bool:
    """Whether enough lines stand on both sides, wide and flush, beside each other, and few run over the gutter."""
    sides = ([box for box in texts if box[2] <= x + 1], [box for box in texts if box[0] >= x - 1])
    crossing = len(texts) - len(sides[0]) - len(sides[1])
    for side in sides:
        if len(side) < max(_FEWEST_LINES, _CROSSING * crossing):
            return False
        if median(box[2] - box[0] for box in side) < _NARROWEST * width:
            return False
    edges = [box[0] for box in sides[1]]
    flush = max(sum(abs(edge - other) <= 2.5 for edge in edges) for other in edges)
    level = min(max(box[3] for box in side) for side in sides) - max(min(box[1] for box in side) for side in sides)
    return flush >= _FLUSH * len(edges) and level > 0


def _spans(box: Box, gutter: float, units: Sequence[Unit[T]]) -> bool:
    if not box[0] < gutter < box[2]:
        return False
    left, _, right, _ = union(unit.box for unit in units)
    return gutter - box[0] > _OVER * (gutter - left) and box[2] - gutter > _OVER * (right - gutter)


def _with_neighbours(wide: Sequence[Unit[T]], units: Sequence[Unit[T]]) -> list[Unit[T]]:
    """Add the rest of rows that run over the gutter: names of authors, cells of a wide table."""
    rows = [unit.box for unit in wide if unit.words]
    found = list(wide)
    for unit in units:
        if unit.words and all(unit is not other for other in wide):
            height = unit.box[3] - unit.box[1]
            if any(_same_row(unit.box, row) and -below(unit.box, row) < _ROW_GAP * height for row in rows):
                found.append(unit)
    return found


def _same_row(first: Box, second: Box) -> bool:
    return abs(_middle(first) - _middle(second)) < 0.4 * min(first[3] - first[1], second[3] - second[1])


def _middle(box: Box) -> float:
    return (box[1] + box[3]) / 2


def _by_rows(units: Sequence[Unit[T]]) -> list[Unit[T]]:
    """Sort by rows: what stands beside each other is read from left to right."""
    rows: list[list[Unit[T]]] = []
    for unit in sorted(units, key=lambda item: (_middle(item.box), item.box[0])):
        if rows and _same_row(rows[-1][0].box, unit.box):
            rows[-1].append(unit)
        else:
            rows.append([unit])
    return [unit for row in rows for unit in sorted(row, key=lambda item: item.box[0])]
