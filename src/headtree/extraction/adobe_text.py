"""Puts the words of one block together from Adobe's elements: lines, inline pieces, spans over columns and pages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from headtree.extraction.adobe_structure import Element
from headtree.extraction.raised_type import lowered_text, raised_text

INLINE_PLACE = "\ue020"
"""Stands in a text for an inline element that is listed on its own."""

_INLINE = frozenset({"stylespan", "span", "reference", "link", "hyphenspan", "extracharspan", "lbl", "quote", "code"})
_NOISE = re.compile(r"_x000D_|[\ue020\u00ad\u200b\ufeff\x00-\x08\x0b\x0c\x0e-\x1f]")
_LIGATURES = str.maketrans({"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"})


def clean_line(text: str) -> str:
    """One line of plain words: without marks of the extractor, soft hyphens and ligatures."""
    return " ".join(_NOISE.sub("", text).translate(_LIGATURES).split())


def join_lines(elements: Iterable[Element]) -> list[str]:
    """Return the lines of a block: more than one only where Adobe keeps lines apart (``Sub``)."""
    lines: list[str] = []
    previous: Element | None = None
    for element, text in _with_inline_pieces([item for item in elements if item.text.strip()]):
        if previous is None or _is_new_line(previous, element):
            lines.append(text)
        elif _is_glued(previous, element):
            lines[-1] += text
        else:
            lines[-1] = _join_spans(lines[-1], text)
        previous = element
    return [line for line in map(clean_line, lines) if line]


def join_text(elements: Iterable[Element]) -> str:
    """Return a block's words on one line."""
    text = ""
    for line in join_lines(elements):
        text = _join_spans(text, line)
    return text


def _with_inline_pieces(elements: Sequence[Element]) -> list[tuple[Element, str]]:
    """Set an inline element where its parent's text keeps a place for it; the others follow in order."""
    pieces: list[tuple[Element, str]] = []
    for element in elements:
        if pieces and _holds_place(pieces[-1], element):
            parent, text = pieces[-1]
            before, _, after = text.partition(INLINE_PLACE)
            pieces[-1] = (parent, f"{before}{_set(element, before=before)}{after}")
        else:
            before = pieces[-1][1] if pieces else ""
            pieces.append((element, _set(element, before=before)))
    return pieces


def _holds_place(piece: tuple[Element, str], element: Element) -> bool:
    parent, text = piece
    depth = len(parent.path)
    return INLINE_PLACE in text and len(element.path) > depth and element.path[:depth] == parent.path


def _line_number(element: Element) -> tuple[int, ...]:
    """Return which line of which span an element is on."""
    return tuple(step.number for step in element.path if step.name in {"paragraphspan", "sub"})


def _is_new_line(previous: Element, element: Element) -> bool:
    return (previous.has("sub") or element.has("sub")) and _line_number(previous) != _line_number(element)


def _is_glued(previous: Element, element: Element) -> bool:
    """Whether the pieces follow each other within a line, so that their own spaces count."""
    if previous.path == element.path:
        return True
    return _stem(previous) == _stem(element)


def _set(element: Element, *, before: str) -> str:
    """Return a piece's text as it follows what stands before it in the line."""
    match element.attributes.get("TextPosition"):
        case "Sup":
            return raised_text(element.text, before=before)
        case "Sub":
            return lowered_text(element.text)
    return element.text


def _stem(element: Element) -> tuple[object, ...]:
    """Return the path without its inline steps at the end."""
    end = len(element.path)
    while end and element.path[end - 1].name in _INLINE:
        end -= 1
    return element.path[:end]


def _join_spans(left: str, right: str) -> str:
    """Join two parts of a paragraph; a word that was divided at the end of a column is one again."""
    left, right = left.rstrip(), right.lstrip()
    if not left or not right:
        return left + right
    if re.search(r"[^\W\d_]-$", left) and right[0].islower():
        return left[:-1] + right
    return f"{left} {right}"
