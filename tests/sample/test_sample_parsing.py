"""The notation of the sources: blocks, and inline markup for the typesetter and for Markdown."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sample_corpus.blocks import Callout, Equation, Figure, Heading, ItemList, Layout, Paragraph, Table
from sample_corpus.inline import to_markdown, to_plain, to_typst
from sample_corpus.parsing import SourceError, parse_source

HEAD = "---\nname: N\ntitle: T\n---\n"
TEXT = """# One

![figure-1](80% wide)
Figure 1: A caption
over two lines

Table 2: Cells {align=lr widths=2,1 breakable}
| a | b |
| c | 1 |

$$ a = b $$ (3)

- first
  goes on
- second

1. only

> NOTE: Mind this.

<<page>>

A paragraph
of two lines."""


def test_each_kind_of_block(tmp_path: Path) -> None:
    path = tmp_path / "n.md"
    path.write_text(HEAD + TEXT)
    assert parse_source(path).blocks == (
        Heading(1, "One"),
        Figure("figure-1", "Figure 1", "A caption over two lines", 80, frozenset({"wide"})),
        Table("Table 2", "Cells", ("a", "b"), (("c", "1"),), "lr", ("2", "1"), frozenset({"breakable"})),
        Equation("a = b", "3"),
        ItemList(("first goes on", "second"), ordered=False),
        ItemList(("only",), ordered=True),
        Callout("NOTE", "Mind this."),
        Layout("page"),
        Paragraph("A paragraph of two lines."),
    )


@pytest.mark.parametrize("block", ["![figure 1](80%)", "Table 2: Cells\n| a | b |\n| c |", "![f](8%)\nNo number"])
def test_a_malformed_block_is_named(tmp_path: Path, block: str) -> None:
    path = tmp_path / "n.md"
    path.write_text(HEAD + block)
    with pytest.raises(SourceError, match=r"n\.md: malformed"):
        parse_source(path)


def test_inline_markup() -> None:
    text = "**Bold** and *slanted*, `x_1` and $q_(i j)$ at 5 #"
    assert to_typst(text) == '#strong[Bold] and #emph[slanted], #raw("x_1") and $q_(i j)$ at 5 \\#'
    assert to_markdown(text) == "**Bold** and *slanted*, `x_1` and q_ij at 5 #"
    assert to_plain(text) == "Bold and slanted, x_1 and q_ij at 5 #"


@pytest.mark.parametrize(("text", "markup"), [("- a", "\\- a"), ("1. a", "1\\. a"), ("+2", "\\+2"), ("a - b", "a - b")])
def test_what_would_be_a_list_at_the_start_is_text(text: str, markup: str) -> None:
    assert to_typst(text) == markup


@given(st.text(alphabet="abc #_<>@[]~\"'\\/=+-1.", max_size=30))
def test_escaping_loses_no_sign(text: str) -> None:
    unescaped, skip = "", False
    for sign in to_typst(text):
        skip = sign == "\\" and not skip
        unescaped += "" if skip else sign
    assert unescaped == text
