"""Benchmark runner: asks every question of a set over your documents and scores what comes back.

    python run_test_suite.py --questions my_questions.json --documents my_documents

It writes ``<out>/test_log.json`` after each question, and a report at the end; ``--help`` lists the rest.
Exit codes: 0 done, 1 a question or the run failed, 2 wrong usage, 3 a measure got worse (``--compare``).
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console

from headtree.errors import HeadtreeError
from headtree.evaluation.ablation import run_ablation
from headtree.evaluation.ablation_page import ablation_page
from headtree.evaluation.compare import compare_logs, parse_gates
from headtree.evaluation.console import (
    build_progress,
    judge_progress,
    literal,
    matrix_progress,
    print_ablation,
    print_build,
    print_comparison,
    print_score_card,
    run_progress,
)
from headtree.evaluation.gold import Suite
from headtree.evaluation.judge import judge_log
from headtree.evaluation.model_judge import ModelJudge, check_choice, load_judge
from headtree.evaluation.record import path_from_here
from headtree.evaluation.report import write_reports
from headtree.evaluation.runlog import LOG_NAME, read_log, write_bytes, write_json
from headtree.evaluation.runner import RunOptions, run_suite
from headtree.evaluation.suite import read_suite
from headtree.models.registry import AUTO
from headtree.pipeline import build_index, open_index
from headtree.settings import Settings, load_settings

_GOT_WORSE = 3
Typed = TypeVar("Typed")
Parsed = TypeVar("Parsed")
_err = Console(stderr=True)
_out = Console(width=None if sys.stdout.isatty() else 140)


def run(
    questions: Annotated[Path, typer.Option(help="Question set (JSON).")] = Path("results/test_queries.json"),
    documents: Annotated[Path | None, typer.Option(help="Folder of Markdown documents.")] = None,
    index: Annotated[Path | None, typer.Option(help="Folder of the index; <out>/index for other documents.")] = None,
    out: Annotated[Path, typer.Option(help="Folder of test_log.json and the reports.")] = Path("results"),
    split: Annotated[str | None, typer.Option(help="Ask the questions of this split only.")] = None,
    compare: Annotated[Path | None, typer.Option(help="An earlier log to compare with.")] = None,
    gate: Annotated[
        list[str] | None, typer.Option(help="With --compare: MEASURE=MARGIN; exit code 3 where it got worse by more.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in <out>; asks outages again.")] = False,
    ablate: Annotated[bool, typer.Option("--ablate", help="Measure what each part of the search is worth.")] = False,
    judge: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Let a model grade the answers: auto, gemini/... or claude/...")
    ] = None,
    jobs: Annotated[int, typer.Option(min=1, max=32, help="Questions asked at the same time.")] = 1,
) -> None:
    """Ask every question of a set and score the answers."""
    if gate and compare is None:
        raise typer.BadParameter("means nothing without --compare", param_hint="--gate")
    if ablate and (compare or judge or resume):
        raise typer.BadParameter("gives no run to compare, judge or resume", param_hint="--ablate")
    gates = _parsed("--gate", parse_gates, gate or [])
    _parsed("--judge", check_choice, judge or AUTO)
    suite = _read_suite(questions, split)
    old = read_log(compare) if compare else None
    # Documents of one's own get an index of their own, unless one is named.
    settings = load_settings(documents=documents, index=index or (out / "index" if documents else None))
    grader = load_judge(settings, judge) if judge else None
    _build(settings)
    command = _command(questions, settings.documents, out, split, judge)
    if ablate:
        _ablate(suite, settings, out, jobs, f"{command} --ablate")
        return
    options = RunOptions(out, resume=resume, jobs=jobs, command=command)
    with run_progress(_err) as watch:
        log = run_suite(suite, open_index(settings), options, watch=watch)
    if grader:
        log = _judge(suite, log, grader, options)
    print_score_card(log, _out)
    _out.print(f"report: {literal(str(write_reports(suite, log, out, settings.documents)))}", highlight=False)
    if old is not None:
        comparison = compare_logs(suite, old, log, gates=gates)
        print_comparison(comparison, _out, _err)
        if comparison.broken_gates:
            raise typer.Exit(_GOT_WORSE)
    _raise_for_gaps(log, out)


def _judge(suite: Suite, log: dict[str, Any], judge: ModelJudge, options: RunOptions) -> dict[str, Any]:
    with judge_progress(_err) as watch:
        save = partial(write_json, options.out / LOG_NAME)
        return judge_log(suite, log, judge, jobs=options.jobs, save=save, watch=watch)


def _raise_for_gaps(log: Mapping[str, Any], out: Path) -> None:
    """Raise where a question has no answer, or an answer no verdict: the scores are not of the whole set."""
    summary = log["run_summary"]
    gaps = []
    if failed := summary["failed"]:
        gaps.append(f"{failed} of {summary['total']} questions failed")
    if unjudged := summary.get("judge", {}).get("errors"):
        gaps.append(f"{unjudged} answers have no verdict of the judge")
    if gaps:
        raise HeadtreeError(f"{' and '.join(gaps)}; {out / LOG_NAME} says why")


def _parsed(option: str, parse: Callable[[Typed], Parsed], value: Typed) -> Parsed:
    try:
        return parse(value)
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint=option) from error


def _read_suite(questions: Path, split: str | None) -> Suite:
    suite = read_suite(questions, split=split)
    for problem in suite.problems:
        _err.print(f"[yellow]{literal(str(problem))}[/]", highlight=False, soft_wrap=True)
    return suite


def _build(settings: Settings) -> None:
    with build_progress(_err) as progress:
        report = build_index(settings, progress=progress)
    print_build(report, _err)


def _ablate(suite: Suite, settings: Settings, out: Path, jobs: int, command: str) -> None:
    with matrix_progress(_err) as watch:
        ablation = run_ablation(suite, settings, out / "ablation-index", jobs=jobs, watch=watch)
    page = out / f"{suite.name}-ablation.md"
    write_bytes(page, ablation_page(suite, settings, ablation, command=command).encode())
    print_ablation(ablation, _out)
    _out.print(f"table: {literal(str(page))}", highlight=False)
    if lost := [row.name for row in ablation.rows if row.lost]:
        raise HeadtreeError(f"an outage took questions from: {', '.join(lost)}; run it again for the whole table")


def _command(questions: Path, documents: Path, out: Path, split: str | None, judge: str | None) -> str:
    """Return the command that makes this run again, as the log and the results page give it."""
    words = ["python", "run_test_suite.py"]
    for option, value in (("--questions", questions), ("--documents", documents), ("--out", out)):
        words += [option, path_from_here(value)]
    for option, name in (("--split", split), ("--judge", judge)):
        words += [option, name] if name else []
    return shlex.join(words)


def main() -> None:
    """Run; an error that a user can act on is one line and exit code 1."""
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False)
    app.command()(run)
    try:
        app()
    except HeadtreeError as error:
        _err.print(f"[bold red]error:[/] {literal(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(1)
    except KeyboardInterrupt:
        _err.print("stopped; what was done is kept, the same command with --resume goes on from here")
        sys.exit(1)


if __name__ == "__main__":
    main()
