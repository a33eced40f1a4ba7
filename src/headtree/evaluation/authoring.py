"""Makes question sets: placeholders from a document's tree, and gold from a run that a person has looked at."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from headtree.errors import HeadtreeError
from headtree.evaluation.feedback_log import FEEDBACK_SUFFIX, list_feedback, read_feedback
from headtree.evaluation.gold import GoldSpan, Suite
from headtree.evaluation.runlog import read_log, write_json
from headtree.evaluation.suite import read_suite
from headtree.indexing.documents import find_documents
from headtree.indexing.inspection import inspect_document
from headtree.models.registry import LOCAL
from headtree.settings import Settings
from headtree.types import Document, Figure, FigureKind, Section

PLACEHOLDER = "<your question about "
"""How the query of a row begins that nobody has written yet."""

_MARKER = re.compile(r"\s*\[\d+\]")
_SHORTEST_TEXT = 60
"""Characters of own text under which a section makes no question."""


# --------------------------------------------------------------------------------------------------------- new


def new_questions(settings: Settings, doc_id: str, *, count: int) -> list[dict[str, Any]]:
    """Return rows with a placeholder for the question and the gold of one section each.

    Sections with labelled figures come first, then those with most text; the rows stand in reading order. The last
    row is for a question that the document does not answer.
    """
    document = inspect_document(settings, doc_id)
    figures: dict[str, list[Figure]] = {}
    for figure in document.figures:
        if figure.exists and figure.label and figure.kind in {FigureKind.FIGURE, FigureKind.TABLE}:
            figures.setdefault(figure.node_id, []).append(figure)
    sections = [section for section in document.sections if _can_be_asked(section, document)]
    sections.sort(key=lambda section: (section.node_id not in figures, -len(document.text(section.body))))
    chosen = sorted(sections[: max(0, count - 1)], key=lambda section: section.line)
    rows = [_section_row(document, section, figures.get(section.node_id, ())) for section in chosen]
    return [*rows, _unanswerable_row(document)]


def _can_be_asked(section: Section, document: Document) -> bool:
    return section.level > 0 and section.noise is None and len(document.text(section.body)) >= _SHORTEST_TEXT


def _section_row(document: Document, section: Section, figures: Sequence[Figure]) -> dict[str, Any]:
    place = " > ".join(section.breadcrumb)
    span = {
        "doc": document.doc_id,
        "heading": place,
        "first_line": section.body.first,
        "last_line": section.body.last,
    }
    return {
        "id": f"{document.doc_id}-{section.node_id}",
        "category": "figure" if figures else "text",
        "docs": [document.doc_id],
        "query": f"{PLACEHOLDER}{place}>",
        "answer": "",
        "answerable": True,
        "gold_spans": [[span]],
        "must_images": [figure.path for figure in figures],
        "ok_images": [],
        "labels": [f"{document.doc_id}: {figure.label}" for figure in figures],
    }


def _unanswerable_row(document: Document) -> dict[str, Any]:
    return {
        "id": f"{document.doc_id}-unanswerable",
        "category": "unanswerable",
        "docs": [document.doc_id],
        "query": f"{PLACEHOLDER}something that {document.doc_id} does not say>",
        "answer": "",
        "answerable": False,
        "gold_spans": [],
        "must_images": [],
        "ok_images": [],
    }


def add_rows(path: Path, rows: Sequence[Mapping[str, Any]]) -> int:
    """Append rows to a question set, making it where there is none; rows whose id is there stay as they are.

    Returns:
        How many rows are new.
    """
    content = _load(path) if path.is_file() else {"test_queries": []}
    there = {str(row["id"]) for row in content["test_queries"] if isinstance(row, dict) and "id" in row}
    new = [dict(row) for row in rows if str(row["id"]) not in there]
    content["test_queries"] += new
    write_json(path, content)
    return len(new)


def _load(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError) as error:
        raise HeadtreeError(f"{path} cannot be read as JSON: {error}") from error
    if isinstance(content, list):
        content = {"test_queries": content}
    if not isinstance(content, dict) or not isinstance(content.get("test_queries"), list):
        raise HeadtreeError(f'{path} must hold {{"test_queries": [...]}} or a list of questions')
    return content


# ------------------------------------------------------------------------------------------------------ accept


def accept(
    run: Path,
    question_id: str,
    questions: Path,
    *,
    citations: Sequence[int] = (),
    figures: Sequence[int] | None = None,
    unanswerable: bool = False,
) -> dict[str, Any]:
    """Write what a run answered as the gold of its question, and return the row.

    Args:
        run: the log, or the chat's ``feedback.jsonl``.
        question_id: which question.
        questions: the set that is changed; the row is added where it is not in it.
        citations: numbers of the citations that hold the answer; all where empty.
        figures: positions (from 1) of the pictures that are right; all that were shown where ``None``.
        unanswerable: the documents do not hold the answer: no lines and no pictures are right.

    Raises:
        HeadtreeError: the run has no such question, citation or picture, or the question failed.
    """
    row = _row(run, question_id)
    if row.get("error"):
        raise HeadtreeError(f"question {question_id} failed in this run ({row['error']}): there is nothing to accept")
    gold = _no_gold() if unanswerable else _gold(row, citations, figures)
    content = _load(questions) if questions.is_file() else {"test_queries": []}
    rows = content["test_queries"]
    known = next((item for item in rows if isinstance(item, dict) and str(item.get("id")) == question_id), None)
    if known is None:
        known = {"id": row["id"], "category": row["category"], "query": row["query"]}
        rows.append(known)
    known.update(gold)
    write_json(questions, content)
    return dict(known)


def _row(run: Path, question_id: str) -> dict[str, Any]:
    is_feedback = run.suffix == FEEDBACK_SUFFIX
    rows = read_feedback(run) if is_feedback else read_log(run)["results"]
    row: dict[str, Any] | None = next((row for row in rows if str(row["id"]) == question_id), None)
    if row is None:
        has = f"; it has:\n{list_feedback(rows)}" if is_feedback else ""
        raise HeadtreeError(f"{run} has no question {question_id!r}{has}")
    return row


def _no_gold() -> dict[str, Any]:
    return {"answerable": False, "answer": "", "gold_spans": [], "must_images": [], "labels": []}


def _gold(row: Mapping[str, Any], citations: Sequence[int], figures: Sequence[int] | None) -> dict[str, Any]:
    cited = {citation["number"]: citation for citation in row["citations"]}
    shown = dict(enumerate(row["figures"], start=1))
    right = [_picked(shown, number, "picture") for number in (shown if figures is None else figures)]
    accepted = [_picked(cited, number, "citation") for number in (citations or cited)]
    needs = list(_needs(accepted))
    if not needs and not right:
        raise HeadtreeError(f"question {row['id']} has neither citation nor picture; is it --unanswerable?")
    documents = [need[0]["doc"] for need in needs] + [figure["doc_id"] for figure in right]
    return {
        "docs": sorted(set(documents)),
        "answer": _gold_answer(row, accepted),
        "answerable": True,
        "gold_spans": needs,
        "must_images": [figure["path"] for figure in right],
        "labels": [f"{figure['doc_id']}: {figure['label']}" for figure in right],
    }


def _gold_answer(row: Mapping[str, Any], accepted: Sequence[Mapping[str, Any]]) -> str:
    """Return what a judge may hold other answers against: no markers, and of a local answer the quotes alone."""
    if row["mode"] == LOCAL:
        return "\n".join(citation["quote"] for citation in accepted)
    return _MARKER.sub("", row["response"])


def _picked(known: Mapping[int, Any], number: int, kind: str) -> Any:
    if number not in known:
        numbers = ", ".join(map(str, known)) or "none"
        raise HeadtreeError(f"the answer has no {kind} {number}; there is: {numbers}")
    return known[number]


def _needs(citations: Sequence[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yield one need per cited section: the lines from its first quote to its last."""
    for key in dict.fromkeys((citation["doc_id"], citation["node_id"]) for citation in citations):
        quotes = [citation for citation in citations if (citation["doc_id"], citation["node_id"]) == key]
        yield [
            {
                "doc": key[0],
                "heading": " > ".join(quotes[0]["breadcrumb"]),
                "first_line": min(quote["first_line"] for quote in quotes),
                "last_line": max(quote["last_line"] for quote in quotes),
            }
        ]


# ------------------------------------------------------------------------------------------------------- check


def check(path: Path, documents: Path) -> tuple[Suite, list[str]]:
    """Read a question set and say what is wrong with it, also against the documents: one message per fault."""
    suite = read_suite(path)
    messages = [str(problem) for problem in suite.problems]
    sources = {source.doc_id: documents / source.path for source in find_documents(documents)}
    lengths: dict[str, int] = {}
    for question in suite.questions:
        faults = [f"docs: there is no document {doc_id}" for doc_id in question.docs if doc_id not in sources]
        for gold in (gold for need in question.needs for gold in need):
            if gold.doc_id in sources and gold.doc_id not in lengths:
                lengths[gold.doc_id] = _line_count(sources[gold.doc_id])
            faults += _span_faults(gold, lengths)
        images = question.figures.right() if question.figures else frozenset()
        faults += [f"images: {image} is missing" for image in sorted(images) if not (documents / image).is_file()]
        if question.query.startswith(PLACEHOLDER):
            faults.append("query: is still a placeholder")
        messages += [f"question {question.key}: {fault}" for fault in faults]
    return suite, messages


def _line_count(file: Path) -> int:
    text = file.read_bytes().replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return len(text.removesuffix(b"\n").split(b"\n"))


def _span_faults(gold: GoldSpan, lengths: Mapping[str, int]) -> list[str]:
    if gold.doc_id not in lengths:
        return [f"gold_spans: there is no document {gold.doc_id}"]
    # The index counts what follows the last line end as a line, though an empty one.
    if gold.span.last > lengths[gold.doc_id] + 1:
        return [f"gold_spans: {gold.doc_id} has {lengths[gold.doc_id]} lines, not {gold.span.last}"]
    return []
