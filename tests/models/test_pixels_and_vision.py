"""Images as models take them, and the filter that looks at them."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from headtree.errors import DocumentError, ModelCallError
from headtree.models.pixels import prepare_image
from headtree.models.registry import Registry, Role
from headtree.models.requests import ChatReply, ReplyPiece
from headtree.models.runs import model_run
from headtree.settings import MAX_IMAGE_SIDE, Settings
from headtree.synthesis.vision import look_at_figures, mark_unchecked, read_verdicts
from headtree.types import Answer, FigureDecision, ShownFigure
from tests.models.stub_service import Fail, Say, Stub


def image(mode: str = "RGB", size: tuple[int, int] = (40, 40), colour: Any = None) -> Image.Image:
    return Image.new(mode, size, colour if colour is not None else 0)


def read(data: bytes) -> Image.Image:
    opened = Image.open(io.BytesIO(data))
    opened.load()
    return opened


def test_other_formats_become_png_with_their_first_frame(tmp_path: Path) -> None:
    """Case D-I12."""
    frames = [image(colour=colour) for colour in ("red", "green", "blue")]
    frames[0].save(tmp_path / "x.gif", save_all=True, append_images=frames[1:])
    image(colour="red").save(tmp_path / "y.bmp")
    image(colour="red").save(tmp_path / "z.tif")
    for name in ("x.gif", "y.bmp", "z.tif"):
        sent = prepare_image(tmp_path / name, longest_side=1000)
        assert (sent.media_type, read(sent.data).format) == ("image/png", "PNG")
        red, green, blue = read(sent.data).convert("RGB").getpixel((5, 5))  # type: ignore[misc]
        assert red > 200 > 60 > max(green, blue)


def test_print_colours_become_rgb(tmp_path: Path) -> None:
    """Case D-I13."""
    image("CMYK", colour=(0, 255, 255, 0)).save(tmp_path / "a.jpg")
    sent = prepare_image(tmp_path / "a.jpg", longest_side=1000)
    assert read(sent.data).mode == "RGB"
    assert sent.media_type == "image/png"
    red, green, blue = read(sent.data).getpixel((5, 5))  # type: ignore[misc]
    assert red > 200 > 60 > max(green, blue)


def test_the_type_is_what_the_bytes_say(tmp_path: Path) -> None:
    """Case D-I14."""
    for name, format_, media_type in (
        ("a.JPG", "JPEG", "image/jpeg"),
        ("b.jpeg", "JPEG", "image/jpeg"),
        ("A.PNG", "PNG", "image/png"),
        ("nosuffix", "WEBP", "image/webp"),
        ("wrong.png", "JPEG", "image/jpeg"),
    ):
        image().save(tmp_path / name, format_)
        sent = prepare_image(tmp_path / name, longest_side=1000)
        assert sent.media_type == media_type
        assert sent.data == (tmp_path / name).read_bytes()


def test_huge_sides_are_scaled_down(tmp_path: Path) -> None:
    """Case D-I15: what is sent is small, the file stays as it is."""
    image(size=(9000, 20)).save(tmp_path / "wide.png")
    before = (tmp_path / "wide.png").read_bytes()
    sent = prepare_image(tmp_path / "wide.png", longest_side=1568)
    assert (sent.width, sent.height) == read(sent.data).size
    assert sent.width == 1568
    assert (tmp_path / "wide.png").read_bytes() == before


def test_many_bytes_become_fewer(tmp_path: Path) -> None:
    noise = np.random.default_rng(0).integers(0, 256, (1500, 1500, 4), dtype=np.uint8)
    noise[..., 3] = 255
    Image.fromarray(noise).save(tmp_path / "noise.png", compress_level=1)
    sent = prepare_image(tmp_path / "noise.png", longest_side=1568)
    assert sent.media_type == "image/jpeg"
    assert len(sent.data) <= 3_500_000
    assert (sent.width, sent.height) == (1500, 1500)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "I;16", "I", "F", "YCbCr", "LAB"])
def test_every_mode_can_be_sent(tmp_path: Path, mode: str) -> None:
    image(mode).save(tmp_path / "a.tif")
    sent = prepare_image(tmp_path / "a.tif", longest_side=100)
    assert read(sent.data).mode in {"L", "RGB", "RGBA"}


def test_deep_grey_keeps_its_range(tmp_path: Path) -> None:
    Image.fromarray(np.linspace(0, 65535, 1600).reshape(40, 40).astype(np.uint16)).save(tmp_path / "a.png")
    values = np.asarray(read(prepare_image(tmp_path / "a.png", longest_side=100).data))
    assert (values.min(), values.max()) == (0, 255)


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    (tmp_path / "text.png").write_text("no image")
    image(size=(300, 300)).save(tmp_path / "whole.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "whole.png").read_bytes()[:-40])
    for name in ("missing.png", "text.png", "cut.png"):
        with pytest.raises(DocumentError, match=name):
            prepare_image(tmp_path / name, longest_side=1000)


# ------------------------------------------------------------------------------------------------------- vision


def reply(text: str) -> ChatReply:
    return ChatReply((ReplyPiece(text),), 1, 1)


@pytest.mark.parametrize(
    ("text", "kept"),
    [("0, 2, 2, 7", ["F1", "F3"]), ("NONE of these but 2", ["F3"]), ("none.", [])],
)
def test_verdicts_in_words(text: str, kept: list[str]) -> None:
    """Case D-L04."""
    verdicts = read_verdicts(reply(text), ["F1", "F2", "F3", "F4"])
    assert [handle for handle, verdict in verdicts.items() if verdict.keep] == kept


def test_verdicts_on_others_are_no_verdicts() -> None:
    with pytest.raises(ModelCallError):
        read_verdicts(reply('{"verdicts": [{"handle": "F9", "verdict": "drop", "reason": ""}]}'), ["F1"])


@pytest.fixture
def shown(tmp_path: Path) -> Answer:
    """An answer with three pictures, one of which is no image."""
    documents = tmp_path / "documents"
    documents.mkdir()
    image(size=(30, 20)).save(documents / "a.png")
    image("CMYK", size=(9000, 20)).save(documents / "b.jpg")
    (documents / "c.png").write_text("no image")
    figures = tuple(
        ShownFigure(f"d#{path}", "d", path, f"Figure {i}", "Caption.", "figure", "0001", True, "chosen")
        for i, path in enumerate(("a.png", "b.jpg", "c.png"), start=1)
    )
    decisions = tuple(FigureDecision(figure.figure_id, True, "chosen") for figure in figures)
    return Answer(
        "Why?", "Because [1].", True, "x", (), (), figures, (*decisions, FigureDecision("d#z.png", False, "no"))
    )


def verdict(handle: str, word: str, reason: str = "seen") -> dict[str, str]:
    return {"handle": handle, "verdict": word, "reason": reason}


@pytest.fixture
def vision(provider: str, settings_for: Callable[..., Settings]) -> Any:
    return Registry(settings_for(provider)).chat_model(Role.VISION)


def test_a_picture_is_dropped_and_the_unreadable_one_is_marked(
    vision: Any, stub: Stub, shown: Answer, tmp_path: Path
) -> None:
    verdicts = [verdict("F2", "drop", "a strip of text"), verdict("F1", "keep"), verdict("F7", "drop")]
    stub.script.append(Say(json.dumps({"verdicts": verdicts})))
    result = look_at_figures(shown, tmp_path / "documents", vision)
    assert not stub.refused
    assert [figure.path for figure in result.figures] == ["a.png", "c.png"]
    assert result.figures[0].reason == "chosen; looked at: seen"
    assert "not looked at: c.png cannot be read" in result.figures[1].reason
    assert [decision.shown for decision in result.figure_decisions] == [True, False, True, False]
    assert "a strip of text" in result.figure_decisions[1].reason
    text = stub.received[0].text
    assert text.index("F1: Figure 1") < text.index("F2: Figure 2") < text.index("Question: Why?")


def test_pictures_are_sent_as_sharp_as_was_chosen(vision: Any, stub: Stub, shown: Answer, tmp_path: Path) -> None:
    sides = []
    for longest_side in (300, MAX_IMAGE_SIDE):
        stub.script.append(Say(json.dumps({"verdicts": [verdict("F1", "keep")]})))
        with model_run() as run:
            look_at_figures(shown, tmp_path / "documents", vision, longest_side=longest_side)
        sides.append([max(block.width, block.height) for block in run.requests[0].blocks if block.kind == "image"])
    assert sides == [[30, 300], [30, MAX_IMAGE_SIDE]]


def test_it_only_drops(vision: Any, stub: Stub, shown: Answer, tmp_path: Path) -> None:
    stub.script.append(Say(json.dumps({"verdicts": [verdict("F1", "keep"), verdict("F4", "keep")]})))
    result = look_at_figures(shown, tmp_path / "documents", vision)
    assert {figure.path for figure in result.figures} <= {figure.path for figure in shown.figures}
    assert "not looked at" in result.figures[1].reason


def test_a_failure_keeps_them_marked(vision: Any, stub: Stub, shown: Answer, tmp_path: Path) -> None:
    stub.answer = lambda request: Fail(400, "no")
    with pytest.raises(ModelCallError):
        look_at_figures(shown, tmp_path / "documents", vision)
    marked = mark_unchecked(shown, "x failed")
    assert [figure.path for figure in marked.figures] == ["a.png", "b.jpg", "c.png"]
    assert all("not looked at" in figure.reason for figure in marked.figures)


def test_nothing_outside_the_documents_is_looked_at(vision: Any, stub: Stub, shown: Answer, tmp_path: Path) -> None:
    image().save(tmp_path / "outside.png")
    figures = (ShownFigure("d#x", "d", "../outside.png", "", "", "figure", "0001", True, "chosen"),)
    outside = Answer("Why?", "Because.", True, "x", (), (), figures, ())
    result = look_at_figures(outside, tmp_path / "documents", vision)
    assert not stub.received
    assert "outside of the documents folder" in result.figures[0].reason
