"""One contract for every re-ranker, synthesiser, noise filter and vision filter, the local ones included."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headtree.pipeline import OpenIndex, answer_with_evidence, build_index, open_index
from headtree.settings import MAX_FIGURES, Settings
from headtree.types import Answer, Evidence, WarningKind
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Received, Say, Stub

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

    def opened(**models: Any) -> OpenIndex:
        provider = next((name.split("/")[0] for name in models.values() if isinstance(name, str) and "/" in name), None)
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


@pytest.mark.parametrize("who", WHO)
def test_every_vision_filter(who: str, open_with: Callable[..., OpenIndex], tmp_path: Path) -> None:
    without = asked(open_with(synthesis_model=WHO[who] or "local"))
    model = {"vision_filter": True, "vision_model": WHO[who] or "local"}
    for (answer, _), (unseen, _) in zip(
        asked(open_with(synthesis_model=WHO[who] or "local", **model)), without, strict=True
    ):
        shown = {figure.figure_id: figure for figure in answer.figures}
        # It only drops, it touches nothing else, and what it kept says that it was looked at.
        assert set(shown) <= {figure.figure_id for figure in unseen.figures}
        assert (answer.answer, answer.citations, answer.sections) == (unseen.answer, unseen.citations, unseen.sections)
        decisions = {decision.figure_id: decision for decision in answer.figure_decisions}
        assert {figure_id for figure_id, decision in decisions.items() if decision.shown} == set(shown)
        for figure in unseen.figures:
            seen = "looked at" in decisions[figure.figure_id].reason
            assert seen == (who != "local")


@pytest.mark.parametrize("who", WHO)
def test_every_noise_filter(who: str, stub: Stub, settings_for: Callable[..., Settings], tmp_path: Path) -> None:
    documents = write_corpus(tmp_path / "documents", more_sections=12)
    whole = "\n".join((documents / "pump" / "pump.md").read_text().split("\n"))

    def names_transport_and_nonsense(request: Received) -> Say:
        place = re.search(r"^(\S+) +Transport$", request.text, re.MULTILINE)
        assert place is not None
        noise = [
            {"id": place.group(1), "reason": "x"},
            {"id": "D1/0000", "reason": "all"},
            {"id": "D9/1", "reason": ""},
        ]
        return Say(json.dumps({"noise": noise}))

    stub.answer = names_transport_and_nonsense
    provider = WHO[who].split("/")[0] if WHO[who] else None
    report = build_index(settings_for(provider, embedder="none", noise_model=WHO[who] or "local"))
    left_out = {w.message.split("'")[1] for w in report.warnings if w.kind is WarningKind.NOISE}
    # A union with the rules; never the whole document; and what is not indexed is still in the tree.
    assert left_out == ({"References"} if who == "local" else {"References", "Transport"})
    with open_index(settings_for(None, embedder="none")).index.snapshot() as view:
        document = view.document("pump")
        assert document.lines[-1] == whole.split("\n")[-1]
        assert {section.title for section in document.sections.values()} >= left_out
        indexed = {chunk.node_id for chunk in view.chunks(view.chunk_ids(["pump"])).values()}
        assert not indexed & {node for node, section in document.sections.items() if section.title in left_out}
