"""Finds tables by their aligned rows, and reads the cells of a table from where its words stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below, common, grown, holds_centre, union
from headtree.extraction.lines import line_text
from headtree.extraction.page_values import Line, Rows, Word

_NUMBER = re.compile(
    r"[$€£¥]?\s*[(\[]?[-+−–]?\s*[$€£¥]?\s*\d[\d,.]*\s*(?:%|bps|x|[MBK])?\s*[)\]]?\s*%?[*†‡]?|[-–—]+|N/?[AM]\.?|n/?[am]",
)
_FORMULA_NUMBER = re.compile(r"\(\d{1,3}(?:\.\d{1,2})?[a-z]?\)")
_CURRENCY = re.compile(r"[$€£¥]|US\$")
_TAIL = re.compile(r"[)%]|%\)|\)%|pts|bps")
_CELL_GAP = 0.62
"""Share of the type size from which a gap may part two cells; a space between words is a quarter to a third."""
_CROSSED = 0.12
"""Share of a table's rows that may run over the gap between two columns: titles that span columns do."""
_SAME_ROW = 0.35
"""Share of the type size by which baselines of one row may differ."""
_SLANTED_ROW = 0.55
"""The same for the first and the last of them: cells that are centred in a high row stand in steps."""
_WIDE_GAP = 1.3
"""Share of the type size that parts the label of a row from its numbers where no ruling helps."""
_FEWEST_ROWS = 3
_FEWEST_INNER_RULES = 3
_PARTIAL = 0.6
"""Share of the columns that the second line of a row fills at most, where no upright rules part the columns."""
_RULED = 0.4
"""Rules between the rows of a table, as a share of its lines, from which each row has one of its own."""
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
    if len(filled) < _FEWEST_ROWS or sum(cell.is_number for cell in cells) < _NUMERIC * len(cells):
        return False
    if all(_FORMULA_NUMBER.fullmatch(cell.text) for row in filled for cell in row[1:] if cell.is_number):
        return False
    edges = sorted(cell.box[2] for row in filled for cell in row[1:] if cell.is_number)
    size = filled[0][0].words[0].size
    aligned = sum(1 for edge in edges if sum(abs(edge - other) <= 0.7 * size for other in edges) >= 2)
    return aligned >= 0.8 * len(edges)


def _size(row: Row) -> float:
    return max(word.size for cell in row for word in cell.words)


def _is_prose(row: Row) -> bool:
    return sum(len(cell.words) for cell in row) > 14


def _distance(upper: Row, lower: Row) -> float:
    """Return the distance of two rows' baselines as a share of the type size."""
    size = max(upper[0].words[0].size, lower[0].words[0].size)
    return (lower[0].words[0].baseline - upper[0].words[0].baseline) / size


# ------------------------------------------------------------------------------------------------ reading cells


def split_rows(lines: Iterable[Line], *, gap: float = _CELL_GAP, box: Box | None = None) -> list[Row]:
    """Return what stands on one baseline, within ``box``, cut into cells at gaps of ``gap`` type sizes."""
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
    return [_cells(sorted(row, key=lambda word: word.box[0]), gap) for row in rows]


def _cells(row: Sequence[Word], gap: float) -> Row:
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


def read_cells(lines: Iterable[Line], rules: Sequence[Box], box: Box) -> Rows | None:
    """Return a table's cells, the first row as its header, or ``None`` where no columns can be told.

    Args:
        lines: of the page; the words whose centre lies in ``box`` are read.
        rules: of the page.
        box: the table's.
    """
    rows = split_rows(lines, box=box)
    if len(rows) < 2:
        return None
    columns = _columns(rows)
    if len(columns) < 2:
        return None
    table = [_placed(row, columns) for row in rows]
    table = _without_wrapped_rows(table, rows, _Ruling.of(rules, box))
    return tuple(tuple(row) for row in table if any(row))


def _columns(rows: Sequence[Row]) -> list[tuple[float, float]]:
    """Return the columns as intervals: the gaps between them are crossed by few rows."""
    rows = [row for row in rows if len(row) > 1]  # a row with one cell may run over all columns
    start = next((number for number, row in enumerate(rows) if sum(cell.is_number for cell in row) > 1), 0)
    if len(rows) - start >= _FEWEST_ROWS:
        rows = rows[start:]  # titles above the numbers may run over several columns
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


def _placed(row: Row, columns: Sequence[tuple[float, float]]) -> list[str]:
    """Put each cell of a row into the column that it shares most width with; a spanning cell into its first."""
    texts: list[str] = [""] * len(columns)
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
    fully_ruled = len(inner) >= max(_FEWEST_INNER_RULES, _RULED * (len(rows) - 1))
    for number, cells in enumerate(table):
        above, here = baselines[number - 1] if number else 0.0, baselines[number]
        ruled_off = not fully_ruled or any(above < rule < here for rule in inner)
        partial = ruling.is_grid or sum(map(bool, cells)) <= _PARTIAL * len(cells)
        if merged and (_goes_on(merged[-1], cells) or (partial and not ruled_off)):
            merged[-1] = [f"{first} {second}".strip() for first, second in zip(merged[-1], cells, strict=True)]
        else:
            merged.append(list(cells))
    return merged


def _goes_on(above: Sequence[str], cells: Sequence[str]) -> bool:
    """Whether a row is the rest of the label above it, which has no numbers of its own, or the label's second line."""
    unclosed = above[0].count("(") > above[0].count(")")
    if not cells[0][:1].islower() and not (unclosed and cells[0]):
        return False
    return not any(above[1:]) or not any(cells[1:])
