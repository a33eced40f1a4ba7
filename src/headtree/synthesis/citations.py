"""Checks that a quote stands in the lines that a citation names."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from headtree.indexing.html_images import html_text
from headtree.indexing.plain import plain_text

_DASHES = re.compile("[\u2010-\u2015\u2212-]+")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "’": "'", "‘": "'"})
_CELL_BORDER = re.compile(r"[|]")


def fold(text: str) -> str:
    """Return a text for comparison: white space, dashes, quotation marks and cell borders made alike."""
    normal = unicodedata.normalize("NFKC", text).translate(_QUOTES)
    return " ".join(_CELL_BORDER.sub(" ", _DASHES.sub("-", normal)).split())


def quote_stands_in(quote: str, lines: Sequence[str]) -> bool:
    """Whether a quote stands word for word in some lines, as written or as a reader sees them."""
    wanted = fold(quote)
    source = "\n".join(lines)
    if not wanted:
        return False
    if wanted in fold(source):
        return True
    return fold(plain_text(quote)) in fold(plain_text(source)) or wanted in fold(html_text(source))
