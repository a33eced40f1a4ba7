"""What a request looks like from outside: its blocks with sizes, for limits, prices and the record."""

from __future__ import annotations

from collections.abc import Callable

from headtree.models.calling import Envelope
from headtree.models.catalogue import Capabilities
from headtree.models.failures import Failure, ServiceError
from headtree.models.requests import Block, ChatRequest, ImageBlock, SourceBlock, TextBlock
from headtree.types import RequestBlock

_CHARACTERS_PER_TOKEN = 4
"""Rule of thumb of both providers for English text."""

ImageTokens = Callable[[int, int], int]
"""Width and height in pixels -> tokens that the provider bills."""


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a text is."""
    return -(-len(text) // _CHARACTERS_PER_TOKEN)


def chat_envelope(request: ChatRequest, image_tokens: ImageTokens) -> Envelope:
    """Describe a chat request, its rules first."""
    rules = _text_block("rules", "text", request.system)
    return Envelope(
        request.role, request.prompt, (rules, *(_describe(block, image_tokens) for block in request.blocks))
    )


def _describe(block: Block, image_tokens: ImageTokens) -> RequestBlock:
    match block:
        case TextBlock():
            return _text_block(block.label, "text", block.text)
        case SourceBlock():
            return _text_block(block.label, "source", "\n".join((block.title, *block.paragraphs)))
        case ImageBlock():
            return RequestBlock(
                label=block.label,
                kind="image",
                tokens=image_tokens(block.width, block.height),
                bytes=len(block.data),
                width=block.width,
                height=block.height,
                format=block.media_type,
            )


def _text_block(label: str, kind: str, text: str) -> RequestBlock:
    return RequestBlock(label, kind, estimate_tokens(text), len(text.encode("utf-8", "replace")))


def check_request(request: ChatRequest, envelope: Envelope, name: str, capabilities: Capabilities) -> None:
    """Refuse what a model cannot take, before it is paid for.

    Raises:
        ServiceError: the request asks for more than the model's capabilities.
    """
    images = sum(isinstance(block, ImageBlock) for block in request.blocks)
    sources = any(isinstance(block, SourceBlock) for block in request.blocks)
    complaint = ""
    if images > capabilities.images:
        complaint = f"takes at most {capabilities.images} images, not {images}"
    elif sources and not capabilities.native_citations:
        complaint = "does not cite sources by itself"
    elif sources and request.schema is not None:
        complaint = "cites sources or keeps to a schema, not both in one request"
    elif request.schema is not None and not capabilities.structured_output:
        complaint = "does not keep to a schema"
    elif envelope.tokens + min(request.max_output_tokens, capabilities.output_tokens) > capabilities.context_tokens:
        complaint = f"takes {capabilities.context_tokens} tokens; this would be about {envelope.tokens} and the reply"
    if complaint:
        raise ServiceError(Failure.REFUSED, f"{name} {complaint}")
