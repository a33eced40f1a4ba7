"""Markdown files that need no extraction: copied into the documents folder with the images they reference."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt

from headtree.errors import ExtractionError

_IMAGE_TAG = re.compile(r"<img\b[^>]*\bsrc\s*=\s*[\"']?([^\"'\s>]+)", re.IGNORECASE)


def copy_markdown(path: Path, *, root: Path, target: Path, replace: bool = False) -> bool:
    """Copy a file to ``target`` and its images to their places beside it; return whether anything was written.

    Only images below ``root`` are copied, and only into the folder that stands for it; files that are as they
    should be are left alone.

    Raises:
        ExtractionError: another file is there already.
        OSError: a file cannot be read or written.
    """
    base = target.parents[len(path.relative_to(root).parts) - 1]
    written = _copy(path, target, replace=replace)
    for image in _images(path, root):
        written |= _copy(image, base / image.relative_to(root.resolve()), replace=replace)
    return written


def _images(path: Path, root: Path) -> Iterator[Path]:
    """Yield the images that a file references and that lie below ``root``."""
    text = path.read_text(encoding="utf-8", errors="replace")
    sources = {
        str(child.attrs.get("src", ""))
        for token in MarkdownIt("commonmark").enable("table").parse(text)
        for child in token.children or ()
        if child.type == "image"
    }
    sources |= set(_IMAGE_TAG.findall(text))
    for source in sorted(sources):
        parts = urlsplit(source)
        if parts.scheme or parts.netloc or not parts.path:
            continue
        image = (path.parent / unquote(parts.path)).resolve()
        if image.is_relative_to(root.resolve()) and image.is_file():
            yield image


def _copy(source: Path, target: Path, *, replace: bool) -> bool:
    if target.exists():
        if target.read_bytes() == source.read_bytes():
            return False
        if not replace:
            raise ExtractionError(f"{target} exists and differs from {source.name}; move it away or use --replace")
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f".{target.name}.partial")
    shutil.copyfile(source, partial)
    partial.replace(target)
    return True
