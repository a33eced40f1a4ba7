"""What is written on a page outside of its own text: the values of form fields and text boxes laid over it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2.raw as pdfium

from headtree.extraction.blocks import Box
from headtree.extraction.drawings import View
from headtree.extraction.page_values import Font, Word

_SIZE = 10.0
"""Points: type of a field's value, where the field is not lower."""
_FONT = Font("form field")
_TEXT_FIELDS = frozenset({"Tx", "Ch"})


def annotation_words(page: Any, view: View) -> Iterator[Word]:
    """Yield the words of filled form fields and text boxes, each field as one line."""
    for index in range(pdfium.FPDFPage_GetAnnotCount(page)):
        annotation = pdfium.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            text = _text(annotation)
            rectangle = pdfium.FS_RECTF()
            if text and pdfium.FPDFAnnot_GetRect(annotation, rectangle):
                yield from _words(text, view.box(rectangle.left, rectangle.bottom, rectangle.right, rectangle.top))
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _text(annotation: Any) -> str:
    kind = pdfium.FPDFAnnot_GetSubtype(annotation)
    if kind == pdfium.FPDF_ANNOT_WIDGET and _string(annotation, b"FT", name=True) in _TEXT_FIELDS:
        return _string(annotation, b"V")
    return _string(annotation, b"Contents") if kind == pdfium.FPDF_ANNOT_FREETEXT else ""


def _string(annotation: Any, key: bytes, *, name: bool = False) -> str:
    if not pdfium.FPDFAnnot_HasKey(annotation, key):
        return ""
    length = pdfium.FPDFAnnot_GetStringValue(annotation, key, None, 0)
    buffer = ctypes.create_string_buffer(max(length, 2))
    pdfium.FPDFAnnot_GetStringValue(annotation, key, ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), length)
    text = buffer.raw[:length].decode("utf-16-le", errors="replace").rstrip("\0")
    return text.strip("/") if name else " ".join(text.split())


def _words(text: str, box: Box) -> Iterator[Word]:
    size = min(_SIZE, max(box[3] - box[1], 1.0))
    baseline = (box[1] + box[3]) / 2 + 0.3 * size
    words = text.split()
    step = (box[2] - box[0]) / max(len(text), 1)
    left = box[0]
    for word in words:
        right = left + step * len(word)
        yield Word(word, (left, baseline - 0.74 * size, right, baseline + 0.22 * size), baseline, size, _FONT)
        left = right + step
