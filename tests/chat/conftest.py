"""Fixtures of the chat's tests: a corpus, its workspace, a server whose answers follow a script, and its visitors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat.corpus import environment, make_corpus
from tests.chat.visitor import SCRIPT, Server, Visitor, serve


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the corpus, not indexed yet, that the settings in the environment point to."""
    make_corpus(tmp_path)
    for name, value in environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    return tmp_path


@pytest.fixture
def workspace(home: Path) -> Any:
    """A workspace over the indexed corpus."""
    from headtree.chat.workspace import Workspace
    from headtree.pipeline import build_index
    from headtree.settings import load_settings

    settings = load_settings()
    build_index(settings)
    return Workspace(settings)


@pytest.fixture(scope="session")
def screenshots(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where pictures of the page go: ``HEADTREE_TEST_SCREENSHOTS``, or a folder of pytest's."""
    chosen = os.environ.get("HEADTREE_TEST_SCREENSHOTS")
    folder = Path(chosen) if chosen else tmp_path_factory.mktemp("screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One for all tests that leave its documents as they are."""
    home = tmp_path_factory.mktemp("chat")
    make_corpus(home)
    with serve(SCRIPT, home) as running:
        yield running


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:
    """Somebody with a browser of their own."""
    one = Visitor(browser, server)
    yield one
    one.context.close()


@pytest.fixture(scope="module")
def six(browser: Any, server: Server) -> Iterator[Visitor]:
    """A visitor before an answer with six pictures, for tests that leave it as it is."""
    one = Visitor(browser, server)
    one.open()
    one.ask("six pictures cost $5")
    yield one
    one.context.close()
