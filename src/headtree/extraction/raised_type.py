"""Superscripts and subscripts in plain text, the same for every engine: raised digits have signs of their own."""

from __future__ import annotations

import re

_SUPERSCRIPT = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_ENDS_A_WORD = re.compile(r"(?:[^\W\d_]{2}|[.,;:)\]”\"])$")


def raised_text(text: str, *, before: str) -> str:
    """Return a superscript as it follows other text: set apart from a word, so that this is found ("memory ²")."""
    gap = " " if _ENDS_A_WORD.search(before) else ""
    return gap + _translated(text, _SUPERSCRIPT)


def lowered_text(text: str) -> str:
    """Return a subscript."""
    return _translated(text, _SUBSCRIPT)


def _translated(text: str, signs: dict[int, int]) -> str:
    """Return the signs of a text, or the text itself where one of its characters has none: "(a)"."""
    return text.translate(signs) if all(ord(sign) in signs for sign in text.strip()) else text
