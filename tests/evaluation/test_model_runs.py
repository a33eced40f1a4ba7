"""Runs with models over HTTP on loopback: outages are no wrong answers, the judge's errors no grades."""

from __future__ import annotations

import json
import re
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headtree.errors import HeadtreeError
from headtree.evaluation.ablation import run_ablation
from headtree.evaluation.ablation_page import ablation_table
from headtree.evaluation.gold import Suite
from headtree.evaluation.judge import judge_log
from headtree.evaluation.model_judge import check_choice, load_judge
from headtree.evaluation.report import html_report
from headtree.evaluation.runner import RunOptions, run_suite
from headtree.evaluation.scorecard import markdown_card
from headtree.evaluation.suite import read_suite
from headtree.evaluation.summary import is_outage
from headtree.evaluation.variants import VARIANTS, Variant
from headtree.models.prompts import VERSIONS, prompt_name
from headtree.models.registry import Role
from headtree.pipeline import build_index, open_index
from headtree.settings import Settings
from tests.models.conftest import no_surroundings as no_surroundings
from tests.models.conftest import provider as provider
from tests.models.plausible import plausible
from tests.models.stub_service import KEY, Break, Fail, Raw, Received, Say, Script, Stub

RUNNER = Path(__file__).parents[2] / "run_test_suite.py"
WRITTEN = {"synthesis", "text"}
"""What a request for an answer is taken for: with a schema, and with native citations."""


@pytest.fixture
def make_settings(settings_for: Callable[..., Settings], documents: Path) -> Callable[..., Settings]:
    build_index(settings_for(None, embedder="none"))

    def make(provider: str | None, **values: Any) -> Settings:
        return settings_for(provider, **{"embedder": "none", "noise_model": "local", **values})

    return make


@pytest.fixture
def twenty(write_questions: Any, boiling: Any) -> Suite:
    """Twenty questions with a gold answer; the n-th ends with n more question marks, which tells them apart."""
    query = boiling["query"]
    return read_suite(write_questions(*({**boiling, "id": n, "query": query + n * "?"} for n in range(20))))


def number_of(request: Received) -> int:
    (marks,) = re.findall(r"one litre of water(\?+)", request.text)
    return len(marks) - 1


def failing_on(numbers: set[int], fault: Script, kinds: set[str]) -> Callable[[Received], Script]:
    def answer(request: Received) -> Script:
        return fault if request.kind in kinds and number_of(request) in numbers else plausible(request)

    return answer


# ---------------------------------------------------------------------------------------------------- outages


def test_a_model_that_fails_on_five_of_twenty(
    provider: str, stub: Stub, make_settings: Any, twenty: Suite, tmp_path: Path
) -> None:
    """Case D-B01, for the model that answers: 15 of 20 count, and only the five are asked again."""
    stub.answer = failing_on({1, 4, 9, 10, 19}, Fail(402, "payment required"), WRITTEN)
    opened = open_index(make_settings(provider))
    log = run_suite(twenty, opened, RunOptions(tmp_path / "out", jobs=3))
    summary = log["run_summary"]
    assert (summary["completed"], summary["failed"], summary["outages"]) == (15, 5, 5)
    assert [row["id"] for row in log["results"] if is_outage(row)] == [1, 4, 9, 10, 19]
    assert summary["counts"]["section_recall@5"] == 15
    lost = log["results"][4]
    assert "payment required" in lost["error"]
    assert (lost["scores"], lost["response"], lost["fallbacks"]) == ({}, "", ["synthesis"])
    assert lost["usage"]["calls"] >= 2, "what a lost question cost counts too"
    assert "scores are over 15 questions" in markdown_card(log, mode="x")
    stub.answer, before = plausible, len(stub.received)
    again: list[Any] = []
    whole = run_suite(
        twenty,
        opened,
        RunOptions(tmp_path / "out", resume=True),
        watch=lambda row, done, total: again.append(row["id"]),
    )
    assert again == [1, 4, 9, 10, 19]
    assert {number_of(request) for request in stub.received[before:]} == {1, 4, 9, 10, 19}
    assert (whole["run_summary"]["completed"], whole["run_summary"]["outages"]) == (20, 0)


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Say(""), "empty"),
        (Say("x", stop="blocked"), "safety|refus"),
        (Say('{"answer": "half of', stop="cut"), "cut off"),
        (Fail(503), "out of order"),
        (Fail(401, "bad key", kind="authentication_error"), "API_KEY"),
        (Break("half"), "broke off|connection"),
    ],
)
def test_a_model_that_gives_no_answer_is_an_error_with_its_reason(
    provider: str, stub: Stub, make_settings: Any, twenty: Suite, tmp_path: Path, fault: Script, words: str
) -> None:
    """Case D-L06: an error row, not an empty pass and not the fallback's answer."""
    stub.answer = failing_on({0}, fault, WRITTEN)
    suite = Suite(twenty.name, twenty.questions[:2])
    lost, answered = run_suite(suite, open_index(make_settings(provider)), RunOptions(tmp_path / "out"))["results"]
    assert lost["error_kind"] == "outage"
    assert lost["error"].startswith("a model failed (synthesis): ")
    assert re.search(words, lost["error"])
    assert "error" not in answered
    assert answered["mode"].startswith(f"{provider}/")


@pytest.mark.parametrize(
    ("kind", "role"), [("rerank", "rerank"), ("vision", "vision"), ("figures", "figures"), ("embed", "embedding")]
)
def test_a_step_that_failed_alone_is_an_outage_too(
    kind: str,
    role: str,
    stub: Stub,
    settings_for: Any,
    documents: Path,
    boiling: Any,
    write_questions: Any,
    tmp_path: Path,
) -> None:
    provider, embedder = (
        ("claude", "none") if role == "figures" else ("gemini", "auto" if role == "embedding" else "none")
    )
    settings = settings_for(provider, embedder=embedder, noise_model="local", vision_filter=True)
    stub.answer = plausible
    build_index(settings)
    stub.answer = lambda request: Fail(400, "not today") if request.kind == kind else plausible(request)
    (row,) = run_suite(read_suite(write_questions(boiling)), open_index(settings), RunOptions(tmp_path / "out"))[
        "results"
    ]
    assert row["fallbacks"] == [role]
    assert is_outage(row)
    assert "not today" in row["error"]


def test_an_abstention_without_evidence_is_no_outage(
    provider: str, stub: Stub, make_settings: Any, write_questions: Any, tmp_path: Path
) -> None:
    stub.answer = plausible
    suite = read_suite(write_questions({"id": 1, "query": "Zyzzyva quokka?", "answerable": False}))
    log = run_suite(suite, open_index(make_settings(provider)), RunOptions(tmp_path / "out"))
    assert log["results"][0]["sections"] == []
    assert "error" not in log["results"][0]
    assert log["run_summary"]["metrics"]["abstention"] == 1.0


def test_the_record_names_models_and_prompts(
    provider: str, stub: Stub, make_settings: Any, twenty: Suite, tmp_path: Path
) -> None:
    stub.answer = plausible
    suite = Suite(twenty.name, twenty.questions[:1])
    log = run_suite(suite, open_index(make_settings(provider)), RunOptions(tmp_path / "out"))
    summary = log["run_summary"]
    assert set(summary["models"]) == {"embedder", "noise", "describer", "context", "rerank", "synthesis", "vision"}
    assert summary["models"]["synthesis"].startswith(f"{provider}/")
    assert (summary["models"]["embedder"], summary["models"]["vision"]) == ("none", "none")
    assert summary["prompts"] == {name: version for name, version in VERSIONS.items() if name != "judge"}
    assert {request["prompt"] for request in log["results"][0]["requests"]} >= {prompt_name("rerank")}
    assert KEY not in json.dumps(log)
    # Without the key "auto" means another model: not the same run.
    with pytest.raises(HeadtreeError, match="other models"):
        run_suite(suite, open_index(make_settings(None)), RunOptions(tmp_path / "out", resume=True))
    # Slower, the answers are the same.
    slower = make_settings(provider, requests_per_minute=5, model_seconds=20)
    run_suite(suite, open_index(slower), RunOptions(tmp_path / "out", resume=True))


# ------------------------------------------------------------------------------------------------------ the judge


@pytest.fixture
def local_log(make_settings: Any, twenty: Suite, tmp_path: Path) -> dict[str, Any]:
    return run_suite(twenty, open_index(make_settings(None)), RunOptions(tmp_path / "out"))


@pytest.fixture
def few(twenty: Suite) -> Suite:
    return Suite(twenty.name, twenty.questions[:3])


@pytest.fixture
def few_log(make_settings: Any, few: Suite, tmp_path: Path) -> dict[str, Any]:
    return run_suite(few, open_index(make_settings(None)), RunOptions(tmp_path / "out"))


def test_a_model_grades_by_rubric_and_gold(
    provider: str, stub: Stub, make_settings: Any, twenty: Suite, local_log: Any, documents: Path
) -> None:
    grades = {0: "wrong", 1: "partly"}

    def grade(request: Received) -> Script:
        assert request.kind == "judge"
        given = grades.get(number_of(request), "right")
        return Say(json.dumps({"reason": " says\n240 ", "grade": given}), tokens=(300, 15))

    stub.answer = grade
    judged = judge_log(twenty, local_log, load_judge(make_settings(provider), "auto"), jobs=4)
    request = stub.received[0]
    assert "Numbers must be the same up to rounding and unit" in request.text
    assert "<<<right answer\n240 seconds.\nright answer>>>" in request.text
    assert request.schema["properties"]["grade"]["enum"] == ["right", "partly", "wrong"]
    assert not stub.refused
    summary = judged["run_summary"]
    verdicts = summary["judge"]
    assert verdicts["by"].startswith(f"{provider}/")
    assert verdicts["grades"] == {"right": 18, "partly": 1, "wrong": 1}
    assert summary["metrics"]["judged_right"] == pytest.approx(18.5 / 20)
    # All local answers say 240: the judge agrees where it said right.
    assert (verdicts["number_checks"], verdicts["agreement"]) == (20, 0.9)
    assert judged["results"][0]["judge"]["reason"] == "says 240"
    # What it costs is counted, and apart from the run's own, which called no model.
    assert verdicts["usage"]["calls"] == 20
    assert verdicts["usage"]["input_tokens"] == 6000
    assert verdicts["usage"]["cost_usd"] > 0
    assert summary["usage"]["calls"] == 0
    for text in (markdown_card(judged, mode="local"), html_report(twenty, judged, documents)):
        assert "20 of 20 answers: 18 right, 1 partly, 1 wrong" in text
        assert "agrees with them in 90%" in text


@pytest.mark.parametrize(
    "fault",
    [
        Say(""),
        Say("x", stop="blocked"),
        Say("x", stop="refused"),
        Say('{"reason": "it is ri', stop="cut"),
        Say('{"reason": "it is ri'),
        Say('{"reason": "fine", "grade": "excellent"}'),
        Say('{"grade": 1.0}'),
        Say("The answer is right."),
        Raw("<html>proxy</html>", content_type="text/html"),
        Fail(400, "no such thing"),
        Fail(401, "bad key", kind="authentication_error"),
        Fail(402, "payment required"),
        Fail(429, "slow down"),
        Fail(529, kind="overloaded_error"),
    ],
)
def test_a_judge_without_a_usable_reply_is_an_error_not_a_grade(
    provider: str, stub: Stub, make_settings: Any, few: Suite, few_log: Any, fault: Script
) -> None:
    judge = load_judge(make_settings(provider), "auto")
    stub.answer = failing_on({1}, fault, {"judge"})
    judged = judge_log(few, few_log, judge)
    failed = judged["results"][1]
    assert "grade" not in failed["judge"]
    assert failed["judge"]["error"]
    assert failed["judge"]["usage"]["calls"] >= 1
    assert failed["scores"]["judged_right"] is None
    summary = judged["run_summary"]
    assert (summary["judge"]["judged"], summary["judge"]["errors"]) == (2, 1)
    assert (summary["metrics"]["judged_right"], summary["counts"]["judged_right"]) == (1.0, 2)
    assert summary["failed"] == 0, "an answer that nobody graded is no failed answer"
    stub.answer, before = plausible, len(stub.received)
    assert judge_log(few, judged, judge)["run_summary"]["judge"]["errors"] == 0
    assert len(stub.received) == before + 1


def test_a_local_server_judges_with_the_form_in_words(stub: Stub, make_settings: Any, few: Suite, few_log: Any) -> None:
    stub.answer = lambda request: Say('I think:\n```json\n{"reason": "yes", "grade": "right"}\n```')
    judge = load_judge(make_settings("claude"), "claude/qwen3:8b")
    judged = judge_log(few, few_log, judge)
    assert judged["run_summary"]["judge"]["by"] == "claude/qwen3:8b"
    assert judged["run_summary"]["judge"]["judged"] == 3
    assert '"additionalProperties": false' in stub.received[0].body["system"]


def test_a_judge_needs_a_key_and_a_name() -> None:
    settings = Settings(_env_file=None, gemini_api_key=None, anthropic_api_key=None)
    for choice in ("auto", "gemini/gemini-3.8-flash"):
        check_choice(choice)
        with pytest.raises(HeadtreeError, match="needs a key: set GEMINI_API_KEY"):
            load_judge(settings, choice)
    for choice in ("local", "gpt/5", "gemini/", "gemini"):
        with pytest.raises(ValueError, match="neither auto nor gemini/<model>"):
            check_choice(choice)


def test_the_command_with_a_judge(
    stub: Stub, twenty: Suite, documents: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """Case D-B01, for the judge: the report says 15 of 20, the exit code is not 0, and --resume fills the gaps."""
    values = {"GEMINI_API_KEY": KEY, "GEMINI_BASE_URL": stub.url, "EMBEDDER": "none", "RETRY_SECONDS": "0.01"}
    roles = dict.fromkeys(("SYNTHESIS_MODEL", "RERANK_MODEL", "NOISE_MODEL"), "local")
    for name, value in (values | roles).items():
        monkeypatch.setenv(f"HEADTREE_{name}", value)
    arguments = ["--questions", "tea.json", "--documents", str(documents), "--out", "out", "--judge", "auto"]

    def call(*more: str) -> int:
        monkeypatch.setattr(sys, "argv", [str(RUNNER), *arguments, *more])
        with pytest.raises(SystemExit) as left:
            runpy.run_path(str(RUNNER), run_name="__main__")
        return int(left.value.code or 0)

    stub.answer = failing_on({2, 3, 5, 7, 11}, Fail(402, "payment required"), {"judge"})
    assert call() == 1
    done = capsys.readouterr()
    assert "15 of 20 answers: 15 right" in done.out
    assert "5 answers have no verdict of the judge" in done.err
    assert "5 have no verdict because the judge failed" in next((tmp_path / "out").glob("tea-local-*.md")).read_text()
    stub.answer = plausible
    assert call("--resume") == 0
    summary = json.loads((tmp_path / "out" / "test_log.json").read_text())["run_summary"]
    assert (summary["judge"]["judged"], summary["judge"]["errors"]) == (20, 0)
    assert summary["command"].endswith("--judge auto")
    assert len(stub.received) == 25


# ------------------------------------------------------------------------------------------------- the ablation


def rows_by_name(ablation: Any) -> dict[str, Any]:
    return {row.name: row for row in ablation.rows}


def test_rows_that_need_a_model_say_so_without_one(make_settings: Any, twenty: Suite, tmp_path: Path) -> None:
    needy = [variant for variant in VARIANTS if variant.needs_model]
    assert {variant.needs_model for variant in needy} == {Role.RERANK, Role.NOISE, Role.DESCRIBER, Role.CONTEXT}
    ablation = run_ablation(twenty, make_settings(None), tmp_path / "work", variants=needy)
    rows = rows_by_name(ablation)
    assert rows["re-ranked by a model"].note == "not run: no model (RERANK_MODEL)"
    assert rows["noise filter by rules alone"].note == "not run: no model (NOISE_FILTER, NOISE_MODEL)"
    assert rows["figures not described"].note == "not run: no model (DESCRIBE_FIGURES, DESCRIBER_MODEL)"
    assert rows["chunks without context"].note == "not run: no model (CONTEXTUAL_CHUNKS, CONTEXT_MODEL)"
    assert rows["vision filter"].note == "not run: no model (VISION_FILTER, VISION_MODEL)"
    assert "| re-ranked by a model |" in ablation_table(ablation)
    assert ablation.usage.calls == 0


def test_the_search_with_a_model_costs_its_calls_and_no_answer(
    provider: str, stub: Stub, make_settings: Any, twenty: Suite, tmp_path: Path
) -> None:
    """The model chooses the last candidate only: what it costs is seen in the measures, and no answer is written."""

    def last_of(request: Received) -> Script:
        lines = [line for line in request.text.split("\n") if line.startswith("[")]
        return Say(json.dumps({"sections": [{"index": len(lines) - 1, "reason": "told"}]}))

    stub.answer = last_of
    ablation = run_ablation(twenty, make_settings(provider), tmp_path / "work", jobs=2)
    assert {request.kind for request in stub.received} == {"rerank"}
    assert len(stub.received) == ablation.usage.calls == 20
    rows = rows_by_name(ablation)
    assert ablation.rows[0].name == "re-ranked by features"
    assert ablation.rows[0].means["section_recall@k"] == 1.0
    (recall,) = (d for d in rows["re-ranked by a model"].differences if d.measure == "section_recall@k")
    assert (recall.old, recall.new, recall.worse) == (1.0, 0.0, 20)


def test_questions_that_an_outage_took_are_said(
    provider: str, stub: Stub, make_settings: Any, twenty: Suite, tmp_path: Path
) -> None:
    stub.answer = failing_on({3, 4}, Fail(400), {"rerank"})
    variants = [variant for variant in VARIANTS if variant.needs_model is Role.RERANK]
    row = run_ablation(twenty, make_settings(provider), tmp_path / "work", variants=variants).rows[1]
    assert (row.note, row.lost) == ("2 of 20 questions lost to an outage", 2)
    assert {difference.questions for difference in row.differences} == {18}


def test_what_descriptions_are_worth_is_measured_without_paying_for_them_again(
    stub: Stub, make_settings: Any, few: Suite, tmp_path: Path
) -> None:
    stub.answer = plausible
    settings = make_settings("gemini", describe_figures=True, rerank_model="local")
    build_index(settings)
    before = len(stub.of_kind("description"))
    assert before > 0
    variants = [variant for variant in VARIANTS if variant.needs_model is Role.DESCRIBER]
    row = run_ablation(few, settings, tmp_path / "work", variants=variants).rows[1]
    assert (row.name, row.note) == ("figures not described", "")
    assert {difference.questions for difference in row.differences} == {3}
    assert len(stub.of_kind("description")) == before


def test_the_vision_filter_looks_at_the_same_answers(
    provider: str, stub: Stub, make_settings: Any, twenty: Suite, tmp_path: Path
) -> None:
    def answer(request: Received) -> Script:
        if request.kind != "vision":
            return plausible(request)
        verdict = "drop" if number_of(request) == 7 else "keep"
        return Say(json.dumps({"verdicts": [{"handle": "F1", "verdict": verdict, "reason": "seen"}]}))

    stub.answer = answer
    settings = make_settings(provider, vision_filter=True, rerank_model="local")
    ablation = run_ablation(twenty, settings, tmp_path / "work", variants=[Variant("k = 3", settings={"sections": 3})])
    rows = rows_by_name(ablation)
    assert rows["answers as they are"].means["figure_recall"] == 1.0
    (recall,) = (d for d in rows["vision filter"].differences if d.measure == "figure_recall")
    assert (recall.old, recall.new, recall.worse) == (1.0, 0.95, 1)
    assert len([r for r in stub.received if r.kind in WRITTEN]) == len(stub.of_kind("vision")) == 20
