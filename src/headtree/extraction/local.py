"""The local engine: a PDF -> blocks, without a network. Pages are read in parallel processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pypdfium2
from loky import ProcessPoolExecutor

from headtree.errors import ExtractionError
from headtree.extraction.blocks import ExtractedDocument
from headtree.extraction.flow import make_blocks
from headtree.extraction.furniture import without_furniture
from headtree.extraction.heading_levels import assign_levels
from headtree.extraction.heading_values import OutlineEntry
from headtree.extraction.headings import find_headings
from headtree.extraction.ocr import INSTALL_OCR, Recogniser, ocr_is_installed
from headtree.extraction.page_reading import PageReader
from headtree.extraction.page_values import PageReading, TextItem
from headtree.extraction.pages import open_pdf
from headtree.extraction.text_style import BodyText
from headtree.extraction.turned_pages import on_shown_pages, shown_page

ENGINE = "local"
ENGINE_VERSION = "2"
"""Raise it when the results change: documents of an older version are extracted anew."""
_FEW_PAGES = 3
"""Pages up to which starting further processes takes longer than it saves."""
_BATCH = 4
"""Neighbouring pages that one process reads in one go."""

PageProgress = Callable[[int, int], None]
"""Is told how many pages are done and how many there are."""


def extract_pdf(
    path: Path, *, pictures: Path, progress: PageProgress | None = None, processes: int | None = None
) -> ExtractedDocument:
    """Read a PDF.

    Args:
        path: the file.
        pictures: an empty folder for the pictures; the document's images are read from it when they are written.
        progress: is told after each page.
        processes: number of processes; by default one per processor, and one for a short file.

    Raises:
        ExtractionError: the file cannot be read, or has no text and cannot be recognised here.
        ModelUnavailableError: the layout model is needed and absent.
    """
    with open_pdf(path) as document:
        count = len(document)
        outline = _outline(document)
    readings: list[PageReading] = []
    for reading in _read_pages(path, count, pictures, processes):
        readings.append(reading)
        if progress:
            progress(len(readings), count)
    readings.sort(key=lambda reading: reading.page)
    return assemble(readings, outline, name=path.name)


def assemble(pages: Sequence[PageReading], outline: Sequence[OutlineEntry] = (), *, name: str) -> ExtractedDocument:
    """Put the pages of a document together.

    Raises:
        ExtractionError: no page has any text.
    """
    items = [item for page in without_furniture(pages) for item in page]
    texts = [item for item in items if isinstance(item, TextItem)]
    scans = [page.page for page in pages if page.is_scan]
    if not items and scans and not ocr_is_installed():
        raise ExtractionError(
            f"{name} is a scan: no page has text ({len(pages)} in all); install character recognition "
            f"({INSTALL_OCR}) and extract it again"
        )
    if not items:
        raise ExtractionError(f"{name} has neither text nor pictures on any page ({len(pages)} in all)")
    body = BodyText.of(texts)
    headings = find_headings(items, body, outline)
    heights = {page.page: page.height for page in pages}
    blocks = make_blocks(items, headings, assign_levels(headings), body=body, heights=heights)
    return ExtractedDocument(
        ENGINE,
        ENGINE_VERSION,
        tuple(on_shown_pages(blocks, pages)),
        tuple(map(shown_page, pages)),
        (*_scan_warnings(scans), *(warning for page in pages for warning in page.warnings)),
    )


def _scan_warnings(scans: Sequence[int]) -> Iterator[str]:
    if not scans:
        return
    listed = ", ".join(map(str, scans[:10])) + (" ..." if len(scans) > 10 else "")
    if ocr_is_installed():
        yield f"pages without text of their own, read by character recognition: {listed}"
    else:
        yield f"pages without text (scans) were left out: {listed}; to read them: {INSTALL_OCR}"


def _outline(document: Any) -> list[OutlineEntry]:
    """Return the PDF's own outline; a damaged one counts as none."""
    entries = []
    try:
        for bookmark in document.get_toc():
            destination = bookmark.get_dest()
            page = destination.get_index() if destination else None
            entries.append(OutlineEntry(bookmark.get_title(), bookmark.level + 1, None if page is None else page + 1))
    except (pypdfium2.PdfiumError, UnicodeDecodeError):
        return []
    return entries


# ------------------------------------------------------------------------------------------------ several processes


@dataclass(slots=True)
class _Worker:
    """The open PDF of a process."""

    path: Path
    document: Any
    reader: PageReader


_worker: _Worker | None = None


def _read_pages(path: Path, count: int, pictures: Path, processes: int | None) -> Iterator[PageReading]:
    """Yield the pages as they are done."""
    processes = min(processes or os.cpu_count() or 1, count)
    if processes == 1 or count <= _FEW_PAGES:
        with open_pdf(path) as document:
            reader = PageReader(document, pictures, _recogniser(), threads=os.cpu_count() or 1)
            for number in range(1, count + 1):
                yield _read_or_warn(reader, number)
        return
    batches = [range(first, min(first + _BATCH, count + 1)) for first in range(1, count + 1, _BATCH)]
    # pdfium and onnxruntime do not survive a fork, and the spawn of multiprocessing runs the caller's script again
    # (a Streamlit page, a script without a main guard); loky starts fresh interpreters that do neither.
    with ProcessPoolExecutor(processes, initializer=_start_worker, initargs=(path, pictures)) as pool:
        futures = [pool.submit(_read_batch, batch) for batch in batches]
        try:
            for future in as_completed(futures):
                yield from future.result()
        except BrokenProcessPool as error:
            raise ExtractionError(
                f"{path.name}: a process that read its pages was ended; the file crashes the PDF reader "
                "or there is too little memory"
            ) from error
        finally:
            for future in futures:
                future.cancel()


def _start_worker(path: Path, pictures: Path) -> None:
    global _worker
    document = pypdfium2.PdfDocument(path)
    _worker = _Worker(path, document, PageReader(document, pictures, _recogniser()))


def _read_batch(numbers: range) -> list[PageReading]:
    assert _worker is not None
    return [_read_or_warn(_worker.reader, number) for number in numbers]


def _read_or_warn(reader: PageReader, number: int) -> PageReading:
    """Read a page; one that cannot be read is left out with a warning."""
    try:
        return reader.read(number)
    except ExtractionError as error:
        return PageReading(number, 0.0, 0.0, warnings=(f"{error}; it was left out",))


def _recogniser() -> Recogniser | None:
    return Recogniser() if ocr_is_installed() else None
