"""Which files are sources, and HTML and Markdown among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from PIL import Image

from headtree.errors import ExtractionError
from headtree.extraction.blocks import ExtractedDocument, Paragraph
from headtree.extraction.corpus import find_sources
from headtree.extraction.extract import Outcome, extract
from headtree.extraction.html import convert_html
from headtree.extraction.markdown_copy import copy_markdown
from headtree.extraction.writing import SourceIdentity, reason_to_keep, write_document

PAGE = """
<html><head><title>The River</title><script>alert(1)</script></head><body>
<nav><a href="/">Home</a></nav>
<h2>Depth &lt;b&gt;</h2>
<p>It is 1. not a list, &lt;script&gt;no script&lt;/script&gt;, <a href="javascript:x()">no</a>
and <a href="https://example.org/">a</a> link.</p>
<img src="map.png" alt="The map"><img src="http://example.org/far.png" alt="far"><img src="../secret.png">
<table><tr><th>Month</th><th>Depth</th></tr><tr><td>May</td><td>3</td></tr></table>
<ul><li>one</li><li>two</li></ul>
</body></html>
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an HTML page, its map, and a picture outside of it."""
    root = tmp_path / "in"
    (root / "sub").mkdir(parents=True)
    Image.new("RGB", (30, 20), "blue").save(root / "map.png")
    Image.new("RGB", (30, 20), "red").save(tmp_path / "secret.png")
    (root / "river.html").write_text(PAGE)
    return root


def test_documents_are_named_by_their_place(folder: Path) -> None:
    for name in ("river.pdf", "sub/lake.PDF", ".hidden.pdf", "sub/notes.txt", "a:b?.md"):
        (folder / name).write_text("x")
    assert [(source.doc, source.kind.value) for source in find_sources([folder])] == [
        ("a-b-", "markdown"),
        ("river", "html"),
        ("river (pdf)", "pdf"),
        ("sub/lake", "pdf"),
    ]


def test_nothing_to_read_is_said(tmp_path: Path) -> None:
    with pytest.raises(ExtractionError, match="no PDF, HTML or Markdown file"):
        find_sources([tmp_path])
    with pytest.raises(ExtractionError, match="there is no file or folder"):
        find_sources([tmp_path / "absent"])
    (tmp_path / "a.docx").write_text("x")
    with pytest.raises(ExtractionError, match=r"a\.docx is not a PDF"):
        find_sources([tmp_path / "a.docx"])


def test_html_becomes_markdown_with_its_own_images(folder: Path) -> None:
    rendered, document = convert_html(folder / "river.html", root=folder)
    assert rendered.markdown == (
        "# The River\n\n## Depth \\<b\\>\n\n"
        "It is 1\\. not a list, \\<script\\>no script\\</script\\>, no\nand [a](https://example.org/) link.\n\n"
        "![The map](figures/figure-001.png)far\n\n"
        "| Month | Depth |\n| --- | --- |\n| May | 3 |\n\n- one\n- two\n"
    )
    assert [file.path for file in rendered.images] == ["figures/figure-001.png"]
    assert len(document.warnings) == 2
    assert "was not fetched" in document.warnings[0]
    assert "secret.png" in document.warnings[1]


def test_an_image_of_html_that_is_no_image_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "x.png").write_text("<svg onload='alert(1)'>")
    (tmp_path / "a.html").write_text('<p>Text</p><img src="x.png" alt="what it shows">')
    rendered, document = convert_html(tmp_path / "a.html", root=tmp_path)
    assert rendered.images == ()
    assert rendered.markdown == "Text\n\nwhat it shows\n"
    assert "is no PNG" in document.warnings[0]


def test_markdown_is_copied_with_its_images(folder: Path, tmp_path: Path) -> None:
    source = folder / "sub/doc.md"
    source.write_text("# Doc\n\n![m](../map.png)\n\n![s](../../secret.png) ![w](http://example.org/w.png)\n")
    target = tmp_path / "out/sub/doc.md"
    assert copy_markdown(source, root=folder, target=target)
    assert not copy_markdown(source, root=folder, target=target)
    written = sorted(path.relative_to(tmp_path / "out").as_posix() for path in (tmp_path / "out").rglob("*.*"))
    assert written == ["map.png", "sub/doc.md"]
    target.write_text("edited")
    with pytest.raises(ExtractionError, match="differs"):
        copy_markdown(source, root=folder, target=target)


def test_one_bad_file_does_not_stop_the_others(folder: Path, tmp_path: Path) -> None:
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "letter.pdf").write_text("Dear reader")
    (folder / "cut.pdf").write_bytes(b"%PDF-1.7\n1 0 obj\n<< /Type /Cat")
    report = extract([folder], out=tmp_path / "out")
    outcomes = {document.doc_id: (document.outcome, document.error) for document in report.documents}
    assert outcomes["river"] == (Outcome.WRITTEN, None)
    assert outcomes["empty"] == (Outcome.FAILED, "empty.pdf is empty (0 bytes)")
    assert outcomes["letter"] == (Outcome.FAILED, "letter.pdf is not a PDF: it does not begin with %PDF")
    assert "cut.pdf is damaged or cut off" in str(outcomes["cut"][1])
    assert report.failed == 3
    again = extract([folder / "river.html"], out=tmp_path / "out")
    assert again.documents[0].outcome is Outcome.UNCHANGED


def test_a_document_from_elsewhere_is_left_alone(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / "river").mkdir(parents=True)
    (out / "river/river.md").write_text("written by hand\n")
    first = extract([folder], out=out).documents
    river = next(document for document in first if document.doc_id == "river")
    assert (river.outcome, river.note) == (Outcome.KEPT, "headtree did not extract it")
    named = extract([folder / "river.html"], out=out)
    assert named.failed == 1
    assert "use --replace" in str(named.documents[0].error)
    assert (out / "river/river.md").read_text() == "written by hand\n"
    assert extract([folder / "river.html"], out=out, replace=True).documents[0].outcome is Outcome.WRITTEN


def test_what_was_paid_for_is_not_replaced_unasked(tmp_path: Path) -> None:
    paid = ExtractedDocument("adobe", "1", (Paragraph("paid for"),))
    write_document(paid, folder=tmp_path / "river", source=SourceIdentity("river.pdf", "00ff"))
    assert reason_to_keep(tmp_path / "river", engine="local") == "Adobe PDF Extract made it"
    assert reason_to_keep(tmp_path / "river", engine="adobe") is None


def test_html_of_a_site_is_its_text(tmp_path: Path) -> None:
    (tmp_path / "assets").mkdir()
    (tmp_path / "guide").mkdir()
    for name in ("map.png", "lazy.png", "small.png", "large.png"):
        Image.new("RGB", (30, 20), "blue").save(tmp_path / "assets" / name)
    page = tmp_path / "guide/page.html"
    page.write_text(
        """<body><header><a href="/">Logo</a></header><aside><h2>More</h2><a href="x.html">Other page</a></aside>
        <h1>Rivers <a class="headerlink" href="#r">¶</a></h1><p>H<sub>2</sub>O and x<sup>2</sup>.</p>
        <figure><img src="../assets/map.png" alt=""><figcaption>Figure 1: The map.</figcaption></figure>
        <img src="data:image/gif;base64,R0lGOD" data-src="../assets/lazy.png" alt="lazy">
        <picture><img srcset="../assets/small.png 1x, ../assets/large.png 2x" alt="sizes"></picture>
        <table><caption>Table 1: Depths</caption><tr><th rowspan="2">River</th><th colspan="2">Depth</th></tr>
        <tr><th>May</th><th>June</th></tr><tr><td rowspan="2">Elder</td><td>1</td><td>2</td></tr>
        <tr><td>3</td><td>4</td></tr></table>
        <pre><code class="language-python">x = "# no heading"</code></pre>
        <p hidden>unseen</p><p style="display: none">unseen</p><footer><h2>Imprint</h2></footer></body>"""
    )
    rendered, _ = convert_html(page, root=tmp_path)
    assert [line for line in rendered.markdown.splitlines() if line] == [
        "# Rivers",
        "H₂O and x².",
        "![](figures/figure-001.png)",
        "Figure 1: The map.",
        "![lazy](figures/figure-002.png)",
        "![sizes](figures/figure-003.png)",
        "Table 1: Depths",
        "| River | Depth May | Depth June |",
        "| --- | --- | --- |",
        "| Elder | 1 | 2 |",
        "| Elder | 3 | 4 |",
        "```python",
        'x = "# no heading"',
        "```",
    ]
