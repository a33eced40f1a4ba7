"""structuredData.json: paths, nesting, boxes, and which elements form one block."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtree.extraction.adobe_structure import Group, Role, group_elements, read_structure
from headtree.extraction.adobe_tables import rows_from_csv, rows_from_elements
from headtree.extraction.adobe_text import join_lines, join_text
from tests.extraction.adobe_material import element, structure


def groups(*elements: dict[str, Any]) -> list[Group]:
    return group_elements(read_structure(structure(*elements)).elements)


def texts(*elements: dict[str, Any]) -> list[tuple[str, str]]:
    return [(group.name, join_text(group.elements)) for group in groups(*elements)]


def test_the_path_decides_what_an_element_is() -> None:
    found = groups(
        element("Title", "T"),
        element("Sect/H1", "One"),
        element("Sect[2]/Sect/H6[3]", "Six"),
        element("Sect/H", "Unnumbered"),
        element("Sect/P", "Words"),
        element("Sect/L/LI/LBody", "Item"),
        element("Sect/Footnote", "Note"),
        element("TOC/TOCI/Reference", "Entry"),
        element("Sect/Table/TR/TD/P", "Cell"),
        element("Sect/Figure", "Inside"),
        element("Aside/P", "Beside"),
        element("Aside[2]", "Bare"),
    )
    assert [group.role for group in found] == [
        Role.TITLE,
        Role.HEADING,
        Role.HEADING,
        Role.HEADING,
        Role.PARAGRAPH,
        Role.LIST,
        Role.FOOTNOTE,
        Role.CONTENTS,
        Role.TABLE,
        Role.FIGURE,
        Role.PARAGRAPH,
        Role.PARAGRAPH,
    ]
    assert [group.name for group in found[:4]] == ["title", "h1", "h6", "h"]
    assert [group.aside for group in found[-3:]] == [False, True, True]


def test_a_paragraph_that_goes_on_after_a_figure_is_one() -> None:
    found = texts(
        element("P/ParagraphSpan", "It goes on to exam-"),
        element("Figure", "Inside"),
        element("P/ParagraphSpan[2]", "ple two", page=1),
        element("P/ParagraphSpan[3]", "and three.", page=1),
        element("P[2]", "Another."),
    )
    assert found == [("p", "It goes on to example two and three."), ("figure", "Inside"), ("p", "Another.")]


def test_lines_that_adobe_keeps_apart_stay_apart() -> None:
    [group] = groups(
        element("P/Sub", "1 First line"), element("P/Sub[2]", "2 Second"), element("P/Sub[2]/Span", "line")
    )
    assert join_lines(group.elements) == ["1 First line", "2 Second line"]


def test_a_place_holder_takes_the_inline_element() -> None:
    found = texts(
        element("P", "See \ue020 and \ue020 for more \ue020."),
        element("P/Reference", "[1]"),
        element("P/StyleSpan", "here"),
    )
    assert found == [("p", "See [1] and here for more .")]


def test_a_superscript_is_not_glued_to_a_word() -> None:
    raised = {"attributes": {"TextPosition": "Sup"}}
    found = texts(
        {"Path": "//Document/P", "Text": "offloading"},
        {"Path": "//Document/P/Reference", "Text": "2 ", **raised},
        {"Path": "//Document/P", "Text": "on the 1"},
        {"Path": "//Document/P/Span", "Text": "st ", **raised},
        {"Path": "//Document/P", "Text": "of May"},
        element("P[2]", "memory\ue020 again"),
        {"Path": "//Document/P[2]/Reference", "Text": "3", **raised},
        {"Path": "//Document/P[3]", "Text": "H"},
        {"Path": "//Document/P[3]/Span", "Text": "2", "attributes": {"TextPosition": "Sub"}},
        {"Path": "//Document/P[3]", "Text": "O"},
    )
    assert found == [("p", "offloading ² on the 1st of May"), ("p", "memory ³ again"), ("p", "H₂O")]


def test_kids_are_read_in_order_however_deep() -> None:
    deep: dict[str, Any] = element("P", "end")
    for _ in range(900):
        deep = {**element("P"), "Kids": [deep]}
    assert texts(deep) == [("p", "end")]
    lines = [{"Path": "//Document/P[2]", "Text": text} for text in ("harmful and un", "desirable ", "behaviour ")]
    kids = {"Path": "//Document/P[2]", "Page": 0, "Kids": lines}
    assert texts(kids) == [("p", "harmful and undesirable behaviour")]


def test_marks_of_the_extractor_are_no_words() -> None:
    assert texts(element("P", "signiﬁcant _x000D_\u00ad\ue020 line\u200b")) == [("p", "significant line")]


def test_boxes_are_turned_to_the_top_left_corner() -> None:
    content = structure(element("P", "a", Bounds=[10, 700, 200, 730]), element("P[2]", "b", Bounds=[10, None, 1, 2]))
    first, second = read_structure(content).elements
    assert (first.page, first.box) == (1, (10.0, 62.0, 200.0, 92.0))
    assert (second.page, second.box) == (1, None)
    del content["pages"]
    assert read_structure(content).elements[0].box is None


def test_a_watermark_is_no_text() -> None:
    assert texts(element("Watermark", "DRAFT"), element("P", "Words")) == [("p", "Words")]


WORDS = st.text(alphabet="abc ", min_size=1, max_size=8)
PATHS = st.sampled_from(
    ["P", "P[2]", "P/ParagraphSpan[2]", "L/LI/LBody", "L/LI[2]/Lbl", "Table/TR/TD/P", "Sect/H1", "Aside"]
)


@given(parts=st.lists(st.tuples(PATHS, WORDS), max_size=12))
def test_no_word_is_lost_and_none_is_there_twice(parts: list[tuple[str, str]]) -> None:
    found = groups(*(element(path, text) for path, text in parts))
    read = sorted("".join(join_text(group.elements).split()) for group in found)
    assert sorted("".join(read)) == sorted("".join("".join(text.split()) for _, text in parts))


# -------------------------------------------------------------------------------------------------------- tables


def test_a_csv_is_read_without_its_marks() -> None:
    data = '\ufeff"Name ","Value _x000D_"\r\n"a, b","1"\r\n"",""\r\n'.encode()
    assert rows_from_csv(data) == (("Name", "Value"), ("a, b", "1"))
    assert rows_from_csv("a\nb,c,\n".encode("utf-8-sig")) == (("a", ""), ("b", "c"))
    assert rows_from_csv(b"") == ()
    assert rows_from_csv(b'"",""\n') == ()


@pytest.mark.parametrize("data", [b"\xff\xfe\x00a", b'"' + b"x" * 200_000 + b'"'])
def test_a_csv_that_is_none_is_said(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        rows_from_csv(data)


def test_a_table_is_put_together_from_its_cells_in_order() -> None:
    [table] = groups(
        element("Table"),
        element("Table/TR/TH/P", "Name"),
        element("Table/TR/TH[2]/P", "Value"),
        element("Table/TR[2]/TH/P", "a"),
        element("Table/TR[2]/TD/P", "1"),
        element("Table/TR[2]/TD/P[2]", "one"),
        element("Table/TBody/TR[3]/TD/L/LI/LBody", "b"),
    )
    assert rows_from_elements(table) == (("Name", "Value"), ("a", "1 one"), ("b", ""))


def test_indices_and_spans_place_the_cells() -> None:
    def cell(path: str, row: int, column: int, text: str, **spans: int) -> list[dict[str, Any]]:
        place = {"RowIndex": row, "ColIndex": column, **spans}
        return [element(f"Table/{path}", attributes=place), element(f"Table/{path}/P", text)]

    [table] = groups(
        *cell("TR/TH", 0, 0, "Model", RowSpan=2),
        *cell("TR/TH[2]", 0, 1, "Score", ColSpan=2),
        *cell("TR[2]/TH", 1, 1, "dev"),
        *cell("TR[2]/TH[2]", 1, 2, "test"),
        *cell("TR[3]/TD[2]", 2, 1, "1"),
        *cell("TR[3]/TD", 2, 0, "x"),
        *cell("TR[3]/TD[3]", 2, 2, "2"),
    )
    assert rows_from_elements(table) == (("Model", "Score", ""), ("", "dev", "test"), ("x", "1", "2"))


@pytest.mark.parametrize("place", [{"RowSpan": 10**6}, {"ColIndex": 10**9}, {"RowSpan": 700, "ColSpan": 700}])
def test_indices_that_claim_a_giant_table_are_refused(place: dict[str, int]) -> None:
    [table] = groups(element("Table/TR/TD", "x", attributes=place))
    with pytest.raises(ValueError, match="more than"):
        rows_from_elements(table)


ROWS = st.integers(1, 4).flatmap(
    lambda width: st.lists(st.lists(st.text("ab1", min_size=1, max_size=3), min_size=width, max_size=width), min_size=1)
)


@given(rows=ROWS)
def test_csv_and_cells_give_the_same_rows(rows: list[list[str]]) -> None:
    cells = [
        element(f"Table/TR[{r}]/TD[{c}]/P", text) for r, row in enumerate(rows, 1) for c, text in enumerate(row, 1)
    ]
    [table] = groups(*cells)
    text = "\n".join(",".join(row) for row in rows)
    assert rows_from_elements(table) == rows_from_csv(text.encode()) == tuple(map(tuple, rows))
