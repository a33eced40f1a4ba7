"""Turned parts along a slanted axis, for exploded views: tubes, rings, bolts, springs."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Ellipse, Polygon

OUTLINE = "#26323c"
_STRIPS = 28
_FORESHORTENING = 0.36
"""Ratio of a disc's short to its long axis as drawn."""


@dataclass(frozen=True, slots=True)
class ExplodedAxis:
    """The line on which the parts stand; positions are in drawing units, larger towards the viewer."""

    axes: Axes
    origin: tuple[float, float]
    degrees: float

    def at(self, along: float, across: float = 0.0) -> tuple[float, float]:
        """Return the drawing's coordinates of a point; ``across`` is at right angles, upwards positive."""
        angle = math.radians(self.degrees)
        x = self.origin[0] + along * math.cos(angle) - across * math.sin(angle)
        y = self.origin[1] + along * math.sin(angle) + across * math.cos(angle)
        return x, y

    def centre_line(self, first: float, last: float, across: float = 0.0) -> None:
        """Draw the dash-dotted line that the parts are threaded on."""
        start, end = self.at(first, across), self.at(last, across)
        self.axes.plot(*zip(start, end, strict=True), color="#8b98a3", lw=0.8, ls=(0, (9, 3, 2, 3)), zorder=-50)

    def tube(
        self, along: float, radius: float, length: float, color: str, hole: float = 0.0, across: float = 0
    ) -> None:
        """Draw a disc or tube that begins at ``along`` and comes ``length`` towards the viewer."""
        depth = along  # nearer parts hide those behind
        for lower, upper in zip(*self._strip_angles(), strict=True):
            self._side_strip(along, length, radius, (lower, upper), color, across, depth)
        self._silhouette(along, radius, across, depth)
        self._face(along + length, radius, _lighter(color, 0.45), across, depth + 0.02)
        if hole:
            self._face(along + length, hole, "#3b4650", across, depth + 0.03)
            self._face(along + length - 0.35 * hole, hole * 0.93, _lighter(color, 0.1), across, depth + 0.025)

    def ring(self, along: float, radius: float, color: str, width: float = 3.4, across: float = 0.0) -> None:
        """Draw a thin ring, such as an O-ring or a gasket."""
        for line, tone, level in ((width + 1.4, OUTLINE, 0.01), (width, color, 0.02)):
            self._face(along, radius, "none", across, along + level, edge=tone, line_width=line)

    def bolt(self, along: float, across: float, length: float, size: float = 1.0, color: str = "#9aa7b1") -> None:
        """Draw a bolt whose head faces the viewer."""
        self.tube(along, 0.42 * size, length, _lighter(color, 0.25), across=across)
        self.tube(along + length, 0.85 * size, 0.7 * size, color, across=across)

    def spring(self, along: float, radius: float, length: float, turns: int, color: str = "#56646f") -> None:
        """Draw a helical spring."""
        angle = np.linspace(0, 2 * math.pi * turns, turns * 60)
        position = along + length * angle / angle[-1]
        points = [
            self.at(float(p + radius * _FORESHORTENING * math.sin(a)), float(radius * math.cos(a)))
            for p, a in zip(position, angle, strict=True)
        ]
        xs, ys = zip(*points, strict=True)
        self.axes.plot(xs, ys, color=OUTLINE, lw=3.4, zorder=along, solid_capstyle="round")
        self.axes.plot(xs, ys, color=_lighter(color, 0.35), lw=2.0, zorder=along + 0.01, solid_capstyle="round")

    def _strip_angles(self) -> tuple[list[float], list[float]]:
        angles = [math.pi * (step / _STRIPS - 0.5) for step in range(_STRIPS + 1)]
        return angles[:-1], angles[1:]

    def _side_strip(
        self,
        along: float,
        length: float,
        radius: float,
        angles: tuple[float, float],
        color: str,
        across: float,
        depth: float,
    ) -> None:
        corners = []
        for angle in angles:
            offset = across + radius * math.sin(angle)
            bulge = radius * _FORESHORTENING * math.cos(angle)
            corners.append((self.at(along - bulge, offset), self.at(along + length, offset)))
        (a, b), (c, d) = corners
        height = math.sin(sum(angles) / 2)
        light = 0.5 * math.exp(-(((height - 0.45) / 0.33) ** 2)) - 0.28 * max(0.0, -height)
        tone = _lighter(color, light) if light > 0 else _darker(color, -light)
        self.axes.add_patch(Polygon((a, b, d, c), facecolor=tone, edgecolor=tone, lw=0.4, zorder=depth))

    def _silhouette(self, along: float, radius: float, across: float, depth: float) -> None:
        angles = np.linspace(-math.pi / 2, math.pi / 2, 40)
        points = [
            self.at(along - radius * _FORESHORTENING * math.cos(a), across + radius * math.sin(a)) for a in angles
        ]
        xs, ys = zip(*points, strict=True)
        self.axes.plot(xs, ys, color=OUTLINE, lw=0.9, zorder=depth + 0.01)

    def _face(
        self,
        along: float,
        radius: float,
        color: str,
        across: float,
        depth: float,
        edge: str = OUTLINE,
        line_width: float = 0.9,
    ) -> None:
        self.axes.add_patch(
            Ellipse(
                self.at(along, across),
                2 * radius * _FORESHORTENING,
                2 * radius,
                angle=self.degrees,
                facecolor=color,
                edgecolor=edge,
                lw=line_width,
                zorder=depth,
            )
        )


def _lighter(color: str, share: float) -> str:
    return to_hex(_mix(color, 1.0, share))


def _darker(color: str, share: float) -> str:
    return to_hex(_mix(color, 0.0, share))


def _mix(color: str, goal: float, share: float) -> tuple[float, float, float]:
    """Move a colour towards white (``goal`` 1) or black (``goal`` 0) by a share."""
    red, green, blue = to_rgb(color)
    return red + (goal - red) * share, green + (goal - green) * share, blue + (goal - blue) * share
