"""Takes the README's pictures of the chat: ``make pictures`` (needs Debian's ``chromium``).

The answers are those of the sample documents without any model; look at the pictures before you commit them.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.chat import INPUT, READY, serve
from headtree.pipeline import build_index
from headtree.settings import load_settings

IMAGES = Path(__file__).parent / "images"
QUESTION = "Which screws of the air end are tightened to which torque?"
PHONE_QUESTION = "In which order are the screws of the air-end flange tightened?"
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "device_scale_factor": 2, "has_touch": True}


def visit(browser: Any, url: str, *, height: int = 900, **options: Any) -> Any:
    """Open the chat and return the page when all of it is there."""
    page = browser.new_context(**{"viewport": {"width": 1280, "height": height}, **options}).new_page()
    page.goto(url)
    page.wait_for_selector("text=For example")
    _settle(page)
    return page


def ask(page: Any, question: str) -> None:
    """Ask and wait for the whole answer with its pictures."""
    page.locator(f"{INPUT}:enabled").last.fill(question)
    page.locator(f"{INPUT}:enabled").last.press("Enter")
    page.locator("button:visible", has_text="Ask again").first.wait_for()
    _settle(page)


def _settle(page: Any) -> None:
    page.wait_for_selector(READY)
    page.wait_for_function("[...document.images].every(image => image.complete)")
    page.wait_for_timeout(800)  # fades


def photograph(browser: Any, url: str) -> None:
    """Take all pictures."""
    page = visit(browser, url, height=960)
    page.screenshot(path=IMAGES / "chat-first-visit.png")
    page.set_viewport_size({"width": 1280, "height": 1330})
    ask(page, QUESTION)
    _scroll_to_the_question(page)
    page.mouse.move(0, 0)
    page.screenshot(path=IMAGES / "chat-answer.png")

    page = visit(browser, url, color_scheme="dark")
    ask(page, QUESTION)
    page.locator("[data-testid=stPopover] button:visible", has_text="[1]").first.click()
    page.locator("[data-testid=stPopoverBody]:visible").get_by_role("button", name="Open section").click()
    page.locator(".cited").first.wait_for()
    _settle(page)
    page.screenshot(path=IMAGES / "chat-source-dark.png")

    page = visit(browser, url, color_scheme="dark", **PHONE)
    ask(page, PHONE_QUESTION)
    page.locator("[data-testid=stImage]").first.evaluate("image => image.scrollIntoView({block: 'center'})")
    page.wait_for_timeout(600)
    page.screenshot(path=IMAGES / "chat-phone-dark.png")


def _scroll_to_the_question(page: Any) -> None:
    page.locator("[data-testid=stChatMessage]").first.evaluate("message => message.scrollIntoView({block: 'center'})")
    page.mouse.wheel(0, -4000)
    page.wait_for_timeout(600)


def main() -> None:
    """Index the sample documents, serve the chat, take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("needs chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        home = Path(temporary)
        os.environ |= {"HEADTREE_INDEX": str(home / "index"), "HEADTREE_CHATS": str(home / "chats")}
        build_index(load_settings())
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        with serve(home) as url:
            photograph(browser, url)
        browser.close()


if __name__ == "__main__":
    main()
