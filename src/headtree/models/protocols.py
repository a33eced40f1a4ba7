"""What a model must be able to do for each role; retrieval and synthesis know only these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from headtree.models.catalogue import Capabilities
from headtree.models.requests import ChatReply, ChatRequest

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


class ChatModel(Protocol):
    """Answers a request of text and images with text."""

    @property
    def name(self) -> str:
        """``provider/model``."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What may be asked of it; a request that asks for more is refused before it is sent."""
        ...

    def image_tokens(self, width: int, height: int) -> int:
        """Return the tokens that an image of this size in pixels costs."""
        ...

    def ask(self, request: ChatRequest, *, on_text: Callable[[str], None] | None = None) -> ChatReply:
        """Send one request and return the whole reply.

        Args:
            request: what is sent.
            on_text: is given the text so far, again and again while it is written; a retry starts over.

        Raises:
            ModelUnavailableError: the package or key is absent.
            ModelCallError: the service refused, failed or gave no usable reply; the message says which.
            Cancelled: the current run was stopped.
        """
        ...
