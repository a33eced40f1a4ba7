"""Pictures: found inside the documents folder only, drawn whole and never larger than they are."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from headtree.chat.pictures import (
    LARGE_SIDES,
    ROW_WIDTH,
    THUMBNAIL_HEIGHT,
    DrawnPicture,
    Thumbnails,
    draw_large,
    draw_thumbnail,
    file_name,
    find_picture,
    fit,
)


@pytest.mark.parametrize("path", ["../secret.png", "a/../../secret.png", "link.png", "nul\0.png", "missing.png", "sub"])
def test_nothing_outside_is_found(tmp_path: Path, path: str) -> None:
    documents = tmp_path / "documents"
    (documents / "sub").mkdir(parents=True)
    Image.new("RGB", (9, 9)).save(tmp_path / "secret.png")
    (documents / "link.png").symlink_to(tmp_path / "secret.png")
    found = find_picture(documents, path)
    assert found.file is None
    assert found.problem


def test_absolute_path_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir()
    assert find_picture(tmp_path / "documents", "/etc/hostname").file is None


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(1, 6))
def test_box_is_bounded(width: int, height: int, among: int) -> None:
    box = fit(width, height, among=among)
    highest, widest = {1: (340, 614), 2: (260, 614)}.get(among, (THUMBNAIL_HEIGHT, 274))
    assert box.strip or (64 <= box.height <= highest and 150 <= box.width <= widest)
    assert not box.strip or (box.width <= min(width, ROW_WIDTH) and 48 <= box.height <= 240)


@pytest.mark.parametrize("size", [(1700, 150), (300, 1900), (190, 44), (640, 480), (2400, 1800), (1, 1), (3000, 1)])
def test_pictures_are_never_enlarged_in_cards_and_fit_their_window(tmp_path: Path, size: tuple[int, int]) -> None:
    Image.new("RGB", size, "#0b6e4f").save(tmp_path / "p.png")
    small, large = draw_thumbnail(tmp_path / "p.png"), draw_large(tmp_path / "p.png")
    assert isinstance(small, DrawnPicture)
    assert isinstance(large, DrawnPicture)
    assert small.natural == size
    inside = _coloured(small)
    scale = Image.open(io.BytesIO(small.data)).width / small.width
    assert inside[0] <= size[0] * scale + 1
    assert inside[1] <= size[1] * scale + 1
    assert large.width <= LARGE_SIDES[0]
    assert large.height <= LARGE_SIDES[1]
    assert large.width <= 2 * size[0]


def _coloured(drawn: DrawnPicture) -> tuple[int, int]:
    image = Image.open(io.BytesIO(drawn.data)).convert("L").point(lambda value: 255 * (value < 250))
    box = image.getbbox()
    return (0, 0) if box is None else (box[2] - box[0], box[3] - box[1])


def test_transparent_and_deep_pictures_are_readable(tmp_path: Path) -> None:
    Image.new("RGBA", (80, 80), (0, 0, 0, 0)).save(tmp_path / "clear.png")
    drawn = draw_large(tmp_path / "clear.png")
    assert isinstance(drawn, DrawnPicture)
    assert Image.open(io.BytesIO(drawn.data)).getpixel((5, 5)) == (255, 255, 255)
    Image.new("I;16", (80, 80), 30000).save(tmp_path / "deep.png")
    drawn = draw_large(tmp_path / "deep.png")
    assert isinstance(drawn, DrawnPicture)
    assert 100 < Image.open(io.BytesIO(drawn.data)).getpixel((5, 5))[0] < 130


def _png_claiming(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0")) + chunk(b"IEND", b"")


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"not a picture", "no picture"),
        (b"", "no picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script>1</script></svg>", "no picture"),
        (_png_claiming(20_000, 20_000), "more pixels"),
        (_png_claiming(100, 100), "damaged"),
    ],
)
def test_bad_files_are_a_sentence(tmp_path: Path, raw: bytes, words: str) -> None:
    (tmp_path / "p.png").write_bytes(raw)
    for draw in (draw_thumbnail, draw_large):
        problem = draw(tmp_path / "p.png")
        assert isinstance(problem, str)
        assert words in problem


def test_exported_names_are_safe() -> None:
    assert file_name(3, "../../Table 3: <b>", "a/b.PNG") == "03-Table-3-b.png"
    assert file_name(1, "", "noending") == "01-picture.png"
    assert file_name(12, "Abbildung ä", "x.j/pg") == "12-Abbildung.png"


def test_photographs_are_sent_small_and_drawings_without_loss(tmp_path: Path) -> None:
    coloured = Image.merge("RGB", [Image.effect_noise((900, 700), 90) for _ in range(3)])
    coloured.save(tmp_path / "photograph.png")
    drawing = Image.new("RGB", (900, 700), "white")
    ImageDraw.Draw(drawing).ellipse((40, 40, 800, 600), outline="black", width=5)
    drawing.save(tmp_path / "drawing.png")
    for name, expected in (("photograph", "JPEG"), ("drawing", "PNG")):
        for draw in (draw_thumbnail, draw_large):
            drawn = draw(tmp_path / f"{name}.png")
            assert isinstance(drawn, DrawnPicture)
            assert (drawn.format, Image.open(io.BytesIO(drawn.data)).format) == (expected, expected)


def test_thumbnails_are_drawn_once_until_the_file_changes(tmp_path: Path) -> None:
    files = []
    for number in range(3):
        Image.new("RGB", (80 + number, 60), "#0b6e4f").save(tmp_path / f"{number}.png")
        files.append(find_picture(tmp_path, f"{number}.png"))
    kept = Thumbnails(most=2)
    first = kept.get(files[0], 3)
    assert first == draw_thumbnail(tmp_path / "0.png")
    kept.prepare([[*files[:2], find_picture(tmp_path, "missing.png")]])
    (tmp_path / "0.png").unlink()
    (tmp_path / "1.png").unlink()
    assert kept.get(files[0], 3) is first  # kept: the file is not asked again
    assert kept.get(files[1], 3) != "the file is damaged"
    assert kept.get(find_picture(tmp_path, "0.png"), 3) == "the file is missing"
    kept.get(files[2], 3)  # the third one takes the place of the first
    assert kept.get(files[0], 3) == "the file is damaged"
