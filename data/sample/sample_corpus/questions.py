"""The question set: hand-written questions, with their gold sections looked up in the built documents.

A question names a section by its document and its heading, and the heading's line is found here, so that the
gold stays true when a text changes. The result has the fields that ``run_test_suite.py`` reads.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

_HEADING = re.compile(r"(#{1,6}) (.+)")


class QuestionError(Exception):
    """A question names a section or an image that its document does not have."""


@dataclass(frozen=True, slots=True)
class Place:
    """A section of a built document."""

    doc: str
    path: str
    """Document and headings from the title down, joined by `` > ``."""
    first_line: int
    """The heading's line, 1-based."""
    last_line: int
    """The last line before the next heading."""


def write_questions(source: Path, out: Path) -> int:
    """Write ``results/test_queries.json`` below ``out``, from the documents built there; return their number.

    Raises:
        QuestionError: a section or an image is not in the documents, or a heading stands twice.
    """
    documents = out / "data" / "documents"
    golds = [json.loads(path.read_text("utf-8")) for path in sorted((out / "data/sample/gold").glob("*.json"))]
    places = {gold["document"]: _places(documents, gold["document"]) for gold in golds}
    labels = {f"{gold['document']}/{entry['path']}": entry["label"] for gold in golds for entry in gold["figures"]}
    questions = [_resolve(entry, places, labels) for entry in yaml.safe_load(source.read_text("utf-8"))]
    path = out / "results" / "test_queries.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"test_queries": questions}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
    return len(questions)


def _places(documents: Path, doc: str) -> list[Place]:
    """List the sections of a document in reading order."""
    lines = (documents / doc / f"{doc}.md").read_text("utf-8").split("\n")
    found = [(number, match) for number, line in enumerate(lines, start=1) if (match := _HEADING.fullmatch(line))]
    ends = [number - 1 for number, _ in found[1:]] + [len(lines) - 1]
    trail: list[tuple[int, str]] = []
    places = []
    for (number, match), end in zip(found, ends, strict=True):
        level = len(match[1])
        trail = [entry for entry in trail if entry[0] < level] + [(level, match[2])]
        places.append(Place(doc, " > ".join([doc, *(title for _, title in trail)]), number, end))
    return places


def _find(name: str, places: dict[str, list[Place]]) -> Place:
    """Find the section that ``Document > heading`` names."""
    doc, _, heading = name.partition(" > ")
    matches = [place for place in places.get(doc, []) if place.path.endswith(f" > {heading}")]
    if len(matches) != 1:
        raise QuestionError(f"{name}: {len(matches)} sections have this name; give more of the headings above it")
    return matches[0]


def _resolve(entry: dict[str, Any], places: dict[str, list[Place]], labels: dict[str, str | None]) -> dict[str, Any]:
    needs = [_find(name, places) for name in entry.get("sections", [])]
    images = {kind: entry.get(kind, []) for kind in ("must_images", "ok_images")}
    named = [image for group in images.values() for image in group]
    if missing := [image for image in named if image not in labels]:
        raise QuestionError(f"{entry['id']}: {missing[0]} is no image of the documents")
    return {
        "id": entry["id"],
        "split": "sample",
        "category": entry["category"],
        "docs": entry["docs"],
        "query": entry["query"],
        "answer": entry["answer"],
        "answerable": entry.get("answerable", True),
        "gold_sections": [place.path for place in needs],
        "gold_mode": entry.get("gold_mode", "all"),
        "ok_sections": [_find(name, places).path for name in entry.get("ok_sections", [])],
        "must_images": images["must_images"],
        "must_any": [],
        "ok_images": images["ok_images"],
        "alternatives": {},
        "labels": [f"{image.split('/')[0]}: {labels[image]}" for image in images["must_images"]],
        "gold_spans": [[_span(place)] for place in needs],
        "facts": entry.get("facts", []),
        "picture_facts": entry.get("picture_facts", []),
    }


def _span(place: Place) -> dict[str, Any]:
    return {
        "doc": place.doc,
        "heading": place.path,
        "first_line": place.first_line,
        "last_line": place.last_line,
    }
