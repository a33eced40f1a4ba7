from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from headtree.models.registry import Registry, Role
from headtree.settings import Settings
from tests.models.stub_service import KEY, Stub, running_stub

PROVIDERS = ("gemini", "claude")
MODELS = {"gemini": "gemini/gemini-3.8-flash", "claude": "claude/claude-sonnet-5-5"}


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep the tests from keys, addresses and proxies of the machine, and from its .env."""
    for name in ("HEADTREE_GEMINI_API_KEY", "HEADTREE_ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1,localhost")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def stub() -> Iterator[Stub]:
    with running_stub() as stub:
        yield stub


@pytest.fixture
def settings_for(stub: Stub, tmp_path: Path) -> Callable[..., Settings]:
    """Settings that call the stub, as one provider; quick to retry."""

    def make(provider: str | None = None, **values: Any) -> Settings:
        keys = {
            f"{'gemini' if name == 'gemini' else 'anthropic'}_api_key": KEY for name in PROVIDERS if name == provider
        }
        return Settings(
            _env_file=None,
            **{
                "documents": tmp_path / "documents",
                "index": tmp_path / "index",
                "gemini_base_url": stub.url,
                "claude_base_url": stub.url,
                "retry_seconds": 0.01,
                "model_seconds": 10.0,
                **keys,
                **values,
            },
        )

    return make


@pytest.fixture(params=PROVIDERS)
def provider(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def chat_model(provider: str, settings_for: Callable[..., Settings]) -> Any:
    return Registry(settings_for(provider)).chat_model(Role.SYNTHESIS)
