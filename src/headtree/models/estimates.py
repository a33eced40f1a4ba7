"""What something will cost, said before it is spent."""

from __future__ import annotations

from collections.abc import Iterable

from headtree.models.catalogue import PROVIDERS, find_card
from headtree.models.envelopes import estimate_tokens


def dollars(amount: float) -> str:
    """Return an amount as people read it: at least two digits that say something."""
    return f"${amount:.2f}" if amount >= 0.095 else f"${amount:.2g}"


def embedding_estimate(space: str, texts: Iterable[str]) -> str:
    """Say how much embedding texts will cost at most; empty for a local embedder.

    Args:
        space: the embedder's name.
        texts: what has no vector in the index yet; some may have been paid for in an earlier build.
    """
    provider, _, model = space.partition("@")[0].partition("/")
    if provider not in PROVIDERS:
        return ""
    tokens = sum(estimate_tokens(text) for text in texts)
    return f"embedding with {provider}/{model}: about {tokens:,} tokens, at most {_price(provider, model, tokens)}"


def request_estimate(name: str, characters: int, output_tokens: int) -> str:
    """Say what a request to a chat model will cost about: ``3,700 tokens to gemini/..., about $0.005``."""
    provider, _, model = name.partition("/")
    tokens = characters // 4
    return f"{tokens:,} tokens to {name}, about {_price(provider, model, tokens, output_tokens)}"


def _price(provider: str, model: str, input_tokens: int, output_tokens: int = 0) -> str:
    card = find_card(provider, model)
    return dollars(card.cost(input_tokens, output_tokens)) if card.price() else "an unknown price"
