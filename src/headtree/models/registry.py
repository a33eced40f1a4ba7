"""Which model takes which role: the settings' choice, or with ``auto`` the first provider that has a key."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

from headtree.errors import ModelUnavailableError
from headtree.models.calling import Caller, CallPolicy
from headtree.models.catalogue import CLAUDE, GEMINI, PROVIDERS, ModelCard, find_card
from headtree.models.chat import ChatService, ServiceChat
from headtree.models.claude import KEY_VARIABLE as CLAUDE_KEY
from headtree.models.claude import ClaudeService
from headtree.models.embedding_cache import CachedEmbedder
from headtree.models.gemini import KEY_VARIABLE as GEMINI_KEY
from headtree.models.gemini import GeminiService
from headtree.models.gemini_embedder import GeminiEmbedder
from headtree.models.local import load_local_embedder
from headtree.models.paid_results import PaidResults
from headtree.models.protocols import ChatModel, Embedder
from headtree.settings import Settings

AUTO = "auto"
LOCAL = "local"


class Role(StrEnum):
    """What a chat model is for; the values name the settings."""

    NOISE = "noise_model"
    CONTEXT = "context_model"
    DESCRIBER = "describer_model"
    RERANK = "rerank_model"
    SYNTHESIS = "synthesis_model"
    VISION = "vision_model"


DEFAULT_MODELS: Mapping[tuple[str, Role], str] = MappingProxyType(
    {
        (GEMINI, Role.NOISE): "gemini-3.8-flash",
        (GEMINI, Role.CONTEXT): "gemini-3.8-flash",
        (GEMINI, Role.DESCRIBER): "gemini-3.8-flash",
        (GEMINI, Role.RERANK): "gemini-3.8-flash",
        (GEMINI, Role.SYNTHESIS): "gemini-3.8-flash",
        (GEMINI, Role.VISION): "gemini-3.8-flash",
        (CLAUDE, Role.NOISE): "claude-haiku-5-5",
        (CLAUDE, Role.CONTEXT): "claude-haiku-5-5",
        (CLAUDE, Role.DESCRIBER): "claude-haiku-5-5",
        (CLAUDE, Role.RERANK): "claude-haiku-5-5",
        (CLAUDE, Role.SYNTHESIS): "claude-sonnet-5-5",
        (CLAUDE, Role.VISION): "claude-sonnet-5-5",
    }
)
"""What ``auto`` takes: a small model for choosing, a larger one for writing and looking."""
_DEFAULT_EMBEDDING_MODEL = "gemini-embedding-001"
_KEY_VARIABLES = {GEMINI: GEMINI_KEY, CLAUDE: CLAUDE_KEY}
_PACKAGES = {GEMINI: "google.genai", CLAUDE: "anthropic"}


class Registry:
    """The models of some settings; those of one provider share its client and its limits. Nothing is imported yet."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        policy = CallPolicy(
            seconds=settings.model_seconds,
            attempts=settings.model_attempts,
            first_wait=settings.retry_seconds,
            requests_per_minute=settings.requests_per_minute,
            tokens_per_minute=settings.tokens_per_minute,
            concurrency=settings.model_concurrency,
        )
        self._callers = {provider: Caller(provider, policy) for provider in PROVIDERS}
        self._gemini = GeminiService(self._key(GEMINI) or "", settings.gemini_base_url)
        # A server of one's own mostly takes any key; the SDK wants one.
        claude = ClaudeService(self._key(CLAUDE) or LOCAL, settings.claude_base_url)
        self._services: Mapping[str, ChatService] = {GEMINI: self._gemini, CLAUDE: claude}

    def chat_model(self, role: Role, choice: str = "") -> ChatModel | None:
        """Return the model of a role; ``None`` where the local path takes it.

        Args:
            role: what it is for.
            choice: what to take in place of the settings' choice.

        Raises:
            ModelUnavailableError: the settings name a provider whose key is not set.
        """
        choice = choice or str(getattr(self._settings, role.value))
        if choice == AUTO:
            choice = self.automatic(role)
        if choice == LOCAL:
            return None
        card = self._card(choice, role.value)
        return ServiceChat(card, self._services[card.provider], self._callers[card.provider])

    def automatic(self, role: Role) -> str:
        """Return what ``auto`` stands for: ``provider/model``, or ``local``."""
        provider = next((name for name in PROVIDERS if self._key(name)), None)
        return f"{provider}/{DEFAULT_MODELS[provider, role]}" if provider else LOCAL

    def image_tokens(self, provider: str, width: int, height: int) -> int:
        """Return what an image of some size in pixels costs a provider's models in tokens; no key is needed."""
        return self._services[provider].image_tokens(width, height)

    def lack(self, provider: str) -> str:
        """Return what a provider's models need before they can be asked; empty where they can."""
        if not self._reachable(provider):
            return f"{_KEY_VARIABLES[provider]} is not set in the environment or in .env"
        if not _is_installed(_PACKAGES[provider]):
            return f"its package is not installed: pip install 'headtree[{provider}]'"
        return ""

    def embedder(self, *, made_with: str | None = None) -> Embedder | None:
        """Return the embedder; ``None`` where searches go by words only.

        Args:
            made_with: the space of the index that is asked; with ``auto`` the embedder follows it, so that an index
                answers with what it was made with until the next build replaces it.

        Raises:
            ModelUnavailableError: it is not installed, or its key is not set.
        """
        choice = self._settings.embedder
        dimensions = self._settings.embedding_dimensions
        if choice == "none" or (choice == AUTO and made_with == ""):
            return None
        if choice == AUTO and made_with and made_with.startswith(f"{GEMINI}/"):
            choice, _, length = made_with.partition("@")
            dimensions = int(length)
        elif choice == AUTO and made_with:
            choice = LOCAL
        elif choice == AUTO:
            choice = f"{GEMINI}/{_DEFAULT_EMBEDDING_MODEL}" if self._key(GEMINI) else LOCAL
        if not choice.startswith(f"{GEMINI}/"):
            return load_local_embedder(choice)
        card = self._card(choice, "embedder")
        embedder = GeminiEmbedder(card, dimensions, self._gemini, self._callers[GEMINI])
        return CachedEmbedder(embedder, PaidResults(self._settings.index))

    def _card(self, choice: str, setting: str) -> ModelCard:
        provider, model = choice.split("/", 1)
        if not self._reachable(provider):
            raise ModelUnavailableError(
                f"{setting.upper()} is {choice}, but {_KEY_VARIABLES[provider]} is not set; "
                f"set it in the environment or in .env, or set {setting.upper()} = 'local'"
            )
        return find_card(provider, model)

    def _reachable(self, provider: str) -> bool:
        return bool(self._key(provider) or (provider == CLAUDE and self._settings.claude_base_url))

    def _key(self, provider: str) -> str | None:
        secret = self._settings.gemini_api_key if provider == GEMINI else self._settings.anthropic_api_key
        return (secret.get_secret_value().strip() or None) if secret else None


def _is_installed(package: str) -> bool:
    try:
        return importlib.util.find_spec(package) is not None
    except ModuleNotFoundError:  # the package that it stands in
        return False
