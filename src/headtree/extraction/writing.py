"""Writes an extracted document: Markdown, images and ``provenance.json``, whole or not at all."""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson

from headtree.errors import ExtractionError
from headtree.extraction.blocks import ExtractedDocument
from headtree.extraction.rendering import ImageFile, RenderedDocument, image_bytes, render_document

PROVENANCE = "provenance.json"
_HASH_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceIdentity:
    """What a document was made from: decides whether it must be made again."""

    name: str
    """The file's name, without its folder."""
    sha256: str
    """Of the file's bytes, hexadecimal."""


def identify_source(path: Path) -> SourceIdentity:
    """Return the name and hash of a source file.

    Raises:
        OSError: the file cannot be read.
    """
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_HASH_BLOCK):
            digest.update(part)
    return SourceIdentity(path.name, digest.hexdigest())


def read_provenance(folder: Path) -> Mapping[str, Any] | None:
    """Return what is recorded about a written document, ``None`` where there is none that can be read."""
    try:
        found = orjson.loads((folder / PROVENANCE).read_bytes())
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None


def is_current(folder: Path, *, source: SourceIdentity, engine: str, engine_version: str) -> bool:
    """Whether a folder holds the document of this very source, made by this engine."""
    recorded = read_provenance(folder)
    if recorded is None or not (folder / f"{folder.name}.md").is_file():
        return False
    wanted = {"engine": engine, "engine_version": engine_version, "source_sha256": source.sha256}
    return all(recorded.get(key) == value for key, value in wanted.items())


def write_document(document: ExtractedDocument, *, folder: Path, source: SourceIdentity, replace: bool = False) -> Path:
    """Write a document into its own folder and return the Markdown file, which is named like the folder.

    All is written beside the folder first and moved into place at the end. A document that is there already is
    replaced only if it is as it was written; files that others put beside it are kept.

    Args:
        document: what an engine read.
        folder: ``data/documents/<doc>``.
        source: of the document; recorded, so that it is skipped next time.
        replace: also replace a document that was edited or was not made by headtree.

    Raises:
        ExtractionError: the folder holds a document that is not ours to replace.
        OSError: the disk is full or the folder cannot be written.
    """
    rendered = render_document(document.blocks)
    return write_rendered(rendered, document, folder=folder, source=source, replace=replace)


def write_rendered(
    rendered: RenderedDocument,
    document: ExtractedDocument,
    *,
    folder: Path,
    source: SourceIdentity,
    replace: bool = False,
) -> Path:
    """Write Markdown that is made already, as `write_document` does; ``document`` says where it comes from."""
    reason = None if replace else reason_to_keep(folder, engine=document.engine)
    if reason:
        raise ExtractionError(kept_message(folder, reason))
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".extracting-", dir=folder.parent) as temporary:
        fresh = Path(temporary) / "new"
        fresh.mkdir()
        _write_images(rendered.images, fresh)
        markdown = rendered.markdown.encode()
        (fresh / f"{folder.name}.md").write_bytes(markdown)
        record = _provenance(document, rendered, source) | {"markdown_sha256": hashlib.sha256(markdown).hexdigest()}
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        (fresh / PROVENANCE).write_bytes(orjson.dumps(record, option=options))
        if folder.exists():
            _carry_over(folder, fresh)
            folder.rename(Path(temporary) / "old")
        fresh.rename(folder)
    return folder / f"{folder.name}.md"


def _write_images(images: Sequence[ImageFile], folder: Path) -> None:
    for file in images:
        target = folder / file.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(image_bytes(file.image))


def _provenance(document: ExtractedDocument, rendered: RenderedDocument, source: SourceIdentity) -> dict[str, Any]:
    return {
        "engine": document.engine,
        "engine_version": document.engine_version,
        "source": source.name,
        "source_sha256": source.sha256,
        "pages": [asdict(page) for page in document.pages],
        "figures": [_figure_record(file) for file in rendered.images],
        "blocks": [asdict(origin) for origin in rendered.origins],
        "warnings": list(document.warnings),
    }


def _figure_record(file: ImageFile) -> dict[str, Any]:
    place = file.image.places[0] if file.image.places else None
    return {
        "path": file.path,
        "page": place.page if place else None,
        "bbox": [round(value, 1) for value in place.box] if place else None,
        "kind": str(file.image.kind),
        "label": file.image.label,
        "caption": file.image.caption,
    }


def reason_to_keep(folder: Path, *, engine: str) -> str | None:
    """Return why a folder's document is not replaced unasked by what ``engine`` reads, ``None`` where it may be."""
    markdown = folder / f"{folder.name}.md"
    recorded = read_provenance(folder)
    if not markdown.exists() and (recorded is not None or not any(folder.glob("*.md"))):
        return None
    if recorded is None:
        return "headtree did not extract it"
    if recorded.get("markdown_sha256") != hashlib.sha256(markdown.read_bytes()).hexdigest():
        return "it was edited since it was extracted"
    if recorded.get("engine") == "adobe" and engine == "local":
        return "Adobe PDF Extract made it"
    return None


def kept_message(folder: Path, reason: str) -> str:
    """Return what to do where a document is in the way."""
    return f"{folder} holds a document that is kept: {reason}; move it away or use --replace"


def _carry_over(old: Path, fresh: Path) -> None:
    """Copy into the new folder what others put into the old one."""
    recorded = read_provenance(old) or {}
    ours = {str(item.get("path")) for item in recorded.get("figures", []) if isinstance(item, dict)}
    ours |= {PROVENANCE, f"{old.name}.md"}
    for path in sorted(old.rglob("*")):
        name = path.relative_to(old)
        target = fresh / name
        if path.is_file() and name.as_posix() not in ours and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target)
