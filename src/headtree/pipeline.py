"""The two stories that everything else tells in pieces: ``build_index`` and ``answer``."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from headtree.errors import Cancelled, HeadtreeError, ModelUnavailableError
from headtree.indexing.build import BuildStep, build
from headtree.indexing.enriching import Approve
from headtree.indexing.index import Index, Snapshot, index_space
from headtree.indexing.milvus import vector_store
from headtree.models.protocols import Embedder
from headtree.models.registry import AUTO, Registry
from headtree.models.runs import model_run
from headtree.retrieval.question import read_question
from headtree.retrieval.recall import recall
from headtree.retrieval.rerank import rerank
from headtree.settings import Settings
from headtree.steps import LOCAL_ONLY, ChatModels, Steps, embed_question, load_chat_models, load_readers
from headtree.types import Answer, AnswerEvent, AnswerStage, BuildReport, Evidence, Timings


@dataclass(frozen=True, slots=True)
class OpenIndex:
    """An index with the models that read, choose and write for it: open once, ask often."""

    settings: Settings
    index: Index
    embedder: Embedder | None
    models: ChatModels = LOCAL_ONLY
    warnings: tuple[str, ...] = ()
    """What stands with every answer: a key that this index needs and that is not set."""


def build_index(
    settings: Settings,
    *,
    fresh: bool = False,
    progress: Callable[[BuildStep], None] = lambda step: None,
    approve: Approve = lambda estimates: True,
    embedder: Embedder | None = None,
) -> BuildReport:
    """Bring the index up to date with the documents; see ``indexing.build``.

    Args:
        settings: where things are, and who takes which role.
        fresh: forget the old index; what models were paid for is kept.
        progress: is told how far it is, and what it will cost.
        approve: is asked before models write contexts or descriptions; by default the settings are the consent.
        embedder: another than the settings name.
    """
    registry = Registry(settings)
    readers = load_readers(settings, registry, approve)
    with model_run() as run:
        report = build(
            settings,
            embedder or registry.embedder(),
            fresh=fresh,
            progress=progress,
            readers=readers,
            store=vector_store(settings),
        )
    return replace(report, usage=run.usage)


def open_index(settings: Settings, registry: Registry | None = None) -> OpenIndex:
    """Open the index of the settings.

    Args:
        settings: where it is, and who takes which role.
        registry: of the same settings, where its limits are shared with other work.

    Raises:
        IndexMissingError, IndexMismatchError, IndexDamagedError: it cannot be used; the message says what to do.
        ModelUnavailableError: a model that the settings name is not installed, or its key is not set.
        VectorStoreError: the settings name a server for vectors that cannot be used.
    """
    registry = registry or Registry(settings)
    models = load_chat_models(settings, registry)
    made_with = index_space(settings.index)
    warnings: tuple[str, ...] = ()
    try:
        embedder = registry.embedder(made_with=made_with)
    except ModelUnavailableError as error:
        if settings.embedder != AUTO:
            raise
        embedder, warnings = None, (f"the index was made with {made_with}, the search goes by words only: {error}",)
    index = Index(settings.index, space=embedder.name if embedder else "", store=vector_store(settings))
    return OpenIndex(settings, index, embedder, models, warnings)


@dataclass(frozen=True, slots=True)
class Watcher:
    """Who follows an answer while it is made: is told of each step and may stop it between steps."""

    tell: Callable[[AnswerEvent], None] = lambda event: None
    stop: threading.Event | None = None

    def step(self, stage: AnswerStage, detail: str = "", *, price: str = "") -> None:
        """Report that a step begins, and what it will cost.

        Raises:
            Cancelled: the work was stopped.
        """
        if self.stop is not None and self.stop.is_set():
            raise Cancelled("stopped")
        self.tell(AnswerEvent(stage, ", ".join(words for words in (detail, price) if words), price=price))


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
    clock = _Clock()
    with opened.index.snapshot() as view, model_run(watcher.stop) as run:
        _check_documents(documents, view)
        watcher.step(AnswerStage.SEARCHING)
        question = read_question(text, view, documents=documents)
        vector, warnings = embed_question(opened.embedder, text)
        recalled = recall(question, vector, view, chunks=settings.recall_chunks, sections=settings.candidates)
        clock.lap("recall")
        steps = Steps(question, view, settings, opened.models, [*opened.warnings, *warnings])
        if opened.embedder is not None and vector is None:
            steps.fallbacks.append("embedding")
        watcher.step(AnswerStage.RANKING, f"{len(recalled)} sections", price=steps.ranking_price(len(recalled)))
        evidence = steps.read_evidence(rerank(question, recalled, view))
        clock.lap("rerank")
        watcher.step(AnswerStage.READING, price=steps.writing_price(evidence))
        watcher.step(
            AnswerStage.WRITING, f"{len(evidence.sections)} sections, {len(evidence.figures)} pictures offered"
        )
        result, evidence = steps.write(evidence, vector, watcher.tell)
        clock.lap("synthesis")
        if opened.models.vision and result.figures:
            looking = steps.looking_price(len(result.figures))
            watcher.step(AnswerStage.LOOKING, f"{len(result.figures)} pictures", price=looking)
        result = steps.look(result)
        clock.lap("vision")
    return replace(
        result,
        timings=clock.timings(),
        usage=run.usage,
        requests=run.requests,
        warnings=(*steps.warnings, *result.warnings),
        fallbacks=(*steps.fallbacks, *result.fallbacks),
    ), evidence


class _Clock:
    """Seconds per stage."""

    def __init__(self) -> None:
        self._started = self._last = time.monotonic()
        self._laps: dict[str, float] = {}

    def lap(self, stage: str) -> None:
        now = time.monotonic()
        self._laps[stage] = round(now - self._last, 4)
        self._last = now

    def timings(self) -> Timings:
        return Timings(**self._laps, total=round(self._last - self._started, 4))


def _check_documents(documents: Sequence[str], view: Snapshot) -> None:
    unknown = sorted(set(documents) - set(view.document_ids()))
    if unknown:
        raise HeadtreeError(f"not in the index: {', '.join(unknown)}; `headtree info` lists its documents")
