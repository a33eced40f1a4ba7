"""What is drawn on a page, and how a point of the PDF's own space lies on the page as it is shown."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from headtree.extraction.blocks import Box

_THIN = 2.5
"""Points: a drawn thing that is no thicker is a rule."""
_MOST_OBJECTS = 20_000
"""Drawing objects that are looked at per page; a scatter plot can hold a million."""
_DEEPEST = 6
"""Nesting of form objects that is followed."""


@dataclass(frozen=True, slots=True)
class View:
    """How a point of the PDF's own space lies on the page as it is shown."""

    left: float
    bottom: float
    right: float
    top: float
    quarter: int

    @classmethod
    def of(cls, page: Any) -> View:
        """Return how a page of pypdfium2 is shown."""
        left, bottom, right, top = page.get_bbox()
        return cls(left, bottom, right, top, page.get_rotation() // 90 % 4)

    def point(self, x: float, y: float) -> tuple[float, float]:
        """Return where a point of the PDF's space lies, from the top left."""
        if self.quarter == 0:
            return x - self.left, self.top - y
        if self.quarter == 1:
            return y - self.bottom, x - self.left
        if self.quarter == 2:
            return self.right - x, y - self.bottom
        return self.top - y, self.right - x

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """Return where a box of the PDF's space lies."""
        ax, ay = self.point(x0, y0)
        bx, by = self.point(x1, y1)
        return min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)


@dataclass(slots=True)
class Drawn:
    """The drawings of a page by kind."""

    rules: list[Box]
    shapes: list[Box]
    panels: list[Box]
    images: list[Box]

    def __len__(self) -> int:
        return len(self.rules) + len(self.shapes) + len(self.panels) + len(self.images)


def drawings_of(page: Any, view: View) -> Drawn:
    """Return what is drawn on a page."""
    drawn = Drawn([], [], [], [])
    _collect(drawn, list(page.get_objects(max_depth=1)), view, pypdfium2.PdfMatrix(), depth=0)
    return drawn


def _collect(drawn: Drawn, objects: list[Any], view: View, matrix: Any, *, depth: int) -> None:
    """Sort drawing objects by kind; what lies in a form object is placed by the form's matrix."""
    for item in objects:
        if len(drawn) >= _MOST_OBJECTS:
            return
        if item.type == pdfium.FPDF_PAGEOBJ_FORM:
            if depth < _DEEPEST:
                inner = [_child(item, index) for index in range(pdfium.FPDFFormObj_CountObjects(item.raw))]
                _collect(drawn, inner, view, item.get_matrix().multiply(matrix), depth=depth + 1)
        elif item.type in (pdfium.FPDF_PAGEOBJ_PATH, pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_SHADING):
            _sort(drawn, item, view, matrix)


def _child(form: Any, index: int) -> Any:
    return pypdfium2.PdfObject(pdfium.FPDFFormObj_GetObject(form.raw, index), page=form.page, pdf=form.pdf)


def _sort(drawn: Drawn, item: Any, view: View, matrix: Any) -> None:
    sides = [ctypes.c_float() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetBounds(item.raw, *sides):
        return
    left, bottom, right, top = (side.value for side in sides)
    box = view.box(*_moved(matrix, (left, bottom, right, top)))
    box = (max(box[0], 0.0), max(box[1], 0.0), box[2], box[3])
    width, height = box[2] - box[0], box[3] - box[1]
    if width <= 0 and height <= 0:
        return
    if item.type == pdfium.FPDF_PAGEOBJ_IMAGE:
        drawn.images.append(box)
    elif item.type == pdfium.FPDF_PAGEOBJ_PATH and min(width, height) <= _THIN:
        drawn.rules.append(box)
    elif item.type == pdfium.FPDF_PAGEOBJ_PATH and _is_rectangle(item):
        drawn.panels.append(box)
    else:
        drawn.shapes.append(box)


def _moved(matrix: Any, box: Box) -> Box:
    corners = [matrix.on_point(x, y) for x in (box[0], box[2]) for y in (box[1], box[3])]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _is_rectangle(item: Any) -> bool:
    count = pdfium.FPDFPath_CountSegments(item.raw)
    if not 4 <= count <= 6:
        return False
    corners = []
    for index in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(item.raw, index)
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_BEZIERTO:
            return False
        x, y = ctypes.c_float(), ctypes.c_float()
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        corners.append((round(x.value, 1), round(y.value, 1)))
    return len({x for x, _ in corners}) == 2 and len({y for _, y in corners}) == 2
