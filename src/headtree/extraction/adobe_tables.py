"""The cells of a table that Adobe found: from its CSV, or put together again from its TR, TH and TD elements."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product

from headtree.extraction.adobe_structure import Element, Group, Step
from headtree.extraction.adobe_text import clean_line

Rows = tuple[tuple[str, ...], ...]
"""All of the same length."""

_MOST_CELLS = 200_000
"""A table that claims more has damaged indices: this is a hundred times what pages of 17.5 inches can hold."""


def rows_from_csv(data: bytes) -> Rows:
    """Read a table's CSV; the files begin with a byte order mark, cells hold ``_x000D_`` for a line end.

    Returns no rows where the file holds no text.

    Raises:
        ValueError: it is not CSV in UTF-8.
    """
    try:
        rows = list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")))
    except csv.Error as error:
        raise ValueError(str(error)) from error
    return _even([[clean_line(cell) for cell in row] for row in rows])


def rows_from_elements(group: Group) -> Rows:
    """Put a table together from its cells: by their row and column index where they have one, else by their order.

    Raises:
        ValueError: its indices claim a table larger than any real one.
    """
    cells = _cells(group)
    order = {row: number for number, row in enumerate(dict.fromkeys(cell.row for cell in cells))}
    placed: dict[tuple[int, int], str] = {}
    spanned = 0
    for cell in cells:
        row = order[cell.row] if cell.row_index is None else cell.row_index
        column = cell.column_index
        if column is None:
            column = next(n for n in range(len(placed) + 1) if (row, n) not in placed)
        spanned += cell.row_span * cell.column_span
        _check_size(spanned)
        for place in product(range(row, row + cell.row_span), range(column, column + cell.column_span)):
            placed.setdefault(place, cell.text if place == (row, column) else "")
    height, width = (max((place[side] for place in placed), default=-1) + 1 for side in (0, 1))
    _check_size(height * width)
    return _even([[placed.get((row, column), "") for column in range(width)] for row in range(height)])


def _check_size(cells: int) -> None:
    if cells > _MOST_CELLS:
        raise ValueError(f"its indices claim more than {_MOST_CELLS:,} cells")


@dataclass(slots=True)
class _Cell:
    row: tuple[Step, ...]
    text: str = ""
    row_index: int | None = None
    column_index: int | None = None
    row_span: int = 1
    column_span: int = 1


def _cells(group: Group) -> list[_Cell]:
    """Return the outermost cells in reading order; what is nested in one is its text."""
    cells: dict[tuple[Step, ...], _Cell] = {}
    for element in group.elements:
        below = element.path[group.depth :]
        at = next((n for n, step in enumerate(below) if step.name in {"td", "th"}), None)
        if at is None:
            continue
        end = group.depth + at
        cell = cells.setdefault(element.path[: end + 1], _Cell(element.path[:end]))
        cell.text = clean_line(f"{cell.text} {element.text}")
        if len(element.path) == end + 1:  # the cell itself, which has the indices
            _place(cell, element)
    return list(cells.values())


def _place(cell: _Cell, element: Element) -> None:
    cell.row_index = _index(element, "RowIndex")
    cell.column_index = _index(element, "ColIndex")
    cell.row_span = max(_index(element, "RowSpan") or 1, 1)
    cell.column_span = max(_index(element, "ColSpan") or 1, 1)


def _index(element: Element, name: str) -> int | None:
    value = element.attributes.get(name)
    return value if isinstance(value, int) and value >= 0 else None


def _even(rows: Iterable[Sequence[str]]) -> Rows:
    """Make all rows equally long and drop rows and columns at the end that hold no text; all gone: no rows."""
    kept = [list(row) for row in rows]
    while kept and not any(kept[-1]):
        kept.pop()
    width = max((n + 1 for row in kept for n, cell in enumerate(row) if cell), default=0)
    return tuple(tuple((row + [""] * width)[:width]) for row in kept) if width else ()
