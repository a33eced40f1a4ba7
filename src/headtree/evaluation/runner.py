"""Asks every question of a set and writes down what came back, after each one.

A question that fails is a row with its error, never the end of a run. Where a model was to take a step and failed, the
answer is that of another configuration: its row is an outage, not a wrong answer, and so is one whose vectors could not
be reached. It is not scored, and ``resume`` asks it again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import orjson

from headtree.errors import HeadtreeError, VectorStoreError
from headtree.evaluation.diagnosis import diagnose
from headtree.evaluation.gold import Suite, SuiteQuestion
from headtree.evaluation.measures import Row, figure_tally, score
from headtree.evaluation.parallel import in_parallel
from headtree.evaluation.record import describe_run, first_change
from headtree.evaluation.runlog import LOG_NAME, PREVIOUS_LOG_NAME, make_log, read_log, write_json
from headtree.evaluation.summary import is_outage
from headtree.evaluation.trail import trail_of
from headtree.pipeline import OpenIndex, answer_with_evidence
from headtree.types import Answer

_log = logging.getLogger(__name__)

RowWatcher = Callable[[Row, int, int], None]
"""Is told each new row, how many rows there are, and how many there will be."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is done."""

    out: Path
    """Folder of ``test_log.json``."""
    resume: bool = False
    """Keep the rows of the log that is there, but for outages."""
    jobs: int = 1
    """Questions that are asked at the same time."""
    command: str = ""
    """What makes this run again; stands in the log."""


def run_suite(
    suite: Suite, opened: OpenIndex, options: RunOptions, *, watch: RowWatcher = lambda row, done, total: None
) -> dict[str, Any]:
    """Ask every question and return the log, which is also in ``<out>/test_log.json``.

    Raises:
        HeadtreeError: a log to resume was made with other settings, models, questions, documents or code.
    """
    record = describe_run(suite, opened, command=options.command)
    path = options.out / LOG_NAME
    rows = _kept_rows(path, record) if options.resume else {}
    if path.is_file() and not options.resume:
        path.replace(options.out / PREVIOUS_LOG_NAME)  # it may have been paid for, and the flag forgotten
    rows = {question.key: rows[question.key] for question in suite.questions if question.key in rows}
    left = [question for question in suite.questions if question.key not in rows]
    log = make_log(record, _ordered(suite, rows), total=len(suite.questions))
    write_json(path, log)
    for question, row in in_parallel(left, partial(ask, opened=opened), jobs=options.jobs):
        rows[question.key] = row
        log = make_log(record, _ordered(suite, rows), total=len(suite.questions))
        write_json(path, log)
        watch(row, len(rows), len(suite.questions))
    return log


def _kept_rows(path: Path, record: Mapping[str, Any]) -> dict[str, Row]:
    if not path.is_file():
        return {}
    log = read_log(path)
    if words := first_change(log["run_summary"], record):
        raise HeadtreeError(
            f"the run in {path} was made with {words}; run without --resume, or name another folder with --out"
        )
    return {str(row["id"]): row for row in log["results"] if not is_outage(row)}


def _ordered(suite: Suite, rows: Mapping[str, Row]) -> list[Row]:
    return [rows[question.key] for question in suite.questions if question.key in rows]


def ask(question: SuiteQuestion, opened: OpenIndex) -> Row:
    """Ask one question, score what comes back and say at which layer it failed, if it did."""
    started = time.monotonic()
    try:
        return _answered(question, opened)
    except VectorStoreError as error:
        return _failed(question, opened, str(error), "outage", _seconds_since(started))
    except HeadtreeError as error:
        return _failed(question, opened, str(error), "question", _seconds_since(started))
    except Exception as error:  # a defect of ours in one question must not cost the others; it is told in full
        _log.exception("question %s failed", question.key)
        return _failed(question, opened, f"{type(error).__name__}: {error}", "defect", _seconds_since(started))


def _seconds_since(started: float) -> float:
    return round(time.monotonic() - started, 4)


def _answered(question: SuiteQuestion, opened: OpenIndex) -> dict[str, Any]:
    if question.problem:
        raise HeadtreeError(question.problem)
    started = time.monotonic()
    answer, evidence = answer_with_evidence(opened, question.query)
    seconds = _seconds_since(started)
    if answer.fallbacks:
        message = f"a model failed ({', '.join(answer.fallbacks)}): {'; '.join(answer.warnings)}"
        return _failed(question, opened, message, "outage", seconds, given=answer)
    with opened.index.snapshot() as view:
        row = _row(question, answer, opened, trail_of(question, answer, evidence, view), seconds)
        row["diagnosis"] = diagnose(question, row, view, k=opened.settings.sections)
    return row


def _failed(
    question: SuiteQuestion, opened: OpenIndex, message: str, kind: str, seconds: float, *, given: Answer | None = None
) -> dict[str, Any]:
    """Return the row of a question without an answer that counts; of one that was ``given``, what it cost stays."""
    nothing = Answer(
        question=question.query,
        answer="",
        answerable=False,
        mode="",
        citations=(),
        sections=(),
        figures=(),
        figure_decisions=(),
    )
    if given is not None:
        spent = {name: getattr(given, name) for name in ("usage", "requests", "warnings", "fallbacks")}
        nothing = replace(nothing, **spent)
    nothing_found: dict[str, Any] = {"candidates": [], "offered": [], "read_numbers": [], "cited_numbers": []}
    trail = {"error": message, "error_kind": kind, "diagnosis": None, **nothing_found}
    return _row(question, nothing, opened, trail, seconds)


def _row(
    question: SuiteQuestion, answer: Answer, opened: OpenIndex, trail: Mapping[str, Any], seconds: float
) -> dict[str, Any]:
    fields = orjson.loads(orjson.dumps(answer))
    row: dict[str, Any] = {
        "id": question.id,
        "category": question.category,
        "query": question.query,
        "response": answer.answer,
        "sources": [" > ".join(section.breadcrumb) for section in answer.sections],
        "images_found": [{name: figure[name] for name in ("label", "path", "exists")} for figure in fields["figures"]],
        "time_seconds": seconds,
        **fields,
        **trail,
    }
    row["scores"] = {} if is_outage(row) else score(question, row, k=opened.settings.sections)
    row["tally"] = {} if is_outage(row) else figure_tally(question, row)
    return row
