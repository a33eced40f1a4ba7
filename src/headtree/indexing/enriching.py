"""What models add to documents while an index is built: noise that is left out, descriptions of figures, contexts.

Each is optional, and a document is indexed without what a model failed to give. What costs much is asked for first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from headtree.errors import HeadtreeError
from headtree.indexing.chunking import make_chunks
from headtree.indexing.contexts import ContextWriter, Question
from headtree.indexing.descriptions import FigureDescriber
from headtree.indexing.documents import OutlinedDocument, PreparedDocument, finish_document
from headtree.indexing.images import ImageFinder
from headtree.indexing.model_noise import NoiseJudge
from headtree.models.estimates import Estimate, total
from headtree.settings import Settings
from headtree.types import BuildWarning, Figure, WarningKind

Tell = Callable[[str, int, int, str], None]
"""Is given the stage, how much of it is done, how much there is, and a note for people."""
Approve = Callable[[Sequence[Estimate]], bool]
"""Is asked before much is spent; ``False`` ends the build before anything was."""


@dataclass(frozen=True, slots=True)
class Readers:
    """The models that read documents for an index; ``None``: nobody does."""

    judge: NoiseJudge | None = None
    describer: FigureDescriber | None = None
    context_writer: ContextWriter | None = None
    approve: Approve = lambda estimates: True
    absent: tuple[str, ...] = ()
    """What the settings switch on and no model is there for."""

    @property
    def names(self) -> Mapping[str, str]:
        """Who reads: with one changed, documents are read again."""
        makers = {"describer": self.describer, "contexts": self.context_writer}
        named = {role: maker.name for role, maker in makers.items() if maker is not None}
        return {"judge": self.judge.name if self.judge else "", **named}

    def warnings(self) -> tuple[BuildWarning, ...]:
        """Say what could not be done for want of a model."""
        return tuple(BuildWarning("", 0, WarningKind.FALLBACK, sentence) for sentence in self.absent)


NOBODY = Readers()


@dataclass(frozen=True, slots=True)
class Work:
    """What is still to be asked of models, and what it will cost."""

    figures: tuple[Figure, ...] = ()
    parts: tuple[tuple[Question, ...], ...] = ()
    estimates: tuple[Estimate, ...] = field(default=())


def finish_documents(
    outlined: Sequence[OutlinedDocument], settings: Settings, finder: ImageFinder, judge: NoiseJudge | None, tell: Tell
) -> list[PreparedDocument]:
    """Let a model judge the outlines, and finish the documents without what is noise."""
    if judge is None:
        return [finish_document(document, settings, finder) for document in outlined]
    sections = {document.source.doc_id: document.sections for document in outlined}
    estimate = judge.estimate(sections)
    if estimate is not None:
        tell("judging", 0, len(outlined), str(estimate))
    by_id = {document.source.doc_id: document for document in outlined}
    done = 0
    for judged in judge.judge(sections):
        for doc_id, judgement in judged.items():
            warnings = (*by_id[doc_id].warnings, *judgement.warnings)
            by_id[doc_id] = replace(by_id[doc_id], sections=judgement.sections, warnings=warnings)
        done += len(judged)
        if estimate is not None:
            tell("judging", done, len(outlined), "")
    return [finish_document(document, settings, finder) for document in by_id.values()]


def plan_work(documents: Sequence[PreparedDocument], readers: Readers) -> Work:
    """Return what models are to be asked; nothing of it was kept from an earlier build."""
    figures: Sequence[Figure] = ()
    parts: Sequence[Sequence[Question]] = ()
    estimates = []
    if readers.describer is not None:
        figures = readers.describer.missing(documents)
        estimates.append(readers.describer.estimate(figures))
    if readers.context_writer is not None:
        parts = readers.context_writer.missing(documents)
        estimates.append(readers.context_writer.estimate(parts))
    known = tuple(estimate for estimate in estimates if estimate is not None)
    return Work(tuple(figures), tuple(tuple(part) for part in parts), known)


def ask_leave(work: Work, others: Sequence[Estimate], readers: Readers) -> None:
    """Have the work approved, where there is any.

    Args:
        work: what is asked of models.
        others: what the build will cost besides.
        readers: for who approves.

    Raises:
        HeadtreeError: it was not.
    """
    estimates = (*work.estimates, *others)
    if work.estimates and not readers.approve(estimates):
        raise HeadtreeError(
            f"the index was not built, for nobody agreed to its price ({total(estimates)}); agree with "
            "headtree index --yes, or switch CONTEXTUAL_CHUNKS and DESCRIBE_FIGURES off"
        )


def enrich(
    documents: Sequence[PreparedDocument], work: Work, settings: Settings, readers: Readers, tell: Tell
) -> list[PreparedDocument]:
    """Return the documents with descriptions and contexts; what failed is among their warnings."""
    finished = list(documents)
    if readers.describer is not None:
        described = readers.describer.describe(
            finished, work.figures, lambda done: tell("describing", done, len(work.figures), "")
        )
        finished = [_with_new_chunks(document, settings) for document in described.documents]
        finished = _with_warnings(finished, described.warnings)
    if readers.context_writer is not None:
        count = sum(len(part) for part in work.parts)
        placed = readers.context_writer.write(finished, work.parts, lambda done: tell("placing", done, count, ""))
        finished = _with_warnings(placed.documents, placed.warnings)
    return finished


def _with_new_chunks(document: PreparedDocument, settings: Settings) -> PreparedDocument:
    """Cut the chunks again: a figure's chunk holds its description."""
    known = document.document
    chunks = make_chunks(known.doc_id, known.sections, document.passages, known.figures, size=settings.chunk_characters)
    return replace(document, chunks=chunks)


def _with_warnings(documents: Sequence[PreparedDocument], warnings: Sequence[BuildWarning]) -> list[PreparedDocument]:
    by_id: dict[str, list[BuildWarning]] = {}
    for warning in warnings:
        by_id.setdefault(warning.doc_id, []).append(warning)
    return [
        replace(
            document,
            document=replace(
                document.document, warnings=(*document.document.warnings, *by_id.get(document.document.doc_id, ()))
            ),
        )
        for document in documents
    ]
