"""How every model is called: limits, deadline, retry, cancellation, and a record of what was sent and what it cost.

A client of a provider sends one request once; all else is here, once for all of them.
"""

from __future__ import annotations

import queue
import random
import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeVar

from headtree.models.catalogue import ModelCard
from headtree.models.failures import LASTING, PASSING, Failure, ServiceError
from headtree.models.runs import Run, current_run
from headtree.types import ModelRequest, RequestBlock

_POLL_SECONDS = 0.1
"""How soon a stop is noticed while a service is silent."""
_LONGEST_WAIT = 20.0
"""Seconds between two attempts where the service asks for none."""
_WINDOW = 60.0
"""Seconds over which the limits count."""


@dataclass(frozen=True, slots=True)
class CallPolicy:
    """How patient and how fast calls to one provider are."""

    seconds: float = 120.0
    """For one request with all its attempts."""
    attempts: int = 4
    """The first included."""
    first_wait: float = 1.0
    """Seconds before the second attempt; doubles, and is shortened by up to a half at random."""
    requests_per_minute: int = 3_000
    tokens_per_minute: int = 2_000_000
    """Of input, estimated."""
    concurrency: int = 4


@dataclass(frozen=True, slots=True)
class Envelope:
    """What is known about a request before it is sent."""

    role: str
    prompt: str
    blocks: tuple[RequestBlock, ...]
    items: int = 1
    """How many requests the service counts it for; an embedding service counts every text."""

    @property
    def tokens(self) -> int:
        """Estimated size of the input."""
        return sum(block.tokens for block in self.blocks)


class Metered(Protocol):
    """A reply that says what it used."""

    @property
    def input_tokens(self) -> int:
        """Tokens of input that are billed."""
        ...

    @property
    def output_tokens(self) -> int:
        """Tokens of output that are billed."""
        ...

    @property
    def cached_tokens(self) -> int:
        """Tokens of the input that the service had kept."""
        ...

    @property
    def cache_written_tokens(self) -> int:
        """Tokens of the input that the service keeps from now on, at a price."""
        ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """What a client needs to send a request once."""

    seconds: float
    """Until it must have ended."""
    tell: Callable[[str], None] | None
    """Is given the text so far; ``None`` where nobody listens and the reply need not be streamed."""
    abandoned: threading.Event
    """Set when nobody waits for the reply any more."""


Reply = TypeVar("Reply", bound=Metered)


class Caller:
    """Calls one provider; shared by all roles, so that its limits hold for them together."""

    def __init__(self, provider: str, policy: CallPolicy) -> None:
        self._provider = provider
        self._policy = policy
        self._limiter = RateLimiter(policy)

    def call(
        self,
        card: ModelCard,
        envelope: Envelope,
        send: Callable[[Attempt], Reply],
        *,
        on_text: Callable[[str], None] | None = None,
    ) -> Reply:
        """Send a request until it succeeds, fails for good or runs out of time, and record it in the current run.

        Raises:
            ServiceError: it failed.
            Cancelled: the run was stopped.
        """
        run = current_run()
        run.check(self._provider)
        started = time.monotonic()
        deadline = None
        for attempt in range(1, self._policy.attempts + 1):
            try:
                with self._limiter.slot(envelope, run):
                    # Our own limits may hold a request back for a minute; its time begins when it is sent.
                    deadline = deadline or time.monotonic() + self._policy.seconds
                    reply = _wait_for(send, deadline, run, on_text)
            except ServiceError as failure:
                if self._wait_to_retry(failure, attempt, deadline, run):
                    continue
                if failure.kind in LASTING:
                    run.give_up_on(self._provider, str(failure))
                run.record(_entry(card, envelope, None, started, attempt, str(failure)))
                raise
            run.record(_entry(card, envelope, reply, started, attempt, "done"))
            return reply
        raise AssertionError("the last attempt returns or raises")

    def _wait_to_retry(self, failure: ServiceError, attempt: int, deadline: float | None, run: Run) -> bool:
        """Wait as long as the service asks, or twice as long as last time; return whether to try again."""
        if deadline is None or failure.kind not in PASSING or attempt == self._policy.attempts:
            return False
        # Jitter, so that many clients that failed together do not come back together.
        own = min(self._policy.first_wait * 2 ** (attempt - 1), _LONGEST_WAIT) * random.uniform(0.5, 1.0)
        wait = max(own, failure.retry_after or 0.0)
        if time.monotonic() + wait >= deadline:
            return False
        run.sleep(wait)
        return True


def _wait_for(
    send: Callable[[Attempt], Reply], deadline: float, run: Run, on_text: Callable[[str], None] | None
) -> Reply:
    """Send in a thread of its own, so that a silent service can neither outlast the deadline nor a stop."""
    events: queue.SimpleQueue[str | BaseException | tuple[Reply]] = queue.SimpleQueue()
    abandoned = threading.Event()
    seconds = max(deadline - time.monotonic(), 0.1)
    attempt = Attempt(seconds, events.put if on_text else None, abandoned)

    def work() -> None:
        try:
            events.put((send(attempt),))
        except BaseException as error:  # handed over to the caller, whatever it is
            events.put(error)

    threading.Thread(target=work, name="headtree-model-call", daemon=True).start()
    try:
        while True:
            run.raise_if_stopped()
            try:
                event = events.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                if time.monotonic() > deadline + _POLL_SECONDS:
                    raise ServiceError(Failure.TIMEOUT, f"no complete reply within {seconds:.0f} s") from None
                continue
            if isinstance(event, tuple):
                return event[0]
            if isinstance(event, BaseException):
                raise event
            if on_text is not None:
                on_text(event)
    finally:
        abandoned.set()


def _entry(
    card: ModelCard, envelope: Envelope, reply: Metered | None, started: float, attempts: int, outcome: str
) -> ModelRequest:
    input_tokens = reply.input_tokens if reply else 0
    output_tokens = reply.output_tokens if reply else 0
    cached = reply.cached_tokens if reply else 0
    written = reply.cache_written_tokens if reply else 0
    cost = card.cost(input_tokens, output_tokens, cached_tokens=cached, cache_written_tokens=written)
    return ModelRequest(
        model=card.name,
        role=envelope.role,
        prompt=envelope.prompt,
        blocks=envelope.blocks,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_tokens=cached,
        cost_usd=round(cost, 8),
        seconds=round(time.monotonic() - started, 3),
        attempts=attempts,
        outcome=outcome,
        cache_written_tokens=written,
    )


class RateLimiter:
    """Keeps requests and tokens of the last minute, and requests at the same time, below limits."""

    def __init__(self, policy: CallPolicy, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._policy = policy
        self._clock = clock
        self._places = threading.Semaphore(policy.concurrency)
        self._lock = threading.Lock()
        self._sent: deque[tuple[float, int, int]] = deque()

    def slot(self, envelope: Envelope, run: Run) -> _Slot:
        """Wait for a place; raise ``Cancelled`` where the run is stopped meanwhile."""
        while not self._places.acquire(timeout=_POLL_SECONDS):
            run.raise_if_stopped()
        try:
            while (wait := self.reserve(envelope.items, envelope.tokens)) > 0:
                run.sleep(wait)
        except BaseException:
            self._places.release()
            raise
        return _Slot(self._places)

    def reserve(self, items: int, tokens: int) -> float:
        """Count a request and return 0, or return the seconds after which to ask again."""
        with self._lock:
            now = self._clock()
            while self._sent and self._sent[0][0] <= now - _WINDOW:
                self._sent.popleft()
            requests = sum(entry[1] for entry in self._sent)
            spent = sum(entry[2] for entry in self._sent)
            fits = (
                requests + items <= self._policy.requests_per_minute
                and spent + tokens <= self._policy.tokens_per_minute
            )
            # A request over the limit by itself is sent alone: waiting longer would not make it smaller.
            if fits or not self._sent:
                self._sent.append((now, items, tokens))
                return 0.0
            return self._sent[0][0] + _WINDOW - now + 0.001


class _Slot:
    """A place among the requests at the same time; given back at the end of ``with``."""

    def __init__(self, places: threading.Semaphore) -> None:
        self._places = places

    def __enter__(self) -> None:
        return None

    def __exit__(self, *error: object) -> None:
        self._places.release()
