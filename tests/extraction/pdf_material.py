"""Small PDFs that the tests make: each shows one thing that a reader of PDFs must get right."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw
from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

WIDTH, HEIGHT = A4
MARGIN = 70.0
SENTENCES = (
    "The quick survey of rivers shows that water finds its way through every valley it meets.",
    "Nobody had measured the depth of the lake before the winter of that remarkable year.",
    "Farmers along the northern bank reported a steady rise of the water after each storm.",
    "A bridge that stood for a hundred years was carried away within a single night of rain.",
    "Engineers later agreed that the foundations had been weakened by many smaller floods.",
    "The report recommends wider spans and deeper piles wherever the river bends sharply.",
)


class Page:
    """Draws on a canvas from the top down, in points from the top left."""

    def __init__(self, canvas: Canvas, *, left: float = MARGIN, width: float = WIDTH - 2 * MARGIN) -> None:
        self.canvas = canvas
        self.left = left
        self.width = width
        self.y = 80.0

    def heading(self, text: str, *, size: float = 14, font: str = "Helvetica-Bold") -> None:
        self.y += size * 1.2
        self.text(text, size=size, font=font)
        self.y += size * 0.6

    def text(self, text: str, *, x: float | None = None, size: float = 10, font: str = "Times-Roman") -> None:
        self.canvas.setFont(font, size)
        self.canvas.drawString(self.left if x is None else x, HEIGHT - self.y, text)
        self.y += size * 1.2

    def paragraph(self, text: str, *, size: float = 10, font: str = "Times-Roman", gap: float = 8) -> None:
        """Set a text in lines; a word that ends in ``~`` is broken there with a hyphen at a line's end."""
        line: list[str] = []
        for word in text.split():
            trial = " ".join([*line, word.replace("~", "")])
            if self.canvas.stringWidth(trial, font, size) > self.width and line:
                if "~" in word:
                    first, word = word.split("~")
                    line.append(first + "-")
                self.text(" ".join(line), size=size, font=font)
                line = []
            line.append(word.replace("~", ""))
        self.text(" ".join(line), size=size, font=font)
        self.y += gap


def make_pdf(path: Path, *pages: object, encryption: StandardEncryption | None = None) -> Path:
    """Write a PDF; each page is a callable that draws on a canvas."""
    canvas = Canvas(str(path), pagesize=A4, invariant=True, encrypt=encryption)
    for draw in pages:
        draw(canvas)  # type: ignore[operator]
        canvas.showPage()
    canvas.save()
    return path


def prose(*numbers: int) -> str:
    """Return sentences as running text."""
    return " ".join(SENTENCES[number % len(SENTENCES)] for number in numbers)


def draw_table(canvas: Canvas, rows: Sequence[Sequence[str]], *, top: float, ruled: bool = True) -> None:
    """Draw a table with rules above, below its header and below it."""
    lefts = [MARGIN, MARGIN + 190, MARGIN + 270, MARGIN + 350]
    y = top
    canvas.setFont("Times-Roman", 9)
    if ruled:
        canvas.line(MARGIN, HEIGHT - y + 10, MARGIN + 420, HEIGHT - y + 10)
    for number, row in enumerate(rows):
        canvas.drawString(lefts[0], HEIGHT - y, row[0])
        for left, cell in zip(lefts[1:], row[1:], strict=False):
            canvas.drawRightString(left + 40, HEIGHT - y, cell)
        if ruled and number == 0:
            canvas.line(MARGIN, HEIGHT - y - 4, MARGIN + 420, HEIGHT - y - 4)
            y += 4
        y += 13
    if ruled:
        canvas.line(MARGIN, HEIGHT - y + 8, MARGIN + 420, HEIGHT - y + 8)


def draw_chart(canvas: Canvas, *, left: float, top: float, width: float = 300, height: float = 160) -> None:
    """Draw a bar chart of vector graphics with axes and labels."""
    bottom = HEIGHT - top - height
    canvas.setLineWidth(1)
    canvas.line(left, bottom, left, bottom + height)
    canvas.line(left, bottom, left + width, bottom)
    for number, share in enumerate((0.3, 0.75, 0.5, 0.9, 0.6)):
        x = left + 20 + number * width / 5.5
        canvas.setFillColorRGB(0.2 + 0.12 * number, 0.4, 0.7)
        canvas.rect(x, bottom, width / 9, height * share, stroke=1, fill=1)
        canvas.circle(x + 10, bottom + height * share + 6, 4, stroke=1, fill=1)
        canvas.setFillColorRGB(0, 0, 0)
        canvas.setFont("Helvetica", 7)
        canvas.drawString(x, bottom - 10, f"Run {number}")


def scan_page(canvas: Canvas) -> None:
    """Draw a page that is only a picture of text."""
    image = Image.new("RGB", (1240, 1754), "white")
    draw = ImageDraw.Draw(image)
    for number, sentence in enumerate(SENTENCES):
        draw.text((120, 200 + 60 * number), sentence, fill="black", font_size=26)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    buffer.seek(0)
    canvas.drawImage(ImageReader(buffer), 0, 0, WIDTH, HEIGHT)
