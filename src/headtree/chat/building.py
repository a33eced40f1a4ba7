"""Extraction and indexing as a job: the old index stays in use until the new one is complete."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headtree.errors import Cancelled, ExtractionError, HeadtreeError, ModelUnavailableError
from headtree.extraction.extract import ExtractionStep, extract
from headtree.indexing.build import BuildStep
from headtree.pipeline import build_index
from headtree.settings import Settings
from headtree.types import BuildReport

_log = logging.getLogger(__name__)

_NEWS_SECONDS = 300


@dataclass(slots=True)
class BuildJob:
    """A build that is at work, or the last one that was."""

    pdfs: tuple[Path, ...] = ()
    fresh: bool = False
    """Whether the old index is thrown away, because it is damaged."""
    stop: threading.Event = field(default_factory=threading.Event)
    done: threading.Event = field(default_factory=threading.Event)
    stage: str = "starting"
    fraction: float = 0.0
    """Of the stage, from 0 to 1."""
    detail: str = ""
    report: BuildReport | None = None
    problems: tuple[str, ...] = ()
    """PDFs that could not be read; the others went on."""
    error: str = ""
    ended: float | None = None
    """When it ended, on the monotonic clock."""
    _began: float = field(default_factory=time.monotonic)

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self._began

    @property
    def is_news(self) -> bool:
        """Whether it ended a moment ago, so that people still wait to hear how."""
        return self.ended is not None and time.monotonic() - self.ended < _NEWS_SECONDS

    def hear(self, step: BuildStep) -> None:
        """Take the build's progress; ends the build where it is to be stopped.

        Raises:
            Cancelled: the user stopped it; what was embedded is kept.
        """
        if self.stop.is_set():
            raise Cancelled("stopped; what was done is kept, the next build goes on from here")
        self.stage = step.stage
        self.fraction = step.done / step.total if step.total else 1.0
        self.detail = f"{step.done} of {step.total}"


@dataclass(slots=True)
class BuildBoard:
    """Runs one build at a time for a workspace, and keeps the last one.

    What is asked for meanwhile is done in one more build right after it.
    """

    settings: Settings
    last: BuildJob | None = None
    _waiting: list[Path] | None = None
    """PDFs of the next build; ``None`` where none is asked for."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def running(self) -> BuildJob | None:
        """The build that is at work."""
        return self.last if self.last is not None and not self.last.done.is_set() else None

    def start(self, pdfs: Sequence[Path] = (), *, fresh: bool = False) -> bool:
        """Begin a build; ``False`` where it comes after the one that is at work.

        Args:
            pdfs: are extracted first.
            fresh: the old index is damaged and thrown away.
        """
        with self._lock:
            if self.running is not None:
                self._waiting = [*(self._waiting or ()), *pdfs]
                return False
            job = self.last = BuildJob(tuple(pdfs), fresh)
        threading.Thread(target=self._run, args=(job,), daemon=True, name="build").start()
        return True

    def _run(self, job: BuildJob) -> None:
        try:
            for pdf in job.pdfs:
                job.problems += _extract(pdf, self.settings, job)
            job.report = build_index(self.settings, fresh=job.fresh, progress=job.hear)
        except HeadtreeError as error:
            job.error = str(error)
        except Exception as error:  # a defect of ours must not leave the page waiting for ever
            _log.exception("the build failed")
            job.error = f"unexpected {type(error).__name__}; the server's log says more"
        finally:
            with self._lock:
                waiting, self._waiting = self._waiting, None
                job.ended = time.monotonic()
                job.done.set()
            if waiting is not None:
                self.start(waiting)


def _extract(pdf: Path, settings: Settings, job: BuildJob) -> tuple[str, ...]:
    """Turn one PDF into Markdown; a failure is a sentence, so that other files go on."""

    def hear(step: ExtractionStep) -> None:
        job.hear(BuildStep("extracting", step.done, step.total))
        job.detail = step.note or f"{pdf.name}, page {step.done} of {step.total}"

    try:
        report = extract([pdf], out=settings.documents, progress=hear)
    except (ExtractionError, ModelUnavailableError) as error:
        return (str(error),)
    return tuple(document.error for document in report.documents if document.error)
