"""Reports of a real run: one self-contained page, nothing of a document is trusted; the tables of the results page."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from headtree.errors import HeadtreeError
from headtree.evaluation.gold import Suite
from headtree.evaluation.report import html_report, mode_of, report_name, write_reports
from headtree.evaluation.runner import RunOptions, run_suite
from headtree.evaluation.scorecard import markdown_card
from headtree.evaluation.suite import read_suite
from headtree.evaluation.tables import results_page
from headtree.evaluation.thumbnails import Thumbnails
from headtree.pipeline import OpenIndex

SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def suite(write_questions: Any, boiling: Any, plain_rows: Any) -> Suite:
    wrong = {**boiling, "id": f"wrong {SCRIPT}", "must_images": ["teapot/figures/sorts.png"], "answer": SCRIPT}
    failed = {**boiling, "id": "failed", "query": " "}
    return read_suite(write_questions(boiling, wrong, failed, plain_rows[0]))


@pytest.fixture
def log(suite: Suite, opened: OpenIndex, tmp_path: Path) -> dict[str, Any]:
    return run_suite(suite, opened, RunOptions(tmp_path / "out", command="python run_test_suite.py"))


class Page(HTMLParser):
    """Collects what a browser would load and run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts, self.sources, self.texts = 0, [], []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        self.sources += [value for name, value in attrs if name in {"src", "href"}]

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def test_the_page_loads_nothing_and_runs_only_its_own_script(suite: Suite, log: Any, documents: Path) -> None:
    page = Page(html_report(suite, log, documents))
    assert page.scripts == 1
    assert len(page.sources) >= 2
    assert all(source.startswith("data:image/jpeg;base64,") for source in page.sources)
    assert any(SCRIPT in text for text in page.texts)


def test_an_answer_is_drawn_and_nothing_in_it_acts(suite: Suite, log: Any, documents: Path) -> None:
    log["results"][0]["response"] = (
        f"**Four** bar {SCRIPT} ![x](http://evil/x.png) [y](javascript:alert) <http://evil> [1]\n\n| a | b |\n|---|---|\n| 1 | 2 |"
    )
    html = html_report(suite, log, documents)
    assert "<strong>Four</strong> bar &lt;script&gt;" in html
    assert "<td>1</td>" in html
    page = Page(html)
    assert page.scripts == 1
    assert all(source.startswith("data:image/jpeg;base64,") for source in page.sources)


def test_without_gold_nothing_is_said_to_be_right(
    opened: OpenIndex, write_questions: Any, plain_rows: Any, documents: Path, tmp_path: Path
) -> None:
    suite = read_suite(write_questions(*plain_rows))
    html = html_report(suite, run_suite(suite, opened, RunOptions(tmp_path / "out")), documents)
    assert html.count('<span class="tag soft">no gold</span>') == 10
    assert "nothing wrong found" not in html
    assert "headtree questions accept" in html


def test_the_page_says_what_failed_and_where(suite: Suite, log: Any, documents: Path) -> None:
    html = html_report(suite, log, documents)
    assert re.findall(r'data-failed="(\d)" data-layer="([^"]*)"', html) == [
        ("0", ""),
        ("1", log["results"][1]["diagnosis"]["layer"]),
        ("1", "question"),
        ("0", ""),
    ]
    text = " ".join(Page(html).texts)
    assert re.search(r"lines \d+-\d+ needed", re.sub(r"\s+", " ", text))
    for words in (
        "the question is empty",
        "Needed and not shown",
        "240 seconds.",
        "3 of 4 questions answered",
    ):
        assert words in text


def test_in_a_browser_the_failed_ones_are_filtered(
    suite: Suite, log: Any, documents: Path, tmp_path: Path, browser: Any
) -> None:
    log["results"][3] |= {"judge": {"by": "x", "prompt": "judge/1", "grade": "wrong", "reason": "misses it"}}
    file = tmp_path / "report.html"
    file.write_text(html_report(suite, log, documents), encoding="utf-8")
    page = browser.new_page()
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(file.as_uri())
    assert page.inner_text("#shown") == "4 of 4"
    page.check("#failed")
    assert page.locator("details.question:visible strong").all_inner_texts()[0] == f"wrong {SCRIPT}"
    assert page.inner_text("#shown") == "3 of 4", "an answer that the judge calls wrong is among them"
    page.select_option("#layer", "question")
    assert page.inner_text("#shown") == "1 of 4"
    page.select_option("#layer", "")
    page.uncheck("#failed")
    page.fill("#words", "LIMESCALE vinegar")
    assert page.inner_text("#shown") == "1 of 4"
    page.locator("details.question:visible summary").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert complaints == []
    page.close()


def test_reports_are_named_by_set_mode_and_commit(suite: Suite, log: Any, documents: Path, tmp_path: Path) -> None:
    log["run_summary"]["git_commit"] = "0123456789abcdef"
    assert report_name(log) == "tea-local-01234567"
    page = write_reports(suite, log, tmp_path / "reports", documents)
    assert sorted(file.suffix for file in page.parent.iterdir()) == [".html", ".json", ".md"]
    assert json.loads(page.with_suffix(".json").read_text())["results"] == json.loads(json.dumps(log))["results"]
    log["run_summary"]["git_commit"] = None
    assert report_name(log) == f"tea-local-v{log['run_summary']['versions']['headtree']}"


def test_a_run_without_an_answer_has_a_report_too(opened: OpenIndex, write_questions: Any, tmp_path: Path) -> None:
    suite = read_suite(write_questions({"id": 1, "query": " "}))
    log = run_suite(suite, opened, RunOptions(tmp_path / "out"))
    assert mode_of(log) == "local"
    assert "0 of 1 questions answered, 1 failed" in html_report(suite, log, opened.settings.documents)
    assert "No question was answered." in markdown_card(log, mode="none")


def test_the_score_card_separates_what_was_read_shown_and_said(log: Any) -> None:
    card = markdown_card(log, mode="local")
    for group, measure in (("read", "section_recall@5"), ("shown", "figure_recall"), ("said", "numbers_found")):
        assert re.search(rf"^\| {group} \| {measure} \| \d\.\d{{3}} \|", card, re.MULTILINE)


# --------------------------------------------------------------------------------------------- thumbnails


def test_thumbnails_are_small_and_only_of_pictures_below_the_documents(tmp_path: Path) -> None:
    documents = tmp_path / "documents"
    documents.mkdir()
    Image.new("RGBA", (1000, 500), (0, 0, 0, 0)).save(documents / "clear.png")
    Image.new("CMYK", (50, 50)).save(documents / "print.jpg")
    Image.new("RGB", (5, 5)).save(tmp_path / "outside.png")
    (documents / "cut.png").write_bytes((documents / "clear.png").read_bytes()[:60])
    (documents / "text.png").write_text("no picture")
    (documents / "link.png").symlink_to(tmp_path / "outside.png")
    thumbnails = Thumbnails(documents)
    assert all(str(thumbnails.data_uri(name)).startswith("data:image/jpeg") for name in ("clear.png", "print.jpg"))
    refused = (
        "cut.png",
        "text.png",
        "link.png",
        "none.png",
        "../outside.png",
        str(tmp_path / "outside.png"),
        "x" * 5000,
    )
    assert [thumbnails.data_uri(name) for name in refused] == [None] * len(refused)


def test_a_picture_that_claims_too_many_pixels_is_not_decoded(tmp_path: Path) -> None:
    Image.new("1", (10_000, 10_000)).save(tmp_path / "bomb.png")
    assert Thumbnails(tmp_path).data_uri("bomb.png") is None


# ------------------------------------------------------------------------------------------- results page


def test_the_results_page_is_made_from_the_logs(suite: Suite, log: Any, documents: Path, tmp_path: Path) -> None:
    folder = tmp_path / "results"
    write_reports(suite, log, folder / "tea", documents)
    published = {"tea": [{"name": "another project", "cells": {"questions": "4", "label accuracy": ".5"}}]}
    (folder / "published.json").write_text(json.dumps(published))
    page = results_page(folder)
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")]
    header, ours, other = rows
    assert ours[header.index("questions")] == "4 (1 failed)"
    assert ours[header.index("perfect sets")] == "1 of 3"
    assert other[header.index("label accuracy")] == ".5"
    assert "```sh\npython run_test_suite.py\n```" in page
    assert "{" not in page


def test_unfinished_runs_make_no_row(log: Any, tmp_path: Path) -> None:
    log["results"] = log["results"][:2]
    (tmp_path / "tea-local-1.json").write_text(json.dumps(log))
    (tmp_path / "tea-local-1.md").write_text("")
    with pytest.raises(HeadtreeError, match="no log of a finished run"):
        results_page(tmp_path)
