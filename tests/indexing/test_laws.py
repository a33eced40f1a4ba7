"""Laws that hold for every document: those that hypothesis makes up, and all of the shared ones."""

from __future__ import annotations

import itertools
import json
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headtree.indexing.documents import find_documents, prepare_document
from headtree.indexing.figures import parse_label
from headtree.indexing.hidden import visible_text
from headtree.indexing.images import ImageFinder
from headtree.indexing.inspection import inspect_document
from headtree.indexing.markdown import new_parser, parse_markdown
from headtree.indexing.reading import read_source
from tests.library import SHARED, make_settings, needs_shared, prepare

SIZE = 300
"""Characters of a chunk in these tests."""

WORDS = st.sampled_from(
    [
        "pump",
        "valve",
        "Figure",
        "2",
        "(3)",
        "Table",
        "1:",
        "See",
        ".",
        ",",
        "The",
        "water",
        "in",
        "the",
        "boiler",
        "|",
        "**",
        "_",
        "`",
        "<",
        ">",
        "&",
        "é",
        "水",
        "。",
        "]",
        "[",
        "(",
        ")",
        "!",
        "#",
        "-",
        "=",
        "~",
        "\\",
        "\t",
    ]
)
TEXT = st.lists(WORDS, max_size=12).map(" ".join)
LINE = st.one_of(
    TEXT,
    st.builds(lambda depth, text: f"{'#' * depth} {text}", st.integers(1, 7), TEXT),
    st.builds(lambda text, path: f"{text}![{text}]({path})", TEXT, st.sampled_from(["a.png", "b c.png", "<d.png>", "http://h/e"])),
    st.builds(lambda path: f'<img src="{path}" alt="x">', st.sampled_from(["a.png", "b.png"])),
    st.builds(lambda text: f"| {text} | 3 |", TEXT),
    st.builds(lambda mark, text: f"{mark} {text}", st.sampled_from([">", "-", "1.", "   ", "    "]), TEXT),
    st.sampled_from(
        ["", "", "```", "~~~", "````{note}", "```{figure} a.png", "---", "===", "|---|---|", "$$", "<!--", "-->", "<div>",
         "</div>", "<h2>Range</h2>", "<table><tr><td>x</td></tr>", "</table>", "[r]: a.png", "![][r]", "<details hidden>"]
    ),
)  # fmt: skip
DOCUMENT = st.lists(LINE, max_size=40).map("\n".join)


def check_tree(document):
    """Every line in exactly one body; unique ids in order; children inside their parents, in order, apart."""
    sections = document.sections
    lines = [line for section in sections for line in range(section.body.first, section.body.last + 1)]
    assert lines == list(range(1, len(document.lines) + 1))
    assert len({section.node_id for section in sections}) == len(sections)
    by_id = {section.node_id: section for section in sections}
    for section in sections:
        assert section.span.first == section.line
        children = [by_id[child] for child in section.children]
        assert all(child.parent == section.node_id and section.span.covers(child.span) for child in children)
        assert all(child.level == section.level + 1 for child in children)
        assert all(child.breadcrumb == (*section.breadcrumb, child.title) for child in children)
        assert all(a.span.last < b.span.first for a, b in itertools.pairwise(children))
        assert "\n" not in section.title
    assert [section.node_id for section in sections if section.parent is None] == [sections[0].node_id]


def check_figures(document):
    """Each has its own id and path and stands in the section in whose body its line lies."""
    by_id = {section.node_id: section for section in document.sections}
    assert len({figure.fig_id for figure in document.figures}) == len(document.figures)
    assert len({figure.path for figure in document.figures}) == len(document.figures)
    for figure in document.figures:
        assert figure.line in by_id[figure.node_id].body
        assert all(mention.line in by_id[mention.node_id].body for mention in figure.mentions)
        assert figure.group is None or figure.group in {other.fig_id for other in document.figures}


def check_no_image_is_lost(raw, document):
    """Each reference is a figure, another place of one, or a warning of its line."""
    parser = new_parser()
    parsed = parse_markdown(visible_text(read_source(raw).text, parser).text, parser)
    known = {line for figure in document.figures for line in (figure.line, *figure.also_at)}
    known |= {warning.line for warning in document.warnings}
    assert {image.line for image in parsed.images if not image.source.startswith("#")} <= known


def check_chunks(prepared, size):
    """A chunk stays within its section's own text, has words, and is no longer than the limit."""
    by_id = {section.node_id: section for section in prepared.document.sections}
    assert [chunk.ordinal for chunk in prepared.chunks] == list(range(len(prepared.chunks)))
    for chunk in prepared.chunks:
        home = by_id[chunk.node_id]
        assert home.noise is None
        assert chunk.breadcrumb == home.breadcrumb
        assert home.body.first <= chunk.first_line <= chunk.last_line <= home.body.last
        assert chunk.text.strip()
        # Code and rows may have four times the size, a header row that is repeated as much again.
        assert chunk.figure_path or len(chunk.text) <= 8.3 * size


def check(raw, prepared, size):
    check_tree(prepared.document)
    check_figures(prepared.document)
    check_no_image_is_lost(raw, prepared.document)
    check_chunks(prepared, size)


# ------------------------------------------------------------------------------------------------------ made-up ones


@given(DOCUMENT)
@settings(max_examples=250, deadline=None)
def test_laws_of_made_up_documents(text):
    prepared = prepare(text, chunk_characters=SIZE)
    check(text.encode(), prepared, SIZE)


@given(st.text(max_size=300))
@settings(max_examples=100, deadline=None)
def test_laws_of_any_text(text):
    raw = text.encode("utf-8", "replace")
    check(raw, prepare(raw, chunk_characters=SIZE), SIZE)


@given(st.binary(max_size=200))
@settings(max_examples=50, deadline=None)
def test_laws_of_any_bytes(raw):
    check(raw, prepare(raw, chunk_characters=SIZE), SIZE)


@given(DOCUMENT)
@settings(max_examples=60, deadline=None)
def test_the_same_bytes_give_the_same_tree_and_line_ends_do_not_matter(text):
    plain = prepare(text)
    assert prepare(text) == plain
    for end in ("\r\n", "\r"):
        other = prepare(text.replace("\n", end))
        assert other.document.sections == plain.document.sections
        assert other.document.figures == plain.document.figures
        assert other.document.lines == plain.document.lines
        assert other.chunks == plain.chunks


@given(st.one_of(DOCUMENT, st.text(alphabet="<!->-d\n `#ivstyle='hidden:ay;nb/", max_size=200)))
@settings(max_examples=150, deadline=None)
def test_visible_text_keeps_the_lines(text):
    source = read_source(text.encode("utf-8"))
    assert source.text.count("\n") == text.count("\n")
    visible = visible_text(source.text, new_parser())
    assert visible.text.count("\n") == text.count("\n")


@given(st.lists(st.text(alphabet="abc 。.水", min_size=1, max_size=1500).filter(str.strip), min_size=1, max_size=6))
@settings(max_examples=60, deadline=None)
def test_every_word_is_in_a_chunk(paragraphs):
    prepared = prepare("# A\n\n" + "\n\n".join(paragraphs), chunk_characters=SIZE)
    found = "".join("".join(chunk.text.split()) for chunk in prepared.chunks)
    assert found == "".join("".join(paragraph.split()) for paragraph in paragraphs)
    # A short last piece is joined to the one before it: at most a quarter more.
    assert all(len(chunk.text) <= SIZE * 1.25 + 2 for chunk in prepared.chunks)


# --------------------------------------------------------------------------------------------------------- shared ones


@needs_shared
@pytest.mark.shared
@pytest.mark.parametrize("folder", ["papers/documents", "filings/documents", "helpdocs", "docsites"])
def test_laws_of_the_shared_documents(folder):
    documents = SHARED / folder
    configuration = make_settings(documents)
    finder = ImageFinder(documents)
    sources = find_documents(documents)
    assert sources
    assert len({source.doc_id for source in sources}) == len(sources)
    for source in sources:
        raw = (documents / source.path).read_bytes()
        check(raw, prepare_document(raw, source, configuration, finder), configuration.chunk_characters)


def gold():
    if not SHARED.is_dir():
        return []
    return [json.loads(line) for line in (SHARED / "papers" / "figures.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture(scope="module")
def registries():
    configuration = make_settings(SHARED / "papers" / "documents")
    return {name: inspect_document(configuration, name).figures for name in {row["doc"] for row in gold()}}


@needs_shared
@pytest.mark.shared
def test_every_image_of_the_gold_map_stands_in_exactly_one_node(registries):
    rows = gold()
    assert len(rows) > 200
    for row in rows:
        assert sum(figure.filename == row["file"] for figure in registries[row["doc"]]) == 1, row


@needs_shared
@pytest.mark.shared
@pytest.mark.parametrize("what", ["kind", "label"])
def test_kinds_and_labels_agree_with_the_gold_map(registries, what):
    rows = gold()
    figures = {(name, figure.filename): figure for name, found in registries.items() for figure in found}
    right = sum(_agrees(figures[row["doc"], row["file"]], row, what) for row in rows)
    assert right >= 0.97 * len(rows)


def _agrees(figure, row, what):
    if what == "kind":
        is_algorithm = (row["label"] or "").startswith("Algorithm")
        return figure.kind.value == row["kind"] or (figure.kind.value == "algorithm" and is_algorithm)
    ours, theirs = ({str(label).lower() for label in parse_label(label)} for label in (figure.label, row["label"]))
    return ours == theirs


@needs_shared
@pytest.mark.shared
def test_no_image_line_of_the_papers_is_lost():
    """Counted without a parser: the papers' images stand alone on their lines."""
    documents = SHARED / "papers" / "documents"
    for file in sorted(Path(documents).glob("*/*.md")):
        pattern = re.compile(r"^!\[[^\]]*\]\(([^)]+)\)\s*$", re.MULTILINE)
        written = set(pattern.findall(file.read_text("utf-8")))
        figures = inspect_document(make_settings(documents), file.stem).figures
        assert written <= {figure.filename for figure in figures}
