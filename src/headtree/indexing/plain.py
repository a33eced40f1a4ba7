"""Markdown text -> the words that a reader sees, for searching and for the sentences of an answer."""

from __future__ import annotations

import html
import re

_IMAGE = re.compile(
    r"!\[((?:[^\[\]]|\[[^\[\]]*\]){0,1000})\](?:\([^()]{0,500}(?:\([^()]{0,100}\)[^()]{0,100})?\)|\[[^\]]*\])(?:\{[^{}]*\})?"
)
_LINK = re.compile(
    r"(?<!!)\[((?:[^\[\]]|\[[^\[\]]*\]){1,1000})\](?:\([^()\s]{0,500}(?:\([^()]{0,100}\)[^()]{0,100})?(?:\s+[\"'][^\"'\n]*[\"'])?\)|\[[^\]]*\])"
)
_TAG = re.compile(r"</?[A-Za-z][^<>]{0,1000}>")
_AUTOLINK = re.compile(r"<((?:https?|mailto):[^<>\s]{1,500})>")
_EMPHASIS = re.compile(r"((?<!\\)\*{1,3}|(?<![\w\\])_{1,3})(?=\S)(.{1,500}?)(?<=[^\s\\])\1(?!\w)")
_ROLE = re.compile(r"\{[a-z:-]+\}`([^`<]*?)\s*(?:<[^`]*>)?`")
_LEAD = re.compile(r"^\s*(?:>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,3}[.)]\s+)+", re.MULTILINE)
_RULE = re.compile(r"^\s*\|?(?:\s*:?-{2,}:?\s*\|)+\s*(?::?-{2,}:?\s*)?$", re.MULTILINE)
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_SPACES = re.compile(r"[ \t\u00a0]+")


def plain_text(markdown: str) -> str:
    """Return the words without markup, addresses and images; an image leaves its alternative text."""
    # Each pattern is tried only where the text holds what it cannot match without: most text is plain.
    text = _RULE.sub("", markdown) if "--" in markdown else markdown
    if "[" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(r"\1", text))
    if "<" in text:
        text = _TAG.sub(" ", _AUTOLINK.sub(r"\1", text))
    if "`" in text:
        text = _ROLE.sub(r"\1", text)
    text = _LEAD.sub("", text)
    if "#" in text:
        text = _HEADING.sub("", text)
    if "*" in text or "_" in text:
        text = _EMPHASIS.sub(r"\2", _EMPHASIS.sub(r"\2", text))
    text = text.replace("`", "")
    if "\\" in text:
        text = _ESCAPE.sub(r"\1", text)
    return _SPACES.sub(" ", html.unescape(text)).strip()


def one_line(markdown: str) -> str:
    """Return ``plain_text`` on a single line."""
    return " ".join(plain_text(markdown).split())


def without_images(markdown: str) -> str:
    """Return the Markdown with images taken out, and what is then blank at its edges."""
    return _IMAGE.sub("", markdown).strip()


def printable(text: str) -> str:
    """Return text of a document for a terminal: control characters and changes of direction are shown as escapes."""
    return _UNPRINTABLE.sub(lambda match: match.group().encode("unicode_escape").decode("ascii"), text)
