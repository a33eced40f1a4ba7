"""Order on a page: laws for any boxes, and the usual page designs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from headtree.extraction.reading_order import Unit, find_gutter, reading_order


def line(name: str, left: float, top: float, width: float, *, words: int = 8) -> Unit[str]:
    return Unit((left, top, left + width, top + 9), name, words)


def column(name: str, left: float, *, top: float = 100, count: int = 12, width: float = 230) -> list[Unit[str]]:
    return [line(f"{name}{number}", left, top + 12 * number, width) for number in range(count)]


def names(units: list[Unit[str]]) -> list[str]:
    return [placed.value for placed in reading_order(units)]


UNITS = st.lists(
    st.tuples(*(st.integers(low, high) for low, high in ((0, 500), (0, 800), (1, 500), (1, 50), (0, 12)))),
    max_size=25,
).map(
    lambda rows: [Unit((x, y, x + width, y + height), n, words) for n, (x, y, width, height, words) in enumerate(rows)]
)


@given(UNITS)
def test_everything_is_read_once(units: list[Unit[int]]) -> None:
    assert sorted(placed.value for placed in reading_order(units)) == list(range(len(units)))


def test_two_columns_are_read_one_after_the_other() -> None:
    left, right = column("l", 50), column("r", 310)
    mixed = [unit for pair in zip(left, right, strict=True) for unit in pair]
    assert names(mixed) == [unit.value for unit in left + right]


def test_what_spans_the_columns_parts_them() -> None:
    title = line("title", 100, 60, 400)
    wide = Unit((50, 260, 540, 400), "figure")
    upper = column("a", 50), column("b", 310)
    lower = column("c", 50, top=420), column("d", 310, top=420)
    units = [wide, title, *lower[1], *upper[1], *lower[0], *upper[0]]
    expected = ["title", *(u.value for u in upper[0] + upper[1]), "figure", *(u.value for u in lower[0] + lower[1])]
    assert names(units) == expected


def test_three_columns() -> None:
    columns = [column(name, left, width=150) for name, left in (("a", 50), ("b", 220), ("c", 390))]
    assert names([unit for row in zip(*columns, strict=True) for unit in row]) == [u.value for c in columns for u in c]


def test_a_table_in_running_text_is_no_column() -> None:
    text = [line(f"t{number}", 50, 100 + 12 * number, 490) for number in range(20)]
    labels = [line(f"label{number}", 50, 400 + 12 * number, 200) for number in range(6)]
    numbers = [line(f"number{number}", 480, 400 + 12 * number, 60, words=1) for number in range(6)]
    assert find_gutter([*text, *labels, *numbers]) is None
    assert names([*numbers, *labels])[:4] == ["label0", "number0", "label1", "number1"]
