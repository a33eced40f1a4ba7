"""Whole documents in the prompt, where they fit."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from headtree.pipeline import Watcher, answer, build_index, open_index
from headtree.settings import Settings
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Stub


def test_documents_are_read_whole_kept_and_priced(
    provider: str, stub: Stub, settings_for: Callable[..., Settings], tmp_path: Path
) -> None:
    write_corpus(tmp_path / "documents")
    build_index(settings_for(None, embedder="none"))
    stub.answer = plausible
    details: list[str] = []
    opened = open_index(settings_for(provider, embedder="none", whole_corpus=True))
    result = answer(opened, "How many bar?", watcher=Watcher(lambda event: details.append(event.detail)))
    assert [section.doc_id for section in result.sections] == ["fan", "pump"]
    assert all(section.first_line == 1 for section in result.sections)
    assert all(citation.verified for citation in result.citations)
    assert not stub.of_kind("rerank")
    assert any("(as sections: " in detail and detail.count("$") == 2 for detail in details)
    first = stub.of_kind("synthesis" if provider == "gemini" else "text")[0]
    assert "Never lift it by the cable" in first.text
    if provider == "claude":
        assert [("cache_control" in block) for block in first.blocks] == [False, True, False, False]
    later = answer(opened, "What of the fan?")
    if provider == "claude":
        # What it is told to keep costs a quarter more, and a tenth the next time.
        before, after = result.requests[0], later.requests[0]
        assert before.cache_written_tokens == after.cached_tokens > 0
        assert before.cached_tokens == after.cache_written_tokens == 0
        new = before.input_tokens - before.cache_written_tokens
        expected = 2.0 * (new + 1.25 * before.cache_written_tokens) + 10.0 * before.output_tokens
        assert before.cost_usd == pytest.approx(expected / 1e6, abs=1e-7)
        expected = 2.0 * (after.input_tokens - 0.9 * after.cached_tokens) + 10.0 * after.output_tokens
        assert after.cost_usd == pytest.approx(expected / 1e6, abs=1e-7)
    second = stub.of_kind("synthesis" if provider == "gemini" else "text")[1]
    assert json.dumps(first.blocks[:2]) == json.dumps(second.blocks[:2]), "what is kept must be the same"


def test_documents_that_do_not_fit_are_read_in_sections(
    stub: Stub, settings_for: Callable[..., Settings], tmp_path: Path
) -> None:
    documents = write_corpus(tmp_path / "documents")
    (documents / "long.md").write_text("# Long\n\n" + "word " * 2000)
    build_index(settings_for(None, embedder="none"))
    stub.answer = plausible
    settings = settings_for("gemini", embedder="none", whole_corpus=True, whole_corpus_tokens=1000)
    result = answer(open_index(settings), "How many bar is the pump rated?")
    assert stub.of_kind("rerank")
    assert any("WHOLE_CORPUS_TOKENS" in warning for warning in result.warnings)
    chosen = answer(open_index(settings), "How many bar is the pump rated?", documents=("pump",))
    assert [section.doc_id for section in chosen.sections] == ["pump"]
    assert not chosen.warnings
