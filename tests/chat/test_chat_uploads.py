"""Uploads: what is safe gets in whole, everything else stays out and is said so."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest
from reportlab.pdfgen.canvas import Canvas

import headtree.chat.uploads as uploads
from headtree.chat.building import BuildBoard, BuildJob
from headtree.chat.library import remove_document, stored_warnings, tree_rows
from headtree.chat.uploads import Upload, safe_name, store_upload
from headtree.errors import Cancelled, DocumentError
from headtree.indexing.build import BuildStep
from headtree.types import FigureKind, WarningKind
from tests.chat.corpus import wait_until
from tests.extraction.pdf_material import Page, make_pdf


def make_zip(entries: dict[str, bytes], **options: Any) -> bytes:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(zipfile.ZipInfo(name) if "\\" in name else name, data, **options)
    return raw.getvalue()


def files_below(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_markdown_gets_a_folder_of_its_name(tmp_path: Path) -> None:
    stored = store_upload(Upload("My notes.md", b"# Notes\n"), tmp_path / "documents")
    assert stored.path == "My notes"
    assert files_below(tmp_path) == {"documents/My notes/My notes.md"}


@pytest.mark.parametrize("top", ["", "folder/"])
def test_zip_keeps_its_tree_and_loses_its_shared_folder(tmp_path: Path, top: str) -> None:
    data = make_zip({f"{top}a.md": b"# A\n", f"{top}img/b.PNG": b"x", f"{top}run.exe": b"x", f"{top}.git/c.md": b"x"})
    stored = store_upload(Upload("site.zip", data), tmp_path)
    assert files_below(tmp_path) == {"site/a.md", "site/img/b.PNG"}
    assert len(stored.left_out) == 2


@pytest.mark.parametrize(
    "name",
    ["../x.md", "/x.md", "a/../../x.md", "..\\x.md", "C:/x.md", "a/CON.md", "a/b\x01.md", "__MACOSX/x.md", "a/ /x.md"],
)
def test_entries_that_lead_out_stay_out(tmp_path: Path, name: str) -> None:
    stored = store_upload(Upload("z.zip", make_zip({"good.md": b"# G\n", name: b"# bad\n"})), tmp_path / "documents")
    assert files_below(tmp_path) == {"documents/z/good.md"}
    assert len(stored.left_out) == 1


def test_links_stay_out(tmp_path: Path) -> None:
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w") as archive:
        archive.writestr("good.md", "# G")
        link = zipfile.ZipInfo("link.md")
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "/etc/hostname")
    assert store_upload(Upload("z.zip", raw.getvalue()), tmp_path).left_out == ("link.md: it is a link",)


def test_sizes_that_come_out_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_UNPACKED_BYTES", 3_000_000)
    bomb = make_zip({"a.md": b"# A", "b.png": b"\0" * 5_000_000})
    assert len(bomb) < 20_000
    with pytest.raises(DocumentError, match="unpacks to over 3 MB"):
        store_upload(Upload("bomb.zip", bomb), tmp_path)
    assert files_below(tmp_path) == set()


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("a.exe", b"x", "only PDF, Markdown and ZIP"),
        ("a.pdf", b"<html>", "no PDF"),
        ("a.zip", b"PK no zip", "cannot be unpacked"),
        ("a.zip", make_zip({"a.png": b"x"}), "holds no Markdown"),
        ("a.md", b"\0\1\2", "no text file"),
        ("...md", b"# A", "cannot be a document's name"),
        ("con.md", b"# A", "cannot be a document's name"),
    ],
)
def test_refused_with_a_sentence_and_without_a_trace(tmp_path: Path, name: str, data: bytes, words: str) -> None:
    with pytest.raises(DocumentError, match=words):
        store_upload(Upload(name, data), tmp_path / "documents")
    assert files_below(tmp_path) == set()


def test_damaged_zip_is_refused(tmp_path: Path) -> None:
    data = bytearray(make_zip({"a.md": b"# A\n" * 4000}))
    data[60:70] = b"\xff" * 10
    with pytest.raises(DocumentError, match="cannot be unpacked"):
        store_upload(Upload("a.zip", bytes(data)), tmp_path)
    assert files_below(tmp_path) == set()


def test_same_name_is_refused_or_replaced_with_the_old_one_kept(tmp_path: Path) -> None:
    store_upload(Upload("a.md", b"# Old"), tmp_path)
    with pytest.raises(DocumentError, match="already"):
        store_upload(Upload("a.md", b"# New"), tmp_path)
    store_upload(Upload("a.md", b"# New"), tmp_path, replace=True)
    assert (tmp_path / "a" / "a.md").read_bytes() == b"# New"
    (old,) = (tmp_path / ".removed").rglob("a.md")
    assert old.read_bytes() == b"# Old"


def test_pdf_waits_beside_the_documents(tmp_path: Path) -> None:
    stored = store_upload(Upload("../../Paper 1.PDF", b"%PDF-1.7\n"), tmp_path / "documents")
    assert stored.pdf == tmp_path / "pdf" / "Paper 1.pdf"
    assert files_below(tmp_path) == {"pdf/Paper 1.pdf"}


@pytest.mark.parametrize(("name", "safe"), [("a/b", "a_b"), ("x" * 300, "x" * 100), ("ä b", "ä b"), (" .a. ", "a")])
def test_names(name: str, safe: str) -> None:
    assert safe_name(name) == safe


# ------------------------------------------------------------------------------------------------- library, builds


def test_tree_counts_equal_the_documents(workspace: Any) -> None:
    with workspace.open().index.snapshot() as view:
        document = view.document("Pump")
    rows = tree_rows(document)
    assert [row.section.node_id for row in rows] == list(document.sections)
    drawn = [figure for figure in document.figures if figure.kind is not FigureKind.JUNK]
    assert rows[0].below == len(drawn) == 6
    assert sum(sum(row.figures.values()) for row in rows) == len(drawn)
    for row in rows:
        inside = [figure for figure in drawn if figure.line in row.section.span]
        assert row.below == len(inside)


def test_warnings_of_one_document(workspace: Any) -> None:
    assert [warning.kind for warning in stored_warnings(workspace.settings, "Pump")] == [WarningKind.MISSING_IMAGE]
    assert stored_warnings(workspace.settings, "Garden") == ()
    assert stored_warnings(workspace.settings) == stored_warnings(workspace.settings, "Pump")


def test_removed_document_can_be_taken_back(workspace: Any) -> None:
    documents = workspace.settings.documents
    remove_document(documents, "Garden.md")
    moved = remove_document(documents, "Pump/Pump.md")
    assert (moved / "figures" / "big.png").is_file()
    assert {path for path in files_below(documents) if not path.startswith(".removed")} == set()
    for wrong in ("Garden.md", "../chats/x", "/etc/hostname"):
        with pytest.raises(DocumentError):
            remove_document(documents, wrong)


def test_build_runs_beside_the_old_index(workspace: Any) -> None:
    board: BuildBoard = workspace.builds
    store_upload(Upload("New.md", b"# New\n\nA new text about turbines.\n"), workspace.settings.documents)
    assert board.start()
    wait_until(lambda: board.running is None)
    assert board.last is not None
    assert board.last.error == ""
    assert board.last.report is not None
    assert board.last.report.documents.added == ("New",)
    assert "New" in {document.doc_id for document in workspace.overview().documents}


def test_what_comes_in_during_a_build_is_indexed_after_it(workspace: Any) -> None:
    board: BuildBoard = workspace.builds
    documents = workspace.settings.documents
    board.start()
    for name in ("One", "Two"):
        store_upload(Upload(f"{name}.md", b"# New\n\nText.\n"), documents)
        board.start()
    wait_until(lambda: {"One", "Two"} <= {document.doc_id for document in workspace.overview().documents})
    wait_until(lambda: board.running is None)


def test_failed_pdf_does_not_stop_the_others(workspace: Any, tmp_path: Path) -> None:
    pdf = tmp_path / "broken.pdf"
    pdf.write_bytes(b"%PDF-1.7 broken")
    assert workspace.builds.start([pdf])
    wait_until(lambda: workspace.builds.running is None)
    assert len(workspace.builds.last.problems) == 1
    assert workspace.builds.last.problems[0].startswith("broken.pdf is damaged")
    assert workspace.builds.last.report is not None


def test_build_stops_between_steps() -> None:
    job = BuildJob()
    job.hear(BuildStep("reading", 1, 4))
    assert (job.stage, job.fraction, job.detail) == ("reading", 0.25, "1 of 4")
    job.stop.set()
    with pytest.raises(Cancelled, match="goes on from here"):
        job.hear(BuildStep("reading", 2, 4))


def test_pdf_becomes_a_section_of_the_index(workspace: Any, tmp_path: Path) -> None:
    def draw(canvas: Canvas) -> None:
        Page(canvas).heading("1 Relief valves")

    assert workspace.builds.start([make_pdf(tmp_path / "Valves.pdf", draw)])
    wait_until(lambda: workspace.builds.running is None, seconds=60)
    assert workspace.builds.last.problems == ()
    assert "Valves" in workspace.builds.last.report.documents.added
    assert workspace.builds.last.is_news
    workspace.builds.last.ended -= 301
    assert not workspace.builds.last.is_news
