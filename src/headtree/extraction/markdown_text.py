"""Plain text -> Markdown that means exactly that text: nothing in it becomes a heading, image, HTML or table."""

from __future__ import annotations

import re
from collections.abc import Sequence

from headtree.extraction.blocks import Link

_BACKSLASH = re.compile(r"\\(?=[!-/:-@\[-`{-~])")
_ENTITY = re.compile(r"&(?=#?\w+;)")
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_EMPHASIS = re.compile(r"\*(?=\S)|(?<=\S)\*|(?<!\w)_+(?=\S)|(?<=[^\s_])_+(?!\w)|~(?=~)|(?<=~)~")
_BRACKET = re.compile(r"\[(?=[^\]]*\]\s*[(\[:])|!(?=\[)|\](?=[(\[:])")
_ANY_BACKSLASH = re.compile(r"\\")
_ANY_BRACKET = re.compile(r"[\[\]]")
# What a line may not begin with: a heading, a quote, a list, a rule, a setext underline, a fence, a table.
_LINE_START = "#>|~=+-*_"
_NUMBERED_START = re.compile(r"\A(?P<number>[0-9]{1,9})(?P<sign>[.)])(?=\s|$)")
_SAFE_ADDRESS = re.compile(r"(?:https?://|mailto:)[^\s<>]+", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff]")


def one_line(text: str) -> str:
    """Return text without control characters and with every run of white space as one space."""
    return " ".join(_CONTROL.sub("", text).split())


def escape_inline(text: str) -> str:
    """Escape what has a meaning anywhere in a line; characters that can do no harm stay readable."""
    return _escaped(_escaped_signs(text), _BRACKET)


def escape_line(text: str, links: Sequence[Link] = ()) -> str:
    """Return one line of Markdown that reads as ``text``, with its links; ``text`` comes from `one_line`."""
    parts = []
    at = 0
    for link in sorted(links, key=lambda item: item.start):
        if link.start < at or link.end > len(text) or not _SAFE_ADDRESS.fullmatch(link.address):
            continue
        words = text[link.start : link.end].strip()
        if words:
            address = re.sub(r"[()\\]", lambda match: f"%{ord(match.group()):02X}", link.address)
            before = text[at : link.start]
            parts.append(escape_inline(before))
            if before.endswith(("!", "\\")):  # either would change what the bracket means
                parts[-1] = f"{parts[-1][:-1]}\\{before[-1]}"
            parts.append(f"[{_escape_link_words(words)}]({address})")
            at = link.end
    parts.append(escape_inline(text[at:]))
    return _escape_start("".join(parts))


def escape_heading(text: str) -> str:
    """Return text as it may stand behind a heading's signs; a closing run of signs would be dropped."""
    return re.sub(r"#+$", lambda match: "\\#" * len(match.group()), escape_inline(text))


def escape_alt(text: str) -> str:
    """Return text as it may stand between the brackets of an image."""
    return _escape_link_words(one_line(text))


def table_lines(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a pipe table, the first row as its header; short rows are filled up, none for an empty table."""
    width = max((len(row) for row in rows), default=0)
    if not width:
        return []
    filled = [[*map(_cell, row), *[""] * (width - len(row))] for row in rows]
    lines = ["| " + " | ".join(row) + " |" for row in filled]
    return [lines[0], "|" + " --- |" * width, *lines[1:]]


def fenced_lines(text: str) -> list[str]:
    """Return a fenced code block; the fence is longer than any in the text."""
    text = "\n".join(_CONTROL.sub("", line.expandtabs(4)).rstrip() for line in text.split("\n"))
    longest = max((len(run) for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return [fence, *text.split("\n"), fence]


def _cell(text: str) -> str:
    return escape_inline(one_line(text)).replace("|", "\\|")


def _escape_link_words(text: str) -> str:
    return _escaped(_escaped_signs(text, backslash=_ANY_BACKSLASH), _ANY_BRACKET)


def _escaped_signs(text: str, *, backslash: re.Pattern[str] = _BACKSLASH) -> str:
    text = _escaped(text, backslash).replace("`", "\\`")
    for pattern in (_ENTITY, _TAG, _EMPHASIS):
        text = _escaped(text, pattern)
    return text


def _escaped(text: str, pattern: re.Pattern[str]) -> str:
    return pattern.sub(lambda match: "".join("\\" + sign for sign in match.group()), text)


def _escape_start(text: str) -> str:
    text = _NUMBERED_START.sub(r"\g<number>\\\g<sign>", text)
    return "\\" + text if text[:1] and text[0] in _LINE_START else text
