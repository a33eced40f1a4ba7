"""From a result archive to the common blocks, and through the common writer to files."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtree.errors import ExtractionError
from headtree.extraction.adobe_blocks import read_archive
from headtree.extraction.adobe_captions import read_label
from headtree.extraction.blocks import (
    Block,
    Code,
    ExtractedDocument,
    Footnote,
    Heading,
    Image,
    ListItem,
    Paragraph,
    Place,
)
from headtree.extraction.rendering import render_document
from headtree.extraction.writing import identify_source, write_document
from headtree.types import FigureKind
from tests.extraction.adobe_material import archive, element, png, structure


def read(tmp_path: Path, *elements: dict[str, Any], files: dict[str, bytes] | None = None) -> ExtractedDocument:
    path = tmp_path / "a.zip"
    path.write_bytes(archive(structure(*elements, pages=2), files))
    return read_archive(path)


def words(block: Block) -> str:
    return block.caption if isinstance(block, Image) else block.text


def test_headings_have_consistent_levels(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("Title", "The paper", TextSize=20),
        element("Sect/H1", "1 One", TextSize=14),
        element("Sect/H3", "1.1 Deeper", TextSize=11),
        element("Sect/H", "Unnumbered", TextSize=13.9),
    )
    assert document.blocks == (
        Heading("The paper", 1),
        Heading("1 One", 2),
        Heading("1.1 Deeper", 3),
        Heading("Unnumbered", 2),
    )


def test_without_a_title_the_first_headings_are_the_top(tmp_path: Path) -> None:
    document = read(
        tmp_path, element("H2", "A"), element("H4/P", "B"), element("H2[2]/Sub", "C"), element("H2[2]/Sub[2]", "D")
    )
    assert document.blocks == (Heading("A", 1), Heading("B", 2), Heading("C D", 1))


def test_lists_keep_depth_and_labels(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("L/LI/Lbl", "•"),
        element("L/LI/LBody", "first"),
        element("L/LI/Lbody/L/Li/Lbl", "(a)"),
        element("L/LI/Lbody/L/Li/LBody/ParagraphSpan", "nested over a"),
        element("L/LI[2]/LBody", "• second"),
        element("L/LI/Lbody/L/Li/LBody/ParagraphSpan[2]", "page", page=1),
        element("L[2]/LI/LBody", "12. ordered"),
        element("TOC/TOCI/Reference", "Introduction 3"),
    )
    assert document.blocks == (
        ListItem("first"),
        ListItem("nested over a page", "(a)", 1),
        ListItem("second"),
        ListItem("ordered", "12."),
        ListItem("Introduction 3"),
    )


def test_notes_code_and_asides_are_told_apart(tmp_path: Path) -> None:
    font = {"Font": {"monospaced": True}}
    document = read(
        tmp_path,
        element("P/Sub", "for x in y:", **font),
        element("P/Sub[2]", "print(x)", **font),
        element("Footnote/P", "1 A note."),
        element("Aside/P", "Beside."),
    )
    assert document.blocks == (Code("for x in y:\nprint(x)"), Footnote("1 A note."), Paragraph("Beside."))


def test_a_paragraph_has_a_place_for_each_page_that_it_runs_over(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("P/ParagraphSpan", "It runs", Bounds=[10, 20, 200, 40]),
        element("P/ParagraphSpan[2]", "over a page.", page=1, Bounds=[10, 700, 200, 720]),
    )
    places = (Place(1, (10.0, 752.0, 200.0, 772.0)), Place(2, (10.0, 72.0, 200.0, 92.0)))
    assert document.blocks == (Paragraph("It runs over a page.", places),)


TABLE = [
    element("Table", filePaths=["tables/fileoutpart0.csv", "tables/fileoutpart1.png"], Bounds=[50, 400, 300, 500]),
    element("Table/TR/TH/P", "from cells", Bounds=[60, 480, 90, 490]),
]


def test_a_table_is_its_image_and_its_csv_once(tmp_path: Path) -> None:
    image = png()
    files = {"tables/fileoutpart0.csv": b"\xef\xbb\xbfName ,Value \n", "tables/fileoutpart1.png": image}
    document = read(tmp_path, *TABLE, files=files)
    assert document.warnings == ()
    [table] = document.blocks
    assert isinstance(table, Image)
    assert callable(table.data)
    assert table.data() == image
    assert (table.kind, table.rows) == (FigureKind.TABLE, (("Name", "Value"),))
    assert table.places == (Place(1, (50.0, 292.0, 300.0, 392.0)),)


@pytest.mark.parametrize("data", [b"", b"\xff\xff", b'"",""\n'])
def test_a_table_without_a_csv_is_rebuilt_from_its_cells(tmp_path: Path, data: bytes) -> None:
    files = {"tables/fileoutpart1.png": png()} | ({"tables/fileoutpart0.csv": data} if data else {})
    document = read(tmp_path, *TABLE, files=files)
    assert [block.rows for block in document.blocks if isinstance(block, Image)] == [(("from cells",),)]
    assert len(document.warnings) == (0 if data.startswith(b'"') else 1)


@pytest.mark.parametrize("data", [None, b"", b"no image", png()[:-20], png()[:60]])
def test_an_image_that_is_absent_or_cut_is_listed_and_the_rest_is_kept(tmp_path: Path, data: bytes | None) -> None:
    files = {} if data is None else {"figures/a.png": data, "tables/fileoutpart1.png": data}
    document = read(tmp_path, element("Figure", "Words inside", filePaths=["figures/a.png"]), *TABLE, files=files)
    assert document.blocks[0] == Paragraph("Words inside")
    table = document.blocks[1]
    assert isinstance(table, Image)
    assert (table.data, table.rows) == (None, (("from cells",),))
    assert sum("a.png" in warning for warning in document.warnings) == 1
    assert all(warning.startswith("page 1: ") for warning in document.warnings)


def test_an_image_of_giant_size_is_left_out(tmp_path: Path) -> None:
    data = bytearray(png())
    data[16:24] = (60_000).to_bytes(4, "big") * 2
    document = read(tmp_path, element("Figure", "x", filePaths=["figures/a.png"]), files={"figures/a.png": bytes(data)})
    assert document.blocks == (Paragraph("x"),)
    assert "cannot be shown" in document.warnings[0]


def test_a_caption_that_stands_apart_belongs_to_its_picture(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("Figure", "inside", filePaths=["figures/a.png"], Bounds=[50, 500, 300, 700]),
        element("Table", filePaths=["tables/b.png"], Bounds=[320, 200, 560, 300]),
        element("P", "Left column text.", Bounds=[50, 100, 300, 400]),
        element("P[2]", "Figure 1: What it shows.", Bounds=[50, 470, 300, 495]),
        element("P[3]", "Right column text that mentions Table 1.", Bounds=[320, 400, 560, 700]),
        element("P[4]", "TABLE I. Numbers.", Bounds=[320, 305, 560, 330]),
        element("P[5]", "Figure 1 shows that nothing moves.", Bounds=[50, 440, 300, 460]),
        files={"figures/a.png": png(), "tables/b.png": png()},
    )
    assert [(type(block).__name__, words(block)) for block in document.blocks] == [
        ("Image", "Figure 1: What it shows."),
        ("Paragraph", "inside"),
        ("Image", "TABLE I. Numbers."),
        ("Paragraph", "Left column text."),
        ("Paragraph", "Right column text that mentions Table 1."),
        ("Paragraph", "Figure 1 shows that nothing moves."),
    ]
    images = [block for block in document.blocks if isinstance(block, Image)]
    assert [(image.label, image.kind) for image in images] == [
        ("Figure 1", FigureKind.FIGURE),
        ("Table I", FigureKind.TABLE),
    ]
    assert images[0].caption_places == (Place(1, (50.0, 297.0, 300.0, 322.0)),)


def test_neighbours_take_the_nearest_caption_each(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("Figure", filePaths=["figures/a.png"], Bounds=[50, 600, 280, 700]),
        element("Figure[2]", filePaths=["figures/b.png"], Bounds=[300, 600, 560, 700]),
        element("P", "Figure 2: right", Bounds=[300, 580, 560, 595]),
        element("P[2]", "Figure 1: left", Bounds=[50, 580, 280, 595]),
        element("Figure[3]", filePaths=["figures/c.png"], Bounds=[50, 400, 560, 560]),
        element("P[3]", "Algorithm 3 Step by step", Bounds=[50, 380, 560, 395]),
        files={f"figures/{name}.png": png() for name in "abc"},
    )
    assert [(block.label, block.kind) for block in document.blocks if isinstance(block, Image)] == [
        ("Figure 1", FigureKind.FIGURE),
        ("Figure 2", FigureKind.FIGURE),
        ("Algorithm 3", FigureKind.ALGORITHM),
    ]


def test_a_caption_tagged_within_its_figure_is_found(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("Figure", filePaths=["figures/a.png"]),
        element("Figure/Caption/P", "Figure 2: Inside the tag."),
        files={"figures/a.png": png()},
    )
    [image] = document.blocks
    assert isinstance(image, Image)
    assert (image.label, image.caption) == ("Figure 2", "Figure 2: Inside the tag.")


def test_images_within_a_figure_or_table_are_kept_where_the_whole_has_none(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("Figure"),
        element("Figure/Figure", filePaths=["figures/a.png"]),
        element("Figure/Figure[2]", filePaths=["figures/b.png"]),
        element("Table"),
        element("Table/TR/TD/P", "cell"),
        element("Table/TR/TD[2]/Figure", filePaths=["figures/c.png"]),
        element("Table[2]", filePaths=["tables/d.png"]),
        element("Table[2]/TR/TD[2]/Figure", filePaths=["figures/c.png"]),
        files={f"{folder}/{name}.png": png() for folder in ("figures", "tables") for name in "abcd"},
    )
    assert [(block.kind, bool(block.data)) for block in document.blocks if isinstance(block, Image)] == [
        (FigureKind.FIGURE, True),
        (FigureKind.FIGURE, True),
        (FigureKind.TABLE, False),
        (FigureKind.FIGURE, True),
        (FigureKind.TABLE, True),
    ]


def test_a_formula_has_its_number_from_its_words_or_from_beside_it(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        element("Figure", "W = W0 + G (5)", filePaths=["figures/a.png"], Bounds=[50, 600, 280, 640]),
        element("Figure[2]", filePaths=["figures/b.png"], Bounds=[50, 500, 220, 540]),
        element("P", "(6)", Bounds=[265, 512, 280, 522]),
        element("Figure[3]", "a plot of f (7)", filePaths=["figures/c.png"], Bounds=[50, 100, 280, 400]),
        files={f"figures/{name}.png": png() for name in "abc"},
    )
    images = [block for block in document.blocks if isinstance(block, Image)]
    assert [(image.kind, image.label, image.caption) for image in images] == [
        (FigureKind.FORMULA, "Equation 5", "(5)"),
        (FigureKind.FORMULA, "Equation 6", "(6)"),
        (FigureKind.FIGURE, None, ""),
    ]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("Figure 3: Words", "Figure 3"),
        ("Fig. 3. Words", "Figure 3"),
        ("FIG 3 — Words", "Figure 3"),
        ("TABLE IV", "Table IV"),
        ("Table A.2 Results", "Table A.2"),
        ("Supplementary Table S2: More", "Supplementary Table S2"),
        ("(5)", "Equation 5"),
        ("Figure 3 shows words", None),
        ("Tables are nice", None),
        ("Table of contents", None),
        ("see (5)", None),
        ("Table I would like", None),
    ],
)
def test_captions_begin_with_a_printed_number(text: str, label: str | None) -> None:
    found = read_label(text)
    assert (found.text if found else None) == label


def test_an_archive_without_content_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match=r"a\.zip: Adobe found no text"):
        read(tmp_path, element("P", " "))


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.integers(-5, 900)
    | st.text(max_size=5)
    | st.just("figures/a.png"),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["Path", "Text", "Page", "Bounds", "Kids", "filePaths", "attributes", "Font", "TextSize"]),
            inner
            | st.sampled_from(
                ["//Document/Table/TR/TD", "//Document/P/Sub[2]", "//Document/L/LI", "//Document/Figure"]
            ),
            max_size=6,
        )
        | st.dictionaries(st.sampled_from(["RowIndex", "ColIndex", "RowSpan", "ColSpan"]), inner, max_size=4)
    ),
    max_leaves=25,
)


@settings(max_examples=50)
@given(elements=st.lists(JSON, max_size=6), pages=JSON)
def test_whatever_the_json_holds_becomes_markdown_or_one_clear_error(elements: list[Any], pages: Any) -> None:
    content = {"elements": elements, "pages": pages}
    with tempfile.TemporaryDirectory() as folder, contextlib.suppress(ExtractionError):
        path = Path(folder) / "a.zip"
        path.write_bytes(archive(content, {"figures/a.png": png()}))
        render_document(read_archive(path).blocks)


# ------------------------------------------------------------------------------------------------------- to files

WHOLE = [
    element("Title", "A study of <b>trees</b>", TextSize=20, Bounds=[50, 740, 560, 770]),
    element("Sect/H1", "1 Introduction", TextSize=14, Bounds=[50, 700, 300, 720]),
    element("Sect/P/ParagraphSpan", "Trees have exam-", Bounds=[50, 600, 300, 690]),
    element("Sect/Figure", filePaths=["figures/fileoutpart0.png"], Bounds=[320, 500, 560, 690]),
    element("Sect/P/ParagraphSpan[2]", "ples # and * signs.", Bounds=[320, 400, 560, 450]),
    element("Sect/P[2]", "Figure 1: A tree.", Bounds=[320, 480, 560, 495]),
    element("Sect/L/LI/Lbl", "1."),
    element("Sect/L/LI/LBody", "An item."),
    *TABLE,
    element("P", "Table 1: Cells.", Bounds=[50, 505, 300, 515]),
    element("Footnote", "1 A note."),
]


def written(tmp_path: Path, files: dict[str, bytes]) -> Path:
    document = read(tmp_path, *WHOLE, files=files)
    folder = tmp_path / "documents" / "study"
    write_document(document, folder=folder, source=identify_source(tmp_path / "a.zip"))
    return folder


def test_an_archive_becomes_markdown_images_and_provenance(tmp_path: Path) -> None:
    figure, table = png(80, 60, "green"), png(70, 50, "red")
    csv = b"\xef\xbb\xbfName,Value\r\na|b,1\r\n"
    folder = written(
        tmp_path,
        {"figures/fileoutpart0.png": figure, "tables/fileoutpart0.csv": csv, "tables/fileoutpart1.png": table},
    )
    assert (folder / "study.md").read_text(encoding="utf-8").splitlines() == [
        "# A study of \\<b>trees\\</b>",
        "",
        "## 1 Introduction",
        "",
        "Trees have examples # and * signs.",
        "",
        "![Figure 1: A tree.](figures/figure-001.png)",
        "",
        "Figure 1: A tree.",
        "",
        "1. An item.",
        "",
        "![Table 1: Cells.](tables/table-001.png)",
        "",
        "Table 1: Cells.",
        "",
        "| Name | Value |",
        "| --- | --- |",
        "| a\\|b | 1 |",
        "",
        "> 1 A note.",
    ]
    assert (folder / "figures/figure-001.png").read_bytes() == figure
    assert (folder / "tables/table-001.png").read_bytes() == table
    provenance = json.loads((folder / "provenance.json").read_bytes())
    assert provenance["engine"] == "adobe"
    assert provenance["figures"][0] == {
        "path": "figures/figure-001.png",
        "page": 1,
        "bbox": [320.0, 102.0, 560.0, 292.0],
        "kind": "figure",
        "label": "Figure 1",
        "caption": "Figure 1: A tree.",
    }
    assert provenance["blocks"][0] == {"first_line": 1, "last_line": 1, "page": 1, "bbox": [50.0, 22.0, 560.0, 52.0]}


def test_an_entry_that_walks_out_of_the_folder_is_refused_and_nothing_is_written_outside(tmp_path: Path) -> None:
    """Case D-E01."""
    inside = tmp_path / "work"
    inside.mkdir()
    evil = {"figures/../../evil.png": png(), "../evil.png": png(), "/tmp/evil.png": png()}
    path = inside / "a.zip"
    figure = element("Figure", "Words", filePaths=list(evil))
    path.write_bytes(archive(structure(figure, element("P", "Text.")), evil))
    document = read_archive(path)
    assert document.blocks == (Paragraph("Words"), Paragraph("Text."))
    assert sum("its name is refused" in warning for warning in document.warnings) == 2 * len(evil)
    write_document(document, folder=inside / "documents" / "a", source=identify_source(path))
    names = sorted(file.relative_to(tmp_path).as_posix() for file in tmp_path.rglob("*") if file.is_file())
    assert names == ["work/a.zip", "work/documents/a/a.md", "work/documents/a/provenance.json"]
    assert not Path("/tmp/evil.png").exists()
