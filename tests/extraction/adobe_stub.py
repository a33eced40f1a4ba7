"""A stand-in for the Adobe PDF Services API on loopback: it speaks their shapes and refuses what they refuse.

It is no mock of our code: the real SDK talks to it over HTTP. What it does beside the normal course is scripted in
`faults`: a list of replies per step, used up one a request, the normal reply after that.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

CLIENT_ID, CLIENT_SECRET = "the-id", "the-secret"
EXPECTED_JOB = {
    "elementsToExtract": ["text", "tables"],
    "renditionsToExtract": ["figures", "tables"],
    "tableOutputFormat": "csv",
}


@dataclass
class Reply:
    """One HTTP reply; `cut` closes the connection after that many bytes of the body."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int | None = None
    delay: float = 0.0


def json_reply(status: int, content: object, **headers: str) -> Reply:
    return Reply(status, json.dumps(content).encode(), {k.replace("_", "-"): v for k, v in headers.items()})


def html_reply(status: int) -> Reply:
    page = b"<html><head><title>Service down</title></head><body>no luck</body></html>"
    return Reply(status, page, {"content-type": "text/html"})


@dataclass
class AdobeStub:
    """The service's state, and what it was asked."""

    archive: bytes = b""
    polls_before_done: int = 1
    failure: dict[str, object] | None = None
    faults: dict[str, list[Reply]] = field(default_factory=dict)
    requests: list[tuple[str, str]] = field(default_factory=list)
    """Step and path, in order."""
    tokens: int = 0
    valid_token: str = ""
    uploads: list[bytes] = field(default_factory=list)
    jobs: int = 0
    poll_times: list[float] = field(default_factory=list)
    url: str = ""

    def count(self, step: str) -> int:
        return sum(1 for name, _ in self.requests if name == step)

    def reply(self, step: str, path: str, headers: dict[str, str], body: bytes) -> Reply:
        """Answer one request: a scripted fault, a refusal, or the normal reply."""
        self.requests.append((step, path))
        if self.faults.get(step):
            return self.faults[step].pop(0)
        if step in {"assets", "submit", "status"}:
            if headers.get("authorization") != f"Bearer {self.valid_token}" or not self.valid_token:
                return json_reply(401, {"error_code": "401013", "message": "Oauth token is not valid"})
            if headers.get("x-api-key") != CLIENT_ID:
                return json_reply(403, {"error_code": "403000", "message": "Api Key is invalid"})
        return getattr(self, f"_{step}")(path, body)

    def _token(self, path: str, body: bytes) -> Reply:
        form = parse_qs(body.decode())
        if form.get("client_id") != [CLIENT_ID] or form.get("client_secret") != [CLIENT_SECRET]:
            return json_reply(400, {"error": "invalid_client"})
        self.tokens += 1
        self.valid_token = f"AT{self.tokens}"
        return json_reply(200, {"access_token": self.valid_token, "token_type": "bearer", "expires_in": 86399})

    def _assets(self, path: str, body: bytes) -> Reply:
        if json.loads(body) != {"mediaType": "application/pdf"}:
            return json_reply(400, {"error": {"code": "BAD_INPUT_PARAMS", "message": "media type"}})
        return json_reply(200, {"assetID": "urn:in", "uploadUri": f"{self.url}/put/1"})

    def _put(self, path: str, body: bytes) -> Reply:
        self.uploads.append(body)
        return Reply(200)

    def _submit(self, path: str, body: bytes) -> Reply:
        job = json.loads(body)
        if job.get("assetID") != "urn:in" or any(job.get(key) != value for key, value in EXPECTED_JOB.items()):
            return json_reply(400, {"error": {"code": "BAD_INPUT_PARAMS", "message": f"not this: {job}"}})
        self.jobs += 1
        return Reply(201, b"", {"location": f"{self.url}/operation/extractpdf/JOB{self.jobs}/status"})

    def _status(self, path: str, body: bytes) -> Reply:
        self.poll_times.append(time.monotonic())
        if f"JOB{self.jobs}/" not in path:
            return json_reply(404, {"error": {"code": "NOT_FOUND", "message": "no such job"}})
        if len(self.poll_times) <= self.polls_before_done:
            return json_reply(200, {"status": "in progress"}, retry_after="0")
        if self.failure is not None:
            return json_reply(200, {"status": "failed", "error": self.failure})
        content = {"assetID": "urn:c", "downloadUri": f"{self.url}/get/content", "metadata": {}}
        resource = {"assetID": "urn:r", "downloadUri": f"{self.url}/get/resource", "metadata": {}}
        return json_reply(200, {"status": "done", "content": content, "resource": resource})

    def _content(self, path: str, body: bytes) -> Reply:
        return json_reply(200, {})

    def _resource(self, path: str, body: bytes) -> Reply:
        return Reply(200, self.archive, {"content-type": "application/zip"})


_STEPS = {
    ("POST", "/token"): "token",
    ("POST", "/assets"): "assets",
    ("PUT", "/put/1"): "put",
    ("POST", "/operation/extractpdf"): "submit",
    ("GET", "/get/content"): "content",
    ("GET", "/get/resource"): "resource",
}


@contextmanager
def running(stub: AdobeStub) -> Iterator[AdobeStub]:
    """Serve on a free port of loopback as long as the context lasts."""

    class Handler(BaseHTTPRequestHandler):
        wbufsize = -1  # one packet a reply: two of them wait for each other 40 ms

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            step = _STEPS.get((self.command, self.path), "status")
            reply = stub.reply(step, self.path, {k.lower(): v for k, v in self.headers.items()}, body)
            time.sleep(reply.delay)
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body if reply.cut is None else reply.body[: reply.cut])

        do_GET = do_POST = do_PUT = _answer  # noqa: N815 (the names are those of http.server)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    stub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
