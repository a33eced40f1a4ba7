"""Blocks to typesetter source: the whole document, and single tables and formulas as pictures.

Every block carries a mark with its position in the block list, so that the typesetter can be asked where it
stands.
"""

from __future__ import annotations

import json
from typing import Any

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
from sample_corpus.inline import to_plain, to_typst

TABLE_WIDTH = "455pt"
"""Width of a table picture: the text width of the one-column themes."""

_IMPORT = '#import "theme.typ": *\n'
_PAGE_ORDERS = {
    "page": "#pagebreak(weak: true)",
    "landscape": "#set page(flipped: true)",
    "portrait": "#set page(flipped: false)",
    "onecolumn": "#pagebreak(weak: true)\n#set page(columns: 1)",
}


def typeset_document(source: SourceDocument, assets: dict[str, str]) -> str:
    """Return the typesetter source of a document; ``assets`` maps a figure's name to its file."""
    parts = [_IMPORT, f"#show: sample-document.with({_dictionary(_cover_facts(source, assets))})\n"]
    depth = source.contents_depth
    parts += [_typeset_block(block, f"b{index}", assets, depth) for index, block in enumerate(source.blocks)]
    return "\n".join(parts)


def typeset_table_picture(source: SourceDocument, table: Table) -> str:
    """Return the source of a page that holds one table and nothing else."""
    theme = json.dumps(source.meta["theme"])
    arguments = f'"picture", {_table_columns(table)}, {_table_aligns(table)}, {_table_cells(table)}'
    return f"{_IMPORT}#picture-page({theme}, {TABLE_WIDTH}, theme => data-table(theme, {arguments}))\n"


def typeset_equation_picture(source: SourceDocument, equation: Equation) -> str:
    """Return the source of a page that holds one formula and nothing else."""
    theme = json.dumps(source.meta["theme"])
    return f"{_IMPORT}#picture-page({theme}, auto, theme => [$ {equation.source} $])\n"


def _cover_facts(source: SourceDocument, assets: dict[str, str]) -> dict[str, Any]:
    meta = {key: value for key, value in source.meta.items() if key != "name"}
    meta["date"] = [meta["date"].year, meta["date"].month, meta["date"].day]
    meta["facts"] = [[str(name), str(value)] for name, value in meta.get("facts", {}).items()]
    if "cover" in meta:
        meta["cover"] = assets[meta["cover"]]
    return meta


def _dictionary(values: dict[str, Any]) -> str:
    return "(" + ", ".join(f"{json.dumps(key)}: {_value(value)}" for key, value in values.items()) + ")"


def _value(value: Any) -> str:
    if isinstance(value, list):
        return "(" + "".join(_value(item) + ", " for item in value) + ")"
    return json.dumps(value, ensure_ascii=False)


def _typeset_block(block: Block, mark: str, assets: dict[str, str], contents_depth: int) -> str:
    match block:
        case Heading():
            outlined = ", outlined: false" if block.text == CONTENTS_TITLE else ""
            return f'#heading-block("{mark}", {block.level}, [{to_typst(block.text)}]{outlined})'
        case Paragraph():
            return f'#para("{mark}", [{to_typst(block.text)}])'
        case ItemList():
            items = "".join(f"[{to_typst(item)}], " for item in block.items)
            return f'#bullets("{mark}", {str(block.ordered).lower()}, ({items}))'
        case Callout():
            return f'#callout("{mark}", "{block.kind}", [{to_typst(block.text)}])'
        case Figure():
            return _typeset_figure(block, mark, assets)
        case Table():
            return _typeset_table(block, mark)
        case Equation():
            return f'#equation-block("{mark}", "{block.number}", [$ {block.source} $])'
        case Layout("contents"):
            return f'#contents-block("{mark}", {contents_depth})'
        case Layout():
            return _PAGE_ORDERS[block.order]


def _typeset_figure(figure: Figure, mark: str, assets: dict[str, str]) -> str:
    label = json.dumps(figure.label) if figure.label else "none"
    alt = json.dumps(to_plain(figure.caption) or "Picture", ensure_ascii=False)
    wide = ", wide: true" if "wide" in figure.options else ""
    arguments = f'"{mark}", "{assets[figure.name]}", {figure.width}%, {label}, [{to_typst(figure.caption)}], {alt}'
    return f"#figure-block({arguments}{wide})"


def _typeset_table(table: Table, mark: str) -> str:
    columns, aligns, rest = _table_columns(table), _table_aligns(table), _table_cells(table)
    options = "".join(f", {option}: true" for option in ("breakable", "wide") if option in table.options)
    label = f'"{table.label}", [{to_typst(table.caption)}]'
    return f'#table-block("{mark}", {columns}, {aligns}, {label}, {rest}{options})'


def _table_columns(table: Table) -> str:
    return "(" + "".join("auto, " if width == "auto" else f"{width}fr, " for width in table.widths) + ")"


def _table_aligns(table: Table) -> str:
    return "(" + "".join(f'"{letter}", ' for letter in table.align) + ")"


def _table_cells(table: Table) -> str:
    header = "(" + "".join(f"[{to_typst(cell)}], " for cell in table.header) + ")"
    rows = "(" + "".join("(" + "".join(f"[{to_typst(cell)}], " for cell in row) + "), " for row in table.rows) + ")"
    footer = ", footer: true" if "total" in table.options else ""
    return f"{header}, {rows}{footer}"
