"""What was paid for is kept: a conversion again, an interrupted run and a renamed file cost no second call."""

from __future__ import annotations

from pathlib import Path

import pytest

from headtree.errors import ExtractionError
from headtree.extraction import adobe_kept
from headtree.extraction.adobe_kept import archive_path, fetch_archive
from headtree.extraction.adobe_sdk import AdobeAccess
from headtree.extraction.adobe_service import AdobeService, Patience
from tests.extraction.adobe_material import PDF, SMALL
from tests.extraction.adobe_stub import CLIENT_ID, CLIENT_SECRET, AdobeStub, Reply

QUICK = Patience(job=5.0, call=2.0, attempts=2, first_pause=0.01, longest_pause=0.1, poll=0.01)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "paper.pdf"
    path.write_bytes(PDF)
    return path


def fetch(pdf: Path, stub: AdobeStub, *, patience: Patience = QUICK) -> Path:
    service = AdobeService(AdobeAccess(CLIENT_ID, CLIENT_SECRET, service_url=stub.url), patience=patience)
    return fetch_archive(pdf, kept=pdf.parent / "kept", service=service, progress=lambda said: None)


def test_an_archive_is_kept_and_used_again(pdf: Path, stub: AdobeStub) -> None:
    archive = fetch(pdf, stub)
    assert archive.read_bytes() == SMALL
    assert archive == archive_path(pdf, PDF, pdf.parent / "kept")
    asked = len(stub.requests)
    assert fetch(pdf, stub) == archive
    assert len(stub.requests) == asked, "no call at all"
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]


def test_a_changed_pdf_is_extracted_anew(pdf: Path, stub: AdobeStub) -> None:
    first = fetch(pdf, stub)
    pdf.write_bytes(PDF + b"% more")
    second = fetch(pdf, stub)
    assert first != second
    assert (stub.jobs, len(list(first.parent.iterdir()))) == (2, 2)


def test_a_job_that_took_too_long_is_taken_up_again(pdf: Path, stub: AdobeStub) -> None:
    stub.polls_before_done = 1_000_000
    hasty = Patience(job=0.2, call=2, attempts=2, first_pause=0.01, longest_pause=0.05, poll=0.02)
    with pytest.raises(ExtractionError, match="run it again"):
        fetch(pdf, stub, patience=hasty)
    stub.polls_before_done = 0
    assert fetch(pdf, stub).read_bytes() == SMALL
    assert (stub.jobs, len(stub.uploads)) == (1, 1), "paid once"


def test_a_job_that_the_service_forgot_is_started_anew(pdf: Path, stub: AdobeStub) -> None:
    kept = pdf.parent / "kept"
    kept.mkdir()
    archive_path(pdf, PDF, kept).with_suffix(".job").write_text(f"{stub.url}/operation/extractpdf/JOB77/status")
    assert fetch(pdf, stub).read_bytes() == SMALL
    assert stub.jobs == 1


@pytest.mark.parametrize("address", ["http://127.0.0.2:9/x", "nonsense", "", "file:///etc/passwd"])
def test_the_token_is_not_sent_to_an_address_from_elsewhere(pdf: Path, stub: AdobeStub, address: str) -> None:
    kept = pdf.parent / "kept"
    kept.mkdir()
    archive_path(pdf, PDF, kept).with_suffix(".job").write_text(address)
    assert fetch(pdf, stub).read_bytes() == SMALL
    assert stub.jobs == 1


def test_a_failed_job_is_not_asked_again(pdf: Path, stub: AdobeStub) -> None:
    stub.failure = {"status": 400, "code": "TIMEOUT", "message": "Processing timeout"}
    with pytest.raises(ExtractionError, match="TIMEOUT"):
        fetch(pdf, stub)
    stub.failure = None
    assert fetch(pdf, stub).read_bytes() == SMALL
    assert stub.jobs == 2


def test_a_cut_archive_is_not_kept_and_loaded_again_without_a_new_job(pdf: Path, stub: AdobeStub) -> None:
    stub.faults["resource"] = [Reply(200, SMALL[:-5]) for _ in range(QUICK.attempts)]
    with pytest.raises(ExtractionError, match="already paid for"):
        fetch(pdf, stub)
    assert not list((pdf.parent / "kept").glob("*.zip"))
    assert fetch(pdf, stub).read_bytes() == SMALL
    assert stub.jobs == 1


@pytest.mark.parametrize(("content", "reason"), [(b"", "is empty"), (b"PK not a pdf", "is not a PDF")])
def test_what_is_no_pdf_is_never_sent(tmp_path: Path, stub: AdobeStub, content: bytes, reason: str) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(content)
    with pytest.raises(ExtractionError, match=rf"x\.pdf: {reason}"):
        fetch(path, stub)
    with pytest.raises(ExtractionError, match=r"gone\.pdf: cannot be read"):
        fetch(tmp_path / "gone.pdf", stub)
    assert stub.requests == []


def test_a_file_over_the_limit_is_never_sent(pdf: Path, stub: AdobeStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adobe_kept, "MAX_PDF_BYTES", 10)
    with pytest.raises(ExtractionError, match="limit of 100 MB") as caught:
        fetch(pdf, stub)
    assert caught.value.code == "DISQUALIFIED_FILE_SIZE"
    assert stub.requests == []
