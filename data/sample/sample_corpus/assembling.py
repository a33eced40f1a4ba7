"""One source to everything that is built from it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from sample_corpus.blocks import Equation, Figure, SourceDocument, Table
from sample_corpus.compiling import compile_pdf, compile_picture
from sample_corpus.drawing import Draw, render
from sample_corpus.gold import first_pages, write_gold
from sample_corpus.markdown import write_markdown
from sample_corpus.palette import shrink_png
from sample_corpus.typesetting import typeset_document, typeset_equation_picture, typeset_table_picture


@dataclass(frozen=True, slots=True)
class Built:
    """A built document: its PDF, its Markdown, its images by path below its folder, and its gold."""

    name: str
    pdf: bytes
    markdown: str
    images: dict[str, bytes]
    gold: dict[str, Any]


def build_document(source: SourceDocument, theme_folder: Path, folder: Path) -> Built:
    """Draw, typeset and write one document; ``folder`` is an empty place for the typesetter's files."""
    shutil.copytree(theme_folder, folder, dirs_exist_ok=True)
    images, assets = _draw_figures(source, folder)
    for block in source.blocks:
        if isinstance(block, Table):
            images[block.path] = shrink_png(compile_picture(folder, typeset_table_picture(source, block)))
        elif isinstance(block, Equation):
            images[block.path] = shrink_png(compile_picture(folder, typeset_equation_picture(source, block)))
    pdf, marks = compile_pdf(folder, typeset_document(source, assets))
    markdown = write_markdown(source, first_pages(source, marks))
    return Built(source.name, pdf, markdown, images, write_gold(source, marks))


def _draw_figures(source: SourceDocument, folder: Path) -> tuple[dict[str, bytes], dict[str, str]]:
    """Draw all figures and the cover's picture; return the images for Markdown and the typesetter's files."""
    drawings: dict[str, Draw] = import_module(f"sample_corpus.drawings.{source.meta['drawings']}").FIGURES
    images, assets = {}, {}
    figures = [block for block in source.blocks if isinstance(block, Figure)]
    for name, path in [(figure.name, figure.path) for figure in figures] + _cover(source):
        if name in drawings:
            svg, png = render(drawings[name], source.meta["font"])
            assets[name], data = f"{name}.svg", svg
        else:
            png = data = compile_picture(folder, (folder / source.meta["screens"] / f"{name}.typ").read_text("utf-8"))
            assets[name] = f"{name}.png"
        (folder / assets[name]).write_bytes(data)
        if path:
            images[path] = shrink_png(png)
    return images, assets


def _cover(source: SourceDocument) -> list[tuple[str, str]]:
    """Return the cover's drawing, which is decoration and no image of the Markdown document."""
    return [(source.meta["cover"], "")] if "cover" in source.meta else []
