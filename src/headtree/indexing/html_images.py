"""Headings, images and words inside raw HTML, read with the standard library's HTML parser.

Nothing here trusts the markup: it only looks for names, attributes and text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser

_HEADING = re.compile(r"<h([1-6])\b[^<>]*>(.{0,1000}?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*>")
_FIGURE = re.compile(r"<figure\b[^<>]*>.*?(?:</figure\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_CAPTION = re.compile(r"<figcaption\b[^<>]*>(.*?)(?:</figcaption\s*>|\Z)", re.IGNORECASE | re.DOTALL)
# JSX attribute values stand in braces; the HTML parser only knows quotes.
_JSX_IMPORT = re.compile(r"=\{\s*(\w+)\s*\}")
_JSX_REQUIRE = re.compile(r"=\{\s*require\(\s*['\"]([^'\"]+)['\"]\s*\)(?:\.default)?\s*\}")
_JSX_OTHER = re.compile(r"=\{[^{}]*\}")
_IMAGE = re.compile(r"<img\b", re.IGNORECASE)
_LONGEST_TAG = 4000
"""Characters within which an image tag must end: keeps hostile markup linear."""
_COMPONENT = re.compile(r"<([A-Z]\w*)(?=[^<>]*\ssrc\s*=)")


def html_headings(markup: str) -> Iterator[tuple[int, int, int, str]]:
    """Yield (line offset from 0, further lines, level, title) of each ``<h1>`` to ``<h6>``."""
    for match in _HEADING.finditer(markup):
        title = html_text(match[2])
        yield markup.count("\n", 0, match.start()), match.group().count("\n"), int(match[1]), title


def without_first_headings(markup: str) -> str:
    """Take out the headings that begin on the first line; the line breaks stay."""
    first_line = (markup + "\n").index("\n")
    return _HEADING.sub(lambda m: "\n" * m.group().count("\n") if m.start() < first_line else m.group(), markup)


def html_text(markup: str) -> str:
    """Return the words of a piece of HTML on one line."""
    return " ".join(html.unescape(_TAG.sub(" ", markup)).split())


def html_images(markup: str, imports: Mapping[str, str]) -> Iterator[tuple[int, str, str, str]]:
    """Yield (character offset, source, alternative text, figcaption) of each image.

    ``imports`` are the image names of an MDX file, for ``<img src={name} />``.
    """
    if "<" not in markup:
        return
    readable = _without_jsx(markup, imports)
    captions = [(m.span(), _caption(m.group())) for m in _FIGURE.finditer(readable)]
    for match in _IMAGE.finditer(readable):
        source, alt = _attributes(readable[match.start() : match.start() + _LONGEST_TAG])
        if source:
            caption = next((text for (start, end), text in captions if start <= match.start() < end), "")
            yield match.start(), source, alt, caption


def _caption(figure: str) -> str:
    match = _CAPTION.search(figure)
    return html_text(match[1]) if match else ""


def _without_jsx(markup: str, imports: Mapping[str, str]) -> str:
    """Rewrite JSX attributes as HTML ones, each to the same number of lines."""
    if "={" not in markup:
        return markup
    text = _JSX_REQUIRE.sub(lambda m: f'="{html.escape(m[1])}"', markup)
    text = _JSX_IMPORT.sub(lambda m: f'="{html.escape(imports[m[1]])}"' if m[1] in imports else '=""', text)
    return _COMPONENT.sub("<img", _JSX_OTHER.sub('=""', text))


def _attributes(markup: str) -> tuple[str, str]:
    """Return source and alternative text of the tag at the start of ``markup``; empty where it never ends."""
    reader = _FirstTag()
    position = 0
    # No further than the tag: the standard parser fails at some of what may follow it ("<![x").
    while reader.values is None and (end := markup.find(">", position) + 1):
        reader.feed(markup[position:end])
        position = end
    values = reader.values or {}
    return values.get("src", "").strip(), " ".join(values.get("alt", "").split())


class _FirstTag(HTMLParser):
    """Reads the attributes of the first tag."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.values: dict[str, str] | None = None

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the first tag; of a repeated attribute the first counts, as in browsers."""
        if self.values is None:
            self.values = {name: value or "" for name, value in reversed(attrs)}
