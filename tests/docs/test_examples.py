"""The Python examples of the pages run as they stand, in a folder with two of the sample documents."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import PAGES, ROOT, python_blocks

WITH_PYTHON = [page for page in PAGES if python_blocks(page)]


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Work in a folder like a clone's, with word search only: the examples are about the calls, not the vectors."""
    for name in ("RS45-Manual", "LP217-Protocol"):
        shutil.copytree(ROOT / "data" / "documents" / name, tmp_path / "data" / "documents" / name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADTREE_EMBEDDER", "none")
    return tmp_path


@pytest.mark.parametrize("page", WITH_PYTHON, ids=[page.name for page in WITH_PYTHON])
def test_examples_of_a_page_run(page: Path, clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, Any] = {"__name__": "example"}
    for block in python_blocks(page):
        exec(compile(block, page.name, "exec"), names)

    assert "[1]" in capsys.readouterr().out


def test_readme_example_answers_its_question_with_the_right_table(
    clone: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names: dict[str, Any] = {}
    for block in python_blocks(ROOT / "README.md"):
        exec(compile(block, "README.md", "exec"), names)

    view = names["view"]
    assert view.answer.citations[0].breadcrumb[-1] == "6.3 Tightening torques"
    assert Path("data/documents/RS45-Manual/tables/table-5.png") in view.pictures
    assert all(file.is_file() for file in view.pictures)
