"""Documents of an index that are kept in memory: those that were read last, up to a limit of text."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

MOST_CHARACTERS = 20_000_000
"""About 600 papers or 20 annual reports: with their trees some 130 MB, up to 300 MB once all of their sections were
ranked (measured: 4-6 bytes a character when loaded, 12-16 with the stems of every section; papers 26)."""


class Sized(Protocol):
    """What is kept."""

    @property
    def characters(self) -> int:
        """The length of its text."""
        ...


Kept = TypeVar("Kept", bound=Sized)


class DocumentCache(Generic[Kept]):
    """Least recently used out first; safe to use from several threads."""

    def __init__(self, most_characters: int = MOST_CHARACTERS) -> None:
        self._most = most_characters
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, Kept] = OrderedDict()
        self._characters = 0

    def get(self, doc_id: str, load: Callable[[str], Kept]) -> Kept:
        """Return a document, from memory or by ``load``; the last one read is kept whatever its length."""
        with self._lock:
            if doc_id in self._kept:
                self._kept.move_to_end(doc_id)
                return self._kept[doc_id]
        loaded = load(doc_id)
        with self._lock:
            if doc_id not in self._kept:  # another thread may have loaded it meanwhile
                self._kept[doc_id] = loaded
                self._characters += loaded.characters
                self._drop_oldest()
            return self._kept[doc_id]

    def _drop_oldest(self) -> None:
        while self._characters > self._most and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._characters -= dropped.characters
