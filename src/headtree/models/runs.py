"""One piece of work that calls models, a question or a build: what it sent, what it cost, and how it is stopped."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from headtree.errors import Cancelled, ModelCallError
from headtree.types import ModelRequest, Usage


class Run:
    """The record of a run; every call of a model finds the current one by itself."""

    def __init__(self, stop: threading.Event | None = None) -> None:
        self._stop = stop or threading.Event()
        self._lock = threading.Lock()
        self._requests: list[ModelRequest] = []
        self._out_of_order: dict[str, str] = {}

    @property
    def requests(self) -> tuple[ModelRequest, ...]:
        """What was sent so far, in order."""
        with self._lock:
            return tuple(self._requests)

    @property
    def usage(self) -> Usage:
        """The sum over all requests."""
        requests = self.requests
        return Usage(
            calls=len(requests),
            input_tokens=sum(request.input_tokens for request in requests),
            output_tokens=sum(request.output_tokens for request in requests),
            cost_usd=round(math.fsum(request.cost_usd for request in requests), 6),
        )

    def record(self, request: ModelRequest) -> None:
        """Add a request that has ended."""
        with self._lock:
            self._requests.append(request)

    def give_up_on(self, provider: str, why: str) -> None:
        """Remember that a provider does not answer, so that later steps of this run do not wait for it again."""
        with self._lock:
            self._out_of_order[provider] = why

    def stop(self) -> None:
        """End the run: requests under way are abandoned, and none follows."""
        self._stop.set()

    def check(self, provider: str) -> None:
        """Raise where the run was stopped, or where the provider is known not to answer.

        Raises:
            Cancelled: the run was stopped.
            ModelCallError: an earlier call of this run found the provider out of order.
        """
        self.raise_if_stopped()
        with self._lock:
            why = self._out_of_order.get(provider)
        if why is not None:
            raise ModelCallError(why)

    def raise_if_stopped(self) -> None:
        """Raise ``Cancelled`` where the run was stopped."""
        if self._stop.is_set():
            raise Cancelled("stopped")

    def sleep(self, seconds: float) -> None:
        """Wait; raise ``Cancelled`` as soon as the run is stopped."""
        if self._stop.wait(max(seconds, 0.0)):
            raise Cancelled("stopped")


_current: ContextVar[Run | None] = ContextVar("headtree_run", default=None)


@contextmanager
def model_run(stop: threading.Event | None = None) -> Iterator[Run]:
    """Begin a run: all calls of models in this context are recorded in it and end when ``stop`` is set."""
    run = Run(stop)
    token = _current.set(run)
    try:
        yield run
    finally:
        _current.reset(token)


def current_run() -> Run:
    """Return the run that this context belongs to, or one that nobody keeps."""
    return _current.get() or Run()
