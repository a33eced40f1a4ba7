"""Reads the numbers in front of headings: ``3.1``, ``IV.``, ``A.``, ``Appendix B``, ``Item 7A``, ``PART II``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum


class Scheme(StrEnum):
    """A style of numbering."""

    DECIMAL = "decimal"
    """``3``, ``3.1``, ``3.1.2``."""
    ROMAN = "roman"
    """``IV.``"""
    LETTER = "letter"
    """``A.``, ``B.2``."""
    BRACKET = "bracket"
    """``1)``, ``a)``, ``(i)``."""
    PART = "part"
    CHAPTER = "chapter"
    """Chapter, Article: the top of what they are in."""
    APPENDIX = "appendix"
    """Appendix, Annex, Schedule: the same for what stands behind it."""
    EXHIBIT = "exhibit"
    """A document of its own within a filing."""
    SECTION = "section"
    """``Section 2.01``, ``§ 5``."""
    ITEM = "item"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Numbering:
    """A heading's number."""

    scheme: Scheme
    parts: tuple[str, ...]
    """``("3", "1")`` for 3.1, ``("7A",)`` for Item 7A."""
    rest: str
    """The words after it; empty where the number stands alone."""

    @property
    def depth(self) -> int:
        """Number of parts: 2 for ``3.1``."""
        return len(self.parts)


_KEYWORDS = (
    (Scheme.PART, r"part\s+(?P<number>[IVX]{1,5}|\d{1,2}|one|two|three|four)"),
    (Scheme.ITEM, r"items?\s+(?P<number>\d{1,2}[A-Z]?)(?:(?:,|\s+and|\s+through|\s*[-–&])\s*\d{1,2}[A-Z]?)*"),
    (Scheme.NOTE, r"note\s+(?P<number>\d{1,2}[A-Z]?)"),
    (Scheme.SECTION, r"(?:section|sec\.|§)\s*(?P<number>\d{1,3}(?:\.\d{1,3}){0,3})"),
    *(
        (scheme, rf"(?:{words})\s+(?P<number>\d{{1,3}}(?:\.\d{{1,2}})*|[IVXLC]{{1,6}}|[A-Z](?:[.\-]\d{{1,2}})*)")
        for scheme, words in (
            (Scheme.CHAPTER, "chapter|article"),
            (Scheme.APPENDIX, "appendix|annex|schedule"),
            (Scheme.EXHIBIT, "exhibit"),
        )
    ),
)
_KEYWORD = tuple(
    (scheme, re.compile(rf"{pattern}(?!\.?\d|[\w(-])\s*(?P<sign>[.:–—-]*)\s*(?P<rest>.*)", re.IGNORECASE))
    for scheme, pattern in _KEYWORDS
)
NAMED = frozenset(
    {Scheme.PART, Scheme.ITEM, Scheme.NOTE, Scheme.CHAPTER, Scheme.APPENDIX, Scheme.EXHIBIT, Scheme.SECTION}
)
"""Schemes that name what they number."""
_PLAIN = (
    (Scheme.DECIMAL, re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,3}){1,4})\.?\s+(?P<rest>\S.*)")),
    (Scheme.DECIMAL, re.compile(r"(?P<number>\d{1,2})[.:]?\s+(?P<rest>\S.*)")),
    (Scheme.ROMAN, re.compile(r"(?P<number>[IVX]{1,5})[.:]\s+(?P<rest>\S.*)")),
    (Scheme.LETTER, re.compile(r"(?P<number>[A-Z](?:\.\d{1,2}){1,4})\.?\s+(?P<rest>\S.*)")),
    (Scheme.LETTER, re.compile(r"(?P<number>[A-Z])[.:]\s+(?P<rest>\S.*)")),
    (Scheme.LETTER, re.compile(r"(?P<number>[A-Z])\s+(?P<rest>[A-Z][a-z]{2,}.*)")),
    (Scheme.BRACKET, re.compile(r"\(?(?P<number>\d{1,2}|[a-z]|[ivx]{1,4})\)\s+(?P<rest>\S.*)")),
)


def read_numbering(text: str) -> Numbering | None:
    """Return the number that a heading begins with, ``None`` where it has none."""
    for scheme, pattern in _KEYWORD:
        match = pattern.fullmatch(text)
        if match:
            return Numbering(scheme, tuple(match["number"].upper().split(".")), match["rest"].strip())
    for scheme, pattern in _PLAIN:
        match = pattern.fullmatch(text)
        if match and re.match(r"[^\W_]|[“\"‘'(\[]", match["rest"]):
            return Numbering(scheme, tuple(match["number"].split(".")), match["rest"].strip())
    return None
