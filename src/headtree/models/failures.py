"""The ways in which a service fails, each with what is done about it."""

from __future__ import annotations

from enum import StrEnum

from headtree.errors import ModelCallError


class Failure(StrEnum):
    """Why a call gave no usable reply; the values stand in messages."""

    RATE = "too many requests"
    OUTAGE = "the service is out of order"
    CONNECTION = "no connection"
    TIMEOUT = "no reply in time"
    CUT = "the reply was cut off"
    EMPTY = "the reply was empty"
    BLOCKED = "the reply was blocked"
    KEY = "the key was refused"
    QUOTA = "the quota is used up"
    REFUSED = "the request was refused"


PASSING = frozenset({Failure.RATE, Failure.OUTAGE, Failure.CONNECTION, Failure.TIMEOUT})
"""Worth another attempt of the same request."""

LASTING = PASSING | {Failure.KEY, Failure.QUOTA}
"""After the last attempt: the provider will not answer the next request of the run either."""


class ServiceError(ModelCallError):
    """A call failed; ``retry_after`` is the wait in seconds that the service asked for."""

    def __init__(self, kind: Failure, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.retry_after = retry_after
