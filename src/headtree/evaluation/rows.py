"""One row of a question set -> a question, with a message for everything that is not right about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from headtree.evaluation.gold import FigureGold, GoldSpan, SuiteQuestion, is_below_documents
from headtree.types import LineSpan


def _listed(value: Any) -> Any:
    return [] if value is None else value


def _texts(value: Any) -> Any:
    items = _listed(value)
    return [_text(item) for item in items] if isinstance(items, list) else items


def _text(value: Any) -> Any:
    """Take nothing for an empty text and a number for its digits."""
    if value is None:
        return ""
    return str(value) if isinstance(value, int | float) else value


_Text = Annotated[str, BeforeValidator(_text)]
_Texts = Annotated[list[str], BeforeValidator(_texts)]


class _Span(BaseModel):
    doc: str
    first_line: int = Field(ge=1)
    last_line: int = Field(ge=1)
    heading: str = ""


class _Evidence(BaseModel):
    any_of: _Texts
    also: _Texts = []


class _Row(BaseModel):
    id: str | int | None = None
    query: str = Field(min_length=1)
    category: _Text = ""
    split: _Text = ""
    docs: _Texts = []
    answer: _Text = ""
    answerable: bool | None = None
    gold_spans: Annotated[list[list[_Span]], BeforeValidator(_listed)] = []
    gold_mode: Literal["all", "any"] = "all"
    evidence: Annotated[list[_Evidence], BeforeValidator(_listed)] = []
    lines: dict[str, tuple[int, int]] = {}
    must_images: _Texts = []
    must_any: Annotated[list[list[str]], BeforeValidator(_listed)] = []
    ok_images: _Texts = []
    alternatives: dict[str, list[str]] = {}
    labels: _Texts = []
    numbers: _Texts = []
    computed: _Texts = []
    useful: _Texts = []


_FIGURE_FIELDS = ("must_images", "must_any", "ok_images")


def read_row(row: Any, position: int, figure_map: Mapping[str, str]) -> tuple[SuiteQuestion, list[str]]:
    """Turn a row into a question; where it is not right, into one that says so, with the messages."""
    try:
        parsed = _Row.model_validate(row)
    except ValidationError as error:
        messages = [_explain(item) for item in error.errors()]
        return _unusable(row, position, "; ".join(messages)), messages
    messages = list(_doubts(parsed))
    if parsed.id is None:
        parsed = parsed.model_copy(update={"id": f"row-{position}"})
        messages.append(f"id: is missing; this row is called {parsed.id}")
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
        id=row.id if row.id is not None else "",
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
