"""The two stories that everything else tells in pieces: ``build_index`` and ``answer``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from headtree.errors import Cancelled, HeadtreeError
from headtree.indexing.build import BuildStep, build
from headtree.indexing.index import Index, Snapshot
from headtree.models.local import load_local_embedder
from headtree.models.protocols import Embedder
from headtree.retrieval.evidence import gather_evidence
from headtree.retrieval.question import read_question
from headtree.retrieval.recall import recall
from headtree.retrieval.rerank import rerank
from headtree.settings import Settings
from headtree.synthesis.local import synthesise_locally
from headtree.types import Answer, AnswerEvent, AnswerStage, BuildReport, Evidence, Timings


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index with the model that reads questions for it: open once, ask often."""

    settings: Settings
    index: Index
    embedder: Embedder | None


def load_embedder(settings: Settings) -> Embedder | None:
    """Return the embedder of the settings; ``None`` where searches go by words only."""
    return None if settings.embedder == "none" else load_local_embedder(settings.embedder)


def build_index(
    settings: Settings, *, fresh: bool = False, progress: Callable[[BuildStep], None] = lambda step: None
) -> BuildReport:
    """Bring the index up to date with the documents; see ``indexing.build``."""
    return build(settings, load_embedder(settings), fresh=fresh, progress=progress)


def open_index(settings: Settings) -> OpenIndex:
    """Open the index of the settings.

    Raises:
        IndexMissingError, IndexMismatchError, IndexDamagedError: it cannot be used; the message says what to do.
        ModelUnavailableError: the embedder is not installed.
    """
    embedder = load_embedder(settings)
    return OpenIndex(settings, Index(settings.index, space=embedder.name if embedder else ""), embedder)


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who follows an answer while it is made: is told of each step and may stop it between steps."""

    tell: Callable[[AnswerEvent], None] = lambda event: None
    stop: threading.Event | None = None

    def step(self, stage: AnswerStage, detail: str = "") -> None:
        """Report that a step begins.

        Raises:
            Cancelled: the work was stopped.
        """
        if self.stop is not None and self.stop.is_set():
            raise Cancelled("stopped")
        self.tell(AnswerEvent(stage, detail))


def answer(opened: OpenIndex, text: str, *, documents: Sequence[str] = (), watcher: Watcher | None = None) -> Answer:
    """Answer a question; see ``answer_with_evidence``."""
    return answer_with_evidence(opened, text, documents=documents, watcher=watcher)[0]


def answer_with_evidence(
    opened: OpenIndex, text: str, *, documents: Sequence[str] = (), watcher: Watcher | None = None
) -> tuple[Answer, Evidence]:
    """Answer a question: recall, re-rank, read whole sections, quote, choose pictures.

    Args:
        opened: from ``open_index``.
        text: the question.
        documents: ids of the documents to search; all where empty.
        watcher: is told of each step.

    Returns:
        The answer, and all that was found for it.

    Raises:
        HeadtreeError: the question is empty, or a document is not in the index.
        Cancelled: the watcher stopped it.
    """
    if not text.strip():
        raise HeadtreeError("the question is empty")
    watcher = watcher or Watcher()
    settings = opened.settings
    clock = [time.monotonic()]
    with opened.index.snapshot() as view:
        _check_documents(documents, view)
        watcher.step(AnswerStage.SEARCHING)
        question = read_question(text, view, documents=documents)
        vector = opened.embedder.embed_query(text) if opened.embedder else None
        recalled = recall(question, vector, view, chunks=settings.recall_chunks, sections=settings.candidates)
        clock.append(time.monotonic())
        watcher.step(AnswerStage.RANKING, f"{len(recalled)} sections")
        candidates = rerank(question, recalled, view)
        watcher.step(AnswerStage.READING)
        evidence = gather_evidence(question, candidates, view, settings)
        clock.append(time.monotonic())
        watcher.step(
            AnswerStage.WRITING, f"{len(evidence.sections)} sections, {len(evidence.figures)} pictures offered"
        )
        result = synthesise_locally(question, evidence, vector, view, settings)
        clock.append(time.monotonic())
    timings = Timings(
        recall=round(clock[1] - clock[0], 4),
        rerank=round(clock[2] - clock[1], 4),
        synthesis=round(clock[3] - clock[2], 4),
        total=round(clock[3] - clock[0], 4),
    )
    return replace(result, timings=timings), evidence


def _check_documents(documents: Sequence[str], view: Snapshot) -> None:
    unknown = sorted(set(documents) - set(view.document_ids()))
    if unknown:
        raise HeadtreeError(f"not in the index: {', '.join(unknown)}; `headtree info` lists its documents")
