"""What architects' plans are made of, in metres: walls, doors, stairs, columns, desks, scale bar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Arc, Circle, Polygon

from sample_corpus.drawings.marking import Point, box, label, line, plain_box

WALL = "#2a3733"
_SOFT = "#a9b3ae"


@dataclass(frozen=True, slots=True)
class Plan:
    """A plan on a drawing: metres to drawing units."""

    axes: Axes
    origin: Point
    scale: float
    """Drawing units for one metre."""

    def at(self, x: float, y: float) -> Point:
        """Return the drawing's coordinates of a place in metres."""
        return self.origin[0] + x * self.scale, self.origin[1] + y * self.scale

    def floor(self, x0: float, y0: float, x1: float, y1: float, color: str, **style: object) -> None:
        """Fill an area."""
        plain_box(self.axes, self.at(x0, y0), (x1 - x0) * self.scale, (y1 - y0) * self.scale, color, **style)

    def wall(self, *points: Point, thick: float = 2.2, color: str = WALL) -> None:
        """Draw walls along a polyline."""
        line(self.axes, [self.at(*point) for point in points], color, thick, level=6)

    def outline(self, x0: float, y0: float, x1: float, y1: float, thick: float = 3.2) -> None:
        """Draw the walls of a rectangle."""
        self.wall((x0, y0), (x1, y0), (x1, y1), (x0, y1), (x0, y0), thick=thick)

    def windows(self, start: Point, end: Point, count: int) -> None:
        """Cut windows into an outer wall."""
        for step in range(count):
            first, last = (step + 0.15) / count, (step + 0.85) / count
            ends = [
                (start[0] + (end[0] - start[0]) * share, start[1] + (end[1] - start[1]) * share)
                for share in (first, last)
            ]
            line(self.axes, [self.at(*point) for point in ends], "white", 2.0, level=7)
            line(self.axes, [self.at(*point) for point in ends], "#6fa8c9", 0.8, level=8)

    def door(self, x: float, y: float, width: float, swing: str, *, horizontal: bool = True) -> None:
        """Draw a door: a gap in the wall, the leaf and its ``swing``: up, down, left or right."""
        end = (x + width, y) if horizontal else (x, y + width)
        line(self.axes, [self.at(x, y), self.at(*end)], "white", 4.0, level=7)
        sign = 1 if swing in ("up", "right") else -1
        leaf = (x, y + sign * width) if horizontal else (x + sign * width, y)
        line(self.axes, [self.at(x, y), self.at(*leaf)], WALL, 0.9, level=8)
        first = {"up": 0, "down": 270, "right": 0, "left": 90}[swing]
        size = 2 * width * self.scale
        self.axes.add_patch(
            Arc(self.at(x, y), size, size, theta1=first, theta2=first + 90, color=_SOFT, lw=0.7, zorder=8)
        )

    def stairs(self, x0: float, y0: float, x1: float, y1: float, steps: int) -> None:
        """Draw a flight of stairs along x."""
        for step in range(steps + 1):
            x = x0 + (x1 - x0) * step / steps
            line(self.axes, [self.at(x, y0), self.at(x, y1)], "#7d8a84", 0.7, level=5)
        line(self.axes, [self.at(x0, (y0 + y1) / 2), self.at(x1, (y0 + y1) / 2)], "#7d8a84", 0.7, level=5)

    def lift(self, x: float, y: float, size: float = 2.0) -> None:
        """Draw a lift car: a square with its diagonals."""
        self.floor(x, y, x + size, y + size, "white", edge=WALL, line=1.0, level=5)
        for ends in (((x, y), (x + size, y + size)), ((x, y + size), (x + size, y))):
            line(self.axes, [self.at(*point) for point in ends], WALL, 0.6, level=6)

    def columns(self, xs: Sequence[float], ys: Sequence[float]) -> None:
        """Draw round timber columns on a grid."""
        for x in xs:
            for y in ys:
                self.axes.add_patch(
                    Circle(
                        self.at(x, y),
                        0.28 * self.scale,
                        facecolor="#b98a52",
                        edgecolor=WALL,
                        lw=0.6,
                        zorder=9,
                    )
                )

    def desks(self, x: float, y: float, across: int, down: int, step: Point = (3.0, 2.6)) -> None:
        """Draw double desks with chairs."""
        for column in range(across):
            for row in range(down):
                left, low = x + column * step[0], y + row * step[1]
                self.floor(left, low, left + 1.6, low + 0.8, "#efe9dd", edge=_SOFT, line=0.6, level=4)
                self.floor(left, low + 0.8, left + 1.6, low + 1.6, "#efe9dd", edge=_SOFT, line=0.6, level=4)
                for dx, dy in ((0.8, -0.35), (0.8, 1.95)):
                    place = self.at(left + dx, low + dy)
                    self.axes.add_patch(
                        Circle(place, 0.22 * self.scale, facecolor="white", edgecolor=_SOFT, lw=0.6, zorder=4)
                    )

    def room(self, x: float, y: float, name: str, size: str = "", font: float = 8.2) -> None:
        """Write a room's name and below it its area."""
        text = f"{name}\n{size}" if size else name
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.2, "alpha": 0.82}
        label(self.axes, self.at(x, y), text, size=font, bold=True, color="#1f3b34", bbox=paper)

    def tree(self, x: float, y: float, radius: float = 2.0) -> None:
        """Draw a tree from above."""
        for share, color in ((1.0, "#b9cfae"), (0.68, "#a3c094"), (0.34, "#8fb07e")):
            self.axes.add_patch(
                Circle(self.at(x, y), radius * share * self.scale, facecolor=color, edgecolor="none", zorder=3)
            )


def north_arrow(axes: Axes, place: Point, size: float = 2.4) -> None:
    """Draw an arrow that points to the north, upwards."""
    x, y = place
    axes.add_patch(Circle(place, size, facecolor="white", edgecolor=WALL, lw=1.0, zorder=20))
    axes.add_patch(
        Polygon(
            ((x, y + size * 0.8), (x - size * 0.45, y - size * 0.6), (x, y - size * 0.25)),
            facecolor=WALL,
            zorder=21,
        )
    )
    axes.add_patch(
        Polygon(
            ((x, y + size * 0.8), (x + size * 0.45, y - size * 0.6), (x, y - size * 0.25)),
            facecolor="white",
            edgecolor=WALL,
            lw=0.8,
            zorder=21,
        )
    )
    label(axes, (x, y + size + 1.1), "N", size=9, bold=True)


def scale_bar(axes: Axes, place: Point, scale: float, metres: int) -> None:
    """Draw a bar of a given length in metres."""
    for part in range(2):
        width = metres / 2 * scale
        color = WALL if part == 0 else "white"
        plain_box(axes, (place[0] + part * width, place[1]), width, 0.6, color, edge=WALL, line=0.8, level=20)
    for share in (0.0, 0.5, 1.0):
        label(axes, (place[0] + share * metres * scale, place[1] + 1.6), f"{metres * share:g}", size=7.6)
    label(axes, (place[0] + metres * scale + 1.6, place[1] + 0.3), "m", size=7.6)


def tag(axes: Axes, place: Point, text: str, width: float, color: str = "#b5651d") -> None:
    """Write a text on a coloured tag."""
    box(
        axes,
        (place[0] - width / 2, place[1] - 1.1),
        width,
        2.2,
        text,
        face=color,
        edge=color,
        color="white",
        bold=True,
        size=8,
        level=30,
    )
