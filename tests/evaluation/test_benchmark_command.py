"""``run_test_suite.py`` as a user runs it: exit codes, files, a folder of one's own documents."""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

RUNNER = Path(__file__).parents[2] / "run_test_suite.py"


@dataclass(frozen=True)
class Done:
    """What a finished command left."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the script as ``__main__``, in this process: to start Python anew each time would take most of the time."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HEADTREE_EMBEDDER", "none")

    def call(*arguments: Any) -> Done:
        monkeypatch.setattr(sys, "argv", [str(RUNNER), *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            runpy.run_path(str(RUNNER), run_name="__main__")
        return Done(int(left.value.code or 0), *capsys.readouterr())

    return call


def test_a_folder_of_ones_own_with_ten_plain_questions(
    run: Any, documents: Path, write_questions: Any, plain_rows: Any, tmp_path: Path
) -> None:
    done = run("--questions", write_questions(*plain_rows), "--documents", documents, "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "10 of 10 questions answered" in done.stdout
    log = json.loads((tmp_path / "out" / "test_log.json").read_text())
    assert [row["id"] for row in log["results"]] == list(range(1, 11))
    assert (tmp_path / "out" / "index" / "index.db").is_file()
    assert len(list((tmp_path / "out").glob("tea-local-*"))) == 3
    assert log["run_summary"]["command"].startswith("python run_test_suite.py --questions tea.json")


def test_compare_is_a_gate(run: Any, documents: Path, write_questions: Any, boiling: Any, tmp_path: Path) -> None:
    arguments = ["--questions", write_questions(boiling), "--documents", documents]
    assert run(*arguments, "--out", "old").returncode == 0
    old = tmp_path / "old" / "test_log.json"
    same = run(*arguments, "--out", "same", "--compare", old)
    assert same.returncode == 0, same.stderr
    assert "no measure differs" in same.stdout
    (documents / "kettle" / "figures" / "curve.png").unlink()
    worse = run(*arguments, "--out", "new", "--compare", old)
    assert worse.returncode == 3
    assert "worse: figure_recall got worse by 1.000" in worse.stderr
    assert run(*arguments, "--out", "new", "--compare", old, "--gate", "mrr=0").returncode == 0
    assert run(*arguments, "--out", "new", "--compare", old, "--gate", "mrr").returncode == 2
    better = run(*arguments, "--out", "old", "--compare", old)  # the old log is read before it is written
    assert better.returncode == 3


def test_a_failed_question_is_exit_1_and_the_rest_is_answered(
    run: Any, documents: Path, write_questions: Any, boiling: Any, tmp_path: Path
) -> None:
    questions = write_questions({**boiling, "query": ""}, {**boiling, "id": "good"})
    done = run("--questions", questions, "--documents", documents, "--out", "out")
    assert done.returncode == 1
    assert "question 1 (boil): query:" in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("error: 1 of 2 questions failed")
    assert "Traceback" not in done.stderr
    assert json.loads((tmp_path / "out" / "test_log.json").read_text())["run_summary"]["completed"] == 1


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ((), 1, "there is no question set at results/test_queries.json"),
        (("--questions", "tea.json", "--documents", "none"), 1, "there is no documents folder at none"),
        (("--questions", "tea.json", "--split", "other"), 1, "no questions of the split 'other'"),
        (("--questions", "tea.json", "--compare", "none.json"), 1, "there is no run at none.json"),
        (("--jobs", "0"), 2, "--jobs"),
        (("--questions", "tea.json", "--gate", "perfect=0"), 2, "means nothing without --compare"),
        (("--questions", "tea.json", "--ablate", "--resume"), 2, "no run to compare, judge or resume"),
        (("--questions", "tea.json", "--judge", "gpt"), 2, "neither auto nor"),
        (("--unknown",), 2, "--unknown"),
    ],
)
def test_wrong_input_is_one_line(
    arguments: tuple[str, ...], code: int, words: str, run: Any, write_questions: Any, boiling: Any
) -> None:
    write_questions(boiling)
    done = run(*arguments)
    assert done.returncode == code
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_ablate_writes_a_table(run: Any, documents: Path, write_questions: Any, boiling: Any, tmp_path: Path) -> None:
    done = run("--questions", write_questions(boiling), "--documents", documents, "--out", "out", "--ablate")
    assert done.returncode == 0, done.stderr
    assert "| **as it is** |" in (tmp_path / "out" / "tea-ablation.md").read_text()
    assert not (tmp_path / "out" / "test_log.json").exists()
