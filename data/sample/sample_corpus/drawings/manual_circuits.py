"""Flow diagram and wiring of the compressor manual."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Drawing
from matplotlib.patches import Circle, Polygon

from sample_corpus.drawing import canvas
from sample_corpus.drawings.marking import INK, arrow, box, label, line, pipe

_AIR, _OIL, _MIX, _CONTROL = "#2b7bba", "#b7791f", "#7a5195", "#5a6772"
_ACCENT = "#d9480f"


def draw_flow() -> Drawing:
    """Draw the air and oil circuit; set points and pipe sizes stand only here."""
    drawing, axes = canvas(7.2, 4.7)
    _machines(axes)
    pipe(axes, ((3.0, 40.0), (8.0, 40.0)), _AIR)
    pipe(axes, ((16.0, 40.0), (20.0, 40.0)), _AIR)
    pipe(axes, ((24.0, 36.5), (24.0, 29.0)), _AIR)
    pipe(axes, ((30.0, 24.0), (37.0, 24.0)), _MIX)
    pipe(axes, ((42.5, 31.0), (42.5, 40.0), (48.0, 40.0)), _AIR)
    pipe(axes, ((53.0, 40.0), (57.5, 40.0)), _AIR)
    pipe(axes, ((67.0, 40.0), (71.0, 40.0)), _AIR)
    pipe(axes, ((42.5, 15.0), (42.5, 7.5), (37.5, 7.5)), _OIL)
    pipe(axes, ((32.5, 7.5), (28.0, 7.5)), _OIL)
    pipe(axes, ((24.0, 10.2), (24.0, 18.8)), _OIL)
    pipe(axes, ((48.0, 18.0), (62.0, 18.0), (62.0, 22.0)), _OIL)
    pipe(axes, ((62.0, 32.0), (62.0, 34.6), (52.5, 34.6), (52.5, 7.5), (48.2, 7.5)), _OIL)
    line(axes, ((48.2, 7.5), (42.5, 7.5)), _OIL, 2.6)
    pipe(axes, ((40.0, 31.0), (40.0, 33.6), (27.0, 33.6), (27.0, 30.4), (26.0, 29.2)), _OIL, 1.4)
    for place, text in (
        ((33.6, 25.6), "DN 50"), ((45.4, 41.5), "DN 40"), ((69.2, 41.5), "G 1½"),
        ((33.6, 34.8), "scavenge, Ø 1.6 mm orifice"),
        ((56.0, 19.3), "above 71 °C"), ((47.6, 11.2), "below\n71 °C"),
    ):  # fmt: skip
        label(axes, place, text, size=7.6, color=_CONTROL)
    for step, (name, color) in enumerate((("Air", _AIR), ("Air and oil", _MIX), ("Oil", _OIL))):
        line(axes, ((38.0 + step * 11, 2.2), (41.0 + step * 11, 2.2)), color, 3)
        label(axes, (41.8 + step * 11, 2.2), name, size=8.2, align="left")
    return drawing


def _machines(axes: Axes) -> None:
    boxes = (
        ((8.0, 37.0), 8.0, 6.0, "Intake\nfilter"),
        ((20.0, 36.5), 8.0, 7.0, "Intake\nvalve Y1"),
        ((18.0, 19.0), 12.0, 10.0, "Air end\n2,965 rpm"),
        ((37.0, 15.0), 11.0, 16.0, "Separator\nvessel\n62 l\n\nB1: 109 °C\ntrip"),
        ((48.0, 37.6), 5.0, 4.8, "MPV"),
        ((57.5, 36.5), 9.5, 7.0, "After-\ncooler"),
        ((57.5, 22.0), 9.0, 10.0, "Oil\ncooler"),
        ((20.0, 4.8), 8.0, 5.4, "Oil filter\n10 µm"),
        ((32.5, 5.0), 5.0, 5.0, "TV"),
    )
    for corner, width, height, text in boxes:
        box(axes, corner, width, height, text, size=8.3, bold=True)
    label(axes, (50.5, 43.8), "opens 4.5 bar", size=7.8, color=_ACCENT, bold=True)
    label(axes, (35.0, 11.3), "TV: thermostat", size=7.8, color=_ACCENT, bold=True)
    axes.add_patch(
        Polygon(((34.2, 27.2), (36.8, 28.4), (36.8, 26.0)), facecolor="white", edgecolor=INK, lw=1.1, zorder=4)
    )
    label(axes, (32.2, 29.6), "Safety valve\n9.5 bar", size=7.8, color=_ACCENT, bold=True)
    label(axes, (12.0, 35.4), "Δp switch 50 mbar", size=7.8, color=_ACCENT, bold=True)
    label(axes, (24.0, 3.4), "bypass opens 2.5 bar", size=7.8, color=_ACCENT, bold=True)


def draw_power_circuit() -> Drawing:
    """Draw the star-delta starter; conductor sizes and settings stand only here."""
    drawing, axes = canvas(7.0, 4.8)
    phases = {"L1": ("#8b5a2b", 8.0), "L2": ("#222222", 11.0), "L3": ("#8a8f94", 14.0)}
    for name, (color, x) in phases.items():
        line(axes, ((x, 45.0), (x, 30.5)), color, 2.2)
        label(axes, (x, 46.2), name, size=9, bold=True)
    line(axes, ((17.0, 45.0), (17.0, 41.5)), "#2b8a3e", 2.2, dash=(0, (4, 1.5)))
    label(axes, (17.0, 46.2), "PE", size=9, bold=True, color="#2b8a3e")
    _device(axes, (6.2, 37.5), 9.6, "Q1", "100 A gG")
    label(axes, (27.0, 43.6), "4 × 35 mm² Cu, supply", size=8.4, color=_ACCENT, bold=True)
    for _, (color, x) in phases.items():
        offset = x - 8.0
        line(axes, ((x, 30.5), (x, 24.5)), color, 2.2)
        line(
            axes,
            ((x, 33.0 - offset * 0.5), (34.0 + offset, 33.0 - offset * 0.5), (34.0 + offset, 24.5)),
            color,
            1.8,
        )
        axes.add_patch(Circle((x, 33.0 - offset * 0.5), 0.35, facecolor=color, zorder=5))
        line(axes, ((x, 20.5), (x, 10.6)), color, 1.8)
        line(
            axes,
            ((34.0 + offset, 20.5), (34.0 + offset, 10.0 - offset * 0.25), (17.6, 10.0 - offset * 0.25)),
            color,
            1.8,
        )
        line(axes, ((50.0 + offset, 24.5), (50.0 + offset, 27.0)), color, 1.8)
        level = 15.4 - offset * 0.35
        line(axes, ((50.0 + offset, 20.5), (50.0 + offset, level), (34.0 + offset, level)), color, 1.8)
        axes.add_patch(Circle((34.0 + offset, level), 0.35, facecolor=color, zorder=5))
    line(axes, ((50.0, 27.0), (56.0, 27.0)), INK, 1.8)
    label(axes, (53.0, 28.3), "star point", size=8)
    _device(axes, (6.2, 20.5), 9.6, "K1", "main")
    _device(axes, (32.2, 20.5), 9.6, "K3", "delta")
    _device(axes, (48.2, 20.5), 9.6, "K2", "star")
    _device(axes, (6.2, 14.6), 9.6, "F1", "48 A")
    axes.add_patch(Circle((13.0, 7.2), 5.6, facecolor="#eef3f7", edgecolor=INK, lw=1.4, zorder=3))
    label(axes, (13.0, 8.4), "M1\n3 ~", size=11, bold=True)
    label(axes, (13.0, 4.4), "45 kW", size=9)
    label(axes, (15.4, 13.4), "U1 V1 W1", size=7.6, align="left")
    label(axes, (20.4, 11.2), "W2 U2 V2", size=7.6, align="left")
    label(axes, (24.5, 5.6), "6 × 16 mm² Cu, starter to motor", size=8.4, color=_ACCENT, bold=True, align="left")
    label(
        axes,
        (37.0, 2.4),
        "Star to delta after 6 s (timer KT1); pause 50 ms",
        size=8.6,
        bold=True,
        color=_ACCENT,
    )
    return drawing


def _device(axes: Axes, corner: tuple[float, float], width: float, name: str, text: str) -> None:
    """Draw a three-pole device with its name and rating beside it."""
    box(axes, corner, width, 4.0, face="white", level=6)
    for pole in range(3):
        x = corner[0] + 1.8 + pole * 3.0
        line(axes, ((x, corner[1] + 4), (x, corner[1] + 2.9)), INK, 1.3, level=7)
        line(axes, ((x - 0.9, corner[1] + 2.8), (x, corner[1] + 1.1)), INK, 1.3, level=7)
        line(axes, ((x, corner[1] + 1.1), (x, corner[1])), INK, 1.3, level=7)
    label(axes, (corner[0] + width + 0.8, corner[1] + 2.9), name, size=9.4, bold=True, align="left")
    label(axes, (corner[0] + width + 0.8, corner[1] + 1.1), text, size=8.2, align="left", color=_ACCENT)


_TERMINALS = (
    ("1", "24 V DC", "supply +"), ("2", "0 V", "supply −"), ("3", "S1", "emergency stop, NC"),
    ("4", "S1", "emergency stop, NC"),
    ("5", "B1", "oil temperature, Pt 1000"), ("6", "B1", "oil temperature, Pt 1000"),
    ("7", "B2", "line pressure, 4–20 mA"),
    ("8", "B2", "line pressure, 4–20 mA"), ("9", "S4", "intake filter Δp, NO"), ("10", "S5", "oil level, NC"),
    ("11", "Y1", "intake valve solenoid"), ("12", "Y2", "blow-down solenoid"), ("13", "Y1/Y2", "common 0 V"),
    ("14", "H1", "fault relay, common"), ("15", "H1", "fault relay, NO"),
    ("16", "S9", "remote start, dry contact"),
)  # fmt: skip


def draw_terminal_strip() -> Drawing:
    """Draw terminal strip X1 with what each terminal is wired to; the numbers stand only here."""
    drawing, axes = canvas(7.0, 4.6)
    label(axes, (3.0, 44.0), "X1", size=13, bold=True, align="left")
    label(
        axes,
        (7.2, 43.8),
        "control cabinet, lower rail, seen from the front",
        size=8.6,
        align="left",
        color=_CONTROL,
    )
    for index, (number, device, text) in enumerate(_TERMINALS):
        x = 3.0 + index * 4.06
        box(axes, (x, 33.5), 3.5, 8.0, face="#dfe6eb" if index % 2 else "#eef2f5")
        axes.add_patch(Circle((x + 1.75, 39.6), 0.95, facecolor="white", edgecolor=INK, lw=0.9, zorder=4))
        axes.add_patch(Circle((x + 1.75, 35.4), 0.95, facecolor="white", edgecolor=INK, lw=0.9, zorder=4))
        label(axes, (x + 1.75, 37.5), number, size=9, bold=True)
        line(axes, ((x + 1.75, 34.4), (x + 1.75, 29.4)), _ACCENT if index < 2 else "#2b7bba", 1.5, level=3)
        label(axes, (x + 1.75, 28.9), device, size=8.6, bold=True, rotation=90, vertical="top")
        label(axes, (x + 1.75, 22.4), text, size=8.2, rotation=90, vertical="top", color="#39444d")
    arrow(axes, (3.0, 4.0), (12.0, 4.0), _ACCENT)
    label(
        axes,
        (12.8, 4.0),
        "Shielded pairs: 5–6 and 7–8, shield on the rail at the cabinet end only",
        size=8.4,
        align="left",
    )
    return drawing
