"""Pictures -> small data URIs, so that a report is one file. Documents are untrusted: what cannot be read is said."""

from __future__ import annotations

import base64
import io
import warnings
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image, UnidentifiedImageError

from headtree.evaluation.gold import is_below_documents

_SIDE = (240, 180)
"""Largest width and height in pixels: three beside each other on a laptop screen."""


@dataclass(frozen=True, slots=True)
class Thumbnails:
    """Makes thumbnails of one documents folder; each picture is read once."""

    documents: Path
    side: tuple[int, int] = _SIDE
    """Largest width and height in pixels."""
    _known: dict[str, str | None] = field(default_factory=dict)

    def data_uri(self, path: str) -> str | None:
        """Return a picture as a data URI; ``None`` where it is missing, damaged, too large or of another format."""
        if path not in self._known:
            file = self._file(path)
            self._known[path] = _shrink(file, self.side) if file else None
        return self._known[path]

    def _file(self, path: str) -> Path | None:
        if not is_below_documents(path):
            return None
        root = self.documents.resolve()
        try:
            file = (root / path).resolve()
            return file if file.is_relative_to(root) and file.is_file() else None
        except (OSError, ValueError):  # a name that is too long, or holds a NUL
            return None


def _shrink(file: Path, side: tuple[int, int]) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Image.DecompressionBombWarning)
            with Image.open(file) as image:
                image.draft("RGB", side)
                image.thumbnail(side)
                small = image.convert("RGBA")
                ground = Image.new("RGBA", small.size, "white")
                ground.alpha_composite(small)
                written = io.BytesIO()
                ground.convert("RGB").save(written, "JPEG", quality=80)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None  # too many pixels
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError):
        return None  # damaged, or no picture
    return "data:image/jpeg;base64," + base64.b64encode(written.getvalue()).decode()
