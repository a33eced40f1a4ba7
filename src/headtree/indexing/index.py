"""An index as searches see it: one consistent state of the database per question, whatever a build does meanwhile."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from headtree.errors import IndexMismatchError
from headtree.indexing.document_cache import DocumentCache
from headtree.indexing.records import (
    CHUNK_COLUMNS,
    StoredPassages,
    chunk_from_row,
    figure_from_json,
    section_from_json,
)
from headtree.indexing.schema import connect, damage_reported, read_meta
from headtree.indexing.tree import SectionFinder
from headtree.indexing.vectors import FAISS_FILES, VectorIndex, VectorStore
from headtree.types import Chunk, Figure, LineSpan, Passage, Section

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class StoredDocument:
    """A document of the index, with look-ups; loaded when it is first asked for and kept as long as there is room."""

    doc_id: str
    path: str
    title: str
    lines: tuple[str, ...]
    sections: Mapping[str, Section]
    """By node id, in reading order."""
    figures: tuple[Figure, ...]
    passages: Mapping[str, tuple[Passage, ...]]
    """By node id."""

    @cached_property
    def figures_by_path(self) -> Mapping[str, Figure]:
        """Figures by their path below the documents folder."""
        return {figure.path: figure for figure in self.figures}

    def text(self, span: LineSpan) -> str:
        """Return the lines of a span, joined by newlines."""
        return "\n".join(self.lines[span.first - 1 : span.last])

    def descendants(self, node_id: str) -> Iterator[Section]:
        """Yield a section and all below it, in reading order."""
        yield self.sections[node_id]
        for child in self.sections[node_id].children:
            yield from self.descendants(child)

    @property
    def characters(self) -> int:
        """The length of the text, line breaks included."""
        return self._line_ends[-1]

    @cached_property
    def _finder(self) -> SectionFinder:
        return SectionFinder(tuple(self.sections.values()))

    @cached_property
    def _line_ends(self) -> tuple[int, ...]:
        """By line: the characters up to its end, line breaks included; 0 before the first."""
        return (0, *accumulate(len(line) + 1 for line in self.lines))

    def size(self, span: LineSpan) -> int:
        """Return the characters of a span, line breaks included."""
        return self._line_ends[max(span.last, span.first - 1)] - self._line_ends[span.first - 1]

    def section_at(self, line: int) -> Section:
        """Return the section in whose body a line lies."""
        return self._finder.at(line)

    def passages_in(self, span: LineSpan) -> list[Passage]:
        """Return the passages that begin within a span, in reading order."""
        return [
            passage
            for section in self._finder.between(span)
            for passage in self.passages.get(section.node_id, ())
            if passage.first_line in span
        ]


def index_space(folder: Path) -> str:
    """Return the name of the embedder that an index was made with; empty where it has no vectors.

    Raises:
        IndexMissingError, IndexMismatchError, IndexDamagedError: it cannot be opened.
    """
    connection = connect(folder)
    try:
        return read_meta(connection, "space") or ""
    finally:
        connection.close()


@dataclass
class _State:
    """What is kept in memory of one generation."""

    generation: str
    vectors: VectorIndex | None
    documents: DocumentCache[StoredDocument] = field(default_factory=DocumentCache)
    made: dict[Callable[[Snapshot], Any], Any] = field(default_factory=dict)
    """What ``Snapshot.once`` made, by what made it."""


class Index:
    """An open index; safe to use from several threads."""

    def __init__(self, folder: Path, *, space: str, store: VectorStore = FAISS_FILES) -> None:
        """Open the index of a folder.

        Args:
            folder: the index folder.
            space: name of the embedder that questions will be embedded with; empty for lexical search only.
            store: where its vectors are.

        Raises:
            IndexMissingError: there is no index.
            IndexMismatchError: it was made with another embedder or by another version.
            IndexDamagedError: the database is damaged.
            VectorStoreError: the vectors cannot be reached.
        """
        self._folder = folder
        self._store = store
        self._space = space
        self._lock = threading.Lock()
        self._state: _State | None = None
        with self.snapshot():
            pass

    @contextmanager
    def snapshot(self) -> Iterator[Snapshot]:
        """Open a consistent view for one question; a build that ends meanwhile is seen by the next one."""
        connection = connect(self._folder)
        try:
            with damage_reported(self._folder):
                connection.execute("BEGIN")
                yield Snapshot(connection, self._current_state(connection))
        finally:
            connection.close()

    def _current_state(self, connection: sqlite3.Connection) -> _State:
        generation = read_meta(connection, "generation") or "0"
        made_with = read_meta(connection, "space") or ""
        if self._space and made_with != self._space:
            raise IndexMismatchError(
                f"the index was made with the embedder {made_with or 'none (words only)'}, the settings say "
                f"{self._space}; bring it up to date with: headtree index"
            )
        with self._lock:
            if self._state is None or self._state.generation != generation:
                vectors = None
                if self._space:
                    vectors = self._store.load(self._folder, connection, self._space, generation)
                self._state = _State(generation, vectors)
            return self._state


class Snapshot:
    """One state of the index."""

    def __init__(self, connection: sqlite3.Connection, state: _State) -> None:
        self._connection = connection
        self._state = state

    @property
    def generation(self) -> str:
        """Counts up with every build that changed something."""
        return self._state.generation

    @property
    def vectors(self) -> VectorIndex | None:
        """The vector index; ``None`` where searches go by words only."""
        return self._state.vectors

    def once(self, make: Callable[[Snapshot], T]) -> T:
        """Return what a function makes of this index; it is made once and kept while the index stays the same."""
        if make not in self._state.made:
            self._state.made[make] = make(self)
        made: T = self._state.made[make]
        return made

    def document_ids(self) -> tuple[str, ...]:
        """Return all documents, sorted."""
        return tuple(row[0] for row in self._connection.execute("SELECT doc_id FROM documents ORDER BY doc_id"))

    def titles(self) -> Mapping[str, str]:
        """Return document titles by id."""
        return dict(self._connection.execute("SELECT doc_id, title FROM documents"))

    def document(self, doc_id: str) -> StoredDocument:
        """Return a document; a ``KeyError`` where the index has none of this name."""
        return self._state.documents.get(doc_id, self._load)

    def _load(self, doc_id: str) -> StoredDocument:
        row = self._connection.execute(
            "SELECT path, title, lines FROM documents WHERE doc_id = ?", (doc_id,)
        ).fetchone()
        if row is None:
            raise KeyError(doc_id)
        path, title, lines = row
        rows = self._connection.execute(
            "SELECT node_id, record, passages FROM sections WHERE doc_id = ? ORDER BY id", (doc_id,)
        ).fetchall()
        figures = self._connection.execute(
            "SELECT record FROM figures WHERE doc_id = ? ORDER BY ordinal", (doc_id,)
        ).fetchall()
        return StoredDocument(
            doc_id=doc_id,
            path=path,
            title=title,
            lines=tuple(lines.split("\n")),
            sections={node_id: section_from_json(record) for node_id, record, _ in rows},
            figures=tuple(figure_from_json(record) for (record,) in figures),
            passages=StoredPassages({node_id: passages for node_id, _, passages in rows}),
        )

    def chunks(self, ids: Iterable[int]) -> Mapping[int, Chunk]:
        """Return chunks by id; unknown ids are left out."""
        wanted = list(ids)
        found: dict[int, Chunk] = {}
        for start in range(0, len(wanted), 500):
            part = wanted[start : start + 500]
            marks = ",".join("?" * len(part))
            query = f"SELECT id, {CHUNK_COLUMNS} FROM chunks WHERE id IN ({marks})"
            found |= {row[0]: chunk_from_row(row[1:]) for row in self._connection.execute(query, part)}
        return found

    def chunk_ids(self, documents: Sequence[str]) -> list[int]:
        """Return the chunks of some documents."""
        marks = ",".join("?" * len(documents))
        query = f"SELECT id FROM chunks WHERE doc_id IN ({marks})"
        return [row[0] for row in self._connection.execute(query, documents)]

    def search_chunks(self, match: str, limit: int, documents: Sequence[str] = ()) -> list[tuple[int, float]]:
        """Return (chunk id, score) by BM25 over breadcrumb and text, best first; higher scores are better.

        Args:
            match: an FTS5 expression.
            limit: how many at most.
            documents: search these only; all where empty.
        """
        # Breadcrumb weighs 6 to 1: measured on annual reports (dense recall@20 .515 without breadcrumbs, .629 with).
        return self._search("chunk_search", "bm25(chunk_search, 6.0, 1.0)", "chunks", match, limit, documents)

    def search_titles(self, match: str, limit: int, documents: Sequence[str] = ()) -> list[tuple[int, float]]:
        """Return (section row, score) by BM25 over breadcrumbs alone; see ``search_chunks``."""
        return self._search("title_search", "bm25(title_search)", "sections", match, limit, documents)

    def _search(
        self, table: str, rank: str, source: str, match: str, limit: int, documents: Sequence[str]
    ) -> list[tuple[int, float]]:
        restriction = ""
        if documents:
            marks = ",".join("?" * len(documents))
            restriction = f"AND rowid IN (SELECT id FROM {source} WHERE doc_id IN ({marks}))"
        query = (
            f"SELECT rowid, -{rank} AS score FROM {table} WHERE {table} MATCH ? {restriction} "
            "ORDER BY score DESC, rowid LIMIT ?"
        )
        return [(row[0], row[1]) for row in self._connection.execute(query, (match, *documents, limit))]

    def section_rows(self, rows: Iterable[int]) -> Mapping[int, tuple[str, str]]:
        """Return (doc id, node id) by section row."""
        wanted = list(rows)
        marks = ",".join("?" * len(wanted))
        query = f"SELECT id, doc_id, node_id FROM sections WHERE id IN ({marks})"
        return {row[0]: (row[1], row[2]) for row in self._connection.execute(query, wanted)}

    def figure_vectors(self, figures: Iterable[Figure]) -> Mapping[str, NDArray[np.float32]]:
        """Return the vectors of figures' texts, by figure id; a figure without words has none."""
        query = (
            "SELECT vector FROM chunks JOIN vectors USING (text_hash)"
            " WHERE doc_id = ? AND figure_path = ? AND space = ?"
        )
        space = read_meta(self._connection, "space")
        found = {}
        for figure in figures:
            row = self._connection.execute(query, (figure.doc_id, figure.path, space)).fetchone()
            if row:
                found[figure.figure_id] = np.frombuffer(row[0], dtype="<f4")
        return found

    def passage_vectors(self, doc_id: str) -> tuple[list[LineSpan], NDArray[np.float32]]:
        """Return where a document's chunks of text stand, and their vectors, shape (chunks, dimensions)."""
        query = (
            "SELECT first_line, last_line, vector FROM chunks JOIN vectors USING (text_hash)"
            " WHERE doc_id = ? AND figure_path IS NULL AND space = ? ORDER BY ordinal"
        )
        rows = self._connection.execute(query, (doc_id, read_meta(self._connection, "space"))).fetchall()
        vectors = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4").reshape(len(rows), -1 if rows else 0)
        return [LineSpan(first, last) for first, last, _ in rows], vectors

    def chunk_count(self) -> int:
        """Return the number of chunks."""
        return self.once(_count_chunks)

    def term_frequencies(self, terms: Iterable[str]) -> Mapping[str, int]:
        """Return in how many chunks each stem stands."""
        self._connection.execute(
            "CREATE VIRTUAL TABLE IF NOT EXISTS temp.chunk_terms USING fts5vocab (main, chunk_search, row)"
        )
        query = "SELECT doc FROM temp.chunk_terms WHERE term = ?"
        counts = ((term, self._connection.execute(query, (term,)).fetchone()) for term in terms)
        return {term: int(row[0]) if row else 0 for term, row in counts}

    def matches_by_document(self, match: str) -> Mapping[str, int]:
        """Return how many chunks of each document match an FTS5 expression."""
        query = (
            "SELECT doc_id, count(*) FROM chunk_search JOIN chunks ON chunks.id = chunk_search.rowid"
            " WHERE chunk_search MATCH ? GROUP BY doc_id"
        )
        return dict(self._connection.execute(query, (match,)))

    def has_match(self, match: str, documents: Sequence[str] = ()) -> bool:
        """Whether a chunk of some documents (all where empty) matches an FTS5 expression."""
        # The first match is enough: ranking all of them costs most of a second where the expression is a common word.
        query = "SELECT 1 FROM chunk_search"
        if documents:
            marks = ",".join("?" * len(documents))
            query += f" JOIN chunks ON chunks.id = chunk_search.rowid AND chunks.doc_id IN ({marks})"
        query += " WHERE chunk_search MATCH ? LIMIT 1"
        return self._connection.execute(query, (*documents, match)).fetchone() is not None


def _count_chunks(view: Snapshot) -> int:
    return int(view._connection.execute("SELECT count(*) FROM chunks").fetchone()[0])
