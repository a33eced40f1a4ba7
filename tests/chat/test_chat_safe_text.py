"""Outside text on the page: what may be drawn is drawn, all else is letters."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from headtree.chat.safe_text import LONGEST_TEXT, escape_label, numbered_lines, render_line, render_markdown, text_table
from headtree.types import LineSpan

# As Streamlit reads Markdown: HTML, references, links and tables all on.
STREAMLIT = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(["table", "strikethrough"])
FORMULA = re.compile(r"(?<!\\)\$\$?[^$]+(?<!\\)\$\$?")


def read(markdown: str) -> list[str]:
    """Return the kinds of token that a full reader finds in Markdown, formulas apart."""
    tokens = STREAMLIT.parse(FORMULA.sub("FORMULA", markdown))
    return [token.type for block in tokens for token in (block, *(block.children or ()))]


def seen(markdown: str) -> str:
    """Return the letters that a reader sees."""
    tokens = STREAMLIT.parse(markdown)
    letters = [t.content for block in tokens for t in (block.children or ()) if t.type in {"text", "code_inline"}]
    return "".join(letters)


def formulas(markdown: str) -> int:
    return len(FORMULA.findall(markdown))


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("$5 million and $6 million", 0),
        (r"cost $5 million and $6 million; $L=x^2$; \(a\)", 2),
        (r"ranges $10-$20, US$5, $3.5bn, and \(x\)", 1),
        (r"area \(a^2\), cost ~$3 and ~$5, `$HOME`", 1),  # D-U02
        ("$$E = mc^2$$", 1),
        (r"\[ y = 1 \] and \(z\)", 2),
        ("\\begin{equation}\nx = 1\n\\end{equation}", 1),
        ("\\begin{align}a&=b\\\\c&=d\\end{align}", 1),
        ("$$\na\n- b\n= c\n$$", 1),
        (r"half $x^2", 0),
        (r"escaped \$5 and \$6", 0),
        ("$HOME/bin and $PATH", 0),
        ("$5$ is a number, $2x$ too", 2),
        ("| $x$ | $5 |\n|---|---|\n| $$y$$ | $6 |", 2),
        ("in code `$x$` and\n\n```\n$y$\n```", 0),
        ("the fee ($5) or ($6)", 0),
        ("from $1,000 to $2,000 a year, $3/month", 0),
        ("$a and b$ cost $c", 1),
    ],
)
def test_formulas_and_money(text: str, number: int) -> None:
    without_code = re.sub(r"```.*?```|`[^`]*`", "", render_markdown(text), flags=re.DOTALL)
    assert formulas(without_code) == number


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        ("<script>x</script>", "<script>x</script>"),
        ("<style>body{}</style><form>", "<style>body{}</style><form>"),
        ("![y][r]", "![y][r]"),
        (":red[x] :shimmer[y]", ":red[x] :shimmer[y]"),
        ("[x](javascript:alert(1))", "[x](javascript:alert(1))"),
        ("footnote[^1] and [1]", "footnote[^1] and [1]"),
        ("2*3*4 and a_b_c", "2*3*4 and a_b_c"),
        ("a &lt;b&gt; &amp;", "a <b> &"),
        ("cost ~$3 and ~$5", "cost ~$3 and ~$5"),
        ("see https://example.org/a_b_c?d=1&e.", "see https://example.org/a_b_c?d=1&e."),
        ("write to a.b@example.org", "write to a.b@example.org"),
    ],
)
def test_letters_stay(text: str, letters: str) -> None:
    assert seen(render_markdown(text)) == letters


def test_pictures_and_links_become_words() -> None:
    assert seen(render_markdown("![a chart](http://tracker.invalid/p.png)")) == "[picture: a chart]"
    assert seen(render_markdown("[docs](https://example.org/x)")) == "docs (https://example.org/x)"
    assert seen(render_markdown("[docs](other.md#part)")) == "docs"


def test_addresses_are_code_so_that_nothing_links_by_itself() -> None:
    for text in ("https://example.org/x", "www.example.org", "a@example.org"):
        assert f"`{text}`" in render_markdown(f"see {text} now")
        assert f"`{text}`" in escape_label(f"see {text} now")


@pytest.mark.parametrize("code", [":material/delete:", ":streamlit:", ":+1:", ":smile:", "a -> b", "a >= b", "a ~= b"])
def test_what_streamlit_replaces_is_broken_by_a_joiner(code: str) -> None:
    out = render_markdown(code).replace("\\", "")
    assert code not in out
    assert out.replace("\u2060", "") == code


def test_formula_hides_nothing() -> None:
    """A formula that Streamlit does not take for one (a digit follows) must still be harmless."""
    for inside in ("![x](http://tracker.invalid/p)", "[x](http://y.invalid)", "<b>", ":red[x]", "`z`", "a@b.invalid"):
        for text in (f"\\({inside}\\)5", f"${inside}$5 $x$", f"\\[{inside}\\]", f"$${inside}$$"):
            out = render_markdown(text)
            assert not set(read(out.replace("$", ""))) & {"image", "link_open", "html_inline"}, out
            assert ":red[" not in out
    assert render_markdown("\\(a\\)5") == "$a$\u20605"


def test_structure_is_kept() -> None:
    text = (
        "# Head\n\nOne *two* **three** ~~four~~ `five`\n\n- a\n  - b\n- c\n\n3. x\n4. y\n\n> quote\n\n```py\nz = 1\n```"
    )
    kinds = read(render_markdown(text))
    for kind in ("em_open", "strong_open", "s_open", "code_inline", "bullet_list_open", "ordered_list_open"):
        assert kind in kinds
    assert {"blockquote_open", "fence"} <= set(kinds)
    assert "heading_open" not in kinds
    assert "3. x" in render_markdown(text)


def test_table_keeps_its_cells() -> None:
    out = render_markdown("| a | b |\n|:-:|--:|\n| 1 \\| 2 | `c` |\n| $x|y$ | z |")
    assert "| :-: | --: |" in out
    assert all(len(re.findall(r"(?<!\\)\|", line)) == 3 for line in out.split("\n"))


def test_caption_is_one_line_with_its_formula() -> None:
    line = render_line("Loss $L$\nof *all*\n\n# runs :red[x]")
    assert "\n" not in line
    assert formulas(line) == 1
    assert "*all*" in line
    assert r"\:red\[x\]" in line


def test_label_is_literal_short_and_one_line() -> None:
    label = escape_label("a *b* $c$\n</figcaption><script>1</script> [x](javascript:alert(1))" + "y" * 200)
    assert "\n" not in label
    assert set(read(label)) <= {"paragraph_open", "paragraph_close", "inline", "text"}
    assert seen(label).startswith("a *b* $c$ </figcaption><script>1</script>")
    assert seen(label).endswith("…")


def test_long_text_is_cut_and_says_so() -> None:
    assert "7 more characters are not drawn" in render_markdown("x" * (LONGEST_TEXT + 7))


HARMLESS = {
    f"{name}{end}"
    for name in (
        "paragraph", "em", "strong", "s", "bullet_list", "ordered_list", "list_item", "blockquote",
        "table", "thead", "tbody", "tr", "th", "td",
    )
    for end in ("_open", "_close")
} | {"inline", "text", "code_inline", "softbreak", "hardbreak", "fence", "code_block", "hr"}  # fmt: skip

PIECES = st.sampled_from(
    ["![", "[", "](", ")", "http://x.invalid/p", "<b>", "</b>", "<!--", "`", "```\n", "$", "$$", "\\(", "\\)", "\\",
     "*", "_", "#", "# ", "\n", "\n\n", "- ", "1. ", "> ", "|", "|-|-|\n", ":red[", ":+1:", "&lt;", "[r]: http://y\n",
     "~~", "===\n", "---\n", "    ", "a", "word ", "5", " ", "é", "\\begin{align}", "\\end{align}", "\\[", "\\]"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map("".join))
def test_no_text_ever_gets_more_than_form(text: str) -> None:
    out = render_markdown(text)
    everything = {t.type for block in STREAMLIT.parse(out) for t in (block, *(block.children or ()))}
    assert not everything & {"image", "link_open", "html_inline", "html_block"}, out
    bare = re.sub(r"(?s)(?<!\\)(\$\$?)(?!\$).+?(?<!\\)\1", "F", out)
    kinds = {t.type for block in STREAMLIT.parse(bare) for t in (block, *(block.children or ()))}
    assert kinds <= HARMLESS, (out, kinds - HARMLESS)
    assert {t.type for b in STREAMLIT.parse(escape_label(text)) for t in (b, *(b.children or ()))} <= HARMLESS


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"]), max_size=60))
def test_label_shows_what_was_given(text: str) -> None:
    shown = seen(escape_label(text, longest=1000)).replace("\u2060", "")
    assert shown.split() == " ".join(text.split()).split()


def test_lines_are_numbered_escaped_and_marked() -> None:
    out = numbered_lines(["a <b>", "c"], first=7, marked=LineSpan(8, 8))
    assert "&lt;b&gt;" in out
    assert out.count("class=cited") == 1
    assert ">7</span>" in out
    assert ">8</span>c" in out


@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), min_size=1, max_size=4))
def test_table_of_any_text_is_a_table_of_letters(rows: list[tuple[str, str]]) -> None:
    kinds = read(text_table(("one", "two"), rows))
    assert kinds.count("table_open") == 1
    assert kinds.count("tr_open") == 1 + len(rows)
    assert kinds.count("td_open") == 2 * len(rows)
    assert {kind for kind in kinds if "_open" in kind} == {
        "table_open", "thead_open", "tbody_open", "tr_open", "th_open", "td_open",
    }  # fmt: skip


def test_hostile_cell_stays_text() -> None:
    cell = "a | b ![x](http://tracker.invalid/p.png) <b> $5 to $6 `|` [c](javascript:1)"
    assert cell in seen(text_table(("one",), [(cell,)]))
