"""All charts of the annual report; where a chart gives a value, the text does not repeat it."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing

from sample_corpus.drawing import Draw, canvas, chart
from sample_corpus.drawings.marking import box, label, line

_NAVY, _TEAL, _SAND, _RED, _GREY = "#14365d", "#0f8b8d", "#d9a441", "#b23a48", "#a9b4bf"


def draw_cover() -> Drawing:
    """Draw the cover's band of folded sheets."""
    drawing, axes = canvas(8.27, 2.6)
    rng = np.random.default_rng(11)
    colors = (_NAVY, "#1e4f7f", _TEAL, "#4fb0b2", _SAND, "#e7cf98", "#c8d6df")
    left = 0.0
    while left < 82.7:
        width, lean = rng.uniform(3, 8), rng.uniform(-3, 3)
        color = colors[int(rng.integers(len(colors)))]
        top = rng.uniform(14, 26)
        axes.fill(
            (left, left + width, left + width + lean, left + lean),
            (0, 0, top, top),
            color=color,
            alpha=0.85,
            lw=0,
        )
        left += width * 0.72
    return drawing


def draw_five_years() -> Drawing:
    """Draw revenue and operating margin of five years."""
    drawing, axes = chart(6.6, 3.2)
    years = ["2020", "2021", "2022", "2023", "2024"]
    revenue, margin = [612.3, 655.0, 701.4, 735.6, 758.2], [7.1, 7.9, 8.3, 8.8, 9.0]
    bars = axes.bar(years, revenue, 0.55, color=[_GREY] * 4 + [_NAVY])
    axes.bar_label(bars, [f"{value:.1f}" for value in revenue], padding=3, fontsize=9, fontweight="bold")
    axes.set(ylabel="Revenue, € million", ylim=(0, 1050))
    axes.set_yticks([0, 200, 400, 600, 800])
    share = axes.twinx()
    share.plot(years, margin, "-o", color=_TEAL, lw=2.4)
    for year, value in zip(years, margin, strict=True):
        share.annotate(
            f"{value:.1f} %",
            (year, value),
            (0, 8),
            textcoords="offset points",
            ha="center",
            color=_TEAL,
            fontweight="bold",
        )
    share.set_ylim(-14, 11.4)
    share.set_axis_off()
    share.text(-0.45, 10.4, "Operating margin", color=_TEAL, fontsize=9)
    return drawing


def _bridge(axes: Axes, steps: list[tuple[str, float]], start: tuple[str, float], end: str) -> None:
    """Draw a waterfall from a first total over its steps to the last total."""
    level = start[1]
    names = [start[0], *(name for name, _ in steps), end]
    axes.bar(0, level, 0.62, color=_NAVY)
    axes.annotate(f"{level:.1f}", (0, level), (0, 4), textcoords="offset points", ha="center", fontweight="bold")
    for place, (_, change) in enumerate(steps, start=1):
        axes.bar(place, change, 0.62, bottom=level, color=_TEAL if change > 0 else _RED)
        axes.plot((place - 0.7, place + 0.31), (level, level), color="#77828c", lw=0.7)
        top = max(level, level + change)
        axes.annotate(
            f"{change:+.1f}".replace("-", "−"),
            (place, top),
            (0, 4),
            textcoords="offset points",
            ha="center",
            fontweight="bold",
        )
        level += change
    axes.bar(len(steps) + 1, level, 0.62, color=_NAVY)
    axes.annotate(
        f"{level:.1f}",
        (len(steps) + 1, level),
        (0, 4),
        textcoords="offset points",
        ha="center",
        fontweight="bold",
    )
    axes.set_xticks(range(len(names)), names)


def draw_profit_bridge() -> Drawing:
    """Draw what moved operating profit."""
    drawing, axes = chart(6.6, 3.1)
    steps = [("Volume", 6.2), ("Prices", -9.8), ("Energy", 11.4), ("Wages", -5.6), ("Other", 1.6)]
    _bridge(axes, steps, ("2023", 64.6), "2024")
    axes.set(ylabel="Operating profit, € million", ylim=(50, 80))
    axes.grid(True, axis="y")
    return drawing


def draw_debt_bridge() -> Drawing:
    """Draw what moved net debt."""
    drawing, axes = chart(6.6, 3.1)
    steps = [
        ("Free cash\nflow", -24.6),
        ("Dividend", 16.0),
        ("Buyback", 11.2),
        ("Acquisition", 3.4),
        ("Leases,\ncurrency", 2.7),
    ]
    _bridge(axes, steps, ("June\n2023", 176.2), "June\n2024")
    for patch in axes.patches[1:-1]:
        patch.set_facecolor(_RED if patch.get_height() > 0 else _TEAL)  # type: ignore[attr-defined]
    axes.set(ylabel="Net debt, € million", ylim=(130, 195))
    axes.grid(True, axis="y")
    return drawing


def draw_regions() -> Drawing:
    """Draw revenue by region, this year and last."""
    drawing, axes = chart(6.4, 2.7)
    regions = ["Central Europe", "Nordics", "UK and Ireland", "Iberia", "Overseas"]
    now, before = [318.4, 231.9, 121.3, 52.6, 34.0], [309.8, 236.5, 108.2, 49.7, 31.4]
    place = np.arange(5)[::-1]
    axes.barh(place + 0.19, now, 0.36, color=_NAVY, label="2024")
    axes.barh(place - 0.19, before, 0.36, color=_GREY, label="2023")
    for y, value, old in zip(place, now, before, strict=True):
        axes.text(value + 4, y + 0.19, f"{value:.1f}", va="center", fontweight="bold", fontsize=8.8)
        axes.text(old + 4, y - 0.19, f"{old:.1f}", va="center", fontsize=8.4, color="#5c6670")
    axes.set_yticks(place, regions)
    axes.set(xlabel="Revenue, € million", xlim=(0, 360))
    axes.legend(loc="lower right")
    return drawing


def draw_energy_cost() -> Drawing:
    """Draw the energy cost of a tonne of board by quarter."""
    drawing, axes = chart(6.4, 2.9)
    quarters = ["Q1 22", "Q2", "Q3", "Q4", "Q1 23", "Q2", "Q3", "Q4", "Q1 24", "Q2", "Q3", "Q4"]
    cost = [61, 74, 98, 117, 142, 131, 108, 96, 88, 84, 79, 77]
    place = np.arange(12)
    axes.fill_between(place, cost, color=_TEAL, alpha=0.14)
    axes.plot(place, cost, "-o", color=_TEAL, lw=2.4, ms=4.5)
    for index in (0, 4, 7, 11):
        axes.annotate(
            f"{cost[index]} €",
            (index, cost[index]),
            (0, 8),
            textcoords="offset points",
            ha="center",
            fontweight="bold",
        )
    axes.set_xticks(place, quarters)
    axes.set(ylabel="€ per tonne of board", ylim=(0, 170))
    axes.grid(True, axis="y")
    return drawing


def draw_emissions() -> Drawing:
    """Draw emissions per tonne and the path to 2030."""
    drawing, axes = chart(6.4, 3.0)
    years, actual = [2018, 2019, 2020, 2021, 2022, 2023, 2024], [512, 498, 471, 455, 418, 389, 347]
    axes.plot(years, actual, "-o", color=_NAVY, lw=2.5, label="Actual")
    axes.plot([2018, 2024, 2030], [512, 384, 256], "--", color=_TEAL, lw=1.8, label="Path to 2030")
    for year, value, shift in ((2018, 512, 8), (2024, 347, -16)):
        axes.annotate(
            f"{value} kg",
            (year, value),
            (4, shift),
            textcoords="offset points",
            ha="center",
            fontweight="bold",
            color=_NAVY,
        )
    axes.annotate(
        "256 kg",
        (2030, 256),
        (-4, -15),
        textcoords="offset points",
        ha="center",
        fontweight="bold",
        color=_TEAL,
    )
    axes.annotate(
        "Rensfeld biomass\nboiler, Oct 2023",
        (2024, 347),
        (2025.1, 440),
        fontsize=8.6,
        arrowprops={"arrowstyle": "-", "color": "#77828c"},
    )
    axes.set(ylabel="kg CO₂e per tonne of product", ylim=(200, 560), xlim=(2017.5, 2030.6))
    axes.grid(True, axis="y")
    axes.legend(loc="upper right")
    return drawing


def draw_accidents() -> Drawing:
    """Draw lost-time accidents per million hours by segment."""
    drawing, axes = chart(6.0, 2.8)
    names, place, width = ["Board Mills", "Moulded Fibre", "Recovery Services"], np.arange(3), 0.25
    values = {
        "2022": ([6.8, 5.1, 14.2], _GREY),
        "2023": ([5.9, 4.7, 12.6], "#6f86a0"),
        "2024": ([4.4, 4.9, 9.3], _NAVY),
    }
    for step, (year, (rates, color)) in enumerate(values.items()):
        bars = axes.bar(place + (step - 1) * width, rates, width * 0.92, color=color, label=year)
        axes.bar_label(bars, [f"{rate:.1f}" for rate in rates], padding=2, fontsize=8.6)
    axes.set_xticks(place, names)
    axes.set(ylabel="Per million hours", ylim=(0, 16.5))
    axes.legend(loc="upper left", ncols=3)
    return drawing


def draw_maturities() -> Drawing:
    """Draw when the borrowings fall due."""
    drawing, axes = chart(6.2, 2.7)
    years = ["2025", "2026", "2027", "2028", "2029", "2030", "later"]
    parts = {
        "Bank loans": ([12.0, 12.0, 47.5, 0, 0, 0, 0], _NAVY),
        "Green bond": ([0, 0, 0, 0, 100.0, 0, 0], _TEAL),
        "Leases": ([7.1, 6.6, 5.9, 5.2, 4.4, 3.8, 23.0], _SAND),
    }
    base = np.zeros(7)
    for name, (values, color) in parts.items():
        axes.bar(years, values, 0.6, bottom=base, color=color, label=name)
        base = base + np.array(values)
    for index, total in enumerate(base):
        axes.annotate(
            f"{total:.1f}", (index, total), (0, 4), textcoords="offset points", ha="center", fontweight="bold"
        )
    axes.set(ylabel="€ million", ylim=(0, 122), xlabel="Financial year")
    axes.legend(loc="upper left")
    return drawing


def draw_share_price() -> Drawing:
    """Draw the share against the sector's index over the year."""
    drawing, axes = chart(6.4, 2.9)
    rng = np.random.default_rng(24)
    week = np.arange(53)
    index = 100 + np.cumsum(rng.normal(0.10, 0.9, 53))
    index = 100 + (index - index[0]) * (6.0 / (index[-1] - index[0]))
    share = np.interp(week, [0, 9, 20, 31, 40, 52], [9.15, 8.42, 9.3, 10.6, 10.2, 11.48]) + rng.normal(0, 0.11, 53)
    share[0], share[9], share[52] = 9.15, 8.42, 11.48
    axes.plot(week, share, color=_NAVY, lw=2.3, label="Aldermoor, €")
    axes.plot(week, index * 9.15 / 100, color=_GREY, lw=1.7, label="Sector index, rebased")
    for x, y, text, shift in ((0, 9.15, "9.15", 10), (9, 8.42, "low 8.42", -15), (52, 11.48, "11.48", 6)):
        axes.annotate(text, (x, y), (0, shift), textcoords="offset points", ha="center", fontweight="bold", color=_NAVY)
    axes.set_xticks([0, 13, 26, 39, 52], ["Jul 2023", "Oct", "Jan 2024", "Apr", "Jun 2024"])
    axes.set(ylim=(7.6, 12.4))
    axes.grid(True, axis="y")
    axes.legend(loc="upper left")
    return drawing


def draw_structure() -> Drawing:
    """Draw the companies of the group with the shares held."""
    drawing, axes = canvas(7.0, 3.5)
    box(axes, (24, 28), 22, 5, "Aldermoor Group plc", face=_NAVY, color="white", bold=True, size=10)
    heads = ((2, "Board Mills"), (26, "Moulded Fibre"), (50, "Recovery Services"))
    companies = (
        (
            ("Rensfeld Kartong AB", "100 %"),
            ("Quern Street Mill Ltd", "100 %"),
            ("Drahan Papír s.r.o.", "85 %"),
        ),
        (("Aldermoor Form GmbH", "100 %"), ("Tulla Eggware Ltd", "100 %"), ("Pulpa Iberia S.L.", "60 %")),
        (("Aldermoor Retur AB", "100 %"), ("Bale & Byrne Ltd", "75 %"), ("Fiberkrets AS", "49 %, associate")),
    )
    for (x, name), members in zip(heads, companies, strict=True):
        line(axes, ((35, 28), (35, 25.8), (x + 9, 25.8), (x + 9, 24.5)), "#77828c", 1.2)
        box(axes, (x, 20.5), 18, 4, name, face=_TEAL, edge=_TEAL, color="white", bold=True, size=9.5)
        for row, (company, share) in enumerate(members):
            low = 14.4 - row * 6.0
            line(axes, ((x - 0.6, 22.5), (x - 0.6, low + 2.2), (x + 0.8, low + 2.2)), "#77828c", 1.0)
            line(axes, ((x - 0.6, 22.5), (x, 22.5)), "#77828c", 1.0)
            dash = "--" if "associate" in share else "-"
            box(axes, (x + 0.8, low), 17.2, 4.6, face="#f4f8fa", edge="#9fb2bf", dash=dash)
            label(axes, (x + 9.4, low + 3.1), company, size=8.6, bold=True)
            label(axes, (x + 9.4, low + 1.2), share, size=8.4, color=_TEAL)
    return drawing


FIGURES: dict[str, Draw] = {
    "cover": draw_cover,
    "figure-1": draw_five_years,
    "figure-2": draw_regions,
    "figure-3": draw_energy_cost,
    "figure-4": draw_profit_bridge,
    "figure-5": draw_debt_bridge,
    "figure-6": draw_emissions,
    "figure-7": draw_accidents,
    "figure-8": draw_share_price,
    "figure-9": draw_maturities,
    "figure-10": draw_structure,
}
