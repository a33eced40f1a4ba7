"""All drawings of the compressor manual: layout, charts, and those of the two modules beside this one."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle

from sample_corpus.drawing import Draw, canvas, chart
from sample_corpus.drawings.manual_circuits import draw_flow, draw_power_circuit, draw_terminal_strip
from sample_corpus.drawings.manual_exploded import draw_coupling, draw_intake_valve, draw_tightening_order
from sample_corpus.drawings.marking import INK, arrow, balloon, box, dimension, label, line, plain_box

_ACCENT, _STEEL = "#d9480f", "#17324d"


def draw_layout() -> Drawing:
    """Draw the machine from the service side with its panels off, with numbered parts."""
    drawing, axes = canvas(7.2, 5.0)
    box(axes, (3, 8), 42, 34, face="#f1f5f8", edge=INK, line=1.8, round=0.8, level=1)
    plain_box(axes, (4.5, 5.6), 5, 2.4, "#4c5963", level=1)
    plain_box(axes, (38.5, 5.6), 5, 2.4, "#4c5963", level=1)
    plain_box(axes, (3, 8), 42, 1.4, "#4c5963", level=2)
    _motor_and_air_end(axes)
    box(axes, (31.0, 9.8), 8.6, 18.5, face="#d3dde4", round=3.2)
    box(axes, (5.0, 25.5), 12.5, 14.5, face="#fbfcfd")
    for step in range(4):
        plain_box(axes, (6.4, 36.4 - step * 2.9), 9.7, 1.7, "#cfd9e0", edge="#8fa0ad", level=3)
    box(axes, (19.5, 31.5), 22.5, 8.5, face="#e3eaef")
    for step in range(15):
        line(axes, ((20.6 + step * 1.45, 32.3), (20.6 + step * 1.45, 39.2)), "#8fa0ad", 0.9, level=3)
    line(axes, ((31.2, 31.5), (31.2, 40.0)), INK, 1.1, level=4)
    box(axes, (23.0, 22.0), 5.6, 5.6, face="#e9edf0", round=2.4)
    box(axes, (40.4, 21.5), 3.0, 6.8, face="#f2d7c9", round=1.0)
    box(axes, (33.0, 42.0), 9.0, 1.6, face="#c6d2da")
    arrow(axes, (37.5, 43.8), (37.5, 47.2), "#2b7bba", 2.0)
    label(axes, (31.8, 46.0), "cooling air out", size=8, color="#2b7bba")
    parts = (
        ("1", (1.5, 36.0), (6.0, 36.0)), ("2", (1.5, 17.0), (9.0, 17.0)), ("3", (20.4, 28.4), (20.2, 18.6)),
        ("4", (24.0, 46.4), (25.4, 25.6)), ("5", (47.4, 16.0), (37.5, 16.0)), ("6", (47.4, 25.0),
        (42.0, 25.0)),
        ("7", (16.0, 46.4), (22.0, 37.5)), ("8", (47.4, 11.6), (39.8, 11.6)), ("9", (47.4, 36.0),
        (40.5, 36.0)),
    )  # fmt: skip
    for name, place, target in parts:
        balloon(axes, name, place, target, _ACCENT)
    names = (
        "1  Control cabinet, X1", "2  Motor M1", "3  Air end", "4  Intake filter", "5  Separator vessel",
        "6  Oil filter",
        "7  Oil cooler", "8  Oil drain G ¾", "9  Aftercooler",
    )  # fmt: skip
    for row, name in enumerate(names):
        label(axes, (51.5, 38.0 - row * 3.0), name, size=9, align="left")
    dimension(axes, (3, 3.2), (45, 3.2), "1,720 mm", (0, 0.9))
    label(
        axes,
        (61.0, 8.6),
        "Keep free: 1,000 mm in front,\n800 mm behind, 1,500 mm above",
        size=8.4,
        color=_ACCENT,
        bold=True,
    )
    return drawing


def _motor_and_air_end(axes: Axes) -> None:
    box(axes, (6.0, 11.5), 10.5, 11.5, face="#9fb1be", round=1.2)
    for step in range(7):
        line(axes, ((6.6, 13.0 + step * 1.4), (15.9, 13.0 + step * 1.4)), "#7c909e", 1.0, level=3)
    box(axes, (16.5, 14.8), 2.2, 5.0, face="#5f7484", round=0.3)
    box(axes, (18.7, 12.2), 9.8, 9.8, face="#b9c7d1", round=1.8)
    axes.add_patch(Circle((23.6, 17.1), 2.6, facecolor="#dfe7ec", edgecolor=INK, lw=1.0, zorder=4))
    plain_box(axes, (7.5, 9.4), 2.2, 2.1, "#4c5963", level=2)
    plain_box(axes, (24.5, 9.4), 2.2, 2.8, "#4c5963", level=2)
    line(axes, ((28.5, 15.4), (31.0, 15.4)), "#7a5195", 4.0)


def draw_oil_life() -> Drawing:
    """Draw how the oil's life falls with its temperature; the values stand only here."""
    drawing, axes = chart(6.4, 3.4)
    temperature = np.arange(70, 106)
    curves = (
        ("Morrol S46 synthetic", 8000, 85, 11.0, _STEEL),
        ("Morrol M46 mineral", 4000, 80, 10.0, _ACCENT),
    )
    for name, life, reference, halving, color in curves:
        hours = np.minimum(life, life * 0.5 ** ((temperature - reference) / halving))
        axes.plot(temperature, hours, color=color, lw=2.4, label=name)
    for x, y, text, color in ((96, 4000, "96 °C: 4,000 h", _STEEL), (90, 2000, "90 °C: 2,000 h", _ACCENT)):
        axes.plot([x], [y], "o", color=color, ms=6)
        axes.annotate(text, (x, y), (8, 8), textcoords="offset points", color=color, fontsize=9, fontweight="bold")
    axes.set(
        xlabel="Mean discharge temperature, °C",
        ylabel="Oil change after, hours",
        xlim=(70, 105),
        ylim=(0, 9000),
    )
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,.0f}")
    axes.grid(True)
    axes.legend(loc="upper right")
    return drawing


def draw_pressure_trace() -> Drawing:
    """Draw line pressure and motor current after a start; the values stand only here."""
    drawing, axes = chart(6.4, 3.4)
    corners = ((0, 5.4), (6, 5.4), (40, 7.5), (92, 6.7), (128, 7.5), (180, 6.7))
    axes.plot(*zip(*corners, strict=True), color="#2b7bba", lw=2.4)
    for level, text in ((7.5, "unload 7.5 bar"), (6.7, "load 6.7 bar")):
        axes.axhline(level, color="#8fa0ad", lw=0.9, ls="--")
        axes.text(181, level, text, va="center", fontsize=8.6, color="#39444d")
    axes.set(xlabel="Time after start, s", ylabel="Line pressure, bar", ylim=(5, 8.2), xlim=(0, 180))
    current = axes.twinx()
    steps = (
        (0, 150),
        (6, 150),
        (6, 82),
        (40, 84),
        (40, 31),
        (92, 31),
        (92, 82),
        (128, 84),
        (128, 31),
        (180, 31),
    )
    current.plot(*zip(*steps, strict=True), color=_ACCENT, lw=1.8)
    current.set(ylabel="Motor current, A", ylim=(0, 180))
    current.yaxis.label.set_color(_ACCENT)
    current.spines["right"].set_visible(False)
    current.tick_params(right=False, labelright=False)
    current.set_ylabel("")
    for x, y, text in ((8, 152, "star 150 A, 6 s"), (62, 36, "unloaded 31 A"), (103, 90, "loaded 82–84 A")):
        current.text(x, y, text, color=_ACCENT, fontsize=8.8, fontweight="bold")
    axes.grid(True, axis="x")
    return drawing


FIGURES: dict[str, Draw] = {
    "figure-1": draw_layout,
    "figure-2": draw_flow,
    "figure-3": draw_power_circuit,
    "figure-4": draw_terminal_strip,
    "figure-5": draw_pressure_trace,
    "figure-6": draw_oil_life,
    "figure-7": draw_intake_valve,
    "figure-8": draw_coupling,
    "figure-9": draw_tightening_order,
}
