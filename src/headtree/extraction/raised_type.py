"""Superscripts and subscripts in plain text, the same for every engine: raised digits have signs of their own."""

from __future__ import annotations

import re

_SUPERSCRIPT = str.maketrans("0123456789+-−=()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_SUBSCRIPT = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_ENDS_A_WORD = re.compile(r"(?:[^\W\d_]{2}|[.,;:)\]”\"])$")


def raised_text(text: str, *, before: str) -> str:
    """Return a superscript as it follows other text: set apart from a word, so that this is found ("memory ²")."""
    gap = " " if _ENDS_A_WORD.search(before) else ""
    return gap + text.translate(_SUPERSCRIPT)


def lowered_text(text: str) -> str:
    """Return a subscript."""
    return text.translate(_SUBSCRIPT)
