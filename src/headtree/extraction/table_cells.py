"""Reads the cells of a table from where its words stand: columns, header, rows that run over several lines."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, common, grown
from headtree.extraction.page_values import Line, Rows
from headtree.extraction.table_headers import count_header_rows, join_header
from headtree.extraction.tables import Row, split_rows

_CROSSED = 0.12
"""Share of a table's rows that may run over the gap between two columns: titles that span columns do."""
_FEWEST_INNER_RULES = 3
_PARTIAL = 0.6
"""Share of the columns that the second line of a row fills at most, where no upright rules part the columns."""
_RULED = 0.4
"""Rules between the rows of a table, as a share of its lines, from which each row has one of its own."""
_FEWEST_ROWS = 3
_YEAR = re.compile(r"\(?(?:19|20)\d\d\)?(?:\W|$)")
_TEXT_WORDS, _TEXT_SHARE, _AT_LEFT = 9, 0.35, 0.15
"""Words of a cell, share of the table's width, and share by which it is set in at most, from which its row is a note
below the table or text within it."""
_SAME_STEP, _WIDER_STEP = 1.06, 1.12
"""Distances of lines as a share of the smallest one: up to which they are lines of one row, from which they part rows
where rows stand wider than their lines."""
_NUMERIC = re.compile(r"\W{0,2}\d[\d.,]*\W{0,2}$")
_FEWEST_SHARED = 2
_WALL = 0.5
"""Share of a table's height from which upright rules in line part its columns."""
_NOTE_MARK = re.compile(r"\(?\w{1,2}\)|[*†‡§]{1,3}|[⁽⁾⁰¹²³⁴⁵⁶⁷⁸⁹]+|\d{1,2}\.?|Notes?:?")
_UNFINISHED = re.compile(r"(?:\b(?:and|or|of|the|an?|for|in|to|with|by|on|from|per|at)|[,(/–—])$", re.IGNORECASE)


def read_cells(lines: Iterable[Line], rules: Sequence[Box], box: Box) -> Rows | None:
    """Return a table's cells, the first row as its header, or ``None`` where no columns can be told.

    Args:
        lines: of the page; the words whose centre lies in ``box`` are read.
        rules: of the page.
        box: the table's.
    """
    rows = split_rows(lines, box=box, walls=_walls(rules, box))
    if len(rows) < 2:
        return None
    columns = _columns([row for row in rows if not _is_text(row, box)])
    if len(columns) < 2:
        return None
    ruling = _Ruling.of(rules, box)
    inner = [rule for rule in ruling.heights if rows[0][0].words[0].baseline < rule < rows[-1][0].words[0].baseline]
    count = count_header_rows(rows, columns, inner)
    header, body = (rows[:count], rows[count:]) if count > 1 else ([], rows)
    table = _without_wrapped_rows([_placed(row, columns, box) for row in body], body, ruling)
    if header:
        table.insert(0, join_header(header, columns, rules))
    return tuple(tuple(row) for row in table if any(row))


def _walls(rules: Sequence[Box], box: Box) -> list[float]:
    """Return where upright rules run through most of a table."""
    upright = [rule for rule in rules if rule[3] - rule[1] > 2 * (rule[2] - rule[0]) and common(grown(rule, 0.5), box)]
    heights: dict[int, float] = defaultdict(float)
    for rule in upright:
        heights[round((rule[0] + rule[2]) / 4)] += rule[3] - rule[1]
    return [2.0 * place for place, height in heights.items() if height > _WALL * (box[3] - box[1])]


def _is_text(row: Row, box: Box) -> bool:
    """Whether a row is running text in a table's box: a note, with or without its mark."""
    widest = max(row, key=lambda cell: len(cell.words))
    wide = widest.box[2] - widest.box[0] > _TEXT_SHARE * (box[2] - box[0])
    at_left = widest.box[0] - box[0] < _AT_LEFT * (box[2] - box[0])
    marked = len(row) == 2 and row[-1] is widest and _NOTE_MARK.fullmatch(row[0].text) is not None
    return len(widest.words) >= _TEXT_WORDS and wide and (at_left if len(row) == 1 else marked)


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the columns as intervals: the gaps between them are crossed by few rows."""
    rows = [row for row in rows if len(row) > 1]  # a row with one cell may run over all columns
    start = next((number for number, row in enumerate(rows) if _has_values(row)), None)
    if start is None:
        start = next((number for number, row in enumerate(rows) if sum(cell.is_number for cell in row) > 1), 0)
    if len(rows) - start >= _FEWEST_ROWS:  # titles above the numbers may run over several columns
        found = _intervals(rows[start:])
        titled = _intervals(rows[start - 1 :]) if start else []
        if len(titled) > len(found) and _all_titled(rows[start - 1], titled):
            return titled  # a column may be empty but for its title
        return found
    return _intervals(rows)


def _all_titled(titles: Row, columns: Sequence[tuple[float, float]]) -> bool:
    """Whether a row has a title over each column but the first."""
    return all(any(cell.box[0] < right and cell.box[2] > left for cell in titles) for left, right in columns[1:])


def _intervals(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the strips that cells fill: a strip that few rows cross parts two columns."""
    cells = [cell for row in rows for cell in row]
    edges = sorted({edge for cell in cells for edge in (cell.box[0], cell.box[2])})
    allowed = int(_CROSSED * len(rows)) if len(rows) > 3 else 0
    covered: list[tuple[float, float]] = []
    for left, right in pairwise(edges):
        middle = (left + right) / 2
        crossing = sum(1 for cell in cells if cell.box[0] < middle < cell.box[2])
        if crossing <= allowed:
            continue
        if covered and covered[-1][1] >= left - 0.01:
            covered[-1] = (covered[-1][0], right)
        else:
            covered.append((left, right))
    return [column for column in covered if column[1] - column[0] > 1.0]


def _has_values(row: Row) -> bool:
    """Whether a row holds several numbers that are no years: below the titles that may run over several columns."""
    return sum(cell.is_number and not _YEAR.match(cell.text) for cell in row) > 1


def _placed(row: Row, columns: Sequence[tuple[float, float]], box: Box) -> list[str]:
    """Put each cell of a row into the column that it shares most width with; a spanning cell into its first."""
    texts: list[str] = [""] * len(columns)
    if _is_text(row, box):
        texts[0] = " ".join(cell.text for cell in row)
        return texts
    for cell in row:
        shared = [min(cell.box[2], right) - max(cell.box[0], left) for left, right in columns]
        fully = [number for number, (left, right) in enumerate(columns) if shared[number] > 0.6 * (right - left)]
        best = fully[0] if len(fully) > 1 else max(range(len(columns)), key=shared.__getitem__)
        texts[best] = f"{texts[best]} {cell.text}".strip()
    return texts


@dataclass(frozen=True, slots=True)
class _Ruling:
    """The rules inside a table."""

    heights: tuple[float, ...]
    """Of those that run over most of its width."""
    is_grid: bool
    """Whether upright rules part its columns too."""

    @classmethod
    def of(cls, rules: Sequence[Box], box: Box) -> _Ruling:
        inside = [rule for rule in rules if common(grown(rule, 0.5), box) > 0]
        wide = [rule for rule in inside if below(rule, box) > 0.7 * (box[2] - box[0])]
        upright = {round(rule[0] / 4) for rule in inside if rule[3] - rule[1] > 2 * (rule[2] - rule[0])}
        return cls(tuple((rule[1] + rule[3]) / 2 for rule in wide), len(upright) >= 3)


def _without_wrapped_rows(table: list[list[str]], rows: Sequence[Row], ruling: _Ruling) -> list[list[str]]:
    """Join lines of one row: between the rules of a full ruling, else a label that goes on in small letters."""
    merged: list[list[str]] = []
    baselines = [row[0].words[0].baseline for row in rows]
    inner = [rule for rule in ruling.heights if baselines[0] < rule < baselines[-1]]
    linked = _line_links(table, baselines) if table else set()
    fully_ruled = len(inner) >= max(_FEWEST_INNER_RULES, _RULED * (len(rows) - 1))
    for number, cells in enumerate(table):
        above, here = baselines[number - 1] if number else 0.0, baselines[number]
        ruled_off = not fully_ruled or any(above < rule < here for rule in inner)
        partial = ruling.is_grid or sum(map(bool, cells)) <= _PARTIAL * len(cells)
        goes_on = number in linked or _goes_on(merged[-1], cells) if merged else False
        if merged and (goes_on or (partial and not ruled_off and not _are_rows(table[number - 1], cells))):
            merged[-1] = [f"{first} {second}".strip() for first, second in zip(merged[-1], cells, strict=True)]
        else:
            merged.append(list(cells))
    return merged


def _line_links(table: Sequence[Sequence[str]], baselines: Sequence[float]) -> set[int]:
    """Return the numbers of the lines that belong to the row of the line above them.

    Rows often stand wider apart than the lines of a cell: texts of one column at the smallest distance are one cell,
    and what stands between its lines belongs to its row, wherever the other cells are set.
    """
    pairs: list[tuple[float, int, int, str]] = []
    for column in range(len(table[0])):
        filled = [number for number, cells in enumerate(table) if cells[column]]
        for upper, lower in pairwise(filled):
            text = f"{table[upper][column]} {table[lower][column]}"
            pairs.append((baselines[lower] - baselines[upper], upper, lower, text))
    steps = [step for step, *_ in pairs]
    if not steps or max(steps) < _WIDER_STEP * min(steps):
        return set()
    near = [pair for pair in pairs if pair[0] <= _SAME_STEP * min(steps)]
    if any(not re.search(r"[^\W\d_]{3}", text) for *_, text in near):
        return set()  # a number in each of two lines: rows
    joined = {number for _, upper, lower, _ in near for number in range(upper + 1, lower + 1)}
    apart = len(joined) < len(table) - 1 and not _joins_numbers(table, joined)
    return joined if apart else set()


def _joins_numbers(table: Sequence[Sequence[str]], joined: Set[int]) -> bool:
    """Whether lines that would be one row have several numbers in a column."""
    counts = [0] * len(table[0])
    for number, cells in enumerate(table):
        if number not in joined:
            counts = [0] * len(cells)
        counts = [count + bool(_NUMERIC.match(text)) for count, text in zip(counts, cells, strict=True)]
        if any(count > 1 for count in counts[1:]):
            return True
    return False


def _are_rows(upper: Sequence[str], lower: Sequence[str]) -> bool:
    """Whether two lines have numbers in the same columns."""
    both = [pair for pair in zip(upper[1:], lower[1:], strict=True) if all(pair)]
    return sum(all(map(_NUMERIC.match, pair)) for pair in both) >= _FEWEST_SHARED


def _goes_on(above: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether a row is the rest of the label above it, which has no numbers of its own, or the label's second line."""
    if not any(above[1:]) and _UNFINISHED.search(above[0]) and cells[0]:
        return True
    unclosed = above[0].count("(") > above[0].count(")")
    if not cells[0][:1].islower() and not (unclosed and cells[0]):
        return False
    return not any(above[1:]) or not any(cells[1:])
