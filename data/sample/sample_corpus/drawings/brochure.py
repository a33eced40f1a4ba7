"""All drawings of the building brochure: cover, section, façade, charts, and the plans beside."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import Colormap, LinearSegmentedColormap
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle, Rectangle

from sample_corpus.drawing import Draw, canvas, chart
from sample_corpus.drawings.brochure_plans import draw_ground_floor, draw_roof, draw_site, draw_typical_floor
from sample_corpus.drawings.marking import dimension, label, line, plain_box

_WOOD, _DARK, _ACCENT = "#b98a52", "#1f3b34", "#b5651d"


def draw_cover() -> Drawing:
    """Draw the building at dusk over the water of the basin."""
    drawing, axes = canvas(8.27, 7.3)
    sky = np.linspace(0, 1, 256).reshape(-1, 1)
    image = axes.imshow(sky, extent=(0, 82.7, 26, 73), origin="lower", aspect="auto", cmap=_dusk(), zorder=0)
    image.set_interpolation("bilinear")
    axes.imshow(sky[::-1], extent=(0, 82.7, 0, 26), origin="lower", aspect="auto", cmap=_dusk(), zorder=0, alpha=0.75)
    axes.add_patch(Circle((66, 47), 3.2, facecolor="#fff3d6", edgecolor="none", zorder=0.5))
    for x, width, height in ((0.0, 9, 11), (8, 7, 15), (70, 7, 13), (76, 8, 18)):
        plain_box(axes, (x, 26), width, height, "#5d6f7d", level=1)
    _elevation(axes, 26.0, 1)
    _elevation(axes, 25.4, -0.42)
    plain_box(axes, (0, 24.4), 82.7, 1.9, "#3a3f42", level=5)
    for x in (4.0, 13.0, 71.0, 78.0):
        line(axes, ((x, 26), (x, 31)), "#3b3a33", 1.6, level=4)
        axes.add_patch(Circle((x, 33.2), 3.4, facecolor="#4d6b52", edgecolor="none", zorder=4))
    rng = np.random.default_rng(7)
    for _ in range(70):
        x, y, length = rng.uniform(0, 80), rng.uniform(1, 23), rng.uniform(2, 8)
        line(axes, ((x, y), (x + length, y)), "#f7e3c0", 0.7, level=6)
    axes.set_xlim(0, 82.7)
    axes.set_ylim(0, 73)
    return drawing


def _dusk() -> Colormap:
    return LinearSegmentedColormap.from_list("dusk", ["#f3c592", "#e9a98a", "#a98ea6", "#5f7798", "#34506f"])


def _elevation(axes: Axes, ground: float, direction: float) -> None:
    """Draw the front, or its reflection where ``direction`` is negative."""
    dim = 1.0 if direction > 0 else 0.45
    rng = np.random.default_rng(3)
    for floor in range(5):
        left = 17.0 if floor < 4 else 26.0
        bottom, height = ground + direction * floor * 5.4, direction * 5.4
        face = "#8a5a2e" if floor else "#6d4722"
        axes.add_patch(_rectangle((left, bottom), 66.0 - left, height, face, dim, 2))
        for step in range(int((66.0 - left) / 2.45)):
            x = left + 0.5 + step * 2.45
            lit = rng.random() < 0.72
            glass = "#ffdf9e" if lit else "#4a6478"
            axes.add_patch(_rectangle((x, bottom + height * 0.14), 1.75, height * 0.66, glass, dim, 3))
        axes.add_patch(_rectangle((left - 0.5, bottom + height * 0.92), 67.0 - left, height * 0.1, "#e7d3b1", dim, 3.5))


def _rectangle(
    corner: tuple[float, float], width: float, height: float, face: str, alpha: float, level: float
) -> Rectangle:
    return Rectangle(corner, width, height, facecolor=face, edgecolor="none", alpha=alpha, zorder=level)


def draw_section() -> Drawing:
    """Draw the cross section with storey heights; the heights stand only here."""
    drawing, axes = canvas(7.0, 4.7)
    scale, left, ground = 1.62, 16.0, 9.0
    levels = (
        ("Ground floor", 0.0, 4.6),
        ("Floor 1", 4.6, 3.75),
        ("Floor 2", 8.35, 3.75),
        ("Floor 3", 12.1, 3.75),
        ("Floor 4", 15.85, 3.95),
    )
    plain_box(axes, (0, 0), 70, ground, "#e8e1d3")
    for name, bottom, height in levels:
        inset = 3.0 if name == "Floor 4" else 0.0
        x0, x1 = left + inset * scale, left + 18 * scale
        low = ground + bottom * scale
        plain_box(axes, (x0, low), x1 - x0, height * scale, "#fbf8f1", level=2)
        plain_box(
            axes,
            (x0 - 0.6, low + (height - 0.42) * scale),
            x1 - x0 + 1.2,
            0.42 * scale,
            _WOOD,
            edge="#6d4722",
            line=0.8,
            level=4,
        )
        for column in (0, 6, 12, 18):
            x = left + max(column, inset) * scale
            plain_box(axes, (x - 0.3, low), 0.6, (height - 0.42) * scale, "#8a5a2e", level=3)
        label(axes, (left + 9 * scale, low + height * scale * 0.44), name, size=9, bold=True, color=_DARK)
        dimension(axes, (51.0, low), (51.0, low + height * scale), f"{height:.2f} m", (3.6, 0))
    plain_box(axes, (left - 1, ground - 0.9), 18 * scale + 2, 0.9, "#8d918f", level=4)
    for step in range(7):
        plain_box(axes, (left + step * 4.7 + 0.2, ground - 6.4), 0.7, 5.6, "#a9a294", level=2)
    label(axes, (left + 9 * scale, 1.5), "42 driven piles, 14 m, each an energy pile of 3.1 kW", size=8.4)
    dimension(axes, (60.6, ground), (60.6, ground + 19.8 * scale), "19.80 m", (3.6, 0))
    label(axes, (7.6, ground + 2.6), "Quay\n+ 2.40 m", size=8.4)
    plain_box(axes, (0, ground - 4.2), 10.5, 3.0, "#cfe2ec", level=2)
    label(axes, (5.2, ground - 2.8), "basin ± 0.00", size=7.8, color="#2b6d8c")
    plain_box(axes, (10.5, ground - 9), 1.2, 9.0, "#77706a", level=3)
    label(axes, (left + 1.2, ground + 21.2 * scale), "Terrace", size=8.2, italic=True)
    return drawing


_LAYERS = (
    (28, "#c79a63", "Larch boarding, untreated", "28 mm"), (40, "#f3f1ea", "Ventilated cavity", "40 mm"),
    (18, "#9aa69f", "Gypsum fibre board", "18 mm"), (220, "#e9d79a", "Wood-fibre insulation", "220 mm"),
    (120, "#b98a52", "Cross-laminated timber", "120 mm"),
    (60, "#dfe6e2", "Service layer, sheep's wool", "60 mm"),
    (25, "#f6efe0", "Clay plaster board", "25 mm"),
)  # fmt: skip


def draw_facade() -> Drawing:
    """Draw the layers of the outer wall with their thickness; the values stand only here."""
    drawing, axes = canvas(7.0, 3.9)
    x = 6.0
    for index, (thickness, color, name, value) in enumerate(_LAYERS):
        width = max(thickness * 0.062, 1.6)
        plain_box(axes, (x, 4.0), width, 29.5, color, edge="#53655e", line=0.9, level=2)
        if "insulation" in name:
            for step in range(8):
                line(
                    axes,
                    (
                        (x + 0.4, 5.2 + step * 3.2),
                        (x + width - 0.4, 7.0 + step * 3.2),
                        (x + 0.4, 8.4 + step * 3.2),
                    ),
                    "#c9b36d",
                    1.0,
                    level=3,
                )
        height = 31.6 - index * 4.3
        line(axes, ((x + width / 2, height), (42.0, height)), "#53655e", 0.7, level=5)
        axes.add_patch(Circle((x + width / 2, height), 0.3, facecolor=_DARK, zorder=6))
        label(axes, (43.0, height), name, size=9, align="left")
        label(axes, (68.4, height), value, size=9.4, bold=True, align="right", color=_ACCENT)
        x += width
    label(axes, (6.0, 35.2), "outside", size=9, align="left", color="#5d8ba3")
    label(axes, (x, 35.2), "inside", size=9, align="right", color=_ACCENT)
    label(
        axes,
        (6.0, 1.8),
        "U = 0.14 W/(m²K)     sound insulation 51 dB     fire resistance 90 minutes",
        size=9.2,
        bold=True,
        align="left",
        color=_DARK,
    )
    label(axes, (21.5, 35.2), "511 mm in all", size=9.2, bold=True, color=_DARK)
    return drawing


def draw_energy() -> Drawing:
    """Draw energy use and solar yield by month; the values stand only here."""
    drawing, axes = chart(6.8, 3.5)
    months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    base = np.array([9.1, 8.4, 8.6, 8.0, 8.1, 8.3, 8.6, 8.2, 8.1, 8.5, 8.8, 8.4])
    heat = np.array([6.9, 5.8, 4.2, 2.1, 0.9, 1.2, 1.9, 1.7, 0.8, 2.0, 4.6, 6.4])
    solar = np.array([2.4, 4.3, 8.1, 11.6, 13.9, 14.4, 14.1, 12.2, 8.9, 5.5, 2.8, 1.8])
    place = np.arange(12)
    axes.bar(place, base, 0.62, color="#8fa89f", label="Lighting, lifts, ventilation")
    axes.bar(place, heat, 0.62, bottom=base, color=_ACCENT, label="Heating and cooling")
    axes.plot(place, solar, "-o", color="#33506b", lw=2.2, ms=5, label="Solar yield")
    for index in (0, 5, 11):
        axes.annotate(
            f"{solar[index]:.1f}",
            (place[index], solar[index]),
            (0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=8.6,
            color="white" if index != 5 else "#33506b",
            fontweight="bold",
        )
    for index in (0, 11):
        total = f"{base[index] + heat[index]:.1f}"
        axes.annotate(
            total,
            (place[index], base[index] + heat[index]),
            (0, 4),
            textcoords="offset points",
            ha="center",
            fontsize=8.6,
            fontweight="bold",
        )
    axes.set_xticks(place, months)
    axes.set(ylabel="MWh a month", ylim=(0, 20))
    axes.grid(True, axis="y")
    axes.legend(loc="upper center", ncols=3)
    return drawing


def draw_daylight() -> Drawing:
    """Draw the daylight factor over the depth of the room for three floors; the values stand only here."""
    drawing, axes = chart(6.4, 3.1)
    depth = np.linspace(0, 9, 120)
    for name, first, reach, color in (
        ("Floor 4", 8.6, 3.4, "#e0a458"),
        ("Floor 2", 7.2, 2.6, _ACCENT),
        ("Ground floor", 6.4, 2.1, _DARK),
    ):
        axes.plot(depth, first * np.exp(-depth / reach) + 0.3, lw=2.3, color=color, label=name)
    axes.axhline(2.0, color="#53655e", ls="--", lw=1)
    axes.text(8.95, 2.2, "2 %: no lamp needed by day", ha="right", fontsize=8.6)
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 0.6, "alpha": 0.9}
    for x, color in ((5.5, "#c07f2a"), (3.77, _ACCENT), (2.79, _DARK)):
        axes.plot([x, x], [0, 2.0], color=color, lw=1.0, ls=":")
        axes.plot([x], [2.0], "o", color=color, ms=6)
        axes.text(x, 0.27, f"{x:.1f} m", ha="center", fontsize=9.5, fontweight="bold", color=color, bbox=paper)
    axes.set(xlabel="Distance from the window, m", ylabel="Daylight factor, %", xlim=(0, 9), ylim=(0, 9))
    axes.grid(True)
    axes.legend()
    return drawing


FIGURES: dict[str, Draw] = {
    "cover": draw_cover,
    "figure-1": draw_site,
    "figure-2": draw_ground_floor,
    "figure-3": draw_typical_floor,
    "figure-4": draw_section,
    "figure-5": draw_facade,
    "figure-6": draw_daylight,
    "figure-7": draw_energy,
    "figure-8": draw_roof,
}
