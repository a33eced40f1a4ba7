"""Citations after a rebuild: current, moved, changed or gone, and never silently wrong (D-U06)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from headtree.chat.provenance import Place, draw_page, find_pdf, read_provenance
from headtree.chat.sources import CitationState, excerpt, place_citation, quoted
from headtree.pipeline import build_index
from headtree.types import Citation, LineSpan
from tests.chat.corpus import MANUAL

QUOTE = "The screws are tightened crosswise to 45 Nm."
LINE = MANUAL.split("\n").index(QUOTE) + 1
BREADCRUMB = ("Pump", "Pump manual", "1 Setup", "1.1 Housing")
CITATION = Citation(1, "Pump", "0003", BREADCRUMB, LINE, LINE, QUOTE, True)


def place_after(workspace: Any, text: str | None) -> tuple[CitationState, LineSpan]:
    """Change the document while the index is open, build, and place the citation."""
    opened = workspace.open()
    file = workspace.settings.documents / "Pump" / "Pump.md"
    if text is None:
        file.unlink()
    else:
        file.write_text(text, encoding="utf-8")
    build_index(workspace.settings)
    with opened.index.snapshot() as view:
        placed = place_citation(CITATION, view)
    return placed.state, placed.span


@pytest.mark.parametrize(
    ("text", "state", "line"),
    [
        (MANUAL, CitationState.CURRENT, LINE),
        (MANUAL.replace("How the", "One more line.\n\nHow the"), CitationState.MOVED, LINE + 2),
        (MANUAL.replace("45 Nm", "54 Nm"), CitationState.CHANGED, LINE),
        (MANUAL.replace("### 1.1 Housing", "### 1.1 Case").replace(QUOTE, ""), CitationState.CHANGED, LINE),
        (None, CitationState.GONE, LINE),
    ],
)
def test_citation_after_a_rebuild(workspace: Any, text: str | None, state: CitationState, line: int) -> None:
    assert place_after(workspace, text) == (state, LineSpan(line, line))


@pytest.mark.parametrize(
    ("quote", "read"),
    [
        ("| Lid | M14 | – | 120 |", "Lid | M14 | – | 120"),
        ("Plain words | with a bar", "Plain words | with a bar"),
        ("|a|b|\n| c | d |", "a|b\nc | d"),
        ("", ""),
    ],
)
def test_quote_of_a_table_is_readable(quote: str, read: str) -> None:
    assert quoted(quote) == read


def test_new_generation_is_seen_without_a_restart(workspace: Any) -> None:
    before = workspace.overview()
    assert workspace.overview() is before
    (workspace.settings.documents / "New.md").write_text("# New\n\nSomething new.\n", encoding="utf-8")
    build_index(workspace.settings)
    after = workspace.overview()
    assert [document.doc_id for document in after.documents] == ["Garden", "New", "Pump"]
    assert after.generation != before.generation


def test_excerpt_holds_the_marked_lines(workspace: Any) -> None:
    with workspace.open().index.snapshot() as view:
        document = view.document("Pump")
    section = document.sections["0001"]
    for line in range(section.span.first, section.span.last + 1):
        shown = excerpt(document, section, LineSpan(line, line), whole=False)
        assert line in shown.span
        assert shown.lines == document.lines[shown.span.first - 1 : shown.span.last]
        assert section.span.covers(shown.span)
        assert len(shown.span) <= 17
    assert excerpt(document, section, None, whole=True).span == section.span


def test_page_is_drawn_with_the_place_marked(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    (documents / "Pump").mkdir(parents=True)
    (tmp_path / "pdf").mkdir()
    Image.new("RGB", (200, 300), "white").save(tmp_path / "pdf" / "Pump.pdf", resolution=72)
    block = {"first_line": 3, "last_line": 6, "page": 1, "bbox": [20, 30, 80, 90]}
    figure = {"path": "figures/a.png", "page": 1, "bbox": [1, 2, 3, 4], "kind": "figure", "label": None}
    (documents / "Pump" / "provenance.json").write_text(
        json.dumps({"engine": "local", "blocks": [block], "figures": [figure]})
    )
    provenance = read_provenance(documents, "Pump/Pump.md")
    assert provenance is not None
    assert provenance.of_lines(LineSpan(1, 2)) == ()
    places = provenance.of_lines(LineSpan(5, 9))
    assert places == (Place(1, (20, 30, 80, 90)),)
    assert provenance.of_figure("figures/a.png") == Place(1, (1, 2, 3, 4))
    pdf = find_pdf(documents, "Pump")
    assert pdf is not None
    pytest.importorskip("pypdfium2", reason="pypdfium2 is not installed")
    import io

    raw = draw_page(pdf, 1, places)
    assert raw is not None
    page = Image.open(io.BytesIO(raw))
    scale = page.width / 200
    assert page.getpixel((round(50 * scale), round(60 * scale))) != (255, 255, 255)
    assert page.getpixel((round(150 * scale), round(200 * scale))) == (255, 255, 255)
    assert draw_page(pdf, 7, places) is None
    (tmp_path / "pdf" / "Pump.pdf").write_bytes(b"no pdf")
    assert draw_page(pdf, 1, places) is None


@pytest.mark.parametrize("raw", ["", "{", "[]", '{"blocks": [{"page": "x"}]}'])
def test_unreadable_provenance_is_none(tmp_path: Path, raw: str) -> None:
    (tmp_path / "provenance.json").write_text(raw)
    assert read_provenance(tmp_path, "a.md") is None
