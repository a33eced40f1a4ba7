"""The vector index: derived from the database, and made again from it whenever it is missing or does not fit.

By default it is a FAISS file that carries the generation of the database in its name; one that is missing, damaged or
of another generation is never used. ``indexing.milvus`` is the same on a server of its own.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from headtree.models.protocols import Vectors


class VectorIndex(Protocol):
    """Finds the nearest chunks of a question; a distributed store implements the same."""

    def search(self, query: Vectors, k: int, allowed: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """Return up to ``k`` pairs (chunk id, cosine), best first.

        Args:
            query: shape (1, dimensions), unit length.
            k: how many.
            allowed: chunk ids to search among; ``None`` for all.
        """
        ...


class FaissIndex:
    """Exact search over unit vectors by inner product."""

    def __init__(self, index: Any) -> None:
        self._index = index  # a faiss.IndexIDMap2; FAISS ships no types

    @classmethod
    def from_vectors(cls, ids: NDArray[np.int64], vectors: Vectors) -> FaissIndex:
        """Index ``vectors`` of shape (ids, dimensions) under their chunk ids."""
        import faiss

        index = faiss.IndexIDMap2(faiss.IndexFlatIP(vectors.shape[1]))
        if len(ids):
            index.add_with_ids(np.ascontiguousarray(vectors), ids)
        return cls(index)

    @classmethod
    def read(cls, file: Path) -> FaissIndex | None:
        """Read an index file; ``None`` where it is missing or damaged."""
        import faiss

        if not file.is_file():
            return None
        try:
            # Through a buffer: FAISS opens no path that holds characters outside the locale.
            return cls(faiss.deserialize_index(np.frombuffer(file.read_bytes(), dtype=np.uint8)))
        except RuntimeError:
            return None

    def save(self, file: Path) -> None:
        """Write the index file in one step."""
        import faiss

        # A search and a build may write the same file at the same time, in one process too.
        temporary = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}.tmp")
        temporary.write_bytes(faiss.serialize_index(self._index).tobytes())
        temporary.replace(file)

    @property
    def size(self) -> int:
        """Number of vectors."""
        return int(self._index.ntotal)

    def search(self, query: Vectors, k: int, allowed: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """See ``VectorIndex``."""
        import faiss

        # FAISS shares out queries, not vectors: for one query a second thread only waits (measured: 19 ms for 3 ms).
        faiss.omp_set_num_threads(1)
        k = min(k, self.size)
        if k == 0 or (allowed is not None and not allowed):
            return []
        # The selector lives on the C++ side only as long as this name does.
        selector = None if allowed is None else faiss.IDSelectorBatch(np.asarray(allowed, dtype=np.int64))
        parameters = faiss.SearchParameters()
        parameters.sel = selector
        scores, ids = self._index.search(np.ascontiguousarray(query), k, params=parameters)
        # FAISS fills up with -1 where fewer than k are found.
        return [(int(i), float(s)) for i, s in zip(ids[0], scores[0], strict=True) if i >= 0]


class VectorStore(Protocol):
    """Where vector indexes are kept; the database stays the truth."""

    def load(self, folder: Path, connection: sqlite3.Connection, space: str, generation: str) -> VectorIndex:
        """Return the vector index of a state of the database, made from it where there is none.

        Args:
            folder: the index folder.
            connection: to its database, which may be read only.
            space: the embedder's name.
            generation: of the database.
        """
        ...

    def write(self, folder: Path, connection: sqlite3.Connection, space: str, generation: str) -> VectorIndex:
        """Make the vector index of a state that a build has just written, and forget older ones; see ``load``."""
        ...


class FaissFiles:
    """Keeps the vector index as a file in the index folder."""

    def load(self, folder: Path, connection: sqlite3.Connection, space: str, generation: str) -> FaissIndex:
        """See ``VectorStore``."""
        index = FaissIndex.read(_file(folder, generation))
        expected = connection.execute(
            "SELECT count(*) FROM chunks JOIN vectors USING (text_hash) WHERE space = ?", (space,)
        ).fetchone()[0]
        if index is not None and index.size == expected:
            return index
        return self.write(folder, connection, space, generation)

    def write(self, folder: Path, connection: sqlite3.Connection, space: str, generation: str) -> FaissIndex:
        """Make the file, replace the old one in one step; see ``VectorStore``."""
        index = FaissIndex.from_vectors(*stored_vectors(connection, space))
        index.save(_file(folder, generation))
        for old in folder.glob("vectors-*.faiss"):
            if old != _file(folder, generation):
                old.unlink(missing_ok=True)
        return index


FAISS_FILES = FaissFiles()


def stored_vectors(connection: sqlite3.Connection, space: str) -> tuple[NDArray[np.int64], Vectors]:
    """Return the ids of the chunks that have a vector, in order, and the vectors, of shape (ids, dimensions)."""
    rows = connection.execute(
        "SELECT id, vector FROM chunks JOIN vectors USING (text_hash) WHERE space = ? ORDER BY id", (space,)
    ).fetchall()
    ids = np.asarray([row[0] for row in rows], dtype=np.int64)
    vectors = np.stack([np.frombuffer(row[1], dtype="<f4") for row in rows]) if rows else np.zeros((0, 1), np.float32)
    return ids, vectors.astype(np.float32, copy=False)


def _file(folder: Path, generation: str) -> Path:
    return folder / f"vectors-{generation}.faiss"
