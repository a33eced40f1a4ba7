"""The documents as the page shows and changes them: tree with picture counts, the build's warnings, removal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import orjson

from headtree.chat.uploads import set_aside
from headtree.errors import DocumentError
from headtree.indexing.documents import MARKDOWN_SUFFIXES
from headtree.indexing.index import StoredDocument
from headtree.indexing.records import warning_from_json
from headtree.indexing.schema import connect, damage_reported
from headtree.settings import Settings
from headtree.types import BuildWarning, FigureKind, Section, WarningKind

DECISIONS = frozenset({WarningKind.NOISE, WarningKind.HEADING_REPAIRED})
"""Warnings that tell what was decided, apart from those that tell of a problem."""


@dataclass(frozen=True, slots=True)
class TreeRow:
    """A section in a document's tree."""

    section: Section
    figures: Mapping[FigureKind, int]
    """Pictures that stand in the section's own text, by kind."""
    below: int
    """Pictures of the section and all below it."""

    @property
    def counts(self) -> str:
        """The section's own pictures in words: ``2 figures, 1 table``."""
        return ", ".join(
            f"{number} {kind.value}{'s' if number > 1 else ''}" for kind, number in sorted(self.figures.items())
        )


def tree_rows(document: StoredDocument) -> tuple[TreeRow, ...]:
    """Return a document's sections in reading order with their pictures counted; decoration does not count."""
    counts: dict[str, Counter[FigureKind]] = {}
    for figure in document.figures:
        if figure.kind is not FigureKind.JUNK:
            counts.setdefault(figure.node_id, Counter())[figure.kind] += 1
    below = {node_id: sum(counts.get(node_id, Counter()).values()) for node_id in document.sections}
    for section in reversed(tuple(document.sections.values())):
        if section.parent is not None:
            below[section.parent] += below[section.node_id]
    return tuple(
        TreeRow(section, dict(counts.get(section.node_id, {})), below[section.node_id])
        for section in document.sections.values()
    )


def stored_warnings(settings: Settings, doc_id: str | None = None) -> tuple[BuildWarning, ...]:
    """Return what the last build had to say about one document, or about all.

    Raises:
        HeadtreeError: the index cannot be used.
    """
    connection = connect(settings.index)
    try:
        with damage_reported(settings.index):
            rows = connection.execute(
                "SELECT warnings FROM documents WHERE ? IS NULL OR doc_id = ? ORDER BY doc_id", (doc_id, doc_id)
            ).fetchall()
            return tuple(warning_from_json(item) for (raw,) in rows for item in orjson.loads(raw))
    finally:
        connection.close()


def remove_document(documents: Path, path: str) -> Path:
    """Move a document to ``.removed``: its folder where that is its own, else its Markdown file alone.

    Args:
        documents: the documents folder.
        path: the Markdown file below it.

    Returns:
        Where it is now.

    Raises:
        DocumentError: it is not there.
    """
    root = documents.resolve()
    file = (root / path).resolve()
    if not file.is_relative_to(root) or not file.is_file():
        raise DocumentError(f"{path} is not in {documents} any more")
    folder = file.parent
    own = folder != root and PurePosixPath(path).stem == folder.name
    if own and sum(other.suffix.lower() in MARKDOWN_SUFFIXES for other in folder.rglob("*")) == 1:
        return set_aside(root, folder)
    return set_aside(root, file)
