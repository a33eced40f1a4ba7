"""All drawings of the research paper; values that a figure shows are not repeated in its text."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle, RegularPolygon

from sample_corpus.drawing import Draw, canvas, chart
from sample_corpus.drawings.marking import arrow, box, label, line

_BLUE, _RED, _GREY, _GREEN, _GOLD = "#1f5a92", "#b5382e", "#8a949c", "#3c8d5a", "#c58a1b"
_METHODS = (
    ("PipeWren", _BLUE, "o"),
    ("SpecCNN", _GREEN, "s"),
    ("TDOA-LS", _GOLD, "^"),
    ("GCC-pair", _GREY, "D"),
)


def draw_overview() -> Drawing:
    """Draw the way from four hydrophones to a position; window and rates stand only here."""
    drawing, axes = canvas(7.0, 2.25)
    steps = (
        (1.0, "4 hydrophones", "4 kHz, 16 bit\n8 s windows"),
        (15.2, "On-node gate", "sends 1 of 40\nwindows"),
        (29.4, "Pair correlation", "6 pairs\nwhitened"), (43.6, "Branch voting", "score on a\n0.25 m grid"),
        (57.8, "Position", "and 80 %\ninterval"),
    )  # fmt: skip
    for index, (x, name, text) in enumerate(steps):
        box(
            axes,
            (x, 5.6),
            11.2,
            9.8,
            face="#eef3f8" if index != 3 else "#fbe9e7",
            edge=_BLUE if index != 3 else _RED,
        )
        label(axes, (x + 5.6, 13.0), name, size=9, bold=True)
        label(axes, (x + 5.6, 8.8), text, size=8.4, color="#46525c")
        if index < 4:
            arrow(axes, (x + 11.3, 10.5), (x + 14.1, 10.5), "#46525c")
    line(axes, ((49.2, 5.4), (49.2, 3.2), (20.8, 3.2)), _RED, 1.2, dash=(0, (4, 2)))
    arrow(axes, (20.8, 3.2), (20.8, 5.5), _RED, 1.2)
    label(axes, (35.0, 1.8), "wave speed, learned once a week from passing pumps", size=8.4, color=_RED)
    label(axes, (8.2, 18.6), "node, 1.9 mW", size=8.6, bold=True, color=_BLUE)
    label(axes, (49.2, 18.6), "gateway", size=8.6, bold=True, color=_BLUE)
    line(axes, ((27.6, 20.5), (27.6, 4.4)), _GREY, 1.0, dash=(0, (2, 2)))
    return drawing


def draw_delay() -> Drawing:
    """Draw two recordings, their correlation and the delay read from it."""
    drawing = Drawing(figsize=(3.5, 3.3), layout="constrained")
    top, middle, low = drawing.subplots(3, 1, height_ratios=(1, 1, 1.25))
    rng = np.random.default_rng(5)
    time = np.arange(0, 0.12, 1 / 4000)
    source = np.convolve(rng.normal(size=700), np.hanning(14), "same")
    for axes, shift, name, color in ((top, 0, "node 1", _BLUE), (middle, 74, "node 2", _GREEN)):
        axes.plot(
            time * 1000,
            source[200 - shift : 200 - shift + time.size] + rng.normal(0, 0.8, time.size),
            color=color,
            lw=0.8,
        )
        axes.set_yticks([])
        axes.set_title(name, loc="left", fontsize=8, color=color, pad=2)
        axes.set_xlim(0, 120)
    lag = np.linspace(-60, 60, 700)
    peak = (
        np.exp(-(((lag - 18.5) / 1.3) ** 2)) + 0.42 * np.exp(-(((lag + 9.2) / 1.5) ** 2)) + 0.05 * rng.normal(size=700)
    )
    low.plot(lag, peak, color="#333333", lw=0.9)
    low.annotate(
        "direct path\n18.5 ms",
        (18.5, 1.0),
        (27, 0.72),
        fontsize=8,
        color=_RED,
        arrowprops={"arrowstyle": "-", "color": _RED},
    )
    low.annotate(
        "echo from\ndead end, −9.2 ms",
        (-9.2, 0.42),
        (-58, 0.62),
        fontsize=8,
        arrowprops={"arrowstyle": "-", "color": "#555555"},
    )
    low.set(xlabel="Delay, ms", ylabel="Correlation", xlim=(-60, 60))
    middle.set_xlabel("Time, ms", fontsize=8)
    return drawing


_NODES = {"H1": (8, 25), "H2": (33, 36), "H3": (60, 27), "H4": (38, 6)}
_LEAKS = {"V1": (17, 25), "V2": (28, 30), "V3": (44, 25), "V4": (52, 31), "V5": (31, 14), "V6": (46, 12)}


def draw_testbed() -> Drawing:
    """Draw the test loop with pipe lengths, nodes and leak valves; all lengths stand only here."""
    drawing, axes = canvas(7.0, 4.2)
    pipes = (
        ((8, 25), (28, 25), "12.4 m"), ((28, 25), (44, 25), "9.8 m"), ((44, 25), (60, 27), "10.6 m"),
        ((28, 25), (28, 36), ""),
        ((28, 36), (33, 36), ""), ((33, 36), (52, 36), "11.7 m"), ((52, 36), (52, 26), ""), ((44, 25),
        (31, 14), "10.2 m"),
        ((31, 14), (38, 6), "6.4 m"), ((31, 14), (46, 12), "8.4 m"),
    )  # fmt: skip
    for start, end, text in pipes:
        line(axes, (start, end), "#9fb4c6", 7, level=1)
        line(axes, (start, end), "#dbe6ef", 4, level=2)
        if text:
            flat = abs(start[1] - end[1]) < 3
            shift = (0, 2.0 if start[0] != 44 else -2.2) if flat else (3.8, -0.6)
            label(
                axes,
                ((start[0] + end[0]) / 2 + shift[0], (start[1] + end[1]) / 2 + shift[1]),
                text,
                size=8.4,
                color="#46525c",
            )
    label(axes, (48.4, 33.2), "6.0 m", size=8.4, color="#46525c")
    label(axes, (24.8, 33.2), "6.5 m", size=8.4, color="#46525c")
    for name, place in _NODES.items():
        axes.add_patch(Circle(place, 1.3, facecolor=_BLUE, edgecolor="white", lw=1.4, zorder=5))
        label(
            axes,
            (place[0] + (3.2 if name == "H4" else 0), place[1] + (0 if name == "H4" else 2.8)),
            name,
            size=9.5,
            bold=True,
            color=_BLUE,
        )
    for name, (x, y) in _LEAKS.items():
        axes.add_patch(RegularPolygon((x, y), 3, radius=1.4, facecolor=_RED, edgecolor="white", lw=1.0, zorder=6))
        beside = (3.0, 0.2) if name in ("V2", "V4") else (0.2, -2.5)
        label(axes, (x + beside[0], y + beside[1]), name, size=9, bold=True, color=_RED)
    label(axes, (60, 19.6), "PVC Ø 63 mm\nfrom H3 to V4", size=8.4, italic=True)
    label(axes, (14, 14.2), "ductile iron Ø 100 mm,\nall other pipes", size=8.4, italic=True)
    box(axes, (1.5, 1.5), 24, 7.2, face="white", edge="#c4ccd3")
    axes.add_patch(Circle((3.8, 6.6), 0.9, facecolor=_BLUE, zorder=6))
    label(axes, (5.6, 6.6), "hydrophone (4)", size=8.6, align="left")
    axes.add_patch(RegularPolygon((3.8, 3.5), 3, radius=1.1, facecolor=_RED, zorder=6))
    label(axes, (5.6, 3.6), "leak valve (6), 0.5 to 6 l/min", size=8.6, align="left")
    return drawing


def draw_noise() -> Drawing:
    """Draw median error over the signal-to-noise ratio; the values stand only here."""
    drawing, axes = chart(3.5, 2.9)
    ratio = np.array([-15, -12, -9, -6, -3, 0, 3, 6])
    errors = {
        "PipeWren": [17.2, 9.1, 5.2, 3.1, 1.9, 1.2, 0.9, 0.8],
        "SpecCNN": [38.0, 29.5, 19.8, 11.6, 6.0, 3.1, 2.1, 1.7],
        "TDOA-LS": [36.1, 30.4, 23.7, 15.9, 9.2, 5.0, 3.2, 2.4],
        "GCC-pair": [39.4, 34.8, 28.3, 20.1, 12.2, 6.6, 4.0, 2.9],
    }  # fmt: skip
    for name, color, marker in _METHODS:
        axes.semilogy(ratio, errors[name], "-" + marker, color=color, lw=1.8, ms=4, label=name)
    axes.axhline(5, color="#555555", lw=0.8, ls=":")
    axes.text(6, 5.3, "one dig, 5 m", ha="right", fontsize=7.8)
    axes.set(xlabel="Signal-to-noise ratio, dB", ylabel="Median error, m")
    axes.set_yticks([1, 2, 5, 10, 20, 40], ["1", "2", "5", "10", "20", "40"])
    axes.minorticks_off()
    axes.grid(True)
    axes.legend(fontsize=7.8, loc="lower left")
    return drawing


def draw_battery() -> Drawing:
    """Draw battery life over reports a day; the values stand only here."""
    drawing, axes = chart(3.5, 2.6)
    reports = np.arange(1, 49)
    for name, gate, color in (("with gate", 0.9, _BLUE), ("without gate", 6.3, _RED)):
        power = 1.0 + gate + 0.085 * reports
        axes.plot(reports, 148.0 / (power * 8.766), color=color, lw=2, label=name)
    for x, y, text, color in ((12, 5.77, "5.8 years", _BLUE), (12, 2.03, "2.0 years", _RED)):
        axes.plot([x], [y], "o", color=color, ms=5)
        axes.annotate(text, (x, y), (6, 6), textcoords="offset points", fontsize=8.4, fontweight="bold", color=color)
    axes.set(xlabel="Reports a day", ylabel="Battery life, years", ylim=(0, 9), xlim=(0, 48))
    axes.grid(True)
    axes.legend(fontsize=8)
    return drawing


def draw_votes() -> Drawing:
    """Draw the score along the pipes for a good case and for the mirrored failure."""
    drawing = Drawing(figsize=(7.0, 2.5), layout="constrained")
    left, right = drawing.subplots(1, 2)
    place = np.linspace(0, 82, 500)
    rng = np.random.default_rng(9)
    cases = (
        (left, "V3: found", ((34.2, 1.0, 1.1), (58.0, 0.34, 2.0)), 34.0, 34.2),
        (right, "V6: mirrored", ((61.5, 0.86, 1.5), (73.1, 0.97, 1.5)), 61.3, 73.1),
    )
    for axes, title, peaks, truth, found in cases:
        score = sum(height * np.exp(-(((place - centre) / width) ** 2)) for centre, height, width in peaks)
        score = score + 0.06 * np.abs(np.convolve(rng.normal(size=500), np.hanning(9), "same"))
        _score_panel(axes, place, score, title, truth, found)
    left.set_ylabel("Score")
    return drawing


def _score_panel(axes: Axes, place: np.ndarray, score: np.ndarray, title: str, truth: float, found: float) -> None:
    axes.fill_between(place, score, color=_BLUE, alpha=0.25, lw=0)
    axes.plot(place, score, color=_BLUE, lw=1.2)
    axes.axvline(truth, color=_RED, lw=1.4, ls="--")
    axes.text(truth - 1, 1.22, f"true {truth:.1f} m", ha="right", fontsize=8.4, color=_RED, fontweight="bold")
    axes.text(found + 1, 1.1, f"found {found:.1f} m", fontsize=8.4, color=_BLUE, fontweight="bold")
    axes.set(xlabel="Position along the pipes, m", ylim=(0, 1.35), xlim=(0, 95), title=title)


def draw_distribution() -> Drawing:
    """Draw the distribution of errors at Marrow Hill; the values stand only here."""
    drawing, axes = chart(3.5, 2.7)
    error = np.linspace(0.2, 80, 400)
    for (name, color, _), median, spread in zip(_METHODS, (9.7, 35.4, 27.9, 31.2), (0.95, 0.8, 0.85, 0.8), strict=True):
        share = 1 / (1 + (error / median) ** (-1.7 / spread))
        axes.plot(error, 100 * share, color=color, lw=1.9, label=name)
    axes.axvline(20, color="#555555", lw=0.8, ls=":")
    axes.text(20.8, 4, "20 m", fontsize=8)
    axes.plot([20], [78.5], "o", color=_BLUE, ms=5)
    axes.annotate(
        "78 %", (20, 78.5), (-26, 2), textcoords="offset points", fontsize=8.6, fontweight="bold", color=_BLUE
    )
    axes.set(xlabel="Error, m", ylabel="Share of leaks, %", xlim=(0, 80), ylim=(0, 100))
    axes.grid(True)
    axes.legend(fontsize=7.8, loc="lower right")
    return drawing


FIGURES: dict[str, Draw] = {
    "figure-1": draw_overview,
    "figure-2": draw_delay,
    "figure-3": draw_testbed,
    "figure-4": draw_noise,
    "figure-5": draw_battery,
    "figure-6": draw_votes,
    "figure-7": draw_distribution,
}
