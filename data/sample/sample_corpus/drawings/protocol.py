"""All drawings of the laboratory protocol; times, positions and limits that they show stand only here."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle, Ellipse, Polygon, Wedge

from sample_corpus.drawing import Draw, canvas, chart
from sample_corpus.drawings.marking import arrow, box, dimension, label, line, plain_box

_WINE, _TEAL, _GOLD, _GREY, _INK = "#7a1f4b", "#2a7f86", "#d29b2c", "#aab4bb", "#25323b"


def draw_workflow() -> Drawing:
    """Draw the day's work with the time that each step takes and where it may be paused."""
    drawing, axes = canvas(7.0, 3.0)
    steps = (
        ("Core and cut", "10 min", False), ("Freeze", "2 min in N₂", True), ("Grind", "3 × 20 s", True),
        ("Extract", "30 min, 4 °C", False),
        ("Centrifuge", "15 min, 4 °C", False), ("Desalt", "6 min", True), ("Dilute", "10 min", False),
        ("Measure", "12 min", False),
    )  # fmt: skip
    for index, (name, time, pause) in enumerate(steps):
        row, column = divmod(index, 4)
        x = 1.5 + (column if row == 0 else 3 - column) * 17.3
        y = 18.5 if row == 0 else 4.5
        face = "#f8e6ee" if pause else "#f4f7f8"
        box(axes, (x, y), 14.2, 8.0, face=face, edge=_WINE if pause else _INK)
        label(axes, (x + 1.8, y + 6.2), str(index + 1), size=8.5, bold=True, color=_WINE)
        label(axes, (x + 7.4, y + 4.9), name, size=10, bold=True)
        label(axes, (x + 7.4, y + 2.2), time, size=9)
        if column < 3:
            start, end = ((x + 14.3, y + 4), (x + 17.2, y + 4)) if row == 0 else ((x - 0.1, y + 4), (x - 3.0, y + 4))
            arrow(axes, start, end, "#5c6a73", 1.6)
    arrow(axes, (60.5, 18.4), (60.5, 12.7), "#5c6a73", 1.6)
    box(axes, (1.5, 14.6), 2.4, 1.8, face="#f8e6ee", edge=_WINE)
    label(
        axes,
        (4.8, 15.5),
        "may be paused afterwards: pieces 1 week, powder 6 weeks at −80 °C, desalted extract 4 hours on ice",
        size=8.6,
        align="left",
        color=_WINE,
    )
    return drawing


def draw_sampling() -> Drawing:
    """Draw where the cores are taken from the apple, and the measures of a disc."""
    drawing, axes = canvas(6.6, 3.1)
    for x in (-3.6, 3.6):
        axes.add_patch(Ellipse((17 + x, 14.5), 18, 22, facecolor="#c6453d", edgecolor="none", zorder=1))
    for x in (-3.4, 3.4):
        axes.add_patch(Ellipse((17 + x, 14.5), 16.6, 20.4, facecolor="#fbf1d4", edgecolor="none", zorder=2))
    line(axes, ((17, 25.5), (17.8, 29.5)), "#6b4a2b", 3)
    axes.add_patch(Ellipse((17, 14.5), 5.6, 8.4, facecolor="#f1e0b0", edgecolor="#cdb877", lw=1, zorder=3))
    for x in (-1.0, 1.0):
        axes.add_patch(Ellipse((17 + x, 14.5), 0.9, 2.4, facecolor="#6b4a2b", edgecolor="none", zorder=4))
    line(axes, ((2.5, 14.5), (31.5, 14.5)), _WINE, 1.2, dash=(0, (5, 3)), level=5)
    label(axes, (32.2, 14.5), "equator", size=8.6, align="left", color=_WINE)
    for x, name in ((9.2, "A"), (24.8, "B")):
        plain_box(axes, (x - 1.5, 11.0), 3.0, 7.0, "#ffffff", edge=_WINE, line=1.5, level=6)
        label(axes, (x, 14.5), name, size=10, bold=True, color=_WINE)
    dimension(axes, (4.9, 8.8), (7.7, 8.8), "8 mm", (-4.0, 0))
    label(axes, (17, 2.0), "two cores, sun side A and shade side B", size=8.8)
    label(axes, (52.5, 28.2), "Core, 12 mm borer", size=9.4, bold=True)
    parts = (
        (2.0, "#c6453d", "skin and 2 mm: discard"),
        (9.0, "#fbf1d4", "outer cortex, 9 mm: keep"),
        (4.0, "#f1e0b0", "inner 4 mm: discard"),
    )
    low = 24.5
    for height, color, text in parts:
        plain_box(axes, (41.0, low - height * 1.15), 7.5, height * 1.15, color, edge=_INK, line=1.0, level=3)
        keep = "keep" in text
        label(
            axes,
            (50.0, low - height * 0.575),
            text,
            size=8.8,
            align="left",
            bold=keep,
            color=_WINE if keep else _INK,
        )
        low -= height * 1.15
    label(axes, (52.5, 3.8), "about 1.0 g from each core", size=8.8)
    return drawing


def draw_plate() -> Drawing:
    """Draw which well of the 96-well plate holds what."""
    drawing, axes = canvas(7.0, 4.5)
    kinds = {
        "blank": ("#ffffff",
        "Blank: buffer"), "cal": (_GOLD, "Catechol without extract"), "qc": (_TEAL, "Control sample QC-7"),
        "sample": (_WINE, "Samples S1 to S16, triplicate"), "spike": ("#c08aa6",
        "Spiked S1 and S9"), "empty": ("#e3e7ea", "Leave empty"),
    }  # fmt: skip
    box(axes, (1.5, 3.2), 47.5, 39.0, face="#f7f9fa", edge=_INK, round=1.6, level=1)
    for row, letter in enumerate("ABCDEFGH"):
        label(axes, (3.4, 36.0 - row * 4.4), letter, size=9, bold=True)
        for column in range(12):
            kind, text = _well(row, column)
            place = (6.6 + column * 3.65, 36.0 - row * 4.4)
            axes.add_patch(Circle(place, 1.62, facecolor=kinds[kind][0], edgecolor=_INK, lw=0.9, zorder=3))
            dark = kind in ("qc", "sample")
            label(axes, place, text, size=6.8, bold=True, color="white" if dark else _INK)
    for column in range(12):
        label(axes, (6.6 + column * 3.65, 40.2), str(column + 1), size=9, bold=True)
    for step, (face, name) in enumerate(kinds.values()):
        axes.add_patch(Circle((52.2, 36.0 - step * 4.4), 1.1, facecolor=face, edgecolor=_INK, lw=0.9))
        label(axes, (54.2, 36.0 - step * 4.4), name, size=8.6, align="left")
    label(
        axes,
        (60.4, 6.4),
        "Corner wells are never used:\nthey are 0.4 °C cooler",
        size=8.6,
        italic=True,
        color=_WINE,
    )
    return drawing


def _well(row: int, column: int) -> tuple[str, str]:
    """Return what a well holds and its short name; rows and columns from 0."""
    if (row, column) in ((0, 0), (0, 11), (7, 0), (7, 11)):
        return "empty", ""
    if column == 0:
        return "blank", "BL"
    if column == 11:
        return ("qc", "QC") if row < 4 else ("cal", "CA")
    if column == 10:
        return ("spike", "P1") if row < 4 else ("spike", "P9")
    position = (column - 1) // 3 * 8 + row
    if column - 1 < 6:
        return "sample", f"S{position + 1}"
    return "empty", ""


def draw_progress() -> Drawing:
    """Draw typical progress curves with the window for the slope."""
    drawing, axes = chart(6.4, 3.2)
    time = np.linspace(0, 300, 200)
    curves = (
        (0.62, 210, _WINE, "active extract, 1:20"),
        (0.24, 260, _TEAL, "control sample QC-7"),
        (0.035, 600, _GREY, "blank"),
    )
    axes.axvspan(20, 80, color=_GOLD, alpha=0.18, lw=0)
    axes.text(
        50,
        0.56,
        "slope is taken here\n20 to 80 s",
        ha="center",
        fontsize=8.8,
        fontweight="bold",
        color="#8c651a",
    )
    for top, reach, color, name in curves:
        axes.plot(time, 0.05 + top * (1 - np.exp(-np.maximum(time - 4, 0) / reach)), color=color, lw=2.2, label=name)
    axes.annotate(
        "0.143 / min",
        (60, 0.196),
        (96, 0.15),
        fontsize=9,
        color=_WINE,
        fontweight="bold",
        arrowprops={"arrowstyle": "-", "color": _WINE},
    )
    axes.annotate(
        "0.047 / min",
        (70, 0.103),
        (140, 0.075),
        fontsize=9,
        color=_TEAL,
        fontweight="bold",
        arrowprops={"arrowstyle": "-", "color": _TEAL},
    )
    axes.set(
        xlabel="Time after injection of catechol, s",
        ylabel="Absorbance at 420 nm",
        xlim=(0, 300),
        ylim=(0, 0.65),
    )
    axes.grid(True)
    axes.legend(loc="upper right")
    return drawing


def draw_optimum() -> Drawing:
    """Draw activity over pH and temperature; the optima stand only here."""
    drawing = Drawing(figsize=(6.6, 2.7), layout="constrained")
    left, right = drawing.subplots(1, 2)
    acidity, warmth = np.linspace(3.5, 8, 100), np.linspace(5, 60, 100)
    left.plot(acidity, 100 * np.exp(-(((acidity - 5.6) / 1.15) ** 2)), color=_WINE, lw=2.3)
    left.annotate("pH 5.6", (5.6, 100), (10, -3), textcoords="offset points", fontweight="bold", color=_WINE)
    curve = np.exp((warmth - 31) / 17) / (1 + np.exp((warmth - 36) / 4.5))
    right.plot(warmth, 100 * curve / curve.max(), color=_TEAL, lw=2.3)
    top = warmth[int(np.argmax(curve))]
    right.annotate(f"{top:.0f} °C", (top, 100), (6, -3), textcoords="offset points", fontweight="bold", color=_TEAL)
    right.axvline(25, color=_GREY, ls="--", lw=1.2)
    right.text(24, 8, "assay 25 °C", ha="right", fontsize=8.6)
    left.set(xlabel="pH", ylabel="Relative activity, %", ylim=(0, 112))
    right.set(xlabel="Temperature, °C", ylim=(0, 112))
    for axes in (left, right):
        axes.grid(True)
    return drawing


def draw_control_chart() -> Drawing:
    """Draw the control chart of the control sample with its limits; the limits stand only here."""
    drawing, axes = chart(6.6, 2.9)
    rng = np.random.default_rng(217)
    values = np.clip(41.6 + rng.normal(0, 1.25, 30), 38.7, 44.4)
    values[17] = 46.3
    axes.plot(range(1, 31), values, "-o", color=_INK, lw=1.1, ms=4.2)
    axes.plot([18], [46.3], "o", color=_WINE, ms=9, mfc="none", mew=2)
    axes.annotate("run 18: old\ncatechol", (18, 46.3), (19.2, 46.4), fontsize=8.6, color=_WINE, fontweight="bold")
    limits = (
        (41.6, "mean 41.6", _TEAL, "-"),
        (44.4, "warning 44.4", _GOLD, "--"),
        (38.8, "warning 38.8", _GOLD, "--"),
        (45.8, "action 45.8", _WINE, "-"),
        (37.4, "action 37.4", _WINE, "-"),
    )
    for level, name, color, style in limits:
        axes.axhline(level, color=color, lw=1.1, ls=style)
        axes.text(30.7, level, name, va="center", fontsize=8.4, color=color, fontweight="bold")
    axes.set(xlabel="Run, 2023 to 2024", ylabel="QC-7, U per g", xlim=(0, 30.4), ylim=(36.5, 48))
    return drawing


def draw_column() -> Drawing:
    """Draw the desalting column with the volumes of each fraction."""
    drawing, axes = canvas(6.4, 2.7)
    plain_box(axes, (4, 3.5), 7, 20, "#ffffff", edge=_INK, line=1.4, level=2)
    plain_box(axes, (4.15, 5.0), 6.7, 12.5, "#e8eef0", level=3)
    plain_box(axes, (4.15, 17.5), 6.7, 2.6, "#e6b8cb", level=3)
    axes.add_patch(
        Polygon(((6.4, 3.5), (8.6, 3.5), (7.8, 1.2), (7.2, 1.2)), facecolor="#ffffff", edgecolor=_INK, lw=1.2)
    )
    axes.add_patch(Wedge((7.5, 5.0), 0.1, 0, 360, color=_INK))
    label(axes, (12.4, 18.8), "sample", size=8.6, align="left")
    label(axes, (12.4, 11.0), "gel bed 8.3 ml", size=8.6, align="left")
    volumes = (
        (0, 2.5, "#f4f7f8", "load extract\n2.5 ml", "discard"),
        (2.5, 6.0, "#f0c9d8", "elute with buffer\n3.5 ml", "collect: enzyme"),
        (6.0, 9.5, "#f4f7f8", "rinse\n3.5 ml", "discard: phenols"),
    )
    for first, last, face, text, use in volumes:
        x0, x1 = 24.5 + first * 3.9, 24.5 + last * 3.9
        plain_box(axes, (x0, 8.0), x1 - x0, 8.0, face, edge=_INK, line=1.1, level=2)
        label(axes, ((x0 + x1) / 2, 12.0), text, size=8.6)
        label(axes, ((x0 + x1) / 2, 18.0), use, size=8.8, bold=True, color=_WINE if "collect" in use else _INK)
    arrow(axes, (24.5, 5.6), (61.5, 5.6), "#5c6a73")
    for volume in (0, 2.5, 6.0, 9.5):
        label(axes, (24.5 + volume * 3.9, 3.6), f"{volume:g} ml", size=8.4)
    return drawing


FIGURES: dict[str, Draw] = {
    "figure-1": draw_workflow,
    "figure-2": draw_sampling,
    "figure-3": draw_column,
    "figure-4": draw_plate,
    "figure-5": draw_progress,
    "figure-6": draw_control_chart,
    "figure-7": draw_optimum,
}
