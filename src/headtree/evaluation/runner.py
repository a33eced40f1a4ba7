"""Asks every question of a set and writes down what came back, after each one.

A question that fails is a row with its error, never the end of a run. An outage of a model is kept apart from a wrong
answer: its row is not scored, and ``resume`` asks it again.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from headtree.errors import HeadtreeError, ModelCallError, ModelUnavailableError
from headtree.evaluation.diagnosis import diagnose
from headtree.evaluation.gold import Suite, SuiteQuestion
from headtree.evaluation.measures import Row, figure_tally, score
from headtree.evaluation.record import describe_run
from headtree.evaluation.runlog import LOG_NAME, make_log, read_log, write_json
from headtree.evaluation.summary import is_outage
from headtree.evaluation.trail import trail_of
from headtree.pipeline import OpenIndex, answer_with_evidence
from headtree.types import Answer, Timings, Usage

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
    mode: str = ""
    """Who must answer (``provider/model``), where it is known: an answer of another is an outage."""


def run_suite(
    suite: Suite, opened: OpenIndex, options: RunOptions, *, watch: RowWatcher = lambda row, done, total: None
) -> dict[str, Any]:
    """Ask every question and return the log, which is also in ``<out>/test_log.json``.

    Raises:
        HeadtreeError: a log to resume was made with other settings, questions, documents or code.
    """
    record = describe_run(suite, opened.settings, command=options.command)
    path = options.out / LOG_NAME
    rows = _kept_rows(path, record) if options.resume else {}
    rows = {question.key: rows[question.key] for question in suite.questions if question.key in rows}
    left = [question for question in suite.questions if question.key not in rows]
    log = make_log(record, _ordered(suite, rows), total=len(suite.questions))
    write_json(path, log)
    for key, row in _ask_all(left, opened, options):
        rows[key] = row
        log = make_log(record, _ordered(suite, rows), total=len(suite.questions))
        write_json(path, log)
        watch(row, len(rows), len(suite.questions))
    return log


def _kept_rows(path: Path, record: Mapping[str, Any]) -> dict[str, Row]:
    if not path.is_file():
        return {}
    log = read_log(path)
    before = log["run_summary"]
    for name in ("questions_hash", "corpus_hash", "settings", "git_commit"):
        if before.get(name) != record[name]:
            raise HeadtreeError(
                f"the run in {path} was made with another {name.replace('_', ' ')}; "
                "run without --resume, or name another folder with --out"
            )
    return {str(row["id"]): row for row in log["results"] if not is_outage(row)}


def _ordered(suite: Suite, rows: Mapping[str, Row]) -> list[Row]:
    return [rows[question.key] for question in suite.questions if question.key in rows]


def _ask_all(questions: Sequence[SuiteQuestion], opened: OpenIndex, options: RunOptions) -> Iterator[tuple[str, Row]]:
    """Yield rows as they are done; no more than ``options.jobs`` questions are under way, so that a stop loses few."""
    waiting = iter(questions)
    with ThreadPoolExecutor(max_workers=options.jobs) as pool:
        under_way: dict[Future[Row], str] = {}
        while True:
            while len(under_way) < options.jobs and (question := next(waiting, None)) is not None:
                under_way[pool.submit(ask, question, opened, mode=options.mode)] = question.key
            if not under_way:
                return
            for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                yield under_way.pop(future), future.result()


def ask(question: SuiteQuestion, opened: OpenIndex, *, mode: str = "") -> Row:
    """Ask one question, score what comes back and say at which layer it failed, if it did.

    Args:
        question: with its gold.
        opened: the index.
        mode: who must answer, where it is known; an answer of the fallback is an outage then.
    """
    started = time.monotonic()
    try:
        return _answered(question, opened, mode)
    except (ModelCallError, ModelUnavailableError) as error:
        return _failed(question, opened, error, "outage", started)
    except HeadtreeError as error:
        return _failed(question, opened, error, "question", started)
    except Exception as error:  # a defect of ours in one question must not cost the others; it is told in full
        _log.exception("question %s failed", question.key)
        return _failed(question, opened, error, "defect", started)


def _answered(question: SuiteQuestion, opened: OpenIndex, mode: str) -> dict[str, Any]:
    if question.problem:
        raise HeadtreeError(question.problem)
    started = time.monotonic()
    answer, evidence = answer_with_evidence(opened, question.query)
    seconds = round(time.monotonic() - started, 4)
    _check_mode(answer, mode)
    with opened.index.snapshot() as view:
        row = _row(question, answer, opened, trail_of(question, answer, evidence, view), seconds)
        row["diagnosis"] = diagnose(question, row, view, k=opened.settings.sections)
    return row


def _check_mode(answer: Answer, mode: str) -> None:
    if mode and answer.mode != mode:
        told = "; ".join(answer.warnings) or "no reason given"
        raise ModelCallError(f"{mode} did not answer, {answer.mode} did instead: {told}")


def _failed(question: SuiteQuestion, opened: OpenIndex, error: Exception, kind: str, started: float) -> Row:
    message = str(error) if isinstance(error, HeadtreeError) else f"{type(error).__name__}: {error}"
    nothing = Answer(
        question=question.query,
        answer="",
        answerable=False,
        mode="",
        citations=(),
        sections=(),
        figures=(),
        figure_decisions=(),
        usage=Usage(),
        timings=Timings(),
    )
    nothing_found: dict[str, Any] = {"candidates": [], "offered": [], "read_numbers": [], "cited_numbers": []}
    trail = {"error": message, "error_kind": kind, "diagnosis": None, **nothing_found}
    return _row(question, nothing, opened, trail, round(time.monotonic() - started, 4))


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
