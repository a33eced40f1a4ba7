"""Pictures, sources and export, in Debian's Chromium; numbers are those of the acceptance checks.

The answers follow the script of ``scripted_app``.
"""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

from headtree.chat.pictures import THUMBNAIL_WIDTHS
from tests.chat.corpus import LABELS, SHAPES, wait_until
from tests.chat.visitor import (
    DESKTOP,
    NO_OVERFLOW,
    PHONE,
    Server,
    Visitor,
)

# 4, 5 ---------------------------------------------------------------------------------------------------------------


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
        shape = next(shape for shape, label in LABELS.items() if label == alt)
        assert width <= max(SHAPES[shape][0], THUMBNAIL_WIDTHS[1]), alt  # a smaller one keeps its size within the box
    assert page.get_by_text("Not shown: the file is missing.").is_visible()
    assert page.evaluate(NO_OVERFLOW)
    page.screenshot(path=screenshots / f"six-pictures-{name}.png", full_page=True)
    visitor.context.close()


def server_file(visitor: Visitor, shape: str) -> Path:
    return visitor.server.home / "documents" / "Pump" / "figures" / f"{shape}.png"


def test_picture_is_enlarged_and_focus_comes_back(six: Visitor, screenshots: Path) -> None:
    page = six.page
    button = page.locator("button:visible", has_text="Figure 2").first
    button.focus()
    page.keyboard.press("Enter")
    dialog = page.locator("[data-testid=stDialog]")
    dialog.locator("img").wait_for()
    assert dialog.locator("img").bounding_box()["height"] < DESKTOP["height"]
    assert dialog.get_by_role("heading", name="Figure 2").is_visible()
    assert dialog.get_by_text("Chosen because: it was named").is_visible()
    assert dialog.get_by_text("Stands in: Pump > Pump manual > 1 Setup > 1.2 Shaft").is_visible()
    page.screenshot(path=screenshots / "enlarged.png")
    with page.expect_download() as download:
        dialog.get_by_role("button", name="Download the picture").click()
    original = server_file(six, "tall")
    assert download.value.suggested_filename == "Figure-2.png"
    assert Path(download.value.path()).read_bytes() == original.read_bytes()
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert "Figure 2" in page.evaluate("document.activeElement.innerText")


# 6 ------------------------------------------------------------------------------------------------------------------


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
    box, window = drawer.locator(".cited").bounding_box(), drawer.bounding_box()
    assert window["y"] <= box["y"] <= box["y"] + box["height"] <= min(window["y"] + window["height"], DESKTOP["height"])
    assert page.locator("[data-testid=stPopoverBody]:visible").count() == 0
    page.screenshot(path=screenshots / "section.png")
    page.keyboard.press("Escape")
    drawer.wait_for(state="hidden")


# 11 -----------------------------------------------------------------------------------------------------------------


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
