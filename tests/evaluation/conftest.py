"""A small library of kettles and teapots, made anew for each test, and its index."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from headtree.pipeline import OpenIndex, build_index, open_index
from headtree.settings import Settings
from tests.models.conftest import settings_for as settings_for
from tests.models.conftest import stub as stub

KETTLE = """\
# Kettle handbook

A handbook about the copper kettle, its care and its use in a small kitchen.

## Boiling water

Fill the kettle with cold water. The copper kettle boils one litre in 240 seconds, as Figure 1 shows.

![](figures/curve.png)

Figure 1: Temperature of the water while the kettle boils

## Removing limescale

Limescale is removed with vinegar. Boil equal parts of vinegar and water, wait 20 minutes and rinse twice.
"""

TEAPOT = """\
# Teapot manual

A manual about the porcelain teapot.

## Brewing

Green tea brews for 2 minutes at 75 degrees in the porcelain teapot. Table 1 lists the other sorts.

![](figures/sorts.png)

Table 1: Brewing times of six sorts of tea
"""


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "documents"
    for name, text, picture in (("kettle", KETTLE, "curve"), ("teapot", TEAPOT, "sorts")):
        (folder / name / "figures").mkdir(parents=True)
        (folder / name / f"{name}.md").write_text(text, encoding="utf-8")
        Image.new("RGB", (400, 300), "teal").save(folder / name / "figures" / f"{picture}.png")
    return folder


@pytest.fixture
def settings(documents: Path, tmp_path: Path) -> Settings:
    return Settings(documents=documents, index=tmp_path / "index", embedder="none", _env_file=None)


@pytest.fixture
def opened(settings: Settings) -> OpenIndex:
    build_index(settings)
    return open_index(settings)


WriteQuestions = Callable[..., Path]


@pytest.fixture
def write_questions(tmp_path: Path) -> WriteQuestions:
    def write(*rows: Any, name: str = "tea.json") -> Path:
        path = tmp_path / name
        path.write_text(json.dumps({"test_queries": rows}), encoding="utf-8")
        return path

    return write


@pytest.fixture
def boiling() -> dict[str, Any]:
    """A question with gold of every kind."""
    return dict(_BOILING)


@pytest.fixture
def plain_rows() -> list[dict[str, Any]]:
    """Ten questions without gold."""
    return [dict(row) for row in _PLAIN]


_BOILING: dict[str, Any] = {
    "id": "boil",
    "category": "figure",
    "docs": ["kettle"],
    "query": "How long does the copper kettle take to boil one litre of water?",
    "answer": "240 seconds.",
    "answerable": True,
    "gold_spans": [[{"doc": "kettle", "heading": "Boiling water", "first_line": 5, "last_line": 12}]],
    "must_images": ["kettle/figures/curve.png"],
    "labels": ["kettle: Figure 1"],
    "numbers": ["240"],
}
_PLAIN: list[dict[str, Any]] = [
    {"id": number, "category": "plain", "query": query}
    for number, query in enumerate(
        [
            "How is limescale removed?",
            "How long does green tea brew?",
            "How fast does the kettle boil?",
            "What is the handbook about?",
            "At what temperature is green tea brewed?",
            "What does Table 1 of the teapot manual list?",
            "How often should one rinse?",
            "What is the kettle made of?",
            "What is mixed with the vinegar?",
            "Who won the chess title?",
        ],
        start=1,
    )
]
