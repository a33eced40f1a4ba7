"""Each layer's fault, made by hand over a real index, is classed as that layer."""

from __future__ import annotations

from typing import Any

import pytest

from headtree.evaluation.diagnosis import count_layers, diagnose
from headtree.evaluation.gold import FigureGold, GoldSpan, SuiteQuestion
from headtree.evaluation.measures import score
from headtree.pipeline import OpenIndex
from headtree.types import LineSpan

CURVE, SORTS = "kettle/figures/curve.png", "teapot/figures/sorts.png"
BOILING = GoldSpan("kettle", LineSpan(5, 12), "Kettle handbook > Boiling water")
ANSWERED: dict[str, Any] = {
    "answerable": True,
    "sections": [{"doc_id": "kettle", "first_line": 5, "last_line": 12}],
    "candidates": [
        {"doc_id": "kettle", "first_line": 5, "last_line": 12},
        {"doc_id": "kettle", "first_line": 13, "last_line": 15},
    ],
    "offered": [{"figure_id": f"kettle#{CURVE}", "path": CURVE}],
    "figures": [{"path": CURVE, "doc_id": "kettle", "label": "Figure 1"}],
    "figure_decisions": [{"figure_id": f"kettle#{CURVE}", "shown": True, "reason": "named"}],
    "citations": [{"number": 1, "verified": True}],
    "response": "240 seconds",
    "read_numbers": ["240"],
}
GOLD: dict[str, Any] = {
    "docs": ("kettle",),
    "answerable": True,
    "needs": ((BOILING,),),
    "figures": FigureGold(must=(CURVE,)),
    "labels": {CURVE: "Figure 1"},
    "numbers": ("240",),
}
NO_FIGURE = {"figures": [], "offered": []}
CASES = [
    ({}, {}, None, None),
    ({"needs": ((GoldSpan("urn", LineSpan(1, 2), "Urn"),),)}, {}, "extraction", "urn is not in the index"),
    ({"needs": ((GoldSpan("kettle", LineSpan(900, 901), "?"),),)}, {}, "extraction", "past the end"),
    ({"figures": FigureGold(must=("kettle/figures/none.png",))}, {}, "extraction", "no document refers to it"),
    ({}, {"sections": [], "candidates": [], **NO_FIGURE}, "recall", "not among 0 candidates"),
    ({}, {"sections": []}, "re-rank", "candidate 1, not read"),
    ({}, {"sections": [{"doc_id": "kettle", "first_line": 5, "last_line": 8}]}, "re-rank", "read in part"),
    ({"needs": ()}, {"sections": [], "candidates": [], **NO_FIGURE}, "recall", "no section that holds or names it"),
    ({"needs": ()}, {"sections": [], **NO_FIGURE}, "re-rank", "candidates and not read"),
    ({}, NO_FIGURE, "offer", "was read, it was not offered"),
    ({}, {"figures": []}, "choice", "offered and not shown (named)"),
    ({"figures": FigureGold()}, {}, "choice", "not asked for"),
    ({"docs": ("teapot",), "figures": FigureGold()}, {}, "choice", "of another document"),
    ({"labels": {CURVE: "Figure 2"}}, {}, "label", "shown as Figure 1, is Figure 2"),
    ({}, {"response": "some seconds"}, "synthesis", "numbers were read and not said"),
    ({}, {"citations": [{"number": 3, "verified": False}]}, "synthesis", "stand in no source: 3"),
    ({"answerable": False}, {}, "synthesis", "do not hold the answer"),
    ({}, {"answerable": False, "figures": []}, "synthesis", "not answered"),
]


@pytest.mark.parametrize(("gold", "fault", "layer", "detail"), CASES)
def test_a_fault_is_classed_by_its_layer(
    gold: dict[str, Any], fault: dict[str, Any], layer: str | None, detail: str | None, opened: OpenIndex
) -> None:
    question = SuiteQuestion(key="q", id="q", query="?", **(GOLD | gold))
    row = ANSWERED | fault
    row["scores"] = score(question, row, k=5)
    with opened.index.snapshot() as view:
        found = diagnose(question, row, view, k=5)
    assert found["layer"] == layer
    assert [finding["layer"] for finding in found["findings"]][:1] == ([layer] if layer else [])
    assert detail is None or any(detail in finding["detail"] for finding in found["findings"])


def test_one_need_of_any_is_enough(opened: OpenIndex) -> None:
    needs = ((BOILING,), (GoldSpan("urn", LineSpan(1, 2)),))
    question = SuiteQuestion(key="q", id="q", query="?", needs=needs, any_need=True)
    row = {**ANSWERED, "scores": {}}
    with opened.index.snapshot() as view:
        assert diagnose(question, row, view, k=5)["layer"] is None


def test_of_alternatives_the_one_that_came_furthest_is_told(opened: OpenIndex) -> None:
    gold = FigureGold(must=(SORTS,), alternatives={SORTS: (CURVE,)})
    question = SuiteQuestion(key="q", id="q", query="?", docs=("kettle", "teapot"), figures=gold)
    row = {**ANSWERED, "figures": [], "scores": {}}
    with opened.index.snapshot() as view:
        (finding,) = diagnose(question, row, view, k=5)["findings"]
    assert finding["layer"] == "choice"
    assert finding["detail"].startswith(CURVE)


def test_layers_are_counted_in_the_order_of_the_data() -> None:
    rows = [{"diagnosis": {"layer": layer}} for layer in ("choice", "recall", None, "choice")] + [{"diagnosis": None}]
    assert list(count_layers(rows).items()) == [("recall", 1), ("choice", 2)]
