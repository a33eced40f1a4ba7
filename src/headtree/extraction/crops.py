"""Renders a page for the model and cuts pictures out of it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headtree.extraction.blocks import Box
from headtree.extraction.boxes import below

MODEL_SCALE = 2.0
"""Pixels per point at which a page is shown to the layout model."""
_FINEST, _COARSEST = 4.0, 2.0
"""Pixels per point of a picture: small ones are enlarged, no one falls below what is read on a screen."""
_BUDGET = 2_400_000
"""Pixels of a picture, about, as long as that leaves it `_COARSEST`."""
_MOST_PIXELS = 40_000_000
"""Pixels that are rendered at most, whatever size a page claims to have."""
_COMPRESSION = 4
"""Of PNG, 0 to 9: half the time of the usual 6 for a tenth more bytes."""
_MARGIN = 2.0
"""Points round a picture."""


def render_page(page: Any) -> tuple[NDArray[np.uint8], float]:
    """Return a page's pixels ``[height, width, 3]``, blue-green-red, and how many of them make a point."""
    width, height = page.get_size()
    scale = min(MODEL_SCALE, (_MOST_PIXELS / max(width * height, 1.0)) ** 0.5)
    bitmap = page.render(scale=scale)
    pixels: NDArray[np.uint8] = bitmap.to_numpy()[:, :, :3].copy()
    bitmap.close()
    return pixels, scale


def crop(page: Any, box: Box, *, neighbours: Sequence[Box] = ()) -> bytes:
    """Return the part of a page within a box as PNG, with a margin that stops at what stands next to it."""
    width, height = page.get_size()
    left, right = max(box[0] - _MARGIN, 0.0), min(box[2] + _MARGIN, width)
    top = max([0.0, box[1] - _MARGIN, *(other[3] for other in neighbours if _is_above(other, box))])
    bottom = min([height, box[3] + _MARGIN, *(other[1] for other in neighbours if _is_above(box, other))])
    top, bottom = min(top, box[1]), max(bottom, box[3])
    area = max((right - left) * (bottom - top), 1.0)
    scale = min(max((_BUDGET / area) ** 0.5, _COARSEST), _FINEST, (_MOST_PIXELS / area) ** 0.5)
    bitmap = page.render(scale=scale, crop=(left, height - bottom, width - right, top))
    image = bitmap.to_pil().convert("RGB")
    bitmap.close()
    buffer = io.BytesIO()
    image.save(buffer, "PNG", compress_level=_COMPRESSION)
    return buffer.getvalue()


def _is_above(upper: Box, lower: Box) -> bool:
    return below(upper, lower) > 0 and upper[3] <= lower[1] + 0.5
