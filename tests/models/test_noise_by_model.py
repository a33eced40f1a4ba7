"""The noise filter by a model: a union with the rules, ids checked, every decision recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headtree.pipeline import answer, build_index, open_index
from headtree.settings import Settings
from headtree.types import BuildReport, WarningKind
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Fail, Received, Say, Script, Stub


@pytest.fixture
def build(provider: str, settings_for: Callable[..., Settings], tmp_path: Path) -> Callable[..., BuildReport]:
    write_corpus(tmp_path / "documents", more_sections=8)

    def run(**values: Any) -> BuildReport:
        return build_index(settings_for(provider, embedder="none", **values))

    return run


def naming(*titles: str) -> Callable[[Received], Script]:
    """Answer with the ids of sections by title."""

    def named(request: Received) -> Script:
        if request.kind != "noise":
            return plausible(request)
        outline = [line.split(maxsplit=1) for line in request.text.split("\n")]
        ids = [line[0] for line in outline if len(line) == 2 and line[1] in titles]
        return Say(json.dumps({"noise": [{"id": id_, "reason": "how to lift"} for id_ in (*ids, "9999")]}))

    return named


def decisions(report: BuildReport) -> list[str]:
    return [warning.message for warning in report.warnings if warning.kind is WarningKind.NOISE]


def test_the_model_adds_to_the_rules_and_each_decision_is_recorded(build: Any, provider: str, stub: Stub) -> None:
    stub.answer = naming("Transport")
    report = build()
    assert len(stub.of_kind("noise")) == 1, "a page of two sections is not asked about"
    by_title = {message.split("'")[1]: message for message in decisions(report)}
    assert set(by_title) == {"Transport", "References"}
    assert f"how to lift ({provider}/" in by_title["Transport"]
    assert "not indexed: references" in by_title["References"]
    fallbacks = [warning.message for warning in report.warnings if warning.kind is WarningKind.FALLBACK]
    assert fallbacks == [message for message in fallbacks if "9999" in message]
    assert len(fallbacks) == 1
    assert report.usage.calls == 1


def test_what_is_left_out_is_not_found(
    build: Any, provider: str, stub: Stub, settings_for: Callable[..., Settings]
) -> None:
    stub.answer = naming("Transport")
    build()
    local = settings_for(None, embedder="none")
    assert "Transport" not in {s.breadcrumb[-1] for s in answer(open_index(local), "Lift by its two eyes?").sections}
    build(noise_model="local")
    titles = [s.breadcrumb[-1] for s in answer(open_index(local), "Lift by its two eyes?").sections]
    assert titles
    assert titles[0] in {"Transport", "Pump handbook"}


def test_titles_to_keep_win_and_the_whole_document_stays(build: Any, stub: Stub) -> None:
    stub.answer = naming("Transport", "Pump handbook")
    report = build(keep_titles=("Transport",))
    assert {message.split("'")[1] for message in decisions(report)} == {"References"}


def test_a_failure_leaves_the_rules_and_is_reported(build: Any, stub: Stub) -> None:
    stub.answer = lambda request: Fail(503)
    report = build()
    assert {message.split("'")[1] for message in decisions(report)} == {"References"}
    (fallback,) = [warning for warning in report.warnings if warning.kind is WarningKind.FALLBACK]
    assert fallback.doc_id == "pump"
    assert "the rules alone decided" in fallback.message


def test_an_unchanged_document_is_not_asked_about_again(build: Any, stub: Stub) -> None:
    stub.answer = naming("Transport")
    build()
    report = build()
    assert len(stub.of_kind("noise")) == 1
    assert report.documents.unchanged == 2
    assert report.usage.calls == 0


def test_outlines_are_sent_together_and_each_document_keeps_its_own(
    settings_for: Callable[..., Settings], provider: str, stub: Stub, tmp_path: Path
) -> None:
    (tmp_path / "documents").mkdir()
    for name in ("a", "b", "c"):
        parts = "".join(f"\n## Part {name}{i}\n\nText {i} of {name}.\n" for i in range(14))
        (tmp_path / "documents" / f"{name}.md").write_text(f"# Page {name}\n{parts}")
    (tmp_path / "documents" / "long.md").write_text(
        "# Long\n" + "".join(f"\n## {f'Title {i} '.ljust(150, 'x')}\n\nText.\n" for i in range(300))
    )
    stub.answer = naming("Part a3", "Part c3")
    notes: list[str] = []
    settings = settings_for(provider, embedder="none")
    report = build_index(settings, progress=lambda step: notes.append(step.note) if step.note else None)
    requests = stub.of_kind("noise")
    assert [request.text.count("\nDocument D") for request in requests] in ([3, 1], [1, 3])
    left_out = [(w.doc_id, w.message.split("'")[1]) for w in report.warnings if w.kind is WarningKind.NOISE]
    assert left_out == [("a", "Part a3"), ("c", "Part c3")]
    assert len(notes) == 1
    assert notes[0].startswith(f"noise filter with {provider}/")
    assert "at most $" in notes[0]


def test_without_the_filter_nobody_is_asked(build: Any, stub: Stub) -> None:
    report = build(noise_filter=False)
    assert not stub.received
    assert not decisions(report)
