"""Marks on diagrams and plans: boxes, numbered balloons, pipes with arrows, dimension lines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.patches import Circle, FancyArrowPatch, FancyBboxPatch, Polygon, Rectangle

Point = tuple[float, float]

INK = "#22303b"


def box(axes: Axes, corner: Point, width: float, height: float, text: str = "", **style: Any) -> None:
    """Draw a rounded box with a text in its middle; ``style``: ``face``, ``edge``, ``size`` ..."""
    axes.add_patch(
        FancyBboxPatch(
            corner,
            width,
            height,
            boxstyle=f"round,pad=0,rounding_size={style.get('round', 0.6)}",
            facecolor=style.get("face", "#f4f7f9"),
            edgecolor=style.get("edge", INK),
            lw=style.get("line", 1.1),
            ls=style.get("dash", "-"),
            zorder=style.get("level", 2),
        )
    )
    if text:
        label(axes, (corner[0] + width / 2, corner[1] + height / 2), text, **style)


def plain_box(axes: Axes, corner: Point, width: float, height: float, face: str, **style: Any) -> None:
    """Draw a square-edged area."""
    axes.add_patch(
        Rectangle(
            corner,
            width,
            height,
            facecolor=face,
            edgecolor=style.get("edge", "none"),
            lw=style.get("line", 1.0),
            hatch=style.get("hatch"),
            ls=style.get("dash", "-"),
            zorder=style.get("level", 1),
        )
    )


def area(axes: Axes, corners: Sequence[Point], face: str, **style: Any) -> None:
    """Draw a polygon."""
    axes.add_patch(
        Polygon(
            list(corners),
            closed=True,
            facecolor=face,
            edgecolor=style.get("edge", "none"),
            lw=style.get("line", 1.0),
            hatch=style.get("hatch"),
            zorder=style.get("level", 1),
        )
    )


def label(axes: Axes, place: Point, text: str, **style: Any) -> None:
    """Write a text; centred unless ``align`` says left or right."""
    axes.text(
        *place,
        text,
        ha=style.get("align", "center"),
        va=style.get("vertical", "center"),
        fontsize=style.get("size", 8.5),
        color=style.get("color", INK),
        fontweight="bold" if style.get("bold") else "normal",
        fontstyle="italic" if style.get("italic") else "normal",
        rotation=style.get("rotation", 0),
        linespacing=1.15,
        zorder=style.get("text_level", 60),
        bbox=style.get("bbox"),
    )


def line(axes: Axes, points: Sequence[Point], color: str = INK, width: float = 1.4, **style: Any) -> None:
    """Draw a polyline."""
    xs, ys = zip(*points, strict=True)
    axes.plot(
        xs,
        ys,
        color=color,
        lw=width,
        ls=style.get("dash", "-"),
        zorder=style.get("level", 1.5),
        solid_joinstyle="round",
    )


def arrow(axes: Axes, start: Point, end: Point, color: str = INK, width: float = 1.4, **style: Any) -> None:
    """Draw an arrow with its head at ``end``."""
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle=style.get("head", "-|>,head_length=5,head_width=2.6"),
            color=color,
            lw=width,
            shrinkA=0,
            shrinkB=0,
            connectionstyle=style.get("path", "arc3"),
            zorder=style.get("level", 3),
        )
    )


def pipe(axes: Axes, points: Sequence[Point], color: str, width: float = 2.6) -> None:
    """Draw a line that ends in an arrow, as pipes on flow diagrams do."""
    line(axes, points, color, width)
    (x0, y0), (x1, y1) = points[-2:]
    length = max(abs(x1 - x0) + abs(y1 - y0), 1e-9)
    start = (x1 - (x1 - x0) / length, y1 - (y1 - y0) / length)
    arrow(axes, start, (x1, y1), color, width, head="-|>,head_length=6,head_width=3.4")


def balloon(axes: Axes, text: str, place: Point, target: Point, color: str = INK, size: float = 1.15) -> None:
    """Draw a numbered balloon with a leader line to what it names."""
    axes.plot(*zip(place, target, strict=True), color=color, lw=0.8, zorder=55)
    axes.add_patch(Circle(target, 0.22, facecolor=color, edgecolor="none", zorder=56))
    axes.add_patch(Circle(place, size, facecolor="white", edgecolor=color, lw=1.1, zorder=57))
    label(axes, place, text, size=8.2, bold=True, color=color)


def dimension(axes: Axes, start: Point, end: Point, text: str, shift: Point = (0.0, 0.9), **style: Any) -> None:
    """Draw a dimension line with arrows at both ends and its measure beside it."""
    axes.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="<|-|>,head_length=3.5,head_width=1.6",
            color="#5a6772",
            lw=0.8,
            shrinkA=0,
            shrinkB=0,
            zorder=50,
        )
    )
    middle = ((start[0] + end[0]) / 2 + shift[0], (start[1] + end[1]) / 2 + shift[1])
    label(axes, middle, text, size=style.get("size", 8), color="#39444d", rotation=style.get("rotation", 0))
