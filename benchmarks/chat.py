"""How quick the chat is: ``python -m benchmarks.chat`` (needs Debian's ``chromium`` and the package ``playwright``).

Measures in one run, on a corpus that it makes: seconds from Enter to the first text and to the whole answer; script
time, traffic and time to a quiet page per rerun of a conversation with 50 answers and 100 pictures, and the same for a
slider of the settings and for a click inside one answer. Prints a table and writes it to ``results/chat-speed.json``
and ``docs/benchmark-speed.md``.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from PIL import Image

from benchmarks.pages import table, write_part
from benchmarks.run import PAGE
from headtree.chat.history import AnswerOptions, ChatStore, Turn, TurnState, new_id, now
from headtree.chat.trace import Trace
from headtree.pipeline import answer_with_evidence, build_index, open_index
from headtree.settings import load_settings
from headtree.types import ShownFigure

ROOT = Path(__file__).parents[1]
ANSWERS = 50
PICTURES = 100
REPEATS = 5
READY = '[data-testid=stApp][data-test-script-state="notRunning"]'
INPUT = "[data-testid=stChatInputTextArea]:enabled"


def make_corpus(documents: Path) -> None:
    """Write a manual with 100 pictures of about a megabyte: noise over a drawing, as photographs are."""
    figures = documents / "Manual" / "figures"
    figures.mkdir(parents=True)
    generator = random.Random(7)
    lines = ["# Manual", ""]
    for number in range(1, PICTURES + 1):
        noise = Image.frombytes("RGB", (160, 120), generator.randbytes(160 * 120 * 3))
        noise.resize((1200, 900), Image.Resampling.BICUBIC).save(figures / f"{number}.png", compress_level=1)
        lines += [f"## {number} Part", "", f"Part {number} weighs {number} kg, see Figure {number}.", ""]
        lines += [f"![](figures/{number}.png)", "", f"Figure {number}: Drawing of part {number}", ""]
    (documents / "Manual" / "Manual.md").write_text("\n".join(lines), encoding="utf-8")


def make_chat(chats: Path) -> str:
    """Write a conversation of 50 answers that show all pictures, two each; returns its id."""
    opened = open_index(load_settings())
    answer, _ = answer_with_evidence(opened, "How much does part 3 weigh?")
    turns = []
    for number in range(ANSWERS):
        pair = (2 * number + 1, 2 * number + 2)
        figures = tuple(
            ShownFigure(
                f"Manual#{n}", "Manual", f"Manual/figures/{n}.png", f"Figure {n}", "A part", "figure", "0001", True, ""
            )
            for n in pair
        )
        turn = Turn(new_id(), f"What do parts {pair[0]} and {pair[1]} weigh?", now(), AnswerOptions(5, 6))
        shown = replace(answer, figures=figures)
        turns.append(replace(turn, state=TurnState.ANSWERED, answer=shown, trace=Trace(), generation="1"))
    store, chat_id = ChatStore(chats), new_id()
    for turn in turns:
        store.begin(chat_id, "", turn)
    return chat_id


@contextlib.contextmanager
def serve(home: Path) -> Iterator[str]:
    """Run the chat on a free port until the block ends."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        "app.py",
        "--server.headless",
        "true",
        "--server.port",
        str(port),
    ]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen([*command, "--server.address", "127.0.0.1"], cwd=ROOT, stdout=log, stderr=log)
    try:
        for _ in range(400):
            with contextlib.suppress(OSError), urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health"):
                break
            time.sleep(0.1)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


class Meter:
    """Counts what the page gets over its web socket, and times what is done to it."""

    def __init__(self, page: Any) -> None:
        self.page = page
        self.bytes = 0
        page.on("websocket", lambda socket: socket.on("framereceived", self._count))

    def _count(self, frame: str | bytes) -> None:
        self.bytes += len(frame)

    def measure(self, act: Callable[[], None], quiet: Callable[[], None]) -> tuple[float, int]:
        """Return seconds until the page is quiet again, and bytes."""
        before, started = self.bytes, time.monotonic()
        act()
        quiet()
        return time.monotonic() - started, self.bytes - before

    def wait_for_reply(self) -> None:
        """Wait until the server has answered and the page is quiet: a slider sends its value only after a moment."""
        before = self.bytes
        while self.bytes == before:
            self.page.wait_for_timeout(10)
        self.page.wait_for_selector(READY)


def measure_first_answer(browser: Any, url: str) -> dict[str, float]:
    """Ask a new question: time to the first words of an answer, and to the whole of it."""
    first, whole = [], []
    for number in range(REPEATS):
        page = browser.new_page()
        page.set_default_timeout(120_000)
        page.goto(url)
        page.wait_for_selector("text=For example")
        page.wait_for_selector(READY)
        page.locator(INPUT).fill(f"How much does part {number + 4} weigh?")
        started = time.monotonic()
        page.locator(INPUT).press("Enter")
        page.locator("[data-testid=stChatMessage]").nth(1).get_by_text("weighs").first.wait_for()
        first.append(time.monotonic() - started)
        page.locator("button:visible", has_text="Ask again").first.wait_for()
        whole.append(time.monotonic() - started)
        page.close()
    return {"first_text_s": statistics.median(first), "whole_answer_s": statistics.median(whole)}


def measure_long_chat(browser: Any, url: str, chat_id: str) -> dict[str, float]:
    """Open the long conversation, draw all of it, rerun it, and click inside one answer."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    meter = Meter(page)

    def quiet() -> None:
        page.wait_for_timeout(60)
        page.wait_for_selector(READY)

    results: dict[str, float] = {}
    results["first_view_10_answers_s"], _ = meter.measure(
        lambda: page.goto(f"{url}/?chat={chat_id}"),
        lambda: page.wait_for_function("document.querySelectorAll('[data-testid=stChatMessage]').length >= 20"),
    )
    quiet()
    for shown in (30, 50):
        results[f"show_{shown}_answers_s"], _ = meter.measure(
            lambda: page.locator("button:visible", has_text="Show earlier").click(),
            lambda n=shown: page.wait_for_function(  # type: ignore[misc]
                "n => document.querySelectorAll('[data-testid=stChatMessage]').length >= 2 * n", arg=n
            ),
        )
        quiet()
    switch = page.locator("[data-testid=stSidebar] button:visible", has_text="New chat")
    switch.wait_for()
    reruns = [meter.measure(lambda: page.keyboard.press("r"), quiet) for _ in range(REPEATS)]
    results["rerun_50_answers_s"] = statistics.median(seconds for seconds, _ in reruns)
    results["rerun_50_answers_kb"] = statistics.median(size for _, size in reruns) / 1000
    thumbs = page.locator("[data-testid=stButtonGroup] button, [data-testid=stFeedback] button")
    clicks = [meter.measure(lambda n=n: thumbs.nth(2 * n).click(), quiet) for n in range(REPEATS)]  # type: ignore[misc]
    results["click_in_one_answer_s"] = statistics.median(seconds for seconds, _ in clicks)
    results["click_in_one_answer_kb"] = statistics.median(size for _, size in clicks) / 1000
    page.locator("[data-testid=stSidebar]").get_by_text("Settings of the next question").click()
    slider = page.locator("[data-testid=stSidebar] [data-testid=stSlider] input").first
    slides = [meter.measure(lambda: slider.press("ArrowRight"), meter.wait_for_reply) for _ in range(REPEATS)]
    results["settings_slider_s"] = statistics.median(seconds for seconds, _ in slides)
    results["settings_slider_kb"] = statistics.median(size for _, size in slides) / 1000
    page.close()
    return results


def measure_script(chat_id: str) -> float:
    """Return seconds of script for one rerun with all 50 answers, by Streamlit's test harness, thumbnails warm."""
    from streamlit.testing.v1 import AppTest

    app = AppTest.from_file(str(ROOT / "app.py"))
    app.query_params["chat"] = chat_id
    app.session_state["shown_turns"] = ANSWERS
    app.run(timeout=120)
    times = []
    for _ in range(REPEATS):
        started = time.monotonic()
        app.run(timeout=120)
        times.append(time.monotonic() - started)
    return statistics.median(times)


def page_part(record: dict[str, Any]) -> str:
    """Return the table for people."""
    rows = [
        ("question to the first words of the answer", "first_text"),
        ("question to the whole answer", "whole_answer"),
        ("first view: the last 10 answers, 20 pictures", "first_view_10_answers"),
        ("20 earlier answers more, 40 pictures", "show_30_answers"),
        ("20 more, now 50 answers and 100 pictures", "show_50_answers"),
        ("whole page drawn anew", "rerun_50_answers"),
        ("a thumb below one answer", "click_in_one_answer"),
        ("a slider of the settings", "settings_slider"),
    ]
    cells = [(words, f"{record[f'{name}_s']:.2f}", _kilobytes(record, name)) for words, name in rows]
    return f"{_NOTE.format(**record)}\n\n{table(('step', 's', 'KB'), cells)}"


def _kilobytes(record: dict[str, Any], name: str) -> str:
    return f"{record[f'{name}_kb']:.0f}" if f"{name}_kb" in record else ""


_NOTE = """\
Written by `python -m benchmarks.chat`: headless Chromium on the same {cores} cores as the server, load average at the
end {load:.1f}. Seconds until the page is quiet again, median of 5 where a step can be repeated; KB are what the server
sent. All 100 pictures are noise of about a megabyte, the worst case for drawing them small, and are drawn for the first
time. Of the time for the whole page {script_50_answers_s:.2f} s are the script's."""


def main() -> None:
    """Make the corpus, measure, print and write."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("needs chromium: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        home = Path(temporary)
        for name in ("documents", "index", "chats"):
            os.environ[f"HEADTREE_{name.upper()}"] = str(home / name)
        os.environ["HEADTREE_EMBEDDER"] = "none"
        make_corpus(home / "documents")
        build_index(load_settings())
        chat_id = make_chat(home / "chats")
        flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium, args=flags)
        with serve(home) as url:
            results = measure_first_answer(browser, url) | measure_long_chat(browser, url, chat_id)
        browser.close()
        results["script_50_answers_s"] = measure_script(chat_id)
    for name, value in results.items():
        print(f"{name:28} {value:8.2f}")
    record = {
        "machine": platform.machine(),
        "cores": os.cpu_count(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
        **results,
    }
    (ROOT / "results").mkdir(exist_ok=True)
    (ROOT / "results" / "chat-speed.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    write_part(PAGE, "The chat", page_part(record), introduction="")


if __name__ == "__main__":
    main()
