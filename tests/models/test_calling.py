"""Limits, prices and roles, without a service."""

from __future__ import annotations

import datetime
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from headtree.errors import SettingsError
from headtree.models.calling import CallPolicy, RateLimiter
from headtree.models.catalogue import CARDS, find_card
from headtree.models.estimates import Estimate, dollars, request_estimate, total
from headtree.models.prompts import (
    CONTEXT_SCHEMA,
    DESCRIPTION_SCHEMA,
    FIGURE_CHOICE_SCHEMA,
    NOISE_SCHEMA,
    RERANK_SCHEMA,
    SYNTHESIS_SCHEMA,
    VISION_SCHEMA,
)
from headtree.models.registry import Registry, Role
from headtree.settings import Settings, load_settings
from tests.models.stub_service import KEY


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_the_limiter_never_lets_more_through_than_a_minute_allows() -> None:
    clock = Clock()
    limiter = RateLimiter(CallPolicy(requests_per_minute=3, tokens_per_minute=1000), clock=clock)
    sent: list[tuple[float, int]] = []
    for tokens in (100, 100, 100, 900, 5000, 100):
        while (wait := limiter.reserve(1, tokens)) > 0:
            clock.now += wait
        sent.append((clock.now, tokens))
    for start, _ in sent:
        window = [(at, tokens) for at, tokens in sent if start <= at < start + 60]
        assert len(window) <= 3
        assert len(window) == 1 or sum(tokens for _, tokens in window) <= 1000


def test_a_batch_counts_as_many_requests_as_it_has_texts() -> None:
    limiter = RateLimiter(CallPolicy(requests_per_minute=150), clock=Clock())
    assert limiter.reserve(100, 1) == 0
    assert limiter.reserve(100, 1) > 0


def test_prices_by_day_and_size() -> None:
    flash = find_card("gemini", "gemini-3.8-flash")
    assert flash.cost(1_000_000, 0, datetime.date(2026, 12, 31)) == pytest.approx(0.75)
    assert flash.cost(0, 1_000_000, datetime.date(2027, 1, 1)) == pytest.approx(7.5)
    argon = find_card("gemini", "gemini-4-argon")
    assert argon.cost(1_000_000, 0, datetime.date(2026, 11, 30)) == pytest.approx(2.0)
    assert argon.cost(1_000_000, 0, datetime.date(2026, 12, 1)) == pytest.approx(4.0)
    haiku = find_card("claude", "claude-haiku-5-5")
    assert haiku.cost(100_000, 0) == pytest.approx(0.01)
    assert haiku.cost(200_000, 0) == pytest.approx(0.10)


def test_what_is_kept_is_cheaper_and_keeping_it_is_dearer() -> None:
    sonnet = find_card("claude", "claude-sonnet-5-5")
    plain = sonnet.cost(100_000, 0)
    assert plain == pytest.approx(0.2)
    assert sonnet.cost(100_000, 0, cache_written_tokens=80_000) == pytest.approx(plain + 0.25 * 0.16)
    assert sonnet.cost(100_000, 0, cached_tokens=80_000) == pytest.approx(plain - 0.9 * 0.16)
    # Keeping pays from the second request on.
    first, second = (
        sonnet.cost(100_000, 0, cache_written_tokens=80_000),
        sonnet.cost(100_000, 0, cached_tokens=80_000),
    )
    assert first > plain
    assert first + second < 2 * plain


def test_an_estimate_is_the_sum_of_its_requests() -> None:
    haiku = find_card("claude", "claude-haiku-5-5")
    # Ten requests of 20,000 tokens are not one of 200,000, which would cost five times as much.
    estimate = Estimate("contexts", haiku.name, 200_000, 1_000, requests=10)
    assert estimate.usd == pytest.approx(10 * haiku.cost(20_000, 100))
    unknown = Estimate("contexts", "claude/qwen3:8b", 10, 10)
    assert unknown.usd is None
    assert "an unknown price" in str(unknown)
    assert total([estimate]) == f"at most {dollars(estimate.usd or 0)}"
    assert "without a known price" in total([estimate, unknown])


def test_a_dated_model_is_its_family_and_an_unknown_one_is_modest() -> None:
    dated = find_card("claude", "claude-haiku-5-5-20261101")
    assert dated.capabilities == find_card("claude", "claude-haiku-5-5").capabilities
    assert dated.name == "claude/claude-haiku-5-5-20261101"
    unknown = find_card("claude", "qwen3:8b")
    assert not unknown.capabilities.native_citations
    assert not unknown.capabilities.structured_output
    assert unknown.cost(1000, 1000) == 0.0
    assert "an unknown price" in request_estimate("claude/qwen3:8b", 4000, 100)


def test_prices_are_oldest_first() -> None:
    for card in CARDS:
        assert card.prices
        assert [price.since for price in card.prices] == sorted(price.since for price in card.prices)


@pytest.mark.parametrize(("amount", "words"), [(0.0, "$0"), (0.00123, "$0.0012"), (0.5, "$0.50"), (12.3, "$12.30")])
def test_amounts_for_people(amount: float, words: str) -> None:
    assert dollars(amount) == words


def walk(schema: Any) -> Any:
    yield schema
    for value in schema.get("properties", {}).values():
        yield from walk(value)
    if "items" in schema:
        yield from walk(schema["items"])


@pytest.mark.parametrize(
    "schema",
    [
        NOISE_SCHEMA,
        CONTEXT_SCHEMA,
        DESCRIPTION_SCHEMA,
        RERANK_SCHEMA,
        SYNTHESIS_SCHEMA,
        FIGURE_CHOICE_SCHEMA,
        VISION_SCHEMA,
    ],
)
def test_schemas_are_closed_and_whole(schema: Any) -> None:
    for part in walk(schema):
        if part["type"] == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"gemini_api_key": KEY, "anthropic_api_key": KEY}, "gemini/gemini-3.8-flash"),
        ({"gemini_api_key": KEY}, "gemini/gemini-3.8-flash"),
        ({"anthropic_api_key": KEY}, "claude/claude-haiku-5-5"),
        ({"gemini_api_key": "  ", "anthropic_api_key": KEY}, "claude/claude-haiku-5-5"),
        ({}, None),
    ],
)
def test_auto_takes_the_first_provider_with_a_key(keys: dict[str, str], expected: str | None) -> None:
    model = Registry(Settings(_env_file=None, **keys)).chat_model(Role.RERANK)
    assert (model.name if model else None) == expected


def test_a_role_may_be_local_beside_a_key(settings_for: Callable[..., Settings]) -> None:
    registry = Registry(settings_for("gemini", rerank_model="local"))
    assert registry.chat_model(Role.RERANK) is None
    assert registry.chat_model(Role.SYNTHESIS) is not None


@pytest.mark.parametrize("name", ["GEMINI_API_KEY", "GOOGLE_API_KEY", "HEADTREE_GEMINI_API_KEY"])
def test_keys_come_from_the_environment_and_are_not_shown(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, "secret-of-mine")
    settings = load_settings()
    assert settings.gemini_api_key is not None
    assert settings.gemini_api_key.get_secret_value() == "secret-of-mine"
    assert "secret-of-mine" not in repr(settings)
    assert "secret-of-mine" not in str(settings.model_dump(mode="json"))


@pytest.mark.parametrize("value", ["gpt", "openai/gpt", "gemini", "gemini/", "claude/../x y"])
def test_a_model_that_nobody_provides_is_refused(value: str) -> None:
    with pytest.raises(SettingsError, match="SYNTHESIS_MODEL"):
        load_settings(synthesis_model=value)


def test_importing_headtree_loads_no_vendor_package() -> None:
    code = (
        "import sys, headtree, headtree.cli, headtree.pipeline, headtree.settings;"
        "from headtree.models.registry import Registry, Role;"
        f"s = headtree.settings.Settings(_env_file=None, gemini_api_key='{KEY}', anthropic_api_key='{KEY}');"
        "[Registry(s).chat_model(role) for role in Role]; Registry(s).embedder();"
        "print([name for name in sys.modules if name.startswith(('google.genai', 'anthropic', 'httpx'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
