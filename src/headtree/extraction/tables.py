"""Finds tables by their aligned rows, and reads the cells of a table from where its words stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, holds_centre, union
from headtree.extraction.lines import line_text
from headtree.extraction.page_values import Line, Word

Rows = tuple[tuple[str, ...], ...]

_NUMBER = re.compile(
    r"[$€£¥]?\s*[(\[]?[-+−–]?\s*[$€£¥]?\s*\d[\d,.]*\s*(?:%|bps|x|[MBK])?\s*[)\]]?\s*%?[*†‡]?|[-–—]+|N/?[AM]\.?|n/?[am]",
)
_CURRENCY = re.compile(r"[$€£¥]|US\$")
_TAIL = re.compile(r"[)%]|%\)|\)%|pts|bps")
_CELL_GAP = 0.62
"""Share of the type size from which a gap may part two cells; a space between words is a quarter to a third."""
_CROSSED = 0.12
"""Share of a table's rows that may run over the gap between two columns: titles that span columns do."""
_SAME_ROW = 0.35
"""Share of the type size by which baselines of one row may differ."""
_WIDE_GAP = 1.3
"""Share of the type size that parts the label of a row from its numbers where no ruling helps."""
_FEWEST_ROWS = 3
_NUMERIC = 0.6
"""Share of a row block's cells beyond the first column that must be numbers for a table that only its rows show."""
_ROW_DISTANCE = 3.2
"""Share of the type size: rows of one table stand no further apart."""


@dataclass(frozen=True, slots=True)
class Cell:
    """Words of one row without a wide gap."""

    words: tuple[Word, ...]
    box: Box
    text: str

    @property
    def is_number(self) -> bool:
        """Whether it holds a figure, or the dash that stands for none."""
        return _NUMBER.fullmatch(self.text) is not None


Row = tuple[Cell, ...]


# ------------------------------------------------------------------------------------------------ finding tables


def find_number_tables(lines: Sequence[Line]) -> list[Box]:
    """Return the boxes of tables that are known by their rows alone: a label, then numbers that stand below each other.

    Such tables are common in filings; they need no model. Tables of words are left to the layout model.
    """
    rows = [row for row in split_rows([word for line in lines for word in line.words], gap=_WIDE_GAP)]
    blocks: list[list[Row]] = []
    waiting: list[Row] = []  # rows with one cell: a part of the table only if it goes on after them
    for row in rows:
        numeric = len(row) > 1 and sum(cell.is_number for cell in row[1:]) >= max(1, (len(row) - 1) * _NUMERIC)
        headed = len(row) > 1 and all(len(cell.words) <= 6 for cell in row)
        last = waiting[-1] if waiting else blocks[-1][-1] if blocks and blocks[-1] else None
        near = last is not None and _distance(last, row) <= _ROW_DISTANCE
        if not near:
            waiting = []
            blocks.append([])
        if numeric or headed:
            blocks[-1] += [*waiting, row]
            waiting = []
        elif blocks and blocks[-1] and len(waiting) < 3 and len(row) == 1 and not _is_prose(row):
            waiting.append(row)
        else:
            waiting = []
            blocks.append([])
    return [union(cell.box for row in block for cell in row) for block in blocks if _is_number_table(block)]


def _is_number_table(block: Sequence[Row]) -> bool:
    cells = [cell for row in block for cell in row[1:]]
    filled = [row for row in block if len(row) > 1 and any(cell.is_number for cell in row[1:])]
    if len(filled) < _FEWEST_ROWS or sum(cell.is_number for cell in cells) < _NUMERIC * len(cells):
        return False
    edges = sorted(cell.box[2] for row in filled for cell in row[1:] if cell.is_number)
    size = filled[0][0].words[0].size
    aligned = sum(1 for edge in edges if sum(abs(edge - other) <= 0.7 * size for other in edges) >= 2)
    return aligned >= 0.8 * len(edges)


def _is_prose(row: Row) -> bool:
    return sum(len(cell.words) for cell in row) > 14


def _distance(upper: Row, lower: Row) -> float:
    """Return the distance of two rows' baselines as a share of the type size."""
    size = max(upper[0].words[0].size, lower[0].words[0].size)
    return (lower[0].words[0].baseline - upper[0].words[0].baseline) / size


# ------------------------------------------------------------------------------------------------ reading cells


def split_rows(words: Iterable[Word], *, gap: float = _CELL_GAP) -> list[Row]:
    """Return the rows of words that stand on one baseline, cut into cells at gaps of ``gap`` type sizes."""
    rows: list[list[Word]] = []
    baseline = 0.0
    for word in sorted(words, key=lambda item: item.baseline):
        if rows and word.baseline - baseline <= _SAME_ROW * max(word.size, rows[-1][0].size):
            rows[-1].append(word)
        else:
            rows.append([word])
            baseline = word.baseline
    return [_cells(sorted(row, key=lambda word: word.box[0]), gap) for row in rows]


def _cells(row: Sequence[Word], gap: float) -> Row:
    """Cut a row; a currency sign goes with the number on its right, a bracket or per cent sign with that on its left."""
    groups: list[list[Word]] = []
    for word in row:
        last = groups[-1][-1] if groups else None
        distance = word.box[0] - last.box[2] if last else 0.0
        size = max(word.size, last.size) if last else word.size
        follows_currency = (
            last is not None and _CURRENCY.fullmatch(last.text) is not None and word.text[0] in "0123456789(—–-."
        )
        tail = _TAIL.fullmatch(word.text) is not None and distance <= 2 * size
        if last is not None and (
            follows_currency or tail or (distance <= gap * size and not _CURRENCY.fullmatch(word.text))
        ):
            groups[-1].append(word)
        else:
            groups.append([word])
    return tuple(_cell(group) for group in groups)


def _cell(words: Sequence[Word]) -> Cell:
    size = max(word.size for word in words)
    baseline = median(word.baseline for word in words if word.size >= 0.86 * size)
    text = line_text(words, baseline, size)
    text = re.sub(r"(?<=[$€£¥]) (?=[\d(])|(?<=\() (?=\d)|(?<=\d) (?=[)%])|(?<=\)) (?=%)", "", text)
    return Cell(tuple(words), union(word.box for word in words), text)


def read_cells(words: Iterable[Word], rules: Sequence[Box], box: Box) -> Rows | None:
    """Return a table's cells, the first row as its header, or ``None`` where no columns can be told.

    Args:
        words: of the page; those whose centre lies in ``box`` are read.
        rules: of the page.
        box: the table's.
    """
    inside = [word for word in words if holds_centre(box, word.box)]
    rows = split_rows(inside)
    if len(rows) < 2:
        return None
    columns = _columns(rows)
    if len(columns) < 2:
        return None
    table = [_placed(row, columns) for row in rows]
    table = _without_wrapped_rows(table, rows, _row_rules(rules, box))
    return tuple(tuple(row) for row in table if any(row))


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the columns as intervals: the gaps between them are crossed by few rows."""
    cells = [cell for row in rows for cell in row]
    edges = sorted({edge for cell in cells for edge in (cell.box[0], cell.box[2])})
    allowed = int(_CROSSED * len(rows)) if len(rows) > 3 else 0
    covered: list[tuple[float, float]] = []
    for left, right in zip(edges, edges[1:], strict=False):
        middle = (left + right) / 2
        crossing = sum(1 for cell in cells if cell.box[0] < middle < cell.box[2])
        if crossing <= allowed:
            continue
        if covered and covered[-1][1] >= left - 0.01:
            covered[-1] = (covered[-1][0], right)
        else:
            covered.append((left, right))
    return [column for column in covered if column[1] - column[0] > 1.0]


def _placed(row: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    """Put each cell of a row into the column that it shares most width with; a spanning cell into its first."""
    texts: list[str] = [""] * len(columns)
    for cell in row:
        shared = [min(cell.box[2], right) - max(cell.box[0], left) for left, right in columns]
        fully = [number for number, (left, right) in enumerate(columns) if shared[number] > 0.6 * (right - left)]
        best = fully[0] if len(fully) > 1 else max(range(len(columns)), key=shared.__getitem__)
        texts[best] = f"{texts[best]} {cell.text}".strip()
    return texts


def _row_rules(rules: Sequence[Box], box: Box) -> list[float]:
    """Return the heights of rules that run over most of the table."""
    wide = [rule for rule in rules if below(rule, box) > 0.7 * (box[2] - box[0]) and box[1] < rule[1] < box[3]]
    return sorted((rule[1] + rule[3]) / 2 for rule in wide)


def _without_wrapped_rows(table: list[list[str]], rows: Sequence[Row], ruled: Sequence[float]) -> list[list[str]]:
    """Join lines of one row: within a full ruling all lines, else a label that goes on in small letters."""
    merged: list[list[str]] = []
    fully_ruled = len(ruled) >= 0.6 * len(rows) - 1 and len(ruled) > 2
    for number, cells in enumerate(table):
        above = rows[number - 1][0].words[0].baseline if number else 0.0
        here = rows[number][0].words[0].baseline
        if merged and _goes_on(merged[-1], cells):
            same_row = True
        else:
            same_row = bool(merged) and fully_ruled and not any(above < rule < here for rule in ruled)
        if same_row:
            merged[-1] = [f"{first} {second}".strip() for first, second in zip(merged[-1], cells, strict=True)]
        else:
            merged.append(list(cells))
    return merged


def _goes_on(above: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether a row is the rest of the label above it, which has no numbers of its own, or the label's second line."""
    label = cells[0]
    if not label[:1].islower():
        return False
    return not any(above[1:]) or not any(cells[1:])
