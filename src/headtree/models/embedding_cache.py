"""Vectors that were paid for, kept beside the index: a fresh build or a changed embedder never pays twice."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from headtree.errors import IndexDamagedError
from headtree.models.protocols import Embedder, Vectors

_FILE = "paid-vectors.db"


class CachedEmbedder:
    """An embedder whose document vectors are stored by model, dimensions and text; questions are not stored."""

    def __init__(self, inner: Embedder, folder: Path) -> None:
        self._inner = inner
        self._file = folder / _FILE

    @property
    def name(self) -> str:
        """The inner embedder's space."""
        return self._inner.name

    @property
    def dimensions(self) -> int:
        """The inner embedder's."""
        return self._inner.dimensions

    def embed_query(self, text: str) -> Vectors:
        """See ``Embedder``."""
        return self._inner.embed_query(text)

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Return stored vectors, and embed and store what is missing; a vector that is no vector is not stored.

        Raises:
            IndexDamagedError: the file of stored vectors cannot be used.
        """
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
        with self._database() as database:
            known = {key: vector for key in keys if (vector := self._find(database, key)) is not None}
            missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
            if missing:
                vectors = self._inner.embed_documents(list(missing.values()))
                rows = [
                    (self.name, key, vector.astype("<f4").tobytes())
                    for key, vector in zip(missing, vectors, strict=True)
                    if np.isfinite(vector).all() and vector.any()
                ]
                database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
                known |= dict(zip(missing, vectors, strict=True))
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, self.dimensions), np.float32)

    def _find(self, database: sqlite3.Connection, key: bytes) -> Vectors | None:
        query = "SELECT vector FROM vectors WHERE space = ? AND text_hash = ?"
        row = database.execute(query, (self.name, key)).fetchone()
        return np.frombuffer(row[0], dtype="<f4") if row else None

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        database = sqlite3.connect(self._file, timeout=30, isolation_level=None)
        try:
            database.execute(
                "CREATE TABLE IF NOT EXISTS vectors (space TEXT NOT NULL, text_hash BLOB NOT NULL,"
                " vector BLOB NOT NULL, PRIMARY KEY (space, text_hash)) WITHOUT ROWID"
            )
            yield database
        except sqlite3.Error as error:
            raise IndexDamagedError(f"{self._file} cannot be used ({error}); delete it to go on") from error
        finally:
            database.close()
