"""What a run was made with: settings, models, prompts, versions, commit, machine, and fingerprints of what it read."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any, get_args

from pydantic import SecretStr

import headtree
from headtree.evaluation.gold import Suite
from headtree.evaluation.verdicts import JUDGE_NAME
from headtree.indexing.documents import find_documents
from headtree.indexing.images import IMAGE_SUFFIXES
from headtree.models.prompts import VERSIONS
from headtree.models.registry import LOCAL, Registry, Role
from headtree.pipeline import OpenIndex
from headtree.settings import Settings

_PACKAGES = ("faiss-cpu", "onnxruntime", "tokenizers", "numpy", "markdown-it-py", "google-genai", "anthropic")

_FIXED = MappingProxyType(
    {
        "questions_hash": "other questions",
        "corpus_hash": "other documents",
        "settings": "other settings",
        "models": "other models",
        "prompts": "other prompts",
        "git_commit": "another commit of headtree",
        "versions": "other versions of packages",
    }
)
"""What may not change within one run, with the words for it."""
_PACE = frozenset(
    {
        "chats",
        "chat_uploads",
        "model_seconds",
        "model_attempts",
        "retry_seconds",
        "requests_per_minute",
        "tokens_per_minute",
        "model_concurrency",
    }
)
"""Settings that decide no answer: after an outage one may want to go slower."""


def describe_run(suite: Suite, opened: OpenIndex, *, command: str = "") -> dict[str, Any]:
    """Return the run record; no absolute path and no secret stands in it.

    Args:
        suite: the questions.
        opened: the index that is asked, with its settings and models.
        command: what makes the run again, where there is such a command.
    """
    settings = opened.settings
    commit, dirty = git_state(Path(headtree.__file__).parent)
    return {
        "suite": suite.name,
        "command": command,
        "settings": portable_settings(settings),
        "models": models_of(opened),
        "prompts": {name: number for name, number in VERSIONS.items() if name != JUDGE_NAME},
        "git_commit": commit,
        "git_dirty": dirty,
        "questions_hash": questions_hash(suite),
        "corpus_hash": corpus_hash(settings.documents),
        "versions": versions(),
        "machine": {
            "system": platform.system(),
            "processor": platform.machine(),
            "cores": os.cpu_count(),
            "python": platform.python_version(),
        },
    }


def models_of(opened: OpenIndex) -> dict[str, str]:
    """Return who takes which step: what ``auto`` came to on this machine."""
    settings, models = opened.settings, opened.models
    registry = Registry(settings)
    noise = registry.chat_model(Role.NOISE) if settings.noise_filter else None
    describer = registry.chat_model(Role.DESCRIBER) if settings.describe_figures else None
    context = registry.chat_model(Role.CONTEXT) if settings.contextual_chunks else None
    return {
        "embedder": opened.embedder.name if opened.embedder else "none",
        "noise": noise.name if noise else LOCAL,
        "describer": describer.name if describer else "none",
        "context": context.name if context else "none",
        "rerank": models.rerank.name if models.rerank else LOCAL,
        "synthesis": models.synthesis.name if models.synthesis else LOCAL,
        "vision": models.vision.name if models.vision else "none",
    }


def first_change(before: Mapping[str, Any], record: Mapping[str, Any]) -> str | None:
    """Say what is different between two run records so that their answers do not belong together."""
    return next((words for name, words in _FIXED.items() if _fixed(before, name) != _fixed(record, name)), None)


def _fixed(record: Mapping[str, Any], name: str) -> Any:
    value = record.get(name)
    if name == "settings" and isinstance(value, dict):
        return {key: item for key, item in value.items() if key not in _PACE}
    return value


def portable_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON values: paths seen from the working folder, secrets left out."""
    values: dict[str, Any] = {}
    for name, field in type(settings).model_fields.items():
        value = getattr(settings, name)
        if SecretStr in get_args(field.annotation):
            continue
        if isinstance(value, Path) or (isinstance(value, str) and Path(value).is_absolute()):
            values[name] = path_from_here(value)
        else:
            values[name] = list(value) if isinstance(value, tuple) else value
    return values


def path_from_here(path: Path | str) -> str:
    """Return a path as seen from the working folder; of a far one the name alone, for the rest is this machine's."""
    seen = Path(os.path.relpath(path)).as_posix()
    return Path(path).name if seen.startswith("../../") else seen


def git_state(folder: Path) -> tuple[str | None, bool | None]:
    """Return the commit of the code and whether it has changes; ``None`` where it is no checkout.

    A package that is installed below somebody's own repository is none of that repository's files.
    """
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None or not _git(folder, "ls-files", "."):
        return None, None
    return commit, bool(_git(folder, "status", "--porcelain", "--untracked-files=no"))


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", *arguments], cwd=folder, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip()


def versions() -> dict[str, str]:
    """Return the versions of what decides results, as far as it is installed."""
    found = {"headtree": headtree.__version__}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def corpus_hash(documents: Path) -> str:
    """Return a fingerprint of the documents: paths and bytes of the Markdown files, paths and sizes of the images."""
    digest = hashlib.sha256()
    for source in find_documents(documents):
        digest.update(source.path.encode())
        digest.update(hashlib.sha256((documents / source.path).read_bytes()).digest())
    images = (file for file in documents.rglob("*") if file.suffix.lower() in IMAGE_SUFFIXES and file.is_file())
    for path, size in sorted((file.relative_to(documents).as_posix(), file.stat().st_size) for file in images):
        digest.update(f"{path}\0{size}\n".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()[:16]


def questions_hash(suite: Suite) -> str:
    """Return a fingerprint of the questions and their gold."""
    return hashlib.sha256(repr(suite.questions).encode()).hexdigest()[:16]
