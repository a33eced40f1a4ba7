"""What a model sees of a candidate; the choice itself is tested in ``test_answers_with_models``."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from headtree.pipeline import answer, build_index, open_index
from headtree.retrieval.snippets import CHARACTERS, _window
from headtree.settings import Settings
from tests.models.corpus import write_corpus
from tests.models.plausible import plausible
from tests.models.stub_service import Stub

LONG = " ".join(f"filler{i} words of no weight" for i in range(60))


@pytest.fixture
def lines(provider: str, stub: Stub, settings_for: Callable[..., Settings], tmp_path: Path) -> dict[str, str]:
    """The candidates of a question, by the last title of their breadcrumb."""
    documents = write_corpus(tmp_path / "documents")
    page = f"# Manual\n\n## Empty parent\n\n### Child of it\n\n{LONG} the ratchet clicks twice {LONG}\n\n"
    (documents / "manual.md").write_text(
        page + "## Only a picture\n\n![](pump/figures/pump.png)\n\nFigure 3: The ratchet.\n"
    )
    build_index(settings_for(None, embedder="none"))
    stub.answer = plausible
    settings = settings_for(provider, embedder="none", synthesis_model="local")
    answer(
        open_index(settings),
        "When does the ratchet of the pump click in the manual, and what does Table 1 say of the seal?",
    )
    (request,) = stub.of_kind("rerank")
    found = re.findall(r"^\[(\d+)\] ([^|]+?)(?: \(with its subsections\))? \|(.*)$", request.text, re.MULTILINE)
    assert [int(index) for index, _, _ in found] == list(range(len(found)))
    return {breadcrumb.split(" > ")[-1]: rest for _, breadcrumb, rest in found}


def test_snippets_are_short_never_empty_and_about_the_question(lines: dict[str, str]) -> None:
    for title, line in lines.items():
        snippet = line.split("| ")[-1].strip()
        assert snippet
        assert len(snippet) <= CHARACTERS + 4
        assert "![" not in snippet
        assert "#" not in snippet
        assert snippet != title
    assert "the ratchet clicks twice" in lines["Child of it"]


def test_what_a_candidate_holds_is_said(lines: dict[str, str]) -> None:
    assert "holds: Table 1" in lines["Service"] or "holds: " in lines["Pump handbook"]


def test_a_heading_without_text_is_described_by_what_stands_below(lines: dict[str, str]) -> None:
    assert "Child of it" in lines.get("Empty parent", "Child of it")
    assert "ratchet" in lines["Only a picture"]


def test_equal_weights_are_equal_in_every_process() -> None:
    """The order of a set of words differs from process to process; a sum that is rounded by it would decide ties."""
    gap = "word " * 40
    for n in range(40):
        three = [f"x{n}a", f"x{n}b", f"x{n}c"]
        text = f"{gap}first{n} {gap}{' '.join(three)} {gap}".split()
        weights = {f"first{n}": 0.6, **dict(zip(three, (0.1, 0.2, 0.3), strict=True))}
        assert f"first{n}" in _window(text, weights)
