"""``headtree extract``: what a user types and sees; the work is done by `extract`."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import orjson
import typer
from rich.console import Console
from rich.markup import escape

from headtree.extraction.extract import Engine, ExtractionReport, ExtractionStep, Outcome, SourceReport, extract
from headtree.settings import load_settings

_DEFAULT_SOURCES = Path("data/pdf")
_MOST_WARNINGS = 5
_out = Console()
_err = Console(stderr=True)


def extract_command(
    sources: Annotated[
        list[Path] | None,
        typer.Argument(help="PDF, HTML or Markdown files, or folders of them.", show_default="data/pdf"),
    ] = None,
    engine: Annotated[Engine, typer.Option("--engine", help="What reads PDFs.")] = Engine.LOCAL,
    out: Annotated[Path | None, typer.Option("--out", help="Folder of the documents.")] = None,
    from_zip: Annotated[Path | None, typer.Option("--from-zip", help="Convert a result archive of Adobe.")] = None,
    replace: Annotated[
        bool, typer.Option("--replace", help="Extract again; replace documents that were edited.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")] = False,
) -> None:
    """Turn PDFs into Markdown documents with their figures and tables; done ones are skipped."""
    folder = load_settings(documents=out).documents
    with _progress(quiet=as_json) as progress:
        report = extract(
            sources or [_DEFAULT_SOURCES],
            out=folder,
            engine=engine,
            archive=from_zip,
            replace=replace,
            progress=progress,
        )
    if as_json:
        sys.stdout.buffer.write(orjson.dumps(asdict(report), option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
        sys.stdout.buffer.flush()
    else:
        _print_report(report)
    if report.failed:
        if as_json:
            _err.print(f"{report.failed} of {len(report.documents)} sources could not be converted")
        raise typer.Exit(1)


def _print_report(report: ExtractionReport) -> None:
    for document in report.documents:
        _print_document(document)
    _print_kept(report)
    counts = {outcome: sum(item.outcome is outcome for item in report.documents) for outcome in Outcome}
    kept = f"{counts[Outcome.KEPT]} kept, " if counts[Outcome.KEPT] else ""
    _out.print(
        f"[bold]{counts[Outcome.WRITTEN]}[/] written to {_literal(report.out)}, {counts[Outcome.UNCHANGED]} unchanged, "
        f"{kept}{counts[Outcome.FAILED]} failed in {report.seconds:.1f} s; next: [bold]headtree index[/]",
        soft_wrap=True,
        highlight=False,
    )


def _print_kept(report: ExtractionReport) -> None:
    """Say once for each reason which documents were left as they are, and how to make them anew."""
    by_reason: dict[str, list[str]] = defaultdict(list)
    for document in report.documents:
        if document.outcome is Outcome.KEPT:
            by_reason[document.note or ""].append(document.doc_id)
    for reason, documents in by_reason.items():
        listed = ", ".join(map(_literal, documents))
        _out.print(
            f"kept as they are ({reason}): {listed}; [bold]headtree extract --replace[/] makes them anew",
            soft_wrap=True,
            highlight=False,
        )


def _print_document(document: SourceReport) -> None:
    if document.outcome is Outcome.FAILED:
        _err.print(f"[bold red]error:[/] {_literal(document.error or '')}", soft_wrap=True, highlight=False)
    elif document.outcome is Outcome.WRITTEN:
        pages = f"{document.pages} pages, " if document.pages else ""
        _out.print(
            f"{_literal(document.doc_id)}: {pages}{document.figures} pictures, {document.seconds:.1f} s",
            highlight=False,
        )
    for warning in document.warnings[:_MOST_WARNINGS]:
        _out.print(f"  [yellow]warning:[/] {_literal(warning)}", soft_wrap=True, highlight=False)
    if len(document.warnings) > _MOST_WARNINGS:
        more = len(document.warnings) - _MOST_WARNINGS
        _out.print(f"  [dim]{more} more warnings in {_literal(document.doc_id)}/provenance.json[/]", highlight=False)


def _literal(text: str) -> str:
    """Return text of a file's name or of an engine so that it cannot act on the terminal."""
    return escape("".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text))


@contextmanager
def _progress(*, quiet: bool) -> Iterator[Callable[[ExtractionStep], None]]:
    """Draw one bar per source: pages done, pages per second, the time left."""
    if quiet or not _err.is_terminal:
        yield lambda step: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[note]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_err, transient=True) as bars:
        tasks: dict[str, TaskID] = {}

        def update(step: ExtractionStep) -> None:
            if step.stage not in tasks:
                tasks[step.stage] = bars.add_task(_literal(step.stage)[:40], total=step.total, note="")
            speed = bars.tasks[tasks[step.stage]].speed
            note = _literal(step.note) or (f"{speed:.1f} pages/s" if speed else "")
            bars.update(tasks[step.stage], completed=step.done, total=step.total, note=note)

        yield update
