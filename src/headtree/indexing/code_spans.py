"""Inline code of a paragraph, found in linear time; regular expressions for it are quadratic on hostile input."""

from __future__ import annotations

import re
from collections import defaultdict

_TICKS = re.compile("`+")


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) character ranges of code spans: a run of backticks up to the next run as long."""
    runs = [match.span() for match in _TICKS.finditer(text)]
    waiting: dict[int, list[int]] = defaultdict(list)
    for index in reversed(range(len(runs))):
        waiting[runs[index][1] - runs[index][0]].append(index)
    spans, index = [], 0
    while index < len(runs):
        start, end = runs[index]
        same_length = waiting[end - start]
        while same_length and same_length[-1] <= index:
            same_length.pop()
        if same_length:
            index = same_length[-1]
            spans.append((start, runs[index][1]))
        index += 1
    return spans


def blank_code(text: str) -> str:
    """Replace code spans by spaces; every other character keeps its position."""
    pieces, position = [], 0
    for start, end in code_spans(text):
        pieces += [text[position:start], re.sub(r"[^\n]", " ", text[start:end])]
        position = end
    return "".join([*pieces, text[position:]])
