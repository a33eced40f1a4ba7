"""Where on the pages of its PDF a part of a document stood, and that page as a picture with the place marked."""

from __future__ import annotations

import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from PIL import Image, ImageDraw
from pydantic import TypeAdapter, ValidationError

from headtree.types import LineSpan

_SCALE = 1.6
"""Pixels for one point: a letter page is 980 pixels wide, which is readable in a drawer."""
_MARK = (255, 213, 79, 96)


@dataclass(frozen=True, slots=True)
class Place:
    """A box on a page."""

    page: int
    """1-based."""
    bbox: tuple[float, float, float, float]
    """``x0, y0, x1, y1`` in points, origin at the top left of the page."""


@dataclass(frozen=True, slots=True)
class _Block:
    first_line: int
    last_line: int
    page: int
    bbox: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class _FigurePlace:
    path: str
    page: int
    bbox: tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Provenance:
    """What ``provenance.json`` beside a document says."""

    figures: tuple[_FigurePlace, ...] = ()
    blocks: tuple[_Block, ...] = ()

    def of_lines(self, span: LineSpan) -> tuple[Place, ...]:
        """Return the boxes of the blocks that share a line with a span, those of the first such page."""
        hits = [block for block in self.blocks if block.first_line <= span.last and block.last_line >= span.first]
        return tuple(Place(hit.page, hit.bbox) for hit in hits if hit.page == hits[0].page)

    def of_figure(self, filename: str) -> Place | None:
        """Return the box of a picture by its path as the document's folder sees it."""
        wanted = PurePosixPath(filename)
        found = next((figure for figure in self.figures if PurePosixPath(figure.path) == wanted), None)
        return Place(found.page, found.bbox) if found else None


_ADAPTER = TypeAdapter(Provenance)


def read_provenance(documents: Path, document_path: str) -> Provenance | None:
    """Read the provenance of a document by its Markdown file's path; ``None`` where there is none to read."""
    try:
        return _ADAPTER.validate_json((documents / document_path).parent.joinpath("provenance.json").read_bytes())
    except (OSError, ValidationError):
        return None


def find_pdf(documents: Path, doc_id: str) -> Path | None:
    """Return the PDF that a document was made from: ``pdf/<name>.pdf`` beside the documents folder."""
    file = documents.parent / "pdf" / f"{doc_id.rsplit('/', 1)[-1]}.pdf"
    return file if file.is_file() else None


def draw_page(pdf: Path, page: int, places: Iterable[Place]) -> bytes | None:
    """Draw a page as PNG with places marked; ``None`` where the PDF or the page cannot be drawn."""
    try:
        import pypdfium2
    except ImportError:
        return None
    try:
        document = pypdfium2.PdfDocument(pdf)
        try:
            if not 1 <= page <= len(document):
                return None
            image = document[page - 1].render(scale=_SCALE).to_pil().convert("RGBA")
        finally:
            document.close()
    except pypdfium2.PdfiumError:
        return None
    overlay = Image.new("RGBA", image.size)
    drawing = ImageDraw.Draw(overlay)
    for place in places:
        x0, y0, x1, y1 = (value * _SCALE for value in place.bbox)
        drawing.rectangle((min(x0, x1) - 3, min(y0, y1) - 3, max(x0, x1) + 3, max(y0, y1) + 3), fill=_MARK)
    raw = io.BytesIO()
    Image.alpha_composite(image, overlay).convert("RGB").save(raw, "PNG")
    return raw.getvalue()
