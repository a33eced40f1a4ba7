"""Builds that are killed, and searches while a build runs: what is found is the old state or the new one, whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

import pytest

from headtree.errors import Cancelled, HeadtreeError, IndexMissingError
from headtree.indexing.build import build
from headtree.indexing.index import Index
from headtree.pipeline import OpenIndex, answer
from tests.indexing.interrupted_build import WORDS
from tests.library import ROOT, WordEmbedder, make_settings, write

QUESTION = "What colour has the valve of the boiler house?"


def documents_of(version: str, count: int = 12):
    return {
        f"house{number}.md": f"# House {number}\n\nThe valve of the {version} boiler house has the {version} colour "
        f"number {number}.\n\n## Pump\n\nThe {version} pump {number} is loud.\n"
        for number in range(count)
    }


@pytest.fixture
def settings(tmp_path):
    write(tmp_path / "documents", documents_of("old"))
    return make_settings(tmp_path / "documents")


def run(settings, progress=lambda step: None):
    return build(settings, WordEmbedder(WORDS), fresh=False, progress=progress)


def opened(settings):
    embedder = WordEmbedder(WORDS)
    return OpenIndex(settings, Index(settings.index, space=embedder.name), embedder)


def quotes(index):
    return {citation.quote for citation in answer(index, QUESTION).citations}


def in_a_process(settings, place):
    command = [
        sys.executable,
        "-m",
        "tests.indexing.interrupted_build",
        str(settings.documents),
        str(settings.index),
        place,
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("place", ["embedding", "writing"])
def test_a_killed_first_build_is_gone_on_with(settings, place):
    assert in_a_process(settings, place).returncode == -signal.SIGKILL
    with pytest.raises(IndexMissingError, match="headtree index"):
        opened(settings)
    report = run(settings)
    assert report.chunks == 24
    assert report.embedded == 0, "the vectors that were stored before the kill are used"
    assert quotes(opened(settings))


@pytest.mark.parametrize("place", ["embedding", "writing", "vectors"])
def test_a_killed_build_leaves_a_whole_index(settings, place):
    run(settings)
    write(settings.documents, documents_of("new"))
    assert in_a_process(settings, place).returncode == -signal.SIGKILL
    found = quotes(opened(settings))
    wanted = "new" if place == "vectors" else "old"
    assert found
    assert all(f"{wanted} colour" in quote for quote in found)
    report = run(settings)
    assert report.embedded == 0
    assert all("new colour" in quote for quote in quotes(opened(settings)))
    assert len(list(settings.index.glob("vectors-*.faiss"))) == 1
    assert run(settings).documents.unchanged == 12


def test_a_build_that_is_stopped_goes_on(settings):
    def stop(step):
        if step.stage == "writing":
            raise Cancelled("stopped")

    with pytest.raises(Cancelled):
        run(settings, stop)
    assert run(settings).embedded == 0
    write(settings.documents, documents_of("new"))
    with pytest.raises(KeyboardInterrupt):
        run(settings, lambda step: (_ for _ in ()).throw(KeyboardInterrupt) if step.stage == "writing" else None)
    assert all("old colour" in quote for quote in quotes(opened(settings)))


def test_searches_during_builds_see_one_version(settings):
    run(settings)
    index = opened(settings)
    done = threading.Event()
    problems, seen = [], set()

    def ask():
        while not done.is_set():
            try:
                result = answer(index, QUESTION)
                versions = {word for c in result.citations for word in ("old", "new") if f"{word} colour" in c.quote}
                seen.update(versions)
                if len(versions) != 1 or not all(c.verified for c in result.citations):
                    problems.append(result)
            except Exception as error:
                problems.append(error)
                return

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for version in ("new", "old", "new", "old"):
            write(settings.documents, documents_of(version))
            run(settings)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert problems == []
    assert seen == {"old", "new"}


def test_an_open_index_sees_the_next_build(settings):
    run(settings)
    index = opened(settings)
    before = quotes(index)
    write(settings.documents, documents_of("new"))
    run(settings)
    assert quotes(index) != before
    assert all("new colour" in quote for quote in quotes(index))


def test_a_search_that_has_begun_keeps_its_state(settings):
    run(settings)
    with opened(settings).index.snapshot() as view:
        before = view.document("house3").lines
        write(settings.documents, documents_of("new"))
        run(settings)
        assert view.document("house3").lines == before
        assert view.document("house4").lines[2].startswith("The valve of the old boiler house")
        assert view.vectors.size == 24


def test_one_build_at_a_time(settings):
    def second(step):
        if step.stage == "embedding":
            with pytest.raises(HeadtreeError, match="another build is at work"):
                run(settings)

    assert run(settings, second).chunks == 24
    assert run(settings).documents.unchanged == 12
