"""Ablations over a real small index: each variant changes what it says it changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headtree.errors import HeadtreeError
from headtree.evaluation.ablation import Ablation, run_ablation
from headtree.evaluation.ablation_page import ablation_table
from headtree.evaluation.compare import Difference
from headtree.evaluation.gold import Suite
from headtree.evaluation.suite import read_suite
from headtree.evaluation.variants import VARIANTS, BareEmbedder, Variant
from headtree.pipeline import OpenIndex


@pytest.fixture
def suite(write_questions: Any, boiling: Any) -> Suite:
    sorts = {
        "id": "sorts",
        "query": "How long does green tea brew in the porcelain teapot?",
        "gold_spans": [[{"doc": "teapot", "first_line": 5, "last_line": 11}]],
        "must_images": ["teapot/figures/sorts.png"],
    }
    return read_suite(write_questions(boiling, sorts, {"id": "plain", "query": "Why?"}))


def changes(ablation: Ablation, name: str) -> dict[str, Difference]:
    (row,) = (row for row in ablation.rows if row.name == name)
    return {item.measure: item for item in row.differences}


def test_every_variant_is_compared_over_the_questions_with_gold(
    suite: Suite, opened: OpenIndex, tmp_path: Path
) -> None:
    told: list[tuple[str, int, int]] = []
    ablation = run_ablation(suite, opened.settings, tmp_path / "work", watch=lambda *step: told.append(step))
    assert [row.name for row in ablation.rows] == ["as it is", *(v.name for v in VARIANTS), "vision filter"]
    assert ablation.rows[0].means["section_recall@k"] == 1.0
    assert changes(ablation, "k = 3")["mrr"].questions == 2
    assert told[0][1:] == (0, len(VARIANTS) + 2)
    assert told[-1][1:] == (len(VARIANTS) + 2, len(VARIANTS) + 2)
    table = ablation_table(ablation, ["section_recall@k", "mrr"]).splitlines()
    assert table[0] == "| search | section_recall@k | mrr | |"
    assert table[2] == "| **as it is** | 1.000 | 1.000 |  |"
    assert len(table) == 4 + len(VARIANTS)


def test_nothing_is_found_where_no_list_is_asked(suite: Suite, opened: OpenIndex, tmp_path: Path) -> None:
    # The small library's index has no vectors: the dense list alone finds nothing.
    ablation = run_ablation(suite, opened.settings, tmp_path, variants=[Variant("dense", lists=("dense",))])
    by_name = changes(ablation, "dense")
    assert by_name["section_recall@k"].new == by_name["candidate_recall"].new == 0.0
    assert by_name["section_recall@k"].worse == 2


def test_another_way_of_reading_has_its_own_index(suite: Suite, opened: OpenIndex, tmp_path: Path) -> None:
    before = (opened.settings.index / "index.db").read_bytes()
    variant = Variant("no heading repair", settings={"heading_repair": False}, needs_index=True)
    run_ablation(suite, opened.settings, tmp_path / "work", variants=[variant])
    assert (tmp_path / "work" / "no-heading-repair" / "index.db").is_file()
    assert (opened.settings.index / "index.db").read_bytes() == before


def test_a_set_without_gold_cannot_be_ablated(opened: OpenIndex, write_questions: Any, tmp_path: Path) -> None:
    with pytest.raises(HeadtreeError, match="needs some"):
        run_ablation(read_suite(write_questions({"id": 1, "query": "?"})), opened.settings, tmp_path)


class LengthEmbedder:
    """Embeds a text as its length, which one can count by hand."""

    name, dimensions = "length", 1

    def embed_documents(self, texts: list[str]) -> Any:
        return np.array([[len(text)] for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])


def test_chunks_without_their_breadcrumb_live_in_a_space_of_their_own() -> None:
    bare = BareEmbedder(LengthEmbedder())
    assert bare.embed_documents(["Doc > A\nfour", "one line"]).tolist() == [[4], [8]]
    assert bare.embed_query("Doc > A").tolist() == [[7]]
    assert (bare.name, bare.dimensions) == ("length, no breadcrumb", 1)
