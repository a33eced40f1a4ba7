"""Which files are sources, what each is, and the document that it becomes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path, PurePosixPath

from headtree.errors import ExtractionError

_UNSAFE = re.compile(r'[<>:"|?*\\\x00-\x1f\x7f]+')
_LONGEST_NAME = 120


class SourceKind(StrEnum):
    """What a source is read as."""

    PDF = "pdf"
    HTML = "html"
    MARKDOWN = "markdown"


SUFFIXES = {
    ".pdf": SourceKind.PDF,
    ".html": SourceKind.HTML,
    ".htm": SourceKind.HTML,
    ".xhtml": SourceKind.HTML,
    ".md": SourceKind.MARKDOWN,
    ".markdown": SourceKind.MARKDOWN,
    ".mdx": SourceKind.MARKDOWN,
}


@dataclass(frozen=True, slots=True)
class Source:
    """A file that becomes a document."""

    path: Path
    kind: SourceKind
    root: Path
    """The folder that was named; nothing outside of it belongs to the source."""
    doc: str
    """The document's id: its place below the documents folder, without an ending, with forward slashes."""
    named: bool = False
    """Whether the file itself was named, and not a folder that holds it."""


def find_sources(paths: Sequence[Path]) -> list[Source]:
    """Return the sources among files and folders, sorted within a folder; hidden files are left out.

    Two files never share a document: where names meet (``a.pdf`` and ``a.html``), the later one has its kind added.

    Raises:
        ExtractionError: a path does not exist, or nothing that was named can be read.
    """
    sources: list[Source] = []
    taken: set[str] = set()
    for path in paths:
        for file, root in _files(path):
            kind = SUFFIXES[file.suffix.lower()]
            doc = _free_name(_document(file, root), kind, taken)
            taken.add(doc.casefold())
            sources.append(Source(file, kind, root, doc, named=file == path))
    if not sources:
        named = ", ".join(map(str, paths))
        raise ExtractionError(f"no PDF, HTML or Markdown file in {named}; put PDFs there or name them")
    return sources


def _files(path: Path) -> Iterator[tuple[Path, Path]]:
    """Yield files that can be sources, each with the folder it was found in."""
    if path.is_dir():
        for file in sorted(path.rglob("*")):
            hidden = any(part.startswith(".") for part in file.relative_to(path).parts)
            if file.is_file() and not hidden and file.suffix.lower() in SUFFIXES:
                yield file, path
    elif path.is_file():
        if path.suffix.lower() not in SUFFIXES:
            raise ExtractionError(f"{path.name} is not a PDF, HTML or Markdown file")
        yield path, path.parent
    else:
        raise ExtractionError(f"there is no file or folder {path}")


def _document(file: Path, root: Path) -> str:
    """Return the id of a file's document; characters that no file system likes are replaced."""
    parts = file.relative_to(root).with_suffix("").parts
    cleaned = [_UNSAFE.sub("-", part).strip(" .")[:_LONGEST_NAME].strip(" .") or "document" for part in parts]
    return PurePosixPath(*cleaned).as_posix()


def _free_name(doc: str, kind: SourceKind, taken: set[str]) -> str:
    if doc.casefold() not in taken:
        return doc
    candidates = [f"{doc} ({kind})", *(f"{doc} ({kind} {number})" for number in range(2, len(taken) + 3))]
    return next(name for name in candidates if name.casefold() not in taken)
