"""Runs the typesetter: PDF, pictures and the positions of marks.

Only the fonts of the named packages are used, never those of the machine, so that every machine builds the
same pages.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

import typst

PICTURE_DPI = 144
"""Twice a screen's 72: sharp in a chat, and a page-wide table stays under 60 kB."""

_FONT_PACKAGES = (
    "font_source_sans_pro",
    "font_source_serif_pro",
    "font_lato",
    "font_hanken_grotesk",
    "matplotlib",
)


@dataclass(frozen=True, slots=True)
class Mark:
    """One corner of a marked block: ``end`` is ``a`` for top left and ``b`` for bottom right."""

    id: str
    end: str
    page: int
    """1-based."""
    x: float
    """Points from the page's left edge."""
    y: float
    """Points from the page's top edge."""


def compile_pdf(folder: Path, source: str) -> tuple[bytes, list[Mark]]:
    """Typeset a document in a folder that holds its pictures; return the PDF and all its marks."""
    compiler = _compiler(folder, source)
    pdf = compiler.compile(format="pdf", timestamp=0)
    marks = [Mark(**values) for values in json.loads(compiler.query("<mark>", field="value"))]
    if not isinstance(pdf, bytes):
        raise TypeError("the typesetter gave more than one PDF")
    return pdf, marks


def compile_picture(folder: Path, source: str) -> bytes:
    """Typeset a page that holds one picture; return it as PNG."""
    picture = _compiler(folder, source).compile(format="png", ppi=PICTURE_DPI)
    if not isinstance(picture, bytes):
        raise TypeError("the picture takes more than one page")
    return picture


def _compiler(folder: Path, source: str) -> typst.Compiler:
    path = folder / "main.typ"
    path.write_text(source, encoding="utf-8")
    return typst.Compiler(str(path), root=str(folder), font_paths=_font_folders(), ignore_system_fonts=True)


def _font_folders() -> list[str]:
    folders = []
    for package in _FONT_PACKAGES:
        spec = importlib.util.find_spec(package)
        if spec is None or spec.origin is None:
            raise ModuleNotFoundError(f"{package} is not installed; run: pip install 'headtree[sample]'")
        home = Path(spec.origin).parent
        folders.append(str(home / ("mpl-data/fonts/ttf" if package == "matplotlib" else "files")))
    return folders
