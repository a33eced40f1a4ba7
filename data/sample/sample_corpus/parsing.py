"""Source text to blocks.

A source is nearly Markdown. Blocks are separated by blank lines and known by how they begin:

    # Heading                         one to four signs
    ![figure-3](80%)                  a drawing; the next line is its caption; "wide" spans the columns
    Table 2: caption {align=lrr}      a table: caption line, then rows of cells between bars, header first
    $$ formula $$ (3)                 a displayed formula and its number
    - item   1. item                  lists; an indented line goes on with the item above
    > WARNING: text                   a callout
    <<page>>                          an order to the typesetter

Everything else is a paragraph, whose lines are joined.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from sample_corpus.blocks import (
    Block,
    Callout,
    Equation,
    Figure,
    Heading,
    ItemList,
    Layout,
    Paragraph,
    SourceDocument,
    Table,
)

_HEADING = re.compile(r"(#{1,4}) (.+)")
_FIGURE = re.compile(r"!\[([\w-]+)\]\((\d+)%((?: \w+)*)\)")
_CAPTION = re.compile(r"((?:Figure|Table) [A-Z]?\d+): (.+)", re.DOTALL)
_OPTIONS = re.compile(r"\s*\{([^}]*)\}$")
_EQUATION = re.compile(r"\$\$(.+)\$\$ \(([A-Z]?\.?\d+)\)", re.DOTALL)
_ITEM = re.compile(r"(- |\d+\. )")
_CALLOUT = re.compile(r"> ([A-Z]+): (.+)", re.DOTALL)
_LAYOUT = re.compile(r"<<(\w+)>>")


class SourceError(Exception):
    """A source text has a block that cannot be read; the message names the file and the block."""


def parse_source(path: Path) -> SourceDocument:
    """Read one source file.

    Raises:
        SourceError: a block is malformed.
    """
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    meta = yaml.safe_load(front)
    try:
        blocks = tuple(_parse_block(text) for text in re.split(r"\n{2,}", body.strip()))
    except ValueError as error:
        raise SourceError(f"{path}: {error}") from error
    return SourceDocument(name=meta["name"], title=meta["title"], meta=meta, blocks=blocks)


def _parse_block(text: str) -> Block:
    if match := _LAYOUT.fullmatch(text):
        return Layout(match[1])
    if match := _HEADING.fullmatch(text):
        return Heading(len(match[1]), match[2])
    if match := _EQUATION.fullmatch(text):
        return Equation(" ".join(match[1].split()), match[2])
    if match := _CALLOUT.fullmatch(text):
        return Callout(match[1], _joined(match[2].replace("\n> ", "\n")))
    if text.startswith("!["):
        return _parse_figure(text)
    if text.startswith("Table ") and "\n|" in text:
        return _parse_table(text)
    if _ITEM.match(text):
        return _parse_list(text)
    return Paragraph(_joined(text))


def _joined(text: str) -> str:
    return " ".join(text.split())


def _parse_figure(text: str) -> Figure:
    first, _, rest = text.partition("\n")
    match = _FIGURE.fullmatch(first)
    if not match:
        raise ValueError(f"malformed figure line: {first}")
    options = frozenset(match[3].split())
    if not rest:
        return Figure(match[1], None, "", int(match[2]), options)
    caption = _CAPTION.fullmatch(_joined(rest))
    if not caption:
        raise ValueError(f"malformed caption: {rest}")
    return Figure(match[1], caption[1], caption[2], int(match[2]), options)


def _parse_table(text: str) -> Table:
    head, _, body = text.partition("\n|")
    head = _joined(head)
    found = _OPTIONS.search(head)
    options = {name: value for name, _, value in (part.partition("=") for part in (found[1] if found else "").split())}
    caption = _CAPTION.fullmatch(_OPTIONS.sub("", head))
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in ("|" + body).splitlines()]
    if not caption or len({len(row) for row in rows}) != 1:
        raise ValueError(f"malformed table: {head} has rows of {sorted({len(row) for row in rows})} cells")
    columns = len(rows[0])
    return Table(
        label=caption[1],
        caption=caption[2],
        header=rows[0],
        rows=tuple(rows[1:]),
        align=options.pop("align", "l" * columns),
        widths=tuple(options.pop("widths", ",".join(["1"] * columns)).split(",")),
        options=frozenset(options),
    )


def _parse_list(text: str) -> ItemList:
    items: list[str] = []
    for line in text.splitlines():
        if match := _ITEM.match(line):
            items.append(line[match.end() :])
        else:
            items[-1] += " " + line.strip()
    return ItemList(tuple(items), ordered=not text.startswith("-"))
