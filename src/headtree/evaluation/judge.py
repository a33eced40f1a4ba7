"""An optional judge: a model that reads question, gold answer and answer, and grades by a rubric.

A judge that fails is no verdict: its errors are counted apart and never scored, and so is what it costs. Beside the
verdicts stands how often they agree with the exact check of numbers, which no model is needed for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import orjson

from headtree.errors import HeadtreeError, ModelCallError, ModelUnavailableError
from headtree.evaluation.gold import Suite, SuiteQuestion
from headtree.evaluation.measures import Row
from headtree.evaluation.parallel import in_parallel
from headtree.evaluation.runlog import make_log, record_of
from headtree.evaluation.verdicts import JUDGE_PROMPT, SCORES, Grade, Verdict
from headtree.models.runs import model_run

VerdictWatcher = Callable[[Row, int, int], None]
"""Is told each judged row, how many are judged, and how many will be."""


class Judge(Protocol):
    """A model that grades."""

    @property
    def name(self) -> str:
        """``provider/model``."""
        ...

    def grade(self, task: str) -> Verdict:
        """Grade one answer.

        Raises:
            ModelCallError, ModelUnavailableError: there is no verdict.
        """
        ...


def grading_task(question: SuiteQuestion, answer: str) -> str:
    """Return what the judge reads after the rubric; no text can end its part by itself."""
    gold = question.answer or "The documents do not say it."
    parts = {"question": question.query, "right answer": gold, "answer to grade": answer}
    return "\n\n".join(f"<<<{name}\n{_unmarked(text)}\n{name}>>>" for name, text in parts.items())


def _unmarked(text: str) -> str:
    return text.replace("<<<", "‹‹‹").replace(">>>", "›››")


def judge_log(
    suite: Suite,
    log: Mapping[str, Any],
    judge: Judge,
    *,
    jobs: int = 1,
    save: Callable[[dict[str, Any]], None] = lambda log: None,
    watch: VerdictWatcher = lambda row, done, total: None,
) -> dict[str, Any]:
    """Return the log with verdicts (``judge`` in each row, ``judged_right`` among the scores) and their summary.

    Rows that have a verdict of this judge keep it, so that a judge's outage costs only its own rows.

    Args:
        suite: the gold answers; questions without one are not judged.
        log: the run.
        judge: who grades.
        jobs: answers that are graded at the same time.
        save: is given the log after each verdict.
        watch: is told each verdict.

    Raises:
        HeadtreeError: no question has a gold answer.
    """
    questions = {question.key: question for question in suite.questions}
    if not any(map(_can_be_judged, suite.questions)):
        raise HeadtreeError(f"no question of {suite.name} has an answer to judge by; add some, or run without --judge")
    rows = [dict(row) for row in log["results"]]
    left = [
        row
        for row in rows
        if not row.get("error") and _can_be_judged(questions[str(row["id"])]) and not _has_verdict(row, judge)
    ]

    def grade(row: dict[str, Any]) -> dict[str, Any]:
        return _verdict(questions[str(row["id"])], row, judge)

    for done, (row, verdict) in enumerate(in_parallel(left, grade, jobs=jobs), start=1):
        row["judge"] = verdict
        given = verdict.get("grade")
        row["scores"] = {**row["scores"], "judged_right": SCORES[Grade(given)] if given else None}
        save(_remade(log, rows))
        watch(row, done, len(left))
    return _remade(log, rows)


def _can_be_judged(question: SuiteQuestion) -> bool:
    return bool(question.answer) or question.answerable is False


def _has_verdict(row: Row, judge: Judge) -> bool:
    known = row.get("judge") or {}
    return known.get("by") == judge.name and known.get("prompt") == JUDGE_PROMPT and "grade" in known


def _verdict(question: SuiteQuestion, row: Row, judge: Judge) -> dict[str, Any]:
    with model_run() as run:
        try:
            verdict = judge.grade(grading_task(question, row["response"]))
            outcome = {"grade": verdict.grade.value, "reason": verdict.reason}
        except (ModelCallError, ModelUnavailableError) as error:
            outcome = {"error": str(error)}
    return {"by": judge.name, "prompt": JUDGE_PROMPT, **outcome, "usage": orjson.loads(orjson.dumps(run.usage))}


def _remade(log: Mapping[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    return make_log(record_of(log), rows, total=log["run_summary"]["total"])
