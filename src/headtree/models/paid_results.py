"""What models were paid for, kept beside the index: a fresh build or a changed setting never pays twice."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from headtree.errors import IndexDamagedError

_FILE = "paid-results.db"


def result_key(*parts: str) -> bytes:
    """Return the key of what was asked, from everything that the result depends on."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8", "surrogatepass")
        digest.update(len(raw).to_bytes(8) + raw)
    return digest.digest()


class PaidResults:
    """Results by maker and key; safe to use from several threads and processes."""

    def __init__(self, folder: Path) -> None:
        """Use the file in an index folder; it is made when something is first kept."""
        self._file = folder / _FILE

    def find(self, maker: str, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Return those of the wanted results that are there.

        Args:
            maker: the model with whatever else decides what it makes: dimensions, or the version of the prompt.
            keys: from ``result_key``.

        Raises:
            IndexDamagedError: the file cannot be used.
        """
        if not self._file.is_file():
            return {}
        query = "SELECT value FROM results WHERE maker = ? AND key = ?"
        with self._database() as database:
            rows = {key: database.execute(query, (maker, key)).fetchone() for key in dict.fromkeys(keys)}
        return {key: bytes(row[0]) for key, row in rows.items() if row}

    def keep(self, maker: str, results: Mapping[bytes, bytes]) -> None:
        """Store results at once; see ``find``."""
        with self._database() as database:
            rows = [(maker, key, value) for key, value in results.items()]
            database.executemany("INSERT OR REPLACE INTO results VALUES (?, ?, ?)", rows)

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        self._file.parent.mkdir(parents=True, exist_ok=True)
        try:
            database = sqlite3.connect(self._file, timeout=30)
            try:
                with database:
                    database.execute(
                        "CREATE TABLE IF NOT EXISTS results (maker TEXT NOT NULL, key BLOB NOT NULL,"
                        " value BLOB NOT NULL, PRIMARY KEY (maker, key)) WITHOUT ROWID"
                    )
                    yield database
            finally:
                database.close()
        except sqlite3.Error as error:
            raise IndexDamagedError(f"{self._file} cannot be used ({error}); delete it to go on") from error
