"""What all drawings share: fonts, colours, and a figure turned into SVG for the PDF and PNG for Markdown."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import font_manager
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

Draw = Callable[[], Drawing]

PNG_WIDTH = 1000
"""Pixels: legible in a chat, 20 to 50 kB a drawing."""

_STYLE = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#5c6670",
    "axes.labelcolor": "#2c343b",
    "axes.titleweight": "bold",
    "axes.titlesize": 10.5,
    "axes.labelsize": 9.5,
    "axes.linewidth": 0.8,
    "axes.axisbelow": True,
    "font.size": 9,
    "grid.color": "#e3e7ea",
    "grid.linewidth": 0.7,
    "legend.frameon": False,
    "legend.fontsize": 8.8,
    "mathtext.fontset": "dejavusans",
    "svg.fonttype": "path",
    "svg.hashsalt": "headtree-sample",
    "text.color": "#22292f",
    "xtick.color": "#48525a",
    "ytick.color": "#48525a",
}
_FONTS = {
    "Source Sans Pro": "font_source_sans_pro",
    "Lato": "font_lato",
    "Hanken Grotesk": "font_hanken_grotesk",
}


def canvas(width: float, height: float) -> tuple[Drawing, Axes]:
    """Return a drawing without axes, for plans: a unit is a tenth of an inch, the origin is lower left."""
    drawing = Drawing(figsize=(width, height))
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set_xlim(0, width * 10)
    axes.set_ylim(0, height * 10)
    axes.set_axis_off()
    return drawing, axes


def chart(width: float, height: float) -> tuple[Drawing, Axes]:
    """Return a drawing with one pair of axes, laid out to fit its labels."""
    drawing = Drawing(figsize=(width, height), layout="constrained")
    return drawing, drawing.add_subplot()


def render(draw: Draw, font: str) -> tuple[bytes, bytes]:
    """Draw a figure in a font; return it as SVG (letters as outlines) and as PNG."""
    _register_fonts()
    style: Any = {**_STYLE, "font.family": [font, "DejaVu Sans"]}  # the stubs list every key as a literal
    with mpl.rc_context(style):
        drawing = draw()
        svg, png = io.BytesIO(), io.BytesIO()
        drawing.savefig(svg, format="svg", metadata={"Date": None, "Creator": None})
        drawing.savefig(png, format="png", dpi=PNG_WIDTH / drawing.get_figwidth(), metadata={"Software": None})
    return svg.getvalue(), png.getvalue()


def _register_fonts() -> None:
    known = {entry.name for entry in font_manager.fontManager.ttflist}
    for name, package in _FONTS.items():
        spec = importlib.util.find_spec(package)
        if name in known or spec is None or spec.origin is None:
            continue
        for pattern in ("*-Regular.?tf", "*-Bold.?tf", "*-It*.?tf", "*-Semi?old.?tf", "*-Light.?tf"):
            for path in sorted(Path(spec.origin).parent.glob(f"files/{pattern}")):
                font_manager.fontManager.addfont(path)
