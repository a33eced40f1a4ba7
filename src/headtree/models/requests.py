"""What is sent to a chat model and what comes back, in words of our own; each client translates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Schema = Mapping[str, Any]
"""A JSON schema: closed objects, all properties required, no size limits; the form that all services take."""


class Effort(StrEnum):
    """How long a model may think before it writes."""

    LOW = "low"
    MEDIUM = "medium"


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Plain text."""

    label: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """A text that a model with native citations may cite; each paragraph is the smallest unit of a citation."""

    label: str
    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ImageBlock:
    """An image; a ``TextBlock`` before it says what it is."""

    label: str
    data: bytes
    media_type: str
    width: int
    height: int


Block = TextBlock | SourceBlock | ImageBlock


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request: rules, then blocks in order."""

    role: str
    """What it is for; part of the record."""
    prompt: str
    """Name and version of the prompt."""
    system: str
    blocks: tuple[Block, ...]
    max_output_tokens: int
    """Thinking included."""
    schema: Schema | None = None
    """The form of the reply; ``None`` for text."""
    kept_blocks: int = 0
    """How many of the first blocks the next request will have too; a service that wants to be told keeps them."""
    effort: Effort = Effort.LOW


@dataclass(frozen=True, slots=True)
class NativeCitation:
    """What a model with native citations says about a piece of its text."""

    source: int
    """Position among the request's source blocks, from 0."""
    first: int
    """Position of the first cited paragraph, from 0."""
    last: int
    """Position of the last one."""
    quote: str
    """What the service says that it cites."""


@dataclass(frozen=True, slots=True)
class ReplyPiece:
    """A run of reply text and its citations."""

    text: str
    citations: tuple[NativeCitation, ...] = ()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A whole reply."""

    pieces: tuple[ReplyPiece, ...]
    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    """How many of the input the service had kept from an earlier request."""
    cache_written_tokens: int = 0
    """How many of the input it was told to keep for the next one, and bills for that."""

    @property
    def text(self) -> str:
        """All of the reply's text."""
        return "".join(piece.text for piece in self.pieces)
