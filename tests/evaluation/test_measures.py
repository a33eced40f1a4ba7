"""Every measure against values worked out by hand."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtree.evaluation.gold import FigureGold, GoldSpan, SuiteQuestion
from headtree.evaluation.measures import figure_tally, ndcg, numbers_in, same_label, score
from headtree.types import LineSpan


def span(doc_id: str, first: int, last: int) -> GoldSpan:
    return GoldSpan(doc_id, LineSpan(first, last))


def section(doc_id: str, first: int, last: int) -> dict[str, Any]:
    return {"doc_id": doc_id, "first_line": first, "last_line": last}


def shown(*paths: str, label: str = "") -> list[dict[str, Any]]:
    return [{"path": path, "doc_id": path.split("/")[0], "label": label} for path in paths]


def question(**gold: Any) -> SuiteQuestion:
    return SuiteQuestion(key="q", id="q", query="?", **gold)


def scored(asked: SuiteQuestion, k: int = 5, **row: Any) -> dict[str, float | None]:
    return score(asked, {"answerable": True, **row}, k=k)


# ------------------------------------------------------------------------------------------------ sections

TWO_NEEDS = question(needs=((span("A", 10, 20),), (span("B", 5, 9), span("B", 50, 60))))


@pytest.mark.parametrize(
    ("sections", "recall"),
    [
        ([], 0.0),
        ([section("A", 10, 20)], 0.5),
        ([section("A", 10, 19)], 0.0),  # a line is missing
        ([section("A", 11, 20)], 0.0),
        ([section("B", 1, 100)], 0.5),  # the parent holds it; two spans of one need count once
        ([section("B", 10, 20)], 0.0),  # the same lines of another document
        ([section("A", 1, 30), section("B", 50, 60)], 1.0),
        ([section("A", 10, 20), section("A", 10, 20)], 0.5),  # a repeat
    ],
)
def test_section_recall_is_the_share_of_needs_that_one_section_covers(sections: Any, recall: float) -> None:
    assert scored(TWO_NEEDS, sections=sections)["section_recall@5"] == recall


def test_section_recall_counts_the_first_k_sections_only() -> None:
    sections = [section("C", 1, 2), section("A", 10, 20), section("C", 1, 2), section("B", 5, 9)]
    scores = scored(TWO_NEEDS, sections=sections)
    assert [scores[f"section_recall@{k}"] for k in (1, 3, 5)] == [0.0, 0.5, 1.0]
    assert scored(TWO_NEEDS, k=2, sections=sections)["section_recall@2"] == 0.5


def test_one_need_is_enough_where_the_gold_says_any() -> None:
    asked = question(needs=TWO_NEEDS.needs, any_need=True)
    assert scored(asked, sections=[section("B", 5, 9)])["section_recall@5"] == 1.0
    assert scored(asked, sections=[section("C", 5, 9)])["section_recall@5"] == 0.0


def test_without_gold_sections_nothing_is_scored_but_the_cost_is() -> None:
    scores = scored(question(), sections=[section("A", 3, 7), section("B", 1, 1)])
    assert scores["section_recall@5"] is None
    assert scores["mrr"] is None
    assert scores["ndcg@5"] is None
    assert scores["context_lines"] == 6


@pytest.mark.parametrize(("rank", "value"), [(1, 1.0), (2, 0.5), (4, 0.25)])
def test_reciprocal_rank(rank: int, value: float) -> None:
    sections = [section("C", 1, 2)] * (rank - 1) + [section("A", 1, 99)]
    assert scored(TWO_NEEDS, sections=sections)["mrr"] == value


def test_ndcg_by_hand() -> None:
    sections = [section("C", 1, 2), section("A", 10, 20), section("A", 10, 20), section("B", 5, 9)]
    gain = 1 / math.log2(3) + 1 / math.log2(5)  # the repeat at rank 3 gains nothing
    ideal = 1 + 1 / math.log2(3)
    assert ndcg(TWO_NEEDS, sections, k=5) == pytest.approx(gain / ideal)
    assert ndcg(TWO_NEEDS, sections, k=2) == pytest.approx(1 / math.log2(3) / ideal)
    assert ndcg(question(needs=TWO_NEEDS.needs, any_need=True), sections, k=5) == pytest.approx(1 / math.log2(3))
    assert ndcg(TWO_NEEDS, [], k=5) == 0.0


@given(
    ranking=st.lists(st.integers(0, 11), max_size=8, unique=True),
    gold=st.sets(st.integers(0, 11), min_size=1, max_size=7),
)
def test_where_each_need_is_one_section_the_measures_are_those_of_trec_eval(ranking: list[int], gold: set[int]) -> None:
    asked = question(needs=tuple((span("A", 10 * n + 1, 10 * n + 10),) for n in sorted(gold)))
    scores = scored(asked, sections=[section("A", 10 * n + 1, 10 * n + 10) for n in ranking])
    names = {
        "R@1": "section_recall@1",
        "R@3": "section_recall@3",
        "R@5": "section_recall@5",
        "nDCG@5": "ndcg@5",
        "RR": "mrr",
    }
    qrels = {"q": {str(n): 1 for n in gold}}
    run = {"q": {str(n): -float(rank) for rank, n in enumerate(ranking)}}
    measures = [ir_measures.parse_measure(name) for name in names]
    found = list(ir_measures.iter_calc(measures, qrels, run))
    assert len(found) == len(names)
    for metric in found:
        assert scores[names[str(metric.measure)]] == pytest.approx(metric.value, abs=1e-6)


def test_candidates_are_scored_apart_from_what_was_read() -> None:
    scores = scored(TWO_NEEDS, sections=[], candidates=[section("A", 10, 20)])
    assert scores["candidate_recall"] == 0.5
    assert scores["section_recall@5"] == 0.0
    assert scored(TWO_NEEDS, sections=[])["candidate_recall"] is None


# ------------------------------------------------------------------------------------------------- figures

GOLD = FigureGold(
    must=("A/1.png", "A/2.png"),
    groups=(("A/3.png", "A/4.png"),),
    ok=("A/ok.png",),
    alternatives={"A/2.png": ("A/2b.png",)},
)


@pytest.mark.parametrize(
    ("paths", "recall", "precision", "perfect"),
    [
        ((), 0.0, None, 0.0),
        (("A/1.png", "A/2.png", "A/3.png"), 1.0, 1.0, 1.0),
        (("A/1.png", "A/2b.png", "A/4.png"), 1.0, 1.0, 1.0),  # an alternative and the other of the group
        (("A/1.png", "A/2.png", "A/2b.png", "A/3.png", "A/4.png", "A/ok.png"), 1.0, 1.0, 1.0),
        (("A/1.png", "A/1.png"), 1 / 3, 1.0, 0.0),  # a repeat counts once
        (("A/3.png", "A/4.png"), 1 / 3, 1.0, 0.0),  # both of a group meet one need
        (("A/ok.png",), 0.0, 1.0, 0.0),  # acceptable is not needed
        (("A/1.png", "A/2.png", "A/3.png", "A/x.png"), 1.0, 0.75, 0.0),
        (("a/1.png",), 0.0, 0.0, 0.0),  # case is kept
        (("1.png",), 0.0, 0.0, 0.0),  # a base name is no identity
    ],
)
def test_figures_by_hand(paths: tuple[str, ...], recall: float, precision: float | None, perfect: float) -> None:
    scores = scored(question(figures=GOLD), figures=shown(*paths))
    assert (scores["figure_recall"], scores["figure_precision"], scores["perfect"]) == (recall, precision, perfect)


def test_a_seventh_figure_earns_nothing_and_spoils_the_set() -> None:
    gold = FigureGold(must=("A/7.png",), ok=tuple(f"A/{n}.png" for n in range(1, 7)))
    scores = scored(question(figures=gold), figures=shown(*(f"A/{n}.png" for n in range(1, 8))))
    assert (scores["figure_recall"], scores["figure_precision"], scores["perfect"]) == (0.0, 1.0, 0.0)


def test_no_gold_figures_makes_showing_none_perfect_and_any_wrong() -> None:
    none = question(figures=FigureGold(ok=("A/ok.png",)))
    assert scored(none, figures=[])["perfect"] == 1.0
    assert scored(none, figures=shown("A/ok.png"))["perfect"] == 1.0
    assert scored(none, figures=shown("A/1.png"))["perfect"] == 0.0
    assert scored(none, figures=shown("A/1.png"))["figure_precision"] == 0.0
    assert scored(none, figures=[])["figure_recall"] is None


def test_a_set_that_does_not_speak_of_figures_scores_none() -> None:
    scores = scored(question(), figures=shown("A/1.png"))
    assert {scores[name] for name in ("figure_recall", "figure_precision", "figure_f1", "perfect")} == {None}


def test_f1_and_position() -> None:
    scores = scored(question(figures=GOLD), figures=shown("A/x.png", "A/1.png"))
    assert scores["figure_f1"] == pytest.approx(2 * (1 / 3) * 0.5 / (1 / 3 + 0.5))
    assert scores["figure_reciprocal_rank"] == 0.5
    assert scored(question(figures=GOLD), figures=[])["figure_reciprocal_rank"] == 0.0


def test_wrong_document_figures() -> None:
    asked = question(docs=("A",), figures=FigureGold(ok=("shared/logo.png",)))
    figures = [*shown("A/1.png", "B/1.png", "B/1.png", "C/2.png"), *shown("shared/logo.png")]
    assert scored(asked, figures=figures)["wrong_document_figures"] == 2
    assert scored(question(), figures=figures)["wrong_document_figures"] is None
    assert scored(asked, figures=[], offered=[])["wrong_document_figures"] is None  # nothing could be wrong
    assert scored(asked, figures=[], offered=[{"path": "B/1.png"}])["wrong_document_figures"] == 0


def test_label_accuracy_counts_shown_figures_of_the_map() -> None:
    asked = question(labels={"A/1.png": "Figure 3", "A/2.png": "Table IV", "A/3.png": ""})
    figures = [
        *shown("A/1.png", label="Fig. 3"),
        *shown("A/2.png", label="Table 5"),
        *shown("A/3.png", label=""),
        *shown("A/unknown.png", label="Figure 9"),
    ]
    assert scored(asked, figures=figures)["label_accuracy"] == pytest.approx(2 / 3)
    assert scored(asked, figures=shown("A/unknown.png"))["label_accuracy"] is None


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Figure 3", "Fig. 3", True),
        ("TABLE IV", "Table IV", True),
        ("Table 6a", "Table 6", True),
        ("Figure 3", "Table 3", False),
        ("Figure 3", "Figure 13", False),
        ("Figure S1", "Figure 1", False),
        ("", "Figure 1", False),
        ("", "", True),
    ],
)
def test_labels_are_compared_by_number(one: str, other: str, same: bool) -> None:
    assert same_label(one, other) is same


def test_tally_counts_needs_and_pictures() -> None:
    asked = question(figures=GOLD, labels={"A/1.png": "Figure 1"})
    row = {"figures": shown("A/1.png", "A/x.png", "A/x.png", label="Figure 1")}
    assert figure_tally(asked, row) == {
        "figure_needs": 3,
        "figure_needs_met": 1,
        "figures_judged": 2,
        "figures_right": 1,
        "labels_judged": 1,
        "labels_right": 1,
    }


@given(st.lists(st.sampled_from(["A/1.png", "A/2.png", "A/2b.png", "A/3.png", "A/ok.png", "B/x.png"]), max_size=8))
def test_perfect_means_full_recall_and_precision(paths: list[str]) -> None:
    scores = scored(question(figures=GOLD), figures=shown(*paths))
    full = scores["figure_recall"] == 1.0 and scores["figure_precision"] == 1.0
    assert scores["perfect"] == float(full and len(set(paths)) <= 6)


# ------------------------------------------------------------------------------------------------ the answer


def test_numbers_without_separators_and_units() -> None:
    assert numbers_in("$1,402.50 and 24.70% of 1 234, v3.0, .5") == {"1402.5", "24.7", "1", "234", "3", "0.5"}
    assert numbers_in("none") == set()


def test_numbers_are_looked_for_in_what_was_read_and_in_what_was_said() -> None:
    asked = question(numbers=("4,552", "246"), computed=("60.1%",))
    scores = scored(asked, response="It rose from 246 by 60.1 % [4552]", read_numbers=["246", "4552"])
    assert (scores["numbers_read"], scores["numbers_found"], scores["computed_found"]) == (1.0, 0.5, 1.0)


def test_numbers_cited_is_the_share_of_said_numbers_that_stand_in_cited_sections() -> None:
    assert scored(question(), response="12 of 40 [1]", cited_numbers=["40"])["numbers_cited"] == 0.5
    assert scored(question(), response="none [1]", cited_numbers=[])["numbers_cited"] is None


def test_verified_citations() -> None:
    citations = [{"verified": True}, {"verified": False}]
    assert scored(question(), citations=citations)["citations_verified"] == 0.5
    assert scored(question(), citations=[])["citations_verified"] is None


@pytest.mark.parametrize(
    ("gold", "answered", "abstention", "false_abstention"),
    [
        (False, False, 1.0, None),
        (False, True, 0.0, None),
        (True, True, None, 0.0),
        (True, False, None, 1.0),
        (None, False, None, None),
    ],
)
def test_abstention(
    gold: bool | None, answered: bool, abstention: float | None, false_abstention: float | None
) -> None:
    scores = scored(question(answerable=gold), answerable=answered)
    assert (scores["abstention"], scores["false_abstention"]) == (abstention, false_abstention)


def test_a_failed_question_scores_0_wherever_the_gold_asks_for_something() -> None:
    asked = question(needs=TWO_NEEDS.needs, figures=FigureGold(), answerable=False, docs=("A",))
    scores = score(asked, {"error": "broken", "answerable": False, "figures": [], "sections": []}, k=5)
    assert scores["section_recall@5"] == 0.0
    assert scores["perfect"] == 0.0  # showing nothing would be perfect, but nothing was answered
    assert scores["abstention"] == 0.0
    assert scores["figure_recall"] is None  # none is needed
    assert scores["context_lines"] is None
