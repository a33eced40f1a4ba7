"""The chat in Debian's Chromium: what only a real page can show. The answers follow the script of ``scripted_app``."""

from __future__ import annotations

import io
import json
import re
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.chat.conftest import SHAPES, Server, make_corpus, serve, wait_until

SCRIPT = Path(__file__).with_name("scripted_app.py")
READY = '[data-testid=stApp][data-test-script-state="notRunning"]'
INPUT = "[data-testid=stChatInputTextArea]"
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def server(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("chat")
    make_corpus(home)
    with serve(SCRIPT, home) as running:
        yield running


class Visitor:
    """A page, with all that it asked of servers and complained about."""

    def __init__(self, browser: Any, server: Server, **options: Any) -> None:
        self.server = server
        self.context = browser.new_context(**{"viewport": DESKTOP, "accept_downloads": True, **options})
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page = self._page()

    def _page(self) -> Any:
        page = self.context.new_page()
        page.set_default_timeout(15_000)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("console", lambda message: self.complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        return page

    def open(self, address: str = "") -> Any:
        self.page.goto(self.server.url + address)
        self.page.wait_for_selector(READY)
        self.page.locator(INPUT).wait_for()
        return self.page

    def another_tab(self) -> Any:
        page = self._page()
        page.goto(self.page.url)
        page.wait_for_selector(READY)
        return page

    def type(self, question: str) -> None:
        box = self.page.locator(f"{INPUT}:enabled").last  # while the page changes, the old one is there for a moment
        box.fill(question)
        box.press("Enter")

    def ask(self, question: str, *, turns: int = 1) -> Any:
        """Ask and wait for the outcome of question number ``turns``."""
        self.type(question)
        self.page.wait_for_function(
            "n => [...document.querySelectorAll('button')].filter(b => b.checkVisibility() && "
            "/Ask again|Try again/.test(b.innerText)).length >= n",
            arg=turns,
        )
        self.page.wait_for_selector(READY)
        self.page.locator(f"{INPUT}:enabled").last.wait_for()
        return self.page

    def foreign_requests(self) -> list[str]:
        own = (self.server.url, self.server.url.replace("http", "ws", 1), "data:", "blob:")
        return [address for address in self.requests if not address.startswith(own)]


@pytest.fixture
def visitor(browser: Any, server: Server) -> Iterator[Visitor]:
    one = Visitor(browser, server)
    yield one
    one.context.close()


@pytest.fixture(scope="module")
def six(browser: Any, server: Server) -> Iterator[Visitor]:
    """A visitor before an answer with six pictures, for tests that leave it as it is."""
    one = Visitor(browser, server)
    one.open()
    one.ask("six pictures cost $5")
    yield one
    one.context.close()


def chat_files(server: Server) -> list[Path]:
    return sorted((server.home / "chats").glob("*.json"))


def turns_of(page: Any, server: Server) -> list[dict[str, Any]]:
    match = re.search(r"chat=([0-9a-f]{32})", page.url)
    assert match, page.url
    turns: list[dict[str, Any]] = json.loads((server.home / "chats" / f"{match[1]}.json").read_text())["turns"]
    return turns


# 1 ---------------------------------------------------------------------------------------------------------------


def test_question_is_literal_and_nothing_leaves_the_server(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.open()
    page.screenshot(path=screenshots / "first-visit.png")
    page.wait_for_selector("text=For example")
    question = "How tight are the screws? <b>*$5*</b>"
    page = visitor.ask(question)
    assert page.get_by_text(question, exact=True).first.is_visible()
    assert page.locator("[data-testid=stChatMessage]").nth(1).inner_text().strip()
    assert not page.get_by_text("For example").is_visible()
    page.screenshot(path=screenshots / "answer.png")
    assert visitor.foreign_requests() == []
    assert visitor.complaints == []


# 2, 3 ------------------------------------------------------------------------------------------------------------


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
    assert message.locator("a, h1, img, script, iframe").count() == 0
    assert page.evaluate("getComputedStyle(document.body).display") != "none"
    assert visitor.foreign_requests() == []


def test_half_written_text_shows_no_formula_over_money(visitor: Visitor, screenshots: Path) -> None:
    page = visitor.open()
    visitor.type("slow please")
    page.wait_for_selector("text=Sentence number 5 costs")
    for _ in range(5):
        assert page.locator(".katex").count() == 0
        time.sleep(0.1)
    page.screenshot(path=screenshots / "answering.png")
    page.get_by_role("button", name="Stop").click()
    page.wait_for_selector("text=Stopped before it was complete")


# 4, 5 ------------------------------------------------------------------------------------------------------------

NO_OVERFLOW = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("desktop", {"viewport": DESKTOP, "color_scheme": "light"}),
        ("phone", {"viewport": PHONE, "color_scheme": "dark", "has_touch": True}),
    ],
)
def test_six_pictures_of_any_shape(
    browser: Any, server: Server, screenshots: Path, name: str, options: dict[str, Any]
) -> None:
    visitor = Visitor(browser, server, **options)
    visitor.open()
    page = visitor.ask("six pictures")
    wait_until(lambda: page.evaluate("[...document.images].filter(i => i.complete && i.naturalWidth).length") >= 5)
    boxes = page.evaluate("[...document.images].map(i => [i.alt, i.clientWidth, i.clientHeight, i.naturalHeight])")
    assert {box[0] for box in boxes} == {"Table 1", "Figure 2", "Equation 1", "Figure 1", "Figure 3"}
    for alt, width, height, _ in boxes:
        assert height <= 200, alt
        assert width <= max(SHAPES["strip"][0], 150), alt
    formula = next(box for box in boxes if box[0] == "Equation 1")
    assert formula[1] <= 290  # the box; the formula inside keeps its 190 pixels
    assert page.get_by_text("Not shown: the file is missing.").is_visible()
    assert page.evaluate(NO_OVERFLOW)
    page.screenshot(path=screenshots / f"six-pictures-{name}.png", full_page=True)
    visitor.context.close()


def test_picture_is_enlarged_and_focus_comes_back(six: Visitor, screenshots: Path) -> None:
    page = six.page
    button = page.locator("button:visible", has_text="Figure 2").first
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("[data-testid=stDialog]")
    dialog.locator("img").wait_for()
    assert dialog.locator("img").bounding_box()["height"] < DESKTOP["height"]
    assert dialog.get_by_text("Chosen because: it was named").is_visible()
    assert dialog.get_by_text("Stands in: Pump > Pump manual > 1 Setup > 1.2 Shaft").is_visible()
    page.screenshot(path=screenshots / "enlarged.png")
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert "Figure 2" in page.evaluate("document.activeElement.innerText")


# 6 ---------------------------------------------------------------------------------------------------------------


def test_citation_opens_the_section_with_its_lines_marked(six: Visitor, screenshots: Path) -> None:
    page = six.page
    page.locator("button:visible", has_text="[1] 1.1 Housing").first.focus()
    page.keyboard.press("Enter")
    body = page.locator("[data-testid=stPopoverBody]:visible")
    body.get_by_text("The screws are tightened crosswise to 45 Nm.").wait_for()
    assert body.get_by_text("Pump > Pump manual > 1 Setup > 1.1 Housing").is_visible()
    assert body.get_by_text("line 10, word for word in the source").is_visible()
    page.screenshot(path=screenshots / "citation.png")
    open_section = body.get_by_role("button", name="Open section")
    open_section.focus()
    page.keyboard.press("Enter")
    drawer = page.locator("[data-testid=stDialog]")
    drawer.locator(".cited").wait_for()
    assert drawer.locator(".cited").all_inner_texts() == ["10The screws are tightened crosswise to 45 Nm."]
    assert page.locator("[data-testid=stPopoverBody]:visible").count() == 0
    page.screenshot(path=screenshots / "section.png")
    page.keyboard.press("Escape")
    drawer.wait_for(state="hidden")


# 7, 8 ------------------------------------------------------------------------------------------------------------


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


def let_the_provider_reply(server: Server) -> None:
    log, reply = server.home / "provider.log", server.home / "reply"
    reply.touch()
    wait_until(lambda: log.exists() and bool(log.read_text()))
    reply.unlink()


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
    page.screenshot(path=screenshots / "ask-again.png")
    window.get_by_role("button", name="Ask with these settings").click()
    window.wait_for(state="hidden")
    wait_until(lambda: [turn["state"] for turn in turns_of(page, server)] == ["answered"] * 2)
    turns = turns_of(page, server)
    assert {turn["question"] for turn in turns} == {"money once more"}
    assert [turn["options"]["sections"] for turn in turns] == [5, 4]


# 9, 10 -----------------------------------------------------------------------------------------------------------


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


# 11 --------------------------------------------------------------------------------------------------------------


def test_saved_answer_opens_elsewhere(six: Visitor) -> None:
    page = six.page
    with page.expect_download() as download:
        page.locator("button:visible", has_text="Save").first.click()
    archive = zipfile.ZipFile(io.BytesIO(Path(download.value.path()).read_bytes()))
    text = archive.read("answer.md").decode()
    links = re.findall(r"\]\((images/[^)]+)\)", text)
    assert len(links) == 5
    assert set(links) <= set(archive.namelist())
    assert "six pictures cost $5" in text
    assert str(six.server.home) not in text


# 12 --------------------------------------------------------------------------------------------------------------


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


# 14 --------------------------------------------------------------------------------------------------------------


def test_works_below_a_path_of_a_proxy(browser: Any, tmp_path: Path) -> None:
    make_corpus(tmp_path)
    with serve(SCRIPT, tmp_path, "--server.baseUrlPath", "docs", base="/docs") as server:
        visitor = Visitor(browser, server)
        visitor.open()
        page = visitor.ask("money below a path")
        wait_until(lambda: page.locator(".katex").count() == 2)  # the browser loads KaTeX at the first formula
        visitor.context.close()


# 15 --------------------------------------------------------------------------------------------------------------


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
