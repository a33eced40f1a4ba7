"""Finds tables by their aligned rows, and reads the cells of a table from where its words stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import holds_centre, union
from headtree.extraction.lines import line_text
from headtree.extraction.page_values import Line, Word

_NUMBER = re.compile(
    r"[$€£¥]?\s*[(\[]?[-+−–]?\s*[$€£¥]?\s*\d[\d,.]*\s*(?:%|bps|x|[MBK])?\s*[)\]]?\s*%?[*†‡]?|[$€£¥]?\s*[-–—]+|N/?[AM]\.?|n/?[am]",
)
_FORMULA_NUMBER = re.compile(r"\(\d{1,3}(?:\.\d{1,2})?[a-z]?\)")
_CURRENCY = re.compile(r"[$€£¥]|US\$")
_TAIL = re.compile(r"[)%]|%\)|\)%|pts|bps")
_CELL_GAP = 0.62
"""Share of the type size from which a gap may part two cells; a space between words is a quarter to a third."""
_SAME_ROW = 0.35
"""Share of the type size by which baselines of one row may differ."""
_SLANTED_ROW = 0.55
"""The same for the first and the last of them: cells that are centred in a high row stand in steps."""
_WIDE_GAP = 1.3
"""Share of the type size that parts the label of a row from its numbers where no ruling helps."""
_FEWEST_ROWS = 3
_NUMERIC = 0.6
"""Share of a row block's cells beyond the first column that must be numbers for a table that only its rows show."""
_APART = 1.3
"""Share of the usual distance of rows from which text between two tables stands apart from both."""
_MOST_LABELS = 4
"""Rows without numbers that may stand between two rows of a table."""
_LARGER = 1.12
"""Size of type as a share of a table's from which a row is a heading or text between two tables."""
_MOST_TITLES = 4
_LABEL_SHARE = 0.2
"""Share of a table's width that its labels take at least."""
_TITLE_DISTANCE = 2.0
"""Share of the type size: titles of columns stand no further above each other."""
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
    rows = split_rows(lines, gap=_WIDE_GAP)
    blocks: list[list[Row]] = []
    waiting: list[Row] = []  # rows with one cell: a part of the table only if it goes on after them
    for row in rows:
        if blocks and blocks[-1] and waiting and _begins_table(row, waiting, blocks[-1]):
            waiting = []
            blocks.append([])
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
        elif blocks[-1] and len(waiting) < _MOST_LABELS and _may_be_label(row, blocks[-1]):
            waiting.append(row)
        else:
            waiting = []
            blocks.append([])
    tables = [block for block in blocks if _is_number_table(block)]
    return [union(cell.box for row in _with_titles(block, rows) for cell in row) for block in tables]


def _begins_table(row: Row, waiting: Sequence[Row], block: Sequence[Row]) -> bool:
    """Whether a row names columns anew after text that stands apart from the table above: another table begins."""
    steps = [_distance(upper, lower) for upper, lower in pairwise(block)]
    usual = median(steps) if steps else _ROW_DISTANCE
    apart = _distance(block[-1], waiting[0]) > _APART * usual and _distance(waiting[-1], row) > _APART * usual
    return apart and row[0].box[0] > max(other[-1].box[2] for other in waiting)


def _may_be_label(row: Row, block: Sequence[Row]) -> bool:
    """Whether a row is a title within a table or a part of a long label: it ends before the numbers begin."""
    if _size(row) > _LARGER * _size(block[0]):
        return False
    numbers = [cell.box[0] for other in block for cell in other[1:] if cell.is_number]
    ends_before = bool(numbers) and row[-1].box[2] < min(numbers)
    return len(row) == 1 and (ends_before or not _is_prose(row))


def _with_titles(block: Sequence[Row], rows: Sequence[Row]) -> list[Row]:
    """Add the rows above a table that stand over its numbers: years, units, titles of several columns."""
    left, _, right, _ = union(cell.box for row in block for cell in row)
    table = list(block)
    above = rows[: rows.index(table[0])]
    for row in reversed(above[-_MOST_TITLES:]):
        if _distance(row, table[0]) > _TITLE_DISTANCE or _is_prose(row):
            break
        if row[0].box[0] < left + _LABEL_SHARE * (right - left):
            break
        table.insert(0, row)
    return table


def _is_number_table(block: Sequence[Row]) -> bool:
    start = next((n for n, row in enumerate(block) if any(cell.is_number for cell in row[1:])), len(block))
    cells = [cell for row in block[start:] for cell in row[1:]]
    filled = [row for row in block if len(row) > 1 and any(cell.is_number for cell in row[1:])]
    if len(filled) < _FEWEST_ROWS and not _is_short_table(filled):
        return False
    if sum(cell.is_number for cell in cells) < _NUMERIC * len(cells):
        return False
    if all(_FORMULA_NUMBER.fullmatch(cell.text) for row in filled for cell in row[1:] if cell.is_number):
        return False
    edges = sorted(cell.box[2] for row in filled for cell in row[1:] if cell.is_number)
    size = filled[0][0].words[0].size
    aligned = sum(1 for edge in edges if sum(abs(edge - other) <= 0.7 * size for other in edges) >= 2)
    return aligned >= 0.8 * len(edges) or _is_even(filled)


def _is_even(rows: Sequence[Row]) -> bool:
    """Whether rows have equally many cells, several, that stand below each other."""
    if len({len(row) for row in rows}) > 1 or len(rows[0]) < _MOST_LABELS:
        return False
    return all(
        max(cell.box[0] for cell in column) < min(cell.box[2] for cell in column) for column in zip(*rows, strict=True)
    )


def _is_short_table(filled: Sequence[Row]) -> bool:
    """Whether two rows are a table nevertheless: years or the like, and numbers below each of several."""
    if len(filled) != _FEWEST_ROWS - 1:
        return False
    numbers = [[cell.box[2] for cell in row if cell.is_number] for row in filled]
    size = filled[0][0].words[0].size
    below = sum(any(abs(edge - other) <= 2 * size for other in numbers[0]) for edge in numbers[1])
    return below >= _MOST_LABELS - 1


def _size(row: Row) -> float:
    return max(word.size for cell in row for word in cell.words)


def _is_prose(row: Row) -> bool:
    return sum(len(cell.words) for cell in row) > 14


def _distance(upper: Row, lower: Row) -> float:
    """Return the distance of two rows' baselines as a share of the type size."""
    size = max(upper[0].words[0].size, lower[0].words[0].size)
    return (lower[0].words[0].baseline - upper[0].words[0].baseline) / size


# ------------------------------------------------------------------------------------------------ reading cells


def split_rows(
    lines: Iterable[Line], *, gap: float = _CELL_GAP, box: Box | None = None, walls: Sequence[float] = ()
) -> list[Row]:
    """Return what stands on one baseline, within ``box``, cut into cells at gaps of ``gap`` type sizes and at walls."""
    rows: list[list[Word]] = []
    first = last = 0.0
    for line in sorted(lines, key=lambda item: item.baseline):
        words = [word for word in line.words if box is None or holds_centre(box, word.box)]
        if not words:
            continue
        size = max(line.size, rows[-1][0].size) if rows else line.size
        if rows and line.baseline - last <= _SAME_ROW * size and line.baseline - first <= _SLANTED_ROW * size:
            rows[-1] += words
        else:
            rows.append(words)
            first = line.baseline
        last = line.baseline
    return [_cells(sorted(row, key=lambda word: word.box[0]), gap, walls) for row in rows]


def _cells(row: Sequence[Word], gap: float, walls: Sequence[float]) -> Row:
    """Cut a row; a currency sign goes with the number on its right, a bracket or per cent sign with the left one."""
    groups: list[list[Word]] = []
    for word in row:
        last = groups[-1][-1] if groups else None
        distance = word.box[0] - last.box[2] if last else 0.0
        size = max(word.size, last.size) if last else word.size
        follows_currency = (
            last is not None and _CURRENCY.fullmatch(last.text) is not None and word.text[0] in "0123456789(—–-."
        )
        tail = _TAIL.fullmatch(word.text) is not None and distance <= 2 * size
        parted = last is not None and any(last.box[2] - 1 < wall < word.box[0] + 1 for wall in walls)
        if parted:
            groups.append([word])
        elif last is not None and (
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
