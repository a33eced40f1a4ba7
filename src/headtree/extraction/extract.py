"""Sources -> documents: the one entry point of extraction, whichever engine runs."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path

from headtree.errors import ExtractionError, HeadtreeError, ModelUnavailableError
from headtree.extraction.blocks import ExtractedDocument
from headtree.extraction.corpus import Source, SourceKind, find_sources
from headtree.extraction.writing import (
    SourceIdentity,
    identify_source,
    is_current,
    kept_message,
    reason_to_keep,
    write_document,
    write_rendered,
)

INSTALL_PDF = 'pip install "headtree[pdf]"'


class Engine(StrEnum):
    """What reads PDFs."""

    LOCAL = "local"
    """Here, without a key and without a network."""
    ADOBE = "adobe"
    """Adobe PDF Extract, with the user's credential."""


class Outcome(StrEnum):
    """What became of a source."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    """Its document is there already, made from the same bytes by the same engine."""
    KEPT = "kept"
    """Another document is in its place, which is not ours to replace; ``note`` says why."""
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ExtractionStep:
    """How far one source is; given to the ``progress`` callable again and again."""

    stage: str
    """The source's name."""
    done: int
    """Pages; 0 of 1 and 1 of 1 where an engine does not tell them."""
    total: int
    note: str = ""
    """What happens, in a few words, where pages do not tell it."""


@dataclass(frozen=True, slots=True)
class SourceReport:
    """What became of one source."""

    source: str
    doc_id: str
    outcome: Outcome
    pages: int = 0
    """0 where the source has no pages or was not read."""
    figures: int = 0
    """Images that were written: figures, tables, algorithms and formulas."""
    seconds: float = 0.0
    error: str | None = None
    code: str | None = None
    """The engine's own code of the error."""
    note: str | None = None
    """Why a document was kept."""
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExtractionReport:
    """The outcome of a run; ``headtree extract --json`` prints exactly these fields."""

    engine: str
    out: str
    documents: tuple[SourceReport, ...]
    seconds: float

    @property
    def failed(self) -> int:
        """How many sources could not be converted."""
        return sum(document.outcome is Outcome.FAILED for document in self.documents)


Progress = Callable[[ExtractionStep], None]
EngineReader = Callable[[Path, Path, Progress], ExtractedDocument]
"""Reads a PDF: the file, an empty folder for its pictures, and whom to tell how far it is."""


def extract(
    sources: Sequence[Path],
    *,
    out: Path,
    engine: Engine = Engine.LOCAL,
    archive: Path | None = None,
    replace: bool = False,
    processes: int | None = None,
    progress: Progress = lambda step: None,
) -> ExtractionReport:
    """Convert PDFs, HTML and Markdown files to documents; one that fails never stops the others.

    A source whose document is there already, made from the same bytes by the same version of the engine, is skipped,
    so that a run that was stopped goes on where it was. A source from a folder whose place another document has is
    left alone; where the file itself was named, that is an error.

    Args:
        sources: files, and folders that are searched for them.
        out: the documents folder.
        engine: what reads PDFs.
        archive: a result archive of Adobe that the user has: it is converted, ``sources`` are not looked at.
        replace: extract again, and replace documents that were edited since.
        processes: processes of the local engine; by default one per processor.
        progress: is told how far each source is.

    Raises:
        ExtractionError: there is nothing to convert, or the Adobe account cannot be used.
        ModelUnavailableError: a package or the layout model is absent.
        OSError: the documents folder cannot be written.
    """
    start = time.perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    if archive is not None:
        reports = [_convert_archive(archive, out, replace)]
        engine = Engine.ADOBE
    else:
        run = _Run(out, engine, replace, processes or os.cpu_count() or 1, progress)
        reports = [run.convert(source) for source in find_sources(sources)]
    return ExtractionReport(engine, str(out), tuple(reports), round(time.perf_counter() - start, 3))


@dataclass(slots=True)
class _Run:
    """One run over several sources."""

    out: Path
    engine: Engine
    replace: bool
    processes: int
    progress: Progress
    _read: EngineReader | None = field(default=None, init=False)
    _version: str = field(default="", init=False)

    def convert(self, source: Source) -> SourceReport:
        start = time.perf_counter()
        try:
            report = self._convert(source)
        except ExtractionError as error:
            if self.engine is Engine.ADOBE and _ends_the_run(error):
                raise
            report = SourceReport(str(source.path), source.doc, Outcome.FAILED, error=str(error), code=error.code)
        except OSError as error:
            message = f"{source.path.name}: {error.strerror or error}"
            report = SourceReport(str(source.path), source.doc, Outcome.FAILED, error=message)
        return replace(report, seconds=round(time.perf_counter() - start, 3))

    def _convert(self, source: Source) -> SourceReport:
        match source.kind:
            case SourceKind.PDF:
                return self._pdf(source)
            case SourceKind.HTML:
                return self._html(source)
            case SourceKind.MARKDOWN:
                return self._markdown(source)

    def _pdf(self, source: Source) -> SourceReport:
        read, version = self._reader()
        identity = identify_source(source.path)
        folder = self.out / source.doc
        if there := self._in_place(source, folder, identity, engine=self.engine, engine_version=version):
            return there
        with tempfile.TemporaryDirectory(prefix=".pictures-", dir=self.out) as pictures:
            document = read(source.path, Path(pictures), self.progress)
            write_document(document, folder=folder, source=identity, replace=self.replace)
        return _written(source, document, sum(1 for block in document.blocks if hasattr(block, "data")))

    def _in_place(
        self, source: Source, folder: Path, identity: SourceIdentity, *, engine: str, engine_version: str
    ) -> SourceReport | None:
        """Return the report of a source whose place is taken, ``None`` where it is to be read."""
        if self.replace:
            return None
        if is_current(folder, source=identity, engine=engine, engine_version=engine_version):
            return SourceReport(str(source.path), source.doc, Outcome.UNCHANGED)
        reason = reason_to_keep(folder, engine=engine)
        if reason and source.named:
            raise ExtractionError(kept_message(folder, reason))
        return SourceReport(str(source.path), source.doc, Outcome.KEPT, note=reason) if reason else None

    def _html(self, source: Source) -> SourceReport:
        from headtree.extraction.html import ENGINE, ENGINE_VERSION, convert_html

        identity = identify_source(source.path)
        folder = self.out / source.doc
        if there := self._in_place(source, folder, identity, engine=ENGINE, engine_version=ENGINE_VERSION):
            return there
        rendered, document = convert_html(source.path, root=source.root)
        write_rendered(rendered, document, folder=folder, source=identity, replace=self.replace)
        self.progress(ExtractionStep(source.path.name, 1, 1))
        return _written(source, document, len(rendered.images))

    def _markdown(self, source: Source) -> SourceReport:
        from headtree.extraction.markdown_copy import copy_markdown

        target = self.out / f"{source.doc}{source.path.suffix.lower()}"
        written = copy_markdown(source.path, root=source.root, target=target, replace=self.replace)
        outcome = Outcome.WRITTEN if written else Outcome.UNCHANGED
        return SourceReport(str(source.path), source.doc, outcome)

    def _reader(self) -> tuple[EngineReader, str]:
        """Return the engine's reader and version; its packages are imported with the first PDF."""
        if self._read is None:
            self._read, self._version = _local(self.processes) if self.engine is Engine.LOCAL else _adobe(self.out)
        return self._read, self._version


def _written(source: Source, document: ExtractedDocument, figures: int) -> SourceReport:
    return SourceReport(
        str(source.path),
        source.doc,
        Outcome.WRITTEN,
        len(document.pages),
        figures,
        warnings=document.warnings,
    )


def _local(processes: int) -> tuple[EngineReader, str]:
    try:
        from headtree.extraction.local import ENGINE_VERSION, extract_pdf
    except ImportError as error:
        raise ModelUnavailableError(f"reading PDFs needs the package {error.name}: {INSTALL_PDF}") from error

    def read(path: Path, pictures: Path, progress: Progress) -> ExtractedDocument:
        def tell(done: int, total: int) -> None:
            progress(ExtractionStep(path.name, done, total))

        return extract_pdf(path, pictures=pictures, progress=tell, processes=processes)

    return read, ENGINE_VERSION


def _adobe(out: Path) -> tuple[EngineReader, str]:
    from headtree.extraction.adobe import AdobeEngine
    from headtree.extraction.adobe_blocks import ENGINE_VERSION

    engine = AdobeEngine(kept=out.parent / "adobe")

    def read(path: Path, _pictures: Path, progress: Progress) -> ExtractedDocument:
        document = engine.read(path, progress=lambda note: progress(ExtractionStep(path.name, 0, 1, note)))
        progress(ExtractionStep(path.name, 1, 1))
        return document

    return read, ENGINE_VERSION


def _convert_archive(archive: Path, out: Path, replace: bool) -> SourceReport:
    from headtree.extraction.adobe_blocks import read_archive

    if not archive.is_file():
        raise ExtractionError(f"there is no file {archive}")
    document = read_archive(archive)
    identity: SourceIdentity = identify_source(archive)
    write_document(document, folder=out / archive.stem, source=identity, replace=replace)
    figures = sum(1 for block in document.blocks if hasattr(block, "data"))
    return SourceReport(
        str(archive), archive.stem, Outcome.WRITTEN, len(document.pages), figures, warnings=document.warnings
    )


def _ends_the_run(error: HeadtreeError) -> bool:
    from headtree.extraction.adobe_failures import ends_the_run

    return isinstance(error, ExtractionError) and ends_the_run(error)
