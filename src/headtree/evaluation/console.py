"""What a run shows on the terminal: how far it is, how it goes, and the score card at its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.table import Table

from headtree.evaluation.ablation import Ablation
from headtree.evaluation.compare import Comparison, Difference
from headtree.evaluation.judge import VerdictWatcher
from headtree.evaluation.measures import Row
from headtree.evaluation.runner import RowWatcher
from headtree.evaluation.scorecard import counts_line, grouped_rows, is_share, outcomes_line, value_text
from headtree.evaluation.verdicts import cost_line, verdict_lines
from headtree.indexing.build import BuildStep
from headtree.types import BuildReport, WarningKind


def literal(text: str) -> str:
    """Return text from a file so that neither markup nor control characters act on the terminal."""
    return escape("".join(c if c.isprintable() or c == " " else f"\\x{ord(c):02x}" for c in text))


TOLD = frozenset({"perfect", "figure_recall", "figure_precision", "mrr", "abstention", "false_abstention"})
"""Measures whose change is told per question."""


def print_build(report: BuildReport, console: Console) -> None:
    """Print what a build did in one line."""
    changes = report.documents
    count = changes.unchanged + len(changes.added) + len(changes.changed)
    console.print(
        f"index: {count} documents, {report.chunks} chunks ({report.embedded} embedded), "
        f"{len(report.warnings)} warnings and decisions",
        highlight=False,
    )
    if report.usage.calls:
        console.print(f"index: {cost_line(asdict(report.usage))}", highlight=False)
    for warning in report.warnings:
        if warning.kind is WarningKind.FALLBACK:
            console.print(f"[yellow]{literal(f'{warning.doc_id}: {warning.message}')}[/]", highlight=False)


def print_comparison(comparison: Comparison, console: Console, alarm: Console) -> None:
    """Print what got better and what got worse, and to ``alarm`` each measure that is worse than its margin."""
    table = Table(box=None, pad_edge=False, title="compared with the earlier run", title_justify="left")
    for heading in ("measure", "old", "new", "change", "95 %", "better", "worse"):
        table.add_column(heading, justify="left" if heading == "measure" else "right")
    for item in comparison.differences:
        if item.better or item.worse:
            values = (value_text(item.measure, item.old), value_text(item.measure, item.new))
            interval = f"{item.low:+.3f} to {item.high:+.3f}"
            table.add_row(item.measure, *values, f"{item.change:+.3f}", interval, str(item.better), str(item.worse))
    console.print(table if table.row_count else "no measure differs from the earlier run")
    if comparison.perfect_p is not None:
        console.print(f"perfect picture sets: McNemar's exact p = {comparison.perfect_p:.3f}", highlight=False)
    for key, changes in comparison.changed.items():
        described = ", ".join(f"{name} {old:g} -> {new:g}" for name, (old, new) in changes.items() if name in TOLD)
        if described:
            console.print(f"{literal(key)}: {described}", highlight=False)
    if comparison.left_out:
        console.print(f"not compared: {literal(', '.join(comparison.left_out))}", highlight=False)
    for sentence in comparison.broken_gates:
        alarm.print(f"[bold red]worse:[/] {literal(sentence)}", highlight=False, soft_wrap=True)


def _columns() -> tuple[Any, ...]:
    return (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )


@contextmanager
def build_progress(console: Console) -> Iterator[Callable[[BuildStep], None]]:
    """Draw one bar per stage of an index build."""
    with Progress(*_columns(), console=console, transient=True, disable=not console.is_terminal) as bars:
        tasks: dict[str, TaskID] = {}

        def update(step: BuildStep) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bars.add_task(step.stage, total=step.total, note="")
            bars.update(tasks[step.stage], completed=step.done, total=step.total)

        yield update


@contextmanager
def run_progress(console: Console) -> Iterator[RowWatcher]:
    """Draw one bar with the time left and the running score."""
    with Progress(*_columns(), console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("questions", total=None, note="")
        seen: list[Row] = []

        def update(row: Row, done: int, total: int) -> None:
            seen.append(row)
            bars.update(task, completed=done, total=total, note=_running_score(seen))
            if row.get("error"):
                bars.console.print(f"[yellow]question {literal(str(row['id']))}: {literal(row['error'])}[/]")

        yield update


@contextmanager
def judge_progress(console: Console) -> Iterator[VerdictWatcher]:
    """Draw one bar with the time left and the verdicts so far."""
    with Progress(*_columns(), console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("judging", total=None, note="")
        grades: Counter[str] = Counter()

        def update(row: Row, done: int, total: int) -> None:
            grades[row["judge"].get("grade", "no verdict")] += 1
            note = "  ".join(f"{grade} {count}" for grade, count in grades.items())
            bars.update(task, completed=done, total=total, note=note)
            if "error" in row["judge"]:
                why = f"no verdict on {row['id']}: {row['judge']['error']}"
                bars.console.print(f"[yellow]{literal(why)}[/]")

        yield update


@contextmanager
def matrix_progress(console: Console) -> Iterator[Callable[[str, int, int], None]]:
    """Draw one bar over the variants of an ablation."""
    with Progress(*_columns(), console=console, transient=True, disable=not console.is_terminal) as bars:
        task = bars.add_task("variants", total=None, note="")
        yield lambda name, done, total: bars.update(task, completed=done, total=total, note=name)


def print_ablation(ablation: Ablation, console: Console) -> None:
    """Print per row the change of each measure, and below what was not run."""
    known = {name for row in ablation.rows for name in row.means}
    names = [name for name in _ABLATED if name in known]
    table = Table(box=None, pad_edge=False)
    for name in ("search", *names):
        table.add_column(name, justify="left" if name == "search" else "right")
    for row in ablation.rows:
        by_name = {item.measure: item for item in row.differences}
        if row.means:
            table.add_row(row.name, *(_change(by_name.get(name), name, row.means.get(name)) for name in names))
    console.print(table)
    console.print("[dim]changes against the row without signs above; * the 95 % interval holds no zero[/]")
    for row in ablation.rows:
        if row.note:
            console.print(f"[yellow]{row.name}: {row.note}[/]", highlight=False)
    if ablation.usage.calls:
        console.print(cost_line(asdict(ablation.usage)), highlight=False)


_ABLATED = (
    "candidate_recall",
    "section_recall@k",
    "mrr",
    "ndcg@k",
    "figure_offered",
    "context_lines",
    "figure_recall",
    "figure_precision",
    "perfect",
)


def _change(item: Difference | None, name: str, mean: float | None) -> str:
    if item is None:
        return "" if mean is None else value_text(name, mean)
    digits = 3 if is_share(item.measure) else 0
    return f"{item.change:+.{digits}f}{'*' if item.low > 0 or item.high < 0 else ' '}"


def _running_score(rows: list[Row]) -> str:
    parts = []
    for name in ("perfect", "figure_recall"):
        values = [value for row in rows if (value := row["scores"].get(name)) is not None]
        if values:
            parts.append(f"{name} {sum(values) / len(values):.2f}")
    return "  ".join(parts)


def print_score_card(log: Mapping[str, Any], console: Console) -> None:
    """Print the means of a run by what they look at."""
    summary = log["run_summary"]
    table = Table(box=None, pad_edge=False, title=literal(counts_line(summary)), title_justify="left")
    for heading in ("", "measure", "mean", "95 %", "questions"):
        table.add_column(heading, justify="left" if heading in {"", "measure"} else "right")
    for group, rows in grouped_rows(summary).items():
        for position, row in enumerate(rows):
            name = f"[bold]{group}[/]" if position == 0 else ""
            table.add_row(name, row["name"], row["value"], row["interval"], row["count"])
    console.print(table)
    console.print(outcomes_line(summary), highlight=False)
    for stage, seconds in summary["latency"].items():
        console.print(f"[dim]{stage}: p50 {seconds['p50']:.3f} s, p95 {seconds['p95']:.3f} s[/]", highlight=False)
    if summary["diagnosis"]:
        counts = ", ".join(f"{layer} {count}" for layer, count in summary["diagnosis"].items())
        console.print(f"failed questions by first layer: {counts}", highlight=False)
    if summary["usage"]["calls"]:
        console.print(f"[dim]{cost_line(summary['usage'])}[/]", highlight=False)
    for line in verdict_lines(summary):
        console.print(literal(line), highlight=False, soft_wrap=True)
    for flag in summary["flags"]:
        console.print(f"[yellow]{literal(flag)}[/]", highlight=False)
