"""The service over real HTTP on loopback, with the real SDK, against a stub that refuses what Adobe refuses."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

from headtree.errors import ExtractionError
from headtree.extraction.adobe_failures import Refusal, ends_the_run, explain
from headtree.extraction.adobe_sdk import AdobeAccess, AdobeRegion, client_config
from headtree.extraction.adobe_service import AdobeService, JobState, Patience
from tests.extraction.adobe_material import PDF, SMALL
from tests.extraction.adobe_stub import (
    CLIENT_ID,
    CLIENT_SECRET,
    AdobeStub,
    Reply,
    html_reply,
    json_reply,
)

QUICK = Patience(job=5.0, call=2.0, attempts=3, first_pause=0.01, longest_pause=0.2, poll=0.01)


def service(stub: AdobeStub, *, secret: str = CLIENT_SECRET, patience: Patience = QUICK) -> AdobeService:
    return AdobeService(AdobeAccess(CLIENT_ID, secret, service_url=stub.url), patience=patience)


def extract(stub: AdobeStub, **options: object) -> bytes:
    said: list[str] = []
    client = service(stub, **options)  # type: ignore[arg-type]
    location = client.submit(PDF, name="a.pdf", progress=said.append)
    client.wait(location, name="a.pdf", progress=said.append)
    data = client.download(location, name="a.pdf", progress=said.append)
    assert said[0] == "uploading to Adobe"
    assert said[-1] == "downloading the result"
    return data


def refusal(stub: AdobeStub, **options: object) -> ExtractionError:
    with pytest.raises(ExtractionError) as caught:
        extract(stub, **options)
    assert str(caught.value).startswith("a.pdf: ")
    return caught.value


def test_the_archive_comes_as_the_service_sent_it(stub: AdobeStub) -> None:
    assert extract(stub) == SMALL
    assert stub.uploads == [PDF]
    assert (stub.tokens, stub.jobs) == (1, 1)


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("DISQUALIFIED_PAGE_LIMIT", "split it"),
        ("DISQUALIFIED_SCAN_PAGE_LIMIT", "scanned pages"),
        ("DISQUALIFIED_PERMISSIONS", "forbid copying"),
        ("PROTECTED_PDF", "remove the protection"),
        ("BAD_PDF_DAMAGED", "damaged"),
    ],
)
def test_a_failed_job_says_what_to_do(stub: AdobeStub, code: str, advice: str) -> None:
    stub.failure = {"status": 400, "code": code, "message": "words of the service"}
    error = refusal(stub)
    assert error.code == code
    assert advice in str(error)
    assert not ends_the_run(error)
    assert "words of the service" in str(error)
    assert stub.jobs == 1, "a job that failed is not paid for twice"


@pytest.mark.parametrize(
    ("step", "body"),
    [
        ("assets", {"error_code": "429050", "message": "Too many requests"}),
        ("submit", {"error": {"code": "TOO_MANY_REQUESTS", "message": "Too many requests"}}),
        ("status", {"error_code": "429050", "message": "Too many requests"}),
        ("resource", {}),
    ],
)
def test_a_rate_limit_is_waited_out(stub: AdobeStub, step: str, body: dict[str, object]) -> None:
    stub.faults[step] = [json_reply(429, body), json_reply(429, body)]
    assert extract(stub) == SMALL


@pytest.mark.parametrize("step", ["submit", "status"])
def test_a_rate_limit_that_stays_is_named(stub: AdobeStub, step: str) -> None:
    stub.faults[step] = [json_reply(429, {"error_code": "429050", "message": "Too many requests"}) for _ in range(9)]
    error = refusal(stub)
    assert error.code == "429050"
    assert "wait a minute" in str(error)
    assert stub.count(step) == QUICK.attempts


def test_a_used_up_quota_is_not_asked_again(stub: AdobeStub) -> None:
    body = {"error": {"code": "INSUFFICIENT_QUOTA", "message": "Quota exhausted"}}
    stub.faults["submit"] = [json_reply(429, body)]
    error = refusal(stub)
    assert error.code == "INSUFFICIENT_QUOTA"
    assert "next month" in str(error)
    assert ends_the_run(error)
    assert stub.count("submit") == 1


def test_retry_after_is_honoured(stub: AdobeStub) -> None:
    patience = Patience(job=5, call=2, attempts=3, first_pause=0.001, longest_pause=2, poll=0.001)
    stub.polls_before_done = 0
    stub.faults["status"] = [json_reply(200, {"status": "in progress"}, retry_after="0.4")]
    stub.faults["assets"] = [json_reply(429, {"error_code": "429050"}, retry_after="0.4")]
    started = time.monotonic()
    assert extract(stub, patience=patience) == SMALL
    assert time.monotonic() - started >= 0.8


@pytest.mark.parametrize("value", [None, "Wed, 21 Oct 2026 07:28:00 GMT", "nan", "1e9"])
def test_a_job_without_a_sensible_retry_after_is_polled_all_the_same(stub: AdobeStub, value: str | None) -> None:
    headers = {} if value is None else {"retry_after": value}
    stub.faults["status"] = [json_reply(200, {"status": "in progress"}, **headers)]
    assert extract(stub) == SMALL


def test_a_job_that_never_ends_meets_the_deadline(stub: AdobeStub) -> None:
    stub.polls_before_done = 1_000_000
    patience = Patience(job=0.5, call=2, attempts=3, first_pause=0.01, longest_pause=0.1, poll=0.05)
    started = time.monotonic()
    error = refusal(stub, patience=patience)
    assert error.code == "DEADLINE"
    assert "run it again" in str(error)
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("step", ["token", "assets", "put", "status", "resource"])
def test_a_call_without_reply_is_given_up_and_repeated(stub: AdobeStub, step: str) -> None:
    stub.faults[step] = [Reply(200, b"{}", delay=1.0)]
    patience = Patience(job=5, call=0.3, attempts=3, first_pause=0.01, longest_pause=0.1, poll=0.01)
    assert extract(stub, patience=patience) == SMALL


def test_a_submission_without_reply_is_not_repeated_because_it_may_be_paid(stub: AdobeStub) -> None:
    stub.faults["submit"] = [Reply(201, b"", delay=1.0)]
    patience = Patience(job=5, call=0.3, attempts=3, first_pause=0.01, longest_pause=0.1, poll=0.01)
    assert "did not answer" in str(refusal(stub, patience=patience))
    assert stub.count("submit") == 1


@pytest.mark.parametrize(
    ("step", "status"),
    [
        ("token", 500),
        ("assets", 503),
        ("put", 500),
        ("submit", 502),
        ("status", 504),
        ("content", 503),
        ("resource", 500),
    ],
)
def test_a_web_page_in_place_of_a_reply_is_repeated_then_named(stub: AdobeStub, step: str, status: int) -> None:
    stub.faults[step] = [html_reply(status)]
    assert extract(stub) == SMALL
    stub.faults[step] = [html_reply(status) for _ in range(9)]
    stub.poll_times.clear()
    if step == "token":
        stub.valid_token = ""
    error = refusal(stub)
    assert error.code == f"HTTP {status}"
    assert "run it again later" in str(error)
    assert "Service down" in str(error)


def test_a_wrong_secret_is_not_taken_for_a_defect(stub: AdobeStub) -> None:
    error = refusal(stub, secret="wrong")
    assert error.code == "invalid_client"
    assert "PDF_SERVICES_CLIENT_SECRET" in str(error)
    assert "wrong" not in str(error)
    assert ends_the_run(error)
    assert stub.count("token") == 1


def test_a_token_that_expires_during_the_job_is_renewed(stub: AdobeStub) -> None:
    client = service(stub)
    location = client.submit(PDF, name="a.pdf", progress=lambda said: None)
    stub.valid_token = "another"
    assert client.wait(location, name="a.pdf", progress=lambda said: None) is JobState.DONE
    assert client.download(location, name="a.pdf", progress=lambda said: None) == SMALL
    assert stub.tokens == 2


def test_a_token_that_is_refused_again_and_again_ends(stub: AdobeStub) -> None:
    stub.faults["assets"] = [json_reply(401, {"error_code": "401013", "message": "Oauth token is not valid"})] * 9
    error = refusal(stub)
    assert error.code == "401013"
    assert stub.count("assets") == 2


def test_a_refused_upload_is_told_with_the_storage_s_code(stub: AdobeStub) -> None:
    body = b"<Error><Code>AccessDenied</Code><Message>Expired</Message><RequestId>1</RequestId></Error>"
    stub.faults["put"] = [Reply(403, body)]
    assert refusal(stub).code == "AccessDenied"


def test_a_truncated_archive_is_loaded_again_then_named(stub: AdobeStub) -> None:
    stub.faults["resource"] = [Reply(200, SMALL[:-30])]
    assert extract(stub) == SMALL
    stub.faults["resource"] = [Reply(200, SMALL[:-30]) for _ in range(9)]
    error = refusal(stub)
    assert error.code == "DAMAGED_ARCHIVE"
    assert "already paid for" in str(error)


def test_a_connection_that_is_cut_while_loading_is_taken_up_again(stub: AdobeStub) -> None:
    stub.faults["resource"] = [Reply(200, SMALL, cut=50)]
    assert extract(stub) == SMALL


@pytest.mark.parametrize(
    ("step", "reply"),
    [
        ("status", json_reply(200, {"status": "paused"})),
        ("status", json_reply(200, ["done"])),
        ("status", Reply(200, b"not json")),
        ("status", json_reply(200, {"status": "done"})),
        ("submit", Reply(201)),
        ("assets", json_reply(200, {})),
        ("token", json_reply(200, {"hello": "world"})),
    ],
)
def test_a_reply_of_another_shape_is_one_clear_error(stub: AdobeStub, step: str, reply: Reply) -> None:
    stub.polls_before_done = 0
    stub.faults[step] = [reply] * 9
    assert "Adobe PDF Extract failed" in str(refusal(stub))


def test_nobody_at_home_is_a_network_error(stub: AdobeStub) -> None:
    stub.url = "http://127.0.0.1:9"
    error = refusal(stub)
    assert error.code == "NO_CONNECTION"
    assert "check the network" in str(error)
    assert ends_the_run(error)


def test_only_the_service_s_own_addresses_get_the_token(stub: AdobeStub) -> None:
    client = service(stub)
    assert client.owns(f"{stub.url}/operation/extractpdf/1/status")
    assert not client.owns("http://elsewhere.example/status")
    real = AdobeService(AdobeAccess("a", "b", AdobeRegion.EU))
    assert real.owns("https://pdf-services-ew1.adobe.io/operation/extractpdf/1/status")
    assert not real.owns("https://adobe.io.example/1")
    assert not real.owns("http://pdf-services.adobe.io/1")


def test_credentials_come_from_the_environment_and_stay_out_of_sight() -> None:
    names = {
        "PDF_SERVICES_CLIENT_ID": " id ",
        "PDF_SERVICES_CLIENT_SECRET": "hush",
        "PDF_SERVICES_REGION": "EU",
    }
    access = AdobeAccess.from_environment(names)
    assert (access.client_id, access.client_secret, access.region) == ("id", "hush", AdobeRegion.EU)
    assert "hush" not in repr(access)
    with pytest.raises(ExtractionError, match="PDF_SERVICES_CLIENT_SECRET"):
        AdobeAccess.from_environment({"PDF_SERVICES_CLIENT_ID": "id"})
    with pytest.raises(ExtractionError, match="'mars'"):
        AdobeAccess.from_environment({**names, "PDF_SERVICES_REGION": "mars"})


def test_a_region_reaches_the_sdk() -> None:
    for region, host in ((AdobeRegion.US, "pdf-services-ue1"), (AdobeRegion.EU, "pdf-services-ew1")):
        assert host in client_config(AdobeAccess("a", "b", region), call_seconds=1).get_pdf_services_uri()


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("BAD_PDF_COMPLEX_TABLE", "too complex"),
        ("BAD_PDF_OF_A_KIND_TO_COME", "it is damaged or empty"),
        ("DISQUALIFIED_XFA", "XFA form"),
        ("DISQUALIFIED_LANGUAGE", "language"),
        ("TIMEOUT", "run it again later"),
        ("SOMETHING_NEW", "was not understood"),
    ],
)
def test_every_code_has_an_advice(code: str, advice: str) -> None:
    error = explain(Refusal(200, code, "as Adobe put it"), "a.pdf")
    assert error.code == code
    assert str(error).startswith(f"a.pdf: Adobe PDF Extract failed ({code}): ")
    assert advice in str(error)
    assert str(error).endswith("Adobe says: as Adobe put it.")


def test_without_the_sdk_the_install_line_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "adobe.pdfservices.operation.pdf_services", None)
    with pytest.raises(ExtractionError, match=r"pip install 'headtree\[adobe\]'"):
        AdobeService(AdobeAccess("a", "b"))


def test_credentials_may_stand_in_a_dotenv_file_below_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("PDF_SERVICES_CLIENT_ID=from-file\nPDF_SERVICES_CLIENT_SECRET=hush\n")
    monkeypatch.chdir(tmp_path)
    for name in ("CLIENT_SECRET", "REGION"):
        monkeypatch.delenv(f"PDF_SERVICES_{name}", raising=False)
    monkeypatch.setenv("PDF_SERVICES_CLIENT_ID", "from-environment")
    access = AdobeAccess.from_environment()
    assert (access.client_id, access.client_secret, access.region) == ("from-environment", "hush", AdobeRegion.US)
