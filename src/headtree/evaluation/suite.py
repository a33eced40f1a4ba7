"""Question set -> questions with their gold: read, checked, and one message per row that is not right.

Two formats are one: rows with ``id``, ``category`` and ``query`` only, and rows that also say what is right (needed
sections as line ranges, needed and acceptable pictures, printed numbers). What a row does not say is not scored.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from headtree.errors import HeadtreeError
from headtree.types import LineSpan


@dataclass(frozen=True, slots=True)
class GoldSpan:
    """Lines of a document that hold what is asked for."""

    doc_id: str
    span: LineSpan
    heading: str = ""


Need = tuple[GoldSpan, ...]
"""One thing that must be found: any of its spans will do."""


@dataclass(frozen=True, slots=True)
class FigureGold:
    """Which pictures an answer needs and which it may show; paths below the documents folder."""

    must: tuple[str, ...] = ()
    groups: tuple[tuple[str, ...], ...] = ()
    """Of each group one is needed."""
    ok: tuple[str, ...] = ()
    alternatives: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))
    """By needed picture: those that can stand for it."""

    def needs(self) -> tuple[frozenset[str], ...]:
        """Return one set per needed picture or group: any of it will do."""
        musts = (frozenset((path, *self.alternatives.get(path, ()))) for path in self.must)
        return (*musts, *(frozenset(group) for group in self.groups))

    def right(self) -> frozenset[str]:
        """Return every picture that may be shown."""
        return frozenset(self.ok).union(*self.needs())


@dataclass(frozen=True, slots=True)
class SuiteQuestion:
    """A question and what is known about its right answer."""

    key: str
    """Its id as text; unique within the set."""
    id: str | int
    """As the file gives it."""
    query: str
    category: str = ""
    split: str = ""
    docs: tuple[str, ...] = ()
    """Documents that the answer comes from; empty where the set does not say."""
    answer: str = ""
    answerable: bool | None = None
    """``None`` where the set does not say."""
    needs: tuple[Need, ...] = ()
    any_need: bool = False
    """Whether one need is enough."""
    ok_spans: tuple[GoldSpan, ...] = ()
    figures: FigureGold | None = None
    """``None`` where the set does not speak of pictures."""
    labels: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The printed number of pictures, by path; empty text where a picture has none."""
    numbers: tuple[str, ...] = ()
    """Numbers of the documents that a right answer contains."""
    computed: tuple[str, ...] = ()
    """Numbers that follow from them."""
    problem: str | None = None
    """Why the row cannot be asked."""


@dataclass(frozen=True, slots=True)
class RowProblem:
    """What is wrong with a row of a question set."""

    row: int
    """1-based position in the file's list."""
    id: str
    message: str

    def __str__(self) -> str:
        return f"question {self.row} ({self.id}): {self.message}"


@dataclass(frozen=True, slots=True)
class Suite:
    """A question set."""

    name: str
    questions: tuple[SuiteQuestion, ...]
    problems: tuple[RowProblem, ...] = ()


# ------------------------------------------------------------------------------------------- the file's own shape


def _listed(value: Any) -> Any:
    return [] if value is None else value


Texts = Annotated[list[str], BeforeValidator(_listed)]


class _Span(BaseModel):
    doc: str
    first_line: int = Field(ge=1)
    last_line: int = Field(ge=1)
    heading: str = ""


class _Evidence(BaseModel):
    any_of: Texts
    also: Texts = []


class _Row(BaseModel):
    id: str | int
    query: str = Field(min_length=1)
    category: str = ""
    split: str = ""
    docs: Texts = []
    answer: str = ""
    answerable: bool | None = None
    gold_spans: Annotated[list[list[_Span]], BeforeValidator(_listed)] = []
    gold_mode: Literal["all", "any"] = "all"
    evidence: Annotated[list[_Evidence], BeforeValidator(_listed)] = []
    lines: dict[str, tuple[int, int]] = {}
    must_images: Texts = []
    must_any: Annotated[list[list[str]], BeforeValidator(_listed)] = []
    ok_images: Texts = []
    alternatives: dict[str, list[str]] = {}
    labels: Texts = []
    numbers: Texts = []
    computed: Texts = []
    useful: Texts = []


_FIGURE_FIELDS = ("must_images", "must_any", "ok_images")


# ---------------------------------------------------------------------------------------------------- reading


def read_suite(path: Path, *, split: str | None = None) -> Suite:
    """Read a question set.

    A row that is not right stays in its place with a ``problem``, so that nothing is left out in silence. A
    ``figures.jsonl`` beside the file (``doc``, ``file``, ``label``) gives the printed numbers of all pictures.

    Args:
        path: JSON: ``{"test_queries": [...]}`` or the list alone.
        split: take the rows of this split only.

    Raises:
        HeadtreeError: the file is missing, is no JSON, or holds no question (of this split).
    """
    rows = _read_rows(path)
    figure_map = _read_figure_map(path.with_name("figures.jsonl"))
    questions: list[SuiteQuestion] = []
    problems: list[RowProblem] = []
    taken: set[str] = set()
    for position, row in enumerate(rows, start=1):
        if split and not (isinstance(row, dict) and row.get("split") == split):
            continue
        question, messages = _question(row, position, figure_map)
        if question.key in taken:
            messages.append(f"the id {question.key} is used before; this row is called {question.key}#{position}")
            question = replace(question, key=f"{question.key}#{position}", id=f"{question.id}#{position}")
        taken.add(question.key)
        questions.append(question)
        problems += [RowProblem(position, question.key, message) for message in messages]
    if not questions:
        known = sorted({str(row["split"]) for row in rows if isinstance(row, dict) and row.get("split")})
        wanted = f" of the split {split!r} (it has: {', '.join(known) or 'none'})" if split else ""
        raise HeadtreeError(f"{path} holds no questions{wanted}")
    name = f"{_suite_name(path)}-{split}" if split else _suite_name(path)
    return Suite(name, tuple(questions), tuple(problems))


def _suite_name(path: Path) -> str:
    """Name a set by its file, or by its folder where the file's name says nothing."""
    generic = {"questions", "test_queries"}
    return path.resolve().parent.name if path.stem in generic else path.stem


def _read_rows(path: Path) -> list[Any]:
    if not path.is_file():
        raise HeadtreeError(
            f"there is no question set at {path}; name one with --questions, "
            "or make one with: headtree questions new DOC"
        )
    try:
        content = json.loads(path.read_text(encoding="utf-8-sig"))
    except (json.JSONDecodeError, UnicodeDecodeError) as error:
        raise HeadtreeError(f"{path} is not JSON: {error}") from error
    rows = content.get("test_queries") if isinstance(content, dict) else content
    if not isinstance(rows, list):
        raise HeadtreeError(f'{path} must hold {{"test_queries": [...]}} or a list of questions')
    return rows


def _read_figure_map(path: Path) -> Mapping[str, str]:
    """Return printed numbers by picture; empty where there is no such file."""
    if not path.is_file():
        return {}
    found: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            found[f"{row['doc']}/{row['file']}"] = row["label"] or ""
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise HeadtreeError(f"{path}:{number}: not an object with doc, file and label ({error})") from error
    return found


def _question(row: Any, position: int, figure_map: Mapping[str, str]) -> tuple[SuiteQuestion, list[str]]:
    """Turn a row into a question; where it is not right, into one that says so, with the messages."""
    try:
        parsed = _Row.model_validate(row)
    except ValidationError as error:
        messages = [_explain(item) for item in error.errors()]
        return _unusable(row, position, "; ".join(messages)), messages
    messages = list(_doubts(parsed))
    return _with_gold(parsed, row, figure_map), messages


def _explain(item: Any) -> str:
    place = ".".join(str(part) for part in item["loc"]) or "row"
    return f"{place}: {item['msg']}"


def _unusable(row: Any, position: int, problem: str) -> SuiteQuestion:
    values = row if isinstance(row, dict) else {}
    given = values.get("id")
    name = given if isinstance(given, str | int) else f"row-{position}"
    query = values.get("query")
    return SuiteQuestion(
        key=str(name),
        id=name,
        query=query if isinstance(query, str) else "",
        category=str(values.get("category", "")),
        problem=f"the question set's row is not right: {problem}",
    )


def _with_gold(row: _Row, raw: Mapping[str, Any], figure_map: Mapping[str, str]) -> SuiteQuestion:
    spans = tuple(tuple(_gold_span(span) for span in need) for need in row.gold_spans)
    evidence = tuple(tuple(_path_spans(need.any_of, row.lines)) for need in row.evidence)
    also = [path for need in row.evidence for path in need.also] + row.useful
    figures = FigureGold(
        must=tuple(dict.fromkeys(row.must_images)),
        groups=tuple(tuple(group) for group in row.must_any),
        ok=tuple(row.ok_images),
        alternatives=MappingProxyType({path: tuple(others) for path, others in row.alternatives.items()}),
    )
    return SuiteQuestion(
        key=str(row.id),
        id=row.id,
        query=row.query,
        category=row.category,
        split=row.split,
        docs=tuple(row.docs),
        answer=row.answer,
        answerable=row.answerable,
        needs=tuple(need for need in (*spans, *evidence) if need),
        any_need=row.gold_mode == "any",
        ok_spans=tuple(_path_spans(also, row.lines)),
        figures=figures if any(name in raw for name in _FIGURE_FIELDS) else None,
        labels=MappingProxyType({**figure_map, **_zipped_labels(row)}),
        numbers=tuple(row.numbers),
        computed=tuple(row.computed),
    )


def _gold_span(span: _Span) -> GoldSpan:
    return GoldSpan(span.doc, LineSpan(span.first_line, span.last_line), span.heading)


def _path_spans(paths: Sequence[str], lines: Mapping[str, tuple[int, int]]) -> Iterator[GoldSpan]:
    """Yield the spans of section paths (``Doc > A > B``), as far as their lines are given."""
    for path in paths:
        if path in lines:
            yield GoldSpan(path.split(" > ")[0], LineSpan(*lines[path]), path)


def _zipped_labels(row: _Row) -> dict[str, str]:
    """Return printed numbers by needed picture, where the row gives one for each (``Doc: Table 7``)."""
    if len(row.labels) != len(row.must_images):
        return {}
    return {path: label.split(": ", 1)[-1] for path, label in zip(row.must_images, row.labels, strict=True) if label}


def _doubts(row: _Row) -> Iterator[str]:
    """Yield what is strange about a row that can be asked all the same."""
    if not row.query.strip():
        yield "query: is blank"
    for need in row.gold_spans:
        if not need:
            yield "gold_spans: a need without lines cannot be scored"
        for span in need:
            if span.last_line < span.first_line:
                yield f"gold_spans: {span.doc} lines {span.first_line}-{span.last_line} end before they begin"
    for evidence in row.evidence:
        for path in evidence.any_of:
            if path not in row.lines:
                yield f"evidence: no lines are given for {path!r}"
    for path in _images(row):
        if not is_below_documents(path):
            yield f"images: {path!r} is not a path below the documents folder"
    for path in row.alternatives:
        if path not in row.must_images:
            yield f"alternatives: {path!r} is not in must_images"


def _images(row: _Row) -> Sequence[str]:
    groups = [path for group in (*row.must_any, *row.alternatives.values()) for path in group]
    return [*row.must_images, *row.ok_images, *groups]


def is_below_documents(path: str) -> bool:
    """Whether a path is relative and stays below its folder, on every system."""
    absolute = PurePosixPath(path).is_absolute() or PureWindowsPath(path).is_absolute()
    return not absolute and ".." not in PurePosixPath(path).parts and "\\" not in path
