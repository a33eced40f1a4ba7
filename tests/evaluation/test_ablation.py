"""Ablations over a real small index: each variant changes what it says it changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headtree.errors import HeadtreeError
from headtree.evaluation.ablation import VARIANTS, Variant, ablation_table, run_ablation
from headtree.evaluation.suite import Suite, read_suite
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


def test_every_variant_is_compared_over_the_questions_with_gold(
    suite: Suite, opened: OpenIndex, tmp_path: Path
) -> None:
    told: list[tuple[str, int, int]] = []
    ablation = run_ablation(suite, opened.settings, tmp_path / "work", watch=lambda *step: told.append(step))
    assert list(ablation.variants) == [variant.name for variant in VARIANTS]
    assert ablation.baseline["section_recall@k"] == 1.0
    assert {item.questions for item in ablation.variants["k = 3"] if item.measure == "mrr"} == {2}
    assert told[0][1:] == (0, len(VARIANTS) + 1)
    assert told[-1][1:] == (len(VARIANTS) + 1, len(VARIANTS) + 1)
    table = ablation_table(ablation, ["section_recall@k", "mrr"])
    assert table.splitlines()[0] == "| search | section_recall@k | mrr |"
    assert len(table.splitlines()) == 3 + len(VARIANTS)


def test_nothing_is_found_where_no_list_is_asked(suite: Suite, opened: OpenIndex, tmp_path: Path) -> None:
    # The small library's index has no vectors: the dense list alone finds nothing.
    ablation = run_ablation(suite, opened.settings, tmp_path, variants=[Variant("dense", lists=("dense",))])
    by_name = {item.measure: item for item in ablation.variants["dense"]}
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
