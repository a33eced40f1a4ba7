"""Validated settings: defaults, then ``config.py`` or ``headtree.toml``, then the environment and ``.env``.

Every setting can be given as an environment variable with the prefix ``HEADTREE_`` (``HEADTREE_MAX_FIGURES=4``).
The environment wins over the file, so that a run can be varied without an edit.
"""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)
from pydantic_settings import (
    SettingsError as UnreadableValueError,
)

from headtree.errors import SettingsError

MAX_FIGURES = 6
"""Upper limit of pictures in an answer, as published for Proxy-Pointer RAG; a setting may only lower it."""
MAX_IMAGE_SIDE = 1568
"""Pixels; a longer side would be scaled down by the services, and paid for all the same."""


class Settings(BaseSettings):
    """All that a user may set; frozen, passed on explicitly, varied with ``model_copy(update=...)``."""

    model_config = SettingsConfigDict(
        env_prefix="HEADTREE_",
        env_file=".env",
        env_file_encoding="utf-8",
        extra="ignore",
        frozen=True,
        populate_by_name=True,
    )

    # Where things are
    documents: Path = Field(Path("data/documents"), description="Folder of Markdown documents and their images.")
    index: Path = Field(Path("data/index"), description="Folder of the index; safe to delete, it is built again.")
    chats: Path = Field(Path("data/chats"), description="Folder of the chat's conversations and feedback.")

    # How documents are read
    heading_repair: bool = Field(True, description="Let numbering decide depth and demote false headings.")
    noise_filter: bool = Field(True, description="Leave contents, references, glossaries and the like unindexed.")
    noise_titles: tuple[str, ...] = Field(
        (), description="More section titles to leave out: regular expressions, matched whole, case ignored."
    )
    keep_titles: tuple[str, ...] = Field(
        (), description="Section titles to index whatever the noise filter says: regular expressions."
    )
    chunk_characters: int = Field(1000, ge=200, le=4000, description="Aimed-at size of a chunk in characters.")

    # Search
    embedder: str = Field(
        "auto",
        description="`auto` (Gemini where its key is set, else local), `local` (bundled MiniLM), `none` (lexical "
        "search only), `gemini/<model>`, or a folder with an ONNX model.",
    )
    embedding_dimensions: int = Field(1536, ge=128, le=3072, description="Length of Gemini's vectors.")
    milvus_uri: str | None = Field(
        None,
        description="Keep vectors in Milvus: a server (`http://host:19530`), or a file that ends in `.db`, to try it. "
        "Not set: in a FAISS file in the index folder.",
    )
    milvus_token: SecretStr | None = Field(None, description="`user:password` or the key of the server.")
    recall_chunks: int = Field(200, ge=5, le=2000, description="Chunks that each search list gives.")
    candidates: int = Field(50, ge=5, le=500, description="Sections that are re-ranked.")
    sections: int = Field(5, ge=1, le=20, description="Sections that are read to answer (k).")
    evidence_characters: int = Field(
        60_000, ge=2000, le=1_000_000, description="Most text that is read; longer sections are cut round the hit."
    )

    # Answer
    max_figures: int = Field(MAX_FIGURES, ge=0, le=MAX_FIGURES, description="Most pictures in an answer.")

    # Language models: `auto` (Gemini where its key is set, else Claude where its is, else local), `local`, or
    # `gemini/<model>` or `claude/<model>`
    noise_model: str = Field("auto", description="Leaves noise unindexed, together with the rules.")
    contextual_chunks: bool = Field(
        False,
        description="Let a model write, once per chunk, a sentence or two that place it in its document; they are "
        "embedded and searched with it. `headtree index` says what it costs and asks first.",
    )
    context_model: str = Field("auto", description="Writes them where CONTEXTUAL_CHUNKS is on.")
    describe_figures: bool = Field(
        False,
        description="Let a model look at each figure once and write what it shows and the words in it; they are "
        "searched and given to the answering model. `headtree index` says what it costs and asks first.",
    )
    describer_model: str = Field("auto", description="Which one, where DESCRIBE_FIGURES is on.")
    rerank_model: str = Field("auto", description="Chooses the sections that are read.")
    synthesis_model: str = Field("auto", description="Writes the answer and chooses its pictures.")
    vision_model: str = Field("auto", description="Looks at the chosen pictures where VISION_FILTER is on.")
    whole_corpus: bool = Field(
        False, description="Let the model read the chosen documents whole, where they fit, in place of sections."
    )
    whole_corpus_tokens: int = Field(200_000, ge=1000, description="Most tokens of documents that are read whole.")
    vision_filter: bool = Field(False, description="Let a model look at the chosen pictures and drop what is wrong.")
    image_side: int = Field(
        MAX_IMAGE_SIDE,
        ge=256,
        le=MAX_IMAGE_SIDE,
        description="Longest side, in pixels, of a picture that the vision filter sends; fewer cost less with Claude.",
    )
    gemini_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("HEADTREE_GEMINI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
        description="Best left in the environment or in .env, as GEMINI_API_KEY.",
    )
    anthropic_api_key: SecretStr | None = Field(
        None,
        validation_alias=AliasChoices("HEADTREE_ANTHROPIC_API_KEY", "ANTHROPIC_API_KEY"),
        description="Best left in the environment or in .env, as ANTHROPIC_API_KEY.",
    )
    gemini_base_url: str | None = Field(None, description="Another address for Gemini.")
    claude_base_url: str | None = Field(
        None, description="A server that speaks the Messages API, without `/v1`: `http://127.0.0.1:8080`."
    )
    model_seconds: float = Field(120.0, gt=0, le=3600, description="Most time for one request with all its attempts.")
    model_attempts: int = Field(4, ge=1, le=10, description="Attempts of one request, the first included.")
    retry_seconds: float = Field(1.0, gt=0, le=60, description="First wait before another attempt; it doubles.")
    requests_per_minute: int = Field(3000, ge=1, description="Limit per provider; each embedded text counts as one.")
    tokens_per_minute: int = Field(2_000_000, ge=1000, description="Limit of input per provider, estimated.")
    model_concurrency: int = Field(4, ge=1, le=64, description="Requests to one provider at the same time.")

    # Chat
    chat_uploads: bool = Field(True, description="Whether visitors of the chat may add and remove documents.")

    @field_validator("embedder")
    @classmethod
    def _embedder_is_known(cls, value: str) -> str:
        if value in {"auto", "local", "none"} or re.fullmatch(r"gemini/[\w.-]+", value) or Path(value).is_dir():
            return value
        raise ValueError(
            "must be 'auto', 'local', 'none', 'gemini/<model>' or a folder that holds model.onnx and vocab.txt"
        )

    @field_validator(
        "noise_model", "context_model", "describer_model", "rerank_model", "synthesis_model", "vision_model"
    )
    @classmethod
    def _model_is_named(cls, value: str) -> str:
        if value in {"auto", "local"} or re.fullmatch(r"(?:gemini|claude)/[\w.:/@-]+", value):
            return value
        raise ValueError("must be 'auto', 'local', 'gemini/<model>' or 'claude/<model>'")

    @field_validator("noise_titles", "keep_titles")
    @classmethod
    def _patterns_compile(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for pattern in value:
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error
        return value


def load_settings(config_file: Path | None = None, **overrides: Any) -> Settings:
    """Read the settings file (where there is one), the environment and ``.env``, and apply ``overrides`` on top.

    The file is ``config.py``, the user's own Python file, whose upper-case names are settings (``MAX_FIGURES = 4``),
    or ``headtree.toml`` (``max_figures = 4``), which is read and not run. An override of ``None`` counts as not given.

    Raises:
        SettingsError: a name is unknown or a value is not allowed; the message lists each with what is allowed.
            Or both files are there.
    """
    path = config_file or _settings_file()
    from_file = _read_file(path) if path and path.is_file() else {}

    class FromFile(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return init_settings, env_settings, dotenv_settings, InitSettingsSource(settings_cls, from_file)

    try:
        loaded = FromFile(**{name: value for name, value in overrides.items() if value is not None})
    except ValidationError as error:
        raise SettingsError(_explain(error)) from error
    except UnreadableValueError as error:
        raise SettingsError(f'{error}; a list is written as JSON: ["our offices"]') from error
    return Settings.model_construct(**loaded.model_dump())


def _settings_file() -> Path | None:
    """Return the settings file of the current folder; two would leave in doubt which is in force."""
    found = [path for path in (Path("config.py"), Path("headtree.toml")) if path.is_file()]
    if len(found) > 1:
        raise SettingsError("there are config.py and headtree.toml in this folder; keep your settings in one of them")
    return found[0] if found else None


def _read_file(path: Path) -> dict[str, Any]:
    values = _read_toml(path) if path.suffix == ".toml" else _run_config(path)
    unknown = sorted(set(values) - set(Settings.model_fields))
    if unknown:
        known = ", ".join(sorted(name.upper() for name in Settings.model_fields))
        raise SettingsError(f"{path}: unknown setting {unknown[0].upper()}; known settings: {known}")
    return values


def _run_config(path: Path) -> dict[str, Any]:
    """Run the user's settings file and take its upper-case names."""
    try:
        names = runpy.run_path(str(path))
    except Exception as error:  # the file is the user's own program: whatever it raises is theirs to mend
        raise SettingsError(f"{path} cannot be run: {type(error).__name__}: {error}") from error
    return {name.lower(): value for name, value in names.items() if name.isupper()}


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{path} is not valid TOML: {error}") from error
    return {name.lower(): value for name, value in values.items()}


def _explain(error: ValidationError) -> str:
    """One line per wrong value: its name, the value and what is allowed."""
    lines = []
    for item in error.errors():
        name = ".".join(str(part) for part in item["loc"]).upper()
        lines.append(f"setting {name} = {item['input']!r}: {item['msg'].removeprefix('Value error, ')}")
    return "; ".join(lines)
