"""What the Adobe service says when it refuses, read from the wire and put in words that a person can act on.

The SDK loses most of it: an HTML error page becomes a JSON error, the gateway's 429 an ``AttributeError``, a wrong
secret a "client-side error", a 503 an exception with an empty message (all seen with pdfservices-sdk 4.3.0). The reply
itself is still held by the frames of the traceback, so it is read from there.
"""

from __future__ import annotations

import json
import re
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from headtree.errors import ExtractionError

NO_REPLY = 0
"""Status of a call that the service did not answer."""

DAMAGED_ARCHIVE = "DAMAGED_ARCHIVE"
"""Our own code: the archive came incomplete."""

GONE = "GONE"
"""Our own code: the service does not know the job or file any more; it keeps them for a day."""

_LOCAL = "or convert it with the local engine (--engine local)"

# Codes: Adobe's "PDF Extract API" and "PDF Services API" documentation, error codes and usage limits (autumn 2026).
_ADVICE: Mapping[str, str] = MappingProxyType(
    {
        "DISQUALIFIED_FILE_SIZE": f"the file is over Adobe's limit of 100 MB: split or compress it, {_LOCAL}",
        "DISQUALIFIED_PAGE_LIMIT": f"it has too many pages for Adobe (400, fewer with many tables): split it, {_LOCAL}",
        "DISQUALIFIED_SCAN_PAGE_LIMIT": f"it has too many scanned pages for Adobe (150): split it, {_LOCAL}",
        "DISQUALIFIED_XFA": "it is an XFA form, which Adobe does not extract: print it to a plain PDF first",
        "DISQUALIFIED_PERMISSIONS": "its permissions forbid copying: ask its owner for a version that allows it",
        "DISQUALIFIED_ENCRYPTION": "its permissions forbid copying: ask its owner for a version that allows it",
        "DISQUALIFIED_COMPLEX_FILE": f"its content is too complex for Adobe: split it, {_LOCAL}",
        "DISQUALIFIED_LANGUAGE": f"Adobe does not support its language: skip it, {_LOCAL}",
        "DISQUALIFIED": f"Adobe does not convert this kind of file: skip it, {_LOCAL}",
        "PROTECTED_PDF": "it is encrypted or needs a password: remove the protection and try again",
        "BAD_PDF_COMPLEX_TABLE": f"it has a table that is too complex for Adobe: split it, {_LOCAL}",
        "BAD_PDF_COMPLEX_INPUT": f"its content is too complex for Adobe: split it, {_LOCAL}",
        "BAD_PDF_LARGE_FILE": f"the file is over Adobe's limit of 100 MB: split or compress it, {_LOCAL}",
        "BAD_PDF_FILE_TYPE": "it is not a PDF file",
        "BAD_PDF": "it is damaged or empty: open it in a PDF viewer and save it again",
        "BAD_INPUT": "it is damaged or empty: open it in a PDF viewer and save it again",
        "INSUFFICIENT_QUOTA": "the free transactions are used up: wait for next month or use paid credentials",
        "TOO_MANY_REQUESTS": "too many calls in a minute: wait a minute and run it again",
        "429050": "too many calls in a minute: wait a minute and run it again",
        "429001": "the service's usage limit is reached: run it again later, or see the quota in Adobe's console",
        "429002": "this credential's usage limit is reached: run it again later, or see the quota in Adobe's console",
        "TIMEOUT": f"Adobe took too long over it: run it again later, split it, {_LOCAL}",
        "ERROR": f"Adobe failed without a reason: run it again later, {_LOCAL}",
        GONE: "the service does not know this job or file any more: run it again",
        DAMAGED_ARCHIVE: "the archive came incomplete: run it again, the extraction is already paid for",
    }
)
_FOR_EVERY_FILE = frozenset(
    {"NO_CREDENTIALS", "NO_SDK", "NO_CONNECTION", "UNKNOWN_REGION", "INSUFFICIENT_QUOTA"}
    | {"invalid_client", "invalid_token", "unauthorized_client", "401013", "403000"}
)
_BAD_KEY = "the credentials are not accepted: check PDF_SERVICES_CLIENT_ID and PDF_SERVICES_CLIENT_SECRET"
_LONGEST_MESSAGE = 200
"""Characters of the service's own message that are passed on."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why one call of the service did not succeed."""

    status: int
    """HTTP status, ``NO_REPLY`` where there was none; 200 where a job failed, or the reply was not understood."""
    code: str
    """Adobe's error code, or ``HTTP 503`` and the like where it gave none."""
    message: str
    """Adobe's own words or the network's, on one line."""
    at_sign_in: bool = False
    retry_after: str = ""
    """The reply's header, as it came."""

    @property
    def worth_repeating(self) -> bool:
        """Whether the same call may well succeed a little later."""
        if self.code == "INSUFFICIENT_QUOTA":
            return False
        passing = self.unanswered or self.status in (408, 429) or self.status >= 500
        return passing or self.code == DAMAGED_ARCHIVE

    @property
    def unanswered(self) -> bool:
        """Whether no reply came, so that what was asked may have been done all the same."""
        return self.status == NO_REPLY

    @property
    def session_expired(self) -> bool:
        """Whether signing in again may help."""
        return self.status == 401 and not self.at_sign_in


def read_refusal(error: BaseException) -> Refusal:
    """Find out what the service answered behind an exception that the SDK raised."""
    if isinstance(error, ExtractionError):
        return Refusal(200, error.code or "", str(error))
    if _is_network_failure(error):
        return Refusal(NO_REPLY, "NO_CONNECTION", _one_line(str(_root(error))))
    response = _reply_behind(error)
    if response is None:
        return Refusal(200, "UNEXPECTED", _one_line(f"{type(error).__name__}: {getattr(error, 'message', error)}"))
    code, message = _read_body(response.text)
    status = response.status_code
    return Refusal(
        status=status,
        code=GONE if status in (404, 410) else code or f"HTTP {status}",
        message=message,
        at_sign_in=response.url.endswith("/token"),
        retry_after=response.headers.get("retry-after", ""),
    )


def explain(refusal: Refusal, name: str) -> ExtractionError:
    """Return the error for a file: what happened, Adobe's code, and what to do."""
    speaker = "Reason" if refusal.unanswered else "Adobe says"
    said = f" {speaker}: {refusal.message}." if refusal.message else ""
    text = f"{name}: Adobe PDF Extract failed ({refusal.code}): {_advice(refusal)}.{said}"
    return ExtractionError(text, code=refusal.code)


def ends_the_run(error: ExtractionError) -> bool:
    """Whether every further PDF would fail in the same way: credentials, quota, network."""
    return error.code in _FOR_EVERY_FILE


def _advice(refusal: Refusal) -> str:
    if refusal.at_sign_in and refusal.status in (400, 401, 403):
        return _BAD_KEY
    code = refusal.code
    while code:  # BAD_PDF_DAMAGED is a kind of BAD_PDF, and new kinds appear
        if code in _ADVICE:
            return _ADVICE[code]
        code = code.rpartition("_")[0]
    return _advice_for_status(refusal.status)


def _advice_for_status(status: int) -> str:
    if status == NO_REPLY:
        return "the service did not answer: check the network and HTTPS_PROXY, then run it again"
    if status in (401, 403):
        return _BAD_KEY
    if status == 429:
        return _ADVICE["TOO_MANY_REQUESTS"]
    if status >= 500:
        return "the service has a fault of its own: run it again later"
    return f"the reply was not understood: run it again, {_LOCAL}"


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those that it hides, the first cause last."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _root(error: BaseException) -> BaseException:
    return list(_chain(error))[-1]


def _is_network_failure(error: BaseException) -> bool:
    """Whether a request never got its whole reply: refused, cut or timed out."""
    import requests

    return any(
        isinstance(link, requests.RequestException) and not isinstance(link, requests.exceptions.JSONDecodeError)
        for link in _chain(error)
    )


def _reply_behind(error: BaseException) -> Any:
    """Return the HTTP reply that the innermost frame still holds, or ``None``."""
    import requests

    found = None
    for link in _chain(error):
        for frame, _ in traceback.walk_tb(link.__traceback__):
            for value in frame.f_locals.values():
                if isinstance(value, requests.Response):
                    found = value
    return found


def _read_body(body: str) -> tuple[str, str]:
    """Return code and message of an error body: JSON in Adobe's three shapes, the storage's XML, or a web page."""
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        code = re.search(r"<Code>\s*([\w.]+)\s*</Code>", body)
        message = re.search(r"<(?:Message|title)>([^<]*)</", body)
        return (code[1] if code else "", _one_line(message[1] if message else ""))
    if not isinstance(content, dict):
        return "", ""
    error = content.get("error")
    if isinstance(error, dict):
        return str(error.get("code") or ""), _one_line(str(error.get("message") or ""))
    code_text = str(content.get("error_code") or error or "")
    return code_text, _one_line(str(content.get("message") or content.get("error_description") or ""))


def _one_line(text: str) -> str:
    """Printable words on one line: what a service says may hold anything."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text).split()).rstrip(".")
    return words if len(words) <= _LONGEST_MESSAGE else words[: _LONGEST_MESSAGE - 1] + "…"
