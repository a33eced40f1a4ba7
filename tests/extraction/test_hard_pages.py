"""The local engine on pages of kinds that papers, filings and manuals have: each shows one difficulty."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("pypdfium2", reason="needs the extra: pip install 'headtree[pdf]'")

from reportlab.pdfgen.canvas import Canvas

from headtree.extraction.blocks import ExtractedDocument, Heading, Image, Paragraph
from headtree.extraction.local import extract_pdf
from tests.extraction.pdf_material import HEIGHT, MARGIN, SENTENCES, WIDTH, Page, make_pdf, prose

Draw = Callable[[Canvas], None]
BOLD = "Helvetica-Bold"


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


def tables(document: ExtractedDocument) -> list[tuple[tuple[str, ...], ...]]:
    return [block.rows for block in document.blocks if isinstance(block, Image) and block.rows]


def centred(page: Page, text: str, *, size: float = 10, font: str = "Times-Roman") -> None:
    page.y += size
    page.text(text, x=page.left + (page.width - page.canvas.stringWidth(text, font, size)) / 2, size=size, font=font)
    page.y += 0.3 * size


def test_numbered_headings_in_the_middle_of_a_column_need_no_other_type(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        centred(page, "On the Depth of Small Rivers", size=20)
        for number, title in (("I", "Introduction"), ("II", "Related Work")):
            centred(page, f"{number}. {title}")
            page.paragraph(prose(0, 1, 2, 3))
            page.text("A. Echo and Sound", font="Times-Italic")
            page.paragraph(prose(3, 4, 5))
        centred(page, "References")
        page.paragraph(prose(1, 2))

    assert headings(read(draw)) == [
        (1, "On the Depth of Small Rivers"),
        (2, "I. Introduction"),
        (3, "A. Echo and Sound"),
        (2, "II. Related Work"),
        (3, "A. Echo and Sound"),
        (2, "References"),
    ]


def test_three_columns_are_read_one_after_the_other(read: Callable[..., ExtractedDocument]) -> None:
    texts = [f"Part {number} begins here. {prose(*range(number, number + 9))}" for number in range(3)]

    def draw(canvas: Canvas) -> None:
        title = Page(canvas)
        centred(title, "News of the Valley", size=24, font=BOLD)
        for number, text in enumerate(texts):
            page = Page(canvas, left=40 + 178 * number, width=160)
            page.y = 140
            page.paragraph(text, size=9)

    document = read(draw)
    assert headings(document) == [(1, "News of the Valley")]
    assert " ".join(block.text for block in document.blocks if isinstance(block, Paragraph)) == " ".join(texts)


def test_a_filing_names_each_item_once_and_holds_its_exhibits(read: Callable[..., ExtractedDocument]) -> None:
    def contents(canvas: Canvas) -> None:
        page = Page(canvas)
        page.heading("Annual Report of the River Company", size=18, font=BOLD)
        for title in ("Part I", "Item 1. Business", "Item 1A. Risk Factors", "Item 2. Properties"):
            page.text(title, font="Times-Bold")
            page.y += 6

    def item(number: str, title: str, *, continued: bool = False) -> Draw:
        def draw(canvas: Canvas) -> None:
            page = Page(canvas)
            page.heading(f"Item {number}. {title}" + (" (continued)" if continued else ""), size=10, font="Times-Bold")
            page.paragraph(prose(0, 1, 2, 3, 4, 5))
            page.text("Rivers of the north", font="Times-Italic")
            page.y += 4
            page.paragraph(prose(3, 4, 5))

        return draw

    def part(canvas: Canvas) -> None:
        page = Page(canvas)
        page.heading("PART I", size=10, font="Times-Bold")
        page.heading("Item 1. Business", size=10, font="Times-Bold")
        page.paragraph(prose(0, 1, 2, 3, 4, 5))

    def exhibit(canvas: Canvas) -> None:
        page = Page(canvas)
        page.text("Exhibit 10.1", font="Times-Bold")
        page.heading("ARTICLE I DEFINITIONS", size=10, font="Times-Bold")
        page.paragraph(prose(0, 1, 2))
        page.y += 8
        page.text("1.01 Account")
        width = canvas.stringWidth("1.01 Account", "Times-Roman", 10)
        canvas.line(MARGIN, HEIGHT - page.y + 10, MARGIN + width, HEIGHT - page.y + 10)
        page.y += 8
        page.paragraph(prose(2, 3, 4, 5))

    pages = (contents, part, item("1A", "Risk Factors"), item("1A", "Risk Factors", continued=True))
    assert headings(read(*pages, item("2", "Properties"), exhibit)) == [
        (1, "Annual Report of the River Company"),
        (2, "PART I"),
        (3, "Item 1. Business"),
        (3, "Item 1A. Risk Factors"),
        (4, "Rivers of the north"),
        (4, "Rivers of the north"),
        (3, "Item 2. Properties"),
        (4, "Rivers of the north"),
        (2, "Exhibit 10.1"),
        (3, "ARTICLE I DEFINITIONS"),
        (4, "1.01 Account"),
    ]


def test_titles_over_several_columns_are_bound_to_each_of_them(read: Callable[..., ExtractedDocument]) -> None:
    rights = (300, 360, 440, 500)

    def draw(canvas: Canvas) -> None:
        page = Page(canvas)
        page.paragraph(prose(0, 1))
        top = page.y + 10
        canvas.setFont("Times-Roman", 9)
        for middle, year in ((315, "2023"), (455, "2022")):
            canvas.drawCentredString(middle, HEIGHT - top, year)
        rows = (
            ("", ("Depth", "Width", "Depth", "Width")),
            ("Northern arm of the Elder, at the bridge and", ()),
            ("below it", ("12.5", "140", "$11.0", "139")),
            ("Southern arm", ("8.0", "95", "—", "(95)")),
            ("Canal", ("3.25", "22", "3.0", "21")),
        )
        heights = (16, 34, 45, 62, 79)
        for height, (label, cells) in zip(heights, rows, strict=True):
            canvas.drawString(MARGIN, HEIGHT - top - height, label)
            for right, cell in zip(rights, cells, strict=False):
                canvas.drawRightString(right, HEIGHT - top - height, cell)
        page.y = top + 100
        page.paragraph(prose(2, 3))

    assert tables(read(draw)) == [
        (
            ("", "2023 Depth", "2023 Width", "2022 Depth", "2022 Width"),
            ("Northern arm of the Elder, at the bridge and below it", "12.5", "140", "$11.0", "139"),
            ("Southern arm", "8.0", "95", "—", "(95)"),
            ("Canal", "3.25", "22", "3.0", "21"),
        )
    ]


def test_a_form_is_read_with_what_was_filled_in(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 10)
        canvas.drawString(MARGIN, HEIGHT - 100, "Name of the river")
        canvas.acroForm.textfield(name="river", x=MARGIN, y=HEIGHT - 130, width=200, height=18, value="Northern Elder")

    words = " ".join(block.text for block in read(draw).blocks if isinstance(block, (Heading, Paragraph)))
    assert words == "Name of the river Northern Elder"


def test_a_note_in_the_margin_does_not_break_paragraphs(read: Callable[..., ExtractedDocument]) -> None:
    def draw(canvas: Canvas) -> None:
        page = Page(canvas, width=0.55 * WIDTH)
        page.paragraph(" ".join(SENTENCES * 4), size=8)
        margin = Page(canvas, left=0.75 * WIDTH, width=0.2 * WIDTH)
        margin.paragraph("The gauge at the bridge was read twice.", size=7)

    texts = [block.text for block in read(draw).blocks if isinstance(block, Paragraph)]
    assert len(texts) <= 3
    assert sum(text.count("The quick survey") for text in texts) == 4
