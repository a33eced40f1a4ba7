"""Exploded views and bolt patterns of the compressor manual."""

from __future__ import annotations

import math

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle

from sample_corpus.drawing import canvas
from sample_corpus.drawings.marking import INK, arrow, balloon, box, label, line
from sample_corpus.drawings.solids import ExplodedAxis

_STEEL, _BRASS, _RUBBER, _CAST = "#8fa0ad", "#c9a24b", "#2f3439", "#6f8596"
_ACCENT = "#d9480f"


def draw_intake_valve() -> Drawing:
    """Draw the intake valve taken apart; part names stand only here."""
    drawing, axes = canvas(7.2, 4.5)
    view = ExplodedAxis(axes, (6.5, 33.2), -18)
    view.centre_line(-5, 66)
    view.tube(0, 6.6, 4.6, _CAST, hole=4.4)
    for across in (-5.5, 5.5):
        view.bolt(7.2, across, 2.6, 0.9)
    view.ring(11.4, 4.9, _ACCENT)
    view.tube(15.0, 4.5, 0.9, _STEEL)
    view.tube(15.9, 0.7, 4.4, _STEEL)
    view.spring(22.6, 2.4, 6.4, 6)
    view.tube(32.0, 4.9, 3.4, _CAST, hole=2.6)
    view.ring(38.4, 3.4, _RUBBER, 3.0)
    view.tube(41.6, 3.2, 2.6, _BRASS, hole=0.7)
    view.ring(47.2, 3.4, _RUBBER, 3.0)
    view.tube(51.0, 5.0, 2.2, _CAST)
    for across in (-3.6, 3.6):
        view.bolt(56.2, across, 2.6, 0.9)
    parts = [
        ("1", 1.5, 5.6, 11.0), ("2", 8.6, 5.5, 11.2), ("3", 11.4, 4.6, 10.6), ("4", 15.4, 4.2, 11.2),
        ("5", 25.5, 2.4, 10.0),
        ("6", 33.2, 4.7, 10.8), ("7", 38.4, 3.2, 9.6), ("8", 43.0, 3.0, 9.6), ("9", 52.0, 4.8, 10.6),
        ("10", 57.5, 3.6, 9.8),
    ]  # fmt: skip
    for name, along, edge, out in parts:
        balloon(axes, name, view.at(along, out), view.at(along, edge), _ACCENT)
    names = (
        "1  Valve body, flange DN 80",
        "2  Cap screw M10×35, 4 off",
        "3  Flange seal 98×4, FKM",
        "4  Valve plate with stem",
        "5  Closing spring, free length 62 mm",
        "6  Cylinder housing",
        "7  Rod seal 34×3, FKM",
        "8  Control piston, stroke 18 mm",
        "9  Cylinder cover",
        "10  Cap screw M8×25, 6 off",
    )
    _legend(axes, (1.6, 1.2), names, columns=2, width=30.0)
    return drawing


def draw_coupling() -> Drawing:
    """Draw the drive coupling between motor and air end taken apart."""
    drawing, axes = canvas(7.2, 4.3)
    view = ExplodedAxis(axes, (7.0, 31.5), -17)
    view.centre_line(-6, 66)
    view.tube(-4, 2.0, 8, _STEEL)
    view.tube(7.6, 4.6, 4.2, _CAST, hole=2.0)
    for across in (-3.1, 0.0, 3.1):
        view.tube(11.8, 0.8, 2.6, _CAST, across=across)
    view.tube(20.6, 4.7, 2.6, _ACCENT, hole=1.9)
    for across in (-3.1, 0.0, 3.1):
        view.tube(30.0, 0.8, 2.6, _CAST, across=across)
    view.tube(32.6, 4.6, 4.2, _CAST, hole=2.0)
    view.tube(42.6, 2.9, 1.4, _BRASS, hole=1.9)
    view.ring(48.2, 3.0, _RUBBER, 3.6)
    view.tube(52.0, 1.9, 9.0, _STEEL)
    view.bolt(38.6, 6.4, 2.4, 0.9)
    line(axes, (view.at(35, 6.4), view.at(38.6, 6.4)), "#8b98a3", 0.8, dash=(0, (4, 2)))
    parts = [
        ("1", -1.0, 2.0, 8.0), ("2", 9.4, 4.4, 10.4), ("3", 22.2, 4.5, 10.4), ("4", 34.0, 4.4, 11.6),
        ("5", 40.2, 6.6, 10.6),
        ("6", 43.4, 2.8, 8.4), ("7", 48.2, 2.9, 8.0), ("8", 57.0, 1.9, 7.4),
    ]  # fmt: skip
    for name, along, edge, out in parts:
        balloon(axes, name, view.at(along, out), view.at(along, edge), _ACCENT)
    names = (
        "1  Motor shaft Ø 48 k6",
        "2  Motor-side hub",
        "3  Spider, polyurethane 92 Shore A",
        "4  Air-end hub; gap to spider 2.5 mm",
        "5  Hub clamping screw M10×30",
        "6  Wear sleeve, bronze",
        "7  Lip seal 40×62×8, PTFE",
        "8  Air-end drive shaft",
    )
    _legend(axes, (1.6, 1.2), names, columns=2, width=30.0)
    return drawing


def draw_tightening_order() -> Drawing:
    """Draw the bolt circle of the air-end flange with the order of tightening, and the three passes."""
    drawing, axes = canvas(6.6, 3.7)
    centre = (18.0, 18.5)
    for radius, face in ((14.5, "#e4eaef"), (8.6, "#cfd8df"), (6.6, "white")):
        axes.add_patch(Circle(centre, radius, facecolor=face, edgecolor=INK, lw=1.2, zorder=1))
    order = (1, 7, 3, 9, 5, 2, 8, 4, 10, 6)
    for position, number in enumerate(order):
        angle = math.radians(90 - position * 36)
        place = (centre[0] + 11.6 * math.cos(angle), centre[1] + 11.6 * math.sin(angle))
        axes.add_patch(
            Circle(place, 1.9, facecolor=_ACCENT if number == 1 else "white", edgecolor=INK, lw=1.2, zorder=3)
        )
        label(axes, place, str(number), size=10, bold=True, color="white" if number == 1 else INK)
    label(axes, centre, "Discharge\nport", size=8.5, color="#5a6772")
    arrow(axes, (18, 35.6), (18, 32.6), _ACCENT)
    label(axes, (19.2, 35.2), "TOP", size=8.5, bold=True, color=_ACCENT, align="left")
    passes = (
        ("Pass 1", "30 Nm", "all ten screws, in order"),
        ("Pass 2", "65 Nm", "all ten screws, in order"),
        ("Pass 3", "+ 60°", "by angle, screws 1 to 10"),
    )
    for step, (name, value, how) in enumerate(passes):
        bottom = 25.4 - step * 9.6
        box(axes, (37.5, bottom), 26.5, 8.0, face="#f6f8fa", edge="#b8c4cd")
        label(axes, (39.2, bottom + 5.3), name, size=9, align="left", color="#5a6772")
        label(axes, (39.2, bottom + 2.4), how, size=8.3, align="left", color="#5a6772")
        label(axes, (62.4, bottom + 4.6), value, size=14, bold=True, align="right", color=_ACCENT)
    return drawing


def _legend(axes: Axes, corner: tuple[float, float], names: tuple[str, ...], *, columns: int, width: float) -> None:
    """Write the names of the numbered parts in columns, from the top left."""
    rows = math.ceil(len(names) / columns)
    for index, name in enumerate(names):
        column, row = divmod(index, rows)
        place = (corner[0] + column * width, corner[1] + (rows - 1 - row) * 1.9)
        label(axes, place, name, size=8.3, align="left")
