"""Conversations on disk: one JSON file per chat, written whole or not at all.

A chat is known by a random id of 128 bits that stands in the page's address: who has the address can read the chat.
The list of chats that a browser sees is by its own random id, which it keeps itself.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import tempfile
import threading
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

import orjson
from pydantic import TypeAdapter, ValidationError

from headtree.chat.trace import Trace
from headtree.models.registry import AUTO
from headtree.settings import MAX_IMAGE_SIDE, Settings
from headtree.types import Answer

VERSION = 1
_ID = re.compile(r"[0-9a-f]{32}")
_READ_CHATS = 32
"""Chats that are kept as they were read: a long one takes a tenth of the time of drawing it."""


class TurnState(StrEnum):
    """How a question ended, or that it has not."""

    ANSWERING = "answering"
    ANSWERED = "answered"
    STOPPED = "stopped"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class AnswerOptions:
    """What a question was asked with; stored with its answer."""

    sections: int
    """k: how many sections are read."""
    max_figures: int
    documents: tuple[str, ...] = ()
    """Documents that are searched; all where empty."""
    rerank_model: str = AUTO
    """Who chose the sections: ``auto``, ``local`` or ``provider/model``."""
    synthesis_model: str = AUTO
    """Who wrote the answer."""
    vision_filter: bool = False
    """Whether a model looked at the pictures."""
    vision_model: str = AUTO
    image_side: int = MAX_IMAGE_SIDE
    """Pixels of the longest side of a picture that was sent."""

    @property
    def words(self) -> str:
        """All but the documents, for people."""
        parts = [f"at most {self.sections} sections and {self.max_figures} pictures"]
        parts += [f"sections chosen by {self.rerank_model}, answer written by {self.synthesis_model}"]
        looked = f"pictures looked at by {self.vision_model} at {self.image_side} pixels"
        return ", ".join((*parts, looked) if self.vision_filter else parts)

    def apply_to(self, settings: Settings) -> Settings:
        """Return the settings with what was chosen for one question."""
        return settings.model_copy(update={name: getattr(self, name) for name in _SETTINGS})

    @classmethod
    def from_settings(cls, settings: Settings) -> AnswerOptions:
        """Return what a question is asked with where nothing else was chosen."""
        return cls(**{name: getattr(settings, name) for name in _SETTINGS})


_SETTINGS = tuple(option.name for option in fields(AnswerOptions) if option.name != "documents")
"""Options that are settings of the same name; which documents are searched is none."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One question and what came of it."""

    turn_id: str
    question: str
    asked_at: str
    """ISO 8601, UTC."""
    options: AnswerOptions
    state: TurnState = TurnState.ANSWERING
    text: str = ""
    """What was written when the answer was stopped; the whole answer is in ``answer``."""
    error: str = ""
    """Why it failed, and what to do next."""
    answer: Answer | None = None
    trace: Trace | None = None
    generation: str = ""
    """The state of the index that was searched."""


@dataclass(frozen=True, slots=True)
class Chat:
    """A conversation."""

    chat_id: str
    owner: str
    """Random id of the browser that began it; empty where that is not known."""
    created_at: str
    turns: tuple[Turn, ...] = ()
    version: int = VERSION

    @property
    def title(self) -> str:
        """The first question; empty for a chat without one."""
        return self.turns[0].question if self.turns else ""


@dataclass(frozen=True, slots=True)
class ChatSummary:
    """What the list of chats shows."""

    chat_id: str
    title: str
    changed: float
    """Seconds since the epoch."""


@dataclass(slots=True)
class ChatStore:
    """The chats of one folder; safe to use from several threads of one process."""

    folder: Path
    _lock: threading.RLock = field(default_factory=threading.RLock, init=False)
    _known: dict[str, tuple[int, str, ChatSummary]] = field(default_factory=dict, init=False)
    _read: dict[str, tuple[tuple[int, int, int], Chat]] = field(default_factory=dict, init=False)
    """The chats that were read last, with their file's inode, time of change and size."""

    def load(self, chat_id: str) -> Chat | None:
        """Return a chat; ``None`` where there is none of this id.

        A file that cannot be read is set aside under another name, so that nothing is lost and the page still draws.
        """
        path = self._path(chat_id)
        with self._lock:
            try:
                status = path.stat()
                version = (status.st_ino, status.st_mtime_ns, status.st_size)
                known = self._read.pop(chat_id, None)
                if known is None or known[0] != version:
                    known = (version, _ADAPTER.validate_json(path.read_bytes()))
                while len(self._read) >= _READ_CHATS:
                    del self._read[next(iter(self._read))]
                self._read[chat_id] = known
                return known[1]
            except (FileNotFoundError, NotADirectoryError):
                return None
            except (ValidationError, OSError):
                with contextlib.suppress(OSError):
                    path.replace(path.with_suffix(f".broken-{secrets.token_hex(3)}"))
                return None

    def begin(self, chat_id: str, owner: str, turn: Turn) -> bool:
        """Add a question to a chat, which need not exist yet; ``False`` where one is still being answered."""
        with self._lock:
            chat = self.load(chat_id) or Chat(chat_id, owner if is_id(owner) else "", now())
            if chat.turns and chat.turns[-1].state is TurnState.ANSWERING:
                return False
            self._save(replace(chat, turns=(*chat.turns, turn)))
            return True

    def finish(self, chat_id: str, turn: Turn) -> None:
        """Put the outcome of a question in its place; a chat that was removed meanwhile stays removed."""
        with self._lock:
            chat = self.load(chat_id)
            if chat is not None:
                turns = tuple(turn if old.turn_id == turn.turn_id else old for old in chat.turns)
                self._save(replace(chat, turns=turns))

    def remove(self, chat_id: str) -> None:
        """Delete a chat."""
        with self._lock:
            self._path(chat_id).unlink(missing_ok=True)

    def summaries(self, owner: str) -> list[ChatSummary]:
        """Return the chats that a browser began, the last changed first; none without its id."""
        if not is_id(owner) or not self.folder.is_dir():
            return []
        with self._lock:
            found = [self._summary(path) for path in self.folder.glob("*.json") if is_id(path.stem)]
        mine = [summary for chat_owner, summary in filter(None, found) if chat_owner == owner and summary.title]
        return sorted(mine, key=lambda summary: -summary.changed)

    def _summary(self, path: Path) -> tuple[str, ChatSummary] | None:
        try:
            changed = path.stat().st_mtime_ns
            known = self._known.get(path.stem)
            if known is None or known[0] != changed:
                raw = orjson.loads(path.read_bytes())
                turns = raw.get("turns") or [{}]
                summary = ChatSummary(path.stem, str(turns[0].get("question", "")), changed / 1e9)
                known = self._known[path.stem] = (changed, str(raw.get("owner", "")), summary)
        except (OSError, ValueError, AttributeError, LookupError):
            return None  # removed meanwhile, or broken: load() sets it aside when it is opened
        return known[1], known[2]

    def _save(self, chat: Chat) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._path(chat.chat_id), _ADAPTER.dump_json(chat))

    def _path(self, chat_id: str) -> Path:
        if not is_id(chat_id):
            raise ValueError(f"{chat_id!r} is no chat id")
        return self.folder / f"{chat_id}.json"


_ADAPTER = TypeAdapter(Chat)


def new_id() -> str:
    """Return a random id of 128 bits, hexadecimal."""
    return secrets.token_hex(16)


def is_id(text: str) -> bool:
    """Whether a text has the form of an id: anything else never becomes a file name."""
    return bool(_ID.fullmatch(text))


def now() -> str:
    """Return the time as ISO 8601, UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_atomically(path: Path, raw: bytes) -> None:
    """Write a file through a temporary one beside it, so that a reader sees the old state or the new one."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.stem}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(raw)
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
