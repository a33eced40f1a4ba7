"""What holds for all tests: no key of the machine is ever used."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser import browser as browser


@pytest.fixture(scope="session", autouse=True)
def no_keys() -> Iterator[None]:
    """Hide the keys of the environment and of .env, so that no test calls a service that costs money."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GEMINI_API_KEY", "GOOGLE_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
            patch.delenv(name, raising=False)
        for name in ("HEADTREE_GEMINI_API_KEY", "HEADTREE_ANTHROPIC_API_KEY"):
            patch.setenv(name, "")  # what is set, even to nothing, wins over .env
        yield
