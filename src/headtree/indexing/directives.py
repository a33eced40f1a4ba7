"""MyST directives that hold Markdown (notes, cards, grids) are opened: what stands in them is read as the rest is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

DIRECTIVE = re.compile(r"\{(?:figure|image)\}\s+(\S.*)", re.IGNORECASE)
"""Info of a fence that is an image; the group is its path."""
_CONTAINER = re.compile(
    r"\{(?!(?:figure|image|math|raw|mermaid|eval-rst|toctree|bibliography|csv-table|literalinclude|parsed-literal"
    r"|code(?:-block|-cell)?|sourcecode)\})[a-z][\w:-]*\}",
    re.IGNORECASE,
)
_FENCE = re.compile(r"(`{3,}|~{3,})[^\n]*")
_OPTION = re.compile(r"^[>\s]*:[\w-]+:(?:\s|$)")
_DEEPEST = 8
"""Levels of directives in directives that are opened; each level parses the document once more."""


@dataclass(frozen=True, slots=True)
class UnwrappedText:
    """A document's tokens with its directives opened; same line numbers."""

    tokens: Sequence[Token]
    lines: list[str]
    inside: frozenset[int]
    """1-based lines that stand in a directive: their headings do not cut the document."""


def unwrap_directives(text: str, parser: MarkdownIt, env: dict[str, Any]) -> UnwrappedText:
    """Parse a document; fences of directives that hold Markdown are blanked, as if their content stood alone."""
    lines, inside = text.split("\n"), set[int]()
    tokens = parser.parse(text, env)
    for _ in range(_DEEPEST if "{" in text else 0):
        spans = list(_containers(tokens, lines))
        if not spans:
            break
        for first, last in spans:
            inside.update(range(first + 1, last + 1))
            _open(lines, first, last)
        tokens = parser.parse("\n".join(lines), env)
    return UnwrappedText(tokens, lines, frozenset(inside))


def _containers(tokens: Sequence[Token], lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the lines (from 0; first, one past the last) of directives that are closed and hold Markdown."""
    for token in tokens:
        if token.type == "fence" and token.map and _CONTAINER.match(token.info.strip()):
            first, last = token.map
            closing = lines[last - 1].strip(" \t>")
            if last - first >= 2 and closing.startswith(token.markup) and not closing.strip(token.markup[0]):
                yield first, last


def _open(lines: list[str], first: int, last: int) -> None:
    """Blank both fences and the options, but for the prefix of a quotation."""
    for index in (first, last - 1):
        lines[index] = _FENCE.sub("", lines[index]).rstrip()
    for index in range(first + 1, last - 1):
        if not _OPTION.match(lines[index]):
            break
        lines[index] = lines[index][: len(lines[index]) - len(lines[index].lstrip("> \t"))].rstrip()
