"""Frozen values <-> the JSON of the index database."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import orjson

from headtree.types import (
    BuildWarning,
    Chunk,
    Figure,
    FigureKind,
    LineSpan,
    Mention,
    Passage,
    PassageKind,
    Section,
    WarningKind,
)


def to_json(value: Any) -> bytes:
    """Encode a value, a mapping or a sequence of values."""
    return orjson.dumps(value, default=_plain)


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else str(value)


def section_from_json(raw: bytes) -> Section:
    """Decode a section."""
    data = orjson.loads(raw)
    data["body"] = LineSpan(**data["body"])
    data["span"] = LineSpan(**data["span"])
    data["breadcrumb"] = tuple(data["breadcrumb"])
    data["children"] = tuple(data["children"])
    return Section(**data)


def figure_from_json(raw: bytes) -> Figure:
    """Decode a figure."""
    data = orjson.loads(raw)
    data["kind"] = FigureKind(data["kind"])
    data["inside"] = LineSpan(**data["inside"]) if data["inside"] else None
    data["also_at"] = tuple(data["also_at"])
    data["mentions"] = tuple(Mention(**mention) for mention in data["mentions"])
    return Figure(**data)


def passages_to_json(passages: Iterable[Passage]) -> bytes:
    """Encode passages as short lists: there are many."""
    return orjson.dumps([[p.kind.value, p.first_line, p.last_line, p.text] for p in passages])


def passages_from_json(raw: bytes) -> tuple[Passage, ...]:
    """Decode passages."""
    return tuple(Passage(PassageKind(kind), first, last, text) for kind, first, last, text in orjson.loads(raw))


class StoredPassages(Mapping[str, tuple[Passage, ...]]):
    """The passages of a document by node id, each section decoded when it is first read: most never are."""

    def __init__(self, raw: Mapping[str, bytes]) -> None:
        self._raw = raw
        self._decoded: dict[str, tuple[Passage, ...]] = {}

    def __getitem__(self, node_id: str) -> tuple[Passage, ...]:
        known = self._decoded.get(node_id)
        if known is None:
            known = self._decoded[node_id] = passages_from_json(self._raw[node_id])
        return known

    def __iter__(self) -> Iterator[str]:
        return iter(self._raw)

    def __len__(self) -> int:
        return len(self._raw)


def warning_from_json(data: Mapping[str, Any]) -> BuildWarning:
    """Decode a build warning from its parsed JSON."""
    return BuildWarning(data["doc_id"], data["line"], WarningKind(data["kind"]), data["message"])


CHUNK_COLUMNS = "doc_id, node_id, ordinal, first_line, last_line, breadcrumb, text, figure_path, context"
"""Columns of a chunk, in the order that ``chunk_from_row`` takes."""


def chunk_from_row(row: Sequence[Any]) -> Chunk:
    """Decode a row of ``CHUNK_COLUMNS``."""
    doc_id, node_id, ordinal, first_line, last_line, breadcrumb, text, figure_path, context = row
    place = tuple(orjson.loads(breadcrumb))
    return Chunk(doc_id, node_id, ordinal, first_line, last_line, place, text, figure_path, context)
