"""Runs over a real small index: the log after each question, errors as rows, resuming, outages apart."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headtree.errors import HeadtreeError, VectorStoreError
from headtree.evaluation.gold import Suite
from headtree.evaluation.record import git_state
from headtree.evaluation.runlog import read_log, write_json
from headtree.evaluation.runner import RunOptions, run_suite
from headtree.evaluation.suite import read_suite
from headtree.indexing.index import Index
from headtree.pipeline import OpenIndex, build_index
from headtree.settings import Settings

TIMINGS = {"time_seconds", "timings", "latency"}


def without_timings(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_timings(item) for key, item in value.items() if key not in TIMINGS}
    return [without_timings(item) for item in value] if isinstance(value, list) else value


@pytest.fixture
def plain(write_questions: Any, plain_rows: Any) -> Suite:
    return read_suite(write_questions(*plain_rows))


def test_a_row_has_the_fields_that_scripts_rely_on(
    opened: OpenIndex, write_questions: Any, boiling: Any, tmp_path: Path
) -> None:
    log = run_suite(read_suite(write_questions(boiling)), opened, RunOptions(tmp_path / "out"))
    (row,) = log["results"]
    assert (row["id"], row["category"], row["query"]) == ("boil", "figure", boiling["query"])
    assert row["response"] == row["answer"] != ""
    assert row["sources"][0] == " > ".join(row["sections"][0]["breadcrumb"])
    assert row["images_found"] == [{"label": "Figure 1", "path": "kettle/figures/curve.png", "exists": True}]
    assert row["time_seconds"] > 0
    answer_fields = {
        "question",
        "answerable",
        "mode",
        "citations",
        "sections",
        "figures",
        "figure_decisions",
        "usage",
        "warnings",
    }
    assert answer_fields <= set(row)
    assert row["scores"]["section_recall@5"] == row["scores"]["figure_recall"] == row["scores"]["perfect"] == 1.0
    assert row["diagnosis"] == {"layer": None, "findings": []}
    summary = log["run_summary"]
    assert (summary["total"], summary["completed"], summary["failed"]) == (1, 1, 0)
    assert {"settings", "git_commit", "metrics", "versions", "machine", "corpus_hash"} <= set(summary)
    assert read_log(tmp_path / "out" / "test_log.json") == json.loads(json.dumps(log))


def test_no_absolute_path_stands_in_the_log(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    log = run_suite(plain, opened, RunOptions(tmp_path / "out"))
    assert str(tmp_path) not in json.dumps(log)


def test_questions_without_gold_are_asked_and_reported(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    log = run_suite(plain, opened, RunOptions(tmp_path / "out"))
    assert log["run_summary"]["completed"] == 10
    assert [row["id"] for row in log["results"]] == list(range(1, 11))
    assert set(log["run_summary"]["metrics"]) <= {"context_lines", "citations_verified", "numbers_cited"}


def test_it_is_saved_after_every_question(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    path = tmp_path / "out" / "test_log.json"
    seen: list[tuple[int, int, int]] = []

    def watch(row: Any, done: int, total: int) -> None:
        saved = read_log(path)
        assert saved["results"][-1]["id"] == row["id"]
        seen.append((done, total, len(saved["results"])))

    run_suite(plain, opened, RunOptions(tmp_path / "out"), watch=watch)
    assert seen == [(n, 10, n) for n in range(1, 11)]


def test_a_question_that_fails_is_a_row_with_its_error(
    opened: OpenIndex, write_questions: Any, boiling: Any, tmp_path: Path
) -> None:
    suite = read_suite(write_questions({**boiling, "query": "  "}, {"id": "broken"}, boiling | {"id": "good"}))
    log = run_suite(suite, opened, RunOptions(tmp_path / "out"))
    blank, broken, good = log["results"]
    assert blank["error"] == "the question is empty"
    assert blank["scores"]["figure_recall"] == blank["scores"]["perfect"] == blank["scores"]["mrr"] == 0.0
    assert "query: Field required" in broken["error"]
    assert "error" not in good
    summary = log["run_summary"]
    assert (summary["total"], summary["completed"], summary["failed"], summary["outages"]) == (3, 1, 2, 0)
    assert summary["metrics"]["perfect"] == 0.5


def test_resuming_asks_only_what_is_left(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    out = tmp_path / "out"
    log = run_suite(plain, opened, RunOptions(out))
    write_json(out / "test_log.json", {**log, "results": log["results"][:4]})
    asked: list[Any] = []
    log = run_suite(plain, opened, RunOptions(out, resume=True), watch=lambda row, done, total: asked.append(row["id"]))
    assert asked == list(range(5, 11))
    assert [row["id"] for row in log["results"]] == list(range(1, 11))


def test_a_new_run_keeps_the_log_that_it_finds(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    first = run_suite(plain, opened, RunOptions(tmp_path / "out"))
    run_suite(plain, opened, RunOptions(tmp_path / "out"))
    assert read_log(tmp_path / "out" / "test_log.previous.json")["results"] == json.loads(json.dumps(first["results"]))


def test_questions_at_the_same_time_give_the_same_log(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    one = run_suite(plain, opened, RunOptions(tmp_path / "one"))
    four = run_suite(plain, opened, RunOptions(tmp_path / "four", jobs=4))
    assert without_timings(one) == without_timings(four)


KILLED = """
import os, signal, sys
from collections.abc import Sequence
from pathlib import Path
from headtree.evaluation.runner import RunOptions, run_suite
from headtree.evaluation.suite import read_suite
from headtree.pipeline import open_index
from headtree.settings import Settings

questions, documents, index, out = map(Path, sys.argv[1:])
settings = Settings(documents=documents, index=index, embedder="none", _env_file=None)
def watch(row, done, total):
    if done == 3:
        os.kill(os.getpid(), signal.SIGKILL)
run_suite(read_suite(questions), open_index(settings), RunOptions(out), watch=watch)
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_a_killed_run_that_is_resumed_gives_the_file_of_one_that_was_not(
    opened: OpenIndex, plain: Suite, tmp_path: Path
) -> None:
    settings = opened.settings
    arguments = [tmp_path / "tea.json", settings.documents, settings.index, tmp_path / "killed"]
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *map(str, arguments)], env={**os.environ}, capture_output=True, check=False
    )
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    assert len(read_log(tmp_path / "killed" / "test_log.json")["results"]) == 3
    run_suite(plain, opened, RunOptions(tmp_path / "killed", resume=True))
    run_suite(plain, opened, RunOptions(tmp_path / "whole"))
    killed, whole = (read_log(tmp_path / name / "test_log.json") for name in ("killed", "whole"))
    assert without_timings(killed) == without_timings(whole)


def test_a_run_with_other_settings_is_not_resumed(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_suite(plain, opened, RunOptions(out))
    other = OpenIndex(opened.settings.model_copy(update={"sections": 3}), opened.index, opened.embedder)
    with pytest.raises(HeadtreeError, match="other settings"):
        run_suite(plain, other, RunOptions(out, resume=True))


def test_a_run_over_changed_documents_is_not_resumed(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    run_suite(plain, opened, RunOptions(tmp_path / "out"))
    with (opened.settings.documents / "teapot" / "teapot.md").open("a", encoding="utf-8") as file:
        file.write("\nMore.\n")
    with pytest.raises(HeadtreeError, match="other documents"):
        run_suite(plain, opened, RunOptions(tmp_path / "out", resume=True))


def test_a_picture_that_is_gone_is_another_corpus(opened: OpenIndex, plain: Suite, tmp_path: Path) -> None:
    run_suite(plain, opened, RunOptions(tmp_path / "out"))
    (opened.settings.documents / "kettle" / "figures" / "curve.png").unlink()
    with pytest.raises(HeadtreeError, match="other documents"):
        run_suite(plain, opened, RunOptions(tmp_path / "out", resume=True))


def test_a_repository_that_headtree_is_only_installed_in_is_not_its_own(tmp_path: Path) -> None:
    (tmp_path / "theirs.py").touch()
    author = ["-c", "user.name=a", "-c", "user.email=a@b"]
    for command in (["init", "-q"], ["add", "."], [*author, "commit", "-q", "-m", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    installed = tmp_path / ".venv" / "headtree"
    installed.mkdir(parents=True)
    (installed / "__init__.py").touch()
    assert git_state(installed) == (None, None)
    commit, dirty = git_state(tmp_path)
    assert commit is not None
    assert dirty is False


class WordLengths:
    """Embeds a text by the lengths of its words: enough for an index with vectors."""

    name, dimensions = "lengths", 8

    def embed_documents(self, texts: Sequence[str]) -> Any:
        counts = np.array([[sum(len(w) % 8 == n for w in text.split()) + 1 for n in range(8)] for text in texts])
        return (counts / np.linalg.norm(counts, axis=1, keepdims=True)).astype(np.float32)

    def embed_query(self, text: str) -> Any:
        return self.embed_documents([text])


class LostServer:
    """A vector store whose server went away after the index was opened."""

    size = 3

    def load(self, *where: Any) -> LostServer:
        return self

    def search(self, *what: Any, **how: Any) -> Any:
        raise VectorStoreError("the server does not answer")


def test_vectors_that_cannot_be_reached_are_an_outage(settings: Settings, plain: Suite, tmp_path: Path) -> None:
    build_index(settings, embedder=WordLengths())
    index = Index(settings.index, space="lengths", store=LostServer())
    log = run_suite(plain, OpenIndex(settings, index, WordLengths()), RunOptions(tmp_path / "out"))
    assert log["run_summary"]["outages"] == 10
    assert log["results"][0]["error"] == "the server does not answer"
