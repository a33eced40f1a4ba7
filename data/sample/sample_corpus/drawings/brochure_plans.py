"""Plans of Brackmere Yard: site, ground floor, typical floor, roof. Areas and distances stand only here."""

from __future__ import annotations

from matplotlib.figure import Figure as Drawing

from sample_corpus.drawing import canvas
from sample_corpus.drawings.marking import arrow, dimension, label, line
from sample_corpus.drawings.plans import Plan, north_arrow, scale_bar, tag

_OFFICE, _CORE, _PUBLIC, _WORK, _GREEN = "#f8f4ea", "#e1e5e2", "#f3e2cd", "#e6edf2", "#e4ecdc"
_GRID_X = tuple(5.4 * step for step in range(11))


_NEIGHBOURS = (
    (6, 26, 40, 46), (6, 54, 34, 78), (156, 28, 176, 48), (156, 56, 176, 80),
    (10, -2, 60, 5), (80, -2, 136, 5),
)  # fmt: skip
_TREES = (
    (56, 32), (58, 42), (57, 54), (60, 72), (72, 74), (86, 74), (100, 74), (114, 74),
    (128, 70), (128, 52), (62, 62),
)  # fmt: skip


def draw_site() -> Drawing:
    """Draw the site between the basin and the tram with walking distances."""
    drawing, axes = canvas(7.2, 4.8)
    plan = Plan(axes, (0, 0), 0.4)
    _surroundings(plan)
    plan.floor(50, 26, 134, 80, _GREEN)
    plan.floor(66, 48, 120, 66, "#b5651d", edge="#7b4210", line=1.4, level=4)
    label(axes, plan.at(93, 57), "BRACKMERE YARD", size=10.5, bold=True, color="white")
    plan.floor(66, 30, 96, 42, "#ece5d6", edge="#c3b795", line=0.8, level=3)
    label(axes, plan.at(81, 36), "Yard, 34 trees", size=8)
    plan.floor(104, 28, 128, 42, "#dcdcd8", edge="#b4b4ae", line=0.8, level=3)
    label(axes, plan.at(116, 35), "Car park\n18 + 2", size=8)
    for x, y in _TREES:
        plan.tree(x, y, 3.2)
    _ways(plan)
    north_arrow(axes, (67.5, 43.6), 2.2)
    scale_bar(axes, (52.5, 44.6), 0.4, 20)
    return drawing


def _surroundings(plan: Plan) -> None:
    """Draw water, streets and the houses around the site."""
    axes = plan.axes
    plan.floor(0, 0, 180, 120, "#f2f0ea")
    plan.floor(0, 92, 180, 120, "#cfe2ec")
    label(axes, plan.at(60, 106), "B R A C K   B A S I N", size=10, color="#5d8ba3", italic=True)
    plan.floor(0, 84, 180, 92, "#e7dfcf")
    label(axes, plan.at(28, 88), "Quay promenade", size=7.8, color="#7a6a4a")
    plan.floor(0, 8, 180, 20, "#ffffff")
    label(axes, plan.at(22, 14), "Cooper Street", size=8.4)
    plan.floor(142, 0, 152, 92, "#ffffff")
    label(axes, plan.at(147, 52), "Ropewalk", size=8.4, rotation=90)
    for x0, y0, x1, y1 in _NEIGHBOURS:
        plan.floor(x0, y0, x1, y1, "#d9d4c8", edge="#c3bcab", line=0.8, level=2)


def _ways(plan: Plan) -> None:
    """Draw the tram and the ways to it, to the ferry and to the car park."""
    axes, red, blue = plan.axes, "#a33b3b", "#2b6d8c"
    paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
    line(axes, (plan.at(0, 17), plan.at(180, 17)), red, 1.6, dash=(0, (6, 2)), level=3)
    tag(axes, plan.at(164, 17), "Tram 4", 8.0, red)
    arrow(axes, plan.at(93, 48), plan.at(158, 19.5), red, 1.4, path="arc3,rad=-0.2")
    label(axes, plan.at(139, 34), "180 m\n2 min", size=8.2, bold=True, color=red, bbox=paper)
    arrow(axes, plan.at(70, 66), plan.at(44, 90), blue, 1.4, path="arc3,rad=0.15")
    label(axes, plan.at(47, 78), "Ferry pier\n350 m, 4 min", size=8.2, bold=True, color=blue, bbox=paper)
    arrow(axes, plan.at(116, 8), plan.at(116, 27.5), "#39444d", 1.4)
    label(axes, plan.at(104, 11.5), "Vehicles, 3.8 m clear", size=7.8)


def _shell(plan: Plan) -> None:
    plan.outline(0, 0, 54, 18)
    for y in (0, 18):
        plan.windows((0, y), (54, y), 20)
    for x in (0, 54):
        plan.windows((x, 0), (x, 18), 6)
    plan.columns(_GRID_X[1:-1], (6, 12))


def _core(plan: Plan, x: float, name: str) -> None:
    """Draw a core of 5.4 by 6 metres: stairs, lift, toilets."""
    plan.floor(x, 6, x + 5.4, 12, _CORE, level=3)
    plan.outline(x, 6, x + 5.4, 12, thick=2.6)
    plan.stairs(x + 0.4, 9.7, x + 5.0, 11.7, 13)
    plan.lift(x + 0.5, 6.6)
    label(plan.axes, plan.at(x + 4.0, 7.7), "WC", size=7.4)
    plan.door(x + 2.9, 6, 1.0, "down")
    tag(plan.axes, plan.at(x + 2.7, 12.9), name, 6.4, "#53655e")


def draw_ground_floor() -> Drawing:
    """Draw the ground floor with its areas."""
    drawing, axes = canvas(7.2, 3.7)
    plan = Plan(axes, (4.2, 7.4), 1.18)
    plan.floor(0, 0, 21.6, 18, _WORK)
    plan.floor(21.6, 0, 37.8, 18, _OFFICE)
    plan.floor(37.8, 0, 54, 18, _PUBLIC)
    for x in (7.2, 14.4, 21.6):
        plan.wall((x, 0), (x, 18))
    plan.wall((37.8, 0), (37.8, 18))
    plan.wall((37.8, 11), (54, 11))
    _shell(plan)
    _core(plan, 16.2 + 5.4, "Core A")
    _core(plan, 32.4, "Core B")
    plan.wall((21.6, 12), (37.8, 12), thick=1.6)
    for x, name in ((3.6, "Workshop 1"), (10.8, "Workshop 2"), (18.0, "Workshop 3")):
        plan.room(x, 9, name, "124 m²")
        plan.door(x - 1.2, 0, 2.4, "up")
    plan.room(29.7, 3.4, "Entrance hall", "168 m²")
    plan.room(29.7, 15.2, "Bicycle store", "146 places, 92 m²")
    plan.room(45.9, 5.4, "Café and terrace room", "186 m²")
    plan.room(45.9, 14.6, "Meeting centre", "108 m²")
    plan.door(28.8, 0, 1.8, "up")
    plan.door(45.0, 0, 1.4, "up")
    plan.door(28.6, 18, 1.6, "down")
    plan.door(37.8, 13, 1.2, "right", horizontal=False)
    arrow(axes, plan.at(29.7, -3.6), plan.at(29.7, -0.6), "#b5651d", 2.2)
    label(axes, plan.at(33.6, -2.9), "Main entrance", size=8, bold=True, color="#b5651d")
    dimension(axes, plan.at(0, 20), plan.at(54, 20), "54.0 m", (0, 1.0))
    dimension(axes, plan.at(-2, 0), plan.at(-2, 18), "18.0 m", (-1.0, 0), rotation=90)
    north_arrow(axes, (67.0, 33.2), 1.7)
    scale_bar(axes, (5.0, 2.2), 1.18, 10)
    return drawing


def draw_typical_floor() -> Drawing:
    """Draw floors 1 to 3 with the three units that can be let on their own."""
    drawing, axes = canvas(10.2, 4.6)
    plan = Plan(axes, (6.5, 8.6), 1.66)
    plan.floor(0, 0, 20.5, 18, "#eef3ea")
    plan.floor(20.5, 0, 33.9, 18, _OFFICE)
    plan.floor(33.9, 0, 54, 18, "#f6ebdc")
    _shell(plan)
    _core(plan, 16.2, "Core A")
    _core(plan, 32.4, "Core B")
    for x in (20.5, 33.9):
        plan.wall((x, 0), (x, 6), thick=1.6, color="#b5651d")
        plan.wall((x, 12), (x, 18), thick=1.6, color="#b5651d")
    for x, across in ((1.4, 5), (22.2, 4), (38.6, 5)):
        plan.desks(x, 1.2, across, 1)
        plan.desks(x, 14.6, across, 1)
    plan.desks(1.4, 5.6, 4, 2, (3.0, 4.2))
    plan.desks(40.2, 5.6, 4, 2, (3.0, 4.2))
    for x0, x1, name in ((22.4, 27.0, "Meet 12"), (27.0, 31.6, "Meet 8")):
        plan.floor(x0, 7, x1, 11, "#fffdf7", level=3)
        plan.outline(x0, 7, x1, 11, thick=1.3)
        plan.room((x0 + x1) / 2, 9, name, font=7.8)
    plan.room(8.6, 13.0, "Unit A", "318 m² · 30 desks", 9.4)
    plan.room(27.2, 13.0, "Unit B", "210 m² · 18 desks", 9.4)
    plan.room(46.4, 13.0, "Unit C", "318 m² · 30 desks", 9.4)
    dimension(axes, plan.at(0, 20), plan.at(54, 20), "10 bays of 5.40 m", (0, 1.1), size=9)
    dimension(axes, plan.at(-2, 0), plan.at(-2, 18), "3 × 6.00 m", (-1.2, 0), rotation=90, size=9)
    for index, x in enumerate(_GRID_X):
        label(axes, plan.at(x, -1.6), str(index + 1), size=8.5, color="#7d8a84")
    for letter, y in zip("ABCD", (0, 6, 12, 18), strict=True):
        label(axes, plan.at(55.4, y), letter, size=8.5, color="#7d8a84")
    label(
        axes,
        (60, 2.0),
        "Orange walls are light, left out on request: A + B 528 m², B + C 528 m², whole floor 846 m²",
        size=9.2,
        bold=True,
        color="#b5651d",
    )
    north_arrow(axes, (98.2, 42.0), 1.9)
    scale_bar(axes, (6.5, 1.6), 1.66, 10)
    return drawing


def draw_roof() -> Drawing:
    """Draw the roof with its solar modules, planting and the terrace of floor 4."""
    drawing, axes = canvas(7.2, 3.3)
    plan = Plan(axes, (4.2, 6.0), 1.18)
    plan.floor(0, 0, 54, 18, "#dfe8d6")
    plan.outline(0, 0, 54, 18, thick=2.6)
    plan.floor(10.8, 2, 50, 16, "#e9ebec", edge="#53655e", line=1.6, level=2)
    for row in range(6):
        for column in range(22):
            x, y = 12.2 + column * 1.48, 3.0 + row * 2.1
            if 15 < x < 20 and 5 < y < 12:
                continue
            plan.floor(x, y, x + 1.3, y + 1.6, "#33506b", edge="#7f99b0", line=0.5, level=4)
    plan.floor(14.9, 6.4, 20.3, 12.2, "#c9cfcc", edge="#53655e", line=1.2, level=5)
    plan.room(17.6, 9.3, "Plant\n3 heat pumps", font=7.6)
    plan.floor(0.6, 0.6, 10.2, 17.4, "#e9dcc3", edge="#b99f6b", line=1.0, level=2)
    for x, y in ((2.4, 3), (2.4, 15), (8.4, 3.2), (8.4, 14.8)):
        plan.tree(x, y, 1.4)
    plan.room(5.4, 9, "Terrace", "164 m²")
    plan.room(34, 9, "232 modules in 116 pairs, 101 kWp")
    label(axes, plan.at(52.1, 9), "sedum, 110 mm", size=7.6, rotation=90)
    dimension(axes, plan.at(10.8, -1.6), plan.at(50, -1.6), "39.2 m", (0, -1.2))
    north_arrow(axes, (67.4, 29.4), 1.6)
    return drawing
