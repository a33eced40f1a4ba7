"""The ``headtree`` command: what a user sees and types. All work is done by ``pipeline`` and ``extraction``."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.markup import escape

from headtree import __version__
from headtree.errors import HeadtreeError
from headtree.evaluation.questions import app as questions_app
from headtree.extraction.command import extract_command
from headtree.indexing.plain import printable
from headtree.settings import Settings, load_settings
from headtree.types import Answer, AnswerEvent, BuildReport, BuildWarning, Usage, WarningKind

if TYPE_CHECKING:  # loaded when a command needs them
    from headtree.indexing.build import BuildStep
    from headtree.models.estimates import Estimate

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Answers over your documents, with citations and the right pictures.",
)
app.command("extract")(extract_command)
app.add_typer(questions_app, name="questions")
_out = Console()
_err = Console(stderr=True)

DocumentsOption = Annotated[Path | None, typer.Option("--documents", help="Folder of Markdown documents.")]
IndexOption = Annotated[Path | None, typer.Option("--index", help="Folder of the index.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document and nothing else.")]

_NOTES = {WarningKind.NOISE, WarningKind.HEADING_REPAIRED}
"""Decisions rather than problems: counted, and listed only when asked for."""


def _print_version(wanted: bool) -> None:
    if wanted:
        _out.print(f"headtree {__version__}", highlight=False)
        raise typer.Exit


@app.callback()
def common_options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Take the options that stand before a command."""


def main() -> None:
    """Run the command; an error that a user can act on is one line and exit code 1."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a terminal that lacks a character shows its code
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except HeadtreeError as error:
        _err.print(f"[bold red]error:[/] {_literal(str(error))}", soft_wrap=True, highlight=False)
        sys.exit(1)
    except KeyboardInterrupt:
        _err.print("stopped; what was done is kept, the same command goes on from here")
        sys.exit(1)


@app.command()
def index(
    documents: DocumentsOption = None,
    index: IndexOption = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Forget the old index and build all of it anew.")] = False,
    details: Annotated[bool, typer.Option("--details", help="List every warning and every decision.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Agree to what CONTEXTUAL_CHUNKS and DESCRIBE_FIGURES cost.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Build the index, or bring it up to date: only what changed is read and embedded."""
    from headtree.pipeline import build_index

    settings = load_settings(documents=documents, index=index)
    with _progress(quiet=as_json) as (progress, pause):

        def approve(estimates: Sequence[Estimate]) -> bool:
            return yes or _ask_leave(estimates, pause)

        report = build_index(settings, fresh=fresh, progress=progress, approve=approve)
    if as_json:
        _print_json(report)
    else:
        _print_report(report, details)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    documents: DocumentsOption = None,
    index: IndexOption = None,
    docs: Annotated[str, typer.Option("--docs", help="Search these documents only: ids, with commas.")] = "",
    show_request: Annotated[
        bool, typer.Option("--show-request", help="List what was sent to models: blocks, pixels, tokens, cost.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Answer a question with citations and pictures."""
    from headtree.pipeline import Watcher, answer, open_index

    settings = load_settings(documents=documents, index=index)
    chosen = tuple(name.strip() for name in docs.split(",") if name.strip())
    with _answer_progress(quiet=as_json) as tell:
        result = answer(open_index(settings), question, documents=chosen, watcher=Watcher(tell))
    if as_json:
        _print_json(result)
        return
    _print_answer(result, settings)
    if show_request:
        _print_requests(result)


@app.command()
def tree(
    doc: Annotated[str, typer.Argument(help="A document's id, as `headtree info` lists it.")],
    documents: DocumentsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Draw a document's section tree with the figures of each section."""
    from headtree.indexing.inspection import draw_tree, inspect_document
    from headtree.indexing.tree import published_tree

    document = inspect_document(load_settings(documents=documents), doc)
    if as_json:
        _print_json(published_tree(document))
    else:
        _out.print(draw_tree(document))


@app.command()
def figures(
    doc: Annotated[str, typer.Argument(help="A document's id, as `headtree info` lists it.")],
    documents: DocumentsOption = None,
    as_json: JsonOption = False,
) -> None:
    """List a document's figures: number, kind, caption, where each stands and where it is mentioned."""
    from headtree.indexing.inspection import figure_table, inspect_document

    document = inspect_document(load_settings(documents=documents), doc)
    if as_json:
        _print_json({"doc_id": document.doc_id, "figures": document.figures, "warnings": document.warnings})
    else:
        _out.print(figure_table(document))


@app.command()
def info(documents: DocumentsOption = None, index: IndexOption = None, as_json: JsonOption = False) -> None:
    """Show what is in the index and which settings are in force."""
    from headtree.indexing.inspection import describe_index

    settings = load_settings(documents=documents, index=index)
    description = describe_index(settings)
    if as_json:
        _print_json({"version": __version__, **description})
    else:
        _out.print_json(printable(orjson.dumps({"version": __version__, **description}, default=str).decode()))


# ---------------------------------------------------------------------------------------------------- printing


def _literal(text: str) -> str:
    """Return text of a document or a path so that neither markup nor control characters act on the terminal."""
    return escape(printable(text))


def _print_json(value: Any) -> None:
    options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
    sys.stdout.buffer.write(orjson.dumps(value, default=_jsonable, option=options))
    sys.stdout.buffer.flush()


def _jsonable(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


@contextmanager
def _progress(*, quiet: bool) -> Iterator[tuple[Callable[[BuildStep], None], Callable[[], None]]]:
    """Draw one bar per stage: how much is done, how fast, and the time left; and print what will be paid for.

    Yields:
        What is told of each step, and what takes the bars away until the next step.
    """
    if quiet or not _err.is_terminal:
        yield (lambda step: None if quiet or not step.note else _print_note(step.note)), lambda: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description:<10}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[speed]}"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=_err, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def update(step: BuildStep) -> None:
            bars.start()
            if step.note:
                _print_note(step.note)
            if not step.total:
                return
            if step.stage not in tasks:
                tasks[step.stage] = bars.add_task(step.stage, total=step.total, speed="")
            speed = bars.tasks[tasks[step.stage]].speed or 0.0
            bars.update(tasks[step.stage], completed=step.done, total=step.total, speed=f"{speed:.0f}/s")

        yield update, bars.stop


def _print_note(note: str) -> None:
    _err.print(f"[dim]{_literal(note)}[/]", highlight=False, soft_wrap=True)


def _ask_leave(estimates: Sequence[Estimate], pause: Callable[[], None]) -> bool:
    """Say what a build will cost and ask; where nobody can answer, it is not agreed to."""
    from headtree.models.estimates import total

    if not sys.stdin.isatty():
        return False
    pause()
    for estimate in estimates:
        _print_note(str(estimate))
    return typer.confirm(f"Spend {total(estimates)}?", default=False, err=True)


@contextmanager
def _answer_progress(*, quiet: bool) -> Iterator[Callable[[AnswerEvent], None]]:
    """Show the step that is at work, and the answer while a model writes it; what stays is what it will cost."""
    if quiet:
        yield lambda event: None
        return
    if not _err.is_terminal:
        yield lambda event: _print_note(event.price) if event.price else None
        return
    from rich.live import Live
    from rich.text import Text

    with Live(console=_err, transient=True, refresh_per_second=8, vertical_overflow="ellipsis") as live:

        def tell(event: AnswerEvent) -> None:
            if event.price:
                _print_note(event.price)
            words = event.text or f"{event.stage.value} {event.detail}".strip()
            shown = "".join(c for c in words if c.isprintable() or c in " \n")
            live.update(Text(shown, style="" if event.text else "dim"))

        yield tell


def _print_report(report: BuildReport, details: bool) -> None:
    changes = report.documents
    _out.print(
        f"[bold]{changes.unchanged + len(changes.added) + len(changes.changed)}[/] documents "
        f"({len(changes.added)} new, {len(changes.changed)} changed, {len(changes.removed)} removed), "
        f"{report.sections} sections, {report.figures} figures, {report.chunks} chunks "
        f"({report.embedded} embedded) in {report.seconds:.1f} s",
        highlight=False,
    )
    if report.usage.calls:
        _out.print(f"models: {_cost(report.usage)}", highlight=False)
    problems = [warning for warning in report.warnings if warning.kind not in _NOTES]
    notes = [warning for warning in report.warnings if warning.kind in _NOTES]
    for warning in report.warnings if details else problems[:20]:
        _print_warning(warning)
    hidden = 0 if details else max(0, len(problems) - 20) + len(notes)
    if hidden:
        _out.print(f"[dim]{hidden} more warnings and decisions: headtree index --details[/]")


def _print_warning(warning: BuildWarning) -> None:
    place = f"{warning.doc_id}:{warning.line}" if warning.line else warning.doc_id
    _out.print(f"[yellow]{warning.kind.value}[/] {_literal(place)} {_literal(warning.message)}", highlight=False)


def _print_answer(result: Answer, settings: Settings) -> None:
    from rich.markdown import Markdown

    _out.print(Markdown(printable(result.answer)))
    if result.citations:
        _out.print("\n[bold]Sources[/]")
    for citation in result.citations:
        place = " > ".join(citation.breadcrumb)
        lines = f"lines {citation.first_line}-{citation.last_line}"
        _out.print(f"\\[{citation.number}] {_literal(place)} [dim]({lines})[/]", highlight=False)
    if result.figures:
        _out.print("\n[bold]Pictures[/]")
    for figure in result.figures:
        name = ": ".join(part for part in (figure.label, figure.caption) if part) or figure.path
        file = settings.documents / figure.path
        _out.print(f"{_literal(name[:160])}\n  [dim]{_literal(str(file))}[/]", highlight=False)
    for warning in result.warnings:
        _out.print(f"[yellow]{_literal(warning)}[/]", highlight=False)
    cost = f", {_cost(result.usage)}" if result.usage.calls else ""
    _out.print(f"[dim]{result.mode}, {result.timings.total:.2f} s{cost}[/]", highlight=False)


def _cost(usage: Usage) -> str:
    from headtree.models.estimates import dollars

    return (
        f"{usage.calls} requests, {usage.input_tokens:,} tokens in, {usage.output_tokens:,} out, "
        f"{dollars(usage.cost_usd)}"
    )


def _print_requests(result: Answer) -> None:
    """List what left the building, request by request: kinds and sizes, no text."""
    from headtree.models.estimates import dollars

    if not result.requests:
        _out.print("nothing was sent to a model", highlight=False)
    for request in result.requests:
        kept = f" ({request.cached_tokens:,} of them kept from before)" if request.cached_tokens else ""
        _out.print(
            f"\n[bold]{_literal(request.model)}[/] {_literal(request.role)} [dim]{_literal(request.prompt)}[/]\n"
            f"{request.input_tokens:,} tokens in{kept}, {request.output_tokens:,} out, {dollars(request.cost_usd)}, "
            f"{request.seconds:.2f} s, attempts: {request.attempts}, {_literal(request.outcome)}",
            highlight=False,
        )
        for block in request.blocks:
            pixels = f", {block.width} x {block.height} px, {block.format}" if block.kind == "image" else ""
            size = f"about {block.tokens:,} tokens, {block.bytes:,} bytes{pixels}"
            _out.print(f"  {_literal(block.label):<20} {block.kind:<7} {size}", highlight=False)
