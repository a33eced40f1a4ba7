"""The Python API: five lines from a folder to an answer, and what a notebook shows of it."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

import headtree
from headtree import AnswerView, ask, open_index
from headtree.errors import HeadtreeError, IndexMissingError
from headtree.types import Answer, Citation, ShownFigure

PUMP = """\
# Pump P7

## Operation

The pump starts when the float switch closes. Figure 1 shows how its parts are laid out.

![](layout.png)

Figure 1: Layout of the pump and its float switch

## Care

Grease the bearing every 400 hours with lithium grease.
"""


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    (folder / "Pump").mkdir(parents=True)
    (folder / "Pump" / "Pump.md").write_text(PUMP, "utf-8")
    Image.new("RGB", (900, 300), "teal").save(folder / "Pump" / "layout.png")
    return folder


def _view(text: str, documents: Path, **changes: object) -> AnswerView:
    fields: dict[str, object] = {
        "question": "q",
        "answer": text,
        "answerable": True,
        "mode": "local",
        "citations": (),
        "sections": (),
        "figures": (),
        "figure_decisions": (),
        **changes,
    }
    return AnswerView(Answer(**fields), documents)  # type: ignore[arg-type]


def _figure(path: str, *, caption: str = "") -> ShownFigure:
    return ShownFigure(f"d#{path}", "d", path, "Figure 1", caption, "figure", "0001", exists=True, reason="")


# ------------------------------------------------------------------------------------------------------- asking


def test_five_lines_from_a_folder_to_a_cited_answer(documents: Path) -> None:
    index = open_index(documents, embedder="none")
    view = ask(index, "How often is the bearing greased?")

    assert "every 400 hours" in str(view)
    assert view.answer.citations[0].breadcrumb[-1] == "Care"


def test_index_of_a_given_folder_lies_beside_it(documents: Path) -> None:
    open_index(documents, embedder="none")

    assert sorted(path.name for path in documents.parent.iterdir()) == ["handbook", "handbook-index"]


def test_index_of_the_configured_folder_is_the_configured_one(documents: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(documents.parent)
    (documents.parent / "config.py").write_text('DOCUMENTS = "handbook"\nINDEX = "kept"\nEMBEDDER = "none"\n')

    assert open_index().settings.index == Path("kept")
    assert open_index(documents).settings.index == Path("kept")
    assert open_index(documents, index="other").settings.index == Path("other")


def test_index_is_brought_up_to_date_unless_told_not_to(documents: Path) -> None:
    with pytest.raises(IndexMissingError, match="headtree index"):
        open_index(documents, embedder="none", update=False)
    open_index(documents, embedder="none")
    (documents / "Valve.md").write_text("# Valve V2\n\n## Seat\n\nThe seat is made of brass and is replaced yearly.\n")

    with pytest.raises(HeadtreeError, match="Valve"):
        ask(open_index(documents, embedder="none", update=False), "seat", documents=["Valve"])
    assert "brass" in str(ask(open_index(documents, embedder="none"), "What is the seat made of?"))


def test_pictures_are_files(documents: Path) -> None:
    view = ask(open_index(documents, embedder="none"), "What does Figure 1 of the pump show?")

    assert view.pictures == (documents / "Pump" / "layout.png",)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nothing_of_ours"):
        _ = headtree.nothing_of_ours  # type: ignore[attr-defined]


def test_import_loads_no_heavy_library_and_no_vendor() -> None:
    heavy = ["faiss", "onnxruntime", "openvino", "numpy", "PIL", "pydantic", "google.genai", "anthropic", "streamlit"]
    code = f"import sys, headtree; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


# ---------------------------------------------------------------------------------------------------- notebooks


def test_notebook_shows_the_picture_itself_and_smaller(documents: Path) -> None:
    view = ask(open_index(documents, embedder="none"), "What does Figure 1 of the pump show?")
    found = re.search(r'src="data:image/jpeg;base64,([^"]+)"', view._repr_html_())

    assert found is not None
    with Image.open(io.BytesIO(base64.b64decode(found[1]))) as picture:
        assert picture.size == (720, 240)


def test_html_holds_nothing_active_of_the_document(documents: Path) -> None:
    hostile = "<script>alert(1)</script> ![x](http://example.org/x.png) [y](javascript:alert(1)) <http://example.org>"
    citation = Citation(1, "d", "0001", ("<b>A</b>",), 1, 2, "", verified=True)
    figure = _figure("Pump/layout.png", caption='"><img src=x onerror=alert(1)>')
    shown = _view(hostile, documents, citations=(citation,), figures=(figure,), warnings=("<i>w</i>",))._repr_html_()

    tags = set(re.findall(r"<\s*/?([a-zA-Z]+)", shown))
    assert tags <= {"div", "p", "figure", "img", "figcaption", "b", "i", "ol", "li"}
    assert re.findall(r"<img src=\"([a-z:/]+)", shown) == ["data:image/jpeg"]
    assert "<b>A</b>" not in shown
    assert "<i>w</i>" not in shown
    assert "<a" not in shown


@pytest.mark.parametrize("path", ["../secret.png", "/etc/hostname", "Pump/gone.png", "Pump/Pump.md"])
def test_picture_that_cannot_be_shown_is_named(documents: Path, path: str) -> None:
    Image.new("RGB", (4, 4)).save(documents.parent / "secret.png")
    shown = _view("text", documents, figures=(_figure(path),))._repr_html_()

    assert "<img" not in shown
    assert f"cannot be shown: {path}" in shown


def test_markdown_keeps_markers_and_disarms_the_rest(documents: Path) -> None:
    text = "It is 5 mm [1]. ![x](http://example.org/x.png) <img src=x> [2](http://example.org) \\[3\\](u)"
    shown = _view(text, documents)._repr_markdown_()

    assert shown == (
        r"It is 5 mm [1]. \!\[x\](http://example.org/x.png) \<img src=x\> \[2\](http://example.org) \[3\](u)"
    )


def test_markdown_lists_pictures_and_sources(documents: Path) -> None:
    citation = Citation(1, "d", "0001", ("Pump", "Care_and [more]"), 3, 5, "", verified=True)
    shown = _view("a [1]", documents, citations=(citation,), figures=(_figure("Pump/layout.png"),))._repr_markdown_()

    assert "- Figure 1 (Pump/layout.png)" in shown
    assert r"1. Pump \> Care\_and \[more\] \(lines 3\-5\)" in shown
