"""The Adobe engine: a PDF in, the document's blocks out; what was paid for is kept.

A PDF is known by its content, not by its name: the same file is never paid for twice, a changed one is extracted anew.
The archive of every PDF is kept, and so is the address of a job that still runs. A result archive that the user has
already needs no engine: `adobe_blocks.read_archive` reads it.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from headtree.errors import ExtractionError
from headtree.extraction.adobe_blocks import read_archive
from headtree.extraction.adobe_sdk import AdobeAccess
from headtree.extraction.adobe_service import MAX_PDF_BYTES, AdobeService, JobState, Patience, Progress
from headtree.extraction.blocks import ExtractedDocument


class AdobeEngine:
    """Reads PDFs by Adobe PDF Extract, one after the other; signs in when the first call is needed."""

    def __init__(self, *, kept: Path, access: AdobeAccess | None = None, patience: Patience | None = None) -> None:
        """Set up the engine; nothing is called and no credential is needed yet.

        Args:
            kept: folder of the archives that were paid for; made where it is absent.
            access: credential and region; by default those of the environment.
            patience: how long to wait and how often to try.
        """
        self._kept = kept
        self._access = access
        self._patience = patience
        self._service: AdobeService | None = None

    def read(self, pdf: Path, *, progress: Progress = lambda step: None) -> ExtractedDocument:
        """Read a PDF from its kept archive, else from the job that was started for it, else by a new, paid one.

        Args:
            pdf: the file.
            progress: is told in a few words what happens.

        Raises:
            ExtractionError: the file is no PDF or over Adobe's limit, the service refuses, or its result cannot be
                read; ``code`` is Adobe's where it has one.
        """
        content = _read_pdf(pdf)
        archive = archive_path(pdf, content, self._kept)
        if archive.is_file():
            progress(f"using the kept archive {archive.name}")
        else:
            self._kept.mkdir(parents=True, exist_ok=True)
            job = archive.with_suffix(".job")
            _write_atomically(archive, self._extract(content, name=pdf.name, job=job, progress=progress))
            job.unlink(missing_ok=True)
        return read_archive(archive)

    def _extract(self, content: bytes, *, name: str, job: Path, progress: Progress) -> bytes:
        """Take up the job that was started for this content, or start one; its address is on disk until it ends."""
        service = self._connect()
        location = job.read_text(encoding="utf-8", errors="replace").strip() if job.is_file() else ""
        state = JobState.GONE
        if location and service.owns(location):
            progress("taking up the job that was started")
            state = service.wait(location, name=name, progress=progress)
        if state is JobState.GONE:
            location = service.submit(content, name=name, progress=progress)
            _write_atomically(job, location.encode())
            state = service.wait(location, name=name, progress=progress)
        if state is JobState.FAILED:
            job.unlink()
        return service.download(location, name=name, progress=progress)

    def _connect(self) -> AdobeService:
        if self._service is None:
            self._service = AdobeService(self._access or AdobeAccess.from_environment(), patience=self._patience)
        return self._service


def archive_path(pdf: Path, content: bytes, kept: Path) -> Path:
    """Return where the archive of a PDF is kept: its name, for people, and 16 digits of its SHA-256."""
    return kept / f"{pdf.stem[:80]}-{hashlib.sha256(content).hexdigest()[:16]}.zip"


def _read_pdf(pdf: Path) -> bytes:
    """Read a PDF, after the checks that spare a paid call."""
    try:
        size = pdf.stat().st_size
        content = pdf.read_bytes() if size <= MAX_PDF_BYTES else b""
    except OSError as error:
        raise ExtractionError(f"{pdf.name}: cannot be read: {error.strerror}") from error
    if size > MAX_PDF_BYTES:
        raise ExtractionError(
            f"{pdf.name}: {size / 2**20:.0f} MB are over Adobe's limit of 100 MB; split it or use --engine local",
            code="DISQUALIFIED_FILE_SIZE",
        )
    if b"%PDF-" not in content[:1024]:  # where readers look for it (PDF 32000-1, annex H.3.4.1)
        raise ExtractionError(f"{pdf.name}: {'is empty' if not content else 'is not a PDF'}", code="BAD_PDF_FILE_TYPE")
    return content


def _write_atomically(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", suffix=".part", delete=False) as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    Path(file.name).replace(path)
