"""States of the page and ways to serve it, in Debian's Chromium; numbers are those of the acceptance checks.

The answers follow the script of ``scripted_app``.
"""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import Any

from headtree.pipeline import build_index
from tests.chat.corpus import make_corpus, wait_until
from tests.chat.visitor import APP, INPUT, SCRIPT, Visitor, contrast_in, photograph, serve

# 12 -----------------------------------------------------------------------------------------------------------------


STATES = {
    "fail": "the model's quota is used up",
    "defect": "unexpected RuntimeError; the server's log says more",
    "abstain": "The nearest sections:",
    "fallback": "no key for gemini: answered by the local reader",
    "unchecked": "the pictures were not looked at",
}


def test_states_say_what_happened_and_what_to_do(visitor: Visitor, screenshots: Path) -> None:
    visitor.open()
    for number, (question, words) in enumerate(STATES.items(), start=1):
        page = visitor.ask(question, turns=number)
        page.locator("[data-testid=stChatMessage]", has_text=words).wait_for()
    body = page.inner_text("body")
    assert "Traceback" not in body
    assert "/secret/path" not in body
    page.set_viewport_size({"width": 1280, "height": 1900})
    page.screenshot(path=screenshots / "states.png")


def test_stopped_answer_offers_to_ask_again(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.open()
    visitor.type("slow please")
    page.wait_for_selector("text=Sentence number 5 costs")
    photograph(page, screenshots, "answering")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("text=Stopped before it was complete")
    assert page.locator("[data-testid=stChatMessage] [data-testid=stPopover]").count() == 0
    page.get_by_role("button", name="Ask again").wait_for()
    photograph(page, screenshots, "stopped")


def test_empty_folder_takes_documents(browser: Any, tmp_path: Path, screenshots: Path) -> None:
    with serve(APP, tmp_path) as server:
        visitor = Visitor(browser, server)
        page = visitor.open()
        page.wait_for_selector("text=No documents yet")
        photograph(page, screenshots, "state-empty")
        note = {
            "name": "Pears.md",
            "mimeType": "text/markdown",
            "buffer": b"# Pears\n\nPears are picked in September.\n",
        }
        page.locator("input[type=file]").set_input_files(note)
        page.get_by_text("Pears.md").wait_for()
        page.get_by_role("button", name="Add and index").click()
        page.wait_for_selector("text=1 document, 2 sections, 0 pictures")
        visitor.ask("When are pears picked?")
        page.locator("[data-testid=stChatMessage]", has_text="Pears are picked in September").wait_for()
        visitor.context.close()


def test_damaged_index_is_named_and_built_again(browser: Any, tmp_path: Path, screenshots: Path) -> None:
    make_corpus(tmp_path)
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / "index.db").write_bytes(b"no index" * 999)
    with serve(APP, tmp_path) as server:
        visitor = Visitor(browser, server)
        page = visitor.open()
        page.wait_for_selector("text=The index cannot be used")
        assert page.locator(INPUT).is_disabled()
        assert "Traceback" not in page.inner_text("body")
        photograph(page, screenshots, "state-damaged")
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert contrast_in(page, page.get_by_role("button", name="Build the index")) >= 4.5
        page.get_by_role("button", name="Build the index").click()
        page.wait_for_selector("text=For example")
        visitor.context.close()


def test_changed_source_is_marked_at_its_citation(browser: Any, home: Path, workspace: Any, screenshots: Path) -> None:
    with serve(APP, home) as server:
        visitor = Visitor(browser, server)
        visitor.open()
        page = visitor.ask("When are roses pruned?")
        chip = page.locator("[data-testid=stPopover] button:visible", has_text="[1] Roses").first
        assert chip.get_by_text("history", exact=True).count() == 0
        garden = home / "documents" / "Garden.md"
        garden.write_text(garden.read_text().replace("pruned in March", "pruned in April"))
        build_index(workspace.settings)
        page.reload()
        chip.wait_for()
        assert chip.locator("[data-testid=stIconMaterial]", has_text="history").count() == 1
        chip.click()
        body = page.locator("[data-testid=stPopoverBody]:visible")
        body.get_by_text("The section changed since this answer and no longer says this").wait_for()
        assert "pruned in March" in body.inner_text()
        photograph(page, screenshots, "state-outdated")
        visitor.context.close()


def test_filter_that_finds_nothing_names_what_was_searched(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.open()
    page.get_by_role("combobox", name="Search in").click()
    page.get_by_role("option", name="Garden").click()
    page.keyboard.press("Escape")
    page.locator("[data-testid=stMultiSelect]", has_text="Garden").wait_for()
    visitor.ask("What is the torque of the XR-9000 flange?")
    page.wait_for_selector("text=Searched only: Garden.")
    assert page.locator("[data-testid=stChatMessage] img").count() == 0
    photograph(page, screenshots, "state-filter")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert contrast_in(page, page.locator("[data-testid=stMultiSelect] [data-tag]")) >= 4.5


def test_no_index_state_builds_and_answers(browser: Any, tmp_path: Path, screenshots: Path) -> None:
    make_corpus(tmp_path)
    with serve(APP, tmp_path) as server:
        visitor = Visitor(browser, server)
        page = visitor.open()
        page.wait_for_selector("text=The documents are not indexed yet")
        assert page.locator(INPUT).is_disabled()
        photograph(page, screenshots, "state-no-index")
        page.get_by_role("button", name="Build the index").click()
        page.wait_for_selector("text=For example")
        page = visitor.ask("What does Figure 1 of Pump show?")
        page.locator("img[alt='Figure 1']").wait_for()
        assert visitor.foreign_requests() == []
        # 14: a server of its own
        with urllib.request.urlopen(f"{server.url}/_stcore/health") as reply:
            assert reply.status == 200
        with urllib.request.urlopen(f"{server.url}/app/static/app.py") as reply:
            assert b"<!doctype html>" in reply.read().lower()  # Streamlit's own page, never a file
        visitor.context.close()


# 14 -----------------------------------------------------------------------------------------------------------------


def test_works_below_a_path_of_a_proxy(browser: Any, tmp_path: Path) -> None:
    make_corpus(tmp_path)
    with serve(SCRIPT, tmp_path, "--server.baseUrlPath", "docs", base="/docs") as server:
        visitor = Visitor(browser, server)
        visitor.open()
        page = visitor.ask("money below a path")
        wait_until(lambda: page.locator(".katex").count() == 2)  # the browser loads KaTeX at the first formula
        visitor.context.close()
