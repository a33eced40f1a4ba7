"""Image references in the forms that people write, and the files that they lead to."""

from __future__ import annotations

import socket
import struct
import zlib

import pytest
from PIL import Image

from headtree.indexing.images import ImageFinder, inspect_image
from headtree.indexing.plain import plain_text
from headtree.types import FigureKind, WarningKind
from tests.library import figure, figures_of, make_pictures, prepare, read, write


def filenames(document):
    return [figure.filename for figure in document.figures]


def warned(document, kind):
    return [warning.line for warning in document.warnings if warning.kind is kind]


# ------------------------------------------------------------------------------------------------- ways to write one


@pytest.mark.parametrize(
    ("markdown", "path"),
    [
        ("![p](plots/one.png)", "plots/one.png"),
        ("![p](./plots/one.png)", "plots/one.png"),
        ("![p](plots/one.png 'A title')", "plots/one.png"),
        ("![p](my plots/run 1.png)", "my plots/run 1.png"),
        ('![p](my plots/run 1.png "A title")', "my plots/run 1.png"),
        ("![p](<plots/run (2).png>)", "plots/run (2).png"),
        ("![p](plots/run(2).png)", "plots/run(2).png"),
        ("![p](plots/Bar%20Chart.png)", "plots/Bar Chart.png"),
        ("![p](plots/Bar%20Chart.png)", "plots/Bar%20Chart.png"),
        ("![p](plots/50%.png)", "plots/50%.png"),
        ("![p](plots/größe.png)", "plots/größe.png"),
        ("![p](plots/gr%C3%B6%C3%9Fe.png)", "plots/größe.png"),
        ("![p](plots/one.png?raw=true)", "plots/one.png"),
        ("![p](plots/one.png#only-light)", "plots/one.png"),
        ("![p](plots/one#two.png)", "plots/one#two.png"),
        ("![p](plots\\\\one.png)", "plots/one.png"),
        ("![p](out/run\\_01.png)", "out/run_01.png"),
        ("![p](plots\\_last.png)", "plots/_last.png"),
        ("![p](/home/kim/run7/plots/one.png)", "plots/one.png"),
        ("![p](C:\\\\Users\\\\kim\\\\plots\\\\one.png)", "plots/one.png"),
        ("![p](file:///C:/Users/kim/plots/one.png)", "plots/one.png"),
        ("![p](plots/one.png){width=50%}", "plots/one.png"),
        ("[![p](plots/one.png)](http://e.org)", "plots/one.png"),
        ("- [ ] step ![p](plots/one.png)", "plots/one.png"),
        ("> ![p](plots/one.png)", "plots/one.png"),
        ("text **bold ![p](plots/one.png)** text", "plots/one.png"),
        ("<img src='plots/one.png' alt=p>", "plots/one.png"),
        ("<IMG ALT='x > y' SRC=plots/one.png />", "plots/one.png"),
        ('<p align="center">\n  <img\n    src="plots/one.png"\n    width="10">\n</p>', "plots/one.png"),
        ("text <img src='plots/one.png'/> text", "plots/one.png"),
        ("<div>\n\n![p](plots/one.png)\n\n</div>", "plots/one.png"),
        ("<div>![p](plots/one.png)</div>", "plots/one.png"),
        ("```{figure} plots/one.png\n:alt: p\nWords below.\n```", "plots/one.png"),
        ("```{Figure} plots/one.png\n```", "plots/one.png"),
        ("  ```{image} plots/one.png\n  :width: 20\n  ```", "plots/one.png"),
        ("- item\n\n  ```{figure} plots/one.png\n  ```", "plots/one.png"),
        ("~~~{figure} plots/one.png\n~~~", "plots/one.png"),
        (":::{figure} plots/one.png\nWords below.\n:::", "plots/one.png"),
        ("````{note}\n:class: tip\n```{figure} plots/one.png\nWords.\n```\n````", "plots/one.png"),
        ("`````{grid} 2\n````{card} Title\n```{image} plots/one.png\n```\n````\n`````", "plots/one.png"),
        ("> ````{tip}\n> ![p](plots/one.png)\n> ````", "plots/one.png"),
        ("::::{note}\n:::{figure} plots/one.png\n:::\n::::", "plots/one.png"),
        ("![p](plots/one.*)", "plots/one.png"),
    ],
)
def test_an_image_is_found(tmp_path, markdown, path):
    make_pictures(tmp_path / "doc", path)
    document = read(f"# A\n\n{markdown}\n\n# B\n", tmp_path)
    assert figures_of(document, "A") == [path]
    assert document.figures[0].exists
    assert document.warnings == ()


@pytest.mark.parametrize(
    "markdown",
    [
        "`![p](plots/one.png)`",
        "```\n![p](plots/one.png)\n```",
        "    ![p](plots/one.png)",
        "\\![p](plots/one.png)",
        "<!-- ![p](plots/one.png) -->",
        "````md\n```{figure} plots/one.png\n```\n````",
        "````{code-block} md\n![p](plots/one.png)\n````",
        "``<img src='plots/one.png'>``",
        "[p](plots/one.png)",
    ],
)
def test_what_is_no_image_is_none(tmp_path, markdown):
    make_pictures(tmp_path / "doc", "plots/one.png")
    assert read(f"# A\n\n{markdown}\n", tmp_path).figures == ()


@pytest.mark.parametrize(
    "rest", ["<![CDATA", "<![x <](a.png)", "<!x [", "<?x", "</", "<!--", "<!DOCTYPE [<!x", "<img src='"]
)
def test_markup_after_an_image_does_no_harm(tmp_path, rest):
    make_pictures(tmp_path / "doc", "a.png")
    for text in (f'<img src="a.png" alt="x">\n{rest}', f"<p {rest}>\n<img src='a.png' alt='x > y'> {rest}"):
        assert [f.filename for f in read(text, tmp_path).figures if f.exists] == ["a.png"]


def test_a_reference_is_defined_in_another_section(tmp_path):
    make_pictures(tmp_path / "doc", "plots/x y.png")
    document = read("# A\n![Way][PIC]\n# B\n\n[pic]: <plots/x y.png> 'T'\n", tmp_path)
    assert figures_of(document, "A") == ["plots/x y.png"]
    assert figures_of(document, "B") == []
    assert document.figures[0].alt == "Way"


def test_captions_and_alternative_text(tmp_path):
    make_pictures(tmp_path / "doc", "f/a.png", "f/b.png", "f/c.png", "f/d.png")
    document = read(
        "# A\n<img src='f/a.png' alt='a view'>\n\n<figure>\n<img src=f/b.png alt='x > y'>\n"
        "<figcaption>Figure 3: The lid</figcaption>\n</figure>\n\n"
        "```{figure} f/c.png\n:name: lid\n:alt: the lid, closed\nHow it *closes*.\n```\n\n![][d]\n\n[d]: f/d.png\n",
        tmp_path,
    )
    assert figure(document, "f/a.png").alt == "a view"
    assert (figure(document, "f/b.png").label, figure(document, "f/b.png").caption) == ("Figure 3", "The lid")
    assert figure(document, "f/b.png").alt == "x > y"
    assert figure(document, "f/c.png").alt == "the lid, closed"
    assert "How it" in figure(document, "f/c.png").caption
    assert filenames(document) == ["f/a.png", "f/b.png", "f/c.png", "f/d.png"]


def test_images_in_table_cells_know_their_row(tmp_path):
    make_pictures(tmp_path / "doc", "p/nut.png", "p/bolt.png")
    document = read(
        "# Parts\n| name | view |\n|---|---|\n| hex nut | ![n](p/nut.png) |\n| long bolt | ![b](p/bolt.png) |\n",
        tmp_path,
    )
    assert figures_of(document, "Parts") == ["p/nut.png", "p/bolt.png"]
    assert "hex nut" in figure(document, "p/nut.png").context
    assert "long bolt" in figure(document, "p/bolt.png").context
    assert [f.line for f in document.figures] == [4, 5]


def test_lines_of_several_images_in_one_paragraph(tmp_path):
    make_pictures(tmp_path / "doc", "a.png", "b.png", "c.png")
    document = read("# A\n\nwords\n![](a.png) and\n<img src='b.png'>\nmore ![](c.png)\n", tmp_path)
    assert {f.filename: f.line for f in document.figures} == {"a.png": 4, "b.png": 5, "c.png": 6}


def test_one_file_referenced_twice_is_one_figure(tmp_path):
    make_pictures(tmp_path / "doc", "a.png")
    document = read("# A\n![](a.png)\n# B\n![](./a.png)\n", tmp_path)
    assert filenames(document) == ["a.png"]
    assert document.figures[0].line == 2
    assert document.figures[0].also_at == (4,)


# ------------------------------------------------------------------------------------------------- where paths lead


def test_nothing_outside_of_the_documents_is_opened(tmp_path):
    documents = tmp_path / "documents"
    make_pictures(tmp_path, "secret.png")
    make_pictures(documents / "doc", "figures/fine.png")
    (documents / "doc" / "figures" / "link.png").symlink_to(tmp_path / "secret.png")
    (documents / "doc" / "linked").symlink_to(tmp_path)
    text = "\n\n".join(
        f"![s]({source})"
        for source in (
            "figures/link.png",
            "../../secret.png",
            "figures/..%2f..%2f..%2fsecret.png",
            "linked/secret.png",
            str(tmp_path / "secret.png"),
            f"file://{tmp_path}/secret.png",
            "figures/fine.png",
        )
    )
    document = read(f"# A\n\n{text}\n", documents)
    assert [f.filename for f in document.figures if f.exists] == ["figures/fine.png"]
    assert all(f.width == 0 and f.content_hash == "" for f in document.figures if not f.exists)
    named = {line for f in document.figures if f.problem for line in (f.line, *f.also_at)}
    assert named == {3, 5, 7, 9, 11, 13}
    assert {w.line for w in document.warnings} == {f.line for f in document.figures if f.problem}


def test_an_absolute_path_that_exists_is_not_opened(tmp_path):
    make_pictures(tmp_path / "elsewhere", "a.png")
    (tmp_path / "documents" / "doc").mkdir(parents=True)
    document = read(f"![a]({tmp_path}/elsewhere/a.png)", tmp_path / "documents")
    assert [f.exists for f in document.figures] == [False]


def test_shared_media_of_a_site_are_found(tmp_path):
    make_pictures(tmp_path, "static/img/a.png", "media/b.png")
    write(tmp_path, {"guide/doc/x.txt": ""})
    document = read("![a](/img/a.png)\n\n![b](../../media/b.png)\n", tmp_path, doc_id="guide/doc")
    assert [f.path for f in document.figures if f.exists] == ["static/img/a.png"]
    finder = ImageFinder(tmp_path)
    assert finder.find("../media/b.png", "guide/page.md").path == "media/b.png"


def test_remote_images_are_listed_and_nothing_is_fetched(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    document = read("# A\n![f](http://127.0.0.1:9/x.png) ![g](//host/y.png)\n![h](ftp://h/z.png)\n", tmp_path)
    assert [f.exists for f in document.figures] == [False] * 3
    assert warned(document, WarningKind.REMOTE_IMAGE) == [2, 2, 3]


def test_embedded_data_is_replaced_everywhere(tmp_path):
    data = "iVBORw0KGgo" * 2000
    prepared = prepare(
        f"# A\n[f](data:image/png;base64,{data})\n![s](data:image/svg+xml;base64,{data})\n"
        f"<img src='data:image/gif;base64,{data}'>\n\n[r]: data:image/png;base64,{data}\n\nkept words\n",
        tmp_path,
    )
    everything = "\n".join((*prepared.document.lines, *(chunk.text for chunk in prepared.chunks)))
    assert "iVBORw0KGgo" not in everything
    assert "kept words" in everything
    assert prepared.document.figures == ()
    assert warned(prepared.document, WarningKind.EMBEDDED_IMAGE)


@pytest.mark.parametrize(
    "source", ["none.png", "a" * 5000 + ".png", "nul%00l.png", "figures/", ".", "..", "%", "%zz.png"]
)
def test_a_missing_image_is_a_warning_with_its_line(tmp_path, source):
    write(tmp_path, {"doc/x.txt": "", "doc/figures/y.txt": ""})
    document = read(f"# A\n![f]({source})\nthe words go on\n", tmp_path)
    assert [f.exists for f in document.figures] == [False]
    assert [w.line for w in document.warnings] == [2]
    assert "the words go on" in "\n".join(document.lines)


def test_names_that_differ_little_are_different_images(tmp_path):
    paths = ["figures/p1.png", "tables/p1.png", "figures/p11.png"]
    make_pictures(tmp_path / "doc", *paths)
    document = read("\n\n".join(f"![]({path})" for path in [*paths, "p1.png", "figures/P1.png"]), tmp_path)
    assert [f.filename for f in document.figures if f.exists] == paths
    assert [f.filename for f in document.figures if not f.exists] == ["p1.png", "figures/P1.png"]
    assert len({f.figure_id for f in document.figures}) == 5


def test_names_in_case_only_apart(tmp_path):
    make_pictures(tmp_path / "doc", "a.png", size=(30, 30))
    make_pictures(tmp_path / "doc", "A.png", size=(40, 40))
    document = read("![](a.png)\n\n![](A.png)", tmp_path)
    if (tmp_path / "doc" / "a.png").samefile(tmp_path / "doc" / "A.png"):
        pytest.skip("the file system ignores case")
    assert [(f.filename, f.width) for f in document.figures] == [("a.png", 30), ("A.png", 40)]


# ---------------------------------------------------------------------------------------------------- what files hold


def test_formats_and_colours_are_read(tmp_path):
    doc = tmp_path / "doc"
    doc.mkdir()
    picture = Image.new("RGB", (60, 40), "teal")
    frames = [Image.new("P", (60, 40), color) for color in range(3)]
    frames[0].save(doc / "x.gif", save_all=True, append_images=frames[1:])
    picture.save(doc / "y.bmp")
    picture.save(doc / "z.tif")
    picture.convert("CMYK").save(doc / "c.jpg")
    picture.save(doc / "B.JPG", "JPEG")
    picture.save(doc / "nosuffix", "WEBP")
    write(doc, {"v.svg": "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='40'/>"})
    names = ["x.gif", "y.bmp", "z.tif", "c.jpg", "B.JPG", "nosuffix", "v.svg"]
    document = read("\n\n".join(f"![i]({name})" for name in names), tmp_path)
    assert [(f.filename, f.problem) for f in document.figures] == [(name, None) for name in names]
    assert {(f.width, f.height) for f in document.figures if f.filename != "v.svg"} == {(60, 40)}


def test_a_broken_file_is_a_warning_and_sinks_no_other(tmp_path):
    make_pictures(tmp_path / "doc", "fine.png")
    whole = (tmp_path / "doc" / "fine.png").read_bytes()
    Image.new("RGB", (600, 400), "red").save(tmp_path / "doc" / "cut.jpg")
    jpeg = (tmp_path / "doc" / "cut.jpg").read_bytes()
    write(tmp_path, {"doc/cut.png": whole[: len(whole) // 2], "doc/text.png": "no image", "doc/empty.png": b""})
    write(tmp_path, {"doc/cut.jpg": jpeg[: len(jpeg) // 2]})
    names = ["cut.png", "text.png", "empty.png", "cut.jpg", "fine.png"]
    document = read("\n\n".join(f"![i]({name})" for name in names), tmp_path)
    assert [f.problem is None for f in document.figures] == [False, False, False, False, True]
    assert warned(document, WarningKind.BROKEN_IMAGE) == [1, 3, 5, 7]


def test_a_small_file_that_claims_a_huge_picture_is_refused(tmp_path):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", 60_000, 60_000, 1, 0, 0, 0, 0)
    file = tmp_path / "bomb.png"
    file.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")
    )
    facts = inspect_image(file)
    assert facts.problem is not None
    assert "pixels" in facts.problem


def test_a_long_flat_picture_is_fine(tmp_path):
    make_pictures(tmp_path / "doc", "strip.png", size=(9000, 20))
    assert read("![s](strip.png)", tmp_path).figures[0].problem is None


def test_dots_are_no_figures(tmp_path):
    make_pictures(tmp_path / "doc", *(f"dot{number}.png" for number in range(100)), size=(3, 3))
    make_pictures(tmp_path / "doc", "chart.png")
    dots = "\n".join(f"![](dot{number}.png)" for number in range(100))
    document = read(f"# A\n{dots}\n\n![](chart.png)\n", tmp_path)
    assert [f.filename for f in document.figures if f.kind is not FigureKind.JUNK] == ["chart.png"]
    assert len(document.figures) == 101


# ------------------------------------------------------------------------------------------------- images in the words


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("see ![the lid](a.png) here", "see the lid here"),
        ("see [the guide](http://e.org/a_(b)) here", "see the guide here"),
        ("a **bold** and _slanted_ word", "a bold and slanted word"),
        ("snake_case_name and 2*3*4", "snake_case_name and 2*3*4"),
        ("- item\n- [x] done", "item\ndone"),
        ("`code` &amp; text", "code & text"),
        ("a <b>strong</b> word", "a strong word"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("\\*no emphasis\\*", "*no emphasis*"),
    ],
)
def test_words_as_a_reader_sees_them(markdown, words):
    assert plain_text(markdown) == words
