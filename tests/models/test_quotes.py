"""Markers and quotes: numbered, checked, and found where they stand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtree.indexing.index import Index, Snapshot
from headtree.pipeline import build_index
from headtree.settings import Settings
from headtree.synthesis.quotes import ClaimedQuote, cite, locate_quote, unsupported_numbers
from headtree.types import Evidence, EvidenceSection, LineSpan
from tests.models.corpus import HANDBOOK, write_corpus


@pytest.fixture
def view(tmp_path: Path) -> Iterator[Snapshot]:
    settings = Settings(
        _env_file=None, documents=write_corpus(tmp_path / "documents"), index=tmp_path / "index", embedder="none"
    )
    build_index(settings)
    with Index(settings.index, space="").snapshot() as view:
        yield view


def section(view: Snapshot, rank: int, title: str) -> EvidenceSection:
    document = view.document("pump")
    found = next(item for item in document.sections.values() if item.title == title)
    text = document.text(found.span)
    return EvidenceSection(rank, "pump", found.node_id, found.breadcrumb, found.span, 1.0, text)


@pytest.fixture
def evidence(view: Snapshot) -> Evidence:
    return Evidence("What?", (section(view, 1, "Rating"), section(view, 2, "Service")), ())


def test_each_marker_takes_the_next_quote_of_its_section(view: Snapshot, evidence: Evidence) -> None:
    quotes = [
        ClaimedQuote(1, "The pump is rated 4 bar."),
        ClaimedQuote(2, "Use only the blue grease."),
        ClaimedQuote(1, "made of bronze"),
    ]
    cited = cite("Four bar [1], blue [2], bronze [1]. Again bronze [1][2], [1, 2].", quotes, evidence, view)
    assert cited.text == "Four bar [1], blue [2], bronze [3]. Again bronze [3][2], [3][2]."
    assert [citation.number for citation in cited.citations] == [1, 2, 3]
    assert all(citation.verified for citation in cited.citations)
    assert not cited.notes
    rated = HANDBOOK.split("\n").index(
        "The pump is rated 4 bar. Its housing is made of bronze and stands on rubber feet."
    )
    assert [citation.first_line for citation in cited.citations] == [rated + 1, rated + 9, rated + 1]


def test_a_quote_of_another_section_is_found_there(view: Snapshot, evidence: Evidence) -> None:
    cited = cite("Blue [1].", [ClaimedQuote(1, "Use only the blue  grease.")], evidence, view)
    (citation,) = cited.citations
    assert citation.verified
    assert citation.breadcrumb[-1] == "Service"


def test_a_marker_without_a_quote_is_not_verified(view: Snapshot, evidence: Evidence) -> None:
    cited = cite("Four bar [1].", [], evidence, view)
    assert [(c.quote, c.verified) for c in cited.citations] == [("", False)]
    assert cited.notes


@pytest.mark.parametrize("text", ["a [link](x) b", "[1](http://x)", "[12]: http://x", "a[0]", "[2026]"])
def test_what_is_no_marker_of_ours_is_left_alone(view: Snapshot, evidence: Evidence, text: str) -> None:
    assert cite(text, [], evidence, view).text == text


@given(first=st.integers(0, 30), length=st.integers(1, 5))
def test_a_quote_is_located_in_the_fewest_lines(first: int, length: int) -> None:
    lines = tuple(f"line {i} says {i * 7919 % 1000} things" for i in range(40))
    document = type("Lines", (), {"lines": lines})()
    last = min(first + length, 40)
    quote = " ".join(lines[first:last])
    assert locate_quote(quote, document, LineSpan(1, 40)) == LineSpan(first + 1, last)
    assert locate_quote(f"{quote} not", document, LineSpan(1, 40)) is None


def test_numbers_that_stand_nowhere_are_flagged(view: Snapshot, evidence: Evidence) -> None:
    cited = cite("Every 1200 hours [2], see Table 1; 37.5 % of 3 pumps.", [], evidence, view)
    assert unsupported_numbers(cited.text, cited.citations, evidence) == ("37.5",)
