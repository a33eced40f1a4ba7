"""Calls the Adobe PDF Extract service: one PDF in, the bytes of its result archive out.

The SDK polls without a deadline, never repeats a call, and signs in without a timeout. So every call of it runs in a
thread of its own with a limit, failed calls are repeated where that can help, and polling is done here.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from headtree.errors import ExtractionError
from headtree.extraction import adobe_sdk as sdk
from headtree.extraction.adobe_failures import GONE, NO_REPLY, Refusal, explain, read_refusal
from headtree.extraction.adobe_sdk import AdobeAccess

Result = TypeVar("Result")
Progress = Callable[[str], None]
"""Is told in a few words what happens now."""

MAX_PDF_BYTES = 100 * 1024 * 1024
"""Adobe's limit for one file (usage limits of the PDF Services API)."""


class JobState(StrEnum):
    """How a job has ended."""

    DONE = "done"
    FAILED = "failed"
    GONE = "gone"
    """The service does not know it any more."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait and how often to try; all times in seconds."""

    job: float = 1200.0
    """For each of upload, work and download of one PDF, however busy the service is."""
    call: float = 180.0
    """For one call: enough to send 100 MB over 5 Mbit/s."""
    attempts: int = 5
    """Of one call, the first included."""
    first_pause: float = 2.0
    longest_pause: float = 60.0
    poll: float = 3.0
    """Least time between two looks at a job: the free tier allows 25 requests a minute, and a look is a request."""


class AdobeService:
    """The service under one credential; may be used for one PDF after the other."""

    def __init__(self, access: AdobeAccess, *, patience: Patience | None = None) -> None:
        self._access = access
        self._patience = patience or Patience()
        self._session = self._sign_in()

    def submit(self, pdf: bytes, *, name: str, progress: Progress) -> str:
        """Upload a PDF and start its extraction, which is what Adobe charges for; return the job's address.

        Raises:
            ExtractionError: the service refuses; ``code`` is Adobe's.
        """
        run = self._run(name)
        progress("uploading to Adobe")
        asset = self._call(partial(sdk.upload, pdf), run)
        # Where no reply came, the job may run all the same: to repeat would pay twice.
        location = self._call(partial(sdk.submit, asset), run, repeat_unanswered=False)
        if not isinstance(location, str) or not location:
            raise explain(Refusal(200, "NO_JOB", "a job without an address"), name)
        return location

    def wait(self, location: str, *, name: str, progress: Progress) -> JobState:
        """Wait until a job has ended.

        Raises:
            ExtractionError: it does not end in time (code ``DEADLINE``), or the service cannot be asked.
        """
        run = self._run(name)
        started = time.monotonic()
        while True:
            try:
                status, pause = self._call(partial(sdk.look, location), run)
            except ExtractionError as error:
                if error.code == GONE:
                    return JobState.GONE
                raise
            if status in (JobState.DONE, JobState.FAILED):
                return JobState(status)
            if status != "in progress":
                raise explain(Refusal(200, "UNKNOWN_STATUS", f"job status {status!r}"), name)
            pause = max(self._patience.poll, min(pause, self._patience.longest_pause))
            if time.monotonic() + pause > run.deadline:
                raise _too_late(run, self._patience)
            progress(f"Adobe is working, {time.monotonic() - started:.0f} s")
            time.sleep(pause)

    def download(self, location: str, *, name: str, progress: Progress) -> bytes:
        """Return the archive of a job that is done, checked to be a whole ZIP.

        Raises:
            ExtractionError: the job has failed, ``code`` is Adobe's reason; or the archive cannot be had.
        """
        progress("downloading the result")
        return self._call(partial(sdk.download, location), self._run(name))

    def owns(self, location: str) -> bool:
        """Whether an address lies at this service: the access token is sent there."""
        host = urlsplit(location).hostname or ""
        ours = urlsplit(self._access.service_url or "").hostname
        return host == ours if ours else host.endswith(".adobe.io") and location.startswith("https://")

    def _sign_in(self) -> Any:
        return sdk.sign_in(self._access, call_seconds=self._patience.call)

    def _run(self, name: str) -> _Run:
        return _Run(name, time.monotonic() + self._patience.job)

    def _call(self, work: Callable[[Any], Result], run: _Run, *, repeat_unanswered: bool = True) -> Result:
        """Call the SDK until it succeeds, its refusal is final, or there is no time left."""
        renewed = False
        for attempt in range(1, self._patience.attempts + 1):
            limit = min(self._patience.call, run.deadline - time.monotonic())
            if limit <= 0:
                break
            outcome = _within(limit, partial(work, self._session))
            if not isinstance(outcome, Refusal):
                return outcome
            if outcome.session_expired and not renewed:
                self._session, renewed = self._sign_in(), True
                continue
            if outcome.unanswered and repeat_unanswered and time.monotonic() >= run.deadline:
                break
            final = not outcome.worth_repeating or (outcome.unanswered and not repeat_unanswered)
            if final or attempt == self._patience.attempts:
                raise explain(outcome, run.name)
            if outcome.unanswered:  # the call that hangs may hold the session's lock
                self._session = self._sign_in()
            self._pause(attempt, outcome, run)
        raise _too_late(run, self._patience)

    def _pause(self, attempt: int, refusal: Refusal, run: _Run) -> None:
        """Wait before a call is repeated: as long as the service asks, else twice as long each time, with jitter."""
        pause = self._patience.first_pause * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
        pause = min(max(pause, sdk.seconds_to_wait(refusal.retry_after)), self._patience.longest_pause)
        if time.monotonic() + pause > run.deadline:
            raise explain(refusal, run.name)
        time.sleep(pause)


@dataclass(frozen=True, slots=True)
class _Run:
    """One PDF on its way: its name for messages, and when to give up on the clock of ``time.monotonic``."""

    name: str
    deadline: float


def _within(seconds: float, work: Callable[[], Result]) -> Result | Refusal:
    """Do something in a thread of its own; what it raises, or that it does not end in time, is a refusal."""
    outcome: list[Result | Refusal] = []

    def run() -> None:
        try:
            outcome.append(work())
        except Exception as error:  # the SDK raises what it likes; all of it becomes one error with a reason
            outcome.append(read_refusal(error))

    worker = threading.Thread(target=run, name="adobe-call", daemon=True)
    worker.start()
    worker.join(seconds)
    return outcome[0] if outcome else Refusal(NO_REPLY, "NO_REPLY_IN_TIME", f"no reply within {seconds:.0f} s")


def _too_late(run: _Run, patience: Patience) -> ExtractionError:
    return ExtractionError(
        f"{run.name}: Adobe did not finish within {patience.job:.0f} s: run it again, a job that was started is "
        "taken up where it is",
        code="DEADLINE",
    )
