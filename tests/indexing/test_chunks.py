"""Where text is cut, in which languages, and what a piece brings along."""

from __future__ import annotations

import pytest

from tests.library import make_pictures, prepare


def pieces(text, **values):
    return [chunk for chunk in prepare(text, **values).chunks if chunk.figure_path is None]


def test_paragraphs_are_kept_whole():
    paragraphs = [f"Paragraph {number} says: {'word ' * 60}end." for number in range(20)]
    chunks = pieces("# A\n\n" + "\n\n".join(paragraphs))
    assert len(chunks) > 4
    assert all(any(paragraph in chunk.text for chunk in chunks) for paragraph in paragraphs)


def test_a_long_paragraph_is_cut_after_sentences():
    text = " ".join(f"Sentence {number} has some plain words in it." for number in range(200))
    chunks = pieces(f"# A\n\n{text}")
    assert all(chunk.text.endswith("it.") for chunk in chunks)


@pytest.mark.parametrize(
    ("sentences", "ends"), [("甲乙丙丁。戊己庚辛！壬癸子丑？", "。！？"), ("これは水です。", "。")]
)
def test_sentences_without_spaces_are_cut_at_their_ends(sentences, ends):
    chunks = pieces(f"# 方法\n{sentences * 700}")
    assert len(chunks) > 3
    assert all(chunk.text[-1] in ends for chunk in chunks)
    assert {chunk.breadcrumb for chunk in chunks} == {("doc", "方法")}


def test_right_to_left_text_stays_as_it_is():
    line = "הלחץ 7.5 bar (טבלה 3) ביחידה XK-9"
    (chunk,) = pieces(f"# שירות API v2\n{line}\n")
    assert chunk.text == line
    assert chunk.breadcrumb == ("doc", "שירות API v2")


def test_every_piece_of_a_table_has_its_header():
    rows = "\n".join(f"| R{number} | {number * 3} mm |" for number in range(300))
    chunks = pieces(f"# T\n| part | width |\n|---|---|\n{rows}\n\nAfter the table.\n")
    assert len(chunks) > 3
    assert all(chunk.text.startswith("| part | width |") for chunk in chunks)
    (last,) = [chunk for chunk in chunks if "R299" in chunk.text]
    assert "897 mm" in last.text


def test_every_piece_of_an_html_table_has_its_header():
    rows = "".join(f"<tr><td>R{number}</td><td>{number * 3} mm</td></tr>\n" for number in range(300))
    chunks = pieces(f"# T\n<table>\n<tr><th>part</th><th>width</th></tr>\n{rows}</table>\n")
    assert len(chunks) > 3
    assert all(chunk.text.startswith("part | width") for chunk in chunks)


def test_text_beside_and_below_an_html_heading_is_found():
    text = "<p>Before.</p>\n<h2>Range</h2>\n<p>Within range.</p>\n<h2>Reach</h2> Beside it.\n<p>Below it.</p>\n"
    assert [(chunk.breadcrumb[-1], " ".join(chunk.text.split())) for chunk in pieces(text)] == [
        ("doc", "Before."), ("Range", "Within range."), ("Reach", "Beside it. Below it."),
    ]  # fmt: skip


def test_the_next_table_has_its_own_header():
    def table(name):
        rows = "\n".join(f"| {name}{number} | {'x' * 20} |" for number in range(60))
        return f"| {name} | size |\n|---|---|\n{rows}\n"

    chunks = pieces(f"# T\n{table('Nut')}\nBetween.\n\n{table('Bolt')}\n")
    for chunk in chunks:
        assert not ("Bolt5" in chunk.text and "| Bolt | size |" not in chunk.text)
    assert "| Nut | size |" not in chunks[-1].text


def test_code_and_formulas_are_cut_only_where_they_are_long_alone():
    code = "\n".join(f"step_{number}()" for number in range(150))
    (chunk,) = pieces(f"# A\n```\n{code}\n```\n")
    assert "step_0()" in chunk.text
    assert "step_149()" in chunk.text
    assert len(pieces(f"# A\n```\n{code * 10}\n```\n")) > 1


@pytest.mark.parametrize(
    "text", ["word " * 9000, "x" * 9000, f"| a |\n|---|\n| {'word ' * 3000} |", f"<p>{'word ' * 9000}</p>"]
)
def test_no_piece_exceeds_the_limits(text):
    assert max(len(chunk.text) for chunk in pieces(f"# A\n\n{text}\n")) <= 4100


def test_a_section_with_nothing_but_a_figure_is_found_by_it(tmp_path):
    make_pictures(tmp_path / "doc", "figures/pump.png")
    prepared = prepare(
        "# A\ntext\n## Overview\n\n![](figures/pump.png)\n\nFigure 1: The pump\n\n## Next\nwords\n", tmp_path
    )
    (chunk,) = [chunk for chunk in prepared.chunks if chunk.figure_path]
    assert (chunk.figure_path, chunk.text) == ("doc/figures/pump.png", "Figure 1. The pump")
    assert chunk.breadcrumb == ("doc", "A", "Overview")


def test_noise_stays_in_the_tree_and_is_not_searched():
    titles = [
        "Contents",
        "References",
        "Glossary",
        "Acknowledgments",
        "Foreword",
        "List of Figures",
        "Index",
        "Signatures",
    ]
    text = "# Method\n" + "Real text. " * 80 + "".join(f"\n# {title}\nlisted words\n" for title in titles)
    prepared = prepare(text)
    assert {s.title for s in prepared.document.sections if s.noise} == set(titles)
    assert {chunk.breadcrumb[-1] for chunk in prepared.chunks} == {"Method"}
    assert len([w for w in prepared.document.warnings if w.kind == "section-not-indexed"]) == len(titles)


def test_the_user_decides_what_noise_is():
    text = "# Method\n" + "Real text. " * 80 + "\n# Glossary\nwords\n# Our offices\nstreets\n"
    kept = {c.breadcrumb[-1] for c in prepare(text, noise_titles=(r"our .*",), keep_titles=("glossary",)).chunks}
    assert kept == {"Method", "Glossary"}
    assert {c.breadcrumb[-1] for c in prepare(text, noise_filter=False).chunks} == {"Method", "Glossary", "Our offices"}


def test_what_stands_below_noise_goes_with_it():
    prepared = prepare("# Method\n" + "Real text. " * 80 + "\n# References\nx\n## Books\ny\n# End\nz\n")
    assert {s.title for s in prepared.document.sections if s.noise} == {"References", "Books"}


def test_a_page_that_is_a_glossary_is_kept():
    assert prepare("# Glossary\n\nValve: a part that closes.\n").chunks
