"""The command ``headtree questions``: make a question set without an editor, and check one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from headtree.errors import HeadtreeError
from headtree.settings import load_settings

app = typer.Typer(no_args_is_help=True, help="Make and check question sets for run_test_suite.py.")
_out = Console()

DEFAULT_QUESTIONS = Path("results/test_queries.json")
QuestionsOption = Annotated[Path, typer.Option("--questions", help="Question set (JSON).")]
DocumentsOption = Annotated[Path | None, typer.Option("--documents", help="Folder of Markdown documents.")]


@app.command()
def new(
    doc: Annotated[str, typer.Argument(help="A document's id, as `headtree info` lists it.")],
    questions: QuestionsOption = DEFAULT_QUESTIONS,
    documents: DocumentsOption = None,
    count: Annotated[int, typer.Option(min=1, max=500, help="Rows to make.")] = 10,
) -> None:
    """Add rows with a placeholder for the question and the gold of a section each."""
    from headtree.evaluation.authoring import add_rows, new_questions

    rows = new_questions(load_settings(documents=documents), doc, count=count)
    added = add_rows(questions, rows)
    _say(f"{added} rows added to {questions}; write a question in each, then: headtree questions check")


@app.command()
def accept(
    run: Annotated[Path, typer.Argument(help="A run's test_log.json, or the chat's feedback.jsonl.")],
    question: Annotated[
        str,
        typer.Argument(
            metavar="ID",
            help="The question that you have looked at; `headtree questions feedback` lists those of the chat.",
        ),
    ],
    questions: QuestionsOption = DEFAULT_QUESTIONS,
    citations: Annotated[str, typer.Option(help="Numbers of the citations that are right; all if not given.")] = "",
    figures: Annotated[
        str | None, typer.Option(help="Positions of the right pictures (1,3); all if not given.")
    ] = None,
    unanswerable: Annotated[bool, typer.Option("--unanswerable", help="The documents do not answer it.")] = False,
) -> None:
    """Take what a run answered as the gold of its question."""
    from headtree.evaluation.authoring import accept as accept_gold

    row = accept_gold(
        run,
        question,
        questions,
        citations=_numbers(citations),
        figures=None if figures is None else _numbers(figures),
        unanswerable=unanswerable,
    )
    gold = f"{len(row['gold_spans'])} sections and {len(row['must_images'])} pictures"
    _say(f"{question}: {gold} are gold now in {questions}")


@app.command()
def feedback(
    file: Annotated[
        Path | None, typer.Argument(help="The chat's feedback.jsonl; by default that of the settings.")
    ] = None,
) -> None:
    """List the answers that were rated in the chat, with their ids for `accept`."""
    from headtree.evaluation.feedback_log import list_feedback, read_feedback

    _say(list_feedback(read_feedback(file or load_settings().chats / "feedback.jsonl")))


@app.command()
def check(questions: QuestionsOption = DEFAULT_QUESTIONS, documents: DocumentsOption = None) -> None:
    """Say what is wrong with a question set, one line per fault."""
    from headtree.evaluation.authoring import check as check_questions

    suite, messages = check_questions(questions, load_settings(documents=documents).documents)
    for message in messages:
        _say(message)
    if messages:
        raise HeadtreeError(f"{questions} has {len(messages)} faults in {len(suite.questions)} questions")
    _say(f"{questions}: {len(suite.questions)} questions, nothing wrong")


def _numbers(text: str) -> tuple[int, ...]:
    try:
        return tuple(int(part) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise typer.BadParameter(f"{text!r} is not a list of numbers like 1,3") from error


def _say(text: str) -> None:
    _out.print(text, markup=False, highlight=False, soft_wrap=True)
