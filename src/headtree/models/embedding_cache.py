"""An embedder that asks only for the vectors that were not paid for yet."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headtree.models.paid_results import PaidResults, result_key
from headtree.models.protocols import Embedder, Vectors


class CachedEmbedder:
    """An embedder whose document vectors are stored by model, dimensions and text; questions are not stored."""

    def __init__(self, inner: Embedder, paid: PaidResults) -> None:
        self._inner = inner
        self._paid = paid

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
        keys = [result_key(text) for text in texts]
        found = self._paid.find(self.name, keys)
        known: dict[bytes, Vectors] = {key: np.frombuffer(value, dtype="<f4") for key, value in found.items()}
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            vectors = self._inner.embed_documents(list(missing.values()))
            fresh = dict(zip(missing, vectors, strict=True))
            usable = {key: vector for key, vector in fresh.items() if np.isfinite(vector).all() and vector.any()}
            self._paid.keep(self.name, {key: vector.astype("<f4").tobytes() for key, vector in usable.items()})
            known |= fresh
        return np.stack([known[key] for key in keys]) if keys else np.zeros((0, self.dimensions), np.float32)
