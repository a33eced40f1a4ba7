"""Gemini through ``google-genai``; imported only when a model of it is called.

What the SDK does not do by itself is done here: a timeout (it has none), the wait that a 429 asks for (it ignores
it), the reasons why a reply has no text.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from headtree.errors import ModelUnavailableError
from headtree.models.calling import Attempt
from headtree.models.catalogue import ModelCard
from headtree.models.chat import LazyClient
from headtree.models.failures import Failure, ServiceError
from headtree.models.requests import ChatReply, ChatRequest, ImageBlock, ReplyPiece, SourceBlock

KEY_VARIABLE = "GEMINI_API_KEY"
_IMAGE_TOKENS = 1_120
"""Gemini 3 and later: any image at the default resolution (documentation, media resolution)."""
_BLOCKING = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY", "MODEL_ARMOR"}
)


class GeminiService:
    """A ``ChatService``; its embedding models use the same client."""

    def __init__(self, key: str, base_url: str | None) -> None:
        # Kept: without a reference the SDK's client would close itself.
        self._client = LazyClient(lambda: _make_client(key, base_url))

    def client(self) -> Any:
        """See ``ChatService``."""
        return self._client.get()

    def image_tokens(self, width: int, height: int) -> int:
        """Return the same for every size: the service scales images to its own resolution."""
        return _IMAGE_TOKENS

    def send(self, card: ModelCard, request: ChatRequest, attempt: Attempt) -> ChatReply:
        """See ``ChatService``."""
        arguments = {
            "model": card.model,
            "contents": _content(request),
            "config": _config(card, request, attempt.seconds),
        }
        models = self.client().models
        with reported_failures(card.model):
            if attempt.tell is None:
                return _read([models.generate_content(**arguments)])
            return _read(_listen(models.generate_content_stream(**arguments), attempt))


def _make_client(key: str, base_url: str | None) -> Any:
    genai = _import_sdk()
    options = genai.types.HttpOptions(base_url=base_url)
    # Said explicitly: an environment variable would otherwise turn it into a Vertex client.
    return genai.Client(api_key=key, vertexai=False, http_options=options)


def _import_sdk() -> Any:
    try:
        from google import genai
    except ImportError as error:
        raise ModelUnavailableError("Gemini needs its package: pip install 'headtree[gemini]'") from error
    return genai


def _config(card: ModelCard, request: ChatRequest, seconds: float) -> Any:
    types = _import_sdk().types
    config: dict[str, Any] = {
        "system_instruction": request.system,
        "max_output_tokens": min(request.max_output_tokens, card.capabilities.output_tokens),
        # One call of ours is to be one billed request; a longer reply is cut and said to be.
        "automatic_continuation": False,
        "http_options": types.HttpOptions(timeout=math.ceil(seconds * 1000)),
    }
    if request.schema is not None:
        config |= {"response_mime_type": "application/json", "response_json_schema": dict(request.schema)}
    if card.capabilities.effort:
        config["thinking_config"] = types.ThinkingConfig(thinking_level=request.effort.value.upper())
    return types.GenerateContentConfig(**config)


def _content(request: ChatRequest) -> Any:
    types = _import_sdk().types
    parts = []
    for block in request.blocks:
        if isinstance(block, ImageBlock):
            parts.append(types.Part.from_bytes(data=block.data, mime_type=block.media_type))
        elif isinstance(block, SourceBlock):
            raise AssertionError("refused by check_request")
        elif block.text.strip():
            parts.append(types.Part.from_text(text=block.text))
    return [types.Content(role="user", parts=parts)]


def _listen(stream: Iterator[Any], attempt: Attempt) -> Iterator[Any]:
    """Pass chunks on, and tell the text so far."""
    text = ""
    for chunk in stream:
        if attempt.abandoned.is_set():
            return
        if chunk.text and attempt.tell is not None:
            text += chunk.text
            attempt.tell(text)
        yield chunk


def _read(chunks: Any) -> ChatReply:
    """Join the chunks of one reply, or say why there is none."""
    text, reason, usage, block = "", None, None, None
    for chunk in chunks:
        text += chunk.text or ""
        usage = chunk.usage_metadata or usage
        block = (chunk.prompt_feedback.block_reason if chunk.prompt_feedback else None) or block
        for candidate in chunk.candidates or ():
            reason = candidate.finish_reason or reason
    finish = getattr(reason, "value", reason)
    if block is not None:
        name = getattr(block, "value", block)
        raise ServiceError(Failure.BLOCKED, f"Gemini's safety filter blocked the question ({name})")
    if finish in _BLOCKING:
        raise ServiceError(Failure.BLOCKED, f"Gemini's safety filter blocked the reply ({finish})")
    if finish is None:
        raise ServiceError(Failure.CONNECTION, "the connection to Gemini broke off in the middle of a reply")
    if finish != "STOP":
        raise ServiceError(Failure.CUT, f"Gemini's reply was cut off ({finish})")
    if not text.strip():
        raise ServiceError(Failure.EMPTY, "Gemini sent an empty reply")
    thoughts = (usage.thoughts_token_count or 0) if usage else 0
    return ChatReply(
        pieces=(ReplyPiece(text),),
        input_tokens=(usage.prompt_token_count or 0) if usage else 0,
        output_tokens=((usage.candidates_token_count or 0) if usage else 0) + thoughts,
        cached_tokens=(usage.cached_content_token_count or 0) if usage else 0,
    )


# ---------------------------------------------------------------------------------------------------- failures


@contextmanager
def reported_failures(model: str) -> Iterator[None]:
    """Turn the SDK's errors, and those of the HTTP client that it lets through, into a ``ServiceError``."""
    import httpx2
    from google.genai import errors

    try:
        yield
    except errors.APIError as error:
        raise _failure(error, model) from error
    except httpx2.TimeoutException as error:
        raise ServiceError(Failure.TIMEOUT, "Gemini did not reply in time") from error
    except httpx2.TransportError as error:
        raise ServiceError(Failure.CONNECTION, f"no connection to Gemini: {error or type(error).__name__}") from error
    except json.JSONDecodeError as error:
        raise ServiceError(Failure.OUTAGE, "what answered for Gemini did not send JSON") from error


def _failure(error: Any, model: str) -> ServiceError:
    code = int(error.code or 0)
    details = _details(error)
    message = " ".join(str(error.message or error.status or "").split())[:200]
    if code in {401, 403} or any(item.get("reason") == "API_KEY_INVALID" for item in details):
        return ServiceError(Failure.KEY, f"Gemini refused the key; check {KEY_VARIABLE} ({message})")
    if code == 429 and _is_used_up(details, message):
        return ServiceError(Failure.QUOTA, f"the quota of the Gemini key is used up ({message})")
    if code == 429:
        return ServiceError(
            Failure.RATE, f"Gemini takes no more requests now ({message})", retry_after=_asked_wait(error, details)
        )
    if code == 404:
        return ServiceError(Failure.REFUSED, f"Gemini knows no model {model} ({message})")
    if code == 408 or code == 504:
        return ServiceError(Failure.TIMEOUT, f"Gemini did not reply in time ({message})")
    if code >= 500:
        return ServiceError(Failure.OUTAGE, f"Gemini is out of order: {code} ({message})")
    return ServiceError(Failure.REFUSED, f"Gemini refused the request: {code} ({message})")


def _details(error: Any) -> list[Mapping[str, Any]]:
    body = error.details if isinstance(error.details, dict) else {}
    inner = body.get("error") if isinstance(body.get("error"), dict) else body
    return [item for item in (inner or {}).get("details") or () if isinstance(item, dict)]


def _is_used_up(details: list[Mapping[str, Any]], message: str) -> bool:
    """Whether a 429 will not pass within minutes: a limit per day, or of spending."""
    limits = [str(violation.get("quotaId", "")) for item in details for violation in item.get("violations") or ()]
    return any("PerDay" in limit for limit in limits) or bool(re.search(r"spend|prepa(?:y|id)|credit", message.lower()))


def _asked_wait(error: Any, details: list[Mapping[str, Any]]) -> float | None:
    """Return the wait in seconds that the header or the body asks for."""
    headers = getattr(error.response, "headers", None) or {}
    for value in (headers.get("retry-after"), *(item.get("retryDelay") for item in details)):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)s?\s*", str(value or ""))
        if match:
            return float(match.group(1))
    return None
