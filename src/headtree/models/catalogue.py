"""The models that headtree knows: what each can do and what it costs. To add one, add an entry here.

Prices are list prices in USD per million tokens, as collected on 2026-12-01 from the providers' announcements and
from pages that quote them; they were not compared with a bill. Providers change them: see their own pages
(ai.google.dev/pricing, claude.com/pricing) before you rely on one. A model that is not listed can be named all the
same; it is taken to have the least capabilities and its cost is not counted.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace

GEMINI = "gemini"
CLAUDE = "claude"
PROVIDERS = (GEMINI, CLAUDE)
"""In the order in which ``auto`` takes the first one that has a key."""

_MILLION = 1_000_000
_CACHED_SHARE = 0.1
"""What a token of input that the service kept from an earlier request costs of the price of a new one; both providers
(their pages on caching)."""
_CACHE_WRITTEN_SHARE = 1.25
"""What a token that Claude is told to keep for five minutes costs of the price of any other (its page on prompt
caching). Gemini keeps what it likes by itself, and asks nothing for it."""


@dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens."""

    input: float
    output: float
    since: datetime.date = datetime.date.min
    long_input: int | None = None
    """Tokens of input above which ``long_factor`` applies to the whole request."""
    long_factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What may be asked of a model."""

    images: int = 0
    """Most images in one request; 0 where it sees none."""
    image_side: int = 1568
    """Pixels: a longer side is scaled down before sending; more would be scaled down by the service."""
    structured_output: bool = False
    """Whether it keeps to a JSON schema; without, the schema is put in words and the reply is read leniently."""
    native_citations: bool = False
    """Whether it cites ``SourceBlock`` paragraphs by itself; never together with a schema."""
    effort: bool = False
    """Whether it takes a thinking level."""
    told_to_keep: bool = False
    """Whether it is told which blocks to keep for the next request; others keep what they like by themselves."""
    context_tokens: int = 8_192
    output_tokens: int = 4_096


@dataclass(frozen=True, slots=True)
class ModelCard:
    """One model of one provider."""

    provider: str
    model: str
    capabilities: Capabilities
    prices: tuple[Price, ...] = ()
    """Oldest first; empty where the price is not known."""

    @property
    def name(self) -> str:
        """``provider/model``."""
        return f"{self.provider}/{self.model}"

    def price(self, day: datetime.date | None = None) -> Price | None:
        """Return the price in force on a day (today); ``None`` where it is not known."""
        day = day or datetime.datetime.now(datetime.UTC).date()
        return next((price for price in reversed(self.prices) if price.since <= day), None)

    def cost(
        self,
        input_tokens: int,
        output_tokens: int,
        day: datetime.date | None = None,
        *,
        cached_tokens: int = 0,
        cache_written_tokens: int = 0,
    ) -> float:
        """Return the USD that a request costs at list price; 0 where the price is not known.

        Args:
            input_tokens: all of the input.
            output_tokens: thinking included.
            day: today where not given.
            cached_tokens: how many of the input the service had kept.
            cache_written_tokens: how many of the input it was told to keep.
        """
        price = self.price(day)
        if price is None:
            return 0.0
        factor = price.long_factor if price.long_input is not None and input_tokens > price.long_input else 1.0
        saved = (1 - _CACHED_SHARE) * cached_tokens - (_CACHE_WRITTEN_SHARE - 1) * cache_written_tokens
        return factor * ((input_tokens - saved) * price.input + output_tokens * price.output) / _MILLION


_FLASH = Capabilities(
    # The documented limit is far higher; more than 100 images of 1,120 tokens each would never be worth their price.
    images=100,
    structured_output=True,
    effort=True,
    context_tokens=1_048_576,
    output_tokens=65_536,
)
_CLAUDE = Capabilities(
    # Over 20 images in one request, each must fit 2,000 x 2,000 pixels, which ``image_side`` sees to.
    images=100,
    structured_output=True,
    native_citations=True,
    effort=True,
    told_to_keep=True,
    context_tokens=1_000_000,
    output_tokens=128_000,
)

_UNLISTED = {
    # All Gemini models since 1.5 keep to a schema; how they take a thinking level differs.
    GEMINI: Capabilities(images=16, structured_output=True, context_tokens=128_000, output_tokens=8_192),
    # A server that speaks the Messages API: often a subset of it, so that nothing is taken for granted.
    CLAUDE: Capabilities(images=20, context_tokens=32_768),
}

CARDS = (
    ModelCard(
        GEMINI,
        "gemini-3.8-flash",
        _FLASH,
        (Price(0.75, 3.75), Price(1.50, 7.50, since=datetime.date(2027, 1, 1))),
    ),
    ModelCard(GEMINI, "gemini-4-argon", _FLASH, (Price(2.0, 10.0), Price(4.0, 20.0, since=datetime.date(2026, 12, 1)))),
    ModelCard(GEMINI, "gemini-embedding-001", Capabilities(context_tokens=2_048), (Price(0.15, 0.0),)),
    ModelCard(GEMINI, "gemini-embedding-2", Capabilities(context_tokens=8_192), (Price(0.20, 0.0),)),
    ModelCard(CLAUDE, "claude-haiku-5-5", _CLAUDE, (Price(0.10, 0.50, long_input=100_000, long_factor=5.0),)),
    ModelCard(CLAUDE, "claude-sonnet-5-5", _CLAUDE, (Price(2.0, 10.0),)),
    ModelCard(CLAUDE, "claude-opus-5-5", _CLAUDE, (Price(4.0, 20.0),)),
    ModelCard(CLAUDE, "claude-fable-5-2", _CLAUDE, (Price(8.0, 40.0),)),
)
_BY_NAME = {card.name: card for card in CARDS}


def find_card(provider: str, model: str) -> ModelCard:
    """Return the card of a model; one with the least capabilities and no price where it is not listed.

    A dated or aliased version (``claude-haiku-5-5-20261101``) is taken for the model that its name begins with.
    """
    known = _BY_NAME.get(f"{provider}/{model}")
    if known is not None:
        return known
    family = [card for card in CARDS if card.provider == provider and model.startswith(f"{card.model}-")]
    if family:
        return replace(max(family, key=lambda card: len(card.model)), model=model)
    return ModelCard(provider, model, _UNLISTED[provider])
