"""The index database: its tables, how it is opened, and what its errors mean to a user."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headtree.errors import IndexDamagedError, IndexMismatchError, IndexMissingError

FORMAT_VERSION = "2"
"""Counts up when the tables change; an older index is brought up to date where that is easy, else refused."""

_UPGRADES = {"1": "ALTER TABLE chunks ADD COLUMN context TEXT NOT NULL DEFAULT ''"}
"""By version: what makes the next one of it."""

DATABASE = "index.db"

_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE documents (
    doc_id TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    title TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    images_state TEXT NOT NULL,     -- sizes and times of the referenced images
    metadata BLOB NOT NULL,         -- JSON
    lines TEXT NOT NULL,            -- joined by newlines
    warnings BLOB NOT NULL          -- JSON
);
CREATE TABLE sections (
    id INTEGER PRIMARY KEY,
    doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    node_id TEXT NOT NULL,
    record BLOB NOT NULL,           -- JSON of the section
    passages BLOB NOT NULL,         -- JSON: [kind, first line, last line, text] each
    UNIQUE (doc_id, node_id)
);
CREATE TABLE figures (
    doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    ordinal INTEGER NOT NULL,
    path TEXT NOT NULL,
    record BLOB NOT NULL,           -- JSON of the figure
    PRIMARY KEY (doc_id, ordinal)
);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    doc_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
    node_id TEXT NOT NULL,
    ordinal INTEGER NOT NULL,
    first_line INTEGER NOT NULL,
    last_line INTEGER NOT NULL,
    breadcrumb BLOB NOT NULL,       -- JSON
    text TEXT NOT NULL,
    figure_path TEXT,
    text_hash TEXT NOT NULL,        -- of the text that is embedded: key into vectors
    context TEXT NOT NULL DEFAULT ''
);
CREATE INDEX chunks_by_document ON chunks (doc_id, ordinal);
CREATE INDEX chunks_by_figure ON chunks (doc_id, figure_path) WHERE figure_path IS NOT NULL;
CREATE TABLE vectors (
    space TEXT NOT NULL,            -- the embedder's name
    text_hash TEXT NOT NULL,
    vector BLOB NOT NULL,           -- float32, little-endian
    PRIMARY KEY (space, text_hash)
) WITHOUT ROWID;
CREATE VIRTUAL TABLE chunk_search USING fts5 (breadcrumb, body, tokenize = 'porter unicode61');
CREATE VIRTUAL TABLE title_search USING fts5 (breadcrumb, tokenize = 'porter unicode61');
"""


def connect(folder: Path, *, create: bool = False) -> sqlite3.Connection:
    """Open the database of an index folder; it waits up to 30 s for another writer.

    Raises:
        IndexMissingError: there is none, or no build has finished, and ``create`` is false.
        IndexMismatchError: it has another format.
        IndexDamagedError: it is no database any more.
    """
    file = folder / DATABASE
    if create:
        folder.mkdir(parents=True, exist_ok=True)
    elif not file.is_file():
        raise IndexMissingError(f"there is no index at {folder}; build it with: headtree index")
    with damage_reported(folder):
        connection = sqlite3.connect(file, timeout=30, isolation_level=None, check_same_thread=False)
        try:
            _prepare(connection, create=create)
            _check(connection, folder, create=create)
        except BaseException:
            connection.close()
            raise
    return connection


def _prepare(connection: sqlite3.Connection, *, create: bool) -> None:
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = NORMAL")
    if create and not _has_tables(connection):
        version = f"INSERT INTO meta VALUES ('format_version', '{FORMAT_VERSION}')"
        connection.executescript(f"BEGIN IMMEDIATE; {_TABLES} {version}; COMMIT;")
    elif _has_tables(connection) and read_meta(connection, "format_version") in _UPGRADES:
        _upgrade(connection)


def _upgrade(connection: sqlite3.Connection) -> None:
    """Bring the tables up to date, once, whoever opens them at the same time."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = read_meta(connection, "format_version") or ""
        while version in _UPGRADES:
            connection.execute(_UPGRADES[version])
            version = str(int(version) + 1)
        write_meta(connection, "format_version", version)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _check(connection: sqlite3.Connection, folder: Path, *, create: bool) -> None:
    """Refuse an index of another format, and one of which no build has come to its end."""
    has_tables = _has_tables(connection)
    if has_tables and read_meta(connection, "format_version") != FORMAT_VERSION:
        raise IndexMismatchError(
            f"the index at {folder} was made by another version of headtree; build it anew with: headtree index --fresh"
        )
    if not create and not (has_tables and read_meta(connection, "generation")):
        raise IndexMissingError(f"the index at {folder} was never finished; go on with: headtree index")


def _has_tables(connection: sqlite3.Connection) -> bool:
    return connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'meta'").fetchone() is not None


@contextmanager
def damage_reported(folder: Path) -> Iterator[None]:
    """Turn SQLite's errors about a broken file into one that names the cure."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise IndexDamagedError(
            f"the index at {folder} cannot be used ({error}); see that the folder is writable"
        ) from error
    except sqlite3.DatabaseError as error:
        raise IndexDamagedError(
            f"the index at {folder} is damaged ({error}); build it anew with: headtree index --fresh"
        ) from error


def read_meta(connection: sqlite3.Connection, key: str) -> str | None:
    """Return a value of the table ``meta``."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else None


def write_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    """Set a value of the table ``meta``."""
    connection.execute(
        "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", (key, value)
    )


def remove_database(folder: Path) -> None:
    """Delete the database and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm"):
        (folder / f"{DATABASE}{suffix}").unlink(missing_ok=True)
