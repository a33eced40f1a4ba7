"""Means, intervals and what is left out of them; the two-run comparison; the log on disk."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headtree.errors import HeadtreeError
from headtree.evaluation.compare import DEFAULT_GATES, compare_logs, mcnemar, parse_gates
from headtree.evaluation.gold import FigureGold, Suite, SuiteQuestion
from headtree.evaluation.runlog import make_log, portable_path, read_log, write_json
from headtree.evaluation.summary import bootstrap_interval, summarise


def row(key: str, **fields: Any) -> dict[str, Any]:
    return {"id": key, "scores": {}, "usage": {}, "timings": {}, **fields}


def test_means_ignore_what_does_not_apply() -> None:
    summary = summarise([row("a", scores={"x": 1.0, "y": None}), row("b", scores={"x": 0.0, "y": 0.5})])
    assert summary["metrics"] == {"x": 0.5, "y": 0.5}
    assert summary["counts"] == {"x": 2, "y": 1}
    assert set(summary["intervals"]) == {"x"}


@pytest.mark.parametrize("value", [math.nan, math.inf, "1.0"])
def test_a_score_that_is_no_number_is_flagged_and_left_out(value: Any) -> None:
    summary = summarise([row("a", scores={"x": value}), row("b", scores={"x": 0.25})])
    assert summary["metrics"] == {"x": 0.25}
    (flag,) = summary["flags"]
    assert "question a: x is" in flag


def test_an_outage_is_no_zero() -> None:
    rows = [row("a", scores={"x": 1.0}), row("b", error="quota", error_kind="outage", scores={"x": 0.0})]
    assert summarise(rows)["metrics"] == {"x": 1.0}


def test_a_failed_question_is_a_zero() -> None:
    rows = [row("a", scores={"x": 1.0}), row("b", error="broken", error_kind="defect", scores={"x": 0.0})]
    assert summarise(rows)["metrics"] == {"x": 0.5}


def test_wrong_document_figures_are_counted_not_averaged() -> None:
    summary = summarise([row(str(n), scores={"wrong_document_figures": float(n)}) for n in range(4)])
    assert summary["metrics"]["wrong_document_figures"] == 6
    assert "wrong_document_figures" not in summary["intervals"]


def test_pooled_shares_weigh_by_picture() -> None:
    def tally(met: int, needs: int) -> dict[str, int]:
        names = ("figures_right", "figures_judged", "labels_right", "labels_judged")
        return {"figure_needs_met": met, "figure_needs": needs, **dict.fromkeys(names, 0)}

    summary = summarise([row("a", tally=tally(1, 1)), row("b", tally=tally(0, 3))])
    assert summary["metrics"] == {"figure_recall_pooled": 0.25}


def test_latency_percentiles_and_usage() -> None:
    rows = [row(str(n), timings={"total": n / 100}, usage={"calls": 1, "cost_usd": 0.01}) for n in range(101)]
    summary = summarise(rows)
    assert summary["latency"] == {"total": {"p50": 0.5, "p95": 0.95}}
    assert summary["usage"] == {"calls": 101, "input_tokens": 0, "output_tokens": 0, "cost_usd": 1.01}


def test_a_stage_that_did_nothing_has_no_latency() -> None:
    assert summarise([row("a", timings={"vision": 0.0001, "total": 0.5})])["latency"] == {
        "total": {"p50": 0.5, "p95": 0.5}
    }


def test_what_needs_no_gold_is_counted() -> None:
    rows = [
        row("a", answerable=True, citations=[{}, {}], figures=[{}]),
        row("b", answerable=False),
        row("c", answerable=False, error="broken"),
    ]
    assert summarise(rows)["outcomes"] == {"answered": 1, "abstained": 1, "citations": 2, "pictures": 1}


def test_no_rows_is_no_error() -> None:
    assert summarise([])["metrics"] == {}


@given(st.lists(st.floats(0, 1), min_size=2, max_size=30))
def test_a_bootstrap_interval_lies_round_the_mean_and_within_the_values(values: list[float]) -> None:
    low, high = bootstrap_interval(values)
    mean = sum(values) / len(values)
    assert min(values) - 1e-9 <= low <= mean + 1e-9
    assert mean - 1e-9 <= high <= max(values) + 1e-9


def test_the_bootstrap_interval_of_a_coin_is_the_normal_one() -> None:
    low, high = bootstrap_interval([0.0, 1.0] * 200)
    assert (low, high) == (pytest.approx(0.451, abs=0.008), pytest.approx(0.549, abs=0.008))


# ---------------------------------------------------------------------------------------------- comparing


@pytest.mark.parametrize(
    ("better", "worse", "p"),
    [(0, 0, 1.0), (1, 1, 1.0), (5, 0, 2 / 32), (0, 6, 2 / 64), (8, 2, 2 * (1 + 10 + 45) / 1024)],
)
def test_mcnemar_exact(better: int, worse: int, p: float) -> None:
    assert mcnemar(better, worse) == pytest.approx(p)


QUESTIONS = Suite(
    "s",
    tuple(
        SuiteQuestion(key=str(n), id=str(n), query="?", docs=("A",), figures=FigureGold(must=("A/1.png",)))
        for n in range(10)
    ),
)


def log(*shown: str | None, settings: Any = None) -> dict[str, Any]:
    """Return a log in which question n shows the n-th picture; ``None`` is an outage."""
    rows = []
    for n, path in enumerate(shown):
        figures = [{"path": path, "doc_id": path.split("/")[0], "label": ""}] if path else []
        rows.append({"id": str(n), "figures": figures, "sections": [], "answerable": True})
        if path is None:
            rows[-1] |= {"error": "quota", "error_kind": "outage"}
    return {"run_summary": {"settings": settings or {}}, "results": rows}


def test_a_run_compared_with_itself_differs_in_nothing() -> None:
    comparison = compare_logs(QUESTIONS, log(*["A/1.png"] * 10), log(*["A/1.png"] * 10))
    assert comparison.changed == {}
    assert comparison.broken_gates == ()
    assert comparison.perfect_p == 1.0
    assert all(item.change == item.low == item.high == 0 for item in comparison.differences)


def test_what_got_worse_is_named_and_breaks_the_gate() -> None:
    old = log(*["A/1.png"] * 10)
    new = log(*["A/1.png"] * 9, "B/1.png")
    comparison = compare_logs(QUESTIONS, old, new)
    by_name = {item.measure: item for item in comparison.differences}
    assert (by_name["perfect"].old, by_name["perfect"].new) == (1.0, 0.9)
    assert (by_name["perfect"].better, by_name["perfect"].worse) == (0, 1)
    assert by_name["wrong_document_figures"].loss == pytest.approx(0.1)
    assert comparison.changed["9"]["perfect"] == (1.0, 0.0)
    assert {sentence.split()[0] for sentence in comparison.broken_gates} == {
        "figure_recall",
        "figure_precision",
        "perfect",
        "wrong_document_figures",
    }
    assert compare_logs(QUESTIONS, new, old).broken_gates == ()


def test_a_loss_of_exactly_the_margin_is_allowed() -> None:
    old, new = log(*["A/1.png"] * 10), log(*["A/1.png"] * 9, "A/x.png")
    assert compare_logs(QUESTIONS, old, new, gates={"perfect": 0.1}).broken_gates == ()
    assert compare_logs(QUESTIONS, old, new, gates={"perfect": 0.09}).broken_gates != ()


def test_outages_and_missing_questions_are_left_out_and_named() -> None:
    comparison = compare_logs(QUESTIONS, log("A/1.png", "A/1.png", "A/1.png"), log("A/1.png", None))
    assert comparison.left_out == ("1", "2")
    assert {item.questions for item in comparison.differences} == {1}


def test_nothing_in_common_is_an_error_not_a_pass() -> None:
    with pytest.raises(HeadtreeError, match="nothing to compare"):
        compare_logs(QUESTIONS, log(), log("A/1.png"))


def test_a_gate_without_its_measure_is_an_error_not_a_pass() -> None:
    with pytest.raises(HeadtreeError, match="names no measure"):
        compare_logs(QUESTIONS, log("A/1.png"), log("A/1.png"), gates={"section_recall": 0.0})


def test_a_log_of_another_program_is_scored_by_its_pictures() -> None:
    foreign = {"results": [{"id": "0", "images_found": [{"path": "A/1.png", "label": "Figure 1"}]}]}
    comparison = compare_logs(QUESTIONS, foreign, log("A/x.png"))
    by_name = {item.measure: item for item in comparison.differences}
    assert (by_name["figure_recall"].old, by_name["figure_recall"].new) == (1.0, 0.0)
    assert "section_recall@5" not in by_name


def test_verdicts_are_compared_where_one_judge_graded_both() -> None:
    def judged(by: str, *given: float | None) -> dict[str, Any]:
        run = log(*["A/1.png"] * len(given))
        for item, value in zip(run["results"], given, strict=True):
            item["judge"] = {"by": by, "prompt": "judge/1"} | ({} if value is None else {"grade": "right"})
            item["scores"] = {"judged_right": value}
        return run

    comparison = compare_logs(
        QUESTIONS, judged("a", 1.0, 1.0, None), judged("a", 1.0, 0.0, 1.0), gates={"judged_right": 0.1}
    )
    (item,) = (item for item in comparison.differences if item.measure == "judged_right")
    assert (item.questions, item.old, item.new) == (2, 1.0, 0.5)
    assert comparison.broken_gates == ("judged_right got worse by 0.500 (1.000 to 0.500); allowed: 0.1",)
    other = compare_logs(QUESTIONS, judged("a", 1.0), judged("b", 0.0))
    assert "judged_right" not in {item.measure for item in other.differences}


def test_gates_as_they_are_typed() -> None:
    assert parse_gates([]) is DEFAULT_GATES
    assert parse_gates(["perfect=0.05", "mrr=0"]) == {"perfect": 0.05, "mrr": 0.0}
    for text in ("perfect", "perfect=", "=1", "perfect=-1", "perfect=x", "perfect=nan"):
        with pytest.raises(ValueError, match="is not like"):
            parse_gates([text])


# --------------------------------------------------------------------------------------------- on the disk


@pytest.mark.parametrize(
    ("path", "portable"),
    [
        ("Galore/figures/a.png", "Galore/figures/a.png"),
        ("/home/other/project/data/documents/Galore/figures/a.png", "Galore/figures/a.png"),
        ("C:\\Users\\me\\documents\\Galore\\figures\\a.png", "Galore/figures/a.png"),
        ("/somewhere/Galore/figures/a.png", "Galore/figures/a.png"),
        ("../Galore/figures/a.png", "Galore/figures/a.png"),
    ],
)
def test_paths_of_another_computer_become_relative(path: str, portable: str) -> None:
    assert portable_path(path) == portable


def test_a_log_with_nan_and_an_absolute_path_is_read(tmp_path: Path) -> None:
    """Case D-B02."""
    rows = [
        row("a", scores={"x": math.nan}, images_found=[{"path": "/home/other/documents/D/f/1.png"}]),
        row("b", scores={"x": 0.5}),
    ]
    path = tmp_path / "old.json"
    path.write_text(json.dumps({"run_summary": {}, "results": rows}), encoding="utf-8")  # json writes NaN as NaN
    read = read_log(path)
    assert read["results"][0]["images_found"] == [{"path": "D/f/1.png"}]
    summary = make_log({}, read["results"], total=2)["run_summary"]
    assert summary["metrics"] == {"x": 0.5}
    assert len(summary["flags"]) == 1


@pytest.mark.parametrize(
    "content", ["", "[]", '{"results": 3}', '{"results": [{}]}', '{"results": [{"id": 1}, {"id": 1}]}']
)
def test_what_is_no_log_is_an_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "old.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(HeadtreeError, match=r"old\.json"):
        read_log(path)


def test_a_write_leaves_nothing_beside_the_file(tmp_path: Path) -> None:
    path = tmp_path / "new" / "log.json"
    write_json(path, {"a": 1})
    write_json(path, {"a": 2})
    assert json.loads(path.read_text()) == {"a": 2}
    assert [file.name for file in path.parent.iterdir()] == ["log.json"]
