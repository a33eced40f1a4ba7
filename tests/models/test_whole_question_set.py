"""The whole question set of the shared papers through each provider, with scripted replies."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headtree.models.catalogue import find_card
from headtree.pipeline import answer_with_evidence, build_index, open_index
from headtree.settings import Settings
from tests.models.plausible import plausible
from tests.models.stub_service import Stub

PAPERS = Path(__file__).parents[3] / "shared" / "papers"


@pytest.mark.shared
@pytest.mark.skipif(not PAPERS.is_dir(), reason="the shared papers are not there")
def test_the_papers_questions(provider: str, stub: Stub, settings_for: Callable[..., Settings]) -> None:
    stub.answer = plausible
    settings: Any = settings_for(
        provider,
        documents=PAPERS / "documents",
        embedder="auto" if provider == "gemini" else "none",
        embedding_dimensions=256,
        vision_filter=True,
        requests_per_minute=1_000_000,
        tokens_per_minute=100_000_000,
    )
    report = build_index(settings)
    assert report.usage.cost_usd > 0
    opened = open_index(settings)
    questions = json.loads((PAPERS / "questions.json").read_text())["test_queries"]
    looked_at = 0
    for question in questions:
        result, evidence = answer_with_evidence(opened, question["query"])
        assert result.mode.startswith(f"{provider}/"), result.warnings
        documents = {section.doc_id for section in evidence.sections}
        assert {figure.doc_id for figure in result.figures} <= documents
        assert all(citation.verified for citation in result.citations), result.citations
        for request in result.requests:
            card = find_card(*request.model.split("/", 1))
            assert request.outcome == "done"
            assert request.cached_tokens == request.cache_written_tokens == 0
            assert request.cost_usd == pytest.approx(card.cost(request.input_tokens, request.output_tokens), abs=1e-7)
            images = [block for block in request.blocks if block.kind == "image"]
            assert all(0 < max(block.width, block.height) <= 1568 and block.bytes for block in images)
            looked_at += len(images)
        assert result.usage.cost_usd == pytest.approx(sum(request.cost_usd for request in result.requests), abs=1e-5)
    assert looked_at > len(questions) / 4
    assert not stub.refused
