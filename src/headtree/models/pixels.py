"""Image files -> images as a model takes them; the file itself stays as it is and is what a reader is shown."""

from __future__ import annotations

import io
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from headtree.errors import DocumentError

_SENT_AS_IS = {"PNG": "image/png", "JPEG": "image/jpeg", "WEBP": "image/webp"}
"""Formats that all providers take, as the bytes say, whatever the file is called."""
_MODES = frozenset({"L", "RGB", "RGBA"})
_MOST_BYTES = 3_500_000
"""Of one image: 5 MB in base64 is refused by one provider, with room for what stands round it."""
_JPEG_QUALITY = 90


@dataclass(frozen=True, slots=True)
class SentImage:
    """An image that is ready to be sent."""

    data: bytes
    media_type: str
    """``image/png``, ``image/jpeg`` or ``image/webp``."""
    width: int
    """Pixels, as sent."""
    height: int


def prepare_image(file: Path, *, longest_side: int) -> SentImage:
    """Read an image file and return it as a model takes it.

    A format that not every provider takes becomes PNG, of an animation its first frame; colours for print become RGB;
    a side over the limit is scaled down; what is too many bytes as PNG becomes JPEG.

    Args:
        file: any image that Pillow reads.
        longest_side: pixels.

    Raises:
        DocumentError: the file is missing, damaged, or so large that it may be an attack.
    """
    try:
        raw = file.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(raw)) as image:
                return _prepare(image, raw, longest_side)
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError) as error:
        raise DocumentError(f"{file.name} cannot be read as an image") from error
    except (Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise DocumentError(f"{file.name} is too large an image to look at") from error


def _prepare(image: Image.Image, raw: bytes, longest_side: int) -> SentImage:
    media_type = _SENT_AS_IS.get(image.format or "")
    turned = image.getexif().get(0x0112, 1) != 1
    animated = getattr(image, "n_frames", 1) > 1
    small = max(image.size) <= longest_side and len(raw) <= _MOST_BYTES
    if media_type and small and image.mode in _MODES and not turned and not animated:
        image.load()  # a file that was cut short fails here, and not at the service
        return SentImage(raw, media_type, *image.size)
    image.seek(0)
    pixels = _to_rgb(ImageOps.exif_transpose(image))
    pixels.thumbnail((longest_side, longest_side), Image.Resampling.LANCZOS)
    return _encode(pixels)


def _to_rgb(image: Image.Image) -> Image.Image:
    """Return an image with the modes that PNG and every model know."""
    if image.mode in _MODES:
        return image
    if image.mode in {"P", "LA", "PA"} or "transparency" in image.info:
        return image.convert("RGBA")
    if image.mode.startswith("I") or image.mode == "F":
        return _scale_to_bytes(image)
    return image.convert("RGB")


def _scale_to_bytes(image: Image.Image) -> Image.Image:
    """Return 16-bit or floating grey as 8-bit, black and white kept: ``convert`` would clip it."""
    values = np.asarray(image.convert("F"))
    low, high = float(values.min()), float(values.max())
    scaled = (values - low) * (255.0 / ((high - low) or 1.0))
    return Image.fromarray(scaled.astype(np.uint8))


def _encode(image: Image.Image) -> SentImage:
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    if buffer.tell() <= _MOST_BYTES:
        return SentImage(buffer.getvalue(), "image/png", *image.size)
    opaque = Image.new("RGB", image.size, "white")
    opaque.paste(image, mask=image.getchannel("A") if image.mode == "RGBA" else None)
    buffer = io.BytesIO()
    opaque.save(buffer, "JPEG", quality=_JPEG_QUALITY)
    return SentImage(buffer.getvalue(), "image/jpeg", *image.size)
