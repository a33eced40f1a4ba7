"""What a model must be able to do for each role; retrieval and synthesis know only these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (texts, dimensions); every row has length 1, so that an inner product is a cosine."""


class Embedder(Protocol):
    """Turns texts into unit vectors of one space."""

    @property
    def name(self) -> str:
        """Identifies the vector space: vectors of two embedders with one name may be compared."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed_documents(self, texts: Sequence[str]) -> Vectors:
        """Embed texts that are searched. A text's vector does not depend on the other texts."""
        ...

    def embed_query(self, text: str) -> Vectors:
        """Embed a question; shape (1, dimensions)."""
        ...
