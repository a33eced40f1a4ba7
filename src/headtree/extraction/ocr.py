"""Reads the words of a scanned page, where the extra ``ocr`` (rapidocr, its models in the wheel) is installed."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

from headtree.errors import ExtractionError
from headtree.extraction.page_values import Font, Word

INSTALL_OCR = 'pip install "headtree[ocr]"'
_SCALE = 2.0
_LONGEST_SIDE = 960
"""Pixels to which the detection model shrinks a page: measured as fast as it is exact enough for print."""
_TYPE_SHARE = 0.78
"""Type size as a share of the height of a recognised line's box."""
_BASELINE_SHARE = 0.8
_FONT = Font("recognised")


def ocr_is_installed() -> bool:
    """Whether scans can be read here."""
    return find_spec("rapidocr") is not None


class Recogniser:
    """Character recognition; its models are loaded with the first page."""

    def __init__(self) -> None:
        self._engine: Any = None

    def __call__(self, page: Any) -> list[Word]:
        """Return the words of a page as it is shown, in points, line by line.

        Raises:
            ExtractionError: the installed recogniser cannot be loaded.
        """
        if self._engine is None:
            self._engine = _load()
        bitmap = page.render(scale=_SCALE)
        result = self._engine(bitmap.to_numpy()[:, :, :3].copy(), use_cls=False)
        bitmap.close()
        words: list[Word] = []
        if result.boxes is None or result.txts is None:
            return words
        for corners, text in zip(result.boxes, result.txts, strict=True):
            words += _words(corners, text)
        return words


def _load() -> Any:
    try:
        from rapidocr import RapidOCR
    except ImportError as error:  # OpenCV's build for desktops needs libraries that servers lack
        raise ExtractionError(
            f"character recognition cannot be loaded ({error}); "
            "try: pip install --force-reinstall --no-deps opencv-python-headless"
        ) from error
    return RapidOCR(
        params={
            "Global.use_cls": False,
            "Global.log_level": "error",
            "Det.limit_type": "max",
            "Det.limit_side_len": _LONGEST_SIDE,
        }
    )


def _words(corners: Any, text: str) -> list[Word]:
    """Cut a recognised line into words, each as wide as its share of the characters."""
    xs, ys = [float(x) / _SCALE for x, _ in corners], [float(y) / _SCALE for _, y in corners]
    left, right, top, bottom = min(xs), max(xs), min(ys), max(ys)
    size = max(round((bottom - top) * _TYPE_SHARE), 1.0)
    baseline = top + (bottom - top) * _BASELINE_SHARE
    width = (right - left) / max(len(text), 1)
    words = []
    position = 0
    for part in text.split():
        start = text.index(part, position)
        position = start + len(part)
        box = (left + start * width, top, left + position * width, bottom)
        words.append(Word(part, box, baseline, float(size), _FONT))
    return words
