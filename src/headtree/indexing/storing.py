"""Prepared documents -> rows of the index database; the caller holds the transaction."""

from __future__ import annotations

import hashlib
import sqlite3

from headtree.indexing.chunking import embedding_text, searched_text
from headtree.indexing.documents import PreparedDocument
from headtree.indexing.records import CHUNK_COLUMNS, passages_to_json, to_json
from headtree.indexing.segment import segment
from headtree.types import Chunk


def text_hash(text: str) -> str:
    """Return the key of a text's vector."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def delete_document(doc_id: str, connection: sqlite3.Connection) -> None:
    """Remove a document with all that belongs to it; its vectors stay until the build has ended."""
    for search, table in (("chunk_search", "chunks"), ("title_search", "sections")):
        connection.execute(f"DELETE FROM {search} WHERE rowid IN (SELECT id FROM {table} WHERE doc_id = ?)", (doc_id,))
    connection.execute("DELETE FROM documents WHERE doc_id = ?", (doc_id,))


def insert_document(prepared: PreparedDocument, images_state: str, connection: sqlite3.Connection) -> None:
    """Store a document that is not there: its sections, figures and chunks, and what is searched of them."""
    document = prepared.document
    connection.execute(
        "INSERT INTO documents VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.doc_id,
            document.path,
            document.title,
            document.content_hash,
            images_state,
            to_json(dict(document.metadata)),
            "\n".join(document.lines),
            to_json(document.warnings),
        ),
    )
    for section in document.sections:
        row = connection.execute(
            "INSERT INTO sections (doc_id, node_id, record, passages) VALUES (?, ?, ?, ?)",
            (
                document.doc_id,
                section.node_id,
                to_json(section),
                passages_to_json(prepared.passages.get(section.node_id, ())),
            ),
        )
        if section.noise is None and len(section.body):  # a document that begins with a heading has no text of its own
            connection.execute(
                "INSERT INTO title_search (rowid, breadcrumb) VALUES (?, ?)",
                (row.lastrowid, segment(" ".join(section.breadcrumb))),
            )
    connection.executemany(
        "INSERT INTO figures VALUES (?, ?, ?, ?)",
        [(document.doc_id, ordinal, f.path, to_json(f)) for ordinal, f in enumerate(document.figures)],
    )
    for chunk in prepared.chunks:
        _insert_chunk(chunk, connection)


def _insert_chunk(chunk: Chunk, connection: sqlite3.Connection) -> None:
    row = connection.execute(
        f"INSERT INTO chunks ({CHUNK_COLUMNS}, text_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            chunk.doc_id,
            chunk.node_id,
            chunk.ordinal,
            chunk.first_line,
            chunk.last_line,
            to_json(chunk.breadcrumb),
            chunk.text,
            chunk.figure_path,
            chunk.context,
            text_hash(embedding_text(chunk)),
        ),
    )
    connection.execute(
        "INSERT INTO chunk_search (rowid, breadcrumb, body) VALUES (?, ?, ?)",
        (row.lastrowid, segment(" ".join(chunk.breadcrumb)), segment(searched_text(chunk))),
    )
