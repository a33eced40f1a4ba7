"""Documents and the sections that they have: one document per fault that a tree of headings may have."""

from __future__ import annotations

from pathlib import Path

import pytest

from headtree.types import WarningKind
from tests.library import body, figures_of, make_pictures, outline, prepare, read, section


def warning_lines(document, kind):
    return [warning.line for warning in document.warnings if warning.kind is kind]


# ------------------------------------------------------------------------------------------------ code and comments


@pytest.mark.parametrize("fence", ["```sh", "~~~", "````python", "   ```"])
def test_comments_in_code_are_no_headings(fence):
    closing = "`" * fence.count("`") or "~~~"
    document = read(f"# Pump\n{fence}\n# prime it first\nprime --slow\n{closing}\nNow open the valve.\n## Start\nGo.")
    assert outline(document) == [(1, "Pump"), (2, "Start")]
    assert "# prime it first" in body(document, "Pump")
    assert "Now open the valve." in body(document, "Pump")


def test_indented_code_holds_no_heading():
    document = read("# Pump\n\n    # prime it first\n    prime\n\nEnd.")
    assert outline(document) == [(1, "Pump")]


def test_code_is_searched_with_its_section():
    chunks = prepare("# Pump\n```\n# prime it first\n```\nNow open the valve.\n").chunks
    assert "prime it first" in " ".join(chunk.text for chunk in chunks if chunk.breadcrumb[-1] == "Pump")


@pytest.mark.parametrize("fence", ["~~~", "```", "````text"])
def test_a_fence_that_never_ends_is_warned_of_and_loses_no_text(tmp_path, fence):
    make_pictures(tmp_path / "doc", "figures/seen.png", "figures/hidden.png")
    prepared = prepare(
        f"# Valve\n![v](figures/seen.png)\n{fence}\n## Seat\n![s](figures/hidden.png)\nthe last brass words", tmp_path
    )
    document = prepared.document
    (warning,) = [w for w in document.warnings if w.kind is WarningKind.UNCLOSED_FENCE]
    assert warning.line == 3
    assert "1 image line" in warning.message
    assert figures_of(document, "Valve") == ["figures/seen.png"]
    assert any("the last brass words" in chunk.text for chunk in prepared.chunks)


def test_a_fence_that_ends_is_not_warned_of():
    for text in (
        "# A\n```\nx\n```",
        "# A\n```\nx\n```\n",
        "# A\n~~~\nx\n~~~~~\n\n",
        "# A\n- item\n  ```\n  x\n  ```\n",
    ):
        assert warning_lines(read(text), WarningKind.UNCLOSED_FENCE) == []


def test_comments_are_neither_searched_nor_shown(tmp_path):
    make_pictures(tmp_path / "doc", "figures/draft.png")
    prepared = prepare(
        "# Boiler\n<!--\n# Unfinished\n![d](figures/draft.png)\nsecret plan\n-->\n# Burner\nWarm <!-- inline note --> air.",
        tmp_path,
    )
    document = prepared.document
    assert outline(document) == [(1, "Boiler"), (1, "Burner")]
    assert document.figures == ()
    shown = "\n".join(document.lines) + "".join(chunk.text for chunk in prepared.chunks)
    assert not {"Unfinished", "secret", "inline note"} & set(shown.replace("\n", " ").split())
    assert "secret plan" not in shown
    assert "inline note" not in shown
    assert len(document.lines) == 8


def test_a_comment_in_code_is_content():
    document = read("# Page\n```html\n<!-- keep me -->\n```\nand `<!-- me too -->` inline\n")
    assert "<!-- keep me -->" in body(document, "Page")
    assert "<!-- me too -->" in body(document, "Page")


def test_a_comment_that_never_ends_hides_nothing():
    document = read("# One\n<!-- forgotten\n\n# Two\nwords")
    assert "words" in document.text(document.sections[0].span)


def test_hidden_elements_are_left_out_with_a_warning():
    document = read('# One\n<div style="display:none">say yes</div>\n\n<span hidden>no</span> open\n')
    assert "say yes" not in "\n".join(document.lines)
    assert warning_lines(document, WarningKind.HIDDEN_TEXT) == [2, 4]


# ---------------------------------------------------------------------------------------------------- front matter


def test_front_matter_is_metadata():
    document = read("---\ntitle: Gas burner\ntags: [a, b]\n---\n# Nozzle\nbrass")
    assert outline(document) == [(1, "Nozzle")]
    assert document.title == "Gas burner"
    assert document.metadata["tags"] == ["a", "b"]
    assert section(document, "Nozzle").line == 5
    assert "Gas burner" not in "\n".join(document.lines)


def test_a_title_that_is_no_heading_is_a_part_of_every_breadcrumb():
    document = read("---\ntitle: Gas\n  burner\n---\nBrass.\n\n# Nozzle\n\nSteel.")
    assert [section.breadcrumb[1:] for section in document.sections] == [("Gas burner",), ("Gas burner", "Nozzle")]
    said_twice = read("---\ntitle: Gas burner\n---\n# Gas Burner\n\nBrass.")
    assert [section.breadcrumb[1:] for section in said_twice.sections] == [(), ("Gas Burner",)]


@pytest.mark.parametrize("lead", ["\ufeff", "\n", "\ufeff\n\n"])
def test_front_matter_behind_a_byte_order_mark_or_blank_lines(lead):
    document = read(f"{lead}---\ntitle: Gas burner\n---\n# Nozzle\nbrass")
    assert outline(document) == [(1, "Nozzle")]
    assert document.title == "Gas burner"


def test_a_rule_at_the_top_opens_no_front_matter_that_never_closes():
    document = read("---\nSome words at the top.\n\n# Nozzle\nbrass")
    assert outline(document) == [(1, "Nozzle")]
    assert "Some words at the top." in document.text(document.sections[0].body)
    assert dict(document.metadata) == {}


@pytest.mark.parametrize("yaml", ["just a sentence", "- a list", "key: [unclosed", "when: 2024-13-45"])
def test_what_is_no_mapping_between_rules_stays_text(yaml):
    document = read(f"---\n{yaml}\n---\n\n# Nozzle\nbrass")
    assert yaml in "\n".join(document.lines)


# --------------------------------------------------------------------------------------------------- kinds of heading


def test_a_title_over_two_lines_is_one_line():
    prepared = prepare("The care of\ncopper pipes\n===\ntext about pipes")
    assert outline(prepared.document) == [(1, "The care of copper pipes")]
    assert [chunk.breadcrumb for chunk in prepared.chunks] == [("doc", "The care of copper pipes")]
    assert prepared.document.sections[1].line == 1


def test_a_rule_tight_under_a_sentence_separates_pages_and_is_reported():
    text = "# Intro\nThe words with which this page comes to its end\n---\ncontinue over here."
    document = read(text)
    assert outline(document) == [(1, "Intro")]
    assert warning_lines(document, WarningKind.HEADING_REPAIRED) == [2]
    assert "The words with which this page comes to its end" in body(document, "Intro")
    as_written = read(text, heading_repair=False)
    assert (2, "The words with which this page comes to its end") in outline(as_written)


def test_a_rule_under_a_title_makes_a_heading():
    assert outline(read("# Intro\nText.\n\nBurner sizes\n---\nThree sizes.")) == [(1, "Intro"), (2, "Burner sizes")]


def test_number_signs_of_a_name_are_kept():
    document = read("## Moving C# code to F#\nx\n### The key \\#\ny\n## Closed ##\nz")
    assert [title for _, title in outline(document)] == ["Moving C# code to F#", "The key #", "Closed"]


def test_markup_in_titles_becomes_plain_words(tmp_path):
    make_pictures(tmp_path / "doc", "figures/icon.png")
    document = read("## Use `open()` with [the guide](http://e.org/x) *at once* ![i](figures/icon.png)\ntext", tmp_path)
    assert outline(document) == [(1, "Use open() with the guide at once")]
    assert figures_of(document, "Use open() with the guide at once") == ["figures/icon.png"]
    assert all("e.org" not in part for part in document.sections[1].breadcrumb)


def test_an_html_image_in_a_title_is_a_figure_of_its_section(tmp_path):
    make_pictures(tmp_path / "doc", "figures/mac.png", "figures/top.png")
    document = read('![t](figures/top.png)\n### <img src="figures/mac.png"> Macintosh\ntext', tmp_path)
    assert outline(document) == [(1, "Macintosh")]
    assert figures_of(document, "Macintosh") == ["figures/mac.png"]
    assert figures_of(document, "doc") == ["figures/top.png"]


def test_html_headings_are_headings_and_quoted_ones_are_not():
    text = "<h2>Range</h2>\n\ntext\n\n> # Said by others\n> q\n\n1. step\n\n   ## Within a step\n\n- # Item\n"
    document = read(text)
    assert outline(document) == [(1, "Range")]
    for words in ("Said by others", "Within a step", "Item"):
        assert words in body(document, "Range")


def test_a_tab_and_special_spaces():
    document = read("#\tWith a tab\n\n```\nx\ty\n```\n\n## Non\u00a0breaking\nwords")
    assert [title for _, title in outline(document)] == ["With a tab", "Non breaking"]
    assert "x\ty" in body(document, "With a tab")


def test_headings_of_a_directive_do_not_cut_the_document():
    document = read("# Top\n````{note} Mind\n## Inner\nwords of the note\n````\nafter\n# Next\n")
    assert outline(document) == [(1, "Top"), (1, "Next")]
    assert "words of the note" in body(document, "Top")


# ------------------------------------------------------------------------------------------------------------ nesting


def test_skipped_levels_make_siblings():
    document = read("# T\n### First\na\n### Second\nb\n## Third\nc")
    assert outline(document) == [(1, "T"), (2, "First"), (2, "Second"), (2, "Third")]
    assert {section(document, title).parent for title in ("First", "Second", "Third")} == {"0001"}


def test_equal_titles_are_different_sections_with_lasting_ids():
    text = "# Runs\n## Steps\nfirst\n## Steps\nsecond\n## `Steps`\nthird"
    one, two = prepare(text), prepare(text)
    assert [s.node_id for s in one.document.sections] == ["0000", "0001", "0002", "0003", "0004"]
    assert one.document.sections == two.document.sections
    assert [(c.node_id, c.text) for c in one.chunks] == [("0002", "first"), ("0003", "second"), ("0004", "third")]


def test_breadcrumbs_that_read_alike_are_two_sections():
    prepared = prepare("# Trade > North\n## May\nx\n# Trade\n## North > May\ny")
    joined = [" > ".join(chunk.breadcrumb) for chunk in prepared.chunks]
    assert joined[0] == joined[1]
    assert prepared.chunks[0].node_id != prepared.chunks[1].node_id
    assert prepared.chunks[0].breadcrumb != prepared.chunks[1].breadcrumb


def test_a_document_without_headings_is_one_section_named_like_it():
    prepared = prepare("Nothing but words, on tinning at 240 C.", doc_id="tinning")
    (only,) = prepared.document.sections
    assert (only.title, only.node_id, only.breadcrumb) == ("tinning", "0000", ("tinning",))
    assert [chunk.text for chunk in prepared.chunks] == ["Nothing but words, on tinning at 240 C."]


def test_a_document_of_headings_alone():
    document = read("# A\n## B\n### C")
    assert outline(document) == [(1, "A"), (2, "B"), (3, "C")]
    assert [len(s.body) for s in document.sections] == [0, 1, 1, 1]


@pytest.mark.parametrize("empty", ["", "\n", "\n\n\n"])
def test_an_empty_document(empty):
    prepared = prepare(empty)
    assert len(prepared.document.sections) == 1
    assert prepared.chunks == ()


def test_numbering_gives_depth_where_the_extractor_gave_none():
    text = "## 1 Start\na\n## 1.1 Purpose\nb\n## 2 Material\nc"
    assert outline(read(text)) == [(1, "1 Start"), (2, "1.1 Purpose"), (1, "2 Material")]
    assert warning_lines(read(text), WarningKind.HEADING_REPAIRED) == [3]
    assert [level for level, _ in outline(read(text, heading_repair=False))] == [1, 1, 1]


def test_letters_under_roman_numbers():
    titles = ["I. Method", "A. Device", "B. Signal", "II. Results", "A. Field", "III. End"]
    document = read("\n".join(f"# {title}\ntext of it" for title in titles))
    assert outline(document) == [
        (1, "I. Method"), (2, "A. Device"), (2, "B. Signal"), (1, "II. Results"), (2, "A. Field"), (1, "III. End"),
    ]  # fmt: skip


def test_column_names_between_cells_are_no_headings(tmp_path):
    make_pictures(tmp_path / "doc", "tables/t.png")
    cells = "\n\n".join(["Model", "Small", "12", "31", "Large"])
    document = read(f"# Results\n\n![](tables/t.png)\n\n{cells}\n\n# Epochs\n\n10\n\n20\n\n30\n", tmp_path)
    assert outline(document) == [(1, "Results")]
    assert "# Epochs" in body(document, "Results")


# ----------------------------------------------------------------------------------------------- bytes and line ends


def test_a_byte_order_mark_hides_no_heading():
    prepared = prepare("\ufeff# Title\nwords")
    assert outline(prepared.document) == [(1, "Title")]
    assert "\ufeff" not in "".join((*prepared.document.lines, *(chunk.text for chunk in prepared.chunks)))


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_line_ends_change_nothing(end):
    text = "# A\nx\n\n```\ncode\n```\n## B\npin\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
    plain, other = prepare(text), prepare(text.replace("\n", end))
    assert body(other.document, "B").startswith("## B\npin")
    assert other.document.sections == plain.document.sections
    assert other.document.lines == plain.document.lines
    assert other.chunks == plain.chunks


def test_only_line_ends_end_lines():
    document = read("# A\nx\u2028y\u0085z\x0bw\x0cv\n## B\nneedle")
    assert section(document, "B").line == 3


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16", "latin-1"])
def test_another_encoding_is_read_and_named(encoding):
    text = "# Größe\nDie Höhe des Kessels beträgt drei Meter, größer wäre unnötig für die Küche.\n## Maße\nÄhnlich.\n"
    document = read(text.encode(encoding))
    assert outline(document) == [(1, "Größe"), (2, "Maße")]
    assert warning_lines(document, WarningKind.ENCODING) == [0]


def test_bytes_of_no_encoding_are_read_with_a_warning():
    document = read(b"# Title\nabc \xff\xfe\x00\x81 words\n")
    assert warning_lines(document, WarningKind.ENCODING) == [0]
    assert "words" in "\n".join(document.lines)


# -------------------------------------------------------------------------------------------------------- large input


def test_hostile_runs_end(tmp_path):
    text = f"# A\n{'&' * 200_000}\n## B\n{'_a' * 100_000}"
    assert outline(read(text)) == [(1, "A"), (2, "B")]


@pytest.mark.parametrize("run", ["![", "<img ", "[a](", "`", "<!--", "*a ", "<h2>", "![a](b ", "<div hidden>", "| "])
def test_hostile_openings_end(run):
    text = f"# A\nx {run * (15_000 // len(run))}\n\n## B\nend"
    assert outline(read(text))[-1] == (2, "B")


def test_a_section_of_thousands_of_lines_is_cut_within_the_limits():
    lines = "\n".join(f"Reading {number}: level {number * 7}." for number in range(1, 6001))
    prepared = prepare(f"# Log\n{lines}")
    assert max(len(chunk.text) for chunk in prepared.chunks) <= 1400
    assert any("Reading 5900: level 41300." in chunk.text for chunk in prepared.chunks)


def test_twenty_thousand_headings():
    document = read("\n".join(f"# Heading {number}" for number in range(20_000)))
    assert len(document.sections) == 20_001
    assert len({s.node_id for s in document.sections}) == 20_001
    assert [s.node_id for s in document.sections] == sorted(s.node_id for s in document.sections)


def test_very_deep_nesting_is_six_levels():
    document = read("\n".join(f"{'#' * depth} L{depth}" for depth in range(1, 8)))
    assert [level for level, _ in outline(document)] == [1, 2, 3, 4, 5, 6]


# --------------------------------------------------------------------------------------------------- one after another


def test_one_document_leaves_nothing_for_the_next(tmp_path):
    make_pictures(tmp_path / "doc", "other.png")
    first = "# A\n![x][fig]\n"
    before = read(first, tmp_path)
    read("# B\n[fig]: other.png\n\n![x][fig]\n", tmp_path)
    assert read(first, tmp_path) == before
    assert before.figures == ()


def test_the_place_of_the_documents_does_not_matter(tmp_path):
    text = "# A\n![x](a.png)\n"
    for folder in ("one", "two"):
        make_pictures(tmp_path / folder / "doc", "a.png")
    one, two = (read(text, Path(tmp_path / folder)) for folder in ("one", "two"))
    assert one == two
