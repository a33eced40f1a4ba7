"""Question sets: both formats, one message per row that is not right, nothing left out in silence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headtree.errors import HeadtreeError
from headtree.evaluation.gold import Suite, is_below_documents
from headtree.evaluation.suite import read_suite
from headtree.types import LineSpan

SHARED = Path(__file__).parents[3] / "shared"


def test_the_plain_format_has_no_gold(write_questions: Any) -> None:
    suite = read_suite(write_questions({"id": 1, "category": "c", "query": "Why?"}))
    (asked,) = suite.questions
    assert (asked.id, asked.key, asked.query, asked.category) == (1, "1", "Why?", "c")
    assert (asked.needs, asked.figures, asked.answerable) == ((), None, None)
    assert suite.problems == ()


def test_a_bare_list_is_a_set_too(tmp_path: Path) -> None:
    path = tmp_path / "mine.json"
    path.write_text('[{"id": "a", "query": "Why?"}]', encoding="utf-8-sig")
    assert read_suite(path).name == "mine"


def test_gold_is_read(write_questions: Any) -> None:
    suite = read_suite(
        write_questions(
            {
                "id": "a",
                "query": "Why?",
                "gold_mode": "any",
                "gold_spans": [[{"doc": "D", "first_line": 3, "last_line": 9, "heading": "D > A"}]],
                "must_images": ["D/1.png"],
                "must_any": [["D/2.png", "D/3.png"]],
                "alternatives": {"D/1.png": ["D/1b.png"]},
                "labels": ["D: Table 7"],
            }
        )
    )
    (asked,) = suite.questions
    assert asked.any_need
    assert asked.needs[0][0].span == LineSpan(3, 9)
    assert asked.figures is not None
    assert asked.figures.needs() == ({"D/1.png", "D/1b.png"}, {"D/2.png", "D/3.png"})
    assert asked.labels == {"D/1.png": "Table 7"}


def test_evidence_paths_become_lines(write_questions: Any) -> None:
    row = {
        "id": "a",
        "query": "Why?",
        "evidence": [{"any_of": ["D > A", "D > B"], "also": ["D > C"]}, {"any_of": ["D > unknown"]}],
        "lines": {"D > A": [1, 5], "D > B": [6, 9], "D > C": [10, 12]},
    }
    suite = read_suite(write_questions(row))
    (asked,) = suite.questions
    assert [gold.span for gold in asked.needs[0]] == [LineSpan(1, 5), LineSpan(6, 9)]
    assert [gold.span for gold in asked.ok_spans] == [LineSpan(10, 12)]
    assert len(asked.needs) == 1  # what cannot be scored is told
    assert "no lines are given for 'D > unknown'" in suite.problems[0].message


def test_labels_of_another_number_than_the_pictures_are_not_guessed(write_questions: Any) -> None:
    (asked,) = read_suite(
        write_questions({"id": "a", "query": "?", "must_images": [], "labels": ["D: Table 7"]})
    ).questions
    assert asked.labels == {}


def test_a_figure_map_beside_the_set_gives_all_numbers(write_questions: Any, tmp_path: Path) -> None:
    rows = [{"doc": "D", "file": "a.png", "label": "Figure 1"}, {"doc": "D", "file": "b.png", "label": None}]
    (tmp_path / "figures.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    (asked,) = read_suite(write_questions({"id": "a", "query": "?"})).questions
    assert asked.labels == {"D/a.png": "Figure 1", "D/b.png": ""}


BAD_ROWS = [
    ({"id": "a"}, "query: Field required"),
    ({"id": "a", "query": ""}, "query:"),
    ({"query": "Why?"}, "id"),
    ("text", "row:"),
    ({"id": "a", "query": "?", "gold_mode": "some"}, "gold_mode:"),
    ({"id": "a", "query": "?", "gold_spans": [[{"doc": "D", "first_line": 0, "last_line": 2}]]}, "first_line:"),
    (
        {"id": "a", "query": "?", "gold_spans": [[{"doc": "D", "first_line": 9, "last_line": 2}]]},
        "end before they begin",
    ),
    ({"id": "a", "query": "?", "must_images": ["/home/me/D/1.png"]}, "not a path below the documents folder"),
    ({"id": "a", "query": "?", "must_images": ["C:\\D\\1.png"]}, "not a path below the documents folder"),
    ({"id": "a", "query": "?", "ok_images": ["../1.png"]}, "not a path below the documents folder"),
    ({"id": "a", "query": "?", "must_images": [], "alternatives": {"D/1.png": []}}, "not in must_images"),
    ({"id": "a", "query": "  "}, "query: is blank"),
]


@pytest.mark.parametrize(("row", "message"), BAD_ROWS)
def test_a_bad_row_keeps_its_place_and_is_told(row: Any, message: str, write_questions: Any) -> None:
    suite = read_suite(write_questions({"id": "good", "query": "Why?"}, row, {"id": "also good", "query": "Why?"}))
    assert len(suite.questions) == 3
    assert [problem.row for problem in suite.problems] == [2]
    assert message in str(suite.problems[0])


def test_a_row_needs_no_more_than_a_question(write_questions: Any) -> None:
    row = {"query": "Why?", "category": None, "answer": None, "docs": None, "numbers": [240, "1.5"]}
    suite = read_suite(write_questions(row))
    (asked,) = suite.questions
    assert (asked.id, asked.category, asked.numbers, asked.problem) == ("row-1", "", ("240", "1.5"), None)
    assert "id: is missing" in suite.problems[0].message


def test_a_repeated_id_gets_another_key(write_questions: Any) -> None:
    suite = read_suite(write_questions({"id": 1, "query": "Why?"}, {"id": "1", "query": "How?"}))
    assert [asked.key for asked in suite.questions] == ["1", "1#2"]
    assert "used before" in suite.problems[0].message


def test_splits(write_questions: Any) -> None:
    path = write_questions({"id": 1, "query": "?", "split": "dev"}, {"id": 2, "query": "?", "split": "test"})
    suite = read_suite(path, split="test")
    assert ([asked.id for asked in suite.questions], suite.name) == ([2], "tea-test")
    with pytest.raises(HeadtreeError, match="it has: dev, test"):
        read_suite(path, split="other")


@pytest.mark.parametrize(
    ("file", "split", "name"),
    [
        ("tea.json", None, "tea"),
        ("tea.json", "dev", "tea-dev"),
        ("library/questions.json", None, "library"),
        ("library/questions.json", "dev", "library-dev"),
        ("results/test_queries.json", None, "dev"),
        ("results/test_queries.json", "dev", "dev"),
    ],
)
def test_a_set_is_named_by_what_says_most(
    file: str, split: str | None, name: str, write_questions: Any, tmp_path: Path
) -> None:
    (tmp_path / file).parent.mkdir(exist_ok=True)
    path = write_questions({"id": 1, "query": "?", "split": "dev"}, name=file)
    assert read_suite(path, split=split).name == name


@pytest.mark.parametrize("content", ["", "{", '{"questions": []}', "3", "[]", '{"test_queries": {}}'])
def test_a_file_without_questions_is_an_error(content: str, tmp_path: Path) -> None:
    path = tmp_path / "set.json"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(HeadtreeError, match=r"set\.json"):
        read_suite(path)


def test_a_missing_file_says_how_to_make_one(tmp_path: Path) -> None:
    with pytest.raises(HeadtreeError, match="headtree questions new"):
        read_suite(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("path", "below"),
    [
        ("a/b.png", True),
        ("a b/ü.png", True),
        ("/a.png", False),
        ("../a.png", False),
        ("a/../../b", False),
        ("C:/a", False),
    ],
)
def test_paths_below_the_documents_folder(path: str, below: bool) -> None:
    assert is_below_documents(path) is below


@pytest.mark.shared
@pytest.mark.parametrize(
    ("name", "questions", "with_needs", "with_figures"),
    [("papers", 54, 52, 54), ("filings", 26, 24, 0), ("docsites", 39, 38, 39), ("helpdocs", 50, 50, 0)],
)
def test_the_shared_sets_are_read_whole(name: str, questions: int, with_needs: int, with_figures: int) -> None:
    path = SHARED / name / "questions.json"
    if not path.is_file():
        pytest.skip(f"{path} is absent")
    suite: Suite = read_suite(path)
    # One question of the documentation sites has a need without lines.
    assert len(suite.problems) == (name == "docsites")
    assert suite.name == name
    assert len(suite.questions) == questions
    assert sum(bool(asked.needs) for asked in suite.questions) == with_needs
    assert sum(asked.figures is not None for asked in suite.questions) == with_figures
