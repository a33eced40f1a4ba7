"""A server on loopback that speaks both services' wire formats, refuses what they refuse, and says what it is told.

A script is provider-neutral: ``Say``, ``Fail``, ``Raw``, ``Break``, ``Hang``. Where the queue is empty, ``answer`` is
asked; every request that came in is kept.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from PIL import Image

KEY = "stub-key"
MEDIA_TYPES = {"image/png": "PNG", "image/jpeg": "JPEG", "image/webp": "WEBP", "image/gif": "GIF"}


@dataclass
class Cite:
    """A piece of a reply with native citations: (source, first paragraph, last paragraph) each."""

    text: str
    sources: tuple[tuple[int, int, int], ...] = ()


@dataclass
class Say:
    """A reply; ``stop`` is done, cut, blocked, blocked-prompt or refused."""

    text: str | list[Cite] = ""
    stop: str = "done"
    tokens: tuple[int, int] = (100, 20)


@dataclass
class Fail:
    """An error status."""

    status: int
    message: str = "no"
    retry_after: float | None = None
    details: list[dict[str, Any]] = field(default_factory=list)
    kind: str = "api_error"


@dataclass
class Raw:
    """Any body."""

    body: str
    status: int = 200
    content_type: str = "application/json"


@dataclass
class Break:
    """A stream that ends in the middle: the connection is closed, or an error event comes."""

    text: str
    event: dict[str, Any] | None = None


@dataclass
class Hang:
    """Silence."""

    seconds: float


@dataclass
class Vectors:
    """Rows for an embedding request, whatever was asked for."""

    rows: list[list[Any]]


Script = Say | Fail | Raw | Break | Hang | Vectors


@dataclass
class Received:
    """One request as it came in."""

    provider: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float
    kept: tuple[int, int] = (0, 0)
    """Tokens of the input that Claude had kept, and that it keeps from now on."""

    @property
    def kind(self) -> str:
        """``embed``, or the role that the schema or the rules show."""
        if "batchEmbedContents" in self.path:
            return "embed"
        properties = set(self.schema.get("properties", {}))
        named = {"noise": "noise", "sections": "rerank", "verdicts": "vision", "answer": "synthesis"}
        named |= {"contexts": "context", "description": "description", "grade": "judge"}
        return next((role for key, role in named.items() if key in properties), "figures" if properties else "text")

    @property
    def schema(self) -> dict[str, Any]:
        if self.provider == "gemini":
            return self.body.get("generationConfig", {}).get("responseJsonSchema") or {}
        # A server without structured output is told the schema in words.
        in_words = self.body.get("system", "").partition("of this JSON schema:\n")[2]
        return self.body.get("output_config", {}).get("format", {}).get("schema") or json.loads(in_words or "{}")

    @property
    def blocks(self) -> list[dict[str, Any]]:
        if self.provider == "gemini":
            return self.body["contents"][0]["parts"]
        return self.body["messages"][0]["content"]

    @property
    def text(self) -> str:
        """All that a model would read, the rules first."""
        if self.provider == "gemini":
            parts = [*self.body.get("systemInstruction", {}).get("parts", ()), *self.blocks]
            return "\n".join(part.get("text", "") for part in parts)
        parts = [self.body.get("system", "")]
        for block in self.blocks:
            parts.append(block.get("text", ""))
            parts += [block.get("title", "")] + [piece["text"] for piece in block.get("content", ())]
        return "\n".join(parts)


class Stub:
    """The server and its script."""

    def __init__(self) -> None:
        self.script: deque[Script] = deque()
        self.received: list[Received] = []
        self.refused: list[str] = []
        self.errors: list[Exception] = []
        self.answer: Callable[[Received], Script] = lambda request: Say("{}")
        self._prefixes: set[str] = set()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def next_step(self, request: Received) -> Script:
        """Return what is said next; what goes wrong in a test's own answer fails the test, not only the request."""
        try:
            return self.script.popleft() if self.script else self.answer(request)
        except Exception as error:
            self.errors.append(error)
            return Fail(418, "the test's own answer failed")

    def keep(self, body: dict[str, Any]) -> tuple[int, int]:
        """Remember what a request to Claude wants kept; the real service keeps nothing that is very short."""
        blocks = body["messages"][0]["content"]
        marked = [number for number, block in enumerate(blocks) if "cache_control" in block]
        if not marked:
            return 0, 0
        prefix = json.dumps([body.get("system"), blocks[: marked[-1] + 1]])
        known = prefix in self._prefixes
        self._prefixes.add(prefix)
        return (len(prefix) // 4, 0) if known else (0, len(prefix) // 4)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def of_kind(self, kind: str) -> list[Received]:
        return [request for request in self.received if request.kind == kind]

    def _handler(stub) -> type[BaseHTTPRequestHandler]:  # noqa: N805
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                provider = "claude" if self.path.endswith("/v1/messages") else "gemini"
                headers = {name.lower(): value for name, value in self.headers.items()}
                request = Received(provider, self.path, headers, json.loads(raw), time.monotonic())
                if provider == "claude":
                    request.kept = stub.keep(request.body)
                stub.received.append(request)
                refusal = (refuse_claude if provider == "claude" else refuse_gemini)(request)
                if refusal is not None:
                    stub.refused.append(refusal.message)
                with suppress(BrokenPipeError, ConnectionResetError):
                    step = refusal or stub.next_step(request)
                    (send_claude if provider == "claude" else send_gemini)(self, request, step)

            def log_message(self, *arguments: object) -> None:
                pass

        return Handler


@contextmanager
def running_stub() -> Iterator[Stub]:
    stub = Stub()
    try:
        yield stub
    finally:
        stub.close()
    if stub.errors:
        raise stub.errors[0]


# ------------------------------------------------------------------------------------------ what services refuse


def refuse_gemini(request: Received) -> Fail | None:
    if request.headers.get("x-goog-api-key") != KEY:
        details = [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]
        return Fail(400, "API key not valid. Please pass a valid API key.", details=details, kind="INVALID_ARGUMENT")
    if "batchEmbedContents" in request.path:
        items = request.body["requests"]
        if len(items) > 100:
            return Fail(400, "at most 100 requests can be in one batch", kind="INVALID_ARGUMENT")
        return None
    for part in request.blocks:
        inline = part.get("inlineData")
        if inline is None and not part.get("text"):
            return Fail(400, "a part has no data", kind="INVALID_ARGUMENT")
        if inline and (complaint := _image_complaint(inline["mime_type"], inline["data"], gif=False)):
            return Fail(400, complaint, kind="INVALID_ARGUMENT")
    return None


def refuse_claude(request: Received) -> Fail | None:
    body = request.body
    if request.headers.get("authorization") != f"Bearer {KEY}":
        return Fail(401, "invalid bearer token", kind="authentication_error")
    if named := sorted({"temperature", "top_p", "top_k"} & set(body)):
        return _invalid(f"{named[0]}: Extra inputs are not permitted")
    if not isinstance(body.get("max_tokens"), int):
        return _invalid("max_tokens: Field required")
    if body["messages"][-1]["role"] != "user":
        return _invalid("prefill is not supported")
    blocks = request.blocks
    citing = any(block.get("citations", {}).get("enabled") for block in blocks)
    if citing and "format" in body.get("output_config", {}):
        return _invalid("citations cannot be used with output_config.format")
    texts = [block for block in blocks if block["type"] == "text"]
    texts += [piece for block in blocks if block["type"] == "search_result" for piece in block["content"]]
    if any(not piece["text"].strip() for piece in texts):
        return _invalid("text content blocks must be non-empty")
    if any(block["type"] == "search_result" and not block["content"] for block in blocks):
        return _invalid("search_result.content: must not be empty")
    return _refuse_images([block for block in blocks if block["type"] == "image"]) or _refuse_schema(request.schema)


def _refuse_images(blocks: list[dict[str, Any]]) -> Fail | None:
    sides = []
    for block in blocks:
        source = block["source"]
        if complaint := _image_complaint(source["media_type"], source["data"], gif=True):
            return _invalid(complaint)
        sides.append(max(Image.open(io.BytesIO(base64.b64decode(source["data"]))).size))
        if len(source["data"]) > 5_242_880:
            return _invalid("image exceeds 5 MB maximum")
    if any(side > 8000 for side in sides):
        return _invalid("image dimensions exceed max allowed size: 8000 pixels")
    if len(sides) > 20 and any(side > 2000 for side in sides):
        return _invalid("image dimensions exceed max allowed size for many-image requests: 2000 pixels")
    return None


def _image_complaint(media_type: str, data: str, *, gif: bool) -> str:
    if media_type not in MEDIA_TYPES or (media_type == "image/gif" and not gif):
        return f"unsupported media type {media_type}"
    # Gemini's package sends the URL-safe alphabet; the service takes both.
    found = Image.open(io.BytesIO(base64.b64decode(data.translate(str.maketrans("-_", "+/")))))
    if found.format != MEDIA_TYPES[media_type]:
        return f"the image was declared as {media_type} but is {found.format}"
    return "" if found.mode != "CMYK" else "could not process image"


def _refuse_schema(schema: dict[str, Any]) -> Fail | None:
    """Refuse what structured outputs do not take: open objects and size limits."""
    if schema.get("type") == "object" and schema.get("additionalProperties") is not False:
        return _invalid("additionalProperties must be false")
    if limits := {"minItems", "maxItems", "minimum", "maximum", "minLength", "maxLength"} & set(schema):
        return _invalid(f"{limits.pop()} is not supported")
    below = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return next((refusal for part in below if (refusal := _refuse_schema(part))), None)


def _invalid(message: str) -> Fail:
    return Fail(400, message, kind="invalid_request_error")


# --------------------------------------------------------------------------------------------------- wire formats


def send_gemini(handler: BaseHTTPRequestHandler, request: Received, step: Script) -> None:
    match step:
        case Hang():
            time.sleep(step.seconds)
        case Raw():
            _send(handler, step.status, step.body.encode(), step.content_type)
        case Fail():
            error = {"code": step.status, "message": step.message, "status": step.kind, "details": step.details}
            _send(handler, step.status, {"error": error}, retry_after=step.retry_after)
        case Vectors():
            _send_vectors(handler, step.rows)
        case Break():
            events = [_gemini_body(Say(step.text), finish=None)]
            _send_events(handler, [f"data: {json.dumps(e)}\r\n\r\n" for e in [*events, step.event] if e])
        case Say() if "batchEmbedContents" in request.path:
            _send_vectors(handler, [hashed_vector(item) for item in request.body["requests"]])
        case Say() if "streamGenerateContent" in request.path:
            text = str(step.text)
            pieces = [text[i : i + 40] for i in range(0, len(text), 40)] or [""]
            bodies = [_gemini_body(Say(piece), finish=None) for piece in pieces[:-1]]
            bodies.append(_gemini_body(Say(pieces[-1], step.stop, step.tokens)))
            _send_events(handler, [f"data: {json.dumps(body)}\r\n\r\n" for body in bodies])
        case Say():
            _send(handler, 200, _gemini_body(step))


def _gemini_body(say: Say, finish: str | None = "by stop") -> dict[str, Any]:
    usage = {"promptTokenCount": say.tokens[0], "candidatesTokenCount": say.tokens[1], "thoughtsTokenCount": 5}
    if say.stop == "blocked-prompt":
        return {"promptFeedback": {"blockReason": "SAFETY"}, "candidates": [], "usageMetadata": usage}
    reasons = {"done": "STOP", "cut": "MAX_TOKENS", "blocked": "SAFETY", "refused": "SAFETY"}
    candidate: dict[str, Any] = {"index": 0, "content": {"role": "model"}}
    if say.text and say.stop not in {"blocked", "refused"}:
        candidate["content"]["parts"] = [{"text": say.text}]
    if finish is not None:
        candidate["finishReason"] = reasons[say.stop]
    return {"candidates": [candidate], "usageMetadata": usage if finish else None, "modelVersion": "stub"}


def _send_vectors(handler: BaseHTTPRequestHandler, rows: list[list[Any]]) -> None:
    body = {"embeddings": [{"values": row} for row in rows]}
    _send(handler, 200, json.dumps(body).replace("NaN", '"NaN"').encode())


def hashed_vector(item: dict[str, Any]) -> list[float]:
    """Return a vector that texts with common words share, as long as was asked for and not of unit length."""
    row = [0.0] * item.get("outputDimensionality", 3072)
    for word in re.findall(r"\w{3,}", " ".join(part["text"] for part in item["content"]["parts"]).lower()):
        digest = hashlib.sha256(word.encode()).digest()
        row[int.from_bytes(digest[:4], "big") % len(row)] += 3.0 if digest[4] % 2 else -3.0
    return row if any(row) else [1.0] * len(row)


def send_claude(handler: BaseHTTPRequestHandler, request: Received, step: Script) -> None:
    streamed = bool(request.body.get("stream"))
    match step:
        case Hang():
            time.sleep(step.seconds)
        case Raw():
            _send(handler, step.status, step.body.encode(), step.content_type)
        case Fail():
            error = {"type": "error", "error": {"type": step.kind, "message": step.message}, "request_id": "r"}
            _send(handler, step.status, error, retry_after=step.retry_after)
        case Break():
            events = list(_claude_events(_claude_body(request, Say(step.text))))[:-3]
            _send_events(handler, [_sse(event) for event in [*events, step.event] if event])
        case Say() if streamed:
            _send_events(handler, [_sse(event) for event in _claude_events(_claude_body(request, step))])
        case Say():
            _send(handler, 200, _claude_body(request, step))


def _claude_body(request: Received, say: Say) -> dict[str, Any]:
    reasons = {"done": "end_turn", "cut": "max_tokens", "blocked": "refusal", "blocked-prompt": "refusal"}
    reasons["refused"] = "refusal"
    pieces = [Cite(say.text)] if isinstance(say.text, str) else say.text
    content: list[dict[str, Any]] = [{"type": "thinking", "thinking": "", "signature": "s"}]
    sources = [block for block in request.blocks if block["type"] == "search_result"]
    for piece in pieces:
        citations = [
            {
                "type": "search_result_location",
                "search_result_index": source,
                "source": sources[source]["source"],
                "title": sources[source]["title"],
                "start_block_index": first,
                "end_block_index": last + 1,
                "cited_text": "".join(part["text"] for part in sources[source]["content"][first : last + 1]),
            }
            for source, first, last in piece.sources
        ]
        if piece.text and reasons[say.stop] != "refusal":
            content.append({"type": "text", "text": piece.text, "citations": citations or None})
    details = {"type": "refusal", "category": "cyber"} if reasons[say.stop] == "refusal" else None
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": request.body["model"],
        "content": content,
        "stop_reason": reasons[say.stop],
        "stop_sequence": None,
        "stop_details": details,
        "usage": {
            "input_tokens": say.tokens[0],
            "cache_read_input_tokens": request.kept[0],
            "cache_creation_input_tokens": request.kept[1],
            "output_tokens": say.tokens[1] + 5,
        },
    }


def _claude_events(body: dict[str, Any]) -> Iterator[dict[str, Any]]:
    usage = {**body["usage"], "output_tokens": 1}
    yield {"type": "message_start", "message": {**body, "content": [], "stop_reason": None, "usage": usage}}
    for index, block in enumerate(body["content"]):
        empty = {**block, "text": "", "citations": []} if block["type"] == "text" else block
        yield {"type": "content_block_start", "index": index, "content_block": empty}
        text = block.get("text", "")
        for citation in block.get("citations") or ():
            yield _delta(index, {"type": "citations_delta", "citation": citation})
        for start in range(0, len(text), 40):
            yield _delta(index, {"type": "text_delta", "text": text[start : start + 40]})
        yield {"type": "content_block_stop", "index": index}
    delta = {"stop_reason": body["stop_reason"], "stop_sequence": None, "stop_details": body["stop_details"]}
    yield {"type": "message_delta", "delta": delta, "usage": body["usage"]}
    yield {"type": "message_stop"}


def _delta(index: int, delta: dict[str, Any]) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def _sse(event: dict[str, Any]) -> str:
    return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"


def _send(
    handler: BaseHTTPRequestHandler,
    status: int,
    body: dict[str, Any] | bytes,
    content_type: str = "application/json",
    retry_after: float | None = None,
) -> None:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    handler.send_header("content-type", content_type)
    handler.send_header("content-length", str(len(data)))
    if retry_after is not None:
        handler.send_header("retry-after", f"{retry_after:g}")
    handler.end_headers()
    handler.wfile.write(data)


def _send_events(handler: BaseHTTPRequestHandler, events: list[str]) -> None:
    handler.send_response(200)
    handler.send_header("content-type", "text/event-stream")
    handler.end_headers()
    for event in events:
        handler.wfile.write(event.encode())
        handler.wfile.flush()
