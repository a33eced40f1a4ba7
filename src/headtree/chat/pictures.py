"""Picture files -> bytes that may be shown: from inside the documents folder only, decoded and drawn anew.

A file that is missing, damaged or no picture is a stated problem, never an error: the page draws a grey card.
"""

from __future__ import annotations

import io
import os
import re
import threading
import warnings
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from PIL import Image, ImageOps, UnidentifiedImageError

THUMBNAIL_HEIGHT = 190
"""Most pixels of a card's picture on the page; two rows of cards fit on a small laptop."""
_HEIGHTS_OF_FEW = {1: 340, 2: 260}
"""The same where a gallery has only so many pictures: there is room to read them without enlarging."""
_STRIP_HEIGHTS_OF_FEW = {3: 240, 4: 240}
"""As above; tables are mostly of this shape."""
_LEAST_HEIGHT = 64
THUMBNAIL_WIDTHS = (150, 274)
"""Pixels; two of the widest cards fit into the column of the chat."""
ROW_WIDTH = 614
"""Pixels of a strip, which gets a row of its own."""
STRIP_HEIGHT = 190
"""Most pixels of such a row: a wider picture is a strip, for at 274 pixels it would be less than 90 high."""
_STRIP_MINIMUM = 420
"""Pixels; a narrower one (a formula) stays small."""
LARGE_SIDES = (1100, 600)
"""Most pixels, width and height, of an enlarged picture on the page: a laptop's window without its edges."""
_DENSITY = 2
"""Pixels that are sent for one on the page, for sharp lines on dense screens."""
_WIDEST_SENT = 1460
"""Pixels; Streamlit shrinks what is wider, by a plainer method, at every rerun."""
_MOST_FILE_BYTES = 60_000_000
_MOST_PIXELS = 80_000_000
_PHOTOGRAPH_COLOURS = 4096
"""A drawing has fewer, with the shades of its edges; a photograph as PNG takes ten times the bytes of a JPEG."""
_JPEG_QUALITY = 90
_FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF")

PictureFormat = Literal["PNG", "JPEG"]
_ThumbnailKey = tuple[Path, tuple[int, int], int]
"""File, its version, pictures of the gallery as far as they matter."""


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture's file, or why there is none to show."""

    file: Path | None
    """Resolved and inside the documents folder."""
    version: tuple[int, int] = (0, 0)
    """Size in bytes and time of change in nanoseconds: the key of what is made from the file."""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class DrawnPicture:
    """A picture as it is sent to the page."""

    data: bytes
    format: PictureFormat
    width: int
    """Pixels on the page; never more than the file has."""
    height: int
    natural: tuple[int, int]
    """Width and height of the file in pixels."""


@dataclass(frozen=True, slots=True)
class Box:
    """A card's picture on the page, in pixels."""

    width: int
    height: int
    strip: bool = False
    """Whether it takes a row of its own."""


PREVIEW = Box(190, 110)
"""Of the pictures beside example questions, which are all of one size."""


def find_picture(documents: Path, path: str) -> PictureFile:
    """Find a picture by its path below the documents folder; nothing outside of it is ever opened."""
    try:
        root = documents.resolve()
        file = (root / path).resolve()
        if not file.is_relative_to(root):
            return PictureFile(None, problem="the file lies outside the documents folder")
        status = file.stat()
    except (OSError, ValueError):  # ValueError: a path that holds a NUL
        return PictureFile(None, problem="the file is missing")
    if not file.is_file():
        return PictureFile(None, problem="the file is missing")
    if status.st_size > _MOST_FILE_BYTES:
        return PictureFile(None, problem="the file is too large to be shown")
    return PictureFile(file, (status.st_size, status.st_mtime_ns))


def fit(width: int, height: int, *, among: int = 6) -> Box:
    """Choose a card's box for a picture; a picture is never drawn larger than it is.

    Args:
        width: of the picture in pixels.
        height: of the picture in pixels.
        among: how many pictures its gallery has.
    """
    if width / height > ROW_WIDTH / _STRIP_HEIGHTS_OF_FEW.get(among, STRIP_HEIGHT) and width > _STRIP_MINIMUM:
        drawn = min(width, ROW_WIDTH)
        return Box(drawn, max(48, round(height * drawn / width)), strip=True)
    highest = _HEIGHTS_OF_FEW.get(among, THUMBNAIL_HEIGHT)
    narrow, wide = THUMBNAIL_WIDTHS
    if among in _HEIGHTS_OF_FEW:
        wide = min(ROW_WIDTH, max(wide, width))
    box_width = min(wide, max(narrow, round(width * highest / height)))
    drawn_height = round(height * min(1.0, box_width / width))
    return Box(box_width, min(highest, max(_LEAST_HEIGHT, drawn_height)))


def draw_thumbnail(file: Path, box: Box | None = None, *, among: int = 6) -> DrawnPicture | str:
    """Draw a picture into a box on white, or return what is wrong with the file.

    The white ground keeps black formulas readable in a dark theme.

    Args:
        file: the picture.
        box: by default that of its card, which depends on its shape.
        among: how many pictures its gallery has.
    """
    image = _open(file)
    if isinstance(image, str):
        return image
    box = box or fit(*image.size, among=among)
    scale = min(box.width / image.width, box.height / image.height, 1.0)
    dense = min(scale * _DENSITY, 1.0)
    small = image.resize(_scaled(image, dense), Image.Resampling.LANCZOS, reducing_gap=2.0)
    canvas_scale = dense / scale
    canvas = Image.new("RGB", (round(box.width * canvas_scale), round(box.height * canvas_scale)), "white")
    canvas.paste(small, ((canvas.width - small.width) // 2, (canvas.height - small.height) // 2))
    return DrawnPicture(*_encode(canvas), box.width, box.height, image.size)


def draw_large(file: Path) -> DrawnPicture | str:
    """Draw a picture for its own window: whole, at most twice its size and never higher than the window."""
    image = _open(file)
    if isinstance(image, str):
        return image
    scale = min(LARGE_SIDES[0] / image.width, LARGE_SIDES[1] / image.height, 2.0)
    density = min(scale * _DENSITY, 1.0, _WIDEST_SENT / image.width)
    dense = image.resize(_scaled(image, density), Image.Resampling.LANCZOS, reducing_gap=2.0)
    width, height = _scaled(image, scale)
    return DrawnPicture(*_encode(dense), width, height, image.size)


@dataclass(slots=True)
class Thumbnails:
    """The cards' pictures, drawn once for all visitors and kept; safe to use from several threads."""

    most: int = 500
    """Pictures that are kept, of at most 0.3 MB or so; the one that was kept longest goes first."""
    _drawn: dict[_ThumbnailKey, DrawnPicture | str] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, found: PictureFile, among: int) -> DrawnPicture | str:
        """Return the card's picture of a file, or what is wrong with it.

        Args:
            found: the file.
            among: how many pictures its gallery has.
        """
        if found.file is None:
            return found.problem
        key = (found.file, found.version, min(among, 1 + max(_STRIP_HEIGHTS_OF_FEW)))
        drawn = self._drawn.get(key)
        if drawn is None:
            drawn = draw_thumbnail(found.file, among=among)
            with self._lock:
                while len(self._drawn) >= self.most:
                    del self._drawn[next(iter(self._drawn))]
                self._drawn[key] = drawn
        return drawn

    def prepare(self, galleries: Sequence[Sequence[PictureFile]]) -> None:
        """Draw side by side what is not drawn yet: Pillow leaves the other cores free to work."""
        files = [(found, len(gallery)) for gallery in galleries for found in gallery]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda one: self.get(*one), files))


def file_name(number: int, label: str, path: str) -> str:
    """Return a picture's name in an export: its number, its label and the ending of its file.

    >>> file_name(1, "Table 3", "Galore/tables/fileoutpart157.png")
    '01-Table-3.png'
    """
    suffix = re.sub(r"[^a-z0-9.]", "", Path(path).suffix.lower())[:6] or ".png"
    words = re.sub(r"[^\w]+", "-", label, flags=re.ASCII).strip("-")[:60] or "picture"
    return f"{number:02d}-{words}{suffix}"


def _open(file: Path) -> Image.Image | str:
    """Decode a picture onto white; a file that is none, or claims too many pixels, gives a sentence."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file, formats=_FORMATS) as image:
                if image.width * image.height > _MOST_PIXELS or not image.width * image.height:
                    return "the picture claims more pixels than can be shown"
                return _on_white(ImageOps.exif_transpose(image))
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return "the picture claims more pixels than can be shown"
    except UnidentifiedImageError:
        return "the file is no picture that can be drawn here" + (" (SVG)" if file.suffix.lower() == ".svg" else "")
    except (OSError, SyntaxError, ValueError):
        return "the file is damaged"


def _on_white(image: Image.Image) -> Image.Image:
    if image.mode in {"RGBA", "LA", "PA"} or "transparency" in image.info:
        with_alpha = image.convert("RGBA")
        ground = Image.new("RGB", image.size, "white")
        ground.paste(with_alpha, mask=with_alpha.getchannel("A"))
        return ground
    if image.mode.startswith("I"):  # 16-bit grey: a plain conversion would clip nearly all of it to white
        return image.point(lambda value: value / 256).convert("L").convert("RGB")
    return image.convert("RGB")


def _scaled(image: Image.Image, scale: float) -> tuple[int, int]:
    return max(1, round(image.width * scale)), max(1, round(image.height * scale))


def _encode(image: Image.Image) -> tuple[bytes, PictureFormat]:
    """Encode a drawing without loss, and a photograph so that a page of them opens quickly."""
    raw = io.BytesIO()
    if image.getcolors(_PHOTOGRAPH_COLOURS) is None:
        image.save(raw, "JPEG", quality=_JPEG_QUALITY, subsampling=0)
        return raw.getvalue(), "JPEG"
    image.save(raw, "PNG", compress_level=4)
    return raw.getvalue(), "PNG"
