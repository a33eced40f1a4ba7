"""The conventions of a written document, and that it is written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headtree.errors import ExtractionError
from headtree.extraction.blocks import (
    Block,
    Code,
    ExtractedDocument,
    Footnote,
    Heading,
    Image,
    ListItem,
    Page,
    Paragraph,
    Place,
)
from headtree.extraction.writing import SourceIdentity, is_current, read_provenance, write_document
from headtree.types import FigureKind

SOURCE = SourceIdentity("river.pdf", "00ff")
BLOCKS: tuple[Block, ...] = (
    Heading("The River", 1, (Place(1, (70, 60, 300, 80)),)),
    Paragraph("It rains.", (Place(1, (70, 90, 300, 100)), Place(2, (70, 60, 300, 70)))),
    ListItem("first", "1.", places=(Place(1, (70, 110, 300, 120)),)),
    ListItem("inner", "(a)", 1, (Place(1, (90, 120, 300, 130)),)),
    ListItem("bullet", "•", 1),
    ListItem("second", "2."),
    Image(
        FigureKind.TABLE,
        b"table",
        "Table 1",
        "Table 1: Depth",
        (("Month", "Depth"), ("May",)),
        places=(Place(2, (70.04, 200, 300, 260)),),
        caption_places=(Place(2, (70, 190, 300, 198)),),
    ),
    Image(FigureKind.FIGURE, lambda: b"figure", "Figure 1", "Figure 1: Map"),
    Image(FigureKind.FORMULA, b"formula", "Equation 5", "(5)"),
    Footnote("¹ Measured at noon."),
    Code("for x:\n  y"),
)
MARKDOWN = """\
# The River

It rains.

1. first
   - (a) inner
   - bullet
2. second

![Table 1: Depth](tables/table-001.png)

Table 1: Depth

| Month | Depth |
| --- | --- |
| May |  |

![Figure 1: Map](figures/figure-001.png)

Figure 1: Map

![](figures/formula-001.png)

(5)

> ¹ Measured at noon.

```
for x:
  y
```
"""


def document(*blocks: Block) -> ExtractedDocument:
    return ExtractedDocument("local", "1", blocks, (Page(1, 595.3, 841.9), Page(2, 595.3, 841.9)), ("page 2 is odd",))


def test_conventions(tmp_path: Path) -> None:
    path = write_document(document(*BLOCKS), folder=tmp_path / "river", source=SOURCE)
    assert path == tmp_path / "river" / "river.md"
    assert path.read_text() == MARKDOWN
    assert (tmp_path / "river/tables/table-001.png").read_bytes() == b"table"
    assert (tmp_path / "river/figures/figure-001.png").read_bytes() == b"figure"
    assert [entry.name for entry in tmp_path.iterdir()] == ["river"]


def test_provenance_points_at_the_lines(tmp_path: Path) -> None:
    path = write_document(document(*BLOCKS), folder=tmp_path / "river", source=SOURCE)
    record = json.loads((path.parent / "provenance.json").read_text())
    assert record["engine"] == "local"
    assert record["pages"][1] == {"page": 2, "width": 595.3, "height": 841.9}
    assert record["figures"][0] == {
        "path": "tables/table-001.png",
        "page": 2,
        "bbox": [70.0, 200.0, 300.0, 260.0],
        "kind": "table",
        "label": "Table 1",
        "caption": "Table 1: Depth",
    }
    lines = path.read_text().split("\n")
    found = [("\n".join(lines[b["first_line"] - 1 : b["last_line"]]), b["page"]) for b in record["blocks"]]
    assert found == [
        ("# The River", 1),
        ("It rains.", 1),
        ("It rains.", 2),
        ("1. first", 1),
        ("   - (a) inner", 1),
        ("![Table 1: Depth](tables/table-001.png)", 2),
        ("Table 1: Depth", 2),
    ]
    assert record["warnings"] == ["page 2 is odd"]


def test_a_failure_leaves_what_was_there(tmp_path: Path) -> None:
    def torn() -> bytes:
        raise OSError("the disk is full")

    folder = tmp_path / "river"
    write_document(document(Paragraph("old")), folder=folder, source=SOURCE)
    with pytest.raises(OSError, match="disk is full"):
        write_document(document(Paragraph("new"), Image(FigureKind.FIGURE, torn)), folder=folder, source=SOURCE)
    assert (folder / "river.md").read_text() == "old\n"
    assert [entry.name for entry in tmp_path.iterdir()] == ["river"]


def test_replacing_drops_old_pictures_and_keeps_foreign_files(tmp_path: Path) -> None:
    folder = tmp_path / "river"
    write_document(
        document(Image(FigureKind.FIGURE, b"1"), Image(FigureKind.FIGURE, b"2")), folder=folder, source=SOURCE
    )
    (folder / "notes.txt").write_text("mine")
    write_document(document(Image(FigureKind.FIGURE, b"3")), folder=folder, source=SOURCE)
    assert sorted(path.name for path in folder.rglob("*.*")) == [
        "figure-001.png",
        "notes.txt",
        "provenance.json",
        "river.md",
    ]
    assert (folder / "figures/figure-001.png").read_bytes() == b"3"


def test_an_edited_document_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "river"
    path = write_document(document(Paragraph("old")), folder=folder, source=SOURCE)
    path.write_text("my own words\n")
    with pytest.raises(ExtractionError, match="was edited"):
        write_document(document(Paragraph("new")), folder=folder, source=SOURCE)
    assert path.read_text() == "my own words\n"
    write_document(document(Paragraph("new")), folder=folder, source=SOURCE, replace=True)
    assert path.read_text() == "new\n"


def test_a_foreign_document_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "river").mkdir()
    (tmp_path / "river/river.md").write_text("written by hand\n")
    with pytest.raises(ExtractionError, match="did not extract"):
        write_document(document(Paragraph("new")), folder=tmp_path / "river", source=SOURCE)


def test_a_document_is_current_for_its_source_and_engine_only(tmp_path: Path) -> None:
    folder = tmp_path / "river"
    write_document(document(Paragraph("x")), folder=folder, source=SOURCE)
    assert is_current(folder, source=SOURCE, engine="local", engine_version="1")
    assert is_current(folder, source=SourceIdentity("renamed.pdf", "00ff"), engine="local", engine_version="1")
    assert not is_current(folder, source=SourceIdentity("river.pdf", "11"), engine="local", engine_version="1")
    assert not is_current(folder, source=SOURCE, engine="local", engine_version="2")
    assert not is_current(folder, source=SOURCE, engine="adobe", engine_version="1")
    (folder / "provenance.json").write_text("{")
    assert read_provenance(folder) is None
    assert not is_current(folder, source=SOURCE, engine="local", engine_version="1")
