"""What all visitors of one server share: settings, the open index, the chats, and the jobs at work."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from headtree.chat.answering import AnswerBoard, Answerer, answer_from
from headtree.chat.building import BuildBoard
from headtree.chat.history import ChatStore
from headtree.chat.starters import Starter, make_starters
from headtree.errors import HeadtreeError
from headtree.indexing.inspection import describe_index
from headtree.models.registry import Registry
from headtree.pipeline import OpenIndex, open_index
from headtree.settings import Settings


@dataclass(frozen=True, slots=True)
class DocumentEntry:
    """A document in the index, with how much it holds."""

    doc_id: str
    path: str
    sections: int
    figures: int


@dataclass(frozen=True, slots=True)
class Overview:
    """What the index holds."""

    generation: str
    embedder: str
    documents: tuple[DocumentEntry, ...]
    starters: tuple[Starter, ...]
    """Example questions, made from headings and captions."""

    @property
    def sections(self) -> int:
        """Sections of all documents."""
        return sum(document.sections for document in self.documents)

    @property
    def figures(self) -> int:
        """Pictures of all documents."""
        return sum(document.figures for document in self.documents)


@dataclass(slots=True)
class Workspace:
    """One folder of documents, its index and its chats; safe to use from several threads."""

    settings: Settings
    store: ChatStore = field(init=False)
    answers: AnswerBoard = field(init=False)
    builds: BuildBoard = field(init=False)
    registry: Registry = field(init=False)
    _opened: OpenIndex | None = field(default=None, init=False)
    _overview: Overview | None = field(default=None, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    def __post_init__(self) -> None:
        self.store = ChatStore(self.settings.chats)
        self.answers = AnswerBoard(self.store)
        self.builds = BuildBoard(self.settings)
        self.registry = Registry(self.settings)

    def open(self) -> OpenIndex:
        """Return the index, opened once; a build that ended meanwhile is seen by the next question.

        Raises:
            HeadtreeError: it cannot be used; the message says what to do.
        """
        with self._lock:
            if self._opened is None:
                self._opened = open_index(self.settings, self.registry)
            return self._opened

    def answerer(self) -> Answerer:
        """Return what answers the questions of this workspace.

        Raises:
            HeadtreeError: the index cannot be used.
        """
        return answer_from(self.open(), self.registry)

    def overview(self) -> Overview:
        """Return what the index holds now; it is read again only after a build.

        Raises:
            HeadtreeError: the index cannot be used.
        """
        opened = self.open()
        try:
            with opened.index.snapshot() as view:
                known = self._overview
                if known is not None and known.generation == view.generation:
                    return known
                starters = make_starters(view)
        except HeadtreeError:
            with self._lock:  # gone, damaged or made with another embedder: open it anew when it is there again
                self._opened = None
            raise
        self._overview = self._describe(starters)
        return self._overview

    def _describe(self, starters: tuple[Starter, ...]) -> Overview:
        described = describe_index(self.settings)["index"]
        if described is None:
            raise HeadtreeError("the index has just been removed; load the page again")
        documents = tuple(
            DocumentEntry(d["doc_id"], d["path"], d["sections"], d["figures"]) for d in described["documents"]
        )
        return Overview(str(described["generation"]), str(described["embedder"]), documents, starters)
