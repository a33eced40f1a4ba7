"""States of the page and ways to serve it, in Debian's Chromium. The answers follow the script of ``scripted_app``; the numbers are those of the acceptance checks."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from typing import Any

from tests.chat.corpus import make_corpus, wait_until
from tests.chat.visitor import (
    INPUT,
    SCRIPT,
    Visitor,
    serve,
)

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


def test_no_index_state_builds_and_answers(browser: Any, tmp_path: Path, screenshots: Path) -> None:
    make_corpus(tmp_path)
    with serve(Path(__file__).parents[2] / "app.py", tmp_path) as server:
        visitor = Visitor(browser, server)
        page = visitor.open()
        page.wait_for_selector("text=The documents are not indexed yet")
        assert page.locator(INPUT).is_disabled()
        page.screenshot(path=screenshots / "state-no-index.png")
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
