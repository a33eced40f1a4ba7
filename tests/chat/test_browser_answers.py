"""Asking, watching, stopping and coming back, in Debian's Chromium; numbers are those of the acceptance checks.

The answers follow the script of ``scripted_app``.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.chat.corpus import wait_until
from tests.chat.visitor import (
    DESKTOP,
    INPUT,
    NO_OVERFLOW,
    PHONE,
    Server,
    Visitor,
    chat_files,
    contrast_in,
    let_the_provider_reply,
    photograph,
    turns_of,
)

# 1 ------------------------------------------------------------------------------------------------------------------


LOOKS = pytest.mark.parametrize(
    "look",
    [
        pytest.param({"viewport": DESKTOP, "color_scheme": "light"}, id="desktop"),
        pytest.param({"viewport": PHONE, "color_scheme": "dark", "has_touch": True}, id="phone"),
    ],
)


@LOOKS
def test_question_is_literal_and_nothing_leaves_the_server(
    browser: Any, server: Server, look: dict[str, Any], screenshots: Path
) -> None:
    visitor = Visitor(browser, server, **look)
    page = visitor.open()
    page.wait_for_selector("text=For example")
    page.screenshot(path=screenshots / f"first-visit-{look['color_scheme']}.png")
    question = "How tight are the screws? <b>*$5*</b>"
    page = visitor.ask(question)
    assert page.get_by_text(question, exact=True).first.is_visible()
    assert page.locator("[data-testid=stChatMessage]").nth(1).inner_text().strip()
    assert not page.get_by_text("For example").is_visible()
    assert page.evaluate(NO_OVERFLOW)
    page.screenshot(path=screenshots / f"answer-{look['color_scheme']}.png")
    assert visitor.foreign_requests() == []
    assert visitor.complaints == []
    visitor.context.close()


# 2, 3 ---------------------------------------------------------------------------------------------------------------


def test_money_formulas_and_hostile_text(visitor: Visitor) -> None:
    visitor.open()
    page = visitor.ask("money please")
    message = page.locator("[data-testid=stChatMessage]").nth(1)
    wait_until(lambda: message.locator(".katex").count() == 2)  # the browser loads KaTeX at the first formula
    assert "cost $5 million and $6 million;" in message.inner_text()
    assert message.locator("em").count() == 0
    page = visitor.ask("hostile please", turns=2)
    message = page.locator("[data-testid=stChatMessage]").nth(3)
    text = message.inner_text()
    for literal in ("<script>", "<style>", ":red[colour]", "onerror", "+1:", "material/delete:", "# not a heading"):
        assert literal in text
    assert page.evaluate("window.hacked") is None
    assert message.locator("a, h1, script, iframe, img:not([alt='Figure 1'])").count() == 0
    page.locator("button:visible", has_text="[1]").last.click()  # the quote and its place are a document's text
    quote = page.locator("[data-testid=stPopoverBody]:visible")
    quote.get_by_text("not word for word in the source").wait_for()
    assert quote.inner_text().count("<script>") == 3
    assert quote.locator("a, h1, img, script, iframe").count() == 0
    page.keyboard.press("Escape")
    assert page.evaluate("getComputedStyle(document.body).display") != "none"
    assert visitor.foreign_requests() == []


def test_wide_table_is_moved_inside_a_phone(browser: Any, server: Server) -> None:
    visitor = Visitor(browser, server, viewport=PHONE, has_touch=True)
    visitor.open()
    page = visitor.ask("wide please")
    table = page.locator("[data-testid=stChatMessage] table")
    box = table.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    table.evaluate("table => { table.scrollLeft = 9999; }")
    assert page.get_by_text("value-11").bounding_box()["x"] < PHONE["width"]
    visitor.context.close()


def test_half_written_text_shows_no_formula_over_money(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.open()
    visitor.type("slow please")
    page.wait_for_selector("text=Sentence number 5 costs")
    assert page.locator(INPUT).last.is_disabled()
    wait_until(lambda: page.locator(".katex").count() == 1)  # the browser loads KaTeX at the first formula
    for number in range(6, 11):
        page.wait_for_selector(f"text=Sentence number {number} costs $5 and ${number}.")
        assert page.locator(".katex").count() == 1
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("text=Stopped before it was complete")


# 7, 8 ---------------------------------------------------------------------------------------------------------------


def test_stop_acts_at_once_in_a_blocking_call(visitor: Visitor, server: Server) -> None:
    page = visitor.open()
    visitor.type("block please")
    page.wait_for_selector("text=The first words")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("text=Stopped before it was complete")
    page.get_by_text("The first words", exact=True).wait_for()
    assert [turn["state"] for turn in turns_of(page, server)] == ["stopped"]
    # The provider has not answered yet: Stop waited for nothing. Its late reply changes nothing.
    assert not (server.home / "provider.log").exists()
    let_the_provider_reply(server)
    assert (server.home / "provider.log").read_text() == "stop was set: True"
    page.reload()
    page.wait_for_selector("text=Stopped before it was complete")
    assert [turn["state"] for turn in turns_of(page, server)] == ["stopped"]


@pytest.mark.parametrize("how", ["the connection is cut", "the page is closed"])
def test_answer_outlives_the_connection(browser: Any, server: Server, how: str) -> None:
    """D-U06, and 9: whoever comes back finds the answer, once."""
    visitor = Visitor(browser, server)
    sockets: list[Any] = []

    def through(socket: Any) -> None:
        sockets.append(socket)
        socket.connect_to_server()

    visitor.page.route_web_socket(re.compile("_stcore/stream"), through)
    page = visitor.open()
    visitor.type("block please")
    page.wait_for_selector("text=The first words")
    address = page.url
    if how == "the page is closed":
        page.close()
        let_the_provider_reply(server)
        page = visitor.context.new_page()
        page.goto(address)
    else:
        sockets[-1].close()
        let_the_provider_reply(server)
        wait_until(lambda: (page.wait_for_timeout(50), len(sockets))[1] == 2)
    page.wait_for_selector("text=The words that come at last.")
    page.locator(f"{INPUT}:enabled").last.wait_for()
    assert page.locator("[data-testid=stChatMessage]").count() == 2
    assert page.url == address
    assert [turn["state"] for turn in turns_of(page, server)] == ["answered"]
    visitor.context.close()


def test_clicks_do_not_break_an_answer(visitor: Visitor, server: Server) -> None:
    visitor.open()
    page = visitor.ask("six pictures")
    visitor.type("slow please")
    page.wait_for_selector("text=Sentence number 5 costs")
    page.get_by_text("Settings of the next question").click()
    page.locator("[data-testid=stSlider] input").first.press("ArrowRight")
    page.get_by_role("combobox", name="Search in").click()
    page.get_by_role("option", name="Garden").click()
    page.keyboard.press("Escape")
    page.locator("[data-testid=stFeedback] button, [data-testid=stButtonGroup] button").first.click()
    page.locator("button:visible", has_text="[1] 1.1 Housing").first.click()
    page.wait_for_selector("text=costs $5 and $59.")
    page.locator(f"{INPUT}:enabled").last.wait_for()
    states = [turn["state"] for turn in turns_of(page, server)]
    assert states == ["answered", "answered"]
    wait_until((server.home / "chats" / "feedback.jsonl").exists)


def test_question_is_asked_again_with_other_settings(visitor: Visitor, server: Server, screenshots: Path) -> None:
    visitor.open()
    page = visitor.ask("money once more")
    page.locator("button:visible", has_text="Ask again").click()
    window = page.locator("[data-testid=stDialog]")
    window.locator("[data-testid=stSlider] input").first.press("ArrowLeft")
    window.get_by_text("No cost: everything happens on this machine.").wait_for()
    photograph(page, screenshots, "ask-again")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        assert contrast_in(page, window.get_by_role("button", name="Ask with these settings")) >= 4.5
    window.get_by_role("button", name="Ask with these settings").click()
    window.wait_for(state="hidden")
    wait_until(lambda: [turn["state"] for turn in turns_of(page, server)] == ["answered"] * 2)
    turns = turns_of(page, server)
    assert {turn["question"] for turn in turns} == {"money once more"}
    assert [turn["options"]["sections"] for turn in turns] == [5, 4]


# 9, 10 --------------------------------------------------------------------------------------------------------------


def test_reload_and_second_tab_show_one_conversation(visitor: Visitor, server: Server) -> None:
    page = visitor.open()
    visitor.type("slow please")
    page.wait_for_selector("text=Sentence number 5 costs")
    page.reload()
    page.wait_for_selector("text=Sentence number 7 costs")
    other = visitor.another_tab()
    for one in (page, other):
        one.wait_for_selector("text=costs $5 and $59.")
        one.locator(f"{INPUT}:enabled").last.wait_for()
        assert one.locator("[data-testid=stChatMessage]").count() == 2
    page.reload()
    page.wait_for_selector("text=costs $5 and $59.")
    assert page.locator("[data-testid=stChatMessage]").count() == 2
    assert [turn["state"] for turn in turns_of(page, server)] == ["answered"]
    # The list of chats is the browser's own and came back with the reload.
    page.locator("[data-testid=stSidebar] button:visible", has_text="slow please").first.wait_for()


def test_visitors_see_nothing_of_each_other(browser: Any, server: Server) -> None:
    mine, yours = Visitor(browser, server), Visitor(browser, server)
    mine.open()
    mine.ask("money in my question")
    page = yours.open()
    yours.ask("money in yours")
    page.locator("[data-testid=stSidebar] button:visible", has_text="money in yours").first.wait_for()
    assert "my question" not in page.inner_text("body")
    before = chat_files(server)
    for wrong in ("f" * 32, "..%2F..%2Fapp"):
        page = yours.open(f"/?chat={wrong}")
        page.wait_for_selector("text=Ask the documents")
    assert chat_files(server) == before
    for one in (mine, yours):
        one.context.close()


def test_several_chats_are_kept_apart(visitor: Visitor, server: Server) -> None:
    page = visitor.open()
    visitor.ask("money in the first chat")
    first = page.url
    side = page.locator("[data-testid=stSidebar]")
    side.get_by_role("button", name="New chat").click()
    page.wait_for_selector("text=Ask the documents")
    visitor.type("slow second chat")
    page.wait_for_selector("text=Sentence number 5 costs")
    side.locator("button:visible", has_text="money in the first chat").click()  # the second goes on meanwhile
    page.locator("[data-testid=stChatMessage]", has_text="money in the first chat").wait_for()
    assert page.url == first
    wait_until(lambda: "Sentence number" not in page.locator("[data-testid=stMainBlockContainer]").inner_text())
    side.locator("button:visible", has_text="slow second chat").click()
    page.wait_for_selector("text=costs $5 and $59.")
    page.locator(f"{INPUT}:enabled").last.wait_for()
    assert [turn["state"] for turn in turns_of(page, server)] == ["answered"]
    before = len(chat_files(server))
    side.get_by_role("button", name="Delete this chat").click()
    page.get_by_role("button", name="Delete", exact=True).click()
    page.wait_for_selector("text=Ask the documents")
    assert len(chat_files(server)) == before - 1
    assert side.locator("button:visible", has_text="slow second chat").count() == 0
