"""Builds the index: reads what changed, embeds what is new, and switches to the new state in one transaction.

Vectors are stored as they are computed, under the hash of their text, so that a build that was stopped goes on where
it was. What searches see changes only at the end: until then the old index answers.
"""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import orjson

from headtree import __version__
from headtree.errors import DocumentError, HeadtreeError
from headtree.indexing.chunking import embedding_text
from headtree.indexing.documents import (
    OutlinedDocument,
    PreparedDocument,
    SourceFile,
    find_documents,
    finish_document,
    links_out,
    outline_document,
)
from headtree.indexing.enriching import NOBODY, Readers, ask_leave, enrich, finish_documents, plan_work
from headtree.indexing.images import ImageFinder
from headtree.indexing.plain import printable
from headtree.indexing.records import CHUNK_COLUMNS, chunk_from_row, warning_from_json
from headtree.indexing.schema import connect, damage_reported, read_meta, remove_database, write_meta
from headtree.indexing.storing import delete_document, insert_document, text_hash
from headtree.indexing.vectors import FAISS_FILES, VectorStore
from headtree.models.estimates import Estimate, embedding_estimate
from headtree.models.protocols import Embedder
from headtree.settings import Settings
from headtree.types import BuildReport, BuildWarning, Chunk, DocumentChanges, WarningKind

_BATCH = 32
"""Vectors that are stored together; at 20 chunks a second a stopped build loses at most two seconds of work."""

_READING_SETTINGS = ("heading_repair", "noise_filter", "noise_titles", "keep_titles", "chunk_characters")
"""Settings that decide what a document's tree and chunks are: a change reads every document again."""


@dataclass(frozen=True, slots=True)
class BuildStep:
    """How far a build is; given to the ``progress`` callable again and again."""

    stage: str
    """``reading`` and ``judging`` (documents), ``describing`` (figures), ``placing`` (requests for contexts of chunks),
    ``embedding`` (chunks) or ``writing`` (documents); ``estimating`` carries a note only."""
    done: int
    total: int
    note: str = ""
    """For people: what will be paid for."""


Progress = Callable[[BuildStep], None]


@dataclass(frozen=True, slots=True)
class _Plan:
    """What a build has to do."""

    prepared: tuple[PreparedDocument, ...]
    images_state: Mapping[str, str]
    """By document, of the prepared ones."""
    changes: DocumentChanges
    warnings: tuple[BuildWarning, ...]
    fingerprint: str
    """Of how documents are read now."""


def build(
    settings: Settings,
    embedder: Embedder | None,
    *,
    fresh: bool,
    progress: Progress,
    readers: Readers = NOBODY,
    store: VectorStore = FAISS_FILES,
) -> BuildReport:
    """Bring the index in ``settings.index`` up to date with the documents.

    Args:
        settings: where documents and index are, and how documents are read.
        embedder: ``None`` makes an index for lexical search only.
        fresh: forget the old index and its vectors.
        progress: called after each document and each stored batch of vectors.
        readers: models that read the documents for it.
        store: where the vectors are searched.

    Raises:
        HeadtreeError: no documents, an unusable index, another build at work, or its price was not agreed to.
    """
    started = time.monotonic()
    sources = find_documents(settings.documents)
    if not sources:
        raise HeadtreeError(
            f"{settings.documents} holds no Markdown documents; put some in, "
            "or make them from PDFs with: headtree extract"
        )
    with _only_build(settings.index):
        if fresh:
            remove_database(settings.index)
        connection = connect(settings.index, create=True)
        try:
            with damage_reported(settings.index):
                return _build(settings, embedder, readers, store, sources, connection, progress, started)
        finally:
            connection.close()


def _build(
    settings: Settings,
    embedder: Embedder | None,
    readers: Readers,
    store: VectorStore,
    sources: Sequence[SourceFile],
    connection: sqlite3.Connection,
    progress: Progress,
    started: float,
) -> BuildReport:
    space = embedder.name if embedder else ""
    plan = _plan(settings, readers, sources, connection, progress)
    plan = _enriched(plan, settings, embedder, readers, connection, progress)
    embedded, refused = _embed_missing(plan, embedder, connection, progress) if embedder else (0, ())
    changed = bool(plan.prepared or plan.changes.removed) or read_meta(connection, "space") != space
    if changed or embedded:
        generation = str(int(read_meta(connection, "generation") or 0) + 1)
        _switch(plan, space, generation, connection, progress)
        store.write(settings.index, connection, space, generation)
    return BuildReport(
        documents=plan.changes,
        sections=_count(connection, "sections"),
        chunks=_count(connection, "chunks"),
        figures=_count(connection, "figures"),
        embedded=embedded,
        warnings=(*_stored_warnings(connection), *plan.warnings, *readers.warnings(), *refused),
        seconds=round(time.monotonic() - started, 3),
    )


@contextmanager
def _only_build(folder: Path) -> Iterator[None]:
    """Hold the folder for this build; SQLite's lock ends with the process, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = sqlite3.connect(folder / "build.lock", timeout=0.1, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        raise HeadtreeError(f"another build is at work in {folder}; wait for it, or stop it") from error
    try:
        yield
    finally:
        lock.close()


# -------------------------------------------------------------------------------------------------- reading


def _plan(
    settings: Settings,
    readers: Readers,
    sources: Sequence[SourceFile],
    connection: sqlite3.Connection,
    progress: Progress,
) -> _Plan:
    """Compare the folder with the index and read the documents that are new or changed."""
    known = {
        doc_id: (path, content_hash, state)
        for doc_id, path, content_hash, state in connection.execute(
            "SELECT doc_id, path, content_hash, images_state FROM documents"
        )
    }
    images = _known_images(connection)
    fingerprint = _reading_fingerprint(settings, readers)
    same_settings = read_meta(connection, "reading_settings") == fingerprint
    finder = ImageFinder(settings.documents)
    outlined: list[OutlinedDocument] = []
    prepared: list[PreparedDocument] = []
    warnings = links_out(settings.documents)
    added: list[str] = []
    changed: list[str] = []
    seen: set[str] = set()
    for number, source in enumerate(sources, start=1):
        try:
            raw = _read(settings.documents, source)
        except DocumentError as error:
            warnings.append(BuildWarning(printable(source.doc_id), 0, WarningKind.UNREADABLE, str(error)))
            continue
        seen.add(source.doc_id)
        state = (
            source.path,
            hashlib.sha256(raw).hexdigest(),
            _images_state(finder, images.get(source.doc_id, ())),
        )
        if not (same_settings and known.get(source.doc_id) == state):
            document = outline_document(raw, source, settings)
            if readers.judge is None:  # nobody waits for the other outlines
                prepared.append(finish_document(document, settings, finder))
            else:
                outlined.append(document)
            (changed if source.doc_id in known else added).append(source.doc_id)
        progress(BuildStep("reading", number, len(sources)))
    prepared += finish_documents(outlined, settings, finder, readers.judge, _teller(progress))
    states = {
        document.document.doc_id: _images_state(finder, [figure.path for figure in document.document.figures])
        for document in prepared
    }
    removed = tuple(sorted(set(known) - seen))
    changes = DocumentChanges(tuple(added), tuple(changed), removed, len(seen) - len(added) - len(changed))
    return _Plan(tuple(prepared), states, changes, tuple(warnings), fingerprint)


def _read(documents: Path, source: SourceFile) -> bytes:
    try:
        source.path.encode("utf-8")
        return (documents / source.path).read_bytes()
    except UnicodeEncodeError as error:
        raise DocumentError(f"{printable(source.path)}: the file's name is not UTF-8; rename it") from error
    except OSError as error:
        raise DocumentError(f"{source.path} cannot be read: {error.strerror or error}") from error


def _known_images(connection: sqlite3.Connection) -> Mapping[str, Sequence[str]]:
    images: dict[str, list[str]] = {}
    for doc_id, path in connection.execute("SELECT doc_id, path FROM figures ORDER BY doc_id, ordinal"):
        images.setdefault(doc_id, []).append(path)
    return images


def _images_state(finder: ImageFinder, paths: Sequence[str]) -> str:
    """Return a hash over the sizes and times of image files, so that a replaced picture counts as a change."""
    digest = hashlib.sha256()
    for path in paths:
        try:
            status = finder.absolute(path).stat()
            digest.update(f"{path}\0{status.st_size}\0{status.st_mtime_ns}\n".encode())
        except (OSError, ValueError):
            digest.update(f"{path}\0missing\n".encode())
    return digest.hexdigest()


def _reading_fingerprint(settings: Settings, readers: Readers) -> str:
    values = {name: getattr(settings, name) for name in _READING_SETTINGS}
    return orjson.dumps({"version": __version__, **readers.names, **values}).decode()


def _enriched(
    plan: _Plan,
    settings: Settings,
    embedder: Embedder | None,
    readers: Readers,
    connection: sqlite3.Connection,
    progress: Progress,
) -> _Plan:
    """Say what the build will cost, have it approved where that is due, and let models add to the documents."""
    work = plan_work(plan.prepared, readers)
    embedding = _embedding_estimate(plan, embedder, connection, sum(each.output_tokens for each in work.estimates))
    ask_leave(work, embedding, readers)
    for estimate in (*work.estimates, *embedding):
        progress(BuildStep("estimating", 0, 0, str(estimate)))
    return replace(plan, prepared=tuple(enrich(plan.prepared, work, settings, readers, _teller(progress))))


def _embedding_estimate(
    plan: _Plan, embedder: Embedder | None, connection: sqlite3.Connection, more_tokens: int
) -> tuple[Estimate, ...]:
    if embedder is None or embedding_estimate(embedder.name, ()) is None:
        return ()
    missing = _missing_texts(plan, embedder.name, connection)
    if not missing:
        return ()
    texts = (embedding_text(chunk) for chunk in missing.values())
    estimate = embedding_estimate(embedder.name, texts, more_tokens=more_tokens)
    return (estimate,) if estimate else ()


def _teller(progress: Progress) -> Callable[[str, int, int, str], None]:
    return lambda stage, done, total, note: progress(BuildStep(stage, done, total, note))


# ------------------------------------------------------------------------------------------------- embedding


def _embed_missing(
    plan: _Plan, embedder: Embedder, connection: sqlite3.Connection, progress: Progress
) -> tuple[int, tuple[BuildWarning, ...]]:
    """Embed the texts that have no vector in this space yet; each batch is stored at once."""
    missing = _missing_texts(plan, embedder.name, connection)
    items = list(missing.items())
    refused: list[BuildWarning] = []
    if items:
        progress(BuildStep("embedding", 0, len(items)))
    for start in range(0, len(items), _BATCH):
        batch = items[start : start + _BATCH]
        vectors = embedder.embed_documents([embedding_text(chunk) for _, chunk in batch])
        good = np.isfinite(vectors).all(axis=1) & (np.abs(vectors).sum(axis=1) > 0)
        rows = [
            (embedder.name, key, vector.astype("<f4").tobytes())
            for (key, _), vector, usable in zip(batch, vectors, good, strict=True)
            if usable
        ]
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")
        refused += [_refusal(chunk) for (_, chunk), usable in zip(batch, good, strict=True) if not usable]
        progress(BuildStep("embedding", start + len(batch), len(items)))
    return len(items) - len(refused), tuple(refused)


def _missing_texts(plan: _Plan, space: str, connection: sqlite3.Connection) -> Mapping[str, Chunk]:
    """Return chunks without a vector by text hash: of the documents just read, and of a build that was cut short."""
    have = {key for (key,) in connection.execute("SELECT text_hash FROM vectors WHERE space = ?", (space,))}
    missing = {}
    for document in plan.prepared:
        for chunk in document.chunks:
            key = text_hash(embedding_text(chunk))
            if key not in have:
                missing[key] = chunk
    replaced = {document.document.doc_id for document in plan.prepared} | set(plan.changes.removed)
    for chunk, key in _stored_chunks(connection):
        if key not in have and chunk.doc_id not in replaced:
            missing[key] = chunk
    return missing


def _stored_chunks(connection: sqlite3.Connection) -> Iterator[tuple[Chunk, str]]:
    for *fields, key in connection.execute(f"SELECT {CHUNK_COLUMNS}, text_hash FROM chunks"):
        yield chunk_from_row(fields), key


def _refusal(chunk: Chunk) -> BuildWarning:
    message = (
        f"the embedder gave no usable vector for lines {chunk.first_line}-{chunk.last_line}; "
        "they are found by their words only"
    )
    return BuildWarning(chunk.doc_id, chunk.first_line, WarningKind.REFUSED_VECTOR, message)


# --------------------------------------------------------------------------------------------------- writing


def _switch(
    plan: _Plan,
    space: str,
    generation: str,
    connection: sqlite3.Connection,
    progress: Progress,
) -> None:
    """Replace the changed documents and make the new generation current, all in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        for doc_id in (*plan.changes.removed, *plan.changes.changed):
            delete_document(doc_id, connection)
        for number, prepared in enumerate(plan.prepared, start=1):
            insert_document(prepared, plan.images_state[prepared.document.doc_id], connection)
            progress(BuildStep("writing", number, len(plan.prepared)))
        connection.execute(
            "DELETE FROM vectors WHERE space != ? OR text_hash NOT IN (SELECT text_hash FROM chunks)", (space,)
        )
        write_meta(connection, "space", space)
        write_meta(connection, "reading_settings", plan.fingerprint)
        write_meta(connection, "generation", generation)
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise


def _count(connection: sqlite3.Connection, table: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def _stored_warnings(connection: sqlite3.Connection) -> Iterator[BuildWarning]:
    for (raw,) in connection.execute("SELECT warnings FROM documents ORDER BY doc_id"):
        yield from (warning_from_json(item) for item in orjson.loads(raw))
