"""The chat as visitors see it: a server in a process of its own, and pages of a real browser."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.chat.corpus import ROOT, environment, wait_until

APP = ROOT / "app.py"
SCRIPT = Path(__file__).with_name("scripted_app.py")
READY = '[data-testid=stApp][data-test-script-state="notRunning"]'
INPUT = "[data-testid=stChatInputTextArea]"
DESKTOP = {"width": 1280, "height": 900}
PHONE = {"width": 390, "height": 844}
NO_OVERFLOW = "document.documentElement.scrollWidth <= document.documentElement.clientWidth"


@dataclass(frozen=True)
class Server:
    """A running chat."""

    url: str
    home: Path
    """Its folder: documents, index, chats."""


@contextlib.contextmanager
def serve(script: Path, home: Path, *options: str, base: str = "") -> Iterator[Server]:
    """Run a Streamlit script until the block ends; the project's own configuration holds."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.headless", "true"]
    command += ["--server.address", "127.0.0.1", "--server.port", str(port), *options]
    settings = {**os.environ, **environment(home), "PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=log, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}{base}"
            _wait_for_health(f"{url}/_stcore/health", process, home / "server.log")
            yield Server(url, home)
        finally:
            process.terminate()
            process.wait(timeout=20)


def _wait_for_health(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        assert process.poll() is None, log.read_text(errors="replace")[-2000:]
        with contextlib.suppress(OSError), urllib.request.urlopen(address, timeout=2) as reply:
            if reply.status == 200:
                return
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace")[-2000:])


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
        page.set_default_timeout(40_000)
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


def chat_files(server: Server) -> list[Path]:
    return sorted((server.home / "chats").glob("*.json"))


def turns_of(page: Any, server: Server) -> list[dict[str, Any]]:
    match = re.search(r"chat=([0-9a-f]{32})", page.url)
    assert match, page.url
    turns: list[dict[str, Any]] = json.loads((server.home / "chats" / f"{match[1]}.json").read_text())["turns"]
    return turns


def photograph(page: Any, folder: Path, name: str) -> None:
    """Write pictures of a state: light and dark on a desktop, and dark on a phone; nothing may be cut at the side."""
    for look, scheme, size in (("light", "light", DESKTOP), ("dark", "dark", DESKTOP), ("phone", "dark", PHONE)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size(size)
        page.wait_for_timeout(250)  # the theme fades in
        assert page.evaluate(NO_OVERFLOW), f"{name} is wider than a {look} page"
        page.screenshot(path=folder / f"{name}-{look}.png")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(DESKTOP)


def luminance(colour: str) -> float:
    """Relative luminance by WCAG 2."""
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def contrast_in(page: Any, part: Any) -> float:
    """Return the contrast of a part's text to its own background, as the browser draws them."""
    page.wait_for_timeout(400)  # the theme fades in
    drawn = part.first.evaluate("e => [getComputedStyle(e).color, getComputedStyle(e).backgroundColor]")
    colours = [re.findall(r"[\d.]+", colour) for colour in drawn]
    assert all(len(colour) == 3 for colour in colours), drawn
    text, ground = ("#" + "".join(f"{int(float(value)):02x}" for value in colour) for colour in colours)
    return contrast(text, ground)


def let_the_provider_reply(server: Server) -> None:
    log, reply = server.home / "provider.log", server.home / "reply"
    reply.touch()
    wait_until(lambda: log.exists() and bool(log.read_text()))
    reply.unlink()
