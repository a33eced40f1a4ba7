"""The documents page in Debian's Chromium. The answers follow the script of ``scripted_app``; the numbers are those of the acceptance checks."""

from __future__ import annotations

from pathlib import Path

from tests.chat.corpus import wait_until
from tests.chat.visitor import (
    INPUT,
    Visitor,
    turns_of,
)

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
    page.screenshot(path=screenshots / "documents.png")
    page.get_by_role("tab", name="What the build says").click()
    page.wait_for_selector("text=Problems (1)")
    page.get_by_role("tab", name="Sections and pictures").click()
    page.get_by_role("button", name="Ask about this").click()
    page.wait_for_selector("text=What does the section “1.1 Housing” say?")
    page.locator(f"{INPUT}:enabled").last.wait_for()
    assert turns_of(page, visitor.server)[0]["options"]["documents"] == ["Pump"]
    assert visitor.foreign_requests() == []
