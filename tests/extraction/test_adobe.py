"""What was paid for is kept: a conversion again, an interrupted run and a renamed file cost no second call."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from headtree.cli import app
from headtree.errors import ExtractionError
from headtree.extraction import adobe
from headtree.extraction.adobe import AdobeEngine, archive_path
from headtree.extraction.adobe_blocks import read_archive
from headtree.extraction.adobe_sdk import AdobeAccess
from headtree.extraction.adobe_service import Patience
from headtree.extraction.blocks import ExtractedDocument
from tests.extraction.adobe_material import PDF, SMALL
from tests.extraction.adobe_stub import CLIENT_ID, CLIENT_SECRET, AdobeStub, Reply

QUICK = Patience(job=5.0, call=2.0, attempts=2, first_pause=0.01, longest_pause=0.1, poll=0.01)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "paper.pdf"
    path.write_bytes(PDF)
    return path


@pytest.fixture
def expected(tmp_path: Path) -> ExtractedDocument:
    path = tmp_path / "expected.zip"
    path.write_bytes(SMALL)
    return read_archive(path)


def read(pdf: Path, stub: AdobeStub, *, patience: Patience = QUICK) -> ExtractedDocument:
    access = AdobeAccess(CLIENT_ID, CLIENT_SECRET, service_url=stub.url)
    return AdobeEngine(kept=pdf.parent / "kept", access=access, patience=patience).read(pdf)


def test_an_archive_is_kept_and_used_again(
    pdf: Path, stub: AdobeStub, expected: ExtractedDocument, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert read(pdf, stub) == expected
    archive = archive_path(pdf, PDF, pdf.parent / "kept")
    assert archive.read_bytes() == SMALL
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]
    monkeypatch.delenv("PDF_SERVICES_CLIENT_ID", raising=False)
    said: list[str] = []
    assert AdobeEngine(kept=archive.parent).read(pdf, progress=said.append) == expected, "no call, no credential"
    assert said == [f"using the kept archive {archive.name}"]


def test_a_changed_pdf_is_extracted_anew(pdf: Path, stub: AdobeStub) -> None:
    read(pdf, stub)
    pdf.write_bytes(PDF + b"% more")
    read(pdf, stub)
    assert (stub.jobs, len(list((pdf.parent / "kept").iterdir()))) == (2, 2)


def test_one_sign_in_serves_many_files(pdf: Path, stub: AdobeStub) -> None:
    access = AdobeAccess(CLIENT_ID, CLIENT_SECRET, service_url=stub.url)
    engine = AdobeEngine(kept=pdf.parent / "kept", access=access, patience=QUICK)
    for number in range(3):
        pdf.write_bytes(PDF + f"% {number}".encode())
        engine.read(pdf)
    assert (stub.tokens, stub.jobs) == (1, 3)


def test_a_job_that_took_too_long_is_taken_up_again(pdf: Path, stub: AdobeStub, expected: ExtractedDocument) -> None:
    stub.polls_before_done = 1_000_000
    hasty = Patience(job=0.2, call=2, attempts=2, first_pause=0.01, longest_pause=0.05, poll=0.02)
    with pytest.raises(ExtractionError, match="run it again"):
        read(pdf, stub, patience=hasty)
    stub.polls_before_done = 0
    assert read(pdf, stub) == expected
    assert (stub.jobs, len(stub.uploads)) == (1, 1), "paid once"


def test_a_job_that_the_service_forgot_is_started_anew(pdf: Path, stub: AdobeStub, expected: ExtractedDocument) -> None:
    kept = pdf.parent / "kept"
    kept.mkdir()
    archive_path(pdf, PDF, kept).with_suffix(".job").write_text(f"{stub.url}/operation/extractpdf/JOB77/status")
    assert read(pdf, stub) == expected
    assert stub.jobs == 1


@pytest.mark.parametrize("address", ["http://127.0.0.2:9/x", "nonsense", "", "file:///etc/passwd"])
def test_the_token_is_not_sent_to_an_address_from_elsewhere(
    pdf: Path, stub: AdobeStub, address: str, expected: ExtractedDocument
) -> None:
    kept = pdf.parent / "kept"
    kept.mkdir()
    archive_path(pdf, PDF, kept).with_suffix(".job").write_text(address)
    assert read(pdf, stub) == expected
    assert stub.jobs == 1


def test_a_failed_job_is_not_asked_again(pdf: Path, stub: AdobeStub, expected: ExtractedDocument) -> None:
    stub.failure = {"status": 400, "code": "TIMEOUT", "message": "Processing timeout"}
    with pytest.raises(ExtractionError, match="TIMEOUT"):
        read(pdf, stub)
    stub.failure = None
    assert read(pdf, stub) == expected
    assert stub.jobs == 2


def test_a_cut_archive_is_not_kept_and_loaded_again_without_a_new_job(
    pdf: Path, stub: AdobeStub, expected: ExtractedDocument
) -> None:
    stub.faults["resource"] = [Reply(200, SMALL[:-5]) for _ in range(QUICK.attempts)]
    with pytest.raises(ExtractionError, match="already paid for"):
        read(pdf, stub)
    assert not list((pdf.parent / "kept").glob("*.zip"))
    assert read(pdf, stub) == expected
    assert stub.jobs == 1


@pytest.mark.parametrize(("content", "reason"), [(b"", "is empty"), (b"PK not a pdf", "is not a PDF")])
def test_what_is_no_pdf_is_never_sent(tmp_path: Path, stub: AdobeStub, content: bytes, reason: str) -> None:
    path = tmp_path / "x.pdf"
    path.write_bytes(content)
    with pytest.raises(ExtractionError, match=rf"x\.pdf: {reason}"):
        read(path, stub)
    with pytest.raises(ExtractionError, match=r"gone\.pdf: cannot be read"):
        read(tmp_path / "gone.pdf", stub)
    assert stub.requests == []


def test_a_file_over_the_limit_is_never_sent(pdf: Path, stub: AdobeStub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adobe, "MAX_PDF_BYTES", 10)
    with pytest.raises(ExtractionError, match="limit of 100 MB") as caught:
        read(pdf, stub)
    assert caught.value.code == "DISQUALIFIED_FILE_SIZE"
    assert stub.requests == []


def test_an_archive_that_the_user_has_is_converted_without_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "report.zip").write_bytes(SMALL)
    arguments = ["extract", "--engine", "adobe", "--from-zip", "report.zip", "--out", "documents", "--json"]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert [item["outcome"] for item in json.loads(result.stdout)["documents"]] == ["written"]
    assert (tmp_path / "documents/report/report.md").read_text() == "# One\n\nText of one.\n"
    (tmp_path / "report.zip").write_bytes(SMALL[: len(SMALL) // 2])
    assert isinstance(CliRunner().invoke(app, arguments).exception, ExtractionError)
