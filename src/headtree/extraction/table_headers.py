"""A table's header that stands in several lines: which rows it is, and which columns each of its titles is above."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from headtree.extraction.blocks import Box
from headtree.extraction.tables import Cell, Row

Column = tuple[float, float]
"""Left and right edge."""

_VALUE = re.compile(r"[$€£¥(\[+−–—≈~<>±-]*\s*\d|[$€£¥]?\s*[-–—]+$")
_YEAR = re.compile(r"\(?(?:19|20)\d\d\)?\b|FY\s?\d\d")
_MOST_ROWS = 14
_VALUES = 0.5
"""Share of a row's cells that are values from which it is none of the header."""
_CLOSE = 1.3
"""Share of the type size between baselines up to which a row may be the second line of the titles above it."""
_RULE_BELOW = 1.4
"""Share of the type size below a title's baseline within which the rule lies that shows how far it reaches."""
_OVER = 0.6
"""Share of a column that a title covers from which it stands above it."""
_ONE, _OTHER = 0.5, 0.15
"""Shares of a title's width over one column and over the next, from which and up to which it is the one's alone."""
_SHORT = 5
"""Words of titles that may stand further below the titles above them."""
_FLUSH = 1.0
"""Points by which edges differ at most that a column and its own title share."""
_OFF = 0.4
"""Share of a column by which a title may stand off the middle of its columns."""


def count_header_rows(rows: Sequence[Row], columns: Sequence[Column], inner_rules: Sequence[float]) -> int:
    """Return how many of the first rows are the header, 1 at least.

    Args:
        rows: of the table, top to bottom.
        columns: of the table; the first holds the labels of the rows.
        inner_rules: heights of the rules that run over most of the table between its rows.
    """
    values = next((number for number, row in enumerate(rows) if _is_data(row, columns)), None)
    if values is None or not 1 < values <= _MOST_ROWS:
        return 1
    ruled = [number for number in range(1, values + 1) if _is_ruled_off(rows, number, inner_rules)]
    most = max(ruled, default=values)
    count = 1
    while count < most and _is_header(rows, count, columns):
        count += 1
    while count > 1 and not _titles(rows[count - 1], columns):
        count -= 1
    return count


def join_header(rows: Sequence[Row], columns: Sequence[Column], rules: Sequence[Box]) -> list[str]:
    """Put the rows of a header into one: a title that spans columns is repeated for each of them."""
    texts: list[list[str]] = [[] for _ in columns]
    for number, row in enumerate(rows):
        below = rows[number + 1][0].words[0].baseline if number + 1 < len(rows) else None
        for cell, span in _spans(row, columns, rules, below):
            for column in span:
                if cell.text not in texts[column]:
                    texts[column].append(cell.text)
    return [" ".join(parts) for parts in texts]


def _is_data(row: Row, columns: Sequence[Column]) -> bool:
    """Whether a row has a label and values, years aside."""
    titles = _titles(row, columns)
    if not titles or len(titles) == len(row):
        return False
    values = [cell for cell in titles if _VALUE.match(cell.text) and not _YEAR.match(cell.text)]
    return len(values) >= _VALUES * len(titles)


def _titles(row: Row, columns: Sequence[Column]) -> list[Cell]:
    """Return the cells of a row that stand right of the labels' column."""
    edge = max(columns[0][1], (columns[0][1] + columns[1][0]) / 2)
    return [cell for cell in row if (cell.box[0] + cell.box[2]) / 2 > edge]


def _is_header(rows: Sequence[Row], number: int, columns: Sequence[Column]) -> bool:
    """Whether a row goes on with the header above it."""
    row = rows[number]
    titles = _titles(row, columns)
    above = rows[number - 1]
    distance = row[0].words[0].baseline - above[0].words[0].baseline
    first = all(len(_titles(other, columns)) == len(other) for other in rows[:number])
    if len(titles) == len(row):
        short = len(titles) > 1 and all(len(cell.words) <= _SHORT for cell in titles)
        near = first or short or distance <= _CLOSE * max(word.size for word in row[0].words)
        values = any(_VALUE.match(cell.text) and not _has_words(cell) for cell in titles)
        return _are_years(titles) or (near and not values)
    close = distance <= _CLOSE * max(word.size for word in row[0].words) and _labels_close(rows, number)
    if not titles:
        return close and not first and number + 1 < len(rows) and bool(_titles(rows[number + 1], columns))
    return first or _are_years(titles) or close


def _labels_close(rows: Sequence[Row], number: int) -> bool:
    """Whether a row stands nearer to the one above than the rows of the table's body to each other."""
    steps = [_step(upper, lower) for upper, lower in pairwise(rows[number:])]
    return bool(steps) and _step(rows[number - 1], rows[number]) < 0.93 * sorted(steps)[len(steps) // 2]


def _step(upper: Row, lower: Row) -> float:
    return lower[0].words[0].baseline - upper[0].words[0].baseline


def _has_words(cell: Cell) -> bool:
    return re.search(r"[^\W\d_]{3}", cell.text) is not None or re.fullmatch(r"\d+\+?|\d+[-–]\d+", cell.text) is not None


def _are_years(cells: Sequence[Cell]) -> bool:
    return sum(_YEAR.match(cell.text) is not None for cell in cells) >= _VALUES * len(cells)


def _is_ruled_off(rows: Sequence[Row], number: int, rules: Sequence[float]) -> bool:
    upper, lower = rows[number - 1][0].words[0].baseline, rows[number][0].words[0].baseline
    return any(upper < rule < lower for rule in rules)


def _spans(
    row: Row, columns: Sequence[Column], rules: Sequence[Box], next_baseline: float | None
) -> list[tuple[Cell, list[int]]]:
    """Return each cell of a header's row with the columns that it stands above."""
    titles = {id(cell) for cell in _titles(row, columns)}
    spans = []
    for cell in row:
        if id(cell) not in titles:
            spans.append((cell, [0]))
            continue
        others = [_centre(_width(other)) for other in row if other is not cell]
        spans.append((cell, _ruled_span(cell, others, columns, rules, next_baseline) or _covered(cell, columns)))
    groups = _groups([cell for cell in row if id(cell) in titles], columns)
    if groups and all(len(span) == 1 for cell, span in spans if id(cell) in titles):
        spans = [(cell, groups.get(id(cell), span)) for cell, span in spans]
    return spans


def _ruled_span(
    cell: Cell, others: Sequence[float], columns: Sequence[Column], rules: Sequence[Box], next_baseline: float | None
) -> list[int]:
    """Return the columns above the rule right below a title; one below several titles only ends the header."""
    baseline, size = cell.words[0].baseline, cell.words[0].size
    end = min(baseline + _RULE_BELOW * size, next_baseline or float("inf"))
    middle = (cell.box[0] + cell.box[2]) / 2
    near = [
        rule
        for rule in rules
        if baseline < rule[1] <= end
        and rule[0] - 2 <= middle <= rule[2] + 2
        and not any(rule[0] <= other <= rule[2] for other in others)
    ]
    if not near:
        return []
    rule = min(near, key=lambda item: item[1])
    return [
        number
        for number, (left, right) in enumerate(columns)
        if number and rule[0] - 2 <= (left + right) / 2 <= rule[2] + 2
    ]


def _covered(cell: Cell, columns: Sequence[Column]) -> list[int]:
    """Return the columns that a title covers, else the one that is nearest."""
    shared = [min(cell.box[2], right) - max(cell.box[0], left) for left, right in columns]
    covered = [
        number for number, (left, right) in enumerate(columns) if number and shared[number] > _OVER * (right - left)
    ]
    if covered:
        return covered
    return [max(range(1, len(columns)), key=shared.__getitem__)]


def _groups(titles: Sequence[Cell], columns: Sequence[Column]) -> dict[int, list[int]]:
    """Return the columns of titles that stand over the middle of several each, empty where they do not.

    Either all columns go to the nearest title, or each title has the same number of columns.
    """
    count = len(columns) - 1
    if not titles or len(titles) >= count:
        return {}
    ordered = sorted(titles, key=lambda item: item.box[0])
    nearest: list[list[int]] = [[] for _ in ordered]
    for column in range(1, len(columns)):
        distances = [abs(_centre(columns[column]) - _centre(_width(cell))) for cell in ordered]
        nearest[distances.index(min(distances))].append(column)
    for own in (nearest, *(_sized(ordered, columns, size) for size in (2, 4))):
        over = all(group and _is_over(cell, group, columns) for cell, group in zip(ordered, own, strict=True))
        if over and not _is_of_one(ordered, own, columns):
            return {id(cell): group for cell, group in zip(ordered, own, strict=True)}
    return {}


def _sized(titles: Sequence[Cell], columns: Sequence[Column], size: int) -> list[list[int]]:
    """Return for each title the ``size`` columns whose middle is nearest, empty groups where two would share one."""
    starts = range(1, len(columns) - size + 1)
    groups = []
    for cell in titles:
        start = min(
            starts,
            key=lambda number: abs(_middle(columns[number : number + size]) - _centre(_width(cell))),
            default=0,
        )
        groups.append(list(range(start, start + size)) if start else [])
    taken = [number for group in groups for number in group]
    return groups if len(taken) == len(set(taken)) else [[] for _ in titles]


def _is_over(cell: Cell, group: Sequence[int], columns: Sequence[Column]) -> bool:
    """Whether a title stands over the middle of a group, within a part of a column."""
    own = [columns[number] for number in group]
    if len(group) % 2 == 0 and _is_over_one(cell, own):
        return False
    pitch = (own[-1][1] - own[0][0]) / len(group)
    return abs(_middle(own) - _centre(_width(cell))) < _OFF * pitch


def _is_over_one(cell: Cell, columns: Sequence[Column]) -> bool:
    """Whether a title stands over one of several columns and hardly over another."""
    width = cell.box[2] - cell.box[0]
    shares = sorted(max(min(cell.box[2], right) - max(cell.box[0], left), 0) / width for left, right in columns)
    return shares[-1] > _ONE and shares[-2] < _OTHER


def _is_of_one(titles: Sequence[Cell], groups: Sequence[Sequence[int]], columns: Sequence[Column]) -> bool:
    """Whether one of several titles is its own column's, which stands in line with it, where others are so too."""
    if all(len(group) > 1 for group in groups):
        return False
    return any(
        min(abs(cell.box[0] - columns[number][0]), abs(cell.box[2] - columns[number][1])) < _FLUSH
        for cell, group in zip(titles, groups, strict=True)
        if len(group) > 1
        for number in group
    )


def _middle(columns: Sequence[Column]) -> float:
    return (columns[0][0] + columns[-1][1]) / 2


def _centre(column: Column) -> float:
    return (column[0] + column[1]) / 2


def _width(cell: Cell) -> Column:
    return cell.box[0], cell.box[2]
