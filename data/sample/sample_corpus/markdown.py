"""Blocks to the Markdown document, in the layout that an extractor gives.

A figure is an image line and then its caption line; a table is its caption line, the image and the cells as a
Markdown table; a formula is an image and its number in brackets.
"""

from __future__ import annotations

from sample_corpus.blocks import (
    CONTENTS_TITLE,
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
from sample_corpus.inline import to_markdown


def write_markdown(source: SourceDocument, pages: dict[int, int]) -> str:
    """Return the Markdown text; ``pages`` gives each block's page for the table of contents."""
    parts = [f"# {source.title}"]
    if source.meta.get("subtitle"):
        parts.append(source.meta["subtitle"])
    facts = source.meta.get("facts", {})
    if facts:
        parts.append("  \n".join(f"{name}: {value}" for name, value in facts.items()))
    for block in source.blocks:
        text = _contents(source, pages) if block == Layout("contents") else _write_block(block)
        if text:
            parts.append(text)
    return "\n\n".join(parts) + "\n"


def _contents(source: SourceDocument, pages: dict[int, int]) -> str:
    lines = []
    for index, block in enumerate(source.blocks):
        if isinstance(block, Heading) and _is_listed(block, source.contents_depth):
            lines.append("  " * (block.level - 1) + f"- {to_markdown(block.text)} {pages[index]}")
    return "\n".join(lines)


def _is_listed(heading: Heading, depth: int) -> bool:
    return heading.level <= depth and heading.text != CONTENTS_TITLE


def _write_block(block: Block) -> str:
    match block:
        case Heading():
            return "#" * (block.level + 1) + " " + to_markdown(block.text)
        case Paragraph():
            return to_markdown(block.text)
        case ItemList():
            return "\n".join(
                (f"{number}. " if block.ordered else "- ") + to_markdown(item)
                for number, item in enumerate(block.items, start=1)
            )
        case Callout():
            return f"> **{block.kind}** {to_markdown(block.text)}"
        case Figure():
            caption = f"\n\n{block.label}: {to_markdown(block.caption)}" if block.label else ""
            return f"![]({block.path}){caption}"
        case Table():
            return _write_table(block)
        case Equation():
            return f"![]({block.path})\n\n({block.number})"
        case Layout():
            return ""


def _write_table(table: Table) -> str:
    rule = "|" + "|".join({"l": " --- ", "r": " ---: ", "c": " :---: "}[letter] for letter in table.align) + "|"
    rows = ["| " + " | ".join(to_markdown(cell) for cell in row) + " |" for row in (table.header, *table.rows)]
    cells = "\n".join([rows[0], rule, *rows[1:]])
    return f"{table.label}: {to_markdown(table.caption)}\n\n![]({table.path})\n\n{cells}"
