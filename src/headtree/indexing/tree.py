"""Headings -> the section tree: every line of a document lies in exactly one section's body."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from headtree.indexing.markdown import Heading
from headtree.types import Document, Figure, LineSpan, Section


@dataclass(slots=True)
class _Node:
    """A section while its children are still being found."""

    heading: Heading
    depth: int
    parent: int | None
    children: list[int] = field(default_factory=list)


def build_sections(
    doc_id: str, headings: Sequence[Heading], line_count: int, *, page_title: str = ""
) -> tuple[Section, ...]:
    """Nest headings by level: a heading belongs to the last one before it of a lower level.

    A skipped level makes no empty node: ``###`` right under ``#`` is its child. The first section is the document
    itself, with the text before the first heading as its body; a document without headings is that one section.

    Args:
        doc_id: becomes the title of the document's own section and the first part of every breadcrumb.
        headings: in order of their lines.
        line_count: lines of the document, at least 1.
        page_title: a title that stands in the document's metadata and is no heading; second part of every breadcrumb,
            for on many sites it is the only place that says what a page is about.
    """
    nodes = _nest(headings)
    width = max(4, len(str(len(nodes))))
    starts = [node.heading.line for node in nodes]
    sections: list[Section] = []
    own = (doc_id, page_title) if page_title else (doc_id,)
    for index, node in enumerate(nodes):
        first = 1 if index == 0 else starts[index]
        next_start = starts[index + 1] if index + 1 < len(nodes) else line_count + 1
        parent = sections[node.parent] if node.parent is not None else None
        title = doc_id if parent is None else node.heading.title
        sections.append(
            Section(
                node_id=f"{index:0{width}d}",
                title=title,
                level=node.depth,
                line=first,
                body=LineSpan(first, next_start - 1),
                span=LineSpan(first, next_start - 1),
                breadcrumb=(*parent.breadcrumb, title) if parent else own,
                parent=parent.node_id if parent else None,
                children=tuple(f"{child:0{width}d}" for child in node.children),
            )
        )
    return _with_spans(sections)


def _nest(headings: Sequence[Heading]) -> list[_Node]:
    root = _Node(Heading(line=1, last_line=0, level=0, title=""), 0, None)
    nodes, path = [root], [0]
    for heading in headings:
        while nodes[path[-1]].heading.level >= heading.level:
            path.pop()
        nodes[path[-1]].children.append(len(nodes))
        nodes.append(_Node(heading, len(path), path[-1]))
        path.append(len(nodes) - 1)
    return nodes


def _with_spans(sections: Sequence[Section]) -> tuple[Section, ...]:
    """Extend each span to the end of its last descendant; children come after their parents, so go backwards."""
    last = {section.node_id: section.body.last for section in sections}
    for section in reversed(sections):
        if section.parent is not None:
            last[section.parent] = max(last[section.parent], last[section.node_id])
    return tuple(replace(section, span=LineSpan(section.line, last[section.node_id])) for section in sections)


class SectionFinder:
    """Finds sections by line; for many look-ups in one document."""

    def __init__(self, sections: Sequence[Section]) -> None:
        self._sections = sections
        self._lines = [section.line for section in sections]

    def at(self, line: int) -> Section:
        """Return the section in whose body a line lies."""
        return self._sections[bisect_right(self._lines, line, lo=1) - 1]

    def between(self, span: LineSpan) -> Sequence[Section]:
        """Return the sections whose bodies lie in a span, wholly or in part, in reading order."""
        first = bisect_right(self._lines, span.first, lo=1) - 1
        return self._sections[first : bisect_right(self._lines, span.last, lo=1)]


def published_tree(document: Document) -> dict[str, Any]:
    """Return the tree as JSON in the published shape, with more keys.

    Keys of a node: ``title``, ``node_id``, ``line_num``, ``figures`` (``fig_id``, ``filename`` ...), ``nodes``.
    """
    figures: dict[str, list[Figure]] = {}
    for figure in document.figures:
        figures.setdefault(figure.node_id, []).append(figure)
    by_id = {section.node_id: section for section in document.sections}
    return _published_node(document.sections[0], by_id, figures)


def _published_node(
    root: Section, by_id: Mapping[str, Section], figures: Mapping[str, Sequence[Figure]]
) -> dict[str, Any]:
    """Build the node and its descendants without recursion: depth is up to the author."""
    built: dict[str, dict[str, Any]] = {}
    for section in reversed(tuple(by_id.values())):
        built[section.node_id] = {
            "title": section.title,
            "node_id": section.node_id,
            "line_num": section.line,
            "lines": [section.body.first, section.body.last],
            "span": [section.span.first, section.span.last],
            "noise": section.noise,
            "figures": [_published_figure(figure) for figure in figures.get(section.node_id, ())],
            "nodes": [built[child] for child in section.children],
        }
    return built[root.node_id]


def _published_figure(figure: Figure) -> dict[str, Any]:
    return {
        "fig_id": figure.fig_id,
        "filename": figure.filename,
        "path": figure.path,
        "kind": figure.kind.value,
        "label": figure.label,
        "caption": figure.caption,
        "alt": figure.alt,
        "line_num": figure.line,
        "group": figure.group,
        "inside": [figure.inside.first, figure.inside.last] if figure.inside else None,
        "also_at": list(figure.also_at),
        "mentions": [{"line_num": m.line, "node_id": m.node_id, "text": m.text} for m in figure.mentions],
        "exists": figure.exists,
        "problem": figure.problem,
        "width": figure.width,
        "height": figure.height,
        "content_hash": figure.content_hash,
    }
