"""The question set over the sample corpus: every gold span, image, label and fact is true."""

from __future__ import annotations

import re
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from sample_files import DOCUMENTS, ROOT, SAMPLE, SOURCES, gold, markdown, questions

from sample_corpus.blocks import Figure
from sample_corpus.questions import QuestionError, write_questions

QUESTIONS = questions()
ANSWERABLE = [question for question in QUESTIONS if question["answerable"]]


def by_id(question: dict[str, Any]) -> str:
    return str(question["id"])


def test_forty_questions_of_all_categories() -> None:
    assert len(QUESTIONS) == 40
    assert len({question["id"] for question in QUESTIONS}) == 40
    counts = Counter(question["category"] for question in QUESTIONS)
    assert len(counts) == 9
    assert min(counts.values()) >= 3
    assert {doc for question in QUESTIONS for doc in question["docs"]} == set(SOURCES)


def test_the_file_is_what_the_source_makes(tmp_path: Path) -> None:
    (tmp_path / "data" / "sample").mkdir(parents=True)
    (tmp_path / "data" / "documents").symlink_to(DOCUMENTS)
    (tmp_path / "data" / "sample" / "gold").symlink_to(SAMPLE / "gold")
    write_questions(SAMPLE / "questions.yaml", tmp_path)
    committed = (ROOT / "results" / "test_queries.json").read_bytes()
    assert (tmp_path / "results" / "test_queries.json").read_bytes() == committed


def test_an_unknown_section_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data" / "sample").mkdir(parents=True)
    (tmp_path / "data" / "documents").symlink_to(DOCUMENTS)
    (tmp_path / "data" / "sample" / "gold").symlink_to(SAMPLE / "gold")
    source = tmp_path / "questions.yaml"
    source.write_text(
        "[{id: X, category: c, docs: [RS45-Manual], query: q, answer: a, sections: [RS45-Manual > Nowhere]}]"
    )
    with pytest.raises(QuestionError, match="Nowhere"):
        write_questions(source, tmp_path)


@pytest.mark.parametrize("question", QUESTIONS, ids=by_id)
def test_gold_spans_begin_at_their_heading_and_end_before_the_next(question: dict[str, Any]) -> None:
    assert bool(question["gold_spans"]) == question["answerable"]
    for span in (span for need in question["gold_spans"] for span in need):
        lines = markdown(span["doc"]).split("\n")
        title = span["heading"].split(" > ")[-1]
        assert re.fullmatch(rf"#+ {re.escape(title)}", lines[span["first_line"] - 1])
        assert not any(line.startswith("#") for line in lines[span["first_line"] : span["last_line"]])
        assert span["last_line"] == len(lines) - 1 or lines[span["last_line"]].startswith("#")
        assert span["doc"] in question["docs"]


@pytest.mark.parametrize("question", ANSWERABLE, ids=by_id)
def test_gold_images_stand_in_their_document_with_their_label(question: dict[str, Any]) -> None:
    for image, label in zip(question["must_images"], question["labels"], strict=True):
        doc, path = image.split("/", 1)
        assert doc in question["docs"]
        assert f"![]({path})" in markdown(doc)
        assert f"{doc}: " + next(entry["label"] for entry in gold(doc)["figures"] if entry["path"] == path) == label
    assert not set(question["must_images"]) & set(question["ok_images"])


@pytest.mark.parametrize("question", ANSWERABLE, ids=by_id)
def test_facts_stand_in_the_text_and_picture_facts_do_not(question: dict[str, Any]) -> None:
    text = "\n".join(markdown(doc) for doc in question["docs"])
    assert question["facts"] or question["picture_facts"]
    for fact in question["facts"]:
        assert fact in text
    for fact in question["picture_facts"]:
        assert fact not in text


@pytest.mark.parametrize("question", [entry for entry in QUESTIONS if entry["picture_facts"]], ids=by_id)
def test_picture_facts_are_drawn_in_a_gold_image(question: dict[str, Any]) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra: pip install '.[sample]'")
    drawn = "\n".join(_drawn_words(*image.split("/", 1)) for image in question["must_images"])
    for fact in question["picture_facts"]:
        assert fact in drawn


def _drawn_words(doc: str, path: str) -> str:
    """Collect all words that a drawing or a screen shows."""
    from matplotlib.text import Text

    source = SOURCES[doc]
    figure = next((block for block in source.blocks if isinstance(block, Figure) and block.path == path), None)
    if figure is None:
        return ""
    drawings = import_module(f"sample_corpus.drawings.{source.meta['drawings']}").FIGURES
    if figure.name in drawings:
        return "\n".join(part.get_text() for part in drawings[figure.name]().findobj(Text))
    screen: str = (SAMPLE / "typst" / source.meta["screens"] / f"{figure.name}.typ").read_text("utf-8")
    return screen


@pytest.mark.parametrize("question", [entry for entry in QUESTIONS if not entry["answerable"]], ids=by_id)
def test_what_cannot_be_answered_has_no_gold(question: dict[str, Any]) -> None:
    assert not question["must_images"]
    assert not question["ok_images"]
    assert not question["gold_sections"]
