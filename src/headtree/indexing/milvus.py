"""The vector index on a Milvus server: for more vectors than one machine holds, or several machines that search.

The database stays the truth. A collection is named by a digest of what it holds, so that it can never be of another
state than the one that is asked for, and machines with the same index share it. It is filled under a name of its own
and renamed when it is complete: one that a build left half-filled is never searched.
"""

from __future__ import annotations

import hashlib
import importlib
import json
import logging
import os
import secrets
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headtree.errors import ModelUnavailableError, VectorStoreError
from headtree.indexing.schema import read_meta, write_meta
from headtree.indexing.vectors import FAISS_FILES, VectorIndex, VectorStore, stored_vectors
from headtree.models.protocols import Vectors
from headtree.settings import Settings

_PREFIX = "headtree_"
_BATCH_BYTES = 4_000_000
"""Vectors that are sent together; the server takes 64 MB (documentation, limits)."""
_SECONDS = 30.0
"""Most time for one request; a search takes milliseconds, a batch a second."""
_KEPT = "milvus_collections"
"""Entry of the table ``meta``: the collections that builds of this index made, newest first."""
_GENERATIONS = 2
"""How many of them stay: questions that are under way still search the one before."""


def vector_store(settings: Settings) -> VectorStore:
    """Return where the settings keep vectors; nothing is opened yet."""
    if settings.milvus_uri is None:
        return FAISS_FILES
    token = settings.milvus_token.get_secret_value() if settings.milvus_token else ""
    return MilvusCollections(settings.milvus_uri, token)


class MilvusIndex:
    """One collection: exact search over unit vectors by inner product; see ``VectorIndex``."""

    def __init__(self, client: Any, collection: str, size: int) -> None:
        self._client = client
        self._collection = collection
        self._size = size

    @property
    def size(self) -> int:
        """Number of vectors."""
        return self._size

    def search(self, query: Vectors, k: int, allowed: Sequence[int] | None = None) -> list[tuple[int, float]]:
        """See ``VectorIndex``.

        Raises:
            VectorStoreError: the server failed.
        """
        if min(k, self._size) == 0 or (allowed is not None and not allowed):
            return []
        expression = "" if allowed is None else f"id in {json.dumps([int(number) for number in allowed])}"
        with _failures_named():
            hits = self._client.search(
                self._collection,
                data=[query[0]],
                filter=expression,
                limit=min(k, self._size),
                output_fields=["id"],
                timeout=_SECONDS,
            )[0]
        return [(int(hit["id"]), float(hit["distance"])) for hit in hits]


class MilvusCollections:
    """Keeps vector indexes as collections of a Milvus server; see ``VectorStore``."""

    def __init__(self, uri: str, token: str = "") -> None:
        self._uri = uri
        self._token = token

    def load(self, folder: Path, connection: sqlite3.Connection, space: str, generation: str) -> VectorIndex:
        """See ``VectorStore``.

        Raises:
            ModelUnavailableError: the package is not installed.
            VectorStoreError: the server cannot be used.
        """
        return self._open(connection, space)[1]

    def write(self, folder: Path, connection: sqlite3.Connection, space: str, generation: str) -> VectorIndex:
        """See ``VectorStore``; raises what ``load`` raises."""
        name, index = self._open(connection, space)
        made = [known for known in json.loads(read_meta(connection, _KEPT) or "[]") if known != name]
        kept = [name, *made[: _GENERATIONS - 1]]
        write_meta(connection, _KEPT, json.dumps(kept))
        client = _client(self._uri, self._token)
        with _failures_named():
            for old in made[_GENERATIONS - 1 :]:
                client.drop_collection(old)  # no error where it is gone
        return index

    def _open(self, connection: sqlite3.Connection, space: str) -> tuple[str, MilvusIndex]:
        """Return the collection of a state of the database, made where there is none."""
        name, size = _digest(connection, space)
        client = _client(self._uri, self._token)
        with _failures_named():
            if size and not client.has_collection(name):
                _make(client, name, *stored_vectors(connection, space))
            if size:
                client.load_collection(name)
        return name, MilvusIndex(client, name, size)


def _digest(connection: sqlite3.Connection, space: str) -> tuple[str, int]:
    """Return the name of the collection for what the database holds, and how many vectors that are."""
    digest = hashlib.sha256(space.encode())
    size = 0
    rows = connection.execute(
        "SELECT id, text_hash FROM chunks JOIN vectors USING (text_hash) WHERE space = ? ORDER BY id", (space,)
    )
    for number, text_hash in rows:
        digest.update(f"\0{number}\0{text_hash}".encode())
        size += 1
    return f"{_PREFIX}{digest.hexdigest()[:32]}", size


def _make(client: Any, name: str, ids: NDArray[np.int64], vectors: Vectors) -> None:
    """Fill a collection and give it its name when it is complete."""
    types = _package().DataType
    schema = client.create_schema(auto_id=False, enable_dynamic_field=False)
    schema.add_field("id", types.INT64, is_primary=True)
    schema.add_field("vector", types.FLOAT_VECTOR, dim=int(vectors.shape[1]))
    parameters = client.prepare_index_params()
    # Exact, as the FAISS file: a figure must not be missed because a graph was searched in a hurry.
    parameters.add_index("vector", index_type="FLAT", metric_type="IP")
    unfinished = f"{name}_{secrets.token_hex(4)}"
    client.create_collection(unfinished, schema=schema, index_params=parameters, consistency_level="Strong")
    try:
        step = max(1, _BATCH_BYTES // (4 * int(vectors.shape[1])))
        for start in range(0, len(ids), step):
            part = slice(start, start + step)
            rows = [{"id": int(i), "vector": vector} for i, vector in zip(ids[part], vectors[part], strict=True)]
            client.insert(unfinished, rows, timeout=_SECONDS)
        if not client.has_collection(name):  # another machine may have been quicker
            client.rename_collection(unfinished, name)
    finally:
        client.drop_collection(unfinished)  # no error where it was renamed


@lru_cache(maxsize=8)
def _client(uri: str, token: str) -> Any:
    """Return the client of a server, one per process: it may be used by many threads."""
    package = _package()
    with _failures_named():
        return package.MilvusClient(uri, token=token, timeout=_SECONDS)


def _package() -> Any:
    os.environ.setdefault("GRPC_VERBOSITY", "ERROR")  # below that it tells the terminal of each connection that ends
    try:
        package = importlib.import_module("pymilvus")
    except ImportError as error:
        raise ModelUnavailableError("MILVUS_URI needs a package: pip install 'headtree[milvus]'") from error
    # It prints each error with its whole trace to the terminal, besides raising it.
    logging.getLogger("pymilvus").setLevel(logging.CRITICAL + 1)
    return package


@contextmanager
def _failures_named() -> Iterator[None]:
    """Turn the package's errors into one that says what to look at."""
    package = _package()
    try:
        yield
    except package.MilvusException as error:
        reason = " ".join(str(getattr(error, "message", "") or error).split())[:200]
        raise VectorStoreError(
            f"the Milvus server of MILVUS_URI cannot be used ({reason}); see that it runs, or unset MILVUS_URI to keep "
            "vectors in the index folder"
        ) from error
