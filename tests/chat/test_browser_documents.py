"""The documents page in Debian's Chromium; numbers are those of the acceptance checks.

The answers follow the script of ``scripted_app``.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

from reportlab.pdfgen.canvas import Canvas

from tests.chat.corpus import wait_until
from tests.chat.visitor import APP, INPUT, Server, Visitor, photograph, serve, turns_of
from tests.extraction.pdf_material import make_pdf

# 15 -----------------------------------------------------------------------------------------------------------------


def test_documents_page_shows_tree_section_and_pictures(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.open()
    page.get_by_role("link", name="Documents").click()
    page.wait_for_selector("text=2 documents, 13 sections, 6 pictures")
    page.get_by_role("combobox", name="Document").click()
    page.get_by_role("option", name="Pump (9 sections, 6 pictures)").click()
    tree = page.locator("[class*='st-key-tree-list'] button:visible")
    wait_until(lambda: tree.count() == 9)
    tree.filter(has_text="1.1 Housing").click()
    page.wait_for_selector("text=The screws are tightened crosswise to 45 Nm.")
    page.locator("img[alt='Figure 1']").wait_for()
    photograph(page, screenshots, "documents")
    page.get_by_role("tab", name="What the build says").click()
    page.wait_for_selector("text=Problems (1)")
    photograph(page, screenshots, "report")
    page.get_by_role("tab", name="Sections and pictures").click()
    page.get_by_role("button", name="Ask about this").click()
    page.wait_for_selector("text=What does the section “1.1 Housing” say?")
    page.locator(f"{INPUT}:enabled").last.wait_for()
    assert turns_of(page, visitor.server)[0]["options"]["documents"] == ["Pump"]
    address, width = page.url, page.locator("[data-testid=stChatMessage]").first.bounding_box()["width"]
    page.get_by_role("link", name="Documents").click()
    page.wait_for_selector("text=2 documents, 13 sections, 6 pictures")
    page.get_by_role("link", name="Chat").click()
    page.wait_for_selector("text=What does the section “1.1 Housing” say?")
    assert page.url == address
    wait_until(lambda: page.locator("[data-testid=stChatMessage]").first.bounding_box()["width"] == width)
    assert page.locator("[data-testid=stSidebar]").get_by_role("button", name="New chat").is_visible()
    assert visitor.foreign_requests() == []


def upload(page: Any, name: str, data: bytes) -> None:
    """Add a file on the documents page and wait until it is indexed."""
    page.locator("input[type=file]").first.set_input_files(
        {"name": name, "mimeType": "application/octet-stream", "buffer": data}
    )
    page.get_by_text(name).wait_for()
    page.get_by_role("button", name="Add and index").click()


def large_zip() -> bytes:
    """Return a folder of documents whose indexing takes some seconds."""
    raw = io.BytesIO()
    with zipfile.ZipFile(raw, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(300):
            sections = "\n\n".join(f"## Part {part}\n\nPart {part} of {number} is grey." for part in range(60))
            archive.writestr(f"shelf/Book {number}.md", f"# Book {number}\n\n{sections}\n")
        archive.writestr("shelf/run.exe", b"MZ")
    return raw.getvalue()


def draw_page(canvas: Canvas) -> None:
    canvas.setFont("Helvetica-Bold", 20)
    canvas.drawString(72, 760, "1 Valves")
    canvas.setFont("Times-Roman", 11)
    for number, line in enumerate(("The relief valve opens at sixteen bar and closes again at", "fourteen bar.")):
        canvas.drawString(72, 720 - 14 * number, line)


def test_documents_come_and_go_while_the_old_index_answers(
    browser: Any, home: Path, workspace: Any, screenshots: Path, tmp_path: Path
) -> None:
    with serve(APP, home) as server:
        visitor = Visitor(browser, server)
        page = visitor.open()
        page.get_by_role("link", name="Documents").click()
        page.get_by_text("Add documents").click()
        _add_a_shelf_and_ask_meanwhile(page, server, visitor, screenshots)
        _add_a_pdf_and_see_its_page(page, tmp_path, screenshots)
        page.get_by_role("button", name="Remove this document").click()
        page.get_by_role("button", name="Remove", exact=True).click()
        page.wait_for_selector("text=0 new, 0 changed, 1 removed")
        page.locator("[data-testid=stPopoverBody]:visible").wait_for(state="detached")
        first = "Garden (4 sections, 0 pictures)"
        assert page.get_by_role("combobox", name="Document").input_value() == first
        assert (home / "documents" / ".removed").is_dir()
        assert not (home / "documents" / "Valves").exists()
        assert visitor.foreign_requests() == []
        visitor.context.close()


def _add_a_shelf_and_ask_meanwhile(page: Any, server: Server, visitor: Visitor, screenshots: Path) -> None:
    other = Visitor(visitor.context.browser, server)
    other.open()
    upload(page, "shelf.zip", large_zip())
    page.wait_for_selector("text=Left out 1 file: shelf/run.exe")
    progress = page.locator("[data-testid=stProgress]")
    progress.wait_for()
    other.ask("When are roses pruned?")
    assert other.page.locator("[data-testid=stChatMessage]", has_text="March").is_visible()
    assert other.page.locator("[data-testid=stProgress]").is_visible()  # everybody sees it
    photograph(page, screenshots, "state-building")
    assert progress.is_visible()
    other.context.close()
    page.wait_for_selector("text=300 new, 0 changed, 0 removed", timeout=60_000)
    page.wait_for_selector("text=302 documents")
    photograph(page, screenshots, "state-built")


def _add_a_pdf_and_see_its_page(page: Any, tmp_path: Path, screenshots: Path) -> None:
    upload(page, "Valves.pdf", make_pdf(tmp_path / "source.pdf", draw_page).read_bytes())
    page.wait_for_selector("text=1 new, 0 changed, 0 removed", timeout=60_000)
    page.get_by_role("combobox", name="Document").fill("Valves")
    page.keyboard.press("Enter")
    page.locator("[class*='st-key-tree-list'] button:visible", has_text="1 Valves").click()
    page.get_by_text("Page 1 of the PDF").click()
    page.locator("img[alt='Page 1 with the cited lines marked']").wait_for()
    photograph(page, screenshots, "page")
