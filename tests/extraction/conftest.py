"""The Adobe stub for the tests that speak HTTP."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.extraction.adobe_material import SMALL
from tests.extraction.adobe_stub import AdobeStub, running


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[AdobeStub]:
    """A running service on loopback; the SDK would send even its address through a proxy."""
    pytest.importorskip("adobe.pdfservices", reason="needs the extra: pip install 'headtree[adobe]'")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    with running(AdobeStub(archive=SMALL)) as server:
        yield server
