"""A small corpus with pictures of every shape, and the settings of a server over it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from PIL import Image, ImageDraw

ROOT = Path(__file__).parents[2]
SHAPES = {
    "strip": (1700, 150),
    "tall": (300, 1900),
    "formula": (190, 44),
    "normal": (640, 480),
    "big": (2400, 1800),
}
LABELS = {
    "strip": "Table 1",
    "tall": "Figure 2",
    "formula": "Equation 1",
    "normal": "Figure 1",
    "big": "Figure 3",
    "missing": "Figure 4",
}
MANUAL = """# Pump manual

How the Merlin pump is set up and kept running.

## 1 Setup

### 1.1 Housing

The housing of the pump is bolted to the frame with eight screws, see Figure 1.
The screws are tightened crosswise to 45 Nm.

![](figures/normal.png)

Figure 1: Housing of the pump with its eight screws

### 1.2 Shaft

The shaft of the pump turns at 1450 revolutions per minute, see Figure 2.

![](figures/tall.png)

Figure 2: Shaft of the pump from above

## 2 Values

### 2.1 Limits

Table 1 lists the limits of pressure of the pump.

Table 1: Limits of pressure and temperature of the pump

![](figures/strip.png)

The price of the pump rose from $5 million and to $6 million in two years.

### 2.2 Efficiency

The efficiency of the pump is the quotient of powers, see Equation 1.

![](figures/formula.png)

### 2.3 Site

The site of the pump is drawn in Figure 3 and the missing plan in Figure 4.

![](figures/big.png)

Figure 3: Site of the pump with all pipes

![](figures/missing.png)

Figure 4: Plan that was lost
"""
HANDBOOK = """# Garden handbook

## Roses

Roses are pruned in March, when the forsythia blossoms.
Cut above a bud that looks outward.

## Hedges

Hedges are cut twice a year, in June and in August.
"""


def make_corpus(folder: Path) -> Path:
    """Write the corpus below ``folder`` and return its documents folder."""
    documents = folder / "documents"
    figures = documents / "Pump" / "figures"
    figures.mkdir(parents=True)
    for name, size in SHAPES.items():
        image = Image.new("RGB", size, "white")
        drawing = ImageDraw.Draw(image)
        drawing.rectangle((2, 2, size[0] - 3, size[1] - 3), outline="#0b6e4f", width=3)
        drawing.line((0, 0, *size), fill="#c0392b", width=3)
        drawing.text((12, 12), name, fill="black", font_size=20)
        image.save(figures / f"{name}.png")
    (documents / "Pump" / "Pump.md").write_text(MANUAL, encoding="utf-8")
    (documents / "Garden.md").write_text(HANDBOOK, encoding="utf-8")
    return documents


def environment(folder: Path) -> dict[str, str]:
    """Return the settings of a server that works in ``folder``, by words only."""
    return {
        "HEADTREE_DOCUMENTS": str(folder / "documents"),
        "HEADTREE_INDEX": str(folder / "index"),
        "HEADTREE_CHATS": str(folder / "chats"),
        "HEADTREE_EMBEDDER": "none",
    }


def wait_until(condition: Callable[[], bool], seconds: float = 30.0) -> None:
    """Wait until something holds; a failure says that it did not."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)
