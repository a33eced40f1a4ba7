"""Question sets made from a document's tree and from a run that was looked at."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from headtree.errors import HeadtreeError
from headtree.evaluation.authoring import PLACEHOLDER, accept, add_rows, check, new_questions
from headtree.evaluation.questions import app
from headtree.evaluation.runlog import LOG_NAME
from headtree.evaluation.runner import RunOptions, run_suite
from headtree.evaluation.suite import read_suite
from headtree.pipeline import OpenIndex
from headtree.settings import Settings


@pytest.fixture
def run(opened: OpenIndex, write_questions: Any, boiling: Any, tmp_path: Path) -> Path:
    rows = [{"id": 7, "category": "mine", "query": boiling["query"]}, {"id": "failed", "query": " "}]
    run_suite(read_suite(write_questions(*rows)), opened, RunOptions(tmp_path / "out"))
    return tmp_path / "out" / LOG_NAME


def test_placeholders_carry_the_gold_of_their_section(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    assert add_rows(path, new_questions(settings, "kettle", count=2)) == 2
    suite, messages = check(path, settings.documents)
    boiling, unanswerable = suite.questions
    assert boiling.query.startswith(PLACEHOLDER)
    assert (boiling.needs[0][0].span.first, boiling.needs[0][0].span.last) == (5, 12)
    assert boiling.figures is not None
    assert boiling.figures.must == ("kettle/figures/curve.png",)
    assert boiling.labels == {"kettle/figures/curve.png": "Figure 1"}
    assert unanswerable.answerable is False
    assert [message.split(": ", 1)[1] for message in messages] == ["query: is still a placeholder"] * 2


def test_short_sections_make_questions_too_but_headings_alone_do_not(settings: Settings) -> None:
    (settings.documents / "kettle" / "kettle.md").write_text(
        "# Notes\n\n## Chain\n\nClean the chain every 300 km and oil it with dry lube.\n\n## Empty\n\n## Lights\n\nTo do.\n"
    )
    ids = [row["id"] for row in new_questions(settings, "kettle", count=10)]
    assert ids == ["kettle-0002", "kettle-unanswerable"]


def test_adding_again_changes_no_row_that_is_there(settings: Settings, tmp_path: Path) -> None:
    path = tmp_path / "new.json"
    rows = new_questions(settings, "kettle", count=3)
    add_rows(path, rows)
    content = json.loads(path.read_text())
    content["test_queries"][0]["query"] = "How fast?"
    path.write_text(json.dumps(content))
    assert add_rows(path, rows) == 0
    assert json.loads(path.read_text()) == content


def test_what_a_run_answered_becomes_gold_that_it_meets(run: Path, opened: OpenIndex, tmp_path: Path) -> None:
    questions = tmp_path / "gold.json"
    row = accept(run, "7", questions)
    assert (row["id"], row["category"], row["answerable"]) == (7, "mine", True)
    assert row["must_images"] == ["kettle/figures/curve.png"]
    log = run_suite(read_suite(questions), opened, RunOptions(tmp_path / "again"))
    assert log["run_summary"]["metrics"]["section_recall@5"] == 1.0
    assert log["run_summary"]["metrics"]["perfect"] == 1.0
    assert check(questions, opened.settings.documents)[1] == []


def test_the_gold_answer_has_neither_markers_nor_the_frame_of_a_local_answer(run: Path, tmp_path: Path) -> None:
    log = json.loads(run.read_text())
    (row,) = (row for row in log["results"] if row["id"] == 7)
    accepted = accept(run, "7", tmp_path / "gold.json", citations=[1])
    assert accepted["answer"] == row["citations"][0]["quote"]
    row |= {"mode": "provider/model", "response": "It takes 240 seconds [1], says the handbook [1][2]."}
    run.write_text(json.dumps(log))
    assert accept(run, "7", tmp_path / "gold.json")["answer"] == "It takes 240 seconds, says the handbook."


def test_only_what_was_right_is_accepted(run: Path, tmp_path: Path) -> None:
    row = accept(run, "7", tmp_path / "gold.json", citations=[1], figures=[])
    assert len(row["gold_spans"]) == 1
    assert row["must_images"] == []
    row = accept(run, "7", tmp_path / "gold.json", unanswerable=True)
    assert (row["answerable"], row["gold_spans"]) == (False, [])
    assert len(json.loads((tmp_path / "gold.json").read_text())["test_queries"]) == 1


@pytest.mark.parametrize(
    ("question", "options", "message"),
    [
        ("8", {}, "no question '8'"),
        ("failed", {}, "nothing to accept"),
        ("7", {"citations": [99]}, "no citation 99"),
        ("7", {"figures": [2]}, "no picture 2; there is: 1"),
    ],
)
def test_what_cannot_be_accepted_is_said(run: Path, question: str, options: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(HeadtreeError, match=message):
        accept(run, question, tmp_path / "gold.json", **options)
    assert not (tmp_path / "gold.json").exists()


def test_check_looks_at_the_documents(write_questions: Any, boiling: Any, documents: Path) -> None:
    spans = [[{"doc": "kettle", "first_line": 5, "last_line": 500}], [{"doc": "urn", "first_line": 1, "last_line": 2}]]
    path = write_questions({**boiling, "docs": ["urn"], "gold_spans": spans, "must_images": ["kettle/none.png"]})
    _, messages = check(path, documents)
    for part in (
        "no document urn",
        "has 15 lines, not 500",
        "gold_spans: there is no document urn",
        "none.png is missing",
    ):
        assert any(part in message for message in messages)


def test_the_command(documents: Path, tmp_path: Path, run: Path) -> None:
    questions = str(tmp_path / "cli.json")
    runner = CliRunner()
    made = runner.invoke(app, ["new", "kettle", "--questions", questions, "--documents", str(documents)])
    assert made.exit_code == 0, made.output
    assert "4 rows added" in made.output
    accepted = runner.invoke(app, ["accept", str(run), "7", "--questions", questions, "--figures", "1"])
    assert "1 pictures are gold now" in accepted.output.replace("\n", " ")
    checked = runner.invoke(app, ["check", "--questions", questions, "--documents", str(documents)])
    assert isinstance(checked.exception, HeadtreeError)
    assert "4 faults in 5 questions" in str(checked.exception), checked.output
    assert runner.invoke(app, ["accept", str(run), "7", "--questions", questions, "--figures", "x"]).exit_code == 2
