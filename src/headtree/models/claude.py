"""Claude, or any server that speaks the Messages API, through ``anthropic``; imported only when it is called.

The SDK validates no reply and takes a connection that was cut for the end of one; both are checked here.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from headtree.errors import ModelUnavailableError
from headtree.models.calling import Attempt
from headtree.models.catalogue import ModelCard
from headtree.models.chat import LazyClient
from headtree.models.failures import Failure, ServiceError
from headtree.models.requests import (
    Block,
    ChatReply,
    ChatRequest,
    ImageBlock,
    NativeCitation,
    ReplyPiece,
    SourceBlock,
)

KEY_VARIABLE = "ANTHROPIC_API_KEY"
_PATCH = 28
"""Pixels: an image is billed by patches of this size (documentation, vision)."""
_STREAMED_ERRORS: Mapping[str, int] = {
    "rate_limit_error": 429,
    "authentication_error": 401,
    "permission_error": 403,
    "billing_error": 402,
    "invalid_request_error": 400,
}
"""Status codes of errors that come in the middle of a stream, whose own status is 200."""


class ClaudeService:
    """A ``ChatService``."""

    def __init__(self, key: str, base_url: str | None) -> None:
        # Retries and the deadline are the caller's.
        self._client = LazyClient(lambda: _import_sdk().Anthropic(api_key=key, base_url=base_url, max_retries=0))

    def client(self) -> Any:
        """See ``ChatService``."""
        return self._client.get()

    def image_tokens(self, width: int, height: int) -> int:
        """Return the tokens of an image that is sent as it is."""
        return math.ceil(width / _PATCH) * math.ceil(height / _PATCH)

    def send(self, card: ModelCard, request: ChatRequest, attempt: Attempt) -> ChatReply:
        """See ``ChatService``."""
        arguments = {**_arguments(card, request), "timeout": attempt.seconds}
        messages = self.client().messages
        with _reported_failures(card.model):
            if attempt.tell is None:
                return _read(messages.create(**arguments))
            with messages.stream(**arguments) as stream:
                return _listen(stream, attempt, attempt.tell)


def _import_sdk() -> Any:
    try:
        import anthropic
    except ImportError as error:
        raise ModelUnavailableError("Claude needs its package: pip install 'headtree[claude]'") from error
    return anthropic


def _arguments(card: ModelCard, request: ChatRequest) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "model": card.model,
        "max_tokens": min(request.max_output_tokens, card.capabilities.output_tokens),
        "system": request.system,
        "messages": [{"role": "user", "content": _content(card, request)}],
    }
    output: dict[str, Any] = {"effort": request.effort.value} if card.capabilities.effort else {}
    if request.schema is not None:
        output["format"] = {"type": "json_schema", "schema": dict(request.schema)}
    if output:
        arguments["output_config"] = output
    return arguments


def _listen(stream: Any, attempt: Attempt, tell: Callable[[str], None]) -> ChatReply:
    """Tell the text so far, and return the whole reply."""
    text = ""
    for event in stream:
        if attempt.abandoned.is_set():
            break
        if event.type == "text":
            text += event.text
            tell(text)
    return _read(stream.get_final_message())


def _holds(block: Block) -> bool:
    """Whether a block holds anything: the service refuses empty text."""
    if isinstance(block, SourceBlock):
        return any(paragraph.strip() for paragraph in block.paragraphs)
    return isinstance(block, ImageBlock) or bool(block.text.strip())


def _content(card: ModelCard, request: ChatRequest) -> list[dict[str, Any]]:
    """Return the blocks that hold anything, the last one to be kept marked as such."""
    kept = [_block(block) for block in request.blocks[: request.kept_blocks] if _holds(block)]
    if kept and card.capabilities.told_to_keep:
        kept[-1]["cache_control"] = {"type": "ephemeral"}
    return kept + [_block(block) for block in request.blocks[request.kept_blocks :] if _holds(block)]


def _block(block: Block) -> dict[str, Any]:
    if isinstance(block, ImageBlock):
        data = base64.standard_b64encode(block.data).decode("ascii")
        return {"type": "image", "source": {"type": "base64", "media_type": block.media_type, "data": data}}
    if isinstance(block, SourceBlock):
        return {
            "type": "search_result",
            "source": block.label,
            "title": block.title,
            "content": [{"type": "text", "text": paragraph} for paragraph in block.paragraphs if paragraph.strip()],
            "citations": {"enabled": True},
        }
    return {"type": "text", "text": block.text}


def _read(message: Any) -> ChatReply:
    """Read a message, or say why it is no usable reply."""
    content = getattr(message, "content", None)
    reason = getattr(message, "stop_reason", None)
    if not isinstance(content, list):
        raise ServiceError(Failure.REFUSED, "what answered for Claude does not speak the Messages API")
    if reason == "refusal":
        details = getattr(message, "stop_details", None)
        category = getattr(details, "category", None) or "no reason given"
        raise ServiceError(Failure.BLOCKED, f"Claude refused to answer (safety: {category})")
    if reason is None:
        raise ServiceError(Failure.CONNECTION, "the connection to Claude broke off in the middle of a reply")
    if reason == "max_tokens":
        raise ServiceError(Failure.CUT, "Claude's reply was cut off (max_tokens)")
    if reason == "model_context_window_exceeded":
        raise ServiceError(Failure.REFUSED, "the request is too long for the model's context window")
    # Thinking comes as blocks of its own type; only text is the reply.
    pieces = tuple(ReplyPiece(block.text, _citations(block)) for block in content if block.type == "text")
    if not any(piece.text.strip() for piece in pieces):
        raise ServiceError(Failure.EMPTY, "Claude sent an empty reply")
    return _with_usage(pieces, message)


def _citations(block: Any) -> tuple[NativeCitation, ...]:
    return tuple(
        NativeCitation(
            source=citation.search_result_index,
            first=citation.start_block_index,
            last=citation.end_block_index - 1,
            quote=citation.cited_text or "",
        )
        for citation in getattr(block, "citations", None) or ()
        if citation.type == "search_result_location"
    )


def _with_usage(pieces: tuple[ReplyPiece, ...], message: Any) -> ChatReply:
    """Return the reply with its tokens; local servers leave out what they do not count."""
    usage = getattr(message, "usage", None)
    new, written, kept, output = (
        getattr(usage, name, None) or 0
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
    )
    return ChatReply(
        pieces=pieces,
        # What was kept and what is to be kept is counted apart from the rest.
        input_tokens=new + written + kept,
        output_tokens=output,
        cached_tokens=kept,
        cache_written_tokens=written,
    )


# ---------------------------------------------------------------------------------------------------- failures


@contextmanager
def _reported_failures(model: str) -> Iterator[None]:
    """Turn the SDK's errors into a ``ServiceError``."""
    import httpx2

    sdk = _import_sdk()
    try:
        yield
    except sdk.APITimeoutError as error:
        raise ServiceError(Failure.TIMEOUT, "Claude did not reply in time") from error
    except (sdk.APIConnectionError, httpx2.TransportError) as error:
        cause = error.__cause__ or error
        raise ServiceError(Failure.CONNECTION, f"no connection to Claude: {cause or type(cause).__name__}") from error
    except sdk.APIStatusError as error:
        raise _failure(error, model) from error


def _failure(error: Any, model: str) -> ServiceError:
    kind = str(getattr(error, "type", None) or "")
    code = int(error.status_code)
    if code == 200:
        code = _STREAMED_ERRORS.get(kind, 529)
    message = " ".join(str(_message(error)).split())[:200]
    if code in {401, 403}:
        return ServiceError(Failure.KEY, f"Claude refused the key; check {KEY_VARIABLE} ({message})")
    if code == 402:
        return ServiceError(Failure.QUOTA, f"the credit of the Claude key is used up ({message})")
    if code == 429:
        wait = _asked_wait(error)
        return ServiceError(Failure.RATE, f"Claude takes no more requests now ({message})", retry_after=wait)
    if code == 404:
        return ServiceError(Failure.REFUSED, f"Claude knows no model {model} ({message})")
    if code in {408, 504}:
        return ServiceError(Failure.TIMEOUT, f"Claude did not reply in time ({message})")
    if code == 409 or code >= 500:
        return ServiceError(Failure.OUTAGE, f"Claude is out of order: {code} ({message})")
    return ServiceError(Failure.REFUSED, f"Claude refused the request: {code} ({message})")


def _message(error: Any) -> str:
    body = error.body if isinstance(error.body, dict) else {}
    inner = body.get("error")
    return str(inner.get("message", "")) if isinstance(inner, dict) else str(error.message)


def _asked_wait(error: Any) -> float | None:
    headers = error.response.headers
    try:
        if "retry-after-ms" in headers:
            return float(headers["retry-after-ms"]) / 1000
        return float(headers["retry-after"])
    except (KeyError, ValueError):
        return None
