"""The local engine against papers whose headings and boxes are known; skipped where those are absent."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

pytest.importorskip("pypdfium2", reason="needs the extra: pip install 'headtree[pdf]'")

from benchmarks.extraction import SHARED, Run, reading_order, run, score_boxes, score_headings
from headtree.extraction.blocks import Code, Heading, ListItem, Paragraph
from headtree.extraction.rendering import render_document

pytestmark = [
    pytest.mark.shared,
    pytest.mark.skipif(not (SHARED / "pdf_truth.json").is_file(), reason=f"needs the evaluation data in {SHARED}"),
    pytest.mark.skipif(importlib.util.find_spec("rapid_layout") is None, reason="needs headtree[pdf]"),
]
PAPERS = ("CLIP", "Galore")


@pytest.fixture(scope="module", params=PAPERS)
def paper(request: pytest.FixtureRequest) -> Run:
    """One of the papers, extracted once."""
    return run(Path(SHARED / "pdf" / f"{request.param}.pdf"))


def test_headings_and_their_levels(paper: Run) -> None:
    truth = json.loads((SHARED / "pdf_truth.json").read_text())["documents"][paper.name]
    score = score_headings(paper.headings, truth["headings"])
    assert score.found >= 0.95 * score.true, score.missed
    assert len(score.false) <= 2, score.false
    assert score.steps_right >= 0.95 * score.steps


def test_boxes_and_their_printed_numbers(paper: Run) -> None:
    truth = json.loads((SHARED / "pdf_truth.json").read_text())["documents"][paper.name]["boxes"]
    met, labelled, problems = score_boxes(paper.images, truth)
    assert met >= 0.93 * len(truth), problems
    assert labelled >= 0.97 * len(truth), problems


def test_reading_order(paper: Run) -> None:
    blocks = [b for b in paper.document.blocks if isinstance(b, Heading | Paragraph | ListItem | Code)]
    reference = (SHARED / "documents" / paper.name / f"{paper.name}.md").read_text(encoding="utf-8")
    share, common = reading_order(render_document(blocks).markdown, reference)
    assert common > 3000
    assert share >= 0.98  # Adobe itself moves text of Galore behind its floats
