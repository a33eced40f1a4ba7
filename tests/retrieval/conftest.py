"""Four documents about a small railway, with pictures, and their index by words and vectors of the shipped model."""

from __future__ import annotations

import shutil

import pytest

from headtree.pipeline import build_index, open_index
from tests.library import make_pictures, make_settings, write

FILLER = "The staff keep a diary of all that happens on the line, day by day, and read it aloud each spring."

HILLINE = f"""\
# Hilline

The Hilline is a narrow mountain railway with nine stations between Lowmoor and Topside.

## Locomotives

Three steam locomotives pull the trains. The locomotive Bertha weighs 24 tonnes and burns 310 kg of coal on a trip,
as Figure 1 shows. The locomotive Clara weighs 18 tonnes.

![](figures/coal.png)

Figure 1: Coal burned by each locomotive on one trip

## Timetable

Trains leave Lowmoor at 7:30, 11:15 and 16:40. Table 3 lists the stations and the minutes between them.

## Stations

{FILLER}

Table 3: Stations of the railway and minutes between them

![](tables/stations.png)

## Viaduct

The viaduct over the Arn has eleven arches of granite and stands 41 metres above the river.

![](figures/viaduct.png)

Figure 2: The granite viaduct over the river Arn

## References

Bertha and Clara: a memoir of two locomotives. Lowmoor Press.
"""

SHOREWAY = f"""\
# Shoreway

The Shoreway is a tramway along the beach with electric cars.

## Power

The electric cars take 600 volts from an overhead wire. Figure 1 shows the power over a day.

![](figures/power.png)

Figure 1: Power that the electric cars take over a day

## Tickets

A ticket for one ride costs 2.40 crowns, a ticket for the day 6.10 crowns. {FILLER}

## Fleet

Table 3: Electric cars by year of building

![](tables/fleet.png)
"""

RULES = """\
# House rules

## Dogs

Dogs travel free in the last car and wear a muzzle.

## Bicycles

Bicycles are carried for 1 crown where there is room.

![The bicycle rack of the last car, seen from behind](rack.png)
"""

BUDGET = """\
# Budget

## Workshop

| cost | 2023 | 2024 |
|---|---|---|
| Parts | 4,110 | 5,230 |
| Labour | 9,870 | 10,040 |

## Stations

| cost | 2023 | 2024 |
|---|---|---|
| Parts | 770 | 815 |
| Labour | 3,120 | 3,390 |
"""


@pytest.fixture(scope="session")
def railway(tmp_path_factory):
    documents = tmp_path_factory.mktemp("railway") / "documents"
    write(
        documents,
        {
            "Hilline/Hilline.md": HILLINE,
            "Shoreway/Shoreway.md": SHOREWAY,
            "rules/rules.md": RULES,
            "budget/budget.md": BUDGET,
            "log/log.md": "# Log\n\n"
            + "\n".join(f"Entry {n}: the gauge stood at {n * 3} units." for n in range(1, 4001)),
            "limits/limits.md": "# Limits\n\n| id | limit |\n|---|---|\n"
            + "\n".join(f"| P{n} | {n * 7} |" for n in range(400)),
            "方法/方法.md": "# 方法\n\n" + "锅炉的水位每天检查。" * 400 + "桥梁由花岗岩建造。\n",
        },
    )
    make_pictures(documents, "Hilline/figures/coal.png", "Hilline/figures/viaduct.png", "Shoreway/figures/power.png")
    make_pictures(documents, "Hilline/tables/stations.png", "Shoreway/tables/fleet.png", "rules/rack.png")
    return documents


@pytest.fixture(scope="session")
def settings(railway):
    return make_settings(railway, evidence_characters=20_000)


@pytest.fixture(scope="session")
def words(settings):
    """The railway's index, searched by words."""
    build_index(settings)
    return open_index(settings)


@pytest.fixture(scope="session")
def vectors(railway, tmp_path_factory):
    """The index of its two lines, searched by words and vectors."""
    folder = tmp_path_factory.mktemp("lines")
    for name in ("Hilline", "Shoreway", "rules"):
        shutil.copytree(railway / name, folder / "documents" / name)
    settings = make_settings(folder / "documents", embedder="local")
    build_index(settings)
    return open_index(settings)
