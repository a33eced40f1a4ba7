"""A folder of Markdown files -> parsed documents with their identities."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from headtree.errors import DocumentError, HeadtreeError
from headtree.indexing.chunking import make_chunks
from headtree.indexing.figures import register_figures
from headtree.indexing.headings import Repair, repair_headings
from headtree.indexing.hidden import visible_text
from headtree.indexing.images import ImageFinder
from headtree.indexing.markdown import BlockKind, ParsedMarkdown, new_parser, parse_markdown
from headtree.indexing.noise import filter_noise
from headtree.indexing.passages import passages_by_section
from headtree.indexing.plain import one_line, printable
from headtree.indexing.reading import SourceText, read_source
from headtree.indexing.tree import build_sections
from headtree.settings import Settings
from headtree.types import BuildWarning, Chunk, Document, Passage, Section, WarningKind

_LONGEST_TITLE = 200
"""Characters of a title in a document's metadata that are kept: it goes into every breadcrumb."""
MARKDOWN_SUFFIXES = (".md", ".markdown", ".mdx")


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A Markdown file and the identity of its document."""

    doc_id: str
    path: str
    """Below the documents folder, with forward slashes."""


@dataclass(frozen=True, slots=True)
class PreparedDocument:
    """A document with everything that an index stores about it."""

    document: Document
    passages: Mapping[str, tuple[Passage, ...]]
    """By section."""
    chunks: tuple[Chunk, ...]


@dataclass(frozen=True, slots=True)
class OutlinedDocument:
    """A parsed document with its tree, before anything that depends on which sections are noise."""

    source: SourceFile
    title: str
    parsed: ParsedMarkdown
    lines: tuple[str, ...]
    sections: tuple[Section, ...]
    content_hash: str
    metadata: Mapping[str, Any]
    warnings: tuple[BuildWarning, ...]


def find_documents(documents: Path) -> list[SourceFile]:
    """Return the Markdown files below a folder, sorted by path; hidden files and folders are left out.

    A document's identity is its path without the ending, or its folder where the file is named like it
    (``Galore/Galore.md`` is ``Galore``). Where two files would share an identity, the later one keeps its whole path.

    Raises:
        HeadtreeError: the folder does not exist.
    """
    if not documents.is_dir():
        raise HeadtreeError(
            f"there is no documents folder at {documents}; make it and put Markdown files in, "
            "or name another one with --documents"
        )
    found: list[SourceFile] = []
    taken: set[str] = set()
    for path in sorted(_markdown_paths(documents)):
        doc_id = next(name for name in _identities(path) if name not in taken)
        taken.add(doc_id)
        found.append(SourceFile(doc_id, path))
    return found


def links_out(documents: Path) -> list[BuildWarning]:
    """Warn of each link that leads out of the folder, to a file or a folder: what is behind it is not read."""
    message = "the link leads out of the documents folder and is not followed; copy what it leads to in"
    return [
        BuildWarning(printable(path), 0, WarningKind.OUTSIDE_DOCUMENT, message)
        for path in sorted(_paths_of_links_out(documents))
    ]


def _paths_of_links_out(documents: Path) -> Iterator[str]:
    root = documents.resolve()
    for folder, folders, names in os.walk(documents):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for entry in (Path(folder, name) for name in (*folders, *names)):
            if (entry.is_dir() or entry.name.lower().endswith(MARKDOWN_SUFFIXES)) and _leads_out(entry, root):
                yield entry.relative_to(documents).as_posix()


def _leads_out(entry: Path, root: Path) -> bool:
    return entry.is_symlink() and not entry.resolve().is_relative_to(root)


def _markdown_paths(documents: Path) -> Iterator[str]:
    root = documents.resolve()
    for folder, folders, names in os.walk(documents):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in names:
            file = Path(folder, name)
            if name.lower().endswith(MARKDOWN_SUFFIXES) and not name.startswith("."):
                if _leads_out(file, root):
                    continue
                yield file.relative_to(documents).as_posix()


def _identities(path: str) -> Iterator[str]:
    pure = PurePosixPath(path)
    if pure.stem == pure.parent.name:
        yield pure.parent.as_posix()
    yield pure.with_suffix("").as_posix()
    yield path


def read_document(documents: Path, source: SourceFile, settings: Settings, finder: ImageFinder) -> PreparedDocument:
    """Read and parse one document.

    Raises:
        DocumentError: the file cannot be read.
    """
    try:
        raw = (documents / source.path).read_bytes()
    except OSError as error:
        raise DocumentError(f"{source.path}: {error.strerror or error}") from error
    return prepare_document(raw, source, settings, finder)


def prepare_document(raw: bytes, source: SourceFile, settings: Settings, finder: ImageFinder) -> PreparedDocument:
    """Turn a Markdown file's bytes into a tree, a figure registry, passages and chunks."""
    return finish_document(outline_document(raw, source, settings), settings, finder)


def outline_document(raw: bytes, source: SourceFile, settings: Settings) -> OutlinedDocument:
    """Parse a Markdown file's bytes as far as its tree; the rules of the noise filter have been at it."""
    parser = new_parser()
    text = read_source(raw)
    visible = visible_text(text.text, parser)
    parsed = parse_markdown(visible.text, parser)
    lines = tuple(visible.text.split("\n"))
    repairs: Sequence[Repair] = ()
    headings = list(parsed.headings)
    if settings.heading_repair:
        headings, repairs = repair_headings(parsed.headings, lines)
    title = one_line(printable(str(text.metadata.get("title") or "")))[:_LONGEST_TITLE]
    said = {heading.title.casefold() for heading in headings}
    page_title = "" if title.casefold() in said else title
    sections = build_sections(source.doc_id, headings, len(lines), page_title=page_title)
    if settings.noise_filter:
        sections = filter_noise(sections, lines, noise_titles=settings.noise_titles, keep_titles=settings.keep_titles)
    warnings = (
        *_reading_warnings(source.doc_id, text, visible.hidden_lines, parsed, lines),
        *(BuildWarning(source.doc_id, repair.line, WarningKind.HEADING_REPAIRED, repair.message) for repair in repairs),
    )
    return OutlinedDocument(
        source=source,
        title=title or next((heading.title for heading in headings), "") or source.doc_id,
        parsed=parsed,
        lines=lines,
        sections=sections,
        content_hash=hashlib.sha256(raw).hexdigest(),
        metadata=text.metadata,
        warnings=warnings,
    )


def finish_document(outlined: OutlinedDocument, settings: Settings, finder: ImageFinder) -> PreparedDocument:
    """Find a document's figures and cut it into chunks, its noise left out."""
    doc_id, sections, lines = outlined.source.doc_id, outlined.sections, outlined.lines
    registry = register_figures(doc_id, outlined.source.path, outlined.parsed, lines, sections, finder)
    noise = (
        BuildWarning(doc_id, section.line, WarningKind.NOISE, f"'{section.title}' is not indexed: {section.noise}")
        for section in sections
        if section.noise
    )
    document = Document(
        doc_id=doc_id,
        path=outlined.source.path,
        title=outlined.title,
        lines=lines,
        sections=sections,
        figures=registry.figures,
        content_hash=outlined.content_hash,
        metadata=outlined.metadata,
        warnings=(*outlined.warnings, *noise, *registry.warnings),
    )
    passages = passages_by_section(outlined.parsed, lines, sections, longest=settings.chunk_characters)
    chunks = make_chunks(doc_id, sections, passages, registry.figures, size=settings.chunk_characters)
    return PreparedDocument(document, passages, chunks)


def _reading_warnings(
    doc_id: str, text: SourceText, hidden: Sequence[int], parsed: ParsedMarkdown, lines: Sequence[str]
) -> Iterator[BuildWarning]:
    if text.encoding is not None:
        message = f"the file is not UTF-8; it was read as {text.encoding}, save it as UTF-8 to be sure"
        yield BuildWarning(doc_id, 0, WarningKind.ENCODING, message)
    for line in hidden:
        message = "text that readers do not see was left out (hidden HTML, script or style)"
        yield BuildWarning(doc_id, line, WarningKind.HIDDEN_TEXT, message)
    if parsed.unclosed_fence is not None:
        skipped = _images_in_code(parsed, lines, parsed.unclosed_fence)
        message = f"a code fence begins here and never ends; all that follows is code, {skipped} image lines skipped"
        yield BuildWarning(doc_id, parsed.unclosed_fence, WarningKind.UNCLOSED_FENCE, message)


def _images_in_code(parsed: ParsedMarkdown, lines: Sequence[str], fence: int) -> int:
    blocks = [block for block in parsed.blocks if block.kind is BlockKind.CODE and block.first == fence]
    return sum("![" in text for block in blocks for text in lines[block.first - 1 : block.last])
