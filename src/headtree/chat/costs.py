"""Who may take the steps of a question, and about what each would cost: known before it is asked."""

from __future__ import annotations

from dataclasses import dataclass

from headtree.chat.history import AnswerOptions
from headtree.models.catalogue import CARDS, PROVIDERS, find_card
from headtree.models.estimates import dollars
from headtree.models.registry import AUTO, LOCAL, Registry, Role
from headtree.settings import Settings

QUESTION_ROLES = (Role.RERANK, Role.SYNTHESIS, Role.VISION)
"""In the order of the steps."""

# Typical sizes, in tokens. Over questions to nine papers five sections were 5,000 (to annual reports, 8,900).
_SECTION_TOKENS = 1_000
_CANDIDATE_TOKENS = 55
"""Breadcrumb, what it holds and a snippet."""
_RULES_TOKENS = 1_000
_ANSWER_TOKENS = 1_000
_CHOICE_TOKENS = 300
"""Numbers with a reason each, and a little thinking."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A model that may take a step."""

    value: str
    """``auto``, ``local`` or ``provider/model``."""
    model: str
    """What ``auto`` stands for now; else the value."""
    price: float | None
    """US dollars for a typical question at list price; ``None`` where that is not known."""

    @property
    def label(self) -> str:
        """For people, the price first, for narrow controls cut the end: ``$0.022, claude-sonnet-5-5``."""
        if self.value == LOCAL:
            return "This machine, no cost"
        if self.value == AUTO and self.model == LOCAL:
            return "Automatic: this machine, no cost"
        price = "price not known" if self.price is None else dollars(self.price)
        return f"{price}, {'auto: ' if self.value == AUTO else ''}{self.model.partition('/')[2]}"


def list_choices(role: Role, options: AnswerOptions, settings: Settings, registry: Registry) -> tuple[Choice, ...]:
    """Return who may take a step of a question: models whose key is not set are left out, see ``missing``."""
    known = [card.name for card in CARDS if card.capabilities.images and not registry.lack(card.provider)]
    configured = str(getattr(settings, role.value))
    values = dict.fromkeys((AUTO, LOCAL, configured, *known))
    return tuple(choose(value, role, options, settings, registry) for value in values)


def choose(value: str, role: Role, options: AnswerOptions, settings: Settings, registry: Registry) -> Choice:
    """Return a choice with its price for a question with some options."""
    model = registry.automatic(role) if value == AUTO else value
    if model == LOCAL:
        return Choice(value, model, 0.0)
    card = find_card(*model.split("/", 1))
    price = card.cost(*_tokens(role, card.provider, options, settings, registry)) if card.price() else None
    return Choice(value, model, price)


def missing(registry: Registry) -> tuple[str, ...]:
    """Return why the models of some providers cannot be chosen."""
    lacks = {provider: registry.lack(provider) for provider in PROVIDERS}
    return tuple(f"{provider.capitalize()} cannot be chosen: {lack}" for provider, lack in lacks.items() if lack)


def question_cost(options: AnswerOptions, settings: Settings, registry: Registry) -> str:
    """Say what a question with some options costs about, at list price."""
    chosen = {role: str(getattr(options, role.value)) for role in QUESTION_ROLES}
    if not options.vision_filter or not options.max_figures:
        del chosen[Role.VISION]
    choices = [choose(value, role, options, settings, registry) for role, value in chosen.items()]
    if all(choice.model == LOCAL for choice in choices):
        return "No cost: everything happens on this machine."
    known = sum(choice.price or 0.0 for choice in choices)
    unknown = any(choice.price is None for choice in choices)
    return f"About {dollars(known)} a question{', and what models without a known price cost' if unknown else ''}."


def _tokens(
    role: Role, provider: str, options: AnswerOptions, settings: Settings, registry: Registry
) -> tuple[int, int]:
    """Return tokens in and out; pictures are taken for squares, the shape that costs most."""
    if role is Role.RERANK:
        return _RULES_TOKENS + settings.candidates * _CANDIDATE_TOKENS, _CHOICE_TOKENS
    if role is Role.SYNTHESIS:
        read = settings.whole_corpus_tokens if settings.whole_corpus else options.sections * _SECTION_TOKENS
        return _RULES_TOKENS + read, _ANSWER_TOKENS
    picture = registry.image_tokens(provider, options.image_side, options.image_side)
    return _RULES_TOKENS + options.max_figures * picture, _CHOICE_TOKENS
