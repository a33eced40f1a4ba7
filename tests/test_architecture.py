"""The arrows between the packages, and what importing them may load."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.library import ROOT

SOURCE = ROOT / "src" / "headtree"
LAYERS = [
    {"types", "errors", "settings"},
    {"extraction", "indexing", "models"},
    {"retrieval"},
    {"synthesis"},
    {"steps"},
    {"pipeline"},
    {"evaluation", "chat"},
    {"notebook"},
    {"api"},
    {"cli"},
]
"""Each may import what stands above it, and its own package."""
ALLOWED_BESIDE = {("indexing", "models")}
"""The index is built with an embedder: of its neighbour it knows the protocol."""
SDKS = {"google", "anthropic", "onnxruntime", "openvino", "tokenizers", "adobe"}
HEAVY = [
    "faiss",
    "onnxruntime",
    "openvino",
    "tokenizers",
    "streamlit",
    "google.genai",
    "anthropic",
    "matplotlib",
    "pymilvus",
]

FILES = sorted(SOURCE.rglob("*.py"))


def name_of(file: Path) -> str:
    return file.relative_to(SOURCE).as_posix()


def part_of(file: Path) -> str:
    """The package or module right below ``headtree``."""
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def imports(file: Path) -> list[str]:
    """Everything that a file imports, also inside functions, as dotted names."""
    names = []
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return names


def layer_of(part: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if part in layer)


def parts_imported(file: Path) -> set[str]:
    return {name.split(".")[1] for name in imports(file) if name.startswith("headtree.")} - {"__version__"}


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_imports_go_downwards(file):
    own = part_of(file)
    if own in {"__init__", "__main__"}:
        return
    for other in parts_imported(file) - {own}:
        beside = (own, other) in ALLOWED_BESIDE or layer_of(own) == 0
        assert layer_of(other) < layer_of(own) or beside, f"{own} imports {other}"


def test_values_import_nothing_of_ours():
    for name in ("types.py", "errors.py"):
        assert parts_imported(SOURCE / name) == set()


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_vendor_sdks_stay_in_their_place(file):
    found = {name.split(".")[0] for name in imports(file)} & SDKS
    place = name_of(file)
    allowed = place.startswith("models/") or place == "extraction/adobe_sdk.py"
    if place.startswith("extraction/"):
        found &= {"google", "anthropic", "adobe"}  # layout detection and OCR run their own models
    assert allowed or not found, f"{place} imports {found}"


@pytest.mark.parametrize("file", FILES, ids=name_of)
def test_no_file_has_an_empty_name_or_is_too_long(file):
    assert file.name not in {"utils.py", "base.py", "helpers.py", "util.py", "common.py", "misc.py"}
    # All values stand in one file, whatever its length.
    assert file.name == "types.py" or len(file.read_text("utf-8").splitlines()) <= 400


def test_config_is_never_imported():
    assert not any(name.split(".")[0] == "config" for file in FILES for name in imports(file))


@pytest.mark.parametrize("module", ["headtree", "headtree.cli", "headtree.pipeline"])
def test_importing_loads_nothing_heavy(module):
    program = f"import sys, {module}; print([n for n in {HEAVY!r} if n in sys.modules])"
    result = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (result.stdout.strip(), result.stderr) == ("[]", "")
