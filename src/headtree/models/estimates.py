"""What something will cost, said before it is spent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from headtree.models.catalogue import PROVIDERS, find_card
from headtree.models.envelopes import estimate_tokens


@dataclass(frozen=True, slots=True)
class Estimate:
    """What one step will cost; upper limits rather than hopes."""

    what: str
    """For people: ``embedding``, ``contextual chunks``."""
    model: str
    """``provider/model``."""
    input_tokens: int
    output_tokens: int = 0
    cached_tokens: int = 0
    """How many of the input the service will have kept."""
    cache_written_tokens: int = 0
    """How many it will be told to keep."""
    requests: int = 1

    @property
    def usd(self) -> float | None:
        """At list price, as if the requests were alike; ``None`` where the price of the model is not known."""
        card = find_card(*self.model.split("/", 1))
        if card.price() is None or not self.requests:
            return None
        share = 1 / self.requests
        return self.requests * card.cost(
            round(self.input_tokens * share),
            round(self.output_tokens * share),
            cached_tokens=round(self.cached_tokens * share),
            cache_written_tokens=round(self.cache_written_tokens * share),
        )

    def __str__(self) -> str:
        output = f", {self.output_tokens:,} out" if self.output_tokens else ""
        price = "an unknown price" if self.usd is None else f"at most {dollars(self.usd)}"
        return f"{self.what} with {self.model}: about {self.input_tokens:,} tokens in{output}, {price}"


def total(estimates: Iterable[Estimate]) -> str:
    """Return the sum as people read it, and what it leaves out."""
    costs = [estimate.usd for estimate in estimates]
    known = sum(cost for cost in costs if cost is not None)
    return f"at most {dollars(known)}{' and what the models without a known price cost' if None in costs else ''}"


def dollars(amount: float) -> str:
    """Return an amount as people read it: at least two digits that say something."""
    return f"${amount:.2f}" if amount >= 0.095 else f"${amount:.2g}"


def embedding_estimate(space: str, texts: Iterable[str], *, more_tokens: int = 0) -> Estimate | None:
    """Return what embedding texts will cost at most; ``None`` for a local embedder.

    Args:
        space: the embedder's name.
        texts: what has no vector in the index yet; some may have been paid for in an earlier build.
        more_tokens: of what will be written into the texts before.
    """
    model = space.partition("@")[0]
    if model.partition("/")[0] not in PROVIDERS:
        return None
    return Estimate("embedding", model, sum(estimate_tokens(text) for text in texts) + more_tokens)


def request_estimate(name: str, characters: int, output_tokens: int) -> str:
    """Say what a request to a chat model will cost about: ``3,700 tokens to gemini/..., about $0.005``."""
    estimate = Estimate("", name, characters // 4, output_tokens)
    price = "an unknown price" if estimate.usd is None else dollars(estimate.usd)
    return f"{estimate.input_tokens:,} tokens to {name}, about {price}"
