"""A document's blocks -> passages: the paragraphs, list items, table rows and code of each section."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

from headtree.indexing.html_images import html_text, without_first_headings
from headtree.indexing.markdown import Block, BlockKind, ParsedMarkdown
from headtree.indexing.plain import plain_text
from headtree.indexing.tree import SectionFinder
from headtree.types import LineSpan, Passage, PassageKind, Section

_KINDS = {
    BlockKind.PROSE: PassageKind.PROSE,
    BlockKind.ITEM: PassageKind.ITEM,
    BlockKind.HEADER_ROW: PassageKind.HEADER_ROW,
    BlockKind.ROW: PassageKind.ROW,
    BlockKind.CODE: PassageKind.CODE,
}
_WHOLE = 4
"""How many times the usual length code and table rows may have before they are cut."""
_TABLE = re.compile(r"<table\b.*?(?:</table\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_ROW = re.compile(r"<tr\b[^<>]*>(.*?)(?:</tr\s*>|(?=<tr\b)|\Z)", re.IGNORECASE | re.DOTALL)
_CELL = re.compile(r"<(t[hd])\b[^<>]*>(.*?)(?:</t[hd]\s*>|(?=<t[hdr]\b)|\Z)", re.IGNORECASE | re.DOTALL)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；])|\n")


def passages_by_section(
    parsed: ParsedMarkdown, lines: Sequence[str], sections: Sequence[Section], *, longest: int
) -> Mapping[str, tuple[Passage, ...]]:
    """Return the passages of each section's body, in order.

    Args:
        parsed: the document's blocks; headings that stay headings are left out by their sections' lines.
        lines: the document's visible lines.
        sections: the document's tree.
        longest: characters above which prose is cut at line or sentence ends; code and rows may be four times as long.
    """
    finder = SectionFinder(sections)
    heading_lines = {section.line for section in sections if section.level}
    found: dict[str, list[Passage]] = defaultdict(list)
    for block in parsed.blocks:
        if block.kind is BlockKind.HTML:
            passages = _html_block(block, lines, heading_lines, longest)
        elif block.first in heading_lines:
            continue
        else:
            passages = _passages(block, lines, longest)
        for passage in passages:
            found[finder.at(passage.first_line).node_id].append(passage)
    return {node_id: tuple(passages) for node_id, passages in found.items()}


def _passages(block: Block, lines: Sequence[str], longest: int) -> Iterator[Passage]:
    text = "\n".join(lines[block.first - 1 : block.last])
    span = LineSpan(block.first, block.last)
    if block.kind in {BlockKind.ROW, BlockKind.HEADER_ROW}:
        yield from _cut(_KINDS[block.kind], text.strip(), span, longest * _WHOLE)
    elif block.kind is BlockKind.CODE:
        yield from _cut(PassageKind.CODE, text, span, longest * _WHOLE)
    elif plain_text(text):
        yield from _cut(_KINDS[block.kind], text, span, longest)


def _html_block(block: Block, lines: Sequence[str], heading_lines: Collection[int], longest: int) -> Iterator[Passage]:
    """Cut raw HTML where a heading in it begins a section; the heading itself is left out."""
    starts = [block.first, *(line for line in range(block.first + 1, block.last + 1) if line in heading_lines)]
    for start, following in zip(starts, [*starts[1:], block.last + 1], strict=True):
        text = "\n".join(lines[start - 1 : following - 1])
        yield from _html_passages(without_first_headings(text) if start in heading_lines else text, start, longest)


def _html_passages(text: str, first_line: int, longest: int) -> Iterator[Passage]:
    """Read raw HTML: tables row by row, the rest as words."""
    position = 0
    for table in _TABLE.finditer(text):
        yield from _words(text, position, table.start(), first_line, longest)
        yield from _rows(table.group(), first_line + text.count("\n", 0, table.start()), longest * _WHOLE)
        position = table.end()
    yield from _words(text, position, len(text), first_line, longest)


def _words(text: str, start: int, end: int, first_line: int, longest: int) -> Iterator[Passage]:
    piece = text[start:end]
    if words := html_text(piece):
        first = first_line + text.count("\n", 0, start + len(piece) - len(piece.lstrip()))
        last = first_line + text.count("\n", 0, start + len(piece.rstrip()))
        if last == first or len(words) <= longest:
            yield from (Passage(PassageKind.PROSE, first, last, part) for part in _pieces(words, longest))
        else:
            for offset, line in enumerate(text[start:end].strip().split("\n")):
                if line_words := html_text(line):
                    yield Passage(PassageKind.PROSE, first + offset, first + offset, line_words)


def _rows(table: str, first_line: int, longest: int) -> Iterator[Passage]:
    """Yield table rows; those of header cells, and those before the first number, are header rows."""
    in_header = True
    for row in _ROW.finditer(table):
        cells = [(match[1].lower(), html_text(match[2])) for match in _CELL.finditer(row.group())]
        words = [text for _, text in cells if text]
        if not words:
            continue
        in_header = in_header and all(tag == "th" for tag, _ in cells)
        first = first_line + table.count("\n", 0, row.start())
        last = first_line + table.count("\n", 0, row.end())
        kind = PassageKind.HEADER_ROW if in_header else PassageKind.ROW
        yield from (Passage(kind, first, last, piece) for piece in _pieces(" | ".join(words), longest))


def _cut(kind: PassageKind, text: str, span: LineSpan, longest: int) -> Iterator[Passage]:
    """Yield a block whole where it is short enough, else in pieces that end with a line or a sentence."""
    if len(text) <= longest:
        yield Passage(kind, span.first, span.last, text.strip("\n"))
        return
    pending: list[str] = []
    first = span.first
    for line, line_text in enumerate(text.split("\n"), start=span.first):
        for piece in _pieces(line_text, longest):
            if pending and sum(map(len, pending)) + len(pending) + len(piece) > longest:
                yield Passage(kind, first, line if first == line else line - 1, "\n".join(pending))
                pending, first = [], line
            pending.append(piece)
    if any(piece.strip() for piece in pending):
        yield Passage(kind, first, span.last, "\n".join(pending))


def _pieces(text: str, longest: int) -> Iterator[str]:
    """Yield one line's text in pieces of at most ``longest`` characters, cut after sentences, then after words."""
    while len(text) > longest:
        ends = [match.start() or match.end() for match in _SENTENCE_END.finditer(text, longest // 4, longest)]
        cut = ends[-1] if ends else text.rfind(" ", longest // 4, longest)
        cut = cut if cut > 0 else longest
        yield text[:cut].rstrip()
        text = text[cut:].lstrip()
    yield text
