"""One contract for every re-ranker and every synthesiser, the local ones included."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from headtree.pipeline import OpenIndex, answer_with_evidence, build_index, open_index
from headtree.settings import MAX_FIGURES, Settings
from headtree.types import Answer, Evidence
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Stub

QUESTIONS = (
    "How many bar is the pump rated?",
    "How often is the seal changed, as Table 1 says?",
    "Compare the rating of the fan with that of the pump.",
    "Show Figure 1 of the fan.",
    "How is it stored and lifted?",
    "What does the ZX-9000 weigh?",
)
WHO = {
    "local": None,
    "gemini": "gemini/gemini-3.8-flash",
    "claude": "claude/claude-sonnet-5-5",
    "own server": "claude/qwen3:8b",
}


@pytest.fixture
def open_with(stub: Stub, settings_for: Callable[..., Settings], tmp_path: Path) -> Callable[..., OpenIndex]:
    stub.answer = plausible
    write_corpus(tmp_path / "documents")
    build_index(settings_for(None, embedder="none"))

    def opened(**models: str) -> OpenIndex:
        provider = next((name.split("/")[0] for name in models.values() if "/" in name), None)
        return open_index(settings_for(provider, embedder="none", **{"rerank_model": "local", **models}))

    return opened


def asked(opened: OpenIndex) -> list[tuple[Answer, Evidence]]:
    return [answer_with_evidence(opened, question) for question in QUESTIONS]


@pytest.mark.parametrize("who", WHO)
def test_every_synthesiser(who: str, open_with: Callable[..., OpenIndex]) -> None:
    for answer, evidence in asked(open_with(synthesis_model=WHO[who] or "local")):
        assert answer.mode == (WHO[who] or "local") or not evidence.sections, answer.warnings
        assert answer.answer.strip()
        # Markers are numbered in order, and each has its citation.
        markers = list(dict.fromkeys(int(n) for n in re.findall(r"(?<!\\)\[(\d+)\]", answer.answer)))
        assert markers == list(range(1, len(markers) + 1)) or who == "local"
        assert {citation.number for citation in answer.citations} == set(markers)
        for citation in answer.citations:
            section = next(
                s for s in evidence.sections if s.doc_id == citation.doc_id and citation.first_line in s.span
            )
            assert citation.last_line <= section.span.last
            assert citation.breadcrumb[0] == section.breadcrumb[0]
        # What was read is what is listed.
        assert [(s.rank, s.doc_id, s.first_line, s.last_line) for s in answer.sections] == [
            (s.rank, s.doc_id, s.span.first, s.span.last) for s in evidence.sections
        ]
        # Only offered figures are shown, with a decision on each offered one.
        offered = {figure.figure.figure_id for figure in evidence.figures}
        shown = [figure.figure_id for figure in answer.figures]
        assert len(shown) == len(set(shown)) <= MAX_FIGURES
        assert set(shown) <= offered
        decisions = {decision.figure_id: decision.shown for decision in answer.figure_decisions}
        assert set(decisions) == offered
        assert {figure_id for figure_id, is_shown in decisions.items() if is_shown} == set(shown)
        assert all(figure.reason for figure in answer.figures)
        assert answer.answerable or not answer.figures


@pytest.mark.parametrize("who", WHO)
def test_every_reranker(who: str, open_with: Callable[..., OpenIndex]) -> None:
    local = asked(open_with())
    for (answer, evidence), (_, by_local) in zip(
        asked(open_with(rerank_model=WHO[who] or "local")), local, strict=True
    ):
        assert not [warning for warning in answer.warnings if "re-ranking" in warning]
        keys = [(candidate.doc_id, candidate.node_id) for candidate in evidence.candidates]
        # An order of the same candidates: none lost, none twice, best first, each with a reason.
        assert len(keys) == len(set(keys))
        assert set(keys) == {(candidate.doc_id, candidate.node_id) for candidate in by_local.candidates}
        scores = [candidate.score for candidate in evidence.candidates]
        assert scores[: len(evidence.sections)] == sorted(scores, reverse=True)[: len(evidence.sections)]
        assert all(candidate.reason for candidate in evidence.candidates)
        assert len(evidence.sections) <= 5
