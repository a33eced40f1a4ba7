"""A chat model of a service: what all of them share. How a request is written and a reply is read is the provider's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, Protocol

from headtree.models.calling import Attempt, Caller
from headtree.models.catalogue import Capabilities, ModelCard
from headtree.models.envelopes import chat_envelope, check_request
from headtree.models.requests import ChatReply, ChatRequest


class LazyClient:
    """A vendor SDK's client, made at the first call and kept; safe to use from several threads."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._client: Any = None

    def get(self) -> Any:
        """Return the client; raises what making it raises."""
        with self._lock:
            if self._client is None:
                self._client = self._make()
            return self._client


class ChatService(Protocol):
    """One provider's way to send a chat request once."""

    def client(self) -> Any:
        """Return the SDK's client.

        Raises:
            ModelUnavailableError: the package is not installed.
        """
        ...

    def image_tokens(self, width: int, height: int) -> int:
        """Return the tokens that an image of this size in pixels costs."""
        ...

    def send(self, card: ModelCard, request: ChatRequest, attempt: Attempt) -> ChatReply:
        """Send a request once and read the whole reply.

        Raises:
            ServiceError: there is no usable reply; every error of the SDK becomes one.
        """
        ...


class ServiceChat:
    """A chat model of a provider; see ``ChatModel``."""

    def __init__(self, card: ModelCard, service: ChatService, caller: Caller) -> None:
        self._card = card
        self._service = service
        self._caller = caller

    @property
    def name(self) -> str:
        """``provider/model``."""
        return self._card.name

    @property
    def capabilities(self) -> Capabilities:
        """From the catalogue."""
        return self._card.capabilities

    def image_tokens(self, width: int, height: int) -> int:
        """See ``ChatModel.image_tokens``."""
        return self._service.image_tokens(width, height)

    def ask(self, request: ChatRequest, *, on_text: Callable[[str], None] | None = None) -> ChatReply:
        """See ``ChatModel.ask``."""
        self._service.client()  # importing the SDK takes seconds, which are not the request's
        envelope = chat_envelope(request, self._service.image_tokens)
        check_request(request, envelope, self.name, self.capabilities)

        def send(attempt: Attempt) -> ChatReply:
            return self._service.send(self._card, request, attempt)

        return self._caller.call(self._card, envelope, send, on_text=on_text)
