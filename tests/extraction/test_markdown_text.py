"""Whatever a document says, its Markdown reads as exactly that text."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from headtree.extraction.blocks import Link
from headtree.extraction.markdown_text import (
    escape_alt,
    escape_heading,
    escape_line,
    fenced_lines,
    one_line,
    table_lines,
)

PARSER = MarkdownIt("commonmark").enable("table").enable("strikethrough")
PIECES = [*"ab1 #*_`~[]()<>!&;\\|-+=.:/\"'é¹\n\t$^", "http://a.b", "&amp;", "<b>", "![x](y)", "**", "1. ", "---"]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=20).map("".join) | st.text(max_size=30)


def shown(token: Token) -> str:
    """Return the text of an inline token, which may hold nothing but text."""
    assert {child.type for child in token.children or ()} <= {"text", "text_special"}
    return "".join(child.content for child in token.children or ())


@given(TEXTS)
@example("# no heading")
@example("1986. A year, no list")
@example("<script>alert(1)</script>")
@example("![x](http://example.org/x.png)")
@example("[1]: http://example.org")
def test_a_line_is_one_paragraph_of_its_text(text: str) -> None:
    text = one_line(text)
    tokens = PARSER.parse(escape_line(text))
    assert [token.type for token in tokens] == (["paragraph_open", "inline", "paragraph_close"] if text else [])
    if text:
        assert shown(tokens[1]) == text


@given(TEXTS)
def test_a_heading_keeps_its_text(text: str) -> None:
    text = one_line(text)
    tokens = PARSER.parse(f"## {escape_heading(text)}")
    assert [token.type for token in tokens] == ["heading_open", "inline", "heading_close"]
    assert shown(tokens[1]) == text


@given(TEXTS)
def test_an_alternative_text_keeps_its_text(text: str) -> None:
    image = PARSER.parse(f"![{escape_alt(text)}](a.png)")[1].children
    assert image is not None
    assert [child.type for child in image] == ["image"]
    assert image[0].attrs["src"] == "a.png"
    assert image[0].content is not None
    assert "".join(child.content for child in image[0].children or ()) == one_line(text)


@given(st.lists(st.lists(TEXTS, min_size=2, max_size=4), min_size=1, max_size=4))
def test_a_table_keeps_its_cells(rows: list[list[str]]) -> None:
    tokens = PARSER.parse("\n".join(table_lines(rows)))
    width = max(map(len, rows))
    cells = [shown(token) for token in tokens if token.type == "inline"]
    assert cells == [one_line(cell) for row in rows for cell in [*row, *[""] * (width - len(row))]]


@given(st.text(alphabet="ab`~ \n", min_size=1, max_size=30))
def test_code_stays_in_its_fence(text: str) -> None:
    tokens = PARSER.parse("\n".join(fenced_lines(text)))
    assert [token.type for token in tokens] == ["fence"]
    assert tokens[0].content == "".join(line.rstrip() + "\n" for line in text.split("\n"))


def test_links_are_kept_and_others_are_text() -> None:
    text = "See the site and the trap."
    links = (Link(8, 12, "https://example.org/a_(b)"), Link(21, 25, "javascript:alert(1)"))
    assert escape_line(text, links) == "See the [site](https://example.org/a_%28b%29) and the trap."


def test_a_link_behind_an_exclamation_mark_is_no_image() -> None:
    inline = PARSER.parse(escape_line("Look!here", (Link(5, 9, "https://example.org"),)))[1]
    assert [child.type for child in inline.children or ()] == ["text", "link_open", "text", "link_close"]
