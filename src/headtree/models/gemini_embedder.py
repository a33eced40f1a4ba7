"""Gemini's embedding models: batches, task types or prefixes, and checks that the service and its SDK leave out."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from headtree.models.calling import Attempt, Caller, Envelope
from headtree.models.catalogue import ModelCard
from headtree.models.envelopes import estimate_tokens
from headtree.models.failures import Failure, ServiceError
from headtree.models.gemini import GeminiService, reported_failures
from headtree.models.protocols import Vectors
from headtree.types import RequestBlock

_MOST_TEXTS = 100
"""Texts in one request; the service refuses more."""
_MOST_BYTES = 2_000_000
"""Text in one request: half of the 4 MiB at which requests were refused, for JSON makes it longer."""
_TASKS = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}
_PREFIXES = {"document": "title: none | text: ", "query": "task: search result | query: "}
"""How models after ``gemini-embedding-001`` are told the task; they take no task type."""


@dataclass(frozen=True, slots=True)
class _Embedded:
    vectors: Vectors
    input_tokens: int
    output_tokens: int = 0
    cached_tokens: int = 0
    cache_written_tokens: int = 0


class GeminiEmbedder:
    """An ``Embedder``; its vectors have length 1, whatever the number of dimensions."""

    def __init__(self, card: ModelCard, dimensions: int, service: GeminiService, caller: Caller) -> None:
        self._card = card
        self._dimensions = dimensions
        self._service = service
        self._caller = caller
        self._takes_task = card.model.startswith("gemini-embedding-001")

    @property
    def name(self) -> str:
        """The model and its dimensions: either one changed is another space."""
        return f"{self._card.name}@{self._dimensions}"

    @property
    def dimensions(self) -> int:
        """As the settings have it."""
        return self._dimensions

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts in as few requests as allowed; shape (texts, dimensions), in order.

        A vector that is not finite or all zero is passed on as it is: a build names and refuses it.

        Raises:
            ModelCallError: the service failed, or sent too few vectors or of another length.
        """
        parts = [self._embed(batch, "document") for batch in batches(texts)]
        return np.concatenate(parts) if parts else np.zeros((0, self._dimensions), np.float32)

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; shape (1, dimensions); see ``embed_documents``."""
        return self._embed([text], "query")

    def _embed(self, texts: Sequence[str], task: str) -> Vectors:
        client = self._service.client()
        sent = texts if self._takes_task else [_PREFIXES[task] + text for text in texts]
        size = sum(len(text.encode("utf-8", "replace")) for text in sent)
        tokens = sum(estimate_tokens(text) for text in sent)
        block = RequestBlock(f"{len(sent)} texts ({task})", "text", tokens, size)

        def send(attempt: Attempt) -> _Embedded:
            with reported_failures(self._card.model):
                return self._send(client, sent, task, attempt, tokens)

        return self._caller.call(self._card, Envelope("embedding", "", (block,), items=len(sent)), send).vectors

    def _send(self, client: object, texts: Sequence[str], task: str, attempt: Attempt, estimated: int) -> _Embedded:
        from google.genai import types

        config = types.EmbedContentConfig(
            output_dimensionality=self._dimensions,
            task_type=_TASKS[task] if self._takes_task else None,
            http_options=types.HttpOptions(timeout=math.ceil(attempt.seconds * 1000)),
        )
        # Each text a content of its own: bare strings become one content, and so one vector, for newer models.
        contents = [
            types.Content(role="user", parts=[types.Part.from_text(text=text.encode("utf-8", "replace").decode())])
            for text in texts
        ]
        reply = client.models.embed_content(model=self._card.model, contents=contents, config=config)  # type: ignore[attr-defined]
        vectors = self._checked([embedding.values or [] for embedding in reply.embeddings or ()], len(texts))
        usage = getattr(reply, "usage_metadata", None)
        return _Embedded(vectors, getattr(usage, "prompt_token_count", None) or estimated)

    def _checked(self, rows: Sequence[Sequence[float]], count: int) -> Vectors:
        if len(rows) != count:
            raise ServiceError(Failure.CUT, f"{self._card.name} sent {len(rows)} vectors for {count} texts")
        wrong = next((len(row) for row in rows if len(row) != self._dimensions), None)
        if wrong is not None:
            raise ServiceError(
                Failure.REFUSED,
                f"{self._card.name} sent a vector of {wrong} numbers, the settings say {self._dimensions}; "
                "set EMBEDDING_DIMENSIONS to what the model gives",
            )
        # JSON has no word for "not a number"; some servers send null.
        vectors = np.array([[math.nan if x is None else x for x in row] for row in rows], dtype=np.float64)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        # Only 3,072 dimensions come normalised (documentation of gemini-embedding-001).
        np.divide(vectors, lengths, out=vectors, where=lengths > 0)
        return vectors.astype(np.float32)


def batches(texts: Sequence[str]) -> Iterator[list[str]]:
    """Cut texts into batches, in order, each small enough for one request."""
    batch: list[str] = []
    size = 0
    for text in texts:
        length = len(text.encode("utf-8", "replace"))
        if batch and (len(batch) == _MOST_TEXTS or size + length > _MOST_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(text)
        size += length
    if batch:
        yield batch
