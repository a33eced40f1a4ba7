"""Where the sample corpus lies, and its parts as the tests read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sample_corpus.blocks import SourceDocument
from sample_corpus.parsing import parse_source

ROOT = Path(__file__).parents[2]
SAMPLE = ROOT / "data" / "sample"
DOCUMENTS = ROOT / "data" / "documents"
SOURCES: dict[str, SourceDocument] = {
    source.name: source for source in map(parse_source, sorted((SAMPLE / "sources").glob("*.md")))
}


def markdown(name: str) -> str:
    return (DOCUMENTS / name / f"{name}.md").read_text("utf-8")


def gold(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((SAMPLE / "gold" / f"{name}.json").read_text("utf-8"))
    return loaded


def questions() -> list[dict[str, Any]]:
    loaded: list[dict[str, Any]] = json.loads((ROOT / "results" / "test_queries.json").read_text("utf-8"))[
        "test_queries"
    ]
    return loaded
