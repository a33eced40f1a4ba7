"""What a run was made with: settings, versions, commit, machine and a fingerprint of documents and questions."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from pydantic import SecretStr

import headtree
from headtree.evaluation.gold import Suite
from headtree.indexing.documents import find_documents
from headtree.settings import Settings

_PACKAGES = ("faiss-cpu", "onnxruntime", "tokenizers", "numpy", "markdown-it-py", "google-genai", "anthropic")


def describe_run(suite: Suite, settings: Settings, *, command: str = "") -> dict[str, Any]:
    """Return the run record; no absolute path and no secret stands in it.

    Args:
        suite: the questions.
        settings: of the run.
        command: what makes the run again, where there is such a command.
    """
    commit, dirty = git_state(Path(headtree.__file__).parent)
    return {
        "suite": suite.name,
        "command": command,
        "settings": portable_settings(settings),
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


def portable_settings(settings: Settings) -> dict[str, Any]:
    """Return the settings as JSON values: paths seen from the working folder, secrets left out."""
    values: dict[str, Any] = {}
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, SecretStr):
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
    """Return the commit of the code and whether it has changes; ``None`` where it is no checkout."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
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
    """Return a fingerprint of all Markdown files: their paths and bytes."""
    digest = hashlib.sha256()
    for source in find_documents(documents):
        digest.update(source.path.encode())
        digest.update(hashlib.sha256((documents / source.path).read_bytes()).digest())
    return digest.hexdigest()[:16]


def questions_hash(suite: Suite) -> str:
    """Return a fingerprint of the questions and their gold."""
    return hashlib.sha256(repr(suite.questions).encode()).hexdigest()[:16]
