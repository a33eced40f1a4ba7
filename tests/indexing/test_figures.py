"""What a document says about its images: kind, printed number, caption, mentions."""

from __future__ import annotations

import pytest

from headtree.indexing.figures import parse_label
from headtree.indexing.labels import caption_start, mentions
from headtree.types import FigureKind, WarningKind
from tests.library import figure, make_pictures, prepare, read

SENTENCE = "The measured values of this run are given in the list that follows, as they were in the first report."


def registered(tmp_path, text, *paths, size=(400, 300)):
    make_pictures(tmp_path / "doc", *paths, size=size)
    return read(text, tmp_path)


def labels(document):
    return {f.filename: f.label for f in document.figures}


# ------------------------------------------------------------------------------------------------------------ captions


def test_captions_below_tables_stay_apart(tmp_path):
    document = registered(
        tmp_path, "# R\n![](t/a.png)\nTable 6: Weights.\n\n![](t/b.png)\nTable 7: Prices.\n", "t/a.png", "t/b.png"
    )
    assert labels(document) == {"t/a.png": "Table 6", "t/b.png": "Table 7"}
    assert [f.caption for f in document.figures] == ["Weights.", "Prices."]


def test_captions_above_tables_and_below_figures(tmp_path):
    document = registered(
        tmp_path,
        f"# R\n\nTable 1: Weights.\n\n![](tables/a.png)\n\n{SENTENCE}\n\n![](f/b.png)\n\nFigure 1: Prices.\n\n"
        f"Table 2: Sizes.\n\n![](tables/c.png)\n\n{SENTENCE}\n",
        "tables/a.png", "f/b.png", "tables/c.png",
    )  # fmt: skip
    assert labels(document) == {"tables/a.png": "Table 1", "f/b.png": "Figure 1", "tables/c.png": "Table 2"}
    assert [f.kind for f in document.figures] == [FigureKind.TABLE, FigureKind.FIGURE, FigureKind.TABLE]


def test_a_caption_over_several_lines_is_whole_and_is_searched(tmp_path):
    make_pictures(tmp_path / "doc", "f/a.png")
    prepared = prepare(
        "# R\n![](f/a.png)\nFigure 5: Above, the price.\nBelow, the time; see (b).\nDotted: the bound.\n\nRunning text.\n",
        tmp_path,
    )
    (found,) = prepared.document.figures
    assert (found.label, found.caption) == (
        "Figure 5",
        "Above, the price. Below, the time; see (b). Dotted: the bound.",
    )
    (chunk,) = [chunk for chunk in prepared.chunks if chunk.figure_path]
    assert "Dotted: the bound." in chunk.text
    assert chunk.figure_path == "doc/f/a.png"


def test_a_caption_in_the_alternative_text(tmp_path):
    document = registered(tmp_path, "![Figure 4: A pump](a.png)", "a.png")
    assert (document.figures[0].label, document.figures[0].caption) == ("Figure 4", "A pump")


def test_a_caption_after_the_words_of_the_picture(tmp_path):
    document = registered(
        tmp_path, "# R\n\n![](f/a.png)\n\nInlet Outlet Valve Figure 2. The pump in parts\n", "f/a.png"
    )
    assert labels(document) == {"f/a.png": "Figure 2"}


def test_panels_before_one_caption_are_parts_of_one_figure(tmp_path):
    document = registered(
        tmp_path, "# R\n\n![](a.png)\n\n(a)\n\n![](b.png)\n\n(b)\n\nFigure 3: Two pumps\n", "a.png", "b.png"
    )
    assert labels(document) == {"a.png": "Figure 3", "b.png": "Figure 3"}
    assert {f.kind for f in document.figures} == {FigureKind.PART}
    assert {f.group for f in document.figures} == {"fig_1"}


def test_a_caption_without_image_is_a_doubt(tmp_path):
    document = registered(tmp_path, f"# R\n\n{SENTENCE}\n\nFigure 9: Never drawn.\n\n{SENTENCE}\n")
    (doubt,) = [w for w in document.warnings if w.kind is WarningKind.FIGURE_DOUBT]
    assert doubt.line == 5
    assert "Figure 9" in doubt.message


def test_each_word_has_numbers_of_its_own(tmp_path):
    document = registered(
        tmp_path,
        f"# R\n\n![](a.png)\n\nScheme 1. A reaction\n\n{SENTENCE}\n\n![](b.png)\n\nFigure 1. A yield\n\n"
        f"{SENTENCE} As Figure 1 shows, more was had.\n",
        "a.png",
        "b.png",
    )
    assert labels(document) == {"a.png": "Scheme 1", "b.png": "Figure 1"}
    assert [len(f.mentions) for f in document.figures] == [0, 1]


def test_the_number_of_an_enclosed_document_is_no_caption(tmp_path):
    document = read(f"# Annual report\n\n{SENTENCE}\n\nExhibit 31.1\n\n{SENTENCE}\n", tmp_path)
    assert not [w for w in document.warnings if w.kind is WarningKind.FIGURE_DOUBT]


# ----------------------------------------------------------------------------------------------------------- formulas


@pytest.mark.parametrize("size", [(300, 60), (227, 80), (293, 121), (200, 200)])
def test_an_image_with_nothing_but_a_number_below_is_a_formula(tmp_path, size):
    make_pictures(tmp_path / "doc", "wide.png", size=(900, 500))
    document = registered(
        tmp_path, f"# M\n\n{SENTENCE}\n\n![](e.png)\n\n(4)\n\nwith the mass m.\n\n{SENTENCE}\n", "e.png", size=size
    )
    assert (document.figures[0].kind, document.figures[0].label) == (FigureKind.FORMULA, "Equation 4")


def test_two_numbers_below_one_formula(tmp_path):
    document = registered(
        tmp_path, f"# M\n\n{SENTENCE}\n\n![](e.png)\n\n(3)\n\n(4)\n\n{SENTENCE}\n", "e.png", size=(300, 90)
    )
    assert document.figures[0].label == "Equations 3 and 4"


def test_a_figure_with_its_caption_is_no_formula(tmp_path):
    document = registered(tmp_path, "# M\n\n![](e.png)\n\n(4)\n\nFigure 2: Two panels\n", "e.png", size=(300, 90))
    assert (document.figures[0].kind, document.figures[0].label) == (FigureKind.FIGURE, "Figure 2")


def test_formulas_are_mentioned_by_their_bare_number(tmp_path):
    document = registered(
        tmp_path, f"# M\n\n![](e.png)\n\nE = m c (5)\n\n# N\n\nPut the mass into (5) and see Eq. (5).\n\n{SENTENCE}\n",
        "e.png", size=(300, 60),
    )  # fmt: skip
    assert document.figures[0].label == "Equation 5"
    assert [mention.line for mention in document.figures[0].mentions] == [9, 9]


# ----------------------------------------------------------------------------------------------------------- mentions


def test_mentions_in_lists_and_ranges(tmp_path):
    document = registered(
        tmp_path,
        "# M\nSee Figs. 2-3, Tab. S1 and Table IV.\n# X\n![](f/2.png)\nFigure 2: a\n\n![](f/3.png)\nFigure 3: b\n\n"
        "![](t/s.png)\nTable S1: c\n\n![](t/4.png)\nTable IV: d\n\n![](f/22.png)\nFigure 22: e\n",
        "f/2.png", "f/3.png", "t/s.png", "t/4.png", "f/22.png",
    )  # fmt: skip
    assert labels(document) == {
        "f/2.png": "Figure 2", "f/3.png": "Figure 3", "t/s.png": "Table S1", "t/4.png": "Table IV", "f/22.png": "Figure 22",
    }  # fmt: skip
    assert [[m.line for m in f.mentions] for f in document.figures] == [[2], [2], [2], [2], []]
    assert document.figures[0].mentions[0].node_id == "0001"
    assert document.figures[0].mentions[0].text == "Figs. 2-3"


def test_a_caption_is_not_its_own_mention(tmp_path):
    document = registered(tmp_path, "# M\n\n![](f/2.png)\n\nFigure 2: What Figure 3 shows, larger\n", "f/2.png")
    assert figure(document, "f/2.png").mentions == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see Figure 2", ["Figure 2"]),
        ("Figs. 2-4 show", ["Figure 2-4", "Figure 2", "Figure 3", "Figure 4"]),
        ("Figures 2 to 4", ["Figure 2", "Figure 3", "Figure 4"]),
        ("Tables 1 and 3", ["Table 1", "Table 3"]),
        ("TABLE IV", ["Table IV"]),
        ("Tab. S1 and Fig. A.2", ["Table S1", "Figure A.2"]),
        ("Eqs. (3), (4)", ["Equation 3", "Equation 4"]),
        ("Algorithm 1", ["Algorithm 1"]),
        ("Charts 2 and 3, Scheme 4", ["Chart 2", "Chart 3", "Scheme 4"]),
        ("Fig. 3a", ["Figure 3a"]),
        ("Abbildung 7", ["Figure 7"]),
        ("see Appendix Table S2", ["Table S2"]),
        ("a tablet 3 and figurehead 4", []),
        ("the table has 3 rows", []),
        ("no figure at all", []),
    ],
)
def test_numbers_that_text_names(text, expected):
    assert {str(label) for place in mentions(text) for label in place.labels} == set(expected)


@pytest.mark.parametrize(
    ("line", "label"),
    [
        ("Figure 3: A pump", "Figure 3"),
        ("FIGURE 3. A pump", "Figure 3"),
        ("**Fig. 3** A pump", "Figure 3"),
        ("Table IV", "Table IV"),
        ("Algorithm 1 Start the pump", "Algorithm 1"),
        ("Table S1 | Sizes", "Table S1"),
        ("Figure 3 shows a pump", None),
        ("In Figure 3: a pump", None),
        ("Equation 3: a sum", None),
    ],
)
def test_lines_that_begin_as_captions_do(line, label):
    start = caption_start(line)
    assert (str(start.label) if start else None) == label


def test_labels_of_the_registry_are_read_back():
    assert [str(label) for label in parse_label("Equations 3, 4 and 5")] == ["Equation 3", "Equation 4", "Equation 5"]
    assert parse_label(None) == ()
