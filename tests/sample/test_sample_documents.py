"""The committed sample corpus: what its sources make, its images and its gold."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from PIL import Image
from sample_files import DOCUMENTS, ROOT, SAMPLE, SOURCES, gold, markdown

from sample_corpus.blocks import Heading
from sample_corpus.markdown import write_markdown

MEGABYTE = 1_000_000
NAMES = sorted(SOURCES)
needs_extra = pytest.mark.skipif(
    find_spec("typst") is None or find_spec("matplotlib") is None,
    reason="needs the extra: pip install '.[sample]'",
)


def test_there_are_six_documents_of_sixty_to_a_hundred_pages() -> None:
    assert len(NAMES) == 6
    assert 60 <= sum(gold(name)["pages"] for name in NAMES) <= 100


@pytest.mark.parametrize("name", NAMES)
def test_markdown_is_what_the_source_says(name: str) -> None:
    source = SOURCES[name]
    headings = [index for index, block in enumerate(source.blocks) if isinstance(block, Heading)]
    pages = [entry["page"] for entry in gold(name)["headings"][1:]]
    assert write_markdown(source, dict(zip(headings, pages, strict=True))) == markdown(name)


@pytest.mark.parametrize("name", NAMES)
def test_every_referenced_image_opens_and_none_is_left_over(name: str) -> None:
    referenced = re.findall(r"!\[\]\(([^)]+)\)", markdown(name))
    folder = DOCUMENTS / name
    assert len(referenced) == len(set(referenced))
    assert set(referenced) == {path.relative_to(folder).as_posix() for path in folder.rglob("*.png")}
    for path in referenced:
        with Image.open(folder / path) as picture:
            picture.load()
            assert picture.format == "PNG"
            assert picture.width <= 1400


@pytest.mark.parametrize("name", NAMES)
def test_gold_names_the_images_and_headings_of_the_document(name: str) -> None:
    text, truth = markdown(name), gold(name)
    assert [entry["path"] for entry in truth["figures"]] == re.findall(r"!\[\]\(([^)]+)\)", text)
    headings = re.findall(r"(?m)^(#+) (.+)$", text)
    assert [(entry["level"] + 1, entry["text"]) for entry in truth["headings"]] == [
        (len(signs), title) for signs, title in headings
    ]
    pages = [entry["page"] for entry in truth["headings"]]
    assert pages == sorted(pages)


@pytest.mark.parametrize("name", NAMES)
def test_captions_stand_beside_their_images(name: str) -> None:
    text = markdown(name)
    for entry in gold(name)["figures"]:
        image, label = f"![]({entry['path']})", entry["label"]
        if entry["kind"] == "figure":
            assert f"{image}\n\n{label}: {entry['caption']}" in text
        elif entry["kind"] == "table":
            assert f"{label}: {entry['caption']}\n\n{image}\n\n|" in text
        else:
            assert f"{image}\n\n({label.removeprefix('Equation ')})" in text


@pytest.mark.parametrize("name", NAMES)
def test_numbers_of_figures_run_in_reading_order(name: str) -> None:
    for kind in ("figure", "table", "formula"):
        labels = [entry["label"] for entry in gold(name)["figures"] if entry["kind"] == kind]
        assert [int(label.split()[-1]) for label in labels] == list(range(1, len(labels) + 1))


def test_boxes_lie_on_their_pages_and_one_table_spans_two() -> None:
    spanning = []
    for name in NAMES:
        for entry in gold(name)["figures"]:
            for box in entry["boxes"]:
                left, top, right, bottom = box["bbox"]
                assert 0 <= left < right <= 842
                assert 0 <= top < bottom <= 842
            if len(entry["boxes"]) > 1:
                spanning.append((name, entry["label"]))
    assert spanning == [("RS45-Manual", "Table 4")]


def test_labels_and_file_names_recur_across_documents() -> None:
    found = [{(entry["label"], entry["path"]) for entry in gold(name)["figures"]} for name in NAMES]
    assert ("Table 4", "tables/table-4.png") in set.intersection(*found)


def test_every_figure_and_table_is_mentioned_in_its_text() -> None:
    for name in NAMES:
        text = markdown(name)
        for entry in gold(name)["figures"]:
            if entry["kind"] != "formula":
                assert len(re.findall(rf"\b{entry['label']}\b", text)) >= 2, (name, entry["label"])


def test_the_corpus_is_small() -> None:
    committed = [*DOCUMENTS.rglob("*"), *(ROOT / "data" / "pdf").glob("*.pdf")]
    ours = [path for path in committed if path.is_file() and (path.stem in NAMES or path.suffix == ".png")]
    assert sum(path.stat().st_size for path in ours) < 12 * MEGABYTE


@needs_extra
def test_a_build_gives_the_committed_bytes_again(tmp_path: Path) -> None:
    name = "LP217-Protocol"
    command = [sys.executable, str(SAMPLE / "build.py"), name, "--out", str(tmp_path)]
    subprocess.run(command, check=True, capture_output=True, text=True, timeout=300)
    built = tmp_path / "data"
    assert (built / "documents" / name / f"{name}.md").read_bytes() == (DOCUMENTS / name / f"{name}.md").read_bytes()
    assert (built / "sample/gold" / f"{name}.json").read_bytes() == (SAMPLE / "gold" / f"{name}.json").read_bytes()
    for path in sorted((built / "documents").rglob("*.png")):
        committed = DOCUMENTS / path.relative_to(built / "documents")
        with Image.open(path) as fresh, Image.open(committed) as kept:
            assert fresh.size == kept.size
