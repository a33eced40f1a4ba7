"""Takes out what a reader of the rendered document would not see: HTML comments and hidden elements.

Hidden text is the common place for instructions that are meant for a model and not for people, and commented-out
drafts are not what the author published. Code is left alone: there a comment is content.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt

from headtree.indexing.code_spans import blank_code
from headtree.indexing.reading import keep_line_breaks

_OPENING = re.compile(
    r"(?P<comment><!--)"
    r"|<(?P<tag>[a-zA-Z][\w-]*)\b[^<>]*?"
    r"(?:style\s*=\s*(?P<quote>[\"'])[^\"'<>]*?(?:display\s*:\s*none|visibility\s*:\s*hidden)[^\"'<>]*?(?P=quote)"
    r"|\shidden(?=[\s>=/]))[^<>]*>"
    r"|<(?P<dead>script|style|template)\b[^<>]*>",
    re.IGNORECASE,
)
_SUSPECT = re.compile(r"<!--|display\s*:|visibility\s*:|\shidden|<script|<style|<template", re.IGNORECASE)


_REACH = 5_000
"""How many characters after its opening tag the end of a hidden element is looked for: keeps hostile input linear."""


@dataclass(frozen=True, slots=True)
class VisibleText:
    """A text without its hidden parts; same number of lines."""

    text: str
    hidden_lines: tuple[int, ...]
    """1-based lines at which an element was taken out that was hidden from readers (comments not counted)."""


def visible_text(text: str, parser: MarkdownIt) -> VisibleText:
    """Blank comments and hidden elements that stand outside of code."""
    if not _SUSPECT.search(text):
        return VisibleText(text, ())
    pieces, hidden, position = [], [], 0
    for start, end in _html_ranges(text, parser):
        for cut_start, cut_end, is_element in _cuts(text, max(start, position), end):
            pieces += [text[position:cut_start], keep_line_breaks(text[cut_start:cut_end])]
            position = cut_end
            if is_element:
                hidden.append(text.count("\n", 0, cut_start) + 1)
    pieces.append(text[position:])
    return VisibleText("".join(pieces), tuple(hidden))


def _html_ranges(text: str, parser: MarkdownIt) -> Iterator[tuple[int, int]]:
    """Character ranges of the blocks in which HTML is HTML."""
    offsets = [0, *(match.end() for match in re.finditer("\n", text)), len(text)]
    for token in parser.parse(text):
        if token.type in {"inline", "html_block"} and token.map:
            first, last = token.map
            yield offsets[first], offsets[min(last, len(offsets) - 1)]


def _cuts(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, end, is an element) of what to take out of one block, in order and apart from each other.

    A hidden element may reach beyond its block.
    """
    if start >= end:
        return
    block = blank_code(text[start:end])
    position = 0
    while match := _OPENING.search(block, position):
        opened = start + match.start()
        if match["comment"]:
            closing = text.find("-->", start + match.end())
            if closing < 0:  # a comment that never ends hides nothing: no text may be lost
                return
            closed = closing + len("-->")
        else:
            closed = _closing(text, match["tag"] or match["dead"], start + match.end()) or end
        yield opened, closed, not match["comment"]
        position = closed - start


def _closing(text: str, tag: str, position: int) -> int | None:
    """Return the end of the element's closing tag, counting nested elements of the same name."""
    depth = 1
    tags = re.compile(rf"<(/?){re.escape(tag)}\b[^<>]*>", re.IGNORECASE)
    for match in tags.finditer(text, position, position + _REACH):
        depth += -1 if match[1] else 1
        if depth == 0:
            return match.end()
    return None
