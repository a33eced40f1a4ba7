"""From a result archive to blocks in reading order."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headtree.extraction.adobe_archive import open_archive
from headtree.extraction.adobe_blocks import Block, Kind, read_blocks
from headtree.extraction.adobe_structure import group_elements, read_structure
from tests.extraction.adobe_material import archive, element, png, structure


def read(
    tmp_path: Path, *elements: dict[str, Any], files: dict[str, bytes] | None = None
) -> tuple[list[Block], list[str]]:
    path = tmp_path / "a.zip"
    path.write_bytes(archive(structure(*elements), files))
    with open_archive(path) as result:
        return read_blocks(group_elements(read_structure(result.structure()).elements), result)


def outline(blocks: list[Block]) -> list[str]:
    return [f"{block.kind.value} {block.level} {' / '.join(block.lines) or block.image}" for block in blocks]


def test_headings_have_consistent_levels(tmp_path: Path) -> None:
    blocks, _ = read(
        tmp_path,
        element("Title", "The paper", TextSize=20),
        element("Sect/H1", "1 One", TextSize=14),
        element("Sect/H3", "1.1 Deeper", TextSize=11),
        element("Sect/H", "Unnumbered", TextSize=13.9),
    )
    assert [(block.level, block.lines[0]) for block in blocks] == [
        (1, "The paper"),
        (2, "1 One"),
        (3, "1.1 Deeper"),
        (2, "Unnumbered"),
    ]


def test_without_a_title_the_first_headings_are_the_top(tmp_path: Path) -> None:
    blocks, _ = read(
        tmp_path, element("H2", "A"), element("H4/P", "B"), element("H2[2]/Sub", "C"), element("H2[2]/Sub[2]", "D")
    )
    assert [(block.level, block.lines) for block in blocks] == [(1, ("A",)), (2, ("B",)), (1, ("C D",))]


def test_lists_keep_depth_and_labels(tmp_path: Path) -> None:
    blocks, _ = read(
        tmp_path,
        element("L/LI/Lbl", "•"),
        element("L/LI/LBody", "first"),
        element("L/LI/Lbody/L/Li/Lbl", "(a)"),
        element("L/LI/Lbody/L/Li/LBody/ParagraphSpan", "nested over a"),
        element("L/LI[2]/LBody", "• second"),
        element("L/LI/Lbody/L/Li/LBody/ParagraphSpan[2]", "page", page=1),
        element("L[2]/LI/LBody", "12. ordered"),
    )
    assert [(block.level, block.marker, block.lines[0]) for block in blocks] == [
        (0, "", "first"),
        (1, "(a)", "nested over a page"),
        (0, "", "second"),
        (0, "12.", "ordered"),
    ]


def test_lines_in_a_fixed_pitch_font_are_code(tmp_path: Path) -> None:
    font = {"Font": {"monospaced": True}}
    blocks, _ = read(tmp_path, element("P/Sub", "for x in y:", **font), element("P/Sub[2]", "print(x)", **font))
    assert blocks == [Block(Kind.CODE, ("for x in y:", "print(x)"), 1)]


TABLE = [
    element("Table", filePaths=["tables/fileoutpart0.csv", "tables/fileoutpart1.png"], Bounds=[50, 400, 300, 500]),
    element("Table/TR/TH/P", "from cells"),
]


def test_a_table_is_its_image_and_its_csv_once(tmp_path: Path) -> None:
    files = {"tables/fileoutpart0.csv": b"\xef\xbb\xbfName ,Value \n", "tables/fileoutpart1.png": png()}
    blocks, warnings = read(tmp_path, *TABLE, files=files)
    assert warnings == []
    [block] = blocks
    assert (block.image, block.rows, block.page) == ("tables/fileoutpart1.png", (("Name", "Value"),), 1)
    assert block.box == (50, 292, 300, 392)


@pytest.mark.parametrize("data", [b"", b"\xff\xff", b'"",""\n'])
def test_a_table_without_a_csv_is_rebuilt_from_its_cells(tmp_path: Path, data: bytes) -> None:
    files = {"tables/fileoutpart1.png": png()} | ({"tables/fileoutpart0.csv": data} if data else {})
    blocks, warnings = read(tmp_path, *TABLE, files=files)
    assert blocks[0].rows == (("from cells",),)
    assert len(warnings) == (0 if data.startswith(b'"') else 1)


def test_a_figure_that_is_not_in_the_archive_is_listed_and_its_words_are_kept(tmp_path: Path) -> None:
    blocks, warnings = read(
        tmp_path,
        element("Figure", "Words inside", filePaths=["figures/../../evil.png", "figures/gone.png"]),
        files={"figures/../../evil.png": png()},
    )
    assert outline(blocks) == ["text 0 Words inside"]
    assert [warning.split(": ")[1].split()[0] for warning in warnings] == ["figure", "figure"]
    assert "evil.png" in warnings[0]
    assert "gone.png" in warnings[1]


def test_a_caption_that_stands_apart_is_set_beside_its_picture(tmp_path: Path) -> None:
    figure = element("Figure", "inside", filePaths=["figures/a.png"], Bounds=[50, 500, 300, 700])
    table = element("Table", filePaths=["tables/b.png"], Bounds=[320, 200, 560, 300])
    blocks, _ = read(
        tmp_path,
        figure,
        table,
        element("P", "Left column text.", Bounds=[50, 100, 300, 400]),
        element("P[2]", "Figure 1: What it shows.", Bounds=[50, 470, 300, 495]),
        element("P[3]", "Right column text that mentions Table 1.", Bounds=[320, 400, 560, 700]),
        element("P[4]", "Table 1. Numbers.", Bounds=[320, 305, 560, 330]),
        element("P[5]", "Figure 1 shows that nothing moves.", Bounds=[50, 440, 300, 460]),
        files={"figures/a.png": png(), "tables/b.png": png()},
    )
    assert outline(blocks) == [
        "picture 0 figures/a.png",
        "text 0 inside",
        "text 0 Figure 1: What it shows.",
        "text 0 Table 1. Numbers.",
        "picture 0 tables/b.png",
        "text 0 Left column text.",
        "text 0 Right column text that mentions Table 1.",
        "text 0 Figure 1 shows that nothing moves.",
    ]


def test_a_caption_tagged_within_its_figure_is_text_of_its_own(tmp_path: Path) -> None:
    blocks, _ = read(
        tmp_path,
        element("Figure", filePaths=["figures/a.png"]),
        element("Figure/Caption/P", "Figure 2: Inside the tag."),
        files={"figures/a.png": png()},
    )
    assert outline(blocks) == ["picture 0 figures/a.png", "text 0 Figure 2: Inside the tag."]
