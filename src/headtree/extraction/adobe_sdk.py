"""The only file that imports Adobe's SDK: sign-in, the job that we ask for, its status and its archive.

The functions call the service once and let everything through that the SDK raises.
"""

from __future__ import annotations

import json
import math
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from dotenv import dotenv_values

from headtree.errors import ExtractionError
from headtree.extraction.adobe_archive import check_archive


class AdobeRegion(StrEnum):
    """Where Adobe processes the files."""

    US = "us"
    EU = "eu"


@dataclass(frozen=True, slots=True)
class AdobeAccess:
    """A credential of the Adobe PDF Services API and where to use it."""

    client_id: str = field(repr=False)
    client_secret: str = field(repr=False)
    region: AdobeRegion = AdobeRegion.US
    service_url: str | None = None
    """Address of the service, where it is not the region's own."""

    @classmethod
    def from_environment(cls, environment: Mapping[str, str | None] | None = None) -> AdobeAccess:
        """Read ``PDF_SERVICES_CLIENT_ID``, ``PDF_SERVICES_CLIENT_SECRET`` and ``PDF_SERVICES_REGION`` (us, eu).

        Args:
            environment: the variables; by default those of the process, and below them those of ``.env``.

        Raises:
            ExtractionError: a variable is missing, or the region is not known.
        """
        names = environment if environment is not None else {**dotenv_values(".env"), **os.environ}
        client_id = (names.get("PDF_SERVICES_CLIENT_ID") or "").strip()
        secret = (names.get("PDF_SERVICES_CLIENT_SECRET") or "").strip()
        if not client_id or not secret:
            raise ExtractionError(
                "The Adobe engine needs PDF_SERVICES_CLIENT_ID and PDF_SERVICES_CLIENT_SECRET in the environment or "
                "in .env (get them at https://acrobatservices.adobe.com); --from-zip and --engine local need none.",
                code="NO_CREDENTIALS",
            )
        region = (names.get("PDF_SERVICES_REGION") or AdobeRegion.US).strip().lower()
        if region not in list(AdobeRegion):
            raise ExtractionError(f"PDF_SERVICES_REGION is {region!r}; it can be 'us' or 'eu'.", code="UNKNOWN_REGION")
        return cls(client_id, secret, AdobeRegion(region))


def sign_in(access: AdobeAccess, *, call_seconds: float) -> Any:
    """Return a fresh session of the SDK; the token itself is fetched with its first call, without a time limit.

    Raises:
        ExtractionError: the SDK is not installed.
    """
    try:
        from adobe.pdfservices.operation.auth.service_principal_credentials import ServicePrincipalCredentials
        from adobe.pdfservices.operation.pdf_services import PDFServices
    except ImportError as error:
        raise ExtractionError("The Adobe engine needs its SDK: pip install 'headtree[adobe]'", code="NO_SDK") from error
    credentials = ServicePrincipalCredentials(access.client_id, access.client_secret)
    return PDFServices(credentials, client_config=client_config(access, call_seconds=call_seconds))


def client_config(access: AdobeAccess, *, call_seconds: float) -> Any:
    """Return region, address and timeouts; the SDK takes another address from a file only."""
    from adobe.pdfservices.operation.config.client_config import ClientConfig
    from adobe.pdfservices.operation.region import Region

    config = ClientConfig(
        connect_timeout=10_000,
        read_timeout=math.ceil(call_seconds * 1000),
        region=Region(access.region.value),
    )
    if access.service_url is None:
        return config
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "client.json"
        file.write_text(json.dumps({"pdfServices": {"pdfServicesUri": access.service_url}}), encoding="utf-8")
        return config.from_file(str(file))


def upload(pdf: bytes, session: Any) -> Any:
    """Send a PDF; return the SDK's handle of it."""
    return session.upload(pdf, "application/pdf")


def submit(asset: Any, session: Any) -> Any:
    """Start the extraction of an uploaded PDF; return the job's address as it came."""
    return session.submit(_extraction_of(asset))


def look(location: str, session: Any) -> tuple[Any, float]:
    """Return a job's status and the seconds that the service asks to wait; 0 where it does not say."""
    reply = session.get_job_status(location)
    try:
        return reply.get_status(), seconds_to_wait(reply.get_retry_interval())
    except (TypeError, ValueError):  # the SDK does not expect the header to be absent or a date
        return reply.get_status(), 0.0


def download(location: str, session: Any) -> bytes:
    """Return the archive of a job that is done, checked to be whole; for one that has failed the SDK raises why."""
    from adobe.pdfservices.operation.pdfjobs.result.extract_pdf_result import ExtractPDFResult

    asset = session.get_job_result(location, ExtractPDFResult).get_result().get_resource()
    if asset is None:
        raise ExtractionError("the job has no result archive", code="NO_ARCHIVE")
    data = bytes(session.get_content(asset).get_input_stream())
    check_archive(data)
    return data


def seconds_to_wait(value: object) -> float:
    """Read a ``retry-after``: seconds that make sense, else 0."""
    try:
        seconds = float(str(value))
    except ValueError:
        return 0.0
    return seconds if math.isfinite(seconds) and seconds > 0 else 0.0


def _extraction_of(asset: Any) -> Any:
    """Return the job that we always ask for: text and tables, images of figures and tables, cells as CSV."""
    from adobe.pdfservices.operation.pdfjobs.jobs.extract_pdf_job import ExtractPDFJob
    from adobe.pdfservices.operation.pdfjobs.params.extract_pdf.extract_element_type import ExtractElementType
    from adobe.pdfservices.operation.pdfjobs.params.extract_pdf.extract_pdf_params import ExtractPDFParams
    from adobe.pdfservices.operation.pdfjobs.params.extract_pdf.extract_renditions_element_type import (
        ExtractRenditionsElementType,
    )
    from adobe.pdfservices.operation.pdfjobs.params.extract_pdf.table_structure_type import TableStructureType

    wanted = ExtractPDFParams(
        elements_to_extract=[ExtractElementType.TEXT, ExtractElementType.TABLES],
        elements_to_extract_renditions=[
            ExtractRenditionsElementType.FIGURES,
            ExtractRenditionsElementType.TABLES,
        ],
        table_structure_type=TableStructureType.CSV,
    )
    return ExtractPDFJob(asset, extract_pdf_params=wanted)
