"""What the commands ``tree``, ``figures`` and ``info`` show of documents and of an index."""

from __future__ import annotations

from collections import Counter
from typing import Any

from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from headtree.errors import DocumentError, HeadtreeError
from headtree.indexing.documents import find_documents, read_document
from headtree.indexing.images import ImageFinder
from headtree.indexing.plain import printable
from headtree.indexing.schema import connect, damage_reported, read_meta
from headtree.settings import Settings
from headtree.types import Document, FigureKind, Section


def inspect_document(settings: Settings, doc_id: str) -> Document:
    """Read one document as a build would, from the folder and without an index.

    Raises:
        DocumentError: there is no such document; the message lists those with a similar name.
    """
    sources = {source.doc_id: source for source in find_documents(settings.documents)}
    by_path = {source.path: source for source in sources.values()}
    source = sources.get(doc_id) or by_path.get(doc_id)
    if source is None:
        near = [name for name in sources if doc_id.lower() in name.lower()] or list(sources)
        raise DocumentError(f"no document {doc_id!r} in {settings.documents}; there is: {', '.join(near[:8])}")
    return read_document(settings.documents, source, settings, ImageFinder(settings.documents)).document


def draw_tree(document: Document) -> Tree:
    """Draw the section tree: title, lines, figure counts by kind, and what is not indexed."""
    counts: dict[str, Counter[FigureKind]] = {}
    for figure in document.figures:
        counts.setdefault(figure.node_id, Counter())[figure.kind] += 1
    nodes: dict[str, Tree] = {}
    for section in document.sections:
        label = _section_label(section, counts.get(section.node_id, Counter()))
        if section.parent is None:
            nodes[section.node_id] = Tree(label)
        else:
            nodes[section.node_id] = nodes[section.parent].add(label)
    return nodes[document.sections[0].node_id]


def _section_label(section: Section, counts: Counter[FigureKind]) -> Text:
    label = Text(printable(section.title), style="bold" if section.level <= 1 else "")
    label.append(f"  {section.node_id} lines {section.body.first}-{section.body.last}", style="dim")
    if counts:
        parts = ", ".join(f"{number} {kind.value}" for kind, number in sorted(counts.items()))
        label.append(f"  [{parts}]", style="green")
    if section.noise:
        label.append(f"  not indexed: {section.noise}", style="yellow")
    return label


def figure_table(document: Document) -> Table:
    """List a document's figures."""
    title = Text(printable(f"{document.doc_id}: {len(document.figures)} figures"))
    table = Table(title=title, title_justify="left")
    for name in ("id", "label", "kind", "line", "file", "caption or alternative text", "mentions", "problem"):
        table.add_column(name, overflow="fold")
    for figure in document.figures:
        table.add_row(
            figure.fig_id,
            _cell(figure.label),
            figure.kind.value,
            str(figure.line),
            _cell(figure.filename),
            _cell((figure.caption or figure.alt)[:120]),
            ", ".join(str(mention.line) for mention in figure.mentions[:8]),
            _cell(figure.problem),
        )
    return table


def _cell(text: str | None) -> Text:
    return Text(printable(text or ""))


def describe_index(settings: Settings) -> dict[str, Any]:
    """Return what the index holds and the settings in force; without an index, what to do about it."""
    description: dict[str, Any] = {"settings": settings.model_dump(mode="json")}
    try:
        connection = connect(settings.index)
    except HeadtreeError as error:
        return {**description, "index": None, "problem": str(error)}
    try:
        with damage_reported(settings.index):
            documents = connection.execute(
                "SELECT doc_id, path, (SELECT count(*) FROM sections s WHERE s.doc_id = d.doc_id),"
                " (SELECT count(*) FROM figures f WHERE f.doc_id = d.doc_id),"
                " (SELECT count(*) FROM chunks c WHERE c.doc_id = d.doc_id) FROM documents d ORDER BY doc_id"
            ).fetchall()
            names = ("doc_id", "path", "sections", "figures", "chunks")
            return {
                **description,
                "index": {
                    "generation": read_meta(connection, "generation"),
                    "embedder": read_meta(connection, "space") or "none",
                    "documents": [dict(zip(names, row, strict=True)) for row in documents],
                },
            }
    finally:
        connection.close()
