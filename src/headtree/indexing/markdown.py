"""Markdown -> headings, image references and text blocks with their lines. Text in, values out; no disk.

CommonMark (markdown-it-py) decides what a heading, a code block or an image is. On top of it come the forms that
real documents use beyond CommonMark: HTML headings and images, MyST ``{figure}`` directives, MDX imports, and image
paths with spaces, which CommonMark reads as plain text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from headtree.indexing.code_spans import blank_code
from headtree.indexing.directives import DIRECTIVE, unwrap_directives
from headtree.indexing.html_images import html_headings, html_images, html_text

_COLON_FENCE = re.compile(r"^\s*(:{3,})\s*\{(?:figure|image)\}\s+(\S.*)", re.IGNORECASE)
_OPTION = re.compile(r"^\s*:?(alt|caption)\s*:\s*(.+)")
_OPTION_LINE = re.compile(r"^\s*(?:---|:?[\w-]+:(?:\s.*)?)$")
# Lengths are bounded, so that hostile runs of openings cost linear time.
_TOLERANT = re.compile(
    r"!\[(?P<alt>(?:[^\[\]]|\[[^\[\]]{0,300}\]){0,1000})\]"
    r"\(\s{0,9}<?(?P<path>[^()<>\n\"]{0,400}(?:\([^()\n]{0,100}\)[^()<>\n\"]{0,100}){0,5}?)>?"
    r"(?:\s{1,9}(?P<quote>[\"'])(?P<title>[^\n]{0,400}?)(?P=quote))?\s{0,9}\)"
)
_IMAGE_HINT = re.compile(r"!\[|<img|\ssrc\s*=", re.IGNORECASE)
_MDX_IMPORT = re.compile(r"^import\s+(\w+)\s+from\s+['\"]([^'\"]+)['\"];?\s*$", re.MULTILINE)
_MATH_FENCE = re.compile(r"^\s*(?:\$\$|\\\[|\\begin\{)")


class BlockKind(StrEnum):
    """What a run of lines is, as far as cutting it into chunks is concerned."""

    PROSE = "prose"
    ITEM = "item"
    HEADER_ROW = "header-row"
    ROW = "row"
    CODE = "code"
    HTML = "html"


@dataclass(frozen=True, slots=True)
class Block:
    """Lines ``first`` to ``last``, 1-based and inclusive, that belong together."""

    kind: BlockKind
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as the Markdown has it."""

    line: int
    last_line: int
    level: int
    """1 to 6, as written."""
    title: str
    """Plain text on one line."""
    ruled: bool = False
    """Whether a rule of hyphens makes it a heading, which may be meant to separate pages."""


@dataclass(frozen=True, slots=True)
class ImageReference:
    """An image as it is referenced."""

    line: int
    source: str
    """As written, still percent-encoded."""
    alt: str = ""
    title: str = ""
    caption: str = ""
    """Of a ``figcaption`` or a directive's body."""
    context: str = ""
    """The words of the table row or list item that the image stands in."""


@dataclass(frozen=True, slots=True)
class ParsedMarkdown:
    """What the Markdown of one document holds, in reading order."""

    headings: tuple[Heading, ...]
    images: tuple[ImageReference, ...]
    blocks: tuple[Block, ...]
    unclosed_fence: int | None
    """Line of a code fence that never ends, if there is one."""


def new_parser() -> MarkdownIt:
    """Return a block parser: inline content is parsed only where it is needed, which is what costs time."""
    parser = MarkdownIt("commonmark").enable("table")
    parser.core.ruler.disable(["inline", "text_join"])
    return parser


def parse_markdown(text: str, parser: MarkdownIt) -> ParsedMarkdown:
    """Parse a document's visible text (see ``reading`` and ``hidden``)."""
    env: dict[str, Any] = {}
    unwrapped = unwrap_directives(text, parser, env)
    tokens, lines = unwrapped.tokens, unwrapped.lines
    context = _Context(parser, env, lines, dict(_MDX_IMPORT.findall(text)))
    found = (heading for heading in _headings(tokens, context) if heading.line not in unwrapped.inside)
    headings = sorted(found, key=lambda heading: heading.line)
    images = sorted(_images(tokens, context), key=lambda image: image.line)
    return ParsedMarkdown(tuple(headings), tuple(images), tuple(_blocks(tokens)), _unclosed_fence(tokens, lines))


@dataclass(frozen=True, slots=True)
class _Context:
    parser: MarkdownIt
    env: dict[str, Any]
    lines: list[str]
    imports: Mapping[str, str]
    """MDX names -> image paths."""

    def inline(self, content: str) -> list[Token]:
        children: list[Token] = []
        self.parser.inline.parse(content, self.parser, self.env, children)
        return children


# -------------------------------------------------------------------------------------------------- headings


def _headings(tokens: Sequence[Token], context: _Context) -> Iterator[Heading]:
    for position, token in enumerate(tokens):
        if token.level != 0 or token.map is None:
            continue
        if token.type == "heading_open":
            title = plain_title(context.inline(tokens[position + 1].content))
            yield Heading(token.map[0] + 1, token.map[1], int(token.tag[1]), title, ruled=token.markup == "-")
        elif token.type == "html_block":
            for offset, length, level, title in html_headings(token.content):
                line = token.map[0] + 1 + offset
                yield Heading(line, line + length, level, title)


def plain_title(children: Iterable[Token]) -> str:
    """Return the words of inline content on one line: no markup, no address, no image."""
    words = []
    for token in children:
        if token.type in {"text", "text_special", "code_inline"}:
            words.append(token.content)
        elif token.type in {"softbreak", "hardbreak"}:
            words.append(" ")
    return " ".join("".join(words).split())


# ---------------------------------------------------------------------------------------------------- images


def _images(tokens: Sequence[Token], context: _Context) -> Iterator[ImageReference]:
    row = ""
    for position, token in enumerate(tokens):
        if token.type == "tr_open":
            row = _row_words(tokens, position, context)
        elif token.type == "tr_close":
            row = ""
        if token.map is None:
            continue
        if token.type == "inline" and _IMAGE_HINT.search(token.content):
            for image in _inline_images(token, context):
                yield replace(image, context=row) if row else image
        elif token.type == "html_block" and _IMAGE_HINT.search(token.content):
            yield from _markup_images(token.content, token.map[0] + 1, context)
        elif token.type == "fence" and (match := DIRECTIVE.match(token.info)):
            yield _directive(match[1], token.content.split("\n"), token.map[0] + 1)
    yield from _colon_directives(tokens, context)


def _inline_images(token: Token, context: _Context) -> Iterator[ImageReference]:
    assert token.map is not None
    line = token.map[0] + 1
    for child in context.inline(token.content):
        if child.type in {"softbreak", "hardbreak"}:
            line += 1
        yield from _strict_images([child], line)
        line += child.content.count("\n") if child.type == "html_inline" else 0
    yield from _markup_images(blank_code(token.content), token.map[0] + 1, context)


def _strict_images(tokens: Iterable[Token], line: int) -> Iterator[ImageReference]:
    """Yield images that CommonMark knows, those inside an image's own alternative text left out."""
    for token in tokens:
        if token.type == "image":
            alt = plain_title(token.children or [])
            yield ImageReference(line, str(token.attrs["src"]), alt, str(token.attrs.get("title", "")))


def _markup_images(content: str, first_line: int, context: _Context) -> Iterator[ImageReference]:
    """Yield HTML images and what CommonMark does not take for an image (a path with a space)."""
    for offset, source, alt, caption in html_images(content, context.imports):
        yield ImageReference(first_line + content.count("\n", 0, offset), source, alt, caption=caption)
    in_html = content.lstrip().startswith("<")
    for match in _TOLERANT.finditer(content):
        strict = any(token.type == "image" for token in context.inline(match.group()))
        if strict and not in_html:
            continue
        line = first_line + content.count("\n", 0, match.start())
        yield ImageReference(line, match["path"].strip(), match["alt"], match["title"] or "")


def _row_words(tokens: Sequence[Token], position: int, context: _Context) -> str:
    """Return the words of a table row, for an image that stands in one of its cells."""
    cells = []
    for token in tokens[position + 1 :]:
        if token.type == "tr_close":
            break
        if token.type == "inline":
            cells.append(plain_title(context.inline(token.content)))
    return " | ".join(cell for cell in cells if cell)


def _directive(path: str, body: Sequence[str], line: int) -> ImageReference:
    """Read a MyST directive: options first, in either notation, then the caption."""
    options = {match[1]: match[2] for text in body if (match := _OPTION.match(text))}
    caption = " ".join(text.strip() for text in body if text.strip() and not _OPTION_LINE.match(text))
    return ImageReference(line, path.strip(), options.get("alt", "").strip("\"'"), caption=html_text(caption))


def _colon_directives(tokens: Sequence[Token], context: _Context) -> Iterator[ImageReference]:
    """Yield ``:::{figure}`` directives, which CommonMark reads as paragraphs."""
    code = {number for block in _blocks(tokens) if block.kind is BlockKind.CODE for number in _span(block)}
    for number, text in enumerate(context.lines, start=1):
        match = _COLON_FENCE.match(text) if ":::" in text else None
        if match is None or number in code:
            continue
        body = []
        for following in context.lines[number:]:
            if following.strip().startswith(match[1]):
                break
            body.append(following)
        yield _directive(match[2], body, number)


def _span(block: Block) -> range:
    return range(block.first, block.last + 1)


# ---------------------------------------------------------------------------------------------------- blocks


def _blocks(tokens: Sequence[Token]) -> Iterator[Block]:
    """Yield the document's leaves in order; a line of a list item or quotation is a leaf of its own."""
    in_item, in_head = 0, False
    for token in tokens:
        if token.type in {"list_item_open", "list_item_close"}:
            in_item += token.nesting
        elif token.type in {"thead_open", "thead_close"}:
            in_head = token.nesting == 1
        if token.map is None or token.map[0] == token.map[1]:
            continue
        first, last = token.map[0] + 1, token.map[1]
        if token.type in {"paragraph_open", "heading_open"}:
            yield Block(BlockKind.ITEM if in_item else BlockKind.PROSE, first, last)
        elif token.type == "tr_open":
            # The rule under the header row belongs to it.
            yield Block(BlockKind.HEADER_ROW, first, last + 1) if in_head else Block(BlockKind.ROW, first, last)
        elif token.type in {"fence", "code_block"}:
            yield Block(BlockKind.CODE, first, last)
        elif token.type == "html_block":
            yield Block(BlockKind.HTML, first, last)


def _unclosed_fence(tokens: Sequence[Token], lines: Sequence[str]) -> int | None:
    for token in tokens:
        if token.type == "fence" and token.map and token.level == 0 and token.map[1] >= len(lines) - 1:
            first, last = token.map
            ending = lines[min(last, len(lines)) - 1].strip()
            if last - first < 2 or ending.strip(token.markup[0]) or len(ending) < len(token.markup):
                return first + 1
    return None


def is_formula(text: str) -> bool:
    """Whether a paragraph is a displayed formula, which is not to be cut."""
    return _MATH_FENCE.match(text) is not None
