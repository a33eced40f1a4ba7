"""Keeps what was paid for: the archive of every extracted PDF, and the address of a job that still runs.

A PDF is known by its content, not by its name: the same file is never paid for twice, a changed one is extracted anew.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
from pathlib import Path

from headtree.errors import ExtractionError
from headtree.extraction.adobe_service import MAX_PDF_BYTES, AdobeService, JobState, Progress


def fetch_archive(pdf: Path, *, kept: Path, service: AdobeService, progress: Progress) -> Path:
    """Return the result archive of a PDF: the kept one, else that of the job that was started, else a new one.

    Args:
        pdf: the file.
        kept: folder of the archives; made where it is absent.
        service: is only called where there is no kept archive.
        progress: is told in a few words what happens.

    Raises:
        ExtractionError: the file is no PDF or over Adobe's limit, or the service refuses; ``code`` is Adobe's.
    """
    content = _read_pdf(pdf)
    archive = archive_path(pdf, content, kept)
    if archive.is_file():
        progress(f"using the kept archive {archive.name}")
        return archive
    kept.mkdir(parents=True, exist_ok=True)
    data = _extract(content, name=pdf.name, job=archive.with_suffix(".job"), service=service, progress=progress)
    _write_atomically(archive, data)
    archive.with_suffix(".job").unlink(missing_ok=True)
    return archive


def archive_path(pdf: Path, content: bytes, kept: Path) -> Path:
    """Return where the archive of a PDF is kept: its name, for people, and 16 digits of its SHA-256."""
    return kept / f"{pdf.stem[:80]}-{hashlib.sha256(content).hexdigest()[:16]}.zip"


def _extract(content: bytes, *, name: str, job: Path, service: AdobeService, progress: Progress) -> bytes:
    """Take up the job that was started for this content, or start one; its address is on disk until it has ended."""
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
